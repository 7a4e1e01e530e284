// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <exception>
#include <stdexcept>
#include <string>

namespace headscope::core {

/// What a user can act on: one plain sentence that names the file, the tensor or place, the reason and the remedy.
/// The command line prints it and exits with 1; the window shows it in a bar over the pane it concerns.
class Error : public std::runtime_error
{
public:
    using std::runtime_error::runtime_error;
};

/// The user asked to stop. Not an error: nothing is reported, what was there before stays.
class Cancelled : public std::exception
{
public:
    const char* what() const noexcept override { return "cancelled"; }
};

} // namespace headscope::core
