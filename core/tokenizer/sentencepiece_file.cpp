// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tokenizer/sentencepiece_file.h"

#include "core/checkpoint/files_in_use.h"
#include "core/error.h"
#include "core/tokenizer/protobuf_fields.h"
#include "core/tokenizer/utf8.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <optional>

namespace headscope::core {
namespace {

using Field = ProtobufFields::Field;

// The largest models in use (250 000 pieces) have 5 MB.
constexpr std::uintmax_t mostBytes = 64U << 20;
// The library goes one call deeper for every byte of a piece.
constexpr std::size_t mostPieceBytes = 8000;
constexpr std::string_view remedy = "give the SentencePiece model (tokenizer.model) that this checkpoint was trained with";

[[noreturn]] void refuse(const std::filesystem::path& path, std::string_view what)
{
    throw Error(fmt::format("{} {}; {}.", path.string(), what, remedy));
}

bool beginsWith(std::string_view bytes, std::string_view prefix)
{
    return bytes.size() >= prefix.size() &&
           std::equal(prefix.begin(), prefix.end(), bytes.begin(), [](char wanted, char found) {
               return wanted == (found >= 'A' && found <= 'Z' ? found - 'A' + 'a' : found);
           });
}

/// What people have given instead of a model.
std::optional<std::string_view> somethingElse(std::string_view bytes)
{
    if (bytes.empty())
        return "is empty";
    if (beginsWith(bytes, "version https://git-lfs"))
        return "is a Git LFS pointer, the file itself was not downloaded (\"git lfs pull\" does)";
    if (beginsWith(bytes, "pk\x03\x04") || beginsWith(bytes, "\x80\x02") || beginsWith(bytes, "\x80\x04"))
        return "is a PyTorch or ZIP file, not a SentencePiece model";
    if (beginsWith(bytes, "\x1f\x8b"))
        return "is compressed with gzip (unpack it first)";
    const std::string_view start = bytes.substr(0, 1024);
    const std::string_view visible = start.substr(std::min(start.find_first_not_of(" \t\r\n\xEF\xBB\xBF"), start.size()));
    if (beginsWith(visible, "<!doctype") || beginsWith(visible, "<html") || beginsWith(visible, "<?xml"))
        return "is a web page, not a SentencePiece model";
    if (beginsWith(visible, "{"))
        return "is a JSON file such as Hugging Face's tokenizer.json, not a SentencePiece model";
    return std::nullopt;
}

struct Piece {
    enum class Type { Normal = 1, Unknown = 2, Control = 3, UserDefined = 4, Unused = 5, Byte = 6 };
    std::string_view text;
    Type type = Type::Normal;
};

class FileReader
{
public:
    explicit FileReader(const std::filesystem::path& path) : m_path(path) {}

    SentencePieceFile read(std::string_view bytes)
    {
        eachField(bytes, [&](const Field& field) {
            if (field.number == 1 && field.isBytes)
                addPiece(readPiece(field.bytes));
            else if (field.number == 2 && field.isBytes)
                readTrainerSpec(field.bytes);
            else if (field.number == 3 && field.isBytes)
                readNormalizerSpec(field.bytes);
        });
        if (m_file.pieces == 0)
            refuse(m_path, "is not a SentencePiece model: it has no pieces");
        std::sort(m_file.userDefined.begin(), m_file.userDefined.end());
        requireShallowSymbols();
        return std::move(m_file);
    }

private:
    template <typename Action>
    void eachField(std::string_view message, Action action)
    {
        ProtobufFields fields(message);
        while (const auto field = fields.next())
            action(*field);
        if (fields.ok())
            return;
        // A text file also runs out of bytes soon; only one that began as a model can have been cut short.
        if (fields.endedEarly() && m_file.pieces > 0)
            refuse(m_path, fmt::format("is a SentencePiece model that was cut short after {} pieces (download it again)",
                                       m_file.pieces));
        refuse(m_path, "is not a SentencePiece model");
    }

    Piece readPiece(std::string_view message)
    {
        Piece piece;
        eachField(message, [&](const Field& field) {
            if (field.number == 1 && field.isBytes)
                piece.text = field.bytes;
            else if (field.number == 3 && field.value >= 1 && field.value <= 6)
                piece.type = static_cast<Piece::Type>(field.value);
        });
        return piece;
    }

