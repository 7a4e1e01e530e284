// SPDX-License-Identifier: GPL-3.0-or-later
// Every hyper-parameter and every tensor shape of all fixtures is changed in turn, and held to what the family's table says
// of it.
#include "tests/core/families/key_subject.h"

#include "core/families/argument_values.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

namespace headscope::tests {
namespace {

using core::KeyClass;
using nlohmann::json;

class KeyChanges : public ::testing::TestWithParam<std::string>
{
protected:
    KeySubject subject{GetParam()};
    KeySubject::Outcome before = subject.open();
    core::Arguments arguments = subject.arguments();

    const core::ParameterKey* row(const std::string& key) const { return subject.table().row(key, arguments.traits()); }
    KeySubject::Outcome changed(const std::string& key, const json& value,
                                KeySubject::Depth depth = KeySubject::Depth::Traced) const
    {
        auto parameters = subject.parameters();
        parameters[key] = value;
        subject.write(parameters);
        auto outcome = subject.open(depth);
        subject.write(subject.parameters());
        return outcome;
    }
    /// Every key of the fixture and of the table.
    std::vector<std::string> keys() const
    {
        std::set<std::string> all;
        for (const auto& [key, value] : subject.parameters().items())
            all.insert(key);
        for (const auto& known : subject.table().keys)
            if (!known.name.ends_with('*'))
                all.emplace(known.name);
        if (subject.parameterFile() == "args.json")
            all.erase("family"); // only the user may say it
        return {all.begin(), all.end()};
    }
    json current(const std::string& key) const
    {
        const auto found = subject.parameters().find(key);
        return found == subject.parameters().end() ? json(std::string(subject.table().fallback(key))) : *found;
    }
    /// The words of the table that mean the same as this one.
    std::string synonymsOf(const std::string& key, const std::string& word) const
    {
        std::string group;
        for (const auto& known : subject.table().keys) {
            if (known.name != key)
                continue;
            std::string words(known.words);
            for (std::size_t at = 0; at <= words.size();) {
                const auto end = std::min(words.find(", ", at), words.size());
                const auto one = words.substr(at, end - at);
                const auto all = core::wordsOf(one);
                if (std::find(all.begin(), all.end(), word) != all.end())
                    group = one;
                at = end + 2;
            }
        }
        return group;
    }
    bool meansTheSame(const std::string& key, const json& a, const json& b) const
    {
        if (a == b)
            return true;
        const auto text = [](const json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); };
        if (core::isNone(a) || core::isNone(b))
            return core::isNone(a) && core::isNone(b);
        if (core::asNumber(a) && core::asNumber(b))
            return *core::asNumber(a) == *core::asNumber(b);
        return a.is_string() && b.is_string() && !synonymsOf(key, text(a)).empty() &&
               synonymsOf(key, text(a)) == synonymsOf(key, text(b));
    }
    /// Other values than the present one.
    std::vector<json> plausible(const std::string& key) const
    {
        const auto now = current(key);
        std::vector<json> values{"banana", json::array({1, 2}), "none"};
        for (const auto& known : subject.table().keys)
            if (known.name == key)
                for (const auto& word : core::wordsOf(known.words))
                    values.emplace_back(word);
        if (const auto number = core::asNumber(now)) {
            for (const double value : {*number + 1, *number - 1, *number * 2, 0.0})
                values.push_back(value == static_cast<double>(static_cast<std::int64_t>(value))
                                     ? json(static_cast<std::int64_t>(value))
                                     : json(value));
            values.emplace_back(std::to_string(static_cast<std::int64_t>(*number) + 3));
        } else {
            values.insert(values.end(), {json(3), json(5), json("9")});
        }
        std::erase_if(values, [&](const json& value) { return meansTheSame(key, value, now); });
        // An absent key stands for its default.
        if (!subject.parameters().contains(key))
            std::erase_if(values, [&](const json& value) { return core::sameValue(value, subject.table().fallback(key)); });
        // What the tensors say is no other value either.
        const auto known = std::find_if(before.settings.begin(), before.settings.end(),
                                        [&](const auto& setting) { return setting.name == key; });
        if (known != before.settings.end() && known->source == "shapes")
            std::erase_if(values, [&](const json& value) { return core::sameValue(value, known->value); });
        return values;
    }
    /// Where none stands for a number: d / H, or the width of keys.
    bool standsForTheSame(const std::string& key, const json& value) const
    {
        const auto number = [&](const char* name) {
            return core::asNumber(subject.parameters().value(name, json())).value_or(0);
        };
        if (key == "moe.att.qside_n_experts" || key == "moe.att.kq_n_experts") // as many as the others have
            return core::asNumber(value).value_or(number("moe.att.n_experts")) ==
                   core::asNumber(current(key)).value_or(number("moe.att.n_experts"));
        if (key == "lm.trafo.test_context_blocks" && core::asNumber(value).value_or(0) == 0) // then those of training count
            return core::asNumber(current(key)) == number("lm.trafo.context_blocks");
        if (key == "transformer.head_projection_size" && core::isNone(value))
            return number("state_size") / number("transformer.n_heads") == core::asNumber(current(key));
        return false;
    }

