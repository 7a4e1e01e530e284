// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/markup.h"

#include "core/tokenizer/utf8.h"

#include <fmt/format.h>

#include <iterator>

namespace headscope::core {

namespace {

/// Commands for the ASCII characters that LaTeX would take for something else; "" for all others.
std::string_view latexCommand(char character)
{
    switch (character) {
    case '#': return "\\#";
    case '$': return "\\$";
    case '%': return "\\%";
    case '&': return "\\&";
    case '_': return "\\_";
    case '{': return "\\{";
    case '}': return "\\}";
    case '~': return "\\textasciitilde{}";
    case '^': return "\\textasciicircum{}";
    case '\\': return "\\textbackslash{}";
    case '<': return "\\textless{}";
    case '>': return "\\textgreater{}";
    case '|': return "\\textbar{}";
    case '"': return "\\texttt{\\char34}";
    case '\'': return "$^{\\prime}$";
    case '`': return "\\`{}";
    case '-': return "{-}"; // no ligature to a dash
    case '[': return "{[}"; // no optional argument after a line end
    case ']': return "{]}";
    case '*': return "{*}";
    case ',': return "{,}"; // no ligature of two
    case '?': return "{?}"; // ?` and !` are ligatures
    case '!': return "{!}";
    default: return {};
    }
}

/// Commands for the other characters that every LaTeX knows.
std::string_view latexSymbol(char32_t code)
{
    switch (code) {
    case U'\u2423': return "\\textvisiblespace{}";
    case U'\u2018': return "\\textquoteleft{}";
    case U'\u2019': return "\\textquoteright{}";
    case U'\u201c': return "\\textquotedblleft{}";
    case U'\u201d': return "\\textquotedblright{}";
    case U'\u2013': return "\\textendash{}";
    case U'\u2014': return "\\textemdash{}";
    case U'\u2026': return "\\textellipsis{}";
    case U'\u2022': return "$\\bullet$";
    case U'\u00a3': return "\\pounds{}";
    case U'\u00a7': return "\\S{}";
    case U'\u00b7': return "$\\cdot$";
    case U'\u21e5': return "$\\Rightarrow$"; // tab, line feed, carriage return made visible
    case U'\u21b5': return "$\\hookleftarrow$";
    case U'\u21e4': return "$\\Leftarrow$";
    default: return {};
    }
}

/// Accented letters that pdfLaTeX sets in its default encoding.
bool plainLetter(char32_t code)
{
    return code >= 0xc0 && code <= 0xff && code != 0xd0 && code != 0xd7 && code != 0xde && code != 0xf0 && code != 0xf7 &&
           code != 0xfe;
}

} // namespace

std::string markdownText(std::string_view sentence)
{
    std::string out;
    for (const char c : sentence) {
        if (std::string_view("\\`*_{}[]<>#|~&$!").find(c) != std::string_view::npos)
            out += '\\';
        out += c;
    }
    return out;
}

std::string latexText(std::string_view sentence)
{
    std::string out;
    for (std::size_t at = 0; at < sentence.size();) {
        const std::string_view character = sentence.substr(at, utf8Step(sentence.substr(at)).size);
        at += character.size();
        const char32_t code = utf8CodePoint(character);
        const std::string_view command = code < 0x80 ? latexCommand(character.front()) : latexSymbol(code);
        if (!command.empty())
            out += command;
        else if (code < 0x80 || plainLetter(code))
            out += character;
        else
            fmt::format_to(std::back_inserter(out), "\\headscopechar{{{:04X}}}{{{}}}", static_cast<unsigned>(code),
                           character);
    }
    return out;
}

std::string_view latexBegin()
{
    return R"(% Compiles by itself; \input into a document it needs \usepackage{booktabs} there.
\expandafter\ifx\csname @nodocument\endcsname\relax
  \def\headscopeend{\relax}\def\headscopepage{\relax}
\else
  \documentclass{article}
  \usepackage{booktabs}
  \def\headscopeend{\end{document}}\def\headscopepage{\clearpage}
  \begin{document}
\fi
\providecommand{\headscopechar}[2]{\ifdefined\Umathchar#2\else\texttt{\footnotesize U+#1}\fi}
)";
}

std::string_view latexEnd()
{
    return "\\headscopeend\n";
}

} // namespace headscope::core
