// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Internal to core/tokenizer: the class, for the file of its streams.

#include "core/tokenizer/bpe_windows.h"
#include "core/tokenizer/piece_spans.h"
#include "core/tokenizer/safe_cuts.h"
#include "core/tokenizer/sentencepiece_file.h"
#include "core/tokenizer/sentencepiece_normalizer.h"
#include "core/tokenizer/sentencepiece_tokenizer.h"
#include "core/tokenizer/utf8.h"

#include <fmt/format.h>
#include <sentencepiece_processor.h>

#include <mutex>

namespace headscope::core {

class SentencePieceTokenizer final : public Tokenizer
{
public:
    SentencePieceTokenizer(const std::string& bytes, const std::filesystem::path& path, SentencePieceCuts howToCut);

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
        std::optional<Piece> last = {}; // of these tokens, where the next ones have to stand beside it: inside of a word
    };
    enum class Follows : std::uint8_t { Nothing, More };

    const SentencePieceFile& file() const { return m_normalizer.file(); }
    bool contains(TokenId id) const { return id >= 0 && id < size(); }
    Token control(TokenId id, std::size_t place, std::string_view name) const;
    void appendPart(TokenizedText& result, ByteRange part, const Progress& progress) const;
    Beginning encodeBeginning(std::string_view text, const Beginning& before, Follows follows, const Progress& progress) const;
    Beginning encodeInWord(std::string_view text, const Beginning& before, Follows follows, const Progress& progress) const;
    std::optional<std::size_t> lastBorder(const std::vector<Piece>& pieces, const NormalText& normal) const;
    std::vector<Token> tokensOf(const ValidUtf8& valid, const NormalText& normal, std::vector<Piece> found) const;
    std::string_view textOf(const ValidUtf8& valid, const NormalText& normal) const { return valid.text().substr(0, normal.units.back().original); }
    std::vector<Piece> joinUnknown(std::vector<Piece> pieces) const;
    std::vector<Piece> pieces(std::string_view text, const NormalText& normal, const Progress& progress) const;
    std::vector<Piece> encodeOnce(std::string_view text, std::size_t begin, std::size_t normalSize) const;
    std::vector<Piece> call(const sentencepiece::SentencePieceProcessor& library, std::string_view text, std::size_t begin) const;
    std::vector<Piece> inWindows(std::string_view normal, ByteRange reported, const Progress& progress) const;
    std::size_t mostInOneCall() const;
    std::size_t mostWithoutBorder() const;
    Error tooLongForOneCall(std::size_t bytes) const;
    const SafeCuts* safeCuts() const;
    const BpeWindows* windows() const;

    std::filesystem::path m_path;
    SentencePieceCuts m_howToCut;
    SentencePieceNormalizer m_normalizer;
    sentencepiece::SentencePieceProcessor m_processor;
    mutable std::once_flag m_cutsOnce; // made for the first long text
    mutable std::optional<SafeCuts> m_cuts;
    mutable std::once_flag m_windowsOnce; // made for the first long word
    mutable sentencepiece::SentencePieceProcessor m_ofNormalTexts;
    mutable std::optional<BpeWindows> m_windows;
};

} // namespace headscope::core
