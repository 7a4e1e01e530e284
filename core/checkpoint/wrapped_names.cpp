// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/wrapped_names.h"

#include "core/checkpoint/message_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>

namespace headscope::core {
namespace {

// What compiling, sharding, recomputing and training around a module put into its names.
constexpr std::array<std::string_view, 5> kWrappers = {"_orig_mod.", "_fsdp_wrapped_module.", "_checkpoint_wrapped_module.",
                                                       "_forward_module.", "_ddp_wrapped_module."};
constexpr std::string_view kModule = "module."; // of DataParallel; a model may have parts of that name
// Which of several models counts when nobody says.
constexpr std::array<std::string_view, 4> kFirst = {"model.", "state_dict.", "net.", "module."};
constexpr int kDeepest = 4;

using Recognises = std::function<bool(const Checkpoint&)>;

bool everyNameStartsWith(const std::vector<TensorView>& tensors, std::string_view prefix)
{
    return !tensors.empty() && std::ranges::all_of(tensors, [&](const TensorView& t) { return t.name.starts_with(prefix); });
}

/// Takes off what every name begins with, in any order and number; returns it.
std::string stripCommon(std::vector<TensorView>& tensors)
{
    std::string taken;
    for (bool again = true; again;) {
        again = false;
        for (const std::string_view prefix : {kModule, kWrappers[0], kWrappers[1], kWrappers[2], kWrappers[3], kWrappers[4]}) {
            if (!everyNameStartsWith(tensors, prefix))
                continue;
            for (TensorView& tensor : tensors)
                tensor.name.erase(0, prefix.size());
            taken += prefix;
            again = true;
        }
    }
    return taken;
}

/// Takes the wrappers out of the insides of the names; returns how many names had some.
std::size_t stripInside(std::vector<TensorView>& tensors)
{
    std::size_t changed = 0;
    for (TensorView& tensor : tensors) {
        std::string plain = withoutWrappers(tensor.name);
        changed += plain == tensor.name ? 0 : 1;
        tensor.name = std::move(plain);
    }
    return changed;
}

/// A checkpoint that has nothing but names.
Checkpoint namesOnly(const std::vector<std::string>& names, const Checkpoint& about)
{
    Checkpoint result;
    result.path = about.path;
    result.hyperParameters = about.hyperParameters;
    result.tensors.resize(names.size());
    for (std::size_t i = 0; i < names.size(); ++i)
        result.tensors[i].name = names[i];
    std::ranges::sort(result.tensors, {}, &TensorView::name);
    return result;
}

bool isNumber(std::string_view text)
{
    return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

/// What stands in front of the names of each model among these: "" when they are one as they are.
std::vector<std::string> modelPrefixes(const std::vector<std::string>& names, const Checkpoint& about, const Recognises& recognises, int depth)
{
    if (recognises(namesOnly(names, about)))
        return {""};
    std::vector<std::string> prefixes;
    if (depth == kDeepest)
        return prefixes;
    std::map<std::string_view, std::vector<std::string>> groups; // by what stands before the first point
    for (const std::string& name : names) {
        const std::size_t point = name.find('.');
        if (point != std::string::npos && !isNumber(std::string_view(name).substr(0, point)))
            groups[std::string_view(name).substr(0, point)].push_back(name.substr(point + 1));
    }
    for (const auto& [segment, inside] : groups) {
        if (inside.size() < 2)
            continue;
        for (const std::string& prefix : modelPrefixes(inside, about, recognises, depth + 1))
            prefixes.push_back(fmt::format("{}.{}", segment, prefix));
    }
    return prefixes;
}

std::vector<std::string> namesOf(const std::vector<TensorView>& tensors)
{
    std::vector<std::string> names;
    names.reserve(tensors.size());
    for (const TensorView& tensor : tensors)
        names.push_back(tensor.name);
    return names;
}

std::string quotedPrefixes(const std::vector<std::string>& prefixes)
{
    constexpr std::size_t most = 5;
    std::vector<std::string> names;
    for (const std::string& prefix : prefixes) {
        if (names.size() < most)
            names.push_back(quotedName(prefix.substr(0, prefix.size() - 1)));
    }
    return fmt::format("{}{}", fmt::join(names, ", "), prefixes.size() > most ? ", …" : "");
}

/// Parts of the names at the top that have the names of the rest: copies of a model beside it.
std::vector<std::string> copiesBeside(const std::vector<TensorView>& tensors)
{
    std::map<std::string, std::vector<std::string>> groups;
    std::set<std::string> all;
    for (const TensorView& tensor : tensors) {
        all.insert(tensor.name);
        if (const std::size_t point = tensor.name.find('.'); point != std::string::npos)
            groups[tensor.name.substr(0, point + 1)].push_back(tensor.name.substr(point + 1));
    }
    std::vector<std::string> copies;
    for (const auto& [prefix, names] : groups) {
        if (names.size() >= 2 && names.size() * 4 >= tensors.size() && sharesNames(names, all))
            copies.push_back(prefix);
    }
    return copies;
}

/// Decides about the names of one checkpoint.
class Names
{
public:
    Names(Checkpoint checkpoint, const std::filesystem::path& path, const CheckpointOptions& options)
        : m_about(std::move(checkpoint)), m_path(path), m_options(options)
    {
        m_result.tensors = std::move(m_about.tensors);
        m_about.tensors.clear();
    }

    NamedTensors run(bool weightsChosen)
    {
        m_taken = stripCommon(m_result.tensors);
        if (m_options.recognises && m_options.weights.empty())
            leaveWholeWrapper();
        const std::size_t inside = stripInside(m_result.tensors);
        if (!m_options.weights.empty() && !weightsChosen)
            takeNamed();
        else if (m_options.recognises)
            takeRecognised();
        m_taken += stripCommon(m_result.tensors);
        if (!m_taken.empty())
            m_result.notes.insert(m_result.notes.begin(),
                                  fmt::format("Every tensor name began with {}, which was left out.", quotedName(m_taken)));
        if (inside != 0)
            m_result.notes.push_back(fmt::format("{} tensor names had a wrapper inside ({}), which was left out.", inside,
                                                 fmt::join(kWrappers, ", ")));
        sortAndCheck();
        return std::move(m_result);
    }

private:
    /// Where a wrapper lies around the whole model, names without it are of what lies outside.
    void leaveWholeWrapper()
    {
        for (const std::string_view wrapper : kWrappers) {
            std::vector<std::string> inside;
            std::string stray;
            for (const TensorView& tensor : m_result.tensors) {
                if (tensor.name.starts_with(wrapper))
                    inside.push_back(tensor.name.substr(wrapper.size()));
                else if (stray.empty())
                    stray = tensor.name;
            }
            if (inside.size() * 2 < m_result.tensors.size() || stray.empty() || !leadsToModel(inside, m_options.recognises))
                continue;
            noteOutside(std::string(wrapper), m_result.tensors.size() - inside.size(), stray);
            keep(std::string(wrapper));
            m_taken += stripCommon(m_result.tensors);
        }
    }

    void noteOutside(const std::string& prefix, std::size_t outside, const std::string& stray)
    {
        m_result.notes.push_back(fmt::format("The model's tensor names began with {}, which was left out; {} tensors outside it were not read{}.",
                                             quotedName(prefix), outside, stray.empty() ? "" : fmt::format(" ({}, …)", quotedName(stray))));
    }

    void takeNamed()
    {
        const std::string prefix = m_options.weights + ".";
        const bool any = std::ranges::any_of(m_result.tensors, [&](const TensorView& t) { return t.name.starts_with(prefix); });
        if (!any) {
            std::vector<std::string> there;
            if (m_options.recognises)
                there = modelPrefixes(namesOf(m_result.tensors), m_about, m_options.recognises, 0);
            std::erase(there, "");
            for (const std::string& copy : copiesBeside(m_result.tensors))
                there.push_back(copy);
            throw Error(fmt::format("{} holds no weights under {}; {}.", shown(m_path), quotedName(m_options.weights),
                                    there.empty() ? "leave --weights out" : "it has " + quotedPrefixes(there)));
        }
        keep(prefix);
        m_result.notes.push_back(fmt::format("The weights are those under {}, as asked.", quotedName(m_options.weights)));
    }

    void takeRecognised()
    {
        const std::vector<std::string> prefixes = modelPrefixes(namesOf(m_result.tensors), m_about, m_options.recognises, 0);
        if (prefixes.empty())
            return; // whoever wants a model says that this is none
        if (prefixes.front().empty())
            return leaveOutCopies();
        std::string chosen = prefixes.front();
        if (prefixes.size() > 1) {
            const auto first = std::ranges::find_if(kFirst, [&](std::string_view name) {
                return std::ranges::any_of(prefixes, [&](const std::string& prefix) { return prefix.starts_with(name); });
            });
            if (first == kFirst.end())
                throw Error(fmt::format("{} holds {} sets of weights ({}), none of them under \"model\"; say which one with --weights NAME.",
                                        shown(m_path), prefixes.size(), quotedPrefixes(prefixes)));
            chosen = *std::ranges::find_if(prefixes, [&](const std::string& prefix) { return prefix.starts_with(*first); });
        }
        std::vector<std::string> others = prefixes;
        std::erase(others, chosen);
        const std::size_t before = m_result.tensors.size();
        std::string stray;
        for (const TensorView& tensor : m_result.tensors) {
            const bool known = std::ranges::any_of(prefixes, [&](const std::string& prefix) { return tensor.name.starts_with(prefix); });
            if (!known && stray.empty())
                stray = tensor.name;
        }
        keep(chosen);
        if (m_result.tensors.size() == before) {
            m_taken += chosen;
            return;
        }
        if (!others.empty())
            m_result.notes.push_back(fmt::format("The file holds weights more than once: those under {} are used, not {} (--weights {}).",
                                                 quotedName(chosen.substr(0, chosen.size() - 1)), quotedPrefixes(others),
                                                 shortened(others.front().substr(0, others.front().size() - 1))));
        noteOutside(chosen, before - m_result.tensors.size(), stray);
    }

    /// A model whose names are as they should be, and copies of it behind prefixes.
    void leaveOutCopies()
    {
        const std::vector<std::string> copies = copiesBeside(m_result.tensors);
        if (copies.empty())
            return;
        std::erase_if(m_result.tensors, [&](const TensorView& tensor) {
            return std::ranges::any_of(copies, [&](const std::string& copy) { return tensor.name.starts_with(copy); });
        });
        m_result.notes.push_back(fmt::format("The file holds weights more than once: those without a prefix are used, not {} (--weights {}).",
                                             quotedPrefixes(copies), shortened(copies.front().substr(0, copies.front().size() - 1))));
    }

    /// Only the tensors behind a prefix, without it.
    void keep(const std::string& prefix)
    {
        std::erase_if(m_result.tensors, [&](const TensorView& tensor) { return !tensor.name.starts_with(prefix); });
        for (TensorView& tensor : m_result.tensors)
            tensor.name.erase(0, prefix.size());
    }

    void sortAndCheck()
    {
        std::ranges::sort(m_result.tensors, {}, &TensorView::name);
        const auto twice = std::ranges::adjacent_find(m_result.tensors, {}, &TensorView::name);
        if (twice != m_result.tensors.end())
            throw Error(fmt::format(
                "{} has two tensors named {} (duplicate key); which one counts cannot be known: download the file again.",
                shown(m_path), quotedName(twice->name)));
    }

    Checkpoint m_about; // without its tensors
    std::filesystem::path m_path;
    const CheckpointOptions& m_options;
    NamedTensors m_result;
    std::string m_taken;
};

} // namespace

std::string withoutWrappers(std::string_view name)
{
    std::string result;
    result.reserve(name.size());
    while (!name.empty()) { // one part of the name after the other, each with its point
        const auto wrapper = std::ranges::find_if(kWrappers, [&](std::string_view w) { return name.starts_with(w); });
        const std::size_t size = std::min(name.size(), wrapper != kWrappers.end() ? wrapper->size() : name.find('.') + 1);
        const std::size_t step = size == 0 ? name.size() : size;
        if (wrapper == kWrappers.end())
            result += name.substr(0, step);
        name.remove_prefix(step);
    }
    return result;
}

bool sharesNames(const std::vector<std::string>& names, const std::set<std::string>& others)
{
    constexpr int mostInFront = 3;
    std::size_t shared = 0;
    for (const std::string& name : names) {
        const std::string plain = withoutWrappers(name);
        std::string_view rest = plain;
        bool found = false;
        for (int dropped = 0; dropped < mostInFront && !found; ++dropped) {
            found = others.contains(std::string(rest));
            const std::size_t point = rest.find('.');
            if (point == std::string_view::npos)
                break;
            rest.remove_prefix(point + 1);
        }
        shared += found ? 1 : 0;
    }
    return !names.empty() && shared * 2 >= names.size();
}

bool leadsToModel(const std::vector<std::string>& names, const Recognises& recognises)
{
    std::vector<std::string> plain;
    plain.reserve(names.size());
    for (const std::string& name : names)
        plain.push_back(withoutWrappers(name));
    return !modelPrefixes(plain, Checkpoint(), recognises, 0).empty();
}

NamedTensors withPlainNames(Checkpoint checkpoint, const std::filesystem::path& path, const CheckpointOptions& options, bool weightsChosen)
{
    return Names(std::move(checkpoint), path, options).run(weightsChosen);
}

} // namespace headscope::core
