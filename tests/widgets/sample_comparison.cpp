// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/widgets/sample_comparison.h"

#include "core/trace/model_info.h"

#include <algorithm>
#include <cmath>

namespace headscope::samples {

namespace {

/// Both texts cut at their common borders. Tokens without bytes are left out.
core::Alignment align(const core::TokenizedText& a, const core::TokenizedText& b)
{
    core::Alignment alignment;
    alignment.sameTokens = a == b;
    std::size_t i = 0, j = 0;
    const auto loose = [](const core::TokenizedText& text, std::size_t& at, std::vector<std::size_t>& out) {
        while (at < text.tokens.size() && (text.tokens[at].span.empty() || text.tokens[at].special))
            out.push_back(at++);
    };
    while (true) {
        loose(a, i, alignment.onlyA);
        loose(b, j, alignment.onlyB);
        if (i >= a.tokens.size() || j >= b.tokens.size())
            return alignment;
        core::AlignedUnit unit{{std::min(a.tokens[i].span.begin, b.tokens[j].span.begin), 0}, {i, i + 1}, {j, j + 1}};
        while (a.tokens[unit.a.last - 1].span.end != b.tokens[unit.b.last - 1].span.end) {
            const bool shorterA = a.tokens[unit.a.last - 1].span.end < b.tokens[unit.b.last - 1].span.end;
            if ((shorterA ? unit.a.last : unit.b.last) >= (shorterA ? a : b).tokens.size())
                return alignment;
            ++(shorterA ? unit.a.last : unit.b.last);
        }
        unit.bytes.end = a.tokens[unit.a.last - 1].span.end;
        alignment.units.push_back(unit);
        i = unit.a.last;
        j = unit.b.last;
    }
}

/// By the first token of each side.
float agreementAt(const core::SiteRouting& a, int headA, const core::SiteRouting& b, int headB,
                  const core::AlignedUnit& unit)
{
    int both = 0;
    for (int x = 0; x < a.router.chosen; ++x)
        for (int y = 0; y < b.router.chosen; ++y)
            both += a.experts[a.slot(static_cast<std::int64_t>(unit.a.first), headA, x)] ==
                    b.router.experts - 1 - b.experts[b.slot(static_cast<std::int64_t>(unit.b.first), headB, y)];
    return static_cast<float>(both) / static_cast<float>(std::min(a.router.chosen, b.router.chosen));
}

core::RouterComparison compared(const core::Trace& a, const core::RouterAddress& addressA, const core::Trace& b,
                                const core::RouterAddress& addressB, const std::vector<core::AlignedUnit>& units)
{
    const core::SiteRouting& siteA = *a.site(addressA);
    const core::SiteRouting& siteB = *b.site(addressB);
    core::RouterComparison pair;
    pair.a = addressA;
    pair.b = addressB;
    pair.expertsA = siteA.router.experts;
    pair.expertsB = siteB.router.experts;
    pair.chosenA = siteA.router.chosen;
    pair.chosenB = siteB.router.chosen;
    pair.matching = core::Matching::Coselection;
    double sum = 0;
    for (const core::AlignedUnit& unit : units) {
        pair.unitAgreement.push_back(agreementAt(siteA, siteA.headOf(addressA), siteB, siteB.headOf(addressB), unit));
        sum += static_cast<double>(pair.unitAgreement.back());
    }
    for (int e = 0; e < pair.expertsA; ++e) {
        pair.expertOfB.push_back(e < pair.expertsB ? pair.expertsB - 1 - e : -1);
        pair.gateCorrelations.push_back(e == 0 ? std::nan("") : 0.1 * e);
    }
    pair.agreement = units.empty() ? std::nan("") : sum / static_cast<double>(units.size());
    pair.interval = {pair.agreement - 0.05, pair.agreement + 0.05};
    pair.chance = 0.25;
    pair.nullMean = 0.3;
    pair.null = {0.2, 0.4};
    pair.verdict = pair.agreement > pair.null.high ? core::NullVerdict::Above : core::NullVerdict::Inside;
    pair.bound = pair.expertsA > pair.expertsB ? 0.875 : 1;
    pair.loadDivergence = 0.125;
    pair.mutualInformation = 0.5;
    pair.gateCorrelation = std::nan("");
    pair.stability = 1;
    pair.tooLittleText = static_cast<int>(units.size()) * pair.chosenA < 50 * pair.expertsA;
    return pair;
}

} // namespace

std::shared_ptr<core::Comparison> comparisonOf(const std::shared_ptr<const core::Trace>& a,
                                               const std::shared_ptr<const core::Trace>& b)
{
    auto made = std::make_shared<core::Comparison>();
    made->a = a->model;
    made->b = b->model;
    made->matching = core::Matching::Coselection;
    made->whyMatching = "The models are of different families.";
    made->crossFitted = true;
    made->alignment = align(a->text(), b->text());
    const auto& routersA = a->model->routers;
    const auto& routersB = b->model->routers;
    double sum = 0;
    for (std::size_t i = 0; i < std::min(routersA.size(), routersB.size()); ++i) {
        made->routers.push_back(compared(*a, routersA[i].address, *b, routersB[i].address, made->alignment.units));
        sum += made->routers.back().agreement;
    }
    for (std::size_t i = routersB.size(); i < routersA.size(); ++i)
        made->onlyA.push_back({routersA[i].address, "B has no such layer."});
    for (std::size_t i = routersA.size(); i < routersB.size(); ++i)
        made->onlyB.push_back({routersB[i].address, "A has no such layer."});
    made->agreement = made->routers.empty() ? std::nan("") : sum / static_cast<double>(made->routers.size());
    for (std::size_t u = 0; u < made->alignment.units.size(); ++u) {
        core::UnitComparison unit;
        unit.bytes = made->alignment.units[u].bytes;
        double mean = 0;
        for (const core::RouterComparison& pair : made->routers)
            mean += static_cast<double>(pair.unitAgreement[u]);
        unit.agreement = made->routers.empty() ? std::nan("") : mean / static_cast<double>(made->routers.size());
        unit.lossA = u == 0 ? std::nan("") : 2.5 + std::sin(static_cast<double>(u));
        unit.lossB = u == 0 ? std::nan("") : 2.5 + std::cos(static_cast<double>(u));
        unit.divergence = std::nan("");
        unit.contextA = static_cast<std::int64_t>(made->alignment.units[u].a.first);
        unit.contextB = static_cast<std::int64_t>(made->alignment.units[u].b.first);
        made->units.push_back(unit);
    }
    made->loss = {static_cast<std::int64_t>(a->text().text.size()), 1.75, 1.5, {-0.3, -0.2}};
    made->notes = {"Too little text: the matching is not to be trusted."};
    return made;
}

std::shared_ptr<const core::Trace> withLongerTokens(const core::Trace& trace)
{
    auto made = std::make_shared<core::Trace>(trace);
    std::vector<core::Token> tokens;
    std::vector<std::int64_t> kept; // tokens whose decisions stay
    for (std::size_t i = 0; i < trace.text().tokens.size(); ++i) {
        const core::Token& token = trace.text().tokens[i];
        const bool follows = !tokens.empty() && !token.special && !tokens.back().special && !token.span.empty() &&
                             tokens.back().span.end == token.span.begin && kept.back() + 1 == static_cast<std::int64_t>(i);
        if (follows && !tokens.back().span.empty()) {
            tokens.back().piece += token.piece;
            tokens.back().span.end = token.span.end;
            continue;
        }
        tokens.push_back(token);
        tokens.back().group = static_cast<std::int32_t>(tokens.size()) - 1;
        kept.push_back(static_cast<std::int64_t>(i));
    }
    made->streams.front().text.tokens = tokens;
    for (auto& shared : made->sites) {
        auto site = std::make_shared<core::SiteRouting>(*shared);
        site->tokens = static_cast<std::int64_t>(kept.size());
        site->logits.clear();
        site->experts.clear();
        site->gates.clear();
        site->margins.clear();
        for (const std::int64_t token : kept)
            for (int head = 0; head < site->heads; ++head) {
                site->margins.push_back(shared->margins[shared->margin(token, head)]);
                for (int position = 0; position < site->router.chosen; ++position) {
                    site->experts.push_back(shared->experts[shared->slot(token, head, position)]);
                    site->gates.push_back(shared->gates[shared->slot(token, head, position)]);
                }
            }
        shared = std::move(site);
    }
    made->attention.clear();
    return made;
}

} // namespace headscope::samples
