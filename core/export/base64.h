// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

namespace headscope::core {

/// RFC 4648 with padding: how exports carry bytes that are not text.
std::string base64(std::string_view bytes);

} // namespace headscope::core
