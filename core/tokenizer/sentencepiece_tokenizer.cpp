// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tokenizer/sentencepiece_tokenizer.h"

#include "core/tokenizer/piece_spans.h"
#include "core/tokenizer/safe_cuts.h"
#include "core/tokenizer/sentencepiece_file.h"
#include "core/tokenizer/sentencepiece_normalizer.h"
#include "core/tokenizer/utf8.h"

#include <fmt/format.h>
#include <sentencepiece_processor.h>

#include <algorithm>
#include <mutex>
#include <utility>

// Exported by the library but in none of its installed headers.
namespace sentencepiece::logging {
void SetMinLogLevel(int level);
}

namespace headscope::core {
namespace {

// What the library may get in one call, which cannot be cancelled: a few seconds and 400 MB.
constexpr std::size_t mostBytesInOneCall = 4U << 20;
// A token needs 80 bytes and stands for three or four.
constexpr std::size_t mostBytes = 256U << 20;

/// Only what ends the process is still written to stderr.
void quietLibrary()
{
    constexpr int fatal = 3;
    [[maybe_unused]] static const bool once = (sentencepiece::logging::SetMinLogLevel(fatal), true);
}

/// Lines as Python's universal newlines see them, without their ends.
std::vector<ByteRange> splitText(std::string_view text, TextPolicy::Split split)
{
    if (split == TextPolicy::Split::Whole)
        return {{0, text.size()}};
    std::vector<ByteRange> lines;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find_first_of("\r\n", begin), text.size());
        lines.push_back({begin, end});
        begin = end + (text.substr(end, 2) == "\r\n" ? 2 : 1);
    }
    return lines;
}

std::vector<ByteRange> gapsBetween(const std::vector<Token>& tokens, std::size_t textSize)
{
    std::vector<ByteRange> gaps;
    std::size_t place = 0;
    const auto addGap = [&](std::size_t end) {
        if (end <= place)
            return;
        // A token without bytes may stand in the middle of a gap.
        if (!gaps.empty() && gaps.back().end == place)
            gaps.back().end = end;
        else
            gaps.push_back({place, end});
    };
    for (const Token& token : tokens) {
        addGap(token.span.begin);
        place = token.span.end;
    }
    addGap(textSize);
    return gaps;
}

/// Progress through a part of a text as progress through the whole.
Progress inPart(const Progress& whole, ByteRange part, std::size_t textSize)
{
    Progress result{.report = {}, .stop = whole.stop};
    if (whole.report)
        result.report = [&whole, part, textSize](double fraction, std::string_view stage) {
            const double place = static_cast<double>(part.begin) + fraction * static_cast<double>(part.size());
            whole.report(textSize == 0 ? 0 : place / static_cast<double>(textSize), stage);
        };
    return result;
}

class SentencePieceTokenizer final : public Tokenizer
{
public:
    SentencePieceTokenizer(const std::string& bytes, const std::filesystem::path& path, std::size_t partBytes)
        : m_path(path), m_partBytes(partBytes), m_normalizer(parseSentencePiece(bytes, m_path))
    {
        quietLibrary();
        const auto status = m_processor.LoadFromSerializedProto(bytes);
        if (!status.ok())
            throw Error(fmt::format("{} is damaged: SentencePiece says \"{}\"; download it again or give another one.",
                                    m_path.string(), status.message()));
    }

    TokenizedText encode(std::string_view text, const TextPolicy& policy, const Progress& progress) const override;
    std::unique_ptr<TokenStream> stream(const TextPolicy& policy, const Progress& progress) const override;

    std::int64_t size() const override { return file().pieces; }
    std::string piece(TokenId id) const override { return contains(id) ? m_processor.IdToPiece(id) : std::string(); }
    bool isSpecial(TokenId id) const override { return contains(id) && m_processor.IsControl(id); }
    std::string description() const override
    {
        return fmt::format("SentencePiece {}, {} pieces", toString(file().algorithm), size());
    }
    std::filesystem::path path() const override { return m_path; }

private:
    friend class SentencePieceStream;
    /// The tokens of the beginning of a text, and where the rest has to be taken up.
    struct Beginning {
        std::vector<Token> tokens;
        std::size_t rest = 0;    // the next beginning starts here, with
        std::size_t context = 0; // this many bytes whose tokens have been given
    };
    enum class Follows : std::uint8_t { Nothing, More };

