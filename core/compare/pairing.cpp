// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compare/pairing.h"

#include "core/error.h"
#include "core/trace/model_info.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <string_view>

namespace headscope::core {
namespace {

/// Layers of a stack: those of an encoder or decoder are counted by their routers.
int layersOf(const RoutedModel& model, Stack stack)
{
    int layers = stack == Stack::None ? model.layers : 0;
    for (const RoutedSite& site : model.sites)
        if (site.address.stack == stack)
            layers = std::max(layers, site.address.depth + 1);
    return layers;
}

std::size_t siteNamed(const RoutedModel& model, const RouterAddress& address, std::string_view name)
{
    const auto site =
        std::find_if(model.sites.begin(), model.sites.end(),
                     [whole = address.wholeSite()](const RoutedSite& other) { return other.address == whole; });
    if (site == model.sites.end() ||
        (address.head && std::find(site->heads.begin(), site->heads.end(), *address.head) == site->heads.end()))
        throw Error(fmt::format("{} has no router {}: it cannot be paired by hand.", name, address.toString()));
    return static_cast<std::size_t>(site - model.sites.begin());
}

/// One side while its routers are given away.
class Side
{
public:
    Side(const RoutedModel& model, std::string_view name) : m_model(model), m_name(name)
    {
        for (const RoutedSite& site : model.sites)
            m_free.push_back(site.sharedWith ? std::vector<int>{} : site.heads);
    }

    const RoutedModel& model() const { return m_model; }
    std::string_view name() const { return m_name; }
    const std::vector<int>& free(std::size_t site) const { return m_free[site]; }
    void take(std::size_t site, const std::vector<int>& heads)
    {
        std::erase_if(m_free[site],
                      [&heads](int head) { return std::find(heads.begin(), heads.end(), head) != heads.end(); });
    }
    bool has(const RouterAddress& address) const
    {
        return std::any_of(m_model.sites.begin(), m_model.sites.end(),
                           [&](const RoutedSite& site) { return site.address == address; });
    }

private:
    const RoutedModel& m_model;
    std::string_view m_name;
    std::vector<std::vector<int>> m_free; // of every site
};

using PairedLayers = std::map<Stack, std::vector<int>>; // [layers of A] of a stack

class Pairer
{
public:
    Pairer(const RoutedModel& a, const RoutedModel& b) : m_a(a, "A"), m_b(b, "B")
    {
        for (const Stack stack : {Stack::None, Stack::Encoder, Stack::Decoder}) {
            m_layerOfB[stack] = pairLayers(layersOf(a, stack), layersOf(b, stack));
            auto& back = m_layerOfA[stack];
            back.assign(static_cast<std::size_t>(layersOf(b, stack)), -1);
            for (std::size_t layer = 0; layer < m_layerOfB[stack].size(); ++layer)
                if (m_layerOfB[stack][layer] >= 0)
                    back[static_cast<std::size_t>(m_layerOfB[stack][layer])] = static_cast<int>(layer);
        }
    }

    void byHand(PairsByHand pairs)
    {
        for (const auto& [a, b] : pairs) {
            const std::size_t siteA = siteNamed(m_a.model(), a, m_a.name());
            const std::size_t siteB = siteNamed(m_b.model(), b, m_b.name());
            const auto heads = [](const RouterAddress& address, const RoutedSite& site) {
                return address.head ? std::vector<int>{*address.head} : site.heads;
            };
            add(siteA, heads(a, m_a.model().sites[siteA]), siteB, heads(b, m_b.model().sites[siteB]));
        }
        for (const SitePair& pair : m_pairing.pairs) {
            m_a.take(pair.siteA, pair.headsA);
            m_b.take(pair.siteB, pair.headsB);
        }
    }

    void bySite()
    {
        const auto taken = m_pairing.pairs.size();
        for (std::size_t siteA = 0; siteA < m_a.model().sites.size(); ++siteA)
            for (std::size_t siteB = 0; siteB < m_b.model().sites.size(); ++siteB)
                if (correspond(m_a.model().sites[siteA].address, m_b.model().sites[siteB].address))
                    add(siteA, m_a.free(siteA), siteB, m_b.free(siteB));
        for (std::size_t i = taken; i < m_pairing.pairs.size(); ++i) {
            m_a.take(m_pairing.pairs[i].siteA, m_pairing.pairs[i].headsA);
            m_b.take(m_pairing.pairs[i].siteB, m_pairing.pairs[i].headsB);
        }
    }

    Pairing result() &&
    {
        std::stable_sort(m_pairing.pairs.begin(), m_pairing.pairs.end(),
                         [](const SitePair& x, const SitePair& y) { return x.siteA < y.siteA; });
        m_pairing.onlyA = leftovers(m_a, m_b, m_layerOfB);
        m_pairing.onlyB = leftovers(m_b, m_a, m_layerOfA);
        return std::move(m_pairing);
    }

private:
    /// Whether these sites are paired unless somebody wants it otherwise.
    bool correspond(const RouterAddress& a, const RouterAddress& b) const
    {
        if (a.stack != b.stack || a.block != b.block || m_layerOfB.at(a.stack)[static_cast<std::size_t>(a.depth)] != b.depth)
            return false;
        const auto with = [](RouterAddress address, Site site) {
            address.site = site;
            return address;
        };
        if (a.site == Site::QO && b.site == Site::O)
            return !m_b.has(with(b, Site::QO));
        if (a.site == Site::O && b.site == Site::QO)
            return !m_a.has(with(a, Site::QO));
        return a.site == b.site;
    }

