// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/strict_json.h"

#include "core/checkpoint/file_bytes.h"
#include "core/checkpoint/message_text.h"
#include "core/error.h"

#include <fmt/format.h>

#include <vector>

namespace headscope::core {
namespace {

constexpr std::size_t kDeepestNesting = 100;
constexpr std::uint64_t kLargestFile = 64ULL << 20;

/// Builds a json value from the parser's events. `m_open` are the containers the parser is inside; a child never moves while
/// it is open, since only the innermost container grows.
class StrictBuilder : public nlohmann::json_sax<nlohmann::json>
{
public:
    explicit StrictBuilder(const std::string& where) : m_where(where) {}
    nlohmann::json take() { return std::move(m_root); }

    bool null() override { return add(nullptr); }
    bool boolean(bool value) override { return add(value); }
    bool number_integer(number_integer_t value) override { return add(value); }
    bool number_unsigned(number_unsigned_t value) override { return add(value); }
    bool number_float(number_float_t value, const string_t&) override { return add(value); }
    bool string(string_t& value) override { return add(std::move(value)); }
    bool binary(binary_t&) override { return false; }
    bool start_object(std::size_t) override { return open(nlohmann::json::object()); }
    bool start_array(std::size_t) override { return open(nlohmann::json::array()); }
    bool end_object() override { return close(); }
    bool end_array() override { return close(); }

    bool key(string_t& name) override
    {
        if (m_open.back()->contains(name))
            throw Error(fmt::format(
                "{} has the key {} twice (duplicate key); which one counts cannot be known: download the file again or "
                "write it anew.",
                m_where, quotedName(name)));
        m_key = std::move(name);
        return true;
    }

    bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception& error) override
    {
        // The library's text begins with its own name and number.
        std::string_view reason = error.what();
        if (const auto colon = reason.find(": "); colon != std::string_view::npos)
            reason.remove_prefix(colon + 2);
        throw Error(fmt::format("{} is not valid JSON at byte {} ({}); download the file again or write it anew.", m_where,
                                position, toUtf8(reason.substr(0, 200))));
    }

private:
    nlohmann::json* insert(nlohmann::json value)
    {
        if (m_open.empty())
            return &(m_root = std::move(value));
        if (m_open.back()->is_array())
            return &m_open.back()->emplace_back(std::move(value));
        return &((*m_open.back())[m_key] = std::move(value));
    }
    bool add(nlohmann::json value)
    {
        insert(std::move(value));
        return true;
    }
    bool open(nlohmann::json container)
    {
        if (m_open.size() >= kDeepestNesting)
            throw Error(
                fmt::format("{} is nested more than {} levels deep, which no checkpoint needs.", m_where, kDeepestNesting));
        m_open.push_back(insert(std::move(container)));
        return true;
    }
    bool close()
    {
        m_open.pop_back();
        return true;
    }

    const std::string& m_where;
    nlohmann::json m_root;
    std::vector<nlohmann::json*> m_open;
    std::string m_key;
};

} // namespace

nlohmann::json parseStrictJson(std::string_view text, const std::string& where)
{
    StrictBuilder builder(where);
    nlohmann::json::sax_parse(text.begin(), text.end(), &builder);
    return builder.take();
}

nlohmann::json readJsonObject(const std::filesystem::path& path)
{
    const std::shared_ptr<const FileBytes> file = FileBytes::open(path);
    if (file->size() > kLargestFile)
        throw Error(fmt::format("{} has {} bytes, more than a settings file needs.", shown(path), file->size()));
    const std::vector<std::byte> bytes = file->read(0, file->size());
    nlohmann::json json = parseStrictJson({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, shown(path));
    if (!json.is_object())
        throw Error(fmt::format("{} holds no JSON object but {}; settings are written as {{\"name\": value, …}}.",
                                shown(path), json.type_name()));
    return json;
}

} // namespace headscope::core