    const SentencePieceFile& file() const { return m_normalizer.file(); }
    bool contains(TokenId id) const { return id >= 0 && id < size(); }
    Token control(TokenId id, std::size_t place, std::string_view name) const;
    void appendPart(TokenizedText& result, ByteRange part, const Progress& progress) const;
    Beginning encodeBeginning(std::string_view text, std::size_t context, Follows follows, const Progress& progress) const;
    std::vector<Token> tokensOf(const ValidUtf8& valid, const NormalText& normal, const Progress& progress) const;
    std::vector<Piece> pieces(std::string_view text, const NormalText& normal, const Progress& progress) const;
    std::vector<Piece> encodeOnce(std::string_view text, std::size_t begin, std::size_t normalSize) const;
    const SafeCuts* safeCuts() const;

    std::filesystem::path m_path;
    std::size_t m_partBytes;
    SentencePieceNormalizer m_normalizer;
    sentencepiece::SentencePieceProcessor m_processor;
    mutable std::once_flag m_cutsOnce; // made for the first long text
    mutable std::optional<SafeCuts> m_cuts;
};

TokenizedText SentencePieceTokenizer::encode(std::string_view text, const TextPolicy& policy, const Progress& progress) const
{
    if (text.size() > mostBytes)
        throw Error(fmt::format("A text of {} MB is too long to be read as one; split it into documents below {} MB.",
                                text.size() >> 20, mostBytes >> 20));
    TokenizedText result{.text = std::string(text), .tokens = {}, .gaps = {}};
    if (policy.addBos)
        result.tokens.push_back(control(m_processor.bos_id(), 0, "BOS"));
    for (const ByteRange& part : splitText(text, policy.split)) {
        const Progress inside = inPart(progress, part, text.size());
        inside.at(0, "tokenizing");
        appendPart(result, part, inside);
    }
    if (policy.addEos) {
        Token eos = control(m_processor.eos_id(), text.size(), "EOS");
        eos.group = result.tokens.empty() ? 0 : result.tokens.back().group + 1;
        result.tokens.push_back(std::move(eos));
    }
    result.gaps = gapsBetween(result.tokens, text.size());
    return result;
}

Token SentencePieceTokenizer::control(TokenId id, std::size_t place, std::string_view name) const
{
    if (!contains(id))
        throw Error(fmt::format("{} has no {} symbol; choose a text policy without it or give another tokenizer.",
                                m_path.string(), name));
    return {.id = id, .piece = piece(id), .span = {place, place}, .special = true, .group = 0};
}

/// Appends the tokens of one part of result.text, which is encoded on its own.
void SentencePieceTokenizer::appendPart(TokenizedText& result, ByteRange part, const Progress& progress) const
{
    const ValidUtf8 valid(std::string_view(result.text).substr(part.begin, part.size()));
    const NormalText normal = m_normalizer.normalize(valid.text(), progress);
    const std::int32_t groups = result.tokens.empty() ? 0 : result.tokens.back().group + 1;
    for (Token& token : tokensOf(valid, normal, progress)) {
        token.span = {part.begin + token.span.begin, part.begin + token.span.end};
        token.group += groups;
        result.tokens.push_back(std::move(token));
    }
}

