// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/unfinished_counts.h"

#include "core/checkpoint/atomic_file.h"
#include "core/corpus/partial_file.h"
#include "core/error.h"

#include <QCryptographicHash>
#include <QDir>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>
#include <cmath>

namespace headscope::app {

namespace {

namespace fs = std::filesystem;

/// Paths are bytes, JSON is text.
QString encoded(const std::string& bytes)
{
    return QString::fromLatin1(QByteArray::fromStdString(bytes).toPercentEncoding("/"));
}

std::string decoded(const QJsonValue& value)
{
    return QByteArray::fromPercentEncoding(value.toString().toLatin1()).toStdString();
}

QString shown(const fs::path& path)
{
    return QString::fromStdString(path.string());
}

fs::path descriptionOf(fs::path state)
{
    return state.replace_extension(".json");
}

std::int64_t integer(const QJsonObject& object, const char* key)
{
    const double value = object.value(QLatin1String(key)).toDouble();
    return std::isfinite(value) && value >= 0 && value < 1e15 ? static_cast<std::int64_t>(value) : 0;
}

QJsonObject describe(const core::CountSettings& settings, double fraction)
{
    QJsonArray corpus;
    for (const fs::path& path : settings.corpus)
        corpus.append(encoded(fs::absolute(path).string()));
    QJsonObject object;
    object[QLatin1String("corpus")] = corpus;
    object[QLatin1String("documents")] = encoded(toString(settings.documents));
    if (!settings.documents.jsonField.empty())
        object[QLatin1String("jsonField")] = encoded(settings.documents.jsonField);
    object[QLatin1String("tags")] = settings.tags.empty() ? QString() : encoded(fs::absolute(settings.tags).string());
    object[QLatin1String("window")] = static_cast<double>(settings.window);
    object[QLatin1String("skipFirst")] = static_cast<double>(settings.skipFirst);
    object[QLatin1String("words")] = settings.words;
    object[QLatin1String("groups")] = settings.groups;
    object[QLatin1String("frequentTokens")] = static_cast<double>(settings.frequentTokens);
    object[QLatin1String("fraction")] = fraction;
    return object;
}

std::optional<UnfinishedCount> understand(const QJsonObject& object)
{
    UnfinishedCount unfinished;
    core::CountSettings& settings = unfinished.settings;
    for (const QJsonValue& path : object.value(QLatin1String("corpus")).toArray())
        settings.corpus.emplace_back(decoded(path));
    const auto documents = core::documentSplitFromString(decoded(object.value(QLatin1String("documents"))));
    if (settings.corpus.empty() || !documents)
        return std::nullopt;
    settings.documents = *documents;
    settings.documents.jsonField = decoded(object.value(QLatin1String("jsonField")));
    settings.tags = decoded(object.value(QLatin1String("tags")));
    settings.window = integer(object, "window");
    settings.skipFirst = integer(object, "skipFirst");
    settings.words = object.value(QLatin1String("words")).toBool();
    settings.groups = static_cast<int>(std::min<std::int64_t>(integer(object, "groups"), core::maxGroups));
    settings.frequentTokens = static_cast<std::size_t>(integer(object, "frequentTokens"));
    unfinished.fraction = std::clamp(object.value(QLatin1String("fraction")).toDouble(), 0.0, 1.0);
    return unfinished;
}

} // namespace

fs::path UnfinishedCounts::stateOf(const fs::path& checkpoint) const
{
    const QByteArray path = QByteArray::fromStdString(fs::absolute(checkpoint).lexically_normal().string());
    return m_folder /
           (QCryptographicHash::hash(path, QCryptographicHash::Sha256).toHex().left(32).toStdString() + ".partial");
}

core::CountSettings UnfinishedCounts::begin(const fs::path& checkpoint, core::CountSettings settings)
{
    if (m_folder.empty() || !QDir().mkpath(shown(m_folder)) || core::PartialFile::isHeld(stateOf(checkpoint)))
        return settings;
    if (!settings.resume)
        forget(checkpoint);
    settings.partial = stateOf(checkpoint);
    note(checkpoint, settings, settings.resume ? find(checkpoint).value_or(UnfinishedCount{}).fraction : 0);
    keepFew(settings.partial);
    return settings;
}

void UnfinishedCounts::note(const fs::path& checkpoint, const core::CountSettings& settings, double fraction) const
{
    if (m_folder.empty())
        return;
    try {
        core::AtomicFile file(descriptionOf(stateOf(checkpoint)));
        file.write(QJsonDocument(describe(settings, fraction)).toJson().toStdString());
        file.commit();
    } catch (const core::Error&) {
        // Without it the count cannot be gone on with, and nothing else is lost.
    }
}

void UnfinishedCounts::forget(const fs::path& checkpoint) const
{
    if (m_folder.empty())
        return;
    std::error_code ignored;
    core::PartialFile::remove(stateOf(checkpoint)); // unless another window's count is at it
    fs::remove(descriptionOf(stateOf(checkpoint)), ignored);
}

std::optional<UnfinishedCount> UnfinishedCounts::find(const fs::path& checkpoint) const
{
    constexpr qint64 mostBytes = 1 << 20;
    if (m_folder.empty())
        return std::nullopt;
    const fs::path state = stateOf(checkpoint);
    QFile file(shown(descriptionOf(state)));
    if (QFileInfo(shown(state)).size() == 0 || file.size() > mostBytes || !file.open(QIODevice::ReadOnly))
        return std::nullopt;
    auto unfinished = understand(QJsonDocument::fromJson(file.readAll()).object());
    if (unfinished) {
        unfinished->settings.partial = state;
        unfinished->settings.resume = true;
    }
    return unfinished;
}

/// The ones that were begun longest ago go.
void UnfinishedCounts::keepFew(const fs::path& newest) const
{
    const QFileInfoList all = QDir(shown(m_folder)).entryInfoList({QStringLiteral("*.json")}, QDir::Files, QDir::Time);
    std::error_code ignored;
    for (qsizetype i = mostKept; i < all.size(); ++i) {
        fs::path description = all[i].filePath().toStdString();
        if (description.stem() == newest.stem())
            continue;
        fs::remove(description, ignored);
        core::PartialFile::remove(description.replace_extension(".partial"));
    }
}

} // namespace headscope::app
