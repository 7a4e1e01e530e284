// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <stop_token>
#include <string>
#include <string_view>

namespace headscope::app {

/// The bytes of a file (a pipe is one too) as they are. Throws core::Error with a sentence, core::Cancelled.
std::string readBytes(const std::filesystem::path& path, const std::stop_token& stop);

/// The bytes of an open descriptor to their end. `name` begins the sentence of an error.
std::string readDescriptor(int descriptor, std::string_view name, const std::stop_token& stop);

} // namespace headscope::app
