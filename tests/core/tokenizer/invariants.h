// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/tokenizer/tokens.h"

#include <gtest/gtest.h>

/// What every tokenized text keeps (core/tokenizer/tokens.h).
testing::AssertionResult keepsInvariants(const headscope::core::TokenizedText& text);
