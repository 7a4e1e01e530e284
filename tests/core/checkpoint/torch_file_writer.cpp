// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/checkpoint/torch_file_writer.h"

#include "tests/core/checkpoint/pickle_writer.h"
#include "tests/core/checkpoint/test_files.h"
#include "tests/core/checkpoint/zip_writer.h"

#include <bit>
#include <cmath>
#include <map>
#include <stdexcept>

namespace headscope::test {
namespace {

using core::DType;

std::string_view storageClass(DType dtype)
{
    switch (dtype) {
    case DType::F64: return "DoubleStorage";
    case DType::F32: return "FloatStorage";
    case DType::F16: return "HalfStorage";
    case DType::BF16: return "BFloat16Storage";
    case DType::I64: return "LongStorage";
    case DType::I32: return "IntStorage";
    case DType::I16: return "ShortStorage";
    case DType::I8: return "CharStorage";
    case DType::U8: return "ByteStorage";
    case DType::Bool: return "BoolStorage";
    case DType::C64: return "ComplexFloatStorage";
    default: throw std::invalid_argument("no storage class for this type");
    }
}

/// Bits of the nearest half: the significand in units of the last place, then its exponent.
std::uint16_t halfBits(double value)
{
    const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
    if (std::isnan(value))
        return sign | 0x7E00;
    const double magnitude = std::abs(value);
    if (magnitude >= 65520.0) // half way between the largest half and the next power of two
        return sign | 0x7C00;
    const int exponent = magnitude == 0.0 ? -14 : std::max(std::ilogb(magnitude), -14);
    const auto units = static_cast<int>(std::nearbyint(std::ldexp(magnitude, 10 - exponent)));
    // Subnormals have units < 1024 and exponent field 0; a carry out of the significand counts the exponent up by itself.
    return static_cast<std::uint16_t>(sign + ((exponent + 14) << 10) + units);
}

std::uint16_t bfloatBits(double value)
{
    const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
    return static_cast<std::uint16_t>((bits + 0x7FFFU + (bits >> 16 & 1U)) >> 16);
}

template <typename Element>
void append(std::string& bytes, Element element)
{
    bytes.append(reinterpret_cast<const char*>(&element), sizeof element);
}

struct Storage {
    std::string key;
    std::string data;
    DType dtype = DType::F32;
    std::size_t elements = 0;
};

/// Collects the storages while the pickle is written.
class CheckpointWriter
{
public:
    explicit CheckpointWriter(const TorchCheckpoint& checkpoint) : m_checkpoint(checkpoint) {}

    std::string bytes()
    {
        if (m_checkpoint.layout == TorchLayout::StateDict)
            stateDict(m_checkpoint.tensors);
        else
            trainingDict();
        return m_checkpoint.container == TorchContainer::Zip ? zip() : legacy();
    }

private:
    void trainingDict();
    void stateDict(const std::vector<TorchTensor>& tensors);
    void optimizer();
    void args();
    void tensor(const TorchTensor& tensor);
    std::size_t storageOf(const TorchTensor& tensor);
    std::string zip() const;
    std::string legacy() const;

