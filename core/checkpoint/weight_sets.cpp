// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/weight_sets.h"

#include "core/checkpoint/message_text.h"
#include "core/checkpoint/other_formats.h"
#include "core/checkpoint/wrapped_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>
#include <unordered_set>

namespace headscope::core {
namespace {

// Where training codes put the state dict, in the order of preference.
constexpr std::array<std::string_view, 4> kModelKeys = {"model", "state_dict", "model_state_dict", "module"};
constexpr std::array<std::string_view, 6> kNoWeights = {"scaler", "sampler", "lr_scheduler", "interface", "run_invariants", "param_shapes"};
constexpr int kDeepest = 3;
constexpr std::size_t kLongestKey = 128;

bool mayHoldWeights(std::string_view key)
{
    return key.size() <= kLongestKey && key.find("optim") == std::string_view::npos && key != "exp_avg" && key != "exp_avg_sq" &&
           std::ranges::find(kNoWeights, key) == kNoWeights.end();
}

/// Finds the sets of a document.
class SetWalk
{
public:
    SetWalk(const TorchFile& file, const Progress& progress) : m_file(file), m_document(file.document()), m_progress(progress) {}

    std::vector<WeightSet> run()
    {
        visit(m_document.root, "", 0);
        return std::move(m_sets);
    }

private:
    bool firstVisit(PickleId id) { return m_seen.insert(static_cast<std::uint32_t>(id)).second; }

    void ask()
    {
        constexpr std::uint64_t entriesBetweenQuestions = 1024;
        if (++m_entries % entriesBetweenQuestions == 0)
            m_progress.checkpoint();
    }

    void visit(PickleId id, const std::string& name, int depth)
    {
        if (m_document.isDictLike(id))
            visitDict(id, name, depth);
        else if (m_document.kind(id) == PickleKind::List || m_document.kind(id) == PickleKind::Tuple)
            visitList(id, name);
    }

    void visitDict(PickleId id, const std::string& name, int depth)
    {
        std::size_t tensors = 0;
        std::vector<std::pair<std::string, PickleId>> below;
        bool shared = false; // content of another dict, which has been looked at
        for (const auto& content : m_document.contentsOf(id)) {
            if (content && !firstVisit(*content))
                shared = true;
            if (!content || shared)
                continue;
            for (const auto& [key, value] : m_document.entriesOfContent(*content)) {
                ask();
                const auto text = m_document.text(key);
                if (!text)
                    continue;
                if (m_file.isTensor(value))
                    ++tensors;
                else if (depth < kDeepest && mayHoldWeights(*text) && mayHold(value))
                    below.emplace_back(toUtf8(*text), value);
            }
        }
        if (tensors != 0 && !shared)
            m_sets.push_back({name, id, false, tensors});
        for (const auto& [key, value] : below)
            visit(value, name.empty() ? key : name + "." + key, depth + 1);
    }

    bool mayHold(PickleId id) const
    {
        const PickleKind kind = m_document.kind(id);
        return kind == PickleKind::List || kind == PickleKind::Tuple || m_document.isDictLike(id);
    }

    void visitList(PickleId id, const std::string& name)
    {
        const std::span<const PickleId> items = m_document.itemsOf(id);
        if (items.size() < 2 || !firstVisit(id))
            return;
        for (const PickleId item : items) {
            ask();
            if (!m_file.isTensor(item))
                return;
        }
        m_sets.push_back({name, id, true, items.size()});
    }

