// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tokenizer/sentencepiece_class.h"

#include <algorithm>
#include <utility>

// Exported by the library but in none of its installed headers.
namespace sentencepiece::logging {
void SetMinLogLevel(int level);
}

namespace headscope::core {
namespace {

// What the library may get in one call, which cannot be cancelled, where no rule says how to cut: a second or two, and 400 MB. BPE takes longer.
constexpr std::size_t mostBytesInOneCall = 4U << 20;
constexpr std::size_t mostBytesOfBpeInOneCall = 1U << 20;
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
    Progress result = whole.quiet();
    if (whole.report)
        result.report = [&whole, part, textSize](double fraction, std::string_view stage) {
            const double place = static_cast<double>(part.begin) + fraction * static_cast<double>(part.size());
            whole.report(textSize == 0 ? 0 : place / static_cast<double>(textSize), stage);
        };
    return result;
}

} // namespace

SentencePieceTokenizer::SentencePieceTokenizer(const std::string& bytes, const std::filesystem::path& path, SentencePieceCuts howToCut)
    : m_path(path), m_howToCut(std::move(howToCut)), m_normalizer(parseSentencePiece(bytes, m_path))
{
    quietLibrary();
    const auto status = m_processor.LoadFromSerializedProto(bytes);
    if (!status.ok())
        throw Error(fmt::format("{} is damaged: SentencePiece says \"{}\"; download it again or give another one.",
                                m_path.string(), status.message()));
}

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
    for (Token& token : tokensOf(valid, normal, pieces(textOf(valid, normal), normal, progress))) {
        token.span = {part.begin + token.span.begin, part.begin + token.span.end};
        token.group += groups;
        result.tokens.push_back(std::move(token));
    }
}

/// Of `normal`, which may be the beginning of what `valid` becomes. Spans and groups count from its beginning.
std::vector<Token> SentencePieceTokenizer::tokensOf(const ValidUtf8& valid, const NormalText& normal, std::vector<Piece> found) const
{
    const auto aligned = alignPieces(found, normal);
    const std::vector<PieceSpan> spans = aligned ? *aligned : reportedSpans(found, textOf(valid, normal));

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

std::vector<Piece> SentencePieceTokenizer::pieces(std::string_view text, const NormalText& normal,
                                                  const Progress& progress) const
{
    const auto isLong = [&](std::size_t size) { return size > m_howToCut.windowBytes && windows() != nullptr; };
    const SafeCuts* const cuts = text.size() > 2 * m_howToCut.partBytes ? safeCuts() : nullptr;
    if (!cuts)
        return isLong(normal.text.size()) ? inWindows(normal.text, {0, text.size()}, progress) : encodeOnce(text, 0, normal.text.size());
    const auto& units = normal.units;
    std::vector<Piece> result;
    for (const SafeCuts::Part& part : cuts->parts(normal, m_howToCut.partBytes)) {
        progress.at(static_cast<double>(units[part.firstUnit].original) / static_cast<double>(text.size()), "tokenizing");
        const std::size_t begin = units[part.contextUnit].original;
        const ByteRange bytes{units[part.firstUnit].original, units[part.lastUnit].original};
        if (const std::size_t first = units[part.firstUnit].normal, size = units[part.lastUnit].normal - first; isLong(size)) {
            std::vector<Piece> found = inWindows(std::string_view(normal.text).substr(first, size), bytes, progress);
            result.insert(result.end(), std::make_move_iterator(found.begin()), std::make_move_iterator(found.end()));
            continue;
        }
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
    if (normalSize > mostInOneCall())
        throw tooLongForOneCall(normalSize);
    return call(m_processor, text, begin);
}

/// What the library makes of a text in one call.
std::vector<Piece> SentencePieceTokenizer::call(const sentencepiece::SentencePieceProcessor& library, std::string_view text,
                                                std::size_t begin) const
{
    if (m_howToCut.onCall)
        m_howToCut.onCall(text.size());
    sentencepiece::ImmutableSentencePieceText encoded;
    const auto status = library.Encode(text, encoded.mutable_proto());
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

Error SentencePieceTokenizer::tooLongForOneCall(std::size_t bytes) const
{
    return Error(fmt::format("The text has {} MB without a place where SentencePiece can be interrupted (one word, or a unigram model); "
                             "break it into lines and choose the text policy \"lines\".",
                             bytes >> 20));
}

std::size_t SentencePieceTokenizer::mostInOneCall() const
{
    return file().algorithm == SentencePieceFile::Algorithm::Bpe ? mostBytesOfBpeInOneCall : mostBytesInOneCall;
}

/// Bytes of a stream that may wait for a border.
std::size_t SentencePieceTokenizer::mostWithoutBorder() const
{
    return windows() ? mostBytesInOneCall : mostInOneCall();
}

/// The pieces of a normal text; `reported` is where all of it comes from.
std::vector<Piece> SentencePieceTokenizer::inWindows(std::string_view normal, ByteRange reported, const Progress& progress) const
{
    std::vector<Piece> found = windows()->pieces(normal, progress);
    for (Piece& piece : found)
        piece.reported = reported;
    return joinUnknown(std::move(found));
}

/// As the library does it when a text is in pieces.
std::vector<Piece> SentencePieceTokenizer::joinUnknown(std::vector<Piece> pieces) const
{
    if (file().byteFallback)
        return pieces;
    std::vector<Piece> result;
    for (Piece& piece : pieces) {
        if (!result.empty() && windows()->isUnknown(piece) && windows()->isUnknown(result.back()))
            result.back().text += piece.text;
        else
            result.push_back(std::move(piece));
    }
    return result;
}

/// nullptr where nothing can be promised.
const BpeWindows* SentencePieceTokenizer::windows() const
{
    using Algorithm = SentencePieceFile::Algorithm;
    const bool local = file().algorithm == Algorithm::Bpe || file().algorithm == Algorithm::Char;
    if (!local || file().hasUnusedPieces)
        return nullptr;
    std::call_once(m_windowsOnce, [this] {
        // The same model with a normaliser that leaves everything as it is: of a field that occurs twice the last one counts.
        constexpr std::string_view leaveAsItIs("\x12\0\x18\0\x20\0\x28\0", 8); // no rules, no dummy prefix, no spaces removed or escaped
        std::string model = m_processor.serialized_model_proto();
        model += '\x1a'; // the normaliser's
        model += static_cast<char>(leaveAsItIs.size());
        model += leaveAsItIs;
        const auto status = m_ofNormalTexts.LoadFromSerializedProto(model);
        if (status.ok())
            m_windows.emplace([this](std::string_view normal) { return call(m_ofNormalTexts, normal, 0); }, m_processor.unk_id(),
                              m_howToCut.windowBytes);
    });
    return m_windows ? &*m_windows : nullptr;
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

std::shared_ptr<const Tokenizer> makeSentencePiece(const std::string& bytes, const std::filesystem::path& path,
                                                   const SentencePieceCuts& cuts)
{
    return std::make_shared<SentencePieceTokenizer>(bytes, path, cuts);
}

std::shared_ptr<const Tokenizer> openSentencePiece(const std::filesystem::path& path)
{
    return makeSentencePiece(readSentencePieceBytes(path), path);
}

} // namespace headscope::core