    const TorchCheckpoint& m_checkpoint;
    PickleWriter m_pickle;
    std::vector<Storage> m_storages;
    std::map<std::string, std::size_t> m_storageOfTensor;
};

std::size_t CheckpointWriter::storageOf(const TorchTensor& tensor)
{
    if (!tensor.storageOf.empty())
        return m_storageOfTensor[tensor.name] = m_storageOfTensor.at(tensor.storageOf);
    m_storages.push_back({std::to_string(m_storages.size()), encodeElements(tensor.values, tensor.dtype), tensor.dtype,
                          tensor.values.size()});
    return m_storageOfTensor[tensor.name] = m_storages.size() - 1;
}

/// torch._utils._rebuild_tensor_v2(storage, offset, shape, strides, requires_grad, hooks)
void CheckpointWriter::tensor(const TorchTensor& tensor)
{
    const Storage& storage = m_storages[storageOf(tensor)];
    std::vector<std::int64_t> strides = tensor.strides;
    if (strides.empty()) {
        strides.assign(tensor.shape.size(), 1);
        for (std::size_t i = tensor.shape.size(); i-- > 1;)
            strides[i - 1] = strides[i] * tensor.shape[i];
    }
    m_pickle.global("torch._utils", "_rebuild_tensor_v2").mark();
    m_pickle.mark().text("storage").global("torch", storageClass(storage.dtype)).text(storage.key).text("cuda:0");
    m_pickle.integer(static_cast<std::int64_t>(storage.elements));
    if (m_checkpoint.container == TorchContainer::Legacy)
        m_pickle.none(); // no view of another storage
    m_pickle.tuple().persistent().integer(tensor.offset);
    for (const std::vector<std::int64_t>* sizes : {&tensor.shape, static_cast<const std::vector<std::int64_t>*>(&strides)}) {
        m_pickle.mark();
        for (const std::int64_t size : *sizes)
            m_pickle.integer(size);
        m_pickle.tuple();
    }
    m_pickle.boolean(false).global("collections", "OrderedDict").emptyTuple().reduce().tuple().reduce();
}

void CheckpointWriter::stateDict(const std::vector<TorchTensor>& tensors)
{
    m_pickle.global("collections", "OrderedDict").emptyTuple().reduce().mark();
    for (const TorchTensor& entry : tensors) {
        m_pickle.text(entry.name);
        tensor(entry);
    }
    m_pickle.setItems();
    // What Module.state_dict() hangs onto its result.
    m_pickle.emptyDict()
        .mark()
        .text("_metadata")
        .global("collections", "OrderedDict")
        .emptyTuple()
        .reduce()
        .setItems()
        .build();
}

void CheckpointWriter::args()
{
    m_pickle.emptyDict().mark();
    for (const auto& [name, value] : m_checkpoint.args) {
        m_pickle.text(name);
        if (const bool* flag = std::get_if<bool>(&value))
            m_pickle.boolean(*flag);
        else if (const std::int64_t* number = std::get_if<std::int64_t>(&value))
            m_pickle.integer(*number);
        else if (const double* real = std::get_if<double>(&value))
            m_pickle.real(*real);
        else if (const std::string* text = std::get_if<std::string>(&value))
            m_pickle.text(*text);
        else
            m_pickle.none();
    }
    m_pickle.setItems();
}

/// {"state": {0: {"step": 100, "exp_avg": …, "exp_avg_sq": …}, …}}
void CheckpointWriter::optimizer()
{
    m_pickle.emptyDict().mark().text("state").emptyDict().mark();
    for (std::size_t i = 0; i < m_checkpoint.tensors.size() && m_checkpoint.optimizer == OptimizerState::Adam; ++i) {
        m_pickle.integer(static_cast<std::int64_t>(i)).emptyDict().mark().text("step").integer(m_checkpoint.iteration);
        for (const std::string_view moment : {"exp_avg", "exp_avg_sq"}) {
            TorchTensor copy = m_checkpoint.tensors[i];
            copy.name += std::string("/") + std::string(moment);
            if (!copy.storageOf.empty())
                copy.storageOf += std::string("/") + std::string(moment);
            m_pickle.text(moment);
            tensor(copy);
        }
        m_pickle.setItems();
    }
    m_pickle.setItems().setItems();
}

void CheckpointWriter::trainingDict()
{
    m_pickle.emptyDict().mark();
    m_pickle.text("state").global("framework.data_structures.dotdict", "DotDict").emptyTuple().newObject();
    m_pickle.mark().text("iter").integer(m_checkpoint.iteration).text("epoch").integer(1).setItems();
    m_pickle.text("run_invariants").emptyDict().mark().text("args");
    args();
    m_pickle.text("wandb_id").none().setItems();
    m_pickle.text("optimizer");
    optimizer();
    if (!m_checkpoint.modelKey.empty()) {
        m_pickle.text(m_checkpoint.modelKey);
        stateDict(m_checkpoint.tensors);
    }
    for (const auto& [key, tensors] : m_checkpoint.others) {
        m_pickle.text(key);
        stateDict(tensors);
    }
    for (const TorchTensor& entry : m_checkpoint.topLevel) {
        m_pickle.text(entry.name);
        tensor(entry);
    }
    m_pickle.setItems();
}

std::string CheckpointWriter::zip() const
{
    ZipWriter writer;
    const std::string root = m_checkpoint.rootFolder + "/";
    writer.add(root + "data.pkl", m_pickle.finish());
    if (!m_checkpoint.byteOrder.empty())
        writer.add(root + "byteorder", m_checkpoint.byteOrder);
    for (const Storage& storage : m_storages)
        writer.add(root + "data/" + storage.key, storage.data);
    writer.add(root + "version", "3\n");
    return writer.finish();
}

std::string CheckpointWriter::legacy() const
{
    std::string bytes = PickleWriter().raw("\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19").finish();
    bytes += PickleWriter().integer(1001).finish();
    bytes += PickleWriter()
                 .emptyDict()
                 .mark()
                 .text("protocol_version")
                 .integer(1001)
                 .text("little_endian")
                 .boolean(m_checkpoint.byteOrder != "big")
                 .setItems()
                 .finish();
    bytes += m_pickle.finish();
    PickleWriter keys;
    keys.emptyList().mark();
    for (const Storage& storage : m_storages)
        keys.text(storage.key);
    bytes += keys.appends().finish();
    for (const Storage& storage : m_storages) {
        append<std::uint64_t>(bytes, storage.elements);
        bytes += storage.data;
    }
    return bytes;
}

} // namespace

std::string encodeElements(const std::vector<double>& values, DType dtype)
{
    std::string bytes;
    for (const double value : values) {
        switch (dtype) {
        case DType::F64: append(bytes, value); break;
        case DType::F32: append(bytes, static_cast<float>(value)); break;
        case DType::F16: append(bytes, halfBits(value)); break;
        case DType::BF16: append(bytes, bfloatBits(value)); break;
        case DType::I64: append(bytes, static_cast<std::int64_t>(value)); break;
        case DType::I32: append(bytes, static_cast<std::int32_t>(value)); break;
        case DType::I16: append(bytes, static_cast<std::int16_t>(value)); break;
        case DType::I8: append(bytes, static_cast<std::int8_t>(value)); break;
        case DType::U8: append(bytes, static_cast<std::uint8_t>(value)); break;
        case DType::Bool: append(bytes, static_cast<std::uint8_t>(value != 0)); break;
        case DType::C64: append(bytes, static_cast<float>(value)), append(bytes, 0.0F); break;
        default: throw std::invalid_argument("this type cannot be encoded");
        }
    }
    return bytes;
}

std::string torchCheckpointBytes(const TorchCheckpoint& checkpoint)
{
    return CheckpointWriter(checkpoint).bytes();
}

void writeTorchCheckpoint(const std::filesystem::path& path, const TorchCheckpoint& checkpoint)
{
    writeFile(path, torchCheckpointBytes(checkpoint));
}

} // namespace headscope::test