    void addPiece(const Piece& piece)
    {
        if (piece.text.empty())
            refuse(m_path, m_file.pieces == 0 ? std::string("is not a SentencePiece model")
                                              : fmt::format("is damaged: its piece {} is empty", m_file.pieces));
        if (piece.text.find('\0') != std::string_view::npos)
            refuse(m_path, fmt::format("is damaged: its piece {} contains a NUL", m_file.pieces));
        if (piece.text.size() > mostPieceBytes)
            refuse(m_path, fmt::format("is damaged: its piece {} has {} bytes", m_file.pieces, piece.text.size()));
        if (ValidUtf8(piece.text).text() != piece.text)
            refuse(m_path, fmt::format("is damaged: its piece {} is not UTF-8", m_file.pieces));
        if (piece.type == Piece::Type::UserDefined)
            m_file.userDefined.emplace_back(piece.text);
        m_file.hasUnusedPieces |= piece.type == Piece::Type::Unused;
        ++m_file.pieces;
    }

    void readTrainerSpec(std::string_view message)
    {
        eachField(message, [&](const Field& field) {
            if (field.number == 3 && field.value >= 1 && field.value <= 4)
                m_file.algorithm = static_cast<SentencePieceFile::Algorithm>(field.value);
            else if (field.number == 24)
                m_file.spaceIsSuffix = field.value != 0;
            else if (field.number == 35)
                m_file.byteFallback = field.value != 0;
        });
    }

    void readNormalizerSpec(std::string_view message)
    {
        eachField(message, [&](const Field& field) {
            if (field.number == 2 && field.isBytes)
                readRules(field.bytes);
            else if (field.number == 3)
                m_file.addDummyPrefix = field.value != 0;
            else if (field.number == 4)
                m_file.removeExtraSpaces = field.value != 0;
            else if (field.number == 5)
                m_file.escapeSpaces = field.value != 0;
        });
    }

    void readRules(std::string_view bytes)
    {
        m_file.rules = CharsMap();
        if (bytes.empty())
            return;
        auto rules = CharsMap::parse(bytes);
        if (!rules)
            refuse(m_path, "is damaged: its normalisation rules point outside themselves");
        m_file.rules = std::move(*rules);
    }

    /// SentencePiece has room for 64 symbols that begin with each other.
    void requireShallowSymbols() const
    {
        std::vector<std::string_view> nested;
        for (const std::string_view symbol : m_file.userDefined) {
            while (!nested.empty() && !symbol.starts_with(nested.back()))
                nested.pop_back();
            nested.push_back(symbol);
            if (nested.size() > 64)
                refuse(m_path,
                       "has more than 64 user-defined symbols that begin with each other, which SentencePiece cannot hold");
        }
    }

    std::filesystem::path m_path;
    SentencePieceFile m_file;
};

} // namespace

std::string_view toString(SentencePieceFile::Algorithm algorithm)
{
    switch (algorithm) {
    case SentencePieceFile::Algorithm::Unigram:
        return "unigram";
    case SentencePieceFile::Algorithm::Bpe:
        return "BPE";
    case SentencePieceFile::Algorithm::Word:
        return "word";
    case SentencePieceFile::Algorithm::Char:
        return "character";
    }
    return "?";
}

std::string readSentencePieceBytes(const std::filesystem::path& path)
{
    std::error_code problem;
    const auto status = std::filesystem::status(path, problem);
    if (!std::filesystem::exists(status))
        refuse(path, "does not exist");
    if (std::filesystem::is_directory(status))
        refuse(path, "is a folder");
    if (!std::filesystem::is_regular_file(status))
        refuse(path, "is not a regular file");
    const std::uintmax_t size = std::filesystem::file_size(path, problem);
    if (problem)
        refuse(path, "cannot be read");
    if (size > mostBytes)
        refuse(path, fmt::format("has {} MB, far more than a SentencePiece model can have", size >> 20));
    noteRead(path);
    std::ifstream file(path, std::ios::binary);
    std::string bytes(size, '\0');
    if (!file.read(bytes.data(), static_cast<std::streamsize>(size)))
        refuse(path, "cannot be read (check its permissions)");
    return bytes;
}

SentencePieceFile parseSentencePiece(std::string_view bytes, const std::filesystem::path& path)
{
    try {
        return FileReader(path).read(bytes);
    } catch (const Error&) {
        if (const auto what = somethingElse(bytes))
            refuse(path, *what);
        throw;
    }
}

} // namespace headscope::core