    const TorchFile& m_file;
    const PickleDocument& m_document;
    const Progress& m_progress;
    std::uint64_t m_entries = 0;
    std::vector<WeightSet> m_sets;
    std::unordered_set<std::uint32_t> m_seen;
};

std::string quotedNames(const std::vector<const WeightSet*>& sets)
{
    constexpr std::size_t most = 5;
    std::vector<std::string> names;
    for (const WeightSet* set : sets) {
        if (names.size() < most)
            names.push_back(set->name.empty() ? "the top level" : quotedName(set->name));
    }
    return fmt::format("{}{}", fmt::join(names, ", "), sets.size() > most ? ", …" : "");
}

std::string underName(const WeightSet& set)
{
    return set.name.empty() ? "at the top level" : "under " + quotedName(set.name);
}

/// Chooses among the sets of a file and reads the chosen one.
class Choice
{
public:
    Choice(const TorchFile& file, const CheckpointOptions& options, const Progress& progress)
        : m_file(file), m_document(file.document()), m_options(options), m_progress(progress),
          m_path(shown(file.file()->path())), m_sets(weightSets(file, progress))
    {
    }

    ChosenWeights run()
    {
        if (const WeightSet* named = find(m_options.weights); named != nullptr && !m_options.weights.empty())
            return readNamed(*named);
        const WeightSet& set = preferred();
        ChosenWeights result;
        result.tensors = readDict(set, result.notes);
        if (!set.name.empty() && std::ranges::find(kModelKeys, set.name) == kModelKeys.end())
            result.notes.push_back(fmt::format("The weights are those under {}.", quotedName(set.name)));
        noteOthers(set, result);
        return result;
    }

private:
    const WeightSet* find(std::string_view name) const
    {
        const auto found = std::ranges::find(m_sets, name, &WeightSet::name);
        return found == m_sets.end() ? nullptr : &*found;
    }

    const WeightSet& preferred() const
    {
        for (const std::string_view key : kModelKeys) {
            if (const WeightSet* set = find(key); set != nullptr && !set->list)
                return *set;
        }
        std::vector<const WeightSet*> dicts;
        std::vector<const WeightSet*> models;
        for (const WeightSet& set : m_sets) {
            if (set.list)
                continue;
            dicts.push_back(&set);
            if (m_options.recognises && leadsToModel(namesOf(set), m_options.recognises))
                models.push_back(&set);
        }
        const std::vector<const WeightSet*>& candidates = models.empty() ? dicts : models;
        if (candidates.empty())
            throwNoModel(m_file);
        if (candidates.size() == 1 || candidates.front()->name.empty()) // the top level comes first
            return *candidates.front();
        throw Error(fmt::format("{} holds {} sets of weights ({}), none of them under \"model\" or \"state_dict\"; say which one with "
                                "--weights NAME.",
                                m_path, candidates.size(), quotedNames(candidates)));
    }

    std::vector<std::string> namesOf(const WeightSet& set) const
    {
        std::vector<std::string> names;
        for (const auto& [key, value] : m_document.entriesOf(set.where)) {
            const auto text = m_document.text(key);
            if (text && m_file.isTensor(value))
                names.push_back(toUtf8(text->substr(0, 1024)));
        }
        return names;
    }

    std::vector<TensorView> readDict(const WeightSet& set, std::vector<std::string>& notes) const
    {
        requireCredible(set);
        std::vector<TensorView> tensors;
        tensors.reserve(set.tensors);
        std::size_t others = 0;
        for (const auto& [key, value] : m_document.entriesOf(set.where)) {
            const std::optional<std::string_view> name = m_document.text(key);
            if (!name || !m_file.isTensor(value)) {
                ++others;
                continue;
            }
            if (!isUtf8(*name))
                throw Error(fmt::format("{}: the tensor name {} is no valid text; the file is damaged, download it again.", m_path,
                                        quotedName(*name)));
            if (tensors.size() % 256 == 0)
                m_progress.checkpoint();
            tensors.push_back(m_file.tensor(value, std::string(name->substr(0, 2000))));
        }
        if (others != 0 && set.where != m_document.root)
            notes.push_back(fmt::format("{} entries of the state dict are not tensors and were left out.", others));
        refusePartialWeights(m_file, tensors);
        return tensors;
    }

