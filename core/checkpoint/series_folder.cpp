// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/series_folder.h"

#include "core/checkpoint/checkpoint_folder.h"
#include "core/checkpoint/message_text.h"
#include "core/checkpoint/shard_index.h"
#include "core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace headscope::core {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kDigits = "0123456789";
constexpr std::array<std::string_view, 9> kStepWords = {"step", "steps", "global_step", "iter", "iters", "iteration", "iterations", "it", "update"};
constexpr std::array<std::string_view, 4> kEpochWords = {"epoch", "epochs", "ep", "e"};

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

bool isLetter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// A number in a name and what stands before it.
struct Number {
    std::size_t begin = 0;
    std::size_t end = 0;      // behind it, with what scales it ("k", "e3")
    std::int64_t value = 0;   // rounded where it is a measurement
    bool whole = true;
    std::string_view word;    // in front of it, without what separates them: "step" of "step=400", "" when there is none
    bool assigned = false;    // "word=…": a label of its own, whatever the word
};

std::int64_t scaleOf(char suffix)
{
    switch (suffix) {
    case 'k':
    case 'K': return 1'000;
    case 'm':
    case 'M': return 1'000'000;
    case 'b':
    case 'B': return 1'000'000'000;
    default: return 0;
    }
}

/// The word that a number belongs to: letters and low lines, perhaps with one sign between them and the number.
void addWord(std::string_view name, Number& number)
{
    std::size_t end = number.begin;
    number.assigned = end > 0 && name[end - 1] == '=';
    if (end > 0 && (name[end - 1] == '=' || name[end - 1] == '-' || name[end - 1] == '_' || name[end - 1] == '.'))
        --end;
    std::size_t begin = end;
    while (begin > 0 && (isLetter(name[begin - 1]) || (name[begin - 1] == '_' && begin > 1 && isLetter(name[begin - 2]))))
        --begin;
    number.word = name.substr(begin, end - begin);
}

/// What follows the digits and belongs to the number: a fraction, a power of ten, thousands.
void addTail(std::string_view name, Number& number)
{
    const auto at = [&](std::size_t i) { return i < name.size() ? name[i] : '\0'; };
    const auto ends = [&](std::size_t i) { return !isLetter(at(i)) && !isDigit(at(i)); };
    std::size_t end = number.end;
    if (at(end) == '.' && isDigit(at(end + 1))) {
        end = std::min(name.size(), name.find_first_not_of(kDigits, end + 1));
    }
    std::int64_t scale = scaleOf(at(end));
    std::size_t tail = end + (scale != 0 ? 1 : 0);
    if (at(end) == 'e' && isDigit(at(end + 1)) && isDigit(name[number.begin])) { // 1e3
        tail = std::min(name.size(), name.find_first_not_of(kDigits, end + 1));
        scale = 1;
    }
    const bool fraction = end != number.end;
    if ((scale == 0 && !fraction) || !ends(tail))
        return;
    double value = 0;
    const std::size_t written = scale > 1 ? end : tail;
    if (std::from_chars(name.data() + number.begin, name.data() + written, value).ec != std::errc())
        return;
    value *= static_cast<double>(std::max<std::int64_t>(scale, 1));
    const double rounded = std::round(value);
    if (!(std::abs(value) < 1e15) || (std::abs(value - rounded) > 1e-6 && !number.assigned))
        return; // "0.5" without a label is no step: its last digits are, as of any other name
    number.value = static_cast<std::int64_t>(rounded);
    number.whole = std::abs(value - rounded) <= 1e-6;
    number.end = tail;
}

std::vector<Number> numbersIn(std::string_view name)
{
    std::vector<Number> numbers;
    for (std::size_t begin = name.find_first_of(kDigits); begin != std::string_view::npos;) {
        Number number;
        number.begin = begin;
        number.end = std::min(name.size(), name.find_first_not_of(kDigits, begin));
        const bool fits = std::from_chars(name.data() + begin, name.data() + number.end, number.value).ec == std::errc();
        if (fits) { // else longer than any step
            addWord(name, number);
            addTail(name, number);
            numbers.push_back(number);
        }
        begin = name.find_first_of(kDigits, number.end);
    }
    return numbers;
}

