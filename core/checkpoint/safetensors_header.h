// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/checkpoint/checkpoint.h"
#include "core/checkpoint/strict_sax.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace headscope::core {

/// Reads the JSON of a safetensors header as its events come, without a tree in between: a header can have a hundred megabytes.
class SafetensorsHeader final : public StrictSax
{
public:
    struct Offsets { // of the bytes behind the header
        std::uint64_t begin = 0;
        std::uint64_t end = 0;
    };
    /// Gets each tensor with name, type and shape, in the order of the file. Nothing was compared with the file yet.
    using Take = std::function<void(TensorView&& tensor, Offsets offsets)>;

    SafetensorsHeader(std::shared_ptr<const FileBytes> file, const Progress& progress, Take take);

    std::map<std::string, std::string> takeMetadata() { return std::move(m_metadata); }

private:
    enum class Field : std::uint8_t { None, NoObject, DType, Shape, Offsets, Unknown };

    void onKey(std::string&& name) override;
    void onValue(nlohmann::json&& value) override;
    void onOpen(bool object) override;
    void onClose() override;

    void addDimension(const nlohmann::json& value);
    void addOffset(const nlohmann::json& value);
    void addMetadata(nlohmann::json&& value);
    void finishTensor();
    [[noreturn]] void fail(std::string_view what) const;
    [[noreturn]] void failTensor(std::string_view what) const;

    std::shared_ptr<const FileBytes> m_file;
    Take m_take;
    std::map<std::string, std::string> m_metadata;

    std::string m_name; // of the tensor that is being read
    bool m_inMetadata = false;
    std::string m_metadataKey;
    Field m_field = Field::None;
    std::optional<std::string> m_dtype;
    std::optional<std::vector<std::int64_t>> m_shape;
    std::optional<std::vector<std::uint64_t>> m_offsets;
};

} // namespace headscope::core
