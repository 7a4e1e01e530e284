// SPDX-License-Identifier: GPL-3.0-or-later
// Texts that arrive in pieces.
#include "core/tokenizer/sentencepiece_class.h"

#include <algorithm>
#include <utility>

namespace headscope::core {
namespace {

// No rule of a normaliser reads so many bytes ahead.
constexpr std::size_t lookAhead = 1024;
constexpr std::size_t streamBytes = 1U << 16; // encoded at a time

} // namespace

/// Up to the last place where the text may be cut and nothing that follows matters, or to its end. What came `before` says where it begins.
SentencePieceTokenizer::Beginning SentencePieceTokenizer::encodeBeginning(std::string_view text, const Beginning& before, Follows follows,
                                                                          const Progress& progress) const
{
    if (before.last)
        return encodeInWord(text, before, follows, progress);
    const std::size_t context = before.context;
    const ValidUtf8 valid(text);
    NormalText normal = m_normalizer.normalize(valid.text(), progress);
    Beginning result{.tokens = {}, .rest = text.size(), .context = 0};
    if (follows == Follows::More) {
        const SafeCuts* const cuts = safeCuts();
        const auto parts = cuts ? cuts->parts(normal, m_howToCut.partBytes) : std::vector<SafeCuts::Part>();
        const auto certain = [&](const SafeCuts::Part& part) { return normal.units[part.firstUnit].original + lookAhead <= valid.text().size(); };
        const auto last = std::find_if(parts.rbegin(), parts.rend(), certain);
        if (last == parts.rend() || last->firstUnit == 0) {
            if (text.size() >= 2 * m_howToCut.windowBytes && windows())
                return encodeInWord(text, before, follows, progress);
            return {.tokens = {}, .rest = 0, .context = context};
        }
        ValidUtf8::Walk walk(valid);
        result.rest = walk.original(normal.units[last->contextUnit].original);
        result.context = walk.original(normal.units[last->firstUnit].original) - result.rest;
        normal.units.resize(last->firstUnit + 1);
        normal.text.resize(normal.units.back().normal);
    }
    result.tokens = tokensOf(valid, normal, pieces(textOf(valid, normal), normal, progress));
    const auto known = std::find_if(result.tokens.begin(), result.tokens.end(), [&](const Token& token) { return token.span.begin >= context; });
    if (context > 0)
        result.tokens.erase(result.tokens.begin(), known);
    return result;
}

/// The same inside of a word that has no safe place, or where a text was taken up inside of one: what is left of it is encoded in windows,
/// without its context.
SentencePieceTokenizer::Beginning SentencePieceTokenizer::encodeInWord(std::string_view text, const Beginning& before, Follows follows,
                                                                       const Progress& progress) const
{
    const ValidUtf8 valid(text);
    NormalText normal = m_normalizer.normalize(valid.text(), progress);
    if (before.context > 0) {
        ValidUtf8::Walk walk(valid);
        const auto first = std::find_if(normal.units.begin(), normal.units.end(),
                                        [&](const NormalText::Unit& unit) { return walk.original(unit.original) >= before.context; });
        const std::uint32_t dropped = first->normal;
        normal.units.erase(normal.units.begin(), first);
        normal.text.erase(0, dropped);
        for (NormalText::Unit& unit : normal.units)
            unit.normal -= dropped;
    }
    std::vector<Piece> found = windows()->pieces(normal.text, progress);
    if (before.last && !found.empty() && !windows()->standTogether(*before.last, found.front()))
        throw tooLongForOneCall(text.size());
    Beginning result{.tokens = {}, .rest = text.size(), .context = 0};
    if (follows == Follows::More) {
        const auto border = lastBorder(found, normal);
        if (!border)
            return {.tokens = {}, .rest = 0, .context = before.context, .last = before.last};
        result.last = found[*border - 1];
        found.resize(*border);
        std::size_t end = 0;
        for (const Piece& piece : found)
            end += normalSize(piece);
        const auto unit = std::lower_bound(normal.units.begin(), normal.units.end(), end,
                                           [](const NormalText::Unit& one, std::size_t place) { return one.normal < place; });
        ValidUtf8::Walk walk(valid);
        result.rest = walk.original((unit - 1)->original);
        result.context = walk.original(unit->original) - result.rest;
        normal.units.erase(unit + 1, normal.units.end());
        normal.text.resize(end);
    }
    result.tokens = tokensOf(valid, normal, joinUnknown(std::move(found)));
    return result;
}

/// The last place in a word where it can be taken up again: so many pieces stand before it. Both neighbours are known pieces, no character is
/// shared by them, and the character before has something that a beginning text does not lose.
std::optional<std::size_t> SentencePieceTokenizer::lastBorder(const std::vector<Piece>& pieces, const NormalText& normal) const
{
    const auto& units = normal.units;
    const auto isPlain = [&](const Piece& piece) { return !piece.isByte && !windows()->isUnknown(piece); };
    std::size_t place = normal.text.size();
    const std::size_t settled = place - std::min(place, windows()->unsettled());
    for (std::size_t i = pieces.size(); i-- > 1;) {
        place -= normalSize(pieces[i]);
        if (place > settled || !isPlain(pieces[i]) || !isPlain(pieces[i - 1]))
            continue;
        const auto unit = std::lower_bound(units.begin(), units.end(), place,
                                           [](const NormalText::Unit& one, std::size_t wanted) { return one.normal < wanted; });
        if (unit == units.begin() || unit->normal != place || unit->original + lookAhead > units.back().original)
            continue;
        const std::string_view before = std::string_view(normal.text).substr((unit - 1)->normal, place - (unit - 1)->normal);
        if (!file().removeExtraSpaces || (before.find(escapedSpace) == before.npos && before.find(' ') == before.npos))
            return i;
    }
    return std::nullopt;
}

/// A line, or a whole text, of a stream.
class SentencePieceStream final : public TokenStream
{
public:
    SentencePieceStream(const SentencePieceTokenizer& tokenizer, const TextPolicy& policy, const Progress& progress)
        : m_tokenizer(tokenizer), m_policy(policy), m_progress(progress.quiet())
    {
    }
    std::vector<Token> add(std::string_view bytes) override;
    std::vector<Token> finish() override;

private:
    using Follows = SentencePieceTokenizer::Follows;
    void begin();
    void addToLine(std::string_view bytes);
    void encode(Follows follows);
    void endLine();
    std::vector<Token> take() { return std::exchange(m_tokens, {}); }