template <std::size_t N>
bool isAmong(const std::array<std::string_view, N>& words, std::string_view word)
{
    std::string lower(word);
    std::ranges::transform(lower, lower.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return std::ranges::any_of(words, [&](std::string_view known) {
        return lower == known || (known.size() > 2 && lower.ends_with("_" + std::string(known)));
    });
}

/// A name without the numbers that may differ in a series, and the one it is ordered by.
struct NumberedName {
    std::string pattern;
    std::int64_t number = 0;
    std::int64_t second = 0; // epochs beside steps
};

std::optional<NumberedName> numbered(std::string_view name)
{
    const std::vector<Number> numbers = numbersIn(name);
    if (numbers.empty())
        return std::nullopt;
    const Number* step = nullptr;
    const Number* epoch = nullptr;
    for (const Number& number : numbers) {
        if (number.whole && isAmong(kStepWords, number.word))
            step = &number;
        else if (number.whole && isAmong(kEpochWords, number.word))
            epoch = &number;
    }
    const bool labelled = step != nullptr || epoch != nullptr;
    const Number* by = step != nullptr ? step : epoch != nullptr ? epoch : &numbers.back();
    NumberedName result{{}, by->value, epoch != nullptr ? epoch->value : 0};
    std::size_t at = 0;
    for (const Number& number : numbers) {
        const bool differs = &number == by || (labelled && (&number == epoch || number.assigned));
        if (!differs)
            continue;
        result.pattern += std::string(name.substr(at, number.begin - at)) + '\0';
        at = number.end;
    }
    result.pattern += name.substr(at);
    return result;
}

/// The part of a file's name that can hold its step.
std::pair<std::string, std::string> stemAndExtension(const fs::path& path)
{
    if (!mayBeCheckpoint(path))
        return {path.filename().string(), ""};
    return {path.stem().string(), path.extension().string()};
}

std::vector<SeriesFile> longestRow(const fs::path& folder)
{
    std::error_code error;
    fs::directory_iterator entries(folder, error);
    if (error)
        throw Error(fmt::format("{} cannot be listed: {}.", shown(folder), error.message()));
    struct Member {
        SeriesFile file;
        std::int64_t second = 0;
    };
    std::map<std::string, std::vector<Member>> rows;
    for (const fs::directory_entry& entry : entries) {
        const fs::path& path = entry.path();
        const bool file = entry.is_regular_file(error);
        if (!(file && mayBeCheckpoint(path)) && !(!file && entry.is_directory(error)))
            continue;
        const std::string name = path.filename().string();
        if (shardNumber(name))
            continue;
        const auto [stem, extension] = stemAndExtension(path);
        if (auto found = numbered(stem))
            rows[found->pattern + extension].push_back({{path, found->number}, found->second});
    }
    std::vector<Member> longest;
    for (auto& [name, members] : rows) {
        if (members.size() > longest.size())
            longest = std::move(members);
    }
    std::ranges::sort(longest, {}, [](const Member& member) { return std::tuple(member.file.step, member.second, member.file.path); });
    std::vector<SeriesFile> files;
    for (Member& member : longest)
        files.push_back(std::move(member.file));
    return files;
}

} // namespace

std::vector<SeriesFile> findSeries(const fs::path& folder)
{
    std::error_code error;
    if (!fs::is_directory(folder, error))
        throw Error(fmt::format("{} is no folder; give the folder that holds the checkpoints of a run.", shown(folder)));
    std::vector<SeriesFile> members = longestRow(folder);
    if (members.size() < 2 && fs::is_directory(folder / "checkpoint", error))
        members = longestRow(folder / "checkpoint");
    if (members.size() < 2)
        throw Error(
            fmt::format("{} does not hold the checkpoints of a run: there are no two whose names differ only in their step "
                        "(model-400.pth, model-800.pth).",
                        shown(folder)));
    return members;
}

} // namespace headscope::core
