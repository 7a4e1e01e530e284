// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tokenizer/tokenizer.h"

#include <fmt/format.h>
#include <sentencepiece_processor.h>

#include <algorithm>
#include <fstream>
#include <iterator>

namespace headscope::core {
namespace {

namespace sp = sentencepiece;

/// Lines as Python's universal newlines see them, without their ends.
std::vector<ByteRange> splitText(std::string_view text, TextPolicy::Split split)
{
    if (split == TextPolicy::Split::Whole)
        return {{0, text.size()}};
    std::vector<ByteRange> lines;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find_first_of("\r\n", begin), text.size());
        lines.push_back({begin, end});
        const bool carriageReturnAndLineFeed = text.substr(end, 2) == "\r\n";
        begin = end + (carriageReturnAndLineFeed ? 2 : 1);
    }
    return lines;
}

class SentencePieceTokenizer final : public Tokenizer
{
public:
    SentencePieceTokenizer(std::filesystem::path path, const std::string& model) : m_path(std::move(path))
    {
        const auto status = m_processor.LoadFromSerializedProto(model);
        if (!status.ok())
            throw Error(fmt::format("{} is not a SentencePiece model; give the tokenizer.model of this checkpoint.", m_path.string()));
    }

    TokenizedText encode(std::string_view text, const TextPolicy& policy, const Progress& progress) const override
    {
        TokenizedText result{.text = std::string(text), .tokens = {}, .gaps = {}};
        if (policy.addBos)
            appendControl(result, m_processor.bos_id(), 0, "BOS");
        for (const ByteRange& part : splitText(text, policy.split)) {
            progress.checkpoint();
            appendPart(result, part);
        }
        if (policy.addEos)
            appendControl(result, m_processor.eos_id(), text.size(), "EOS");
        std::size_t place = 0;
        for (const Token& token : result.tokens) {
            if (token.span.begin > place)
                result.gaps.push_back({place, token.span.begin});
            place = token.span.end;
        }
        if (place < text.size())
            result.gaps.push_back({place, text.size()});
        return result;
    }

    std::int64_t size() const override { return m_processor.GetPieceSize(); }
    std::string piece(TokenId id) const override { return id >= 0 && id < size() ? m_processor.IdToPiece(id) : std::string(); }
    bool isSpecial(TokenId id) const override { return id >= 0 && id < size() && m_processor.IsControl(id); }
    std::string description() const override { return fmt::format("SentencePiece, {} pieces", size()); }
    std::filesystem::path path() const override { return m_path; }

private:
    void appendControl(TokenizedText& result, TokenId id, std::size_t place, std::string_view name) const
    {
        if (id < 0 || id >= size())
            throw Error(fmt::format("{} has no {} symbol; choose a text policy without it.", m_path.string(), name));
        result.tokens.push_back({id, piece(id), {place, place}, true, static_cast<std::int32_t>(result.tokens.size())});
    }

    void appendPart(TokenizedText& result, ByteRange part) const
    {
        sp::ImmutableSentencePieceText pieces;
        const auto status = m_processor.Encode(std::string_view(result.text).substr(part.begin, part.size()), pieces.mutable_proto());
        if (!status.ok())
            throw Error(fmt::format("SentencePiece cannot encode this text: {}.", status.message()));
        for (std::size_t i = 0; i < pieces.pieces_size(); ++i) {
            const auto token = pieces.pieces(static_cast<int>(i));
            const auto id = static_cast<TokenId>(token.id());
            result.tokens.push_back({id, token.piece(), {part.begin + token.begin(), part.begin + token.end()}, isSpecial(id),
                                     static_cast<std::int32_t>(result.tokens.size())});
        }
    }

    std::filesystem::path m_path;
    sp::SentencePieceProcessor m_processor;
};

} // namespace

std::shared_ptr<const Tokenizer> openSentencePiece(const std::filesystem::path& path)
{
    std::ifstream file(path, std::ios::binary);
    if (!file)
        throw Error(fmt::format("{} cannot be read.", path.string()));
    const std::string model{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    return std::make_shared<SentencePieceTokenizer>(path, model);
}

} // namespace headscope::core