    /// A `qo` is one decision for all heads: it is compared with each.
    void add(std::size_t siteA, const std::vector<int>& headsA, std::size_t siteB, const std::vector<int>& headsB)
    {
        if (headsA.empty() || headsB.empty())
            return;
        const bool every =
            (m_a.model().sites[siteA].address.site == Site::QO) != (m_b.model().sites[siteB].address.site == Site::QO);
        if (!every) {
            m_pairing.pairs.push_back({siteA, siteB, headsA, headsB});
            return;
        }
        for (const int a : headsA)
            for (const int b : headsB)
                m_pairing.pairs.push_back({siteA, siteB, {a}, {b}});
    }

    static std::string why(const RouterAddress& address, const Side& other, const std::vector<int>& layers)
    {
        if (other.model().sites.empty())
            return fmt::format("{} has no routers.", other.name());
        const int layer = layers[static_cast<std::size_t>(address.depth)];
        if (layer < 0)
            return fmt::format("{} has no layer at this relative depth.", other.name());
        auto counterpart = address.wholeSite();
        counterpart.depth = layer;
        const auto site = std::find_if(other.model().sites.begin(), other.model().sites.end(),
                                       [&counterpart](const RoutedSite& one) { return one.address == counterpart; });
        if (site == other.model().sites.end())
            return fmt::format("{} does not route {} in its layer {}.", other.name(), toString(address.site), layer);
        if (site->sharedWith)
            return fmt::format("{} of {} uses the decision of {}.", counterpart.toString(), other.name(),
                               site->sharedWith->toString());
        return fmt::format("{} of {} was paired with another router.", counterpart.toString(), other.name());
    }

    static std::vector<UnpairedRouter> leftovers(const Side& side, const Side& other, const PairedLayers& layers)
    {
        std::vector<UnpairedRouter> result;
        for (std::size_t i = 0; i < side.model().sites.size(); ++i) {
            const RoutedSite& site = side.model().sites[i];
            for (const int head : side.free(i))
                result.push_back({site.router(head), why(site.address, other, layers.at(site.address.stack))});
        }
        return result;
    }

    Side m_a, m_b;
    PairedLayers m_layerOfB, m_layerOfA;
    Pairing m_pairing;
};

} // namespace

RouterAddress RoutedSite::router(int head) const
{
    RouterAddress result = address;
    if (perHead)
        result.head = head;
    return result;
}

RoutedModel routedModel(const Trace& trace)
{
    RoutedModel model;
    model.layers = trace.model ? trace.model->layers : 0;
    for (const auto& site : trace.sites) {
        std::vector<int> heads(static_cast<std::size_t>(site->heads));
        std::iota(heads.begin(), heads.end(), 0);
        model.sites.push_back({site->router.address.wholeSite(), std::move(heads), site->perHead, site->router.stream,
                               site->router.sharedWith});
    }
    return model;
}

RoutedModel routedModel(const Counts& counts)
{
    RoutedModel model;
    for (const RouterCounts& one : counts.routers) {
        const RouterAddress& address = one.router.address;
        const auto known = std::find_if(model.sites.begin(), model.sites.end(),
                                        [&address](const RoutedSite& site) { return site.address == address.wholeSite(); });
        if (known != model.sites.end())
            known->heads.push_back(address.head.value_or(0));
        else
            model.sites.push_back({address.wholeSite(),
                                   {address.head.value_or(0)},
                                   address.head.has_value(),
                                   one.router.stream,
                                   one.router.sharedWith});
        model.layers = std::max(model.layers, address.depth + 1);
    }
    return model;
}

std::vector<int> pairLayers(int layersA, int layersB)
{
    if (layersA > layersB) {
        std::vector<int> ofA(static_cast<std::size_t>(layersA), -1);
        const std::vector<int> ofB = pairLayers(layersB, layersA);
        for (std::size_t layer = 0; layer < ofB.size(); ++layer)
            ofA[static_cast<std::size_t>(ofB[layer])] = static_cast<int>(layer);
        return ofA;
    }
    // best[i][j]: the least distance of the first i layers of A from layers among the first j of B.
    const auto a = static_cast<std::size_t>(std::max(layersA, 0));
    const auto b = static_cast<std::size_t>(std::max(layersB, 0));
    const auto distance = [layersA, layersB](std::size_t i, std::size_t j) {
        return std::abs((static_cast<double>(i) + 0.5) / layersA - (static_cast<double>(j) + 0.5) / layersB);
    };
    constexpr double never = 1e300;
    constexpr double equal = 1e-12; // of two that are as close the first is taken, whatever was rounded
    std::vector<std::vector<double>> best(a + 1, std::vector<double>(b + 1, never));
    best[0].assign(b + 1, 0);
    for (std::size_t i = 1; i <= a; ++i)
        for (std::size_t j = i; j <= b; ++j) {
            const double with = best[i - 1][j - 1] + distance(i - 1, j - 1);
            best[i][j] = with < best[i][j - 1] - equal ? with : best[i][j - 1];
        }
    std::vector<int> layers(a, -1);
    for (std::size_t i = a, j = b; i > 0; --j) {
        if (j > i && best[i][j - 1] <= best[i][j])
            continue;
        layers[--i] = static_cast<int>(j - 1);
    }
    return layers;
}

Pairing pairRouters(const RoutedModel& a, const RoutedModel& b, PairsByHand byHand)
{
    Pairer pairer(a, b);
    pairer.byHand(byHand);
    pairer.bySite();
    return std::move(pairer).result();
}

} // namespace headscope::core