    /// Without a number of their own, sites have that of all: then this one does not fit.
    static testing::Matcher<std::string> namesIt(const std::string& key)
    {
        if (key == "moe.att.qside_n_experts" || key == "moe.att.kq_n_experts")
            return testing::AnyOf(testing::HasSubstr(key), testing::HasSubstr("moe.att.n_experts"));
        return testing::HasSubstr(key);
    }

    void hold(const std::string& key, const json& value, const KeySubject::Outcome& after) const
    {
        const auto what = fmt::format("{}: {} = {} (was {}), {}", GetParam(), key, value.dump(), current(key).dump(),
                                      core::toString(arguments.classOf(key)));
        const auto saysSomething = [&] {
            return std::any_of(after.notes.begin(), after.notes.end(), [&](const auto& note) {
                return note.find(key + " ") != std::string::npos || note.find(key + ",") != std::string::npos;
            });
        };
        switch (arguments.classOf(key)) {
        case KeyClass::Cut:
            EXPECT_THAT(after.refusal, namesIt(key)) << what;
            EXPECT_THAT(after.refusal, testing::EndsWith(".")) << what;
            return;
        case KeyClass::Settled:
            if (!after.refusal.empty())
                return;
            EXPECT_EQ(after.logits, before.logits) << what;
            EXPECT_TRUE(saysSomething()) << what;
            return;
        case KeyClass::Free:
            if (after.refusal.empty()) {
                EXPECT_NE(after.logits, before.logits) << what;
            } else {
                EXPECT_THAT(after.refusal, testing::EndsWith(".")) << what;
            }
            return;
        case KeyClass::Texts:
            if (after.refusal.empty()) {
                EXPECT_EQ(after.logits, before.logits) << what;
            }
            return;
        case KeyClass::Inactive:
            EXPECT_EQ(after.refusal, "") << what;
            EXPECT_EQ(after.logits, before.logits) << what;
            EXPECT_EQ(saysSomething(), !core::sameValue(value, subject.table().fallback(key))) << what;
            return;
        case KeyClass::Training:
            EXPECT_EQ(after.refusal, "") << what;
            EXPECT_EQ(after.notes, before.notes) << what;
            return;
        }
    }
};

TEST_P(KeyChanges, EveryKeyIsHeldToItsClass)
{
    ASSERT_EQ(before.refusal, "");
    std::map<KeyClass, int> held;
    for (const auto& key : keys()) {
        ASSERT_TRUE(subject.table().knows(key)) << key;
        const auto training = arguments.classOf(key) == KeyClass::Training;
        auto values = plausible(key);
        if (training)
            values.resize(2); // all of them are tried together below
        for (const auto& value : values) {
            if (standsForTheSame(key, value))
                continue;
            hold(key, value, changed(key, value, training ? KeySubject::Depth::Described : KeySubject::Depth::Traced));
            ++held[arguments.classOf(key)];
        }
    }
    EXPECT_GT(held[KeyClass::Cut], 5);
    EXPECT_GT(held[KeyClass::Free], 5);
}

TEST_P(KeyChanges, WhatOnlyTrainingKnowsDoesNotMatter)
{
    auto parameters = subject.parameters();
    for (const auto& key : keys())
        if (arguments.classOf(key) == KeyClass::Training)
            parameters[key] = "banana";
    subject.write(parameters);
    const auto after = subject.open();
    EXPECT_EQ(after.refusal, "");
    EXPECT_EQ(after.notes, before.notes);
    EXPECT_EQ(after.logits, before.logits);
}

TEST_P(KeyChanges, NoFixtureHasAnUnknownKey)
{
    for (const auto& [key, value] : subject.parameters().items())
        EXPECT_TRUE(subject.table().knows(key)) << key;
    EXPECT_THAT(before.notes, testing::Not(testing::Contains(testing::HasSubstr("does not know"))));
}

TEST_P(KeyChanges, AMissingKeyIsAskedForOrHasItsDefault)
{
    for (const auto& [key, value] : subject.parameters().items()) {
        const auto* known = row(key);
        if (!known || known->kind == KeyClass::Training || key == "family" || key == "keys")
            continue;
        auto parameters = subject.parameters();
        parameters.erase(key);
        subject.write(parameters);
        const auto after = subject.open();
        if (!known->must.empty() && core::holds(known->must, arguments.traits()) && known->kind != KeyClass::Texts) {
            EXPECT_THAT(after.refusal, testing::HasSubstr(key)) << key;
            continue;
        }
        if (known->kind == KeyClass::Cut ||
            known->kind == KeyClass::Settled) { // the tensors tell, or the default fits them or not
            if (after.refusal.empty()) {
                EXPECT_EQ(after.logits, before.logits) << key;
            } else {
                EXPECT_THAT(after.refusal, namesIt(key)) << key;
            }
            continue;
        }
        if (!after.refusal.empty()) // the default is not possible here
            EXPECT_THAT(after.refusal, testing::HasSubstr(fmt::format("{} is {}", key, known->fallback)));
        else if (core::sameValue(value, known->fallback)) {
            EXPECT_EQ(after.logits, before.logits) << key;
        }
    }
    subject.write(subject.parameters());
}

TEST_P(KeyChanges, EveryShapeIsHeldToTheOthers)
{
    for (std::size_t i = 0; i < subject.tensors(); ++i) {
        const auto& tensor = subject.tensor(i);
        std::vector<std::vector<std::int64_t>> shapes;
        for (std::size_t d = 0; d < tensor.shape.size(); ++d) {
            for (const auto size : {tensor.shape[d] + 1, tensor.shape[d] - 1, tensor.shape[d] * 2}) {
                shapes.push_back(tensor.shape);
                shapes.back()[d] = size;
            }
        }
        shapes.push_back(tensor.shape);
        shapes.back().push_back(1);
        if (tensor.elementCount() > 1) { // a single number may be written as [1] and as []
            shapes.push_back(tensor.shape);
            shapes.back().pop_back();
        }
        for (const auto& shape : shapes) {
            subject.writeWithShape(i, shape);
            const auto after = subject.open(KeySubject::Depth::Described);
            const auto what =
                fmt::format("{}: {} {} instead of {}", GetParam(), tensor.name, json(shape).dump(), tensor.describe());
            if (subject.table().ignores(tensor.name)) {
                EXPECT_EQ(after.refusal, "") << what;
            } else {
                EXPECT_THAT(after.refusal, testing::EndsWith(".")) << what;
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Generated, KeyChanges, ::testing::ValuesIn(variantNames()),
                         [](const auto& tested) { return tested.param; });
INSTANTIATE_TEST_SUITE_P(Fixtures, KeyChanges, ::testing::ValuesIn(openableFixtures()),
                         [](const auto& tested) { return tested.param; });

} // namespace
} // namespace headscope::tests