    const SentencePieceTokenizer& m_tokenizer;
    TextPolicy m_policy;
    Progress m_progress;
    std::vector<Token> m_tokens; // not yet handed over
    std::string m_rest;          // of the line, not yet encoded but for its context
    SentencePieceTokenizer::Beginning m_before; // without its tokens
    std::size_t m_place = 0;     // of m_rest in the text
    std::size_t m_enough = 0;    // bytes of m_rest that are worth an attempt
    std::int32_t m_groups = 0;
    bool m_begun = false;
    bool m_afterReturn = false;  // the byte before was a "\r" that ended a line
};

void SentencePieceStream::begin()
{
    if (!m_begun && m_policy.addBos)
        m_tokens.push_back(m_tokenizer.control(m_tokenizer.m_processor.bos_id(), 0, "BOS"));
    if (!m_begun)
        m_groups = m_policy.addBos ? 1 : 0;
    m_begun = true;
}

std::vector<Token> SentencePieceStream::add(std::string_view bytes)
{
    begin();
    if (m_policy.split == TextPolicy::Split::Whole) {
        addToLine(bytes);
        return take();
    }
    while (!bytes.empty()) {
        if (m_afterReturn && bytes.front() == '\n') { // "\r\n" ends one line
            bytes.remove_prefix(1);
            ++m_place;
        }
        m_afterReturn = false;
        const std::size_t end = bytes.find_first_of("\r\n");
        addToLine(bytes.substr(0, end));
        if (end >= bytes.size())
            break;
        endLine();
        m_afterReturn = bytes[end] == '\r';
        ++m_place;
        bytes.remove_prefix(end + 1);
    }
    return take();
}

void SentencePieceStream::addToLine(std::string_view bytes)
{
    while (!bytes.empty()) {
        const std::string_view some = bytes.substr(0, streamBytes);
        m_rest += some;
        bytes.remove_prefix(some.size());
        if (m_rest.size() >= std::max(m_enough, streamBytes))
            encode(Follows::More);
    }
}

/// What can be encoded of m_rest becomes tokens.
void SentencePieceStream::encode(Follows follows)
{
    auto beginning = m_tokenizer.encodeBeginning(m_rest, m_before, follows, m_progress);
    m_enough = beginning.rest == 0 ? 2 * m_rest.size() : 0;
    if (m_enough > 2 * m_tokenizer.mostWithoutBorder()) // before it fills the memory
        throw m_tokenizer.tooLongForOneCall(m_rest.size());
    const std::int32_t first = beginning.tokens.empty() ? 0 : beginning.tokens.front().group;
    for (Token& token : beginning.tokens) {
        token.span = {m_place + token.span.begin, m_place + token.span.end};
        token.group += m_groups - first;
        m_tokens.push_back(std::move(token));
    }
    if (!beginning.tokens.empty())
        m_groups = m_tokens.back().group + 1;
    m_rest.erase(0, beginning.rest);
    m_place += beginning.rest;
    beginning.tokens.clear();
    m_before = std::move(beginning);
}

void SentencePieceStream::endLine()
{
    if (!m_rest.empty())
        encode(Follows::Nothing);
    m_before = {};
    m_enough = 0;
}

std::vector<Token> SentencePieceStream::finish()
{
    begin();
    endLine();
    if (m_policy.addEos) {
        m_tokens.push_back(m_tokenizer.control(m_tokenizer.m_processor.eos_id(), m_place, "EOS"));
        m_tokens.back().group = m_groups;
    }
    return take();
}

std::unique_ptr<TokenStream> SentencePieceTokenizer::stream(const TextPolicy& policy, const Progress& progress) const
{
    return std::make_unique<SentencePieceStream>(*this, policy, progress);
}

} // namespace headscope::core
