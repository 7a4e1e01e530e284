// SPDX-License-Identifier: GPL-3.0-or-later
// How often the intervals of a comparison hold the truth: units that depend on each other, as those of a text do.
#include "core/compare/losses.h"
#include "core/compare/unit_intervals.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <limits>
#include <random>

namespace headscope::core {
namespace {

/// A stationary series of standard normal values, each `dependence` of the one before.
std::vector<double> series(std::size_t units, double dependence, std::mt19937_64& random)
{
    std::normal_distribution<double> normal;
    std::vector<double> values{normal(random)};
    while (values.size() < units)
        values.push_back(dependence * values.back() + std::sqrt(1 - dependence * dependence) * normal(random));
    return values;
}

struct Coverage {
    double held = 0, doubtful = 0;
};

constexpr int rounds = 1000;

/// Differences of losses, larger on longer units, 0.1 bits a byte on the mean.
Coverage ofLosses(std::size_t units, double dependence, std::mt19937_64& random)
{
    Coverage coverage;
    for (int round = 0; round < rounds; ++round) {
        const auto values = series(units, dependence, random);
        std::vector<UnitComparison> compared(units);
        std::size_t byte = 0;
        for (std::size_t unit = 0; unit < units; ++unit) {
            const std::size_t bytes = 1 + random() % 6;
            compared[unit].bytes = {byte, byte + bytes};
            byte += bytes;
            compared[unit].lossA = 3;
            compared[unit].lossB = 3 + std::log(2.0) * (0.1 * static_cast<double>(bytes) +
                                                        std::sqrt(static_cast<double>(bytes)) * values[unit]);
        }
        const LossComparison loss = compareLosses(compared, WithIntervals::Yes);
        coverage.held += loss.difference.low <= 0.1 && 0.1 <= loss.difference.high ? 1.0 / rounds : 0;
        coverage.doubtful += loss.differenceDoubtful ? 1.0 / rounds : 0;
    }
    return coverage;
}

/// Agreement of one choice: 1 in seven of ten units.
Coverage ofAgreement(std::size_t units, double dependence, std::mt19937_64& random)
{
    Coverage coverage;
    constexpr double reach = 0.5244005; // normal values below it are 0.7 of all
    for (int round = 0; round < rounds; ++round) {
        std::vector<float> agreement;
        for (const double value : series(units, dependence, random))
            agreement.push_back(value < reach ? 1.0F : 0.0F);
        const UnitInterval interval = shareInterval(agreement);
        coverage.held += interval.interval.low <= 0.7 && 0.7 <= interval.interval.high ? 1.0 / rounds : 0;
        coverage.doubtful += interval.doubtful ? 1.0 / rounds : 0;
    }
    return coverage;
}

TEST(FaultB16, IntervalsHoldTheTruthAsOftenAsTheySayOrSayThatTheyDoNot)
{
    std::mt19937_64 random(16);
    double losses = 0, agreements = 0, cases = 0;
    for (const std::size_t units : {500, 1500, 6000})
        for (const double dependence : {0.0, 0.3, 0.6, 0.8, 0.9, 0.95}) {
            if (units == 6000 && (dependence == 0.3 || dependence == 0.8))
                continue; // as their neighbours
            const Coverage loss = ofLosses(units, dependence, random);
            const Coverage agreement = ofAgreement(units, dependence, random);
            std::printf("%4zu units, dependence %.2f: loss %.3f (doubtful %.2f), agreement %.3f (doubtful %.2f)\n", units,
                        dependence, loss.held, loss.doubtful, agreement.held, agreement.doubtful);
            constexpr double chance = 0.018; // of a thousand rounds
            for (const Coverage& one : {loss, agreement}) {
                EXPECT_LT(one.held, 0.97 + chance);
                if (one.doubtful < 0.5) {
                    EXPECT_GT(one.held, 0.93 - chance) << units << ' ' << dependence;
                }
                EXPECT_GT(one.held, 0.87); // in doubt, but not nonsense
            }
            if (loss.doubtful < 0.5 && agreement.doubtful < 0.5) {
                losses += loss.held;
                agreements += agreement.held;
                ++cases;
            }
        }
    EXPECT_GT(losses / cases, 0.935);
    EXPECT_LT(losses / cases, 0.965);
    EXPECT_GT(agreements / cases, 0.935);
    EXPECT_LT(agreements / cases, 0.965);
}

TEST(FaultB16, BlocksAreAsLongAsTheDependenceAsks)
{
    std::mt19937_64 random(3);
    double before = 0;
    for (const double dependence : {0.0, 0.5, 0.8, 0.95}) {
        double mean = 0;
        for (int round = 0; round < 20; ++round)
            mean += blockLength(series(2000, dependence, random)) / 20;
        EXPECT_GT(mean, before) << dependence;
        before = mean;
        if (dependence > 0) { // (3/2·(2φ/(1 - φ²))²·n)^⅓, the length for a series of this kind
            const double slope = 2 * dependence / (1 - dependence * dependence);
            EXPECT_NEAR(mean, std::cbrt(1.5 * slope * slope * 2000), 0.45 * mean) << dependence;
        }
    }
}

TEST(FaultB16, WhatHangsTogetherOverMostOfATextIsSaid)
{
    std::vector<float> halves(400, 0.0F);
    std::fill(halves.begin() + 200, halves.end(), 1.0F);
    const UnitInterval interval = shareInterval(halves);
    EXPECT_TRUE(interval.doubtful);
    EXPECT_EQ(interval.stretches, 6);
    const UnitInterval even = shareInterval(std::vector<float>(400, 0.5F));
    EXPECT_FALSE(even.doubtful);
    EXPECT_EQ(even.interval.low, 0.5);
    EXPECT_EQ(even.interval.high, 0.5);
    EXPECT_TRUE(std::isnan(shareInterval(std::vector<float>(fewestIntervalUnits - 1, 0.5F)).interval.low));
    EXPECT_TRUE(std::isnan(shareInterval(std::vector<float>(400, std::numeric_limits<float>::quiet_NaN())).interval.high));
}

} // namespace
} // namespace headscope::core
