// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/torch_reader.h"

#include "core/checkpoint/checked_math.h"
#include "core/checkpoint/little_endian.h"
#include "core/checkpoint/message_text.h"
#include "core/checkpoint/pickle_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

namespace headscope::core {
namespace {

constexpr std::uint64_t kLargestPickle = 512ULL << 20;
constexpr std::uint64_t kLargestExpandedTensor = 16ULL << 20; // bytes; for views that repeat elements (stride 0)

struct TypeName {
    std::string_view name;
    DType dtype;
};

constexpr std::array kStorageTypes = {
    TypeName{"DoubleStorage", DType::F64},       TypeName{"FloatStorage", DType::F32},
    TypeName{"HalfStorage", DType::F16},         TypeName{"BFloat16Storage", DType::BF16},
    TypeName{"LongStorage", DType::I64},         TypeName{"IntStorage", DType::I32},
    TypeName{"ShortStorage", DType::I16},        TypeName{"CharStorage", DType::I8},
    TypeName{"ByteStorage", DType::U8},          TypeName{"BoolStorage", DType::Bool},
    TypeName{"ComplexFloatStorage", DType::C64}, TypeName{"ComplexDoubleStorage", DType::C128},
    TypeName{"UntypedStorage", DType::U8},       TypeName{"_UntypedStorage", DType::U8},
};

constexpr std::array kTensorTypes = {
    TypeName{"torch.float64", DType::F64},        TypeName{"torch.float32", DType::F32},
    TypeName{"torch.float16", DType::F16},        TypeName{"torch.bfloat16", DType::BF16},
    TypeName{"torch.int64", DType::I64},          TypeName{"torch.int32", DType::I32},
    TypeName{"torch.int16", DType::I16},          TypeName{"torch.int8", DType::I8},
    TypeName{"torch.uint8", DType::U8},           TypeName{"torch.bool", DType::Bool},
    TypeName{"torch.uint64", DType::U64},         TypeName{"torch.uint32", DType::U32},
    TypeName{"torch.uint16", DType::U16},         TypeName{"torch.float8_e4m3fn", DType::F8E4M3},
    TypeName{"torch.float8_e5m2", DType::F8E5M2}, TypeName{"torch.complex64", DType::C64},
    TypeName{"torch.complex128", DType::C128},
};

constexpr std::size_t kMostDimensions = 64; // as in PyTorch
constexpr std::size_t kLongestName = 1024;  // bytes; of tensors and storages

template <std::size_t N>
DType lookUp(const std::array<TypeName, N>& table, std::string_view name)
{
    const auto found = std::ranges::find(table, name, &TypeName::name);
    return found == table.end() ? DType::Other : found->dtype;
}

/// The call that makes a plain tensor, once parameters and subclasses around it are taken off.
struct Recipe {
    std::string function;
    PickleId args{};
};

bool makesPlainTensor(std::string_view function)
{
    return function == "torch._utils._rebuild_tensor_v2" || function == "torch._utils._rebuild_tensor" ||
           function == "torch._utils._rebuild_tensor_v3" || function == "torch._utils._rebuild_qtensor"; // which begins alike
}

/// The innermost call around which only parameters and subclasses lie.
std::optional<Recipe> innermostCall(const PickleDocument& document, PickleId id)
{
    for (int wrapped = 0; wrapped < 4; ++wrapped) {
        if (!document.isObject(id))
            return std::nullopt;
        std::string function = document.className(id);
        const PickleId argsId = document.argumentsOf(id);
        const std::span<const PickleId> args = document.itemsOf(argsId);
        if (function == "torch._tensor._rebuild_from_type_v2" && args.size() == 4) // (function, subclass, arguments, state)
            return Recipe{document.className(args[0]), args[2]};
        if ((function != "torch._utils._rebuild_parameter" && function != "torch._utils._rebuild_parameter_with_state") ||
            args.empty())
            return Recipe{std::move(function), argsId};
        id = args.front();
    }
    return std::nullopt;
}

std::optional<Recipe> recipeOf(const PickleDocument& document, PickleId id)
{
    std::optional<Recipe> call = innermostCall(document, id);
    return call && makesPlainTensor(call->function) ? call : std::nullopt;
}

/// Other ways to make a tensor: what it is then called.
std::optional<Recipe> otherRecipeOf(const PickleDocument& document, PickleId id)
{
    std::optional<Recipe> call = innermostCall(document, id);
    if (!call || makesPlainTensor(call->function))
        return std::nullopt;
    const bool rebuilt = call->function.starts_with("torch._utils._rebuild_") || call->function.starts_with("torch._tensor._rebuild_");
    const bool partial = call->function.starts_with("torch.distributed.") && call->function.find("Tensor") != std::string::npos;
    const std::span<const PickleId> args = document.itemsOf(call->args);
    if (call->function == "torch._utils._rebuild_wrapper_subclass" && !args.empty())
        call->function = document.className(args.front());
    return rebuilt || partial ? call : std::nullopt;
}

/// A tuple of non-negative integers.
std::optional<std::vector<std::int64_t>> sizes(const PickleDocument& document, PickleId id)
{
    if (document.kind(id) != PickleKind::Tuple || document.itemsOf(id).size() > kMostDimensions)
        return std::nullopt;
    std::vector<std::int64_t> result;
    for (const PickleId item : document.itemsOf(id)) {
        const std::optional<std::int64_t> value = document.integer(item);
        if (!value || *value < 0)
            return std::nullopt;
        result.push_back(*value);
    }
    return result;
}

/// Elements of the storage that the view needs: up to and with its last element; nullopt when the number is beyond 64 bits.
std::optional<std::uint64_t> neededElements(const TensorView& view)
{
    if (view.elementCount() == 0)
        return 0;
    std::optional<std::uint64_t> last = view.offset;
    for (std::size_t i = 0; i < view.shape.size() && last; ++i) {
        const auto step =
            checkedMultiply(static_cast<std::uint64_t>(view.shape[i] - 1), static_cast<std::uint64_t>(view.strides[i]));
        last = step ? checkedAdd(*last, *step) : std::nullopt;
    }
    return last ? checkedAdd(*last, 1) : std::nullopt;
}

[[noreturn]] void failTensor(const FileBytes& file, std::string_view name, std::string_view what)
{
    throw Error(fmt::format("{}: tensor {} {}; the file is damaged, download it again.", shown(file.path()),
                            quotedName(name), what));
}

/// Checks shape, strides and offset of a view against its storage, before anything is computed from them.
void checkView(const TensorView& view)
{
    if (!checkedElementCount(view.shape))
        failTensor(*view.file, view.name, "has more elements than 64 bits can count");
    if (view.strides.size() != view.shape.size())
        failTensor(*view.file, view.name,
                   fmt::format("has {} dimensions but {} strides", view.shape.size(), view.strides.size()));
    const std::size_t size = elementSize(view.dtype);
    const auto needed = neededElements(view);
    if (!needed || (size != 0 && *needed > view.storageBytes / size))
        failTensor(*view.file, view.name,
                   fmt::format("{} reaches beyond its storage of {} bytes", view.describe(), view.storageBytes));
    const auto bytes = checkedMultiply(*checkedElementCount(view.shape), size);
    if (!bytes || *bytes > std::max(view.storageBytes, kLargestExpandedTensor))
        failTensor(*view.file, view.name,
                   fmt::format("{} repeats a storage of {} bytes", view.describe(), view.storageBytes));
}

/// The folder that holds data.pkl. Its name is whatever the file was called when it was written.
std::string findRoot(const ZipArchive& zip)
{
    constexpr std::string_view pickle = "data.pkl";
    std::vector<std::string> roots;
    for (const auto& [name, entry] : zip.entries) {
        if (name.ends_with(pickle) && (name.size() == pickle.size() || name[name.size() - pickle.size() - 1] == '/'))
            roots.push_back(name.substr(0, name.size() - pickle.size()));
    }
    if (roots.size() == 1)
        return roots.front();
    const std::string file = shown(zip.file->path());
    if (roots.empty() && std::ranges::any_of(zip.entries, [](const auto& entry) { return entry.first.ends_with(".npy"); }))
        throw Error(fmt::format("{} is a NumPy archive (.npz), not a file of torch.save; convert it in Python: "
                                "torch.save({{name: torch.from_numpy(array) for name, array in numpy.load(FILE).items()}}, \"model.pth\").",
                                file));
    if (roots.empty())
        throw Error(fmt::format(
            "{} is a zip archive but no PyTorch checkpoint (it has no data.pkl); if the checkpoint is packed inside "
            "it, unpack it first.",
            file));
    throw Error(
        fmt::format("{} holds {} files named data.pkl, so it is not one PyTorch checkpoint; unpack it and open one of them.",
                    file, roots.size()));
}

void checkByteOrder(const ZipArchive& zip, const std::string& root)
{
    if (zip.find(root + "byteorder") == nullptr)
        return;
    const FileRange range = storedRange(zip, root + "byteorder");
    const std::vector<std::byte> bytes = zip.file->read(range.begin, std::min<std::uint64_t>(range.size, 16));
    const std::string_view order(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (order != "little")
        throw Error(
            fmt::format("{} was written with byte order {}; only little-endian files can be read: load it with PyTorch on a "
                        "common machine and save it again.",
                        shown(zip.file->path()), quotedName(order)));
}

} // namespace

std::optional<TorchStorageRef> storageRef(const PickleDocument& document, PickleId persistent)
{
    const std::optional<PickleId> reference = document.persistent(persistent);
    if (!reference)
        return std::nullopt;
    const std::span<const PickleId> parts = document.itemsOf(*reference);
    if (parts.size() < 5 || document.text(parts[0]) != "storage")
        return std::nullopt;
    const auto key = document.text(parts[2]);
    const auto elements = document.integer(parts[4]);
    const std::string typeName = document.className(parts[1]);
    if (!key || key->size() > kLongestName || !elements || *elements < 0 || typeName.empty())
        return std::nullopt;
    TorchStorageRef storage{std::string(*key), typeName, DType::Other, static_cast<std::uint64_t>(*elements),
                            0};
    storage.dtype = lookUp(kStorageTypes, std::string_view(typeName).substr(typeName.rfind('.') + 1));
    if (parts.size() > 5) { // (key of the part, its first element, its size) or None
        const std::span<const PickleId> part = document.itemsOf(parts[5]);
        if (part.size() == 3)
            storage.viewOffset =
                static_cast<std::uint64_t>(std::max<std::int64_t>(0, document.integer(part[1]).value_or(0)));
    }
    return storage;
}

TorchFile TorchFile::openZip(std::shared_ptr<const FileBytes> file, const Progress& progress)
{
    TorchFile result;
    result.m_file = file;
    result.m_zip = readZipDirectory(file);
    result.m_root = findRoot(*result.m_zip);
    if (result.m_zip->find(result.m_root + "constants.pkl") != nullptr)
        throw Error(fmt::format(
            "{} is a TorchScript program, not a checkpoint; save the model's state_dict() with torch.save instead.",
            shown(file->path())));
    checkByteOrder(*result.m_zip, result.m_root);

    const FileRange range = storedRange(*result.m_zip, result.m_root + "data.pkl");
    if (range.size > kLargestPickle)
        throw Error(fmt::format(
            "{}: data.pkl has {} bytes, more than a checkpoint needs; was something other than tensors saved in it?",
            shown(file->path()), range.size));
    auto bytes = std::make_shared<const std::vector<std::byte>>(file->read(range.begin, range.size));
    result.m_document = readPickle(std::move(bytes), 0, shown(file->path()) + ": data.pkl", progress).document;
    return result;
}

TorchFile TorchFile::openLegacy(std::shared_ptr<const FileBytes> file, const Progress& progress)
{
    TorchFile result;
    TorchLegacyContent content = readTorchLegacy(*file, progress);
    result.m_file = std::move(file);
    result.m_document = std::move(content.document);
    result.m_storages = std::move(content.storages);
    return result;
}

bool TorchFile::isTensor(PickleId id) const
{
    return recipeOf(m_document, id) || otherRecipeOf(m_document, id);
}

TensorView TorchFile::tensor(PickleId id, const std::string& name) const
{
    if (name.size() > kLongestName)
        failTensor(*m_file, name, fmt::format("has a name of {} bytes, longer than any", name.size()));
    if (std::optional<TensorView> other = otherTensor(id, name))
        return std::move(*other);
    const std::optional<Recipe> recipe = recipeOf(m_document, id);
    const std::span<const PickleId> args = m_document.itemsOf(recipe ? recipe->args : id);
    if (!recipe || args.size() < 4)
        failTensor(*m_file, name, "is incomplete");
    const std::optional<TorchStorageRef> storage = storageRef(m_document, args[0]);
    const auto offset = m_document.integer(args[1]);
    const auto shape = sizes(m_document, args[2]);
    const auto strides = sizes(m_document, args[3]);
    if (!storage || !offset || *offset < 0 || !shape || !strides)
        failTensor(*m_file, name,
                   fmt::format("has no valid storage, offset, shape or strides (negative numbers and more than {} dimensions are "
                               "not allowed)",
                               kMostDimensions));

    TensorView view;
    view.name = name;
    view.dtype = storage->dtype;
    view.dtypeText = storage->typeName;
    view.shape = *shape;
    view.strides = *strides;
    view.file = m_file;
    if (recipe->function == "torch._utils._rebuild_tensor_v3") { // an untyped storage; the type stands beside it
        if (args.size() < 7)
            failTensor(*m_file, name, "is incomplete");
        view.dtypeText = m_document.className(args[6]);
        view.dtype = lookUp(kTensorTypes, view.dtypeText);
    }
    const FileRange range = storageRange(*storage, name);
    view.storageBegin = range.begin;
    view.storageBytes = range.size;
    const auto begin = checkedAdd(static_cast<std::uint64_t>(*offset), storage->viewOffset);
    if (!begin)
        failTensor(*m_file, name, "begins beyond its storage");
    view.offset = *begin;
    checkView(view);
    return view;
}

std::optional<TensorView> TorchFile::otherTensor(PickleId id, const std::string& name) const
{
    const std::optional<Recipe> recipe = otherRecipeOf(m_document, id);
    if (!recipe)
        return std::nullopt;
    TensorView view;
    view.name = name;
    view.dtypeText = recipe->function;
    view.file = m_file;
    for (const PickleId argument : m_document.itemsOf(recipe->args)) {
        const auto shape = sizes(m_document, argument);
        if (!shape || shape->empty() || !checkedElementCount(*shape))
            continue;
        view.shape = *shape;
        view.strides.assign(shape->size(), 0); // nothing is read through them
        break;
    }
    return view;
}

FileRange TorchFile::storageRange(const TorchStorageRef& storage, const std::string& tensorName) const
{
    const auto bytes = checkedMultiply(storage.elements, elementSize(storage.dtype));
    if (!bytes)
        failTensor(*m_file, tensorName, "has a storage of more bytes than 64 bits can count");
    if (*bytes == 0 && storage.dtype != DType::Other)
        return {};
    const auto legacy = m_storages.find(storage.key);
    const bool present = m_zip ? m_zip->find(m_root + "data/" + storage.key) != nullptr : legacy != m_storages.end();
    if (!present)
        failTensor(*m_file, tensorName, fmt::format("lies in storage {}, which is missing", quotedName(storage.key)));
    FileRange range = m_zip ? storedRange(*m_zip, m_root + "data/" + storage.key) : legacy->second;
    if (!m_zip && littleEndian<std::uint64_t>(m_file->read(range.begin - 8, 8), 0) != storage.elements)
        failTensor(*m_file, tensorName,
                   fmt::format("lies in storage {}, whose size is not the announced one", quotedName(storage.key)));
    if (*bytes > range.size)
        failTensor(*m_file, tensorName,
                   fmt::format("needs {} bytes of storage {}, which has {}", *bytes, quotedName(storage.key), range.size));
    if (storage.dtype != DType::Other)
        range.size = *bytes;
    return range;
}

} // namespace headscope::core
