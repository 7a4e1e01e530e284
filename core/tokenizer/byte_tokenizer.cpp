// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/file_bytes.h"
#include "core/error.h"
#include "core/tokenizer/byte_vocabulary.h"
#include "core/tokenizer/tokenizer.h"
#include "core/tokenizer/utf8.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace headscope::core {
namespace {

std::string spelled(std::uint8_t byte)
{
    return byte >= 0x20 && byte < 0x7F ? std::string(1, static_cast<char>(byte)) : fmt::format("<0x{:02X}>", byte);
}

/// Every byte of a text is a token. The bytes of one character form a group.
class ByteTokenizer final : public Tokenizer
{
public:
    ByteTokenizer(std::vector<std::uint8_t> bytes, std::filesystem::path path) : m_bytes(std::move(bytes)), m_path(std::move(path))
    {
        m_ids.fill(-1);
        for (std::size_t id = 0; id < m_bytes.size(); ++id)
            m_ids[m_bytes[id]] = static_cast<TokenId>(id);
    }

    TokenizedText encode(std::string_view text, const TextPolicy& policy, const Progress& progress) const override
    {
        if (policy.addBos || policy.addEos)
            throw Error(fmt::format("The vocabulary of bytes in {} has no symbols for the beginning and the end of a text.", m_path.string()));
        TokenizedText result{.text = std::string(text), .tokens = {}, .gaps = {}};
        result.tokens.reserve(text.size());
        std::int32_t group = -1;
        std::size_t next = 0; // where the next character begins
        for (std::size_t place = 0; place < text.size(); ++place) {
            if (place % 65536 == 0)
                progress.checkpoint();
            if (policy.split == TextPolicy::Split::Lines && (text[place] == '\n' || text[place] == '\r')) {
                if (!result.gaps.empty() && result.gaps.back().end == place)
                    ++result.gaps.back().end;
                else
                    result.gaps.push_back({place, place + 1});
                next = place + 1;
                continue;
            }
            if (place == next) {
                next += utf8Step(text.substr(place)).size;
                ++group;
            }
            const auto byte = static_cast<std::uint8_t>(text[place]);
            if (m_ids[byte] < 0)
                throw Error(fmt::format("The byte {} at place {} of the text is not among the {} bytes of the vocabulary in {}.", spelled(byte),
                                        place, m_bytes.size(), m_path.string()));
            result.tokens.push_back({.id = m_ids[byte], .piece = spelled(byte), .span = {place, place + 1}, .special = false, .group = group});
        }
        return result;
    }

    std::int64_t size() const override { return static_cast<std::int64_t>(m_bytes.size()); }
    std::string piece(TokenId id) const override { return id >= 0 && id < size() ? spelled(m_bytes[static_cast<std::size_t>(id)]) : std::string(); }
    bool isSpecial(TokenId) const override { return false; }
    std::string description() const override { return fmt::format("bytes, {} distinct", m_bytes.size()); }
    std::filesystem::path path() const override { return m_path; }

private:
    std::vector<std::uint8_t> m_bytes; // of every id
    std::array<TokenId, 256> m_ids{};  // of every byte; -1: none
    std::filesystem::path m_path;
};

} // namespace

std::shared_ptr<const Tokenizer> openByteVocabulary(const std::filesystem::path& path)
{
    return std::make_shared<ByteTokenizer>(readByteVocabulary(path), path);
}

std::shared_ptr<const Tokenizer> openTokenizer(const std::filesystem::path& path)
{
    // SentencePiece models are protobuf messages and begin with a field's tag; torch.save writes a zip archive or a pickle.
    const auto file = FileBytes::open(path);
    const auto head = file->read(0, static_cast<std::size_t>(std::min<std::uint64_t>(file->size(), 2)));
    const bool torch = head.size() == 2 && ((head[0] == std::byte{'P'} && head[1] == std::byte{'K'}) || head[0] == std::byte{0x80});
    return torch ? openByteVocabulary(path) : openSentencePiece(path);
}

} // namespace headscope::core