/// Of `normal`, which may be the beginning of what `valid` becomes. Spans and groups count from its beginning.
std::vector<Token> SentencePieceTokenizer::tokensOf(const ValidUtf8& valid, const NormalText& normal, const Progress& progress) const
{
    const std::string_view text = valid.text().substr(0, normal.units.back().original);
    std::vector<Piece> found = pieces(text, normal, progress);
    const auto aligned = alignPieces(found, normal);
    const std::vector<PieceSpan> spans = aligned ? *aligned : reportedSpans(found, text);

    ValidUtf8::Walk walk(valid);
    std::vector<Token> tokens;
    tokens.reserve(found.size());
    std::int32_t group = -1;
    for (std::size_t i = 0; i < found.size(); ++i) {
        if (!spans[i].sharesCharacter)
            ++group;
        const std::size_t begin = walk.original(spans[i].span.begin);
        const std::size_t end = walk.original(spans[i].span.end);
        tokens.push_back({.id = found[i].id,
                          .piece = std::move(found[i].text),
                          .span = {begin, end},
                          .special = isSpecial(found[i].id),
                          .group = group});
    }
    return tokens;
}

/// Up to the last place where the text may be cut and nothing that follows matters, or to its end. The first `context` bytes of the text
/// have been encoded before.
SentencePieceTokenizer::Beginning SentencePieceTokenizer::encodeBeginning(std::string_view text, std::size_t context, Follows follows,
                                                                          const Progress& progress) const
{
    // No rule of a normaliser reads so many bytes ahead.
    constexpr std::size_t lookAhead = 1024;
    const ValidUtf8 valid(text);
    NormalText normal = m_normalizer.normalize(valid.text(), progress);
    Beginning result{.tokens = {}, .rest = text.size(), .context = 0};
    if (follows == Follows::More) {
        const SafeCuts* const cuts = safeCuts();
        const auto parts = cuts ? cuts->parts(normal, m_partBytes) : std::vector<SafeCuts::Part>();
        const auto certain = [&](const SafeCuts::Part& part) { return normal.units[part.firstUnit].original + lookAhead <= valid.text().size(); };
        const auto last = std::find_if(parts.rbegin(), parts.rend(), certain);
        if (last == parts.rend() || last->firstUnit == 0)
            return {.tokens = {}, .rest = 0, .context = context};
        ValidUtf8::Walk walk(valid);
        result.rest = walk.original(normal.units[last->contextUnit].original);
        result.context = walk.original(normal.units[last->firstUnit].original) - result.rest;
        normal.units.resize(last->firstUnit + 1);
        normal.text.resize(normal.units.back().normal);
    }
    result.tokens = tokensOf(valid, normal, progress);
    const auto known = std::find_if(result.tokens.begin(), result.tokens.end(), [&](const Token& token) { return token.span.begin >= context; });
    if (context > 0)
        result.tokens.erase(result.tokens.begin(), known);
    return result;
}

std::vector<Piece> SentencePieceTokenizer::pieces(std::string_view text, const NormalText& normal,
                                                  const Progress& progress) const
{
    const SafeCuts* const cuts = text.size() > 2 * m_partBytes ? safeCuts() : nullptr;
    if (!cuts)
        return encodeOnce(text, 0, normal.text.size());
    const auto& units = normal.units;
    std::vector<Piece> result;
    for (const SafeCuts::Part& part : cuts->parts(normal, m_partBytes)) {
        progress.at(static_cast<double>(units[part.firstUnit].original) / static_cast<double>(text.size()), "tokenizing");
        const std::size_t begin = units[part.contextUnit].original;
        std::vector<Piece> found = encodeOnce(text.substr(begin, units[part.lastUnit].original - begin), begin,
                                              units[part.lastUnit].normal - units[part.contextUnit].normal);
        std::size_t context = 0; // bytes of the normal text that belong to the part before
        if (part.contextUnit < part.firstUnit)
            context = units[part.firstUnit].normal - units[part.contextUnit].normal +
                      (file().addDummyPrefix ? escapedSpace.size() : 0);
        auto first = found.begin();
        for (; context > 0 && first != found.end(); ++first)
            context -= std::min(context, first->isByte ? 1 : first->text.size());
        result.insert(result.end(), std::make_move_iterator(first), std::make_move_iterator(found.end()));
    }
    return result;
}