    /// A tensor takes at least some ten bytes of a pickle; a file that names one over and over is none that training saved.
    void requireCredible(const WeightSet& set) const
    {
        constexpr std::size_t few = 1000;
        constexpr std::size_t leastBytes = 20;
        if (set.tensors > few && set.tensors * leastBytes > m_document.byteCount())
            throw Error(fmt::format("{} names {} tensors in {} bytes, too few for that; download the file again.", m_path, set.tensors,
                                    m_document.byteCount()));
    }

    ChosenWeights readNamed(const WeightSet& set) const
    {
        ChosenWeights result;
        result.byName = true;
        result.tensors = set.list ? readList(set, preferred()) : readDict(set, result.notes);
        result.notes.push_back(fmt::format("The weights are those {}, as asked.", underName(set)));
        return result;
    }

    /// A list has no names: those of the model's own dict, in its order, if they fit. Tied weights are in a list once.
    std::vector<TensorView> readList(const WeightSet& set, const WeightSet& model) const
    {
        requireCredible(set);
        std::vector<std::string> notes;
        std::vector<TensorView> named = readDict(model, notes);
        std::vector<std::size_t> first(named.size()); // the tensor whose storage each one shares
        std::vector<std::size_t> distinct;
        std::map<std::tuple<std::uint64_t, std::uint64_t, std::vector<std::int64_t>>, std::size_t> places;
        for (std::size_t i = 0; i < named.size(); ++i) {
            first[i] = places.try_emplace({named[i].storageBegin, named[i].offset, named[i].shape}, i).first->second;
            if (first[i] == i)
                distinct.push_back(i);
        }
        const std::span<const PickleId> items = m_document.itemsOf(set.where);
        std::vector<TensorView> result = named;
        const bool whole = items.size() == named.size();
        for (std::size_t place = 0; place < items.size() && (whole || items.size() == distinct.size()); ++place) {
            TensorView& target = result[whole ? place : distinct[place]];
            const TensorView tensor = m_file.tensor(items[place], target.name);
            if (tensor.shape != target.shape)
                throwNoFit(set, model);
            target = tensor;
        }
        if (!whole && items.size() != distinct.size())
            throwNoFit(set, model);
        for (std::size_t i = 0; i < result.size() && !whole; ++i) {
            const std::string name = result[i].name;
            result[i] = result[first[i]];
            result[i].name = name;
        }
        return result;
    }

    [[noreturn]] void throwNoFit(const WeightSet& set, const WeightSet& model) const
    {
        throw Error(fmt::format("{}: {} is a list of {} tensors without names, which do not fit the {} tensors {} one by one; load it "
                                "with the code that made it and save a state dict.",
                                m_path, quotedName(set.name), set.tensors, model.tensors, underName(model)));
    }

    /// Other sets with the same tensors: averages of the weights, mostly.
    void noteOthers(const WeightSet& chosen, ChosenWeights& result) const
    {
        std::vector<const WeightSet*> others;
        std::set<std::string> names;
        for (const WeightSet& set : m_sets) {
            if (&set == &chosen || set.tensors * 2 < chosen.tensors)
                continue;
            if (names.empty())
                for (const TensorView& tensor : result.tensors)
                    names.insert(withoutWrappers(tensor.name));
            if (set.list || sharesNames(namesOf(set), names))
                others.push_back(&set);
        }
        if (!others.empty())
            result.notes.push_back(fmt::format("The file holds weights more than once: those {} are used, not {} (--weights {}).", underName(chosen),
                                               quotedNames(others), shortened(others.front()->name)));
    }

    const TorchFile& m_file;
    const PickleDocument& m_document;
    const CheckpointOptions& m_options;
    const Progress& m_progress;
    std::string m_path;
    std::vector<WeightSet> m_sets;
};

} // namespace

std::vector<WeightSet> weightSets(const TorchFile& file, const Progress& progress)
{
    return SetWalk(file, progress).run();
}

ChosenWeights chooseWeights(const TorchFile& file, const CheckpointOptions& options, const Progress& progress)
{
    return Choice(file, options, progress).run();
}

} // namespace headscope::core
