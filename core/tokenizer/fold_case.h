// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

namespace headscope::core {

/// The text with differences of case taken away (Unicode's full case folding, as "ß" → "ss"). What is not UTF-8 stays as it
/// is.
std::string foldCase(std::string_view text);

} // namespace headscope::core
