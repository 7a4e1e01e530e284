// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/progress.h"

#include <nlohmann/json.hpp>

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::core {

/// The rules for JSON that a file brought along, for readers that take its events as they come: duplicate keys and nesting
/// beyond 100 levels are refused, so that nothing in it can hide behind a later key or exhaust a stack. `where` begins every
/// message; cancellation is asked for every few thousand events.
class StrictSax : public nlohmann::json_sax<nlohmann::json>
{
public:
    StrictSax(std::string where, Progress progress) : m_where(std::move(where)), m_progress(std::move(progress)) {}

    /// Throws Error, Cancelled.
    void parse(std::string_view text);

protected:
    // What a reader wants to know; the defaults ignore it. Depth 1 is inside the outermost container.
    virtual void onKey(std::string&& /*name*/) {}
    virtual void onValue(nlohmann::json&& /*value*/) {} // no container
    virtual void onOpen(bool /*object*/) {}             // before the depth grows
    virtual void onClose() {}                           // after it has shrunk

    std::size_t depth() const { return m_open.size(); }
    const std::string& where() const { return m_where; }

private:
    bool null() final { return value(nullptr); }
    bool boolean(bool flag) final { return value(flag); }
    bool number_integer(number_integer_t number) final { return value(number); }
    bool number_unsigned(number_unsigned_t number) final { return value(number); }
    bool number_float(number_float_t number, const string_t& /*text*/) final { return value(number); }
    bool string(string_t& text) final { return value(std::move(text)); }
    bool binary(binary_t& /*bytes*/) final { return false; }
    bool start_object(std::size_t /*size*/) final { return open(true); }
    bool start_array(std::size_t /*size*/) final { return open(false); }
    bool end_object() final { return close(); }
    bool end_array() final { return close(); }
    bool key(string_t& name) final;
    bool parse_error(std::size_t position, const std::string& token, const nlohmann::json::exception& error) final;

    bool value(nlohmann::json&& value);
    bool open(bool object);
    bool close();
    void count();

    std::string m_where;
    Progress m_progress;
    std::uint64_t m_events = 0;
    std::vector<std::set<std::string>> m_open; // the keys of the containers that are open
};

} // namespace headscope::core