/// `begin` is where `text` lies in the whole, `normalSize` what the library makes of it.
std::vector<Piece> SentencePieceTokenizer::encodeOnce(std::string_view text, std::size_t begin, std::size_t normalSize) const
{
    if (normalSize > mostBytesInOneCall)
        throw Error(fmt::format(
            "The text has {} MB without a place where SentencePiece can be interrupted (one word, or a unigram model); "
            "break it into lines and choose the text policy \"lines\".",
            normalSize >> 20));
    sentencepiece::ImmutableSentencePieceText encoded;
    const auto status = m_processor.Encode(text, encoded.mutable_proto());
    if (!status.ok())
        throw Error(fmt::format("SentencePiece cannot encode this text (\"{}\"); {} may be damaged.", status.message(),
                                m_path.string()));
    std::vector<Piece> result;
    result.reserve(encoded.pieces_size());
    for (std::size_t i = 0; i < encoded.pieces_size(); ++i) {
        const auto piece = encoded.pieces(static_cast<int>(i));
        const auto id = static_cast<TokenId>(piece.id());
        if (!contains(id))
            throw Error(
                fmt::format("{} gives the id {} for \"{}\" but has only {} pieces; it is damaged, download it again.",
                            m_path.string(), id, piece.piece(), size()));
        result.push_back({id, piece.piece(), m_processor.IsByte(id), {begin + piece.begin(), begin + piece.end()}});
    }
    return result;
}

/// nullptr where nothing can be promised.
const SafeCuts* SentencePieceTokenizer::safeCuts() const
{
    using Algorithm = SentencePieceFile::Algorithm;
    const bool local = file().algorithm == Algorithm::Bpe || file().algorithm == Algorithm::Char;
    if (!local || file().hasUnusedPieces || file().spaceIsSuffix || !file().escapeSpaces)
        return nullptr;
    std::call_once(m_cutsOnce, [this] {
        std::vector<std::string> spellings;
        for (TokenId id = 0; id < size(); ++id)
            if (!m_processor.IsControl(id) && !m_processor.IsUnknown(id) && !m_processor.IsByte(id))
                spellings.push_back(m_processor.IdToPiece(id));
        using Unknown = SafeCuts::UnknownCharacters;
        m_cuts.emplace(spellings, file().byteFallback ? Unknown::Bytes : Unknown::Joined);
    });
    return &*m_cuts;
}

/// A line, or a whole text, of a stream.
class SentencePieceStream final : public TokenStream
{
public:
    SentencePieceStream(const SentencePieceTokenizer& tokenizer, const TextPolicy& policy, const Progress& progress)
        : m_tokenizer(tokenizer), m_policy(policy), m_progress{.report = {}, .stop = progress.stop}
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
    std::size_t m_context = 0;
    std::size_t m_place = 0;     // of m_rest in the text
    std::size_t m_enough = 0;    // bytes of m_rest that are worth an attempt
    std::int32_t m_groups = 0;
    bool m_begun = false;
    bool m_afterReturn = false;  // the byte before was a "\r" that ended a line
};

constexpr std::size_t streamBytes = 1U << 16; // encoded at a time

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
    auto beginning = m_tokenizer.encodeBeginning(m_rest, m_context, follows, m_progress);
    m_enough = beginning.rest == 0 ? 2 * m_rest.size() : 0;
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
    m_context = beginning.context;
}

void SentencePieceStream::endLine()
{
    if (!m_rest.empty())
        encode(Follows::Nothing);
    m_context = 0;
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

} // namespace

std::shared_ptr<const Tokenizer> makeSentencePiece(const std::string& bytes, const std::filesystem::path& path,
                                                   std::size_t partBytes)
{
    return std::make_shared<SentencePieceTokenizer>(bytes, path, partBytes);
}

std::shared_ptr<const Tokenizer> openSentencePiece(const std::filesystem::path& path)
{
    return makeSentencePiece(readSentencePieceBytes(path), path);
}

} // namespace headscope::core
