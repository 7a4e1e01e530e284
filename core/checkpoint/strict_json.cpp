// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/strict_json.h"

#include "core/checkpoint/file_bytes.h"
#include "core/checkpoint/message_text.h"
#include "core/checkpoint/strict_sax.h"
#include "core/error.h"

#include <fmt/format.h>

#include <limits>
#include <vector>

namespace headscope::core {
namespace {

constexpr std::size_t kDeepestNesting = 100;
constexpr std::uint64_t kLargestFile = 64ULL << 20;
constexpr std::size_t kMostValues = 200'000; // a file of settings has some hundred

/// Builds a json value from the parser's events. `m_open` are the containers the parser is inside; a child never moves while
/// it is open, since only the innermost container grows.
class StrictBuilder : public StrictSax
{
public:
    StrictBuilder(const std::string& where, std::size_t mostValues) : StrictSax(where, Progress()), m_mostValues(mostValues) {}
    nlohmann::json take() { return std::move(m_root); }

private:
    void onKey(std::string&& name) override { m_key = std::move(name); }
    void onValue(nlohmann::json&& value) override { insert(std::move(value)); }
    void onOpen(bool object) override
    {
        m_open.push_back(insert(object ? nlohmann::json::object() : nlohmann::json::array()));
    }
    void onClose() override { m_open.pop_back(); }

    nlohmann::json* insert(nlohmann::json value)
    {
        if (++m_values > m_mostValues)
            throw Error(fmt::format("{} holds more than {} values, which no settings file needs.", where(), m_mostValues));
        if (m_open.empty())
            return &(m_root = std::move(value));
        if (m_open.back()->is_array())
            return &m_open.back()->emplace_back(std::move(value));
        return &((*m_open.back())[m_key] = std::move(value));
    }

    nlohmann::json m_root;
    std::vector<nlohmann::json*> m_open;
    std::string m_key;
    std::size_t m_values = 0;
    std::size_t m_mostValues = 0;
};

nlohmann::json parse(std::string_view text, const std::string& where, std::size_t mostValues)
{
    StrictBuilder builder(where, mostValues);
    builder.parse(text);
    return builder.take();
}

} // namespace

void StrictSax::parse(std::string_view text)
{
    nlohmann::json_sax<nlohmann::json>* const events = this;
    nlohmann::json::sax_parse(text.begin(), text.end(), events);
}

void StrictSax::count()
{
    constexpr std::uint64_t eventsBetweenQuestions = 4096;
    if (++m_events % eventsBetweenQuestions == 0)
        m_progress.checkpoint();
}

bool StrictSax::value(nlohmann::json&& value)
{
    count();
    onValue(std::move(value));
    return true;
}

bool StrictSax::open(bool object)
{
    count();
    if (m_open.size() >= kDeepestNesting)
        throw Error(fmt::format("{} is nested more than {} levels deep, which no checkpoint needs.", m_where, kDeepestNesting));
    onOpen(object);
    m_open.emplace_back();
    return true;
}

bool StrictSax::close()
{
    m_open.pop_back();
    onClose();
    return true;
}

bool StrictSax::key(string_t& name)
{
    count();
    if (!m_open.back().insert(name).second)
        throw Error(
            fmt::format("{} has the key {} twice (duplicate key); which one counts cannot be known: download the file again or "
                        "write it anew.",
                        m_where, quotedName(name)));
    onKey(std::move(name));
    return true;
}

bool StrictSax::parse_error(std::size_t position, const std::string& /*token*/, const nlohmann::json::exception& error)
{
    // The library's text begins with its own name and number.
    std::string_view reason = error.what();
    if (const auto colon = reason.find(": "); colon != std::string_view::npos)
        reason.remove_prefix(colon + 2);
    throw Error(fmt::format("{} is not valid JSON at byte {} ({}); download the file again or write it anew.", m_where, position,
                            toUtf8(reason.substr(0, 200))));
}

nlohmann::json parseStrictJson(std::string_view text, const std::string& where)
{
    return parse(text, where, std::numeric_limits<std::size_t>::max());
}

nlohmann::json readJsonObject(const std::filesystem::path& path)
{
    const std::shared_ptr<const FileBytes> file = FileBytes::open(path);
    if (file->size() > kLargestFile)
        throw Error(fmt::format("{} has {} bytes, more than a settings file needs.", shown(path), file->size()));
    const std::vector<std::byte> bytes = file->read(0, file->size());
    nlohmann::json json = parse({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, shown(path), kMostValues);
    if (!json.is_object())
        throw Error(fmt::format("{} holds no JSON object but {}; settings are written as {{\"name\": value, …}}.",
                                shown(path), json.type_name()));
    return json;
}

} // namespace headscope::core
