// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/sniff.h"

#include "core/checkpoint/little_endian.h"
#include "core/checkpoint/message_text.h"
#include "core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace headscope::core {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kSniffed = 512;

/// Files that are known not to be checkpoints this program reads. The sentence goes on after "FILE is ".
struct Foreign {
    std::size_t offset;
    std::string_view magic;
    std::string_view sentence;
};

constexpr std::array kForeign = {
    Foreign{
        0, "version https://git-lfs"sv,
        "a Git LFS pointer, not the checkpoint itself (not downloaded); run \"git lfs pull\" or download the file itself."},
    Foreign{0, "\x1f\x8b"sv, "compressed with gzip; unpack it first (gunzip or tar -xzf)."},
    Foreign{0, "\x28\xb5\x2f\xfd"sv, "compressed with zstd; unpack it first (unzstd)."},
    Foreign{0,
            "\xfd"
            "7zXZ\0"sv,
            "compressed with xz; unpack it first (unxz)."},
    Foreign{0, "BZh"sv, "compressed with bzip2; unpack it first (bunzip2)."},
    Foreign{0, "7z\xbc\xaf\x27\x1c"sv, "a 7-Zip archive; unpack it first."},
    Foreign{0, "Rar!"sv, "a RAR archive; unpack it first."},
    Foreign{257, "ustar"sv, "a tar archive; unpack it (tar -xf) and open the checkpoint inside."},
    Foreign{0, "\x93NUMPY"sv, "a NumPy array (.npy), not a checkpoint; open the file that torch.save or safetensors wrote."},
    Foreign{0, "GGUF"sv,
            "a GGUF file; its weights are packed for llama.cpp: open the original safetensors or PyTorch checkpoint."},
    Foreign{0, "lmgg"sv,
            "a GGML file; its weights are packed for llama.cpp: open the original safetensors or PyTorch checkpoint."},
    Foreign{0, "tjgg"sv,
            "a GGML file; its weights are packed for llama.cpp: open the original safetensors or PyTorch checkpoint."},
    Foreign{0, "\x89HDF\r\n\x1a\n"sv, "an HDF5 file (Keras); open the safetensors or PyTorch checkpoint of the model."},
    Foreign{0, "%PDF"sv, "a PDF document, not a checkpoint."},
    Foreign{0, "\x89PNG"sv, "a picture, not a checkpoint."},
    Foreign{0,
            "\x7f"
            "ELF"sv,
            "a program, not a checkpoint."},
};

constexpr std::string_view kZip = "PK\x03\x04"sv;
constexpr std::string_view kEmptyZip = "PK\x05\x06"sv;
// LONG1 of 10 bytes: the magic number 0x1950a86a20f9469cfc6c, behind the pickle's protocol and perhaps a frame.
constexpr std::string_view kLegacyMagic = "\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19"sv;

[[noreturn]] void fail(const FileBytes& file, std::string_view sentence)
{
    throw Error(fmt::format("{} is {}", shown(file.path()), sentence));
}

std::string lowerCase(std::string_view text)
{
    std::string result(text);
    for (char& c : result)
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return result;
}

/// The beginning without byte-order mark and white space, in lower case: how a page of text begins.
std::string textStart(std::string_view head)
{
    if (head.starts_with("\xEF\xBB\xBF"))
        head.remove_prefix(3);
    const std::size_t first = head.find_first_not_of(" \t\r\n");
    return first == std::string_view::npos ? std::string() : lowerCase(head.substr(first, 64));
}

/// ONNX has no magic number: a protobuf message that begins with its version and its producer.
bool looksLikeOnnx(std::string_view head)
{
    return head.size() > 4 && head[0] == '\x08' && head[1] > 0 && head[1] < 32 && head[2] == '\x12' && head[3] > 0 &&
           head[3] < 64;
}

bool looksLikeText(std::string_view head)
{
    return std::ranges::all_of(head,
                               [](char c) { return static_cast<unsigned char>(c) >= 0x20 || (c >= '\t' && c <= '\r'); });
}

/// A header that begins where a safetensors header begins.
bool looksLikeSafetensors(std::string_view head)
{
    return head.size() > 8 && head[8] == '{' && head[0] != '{';
}

void refuseForeign(const FileBytes& file, std::string_view head)
{
    for (const Foreign& foreign : kForeign) {
        if (head.size() >= foreign.offset && head.substr(foreign.offset).starts_with(foreign.magic))
            fail(file, foreign.sentence);
    }
    const std::string text = textStart(head);
    if (text.starts_with("<!doctype") || text.starts_with("<html") || text.starts_with("<head"))
        fail(file, "an HTML page, not a checkpoint: the download link led to a web page or an error message; download the "
                   "file itself.");
    if (text.starts_with("<?xml"))
        fail(file,
             "an XML document, not a checkpoint: perhaps an error message of the download server; download the file again.");
    if (head.find("\0\0\0ustar"sv) != std::string_view::npos)
        fail(file, "a tar archive; unpack it (tar -xf) and open the checkpoint inside.");
}

} // namespace

ContainerKind sniffContainer(const FileBytes& file)
{
    if (file.size() == 0)
        fail(file, "empty (0 bytes): the download or the saving did not finish; download it again.");
    const std::vector<std::byte> bytes = file.read(0, std::min<std::uint64_t>(file.size(), kSniffed));
    const std::string_view head(reinterpret_cast<const char*>(bytes.data()), bytes.size());

    if (file.path().extension() == ".distcp" || file.path().filename() == ".metadata")
        fail(file, "one part of a checkpoint of torch.distributed.checkpoint; put all parts together with python -m "
                   "torch.distributed.checkpoint.format_utils dcp_to_torch FOLDER model.pth, and open model.pth.");
    if (head.starts_with(kZip) || head.starts_with(kEmptyZip))
        return ContainerKind::TorchZip;
    if (head.substr(0, 32).find(kLegacyMagic) != std::string_view::npos)
        return ContainerKind::TorchLegacy;
    refuseForeign(file, head);
    if (looksLikeSafetensors(head))
        return ContainerKind::Safetensors;
    if (head.front() == '\x80' && head.size() > 1 && head[1] >= 2 && head[1] <= 5)
        fail(file, "a plain Python pickle, not a file written by torch.save; load it in Python and save its state dict with "
                   "torch.save.");
    if (lowerCase(file.path().extension().string()) == ".safetensors" && !looksLikeText(head))
        return ContainerKind::Safetensors; // damaged; the reader says how
    if (looksLikeOnnx(head))
        fail(file, "an ONNX model; open the PyTorch or safetensors checkpoint it was exported from.");
    if (textStart(head).starts_with('{'))
        fail(file, "a JSON file, not a checkpoint; open the folder it is in, or the checkpoint itself.");
    if (looksLikeText(head))
        fail(file, fmt::format("a text file, not a checkpoint (it begins with {}); download the checkpoint itself.",
                               quotedName(head.substr(0, 40))));
    fail(file, "neither a safetensors nor a PyTorch file (its first bytes are unknown); open the file that torch.save or "
               "safetensors wrote, "
               "or download it again.");
}

} // namespace headscope::core
