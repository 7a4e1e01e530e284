// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

namespace headscope::core {

/// A sentence (valid UTF-8) as it may stand in Markdown, also in a cell of a table: what is markup there is escaped.
std::string markdownText(std::string_view sentence);

/// A sentence as it may stand in LaTeX's running text: active characters escaped, ligatures kept apart. Characters beyond
/// those that every LaTeX knows are \headscopechar{hexadecimal code}{character}, which latexBegin defines.
std::string latexText(std::string_view sentence);

/// What begins a file that compiles by itself and can be \input as well (then the document needs booktabs); latexEnd ends
/// it. Nothing in it asks for fonts beyond those of LaTeX's base. \headscopechar prints the character with LuaLaTeX and
/// XeLaTeX and its code with pdfLaTeX, which has no glyph for most.
std::string_view latexBegin();
std::string_view latexEnd();

} // namespace headscope::core
