// SPDX-License-Identifier: GPL-3.0-or-later
// What a checkpoint took comes back to the system when it is closed: glibc would keep it.
#include "app/window/program.h"
#include "app/window/status_line.h"
#include "app/window/workspace.h"
#include "core/checkpoint/safetensors_writer.h"

#include <QPointer>
#include <QTemporaryDir>
#include <QTest>

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <numeric>

using namespace headscope;
using namespace headscope::app;

namespace {

constexpr int layers = 8, width = 256, heads = 4, headWidth = 64, experts = 16, vocabulary = 2000;

std::vector<core::SafetensorsEntry> entries()
{
    using core::DType;
    std::vector<core::SafetensorsEntry> all{{"embedding.weight", DType::F32, {vocabulary, width}},
                                            {"lm_head.weight", DType::F32, {vocabulary, width}}};
    for (int layer = 0; layer < layers; ++layer) {
        const auto add = [&](const char* name, std::vector<std::int64_t> shape) {
            all.push_back({fmt::format("layers.{}.{}", layer, name), DType::F32, std::move(shape)});
        };
        add("norm.weight", {width});
        add("norm.bias", {width});
        add("attention.q.weight", {heads * headWidth, width});
        add("attention.k.weight", {heads * headWidth, width});
        add("attention.v", {heads * experts, width, headWidth});
        add("attention.o", {heads * experts, headWidth, width});
        add("attention.sel_v", {heads * experts, width});
        add("attention.sel_o", {heads * experts, width});
    }
    return all;
}

/// Bytes of a file of weights that are different everywhere, so that no page of them is shared.
std::int64_t writeCheckpoint(const std::filesystem::path& path)
{
    const auto all = entries();
    core::SafetensorsWriter writer(path, all);
    std::uint32_t state = 1;
    std::int64_t bytes = 0;
    for (const core::SafetensorsEntry& entry : all) {
        std::vector<float> values(static_cast<std::size_t>(
            std::accumulate(entry.shape.begin(), entry.shape.end(), std::int64_t{1}, std::multiplies<>())));
        for (float& value : values) {
            state = state * 1664525u + 1013904223u;
            value = (static_cast<float>(state >> 8) / 16777216.0f - 0.5f) * 0.1f;
        }
        writer.write<float>(values);
        bytes += static_cast<std::int64_t>(values.size() * sizeof(float));
    }
    writer.finish();
    return bytes;
}

} // namespace

class MemoryTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void openedAndClosedManyTimes();
    void oneOfTwoIsClosed();

private:
    std::filesystem::path write(const char* name);
    void openAndTrace(Workspace& workspace, const std::filesystem::path& path);
    void closeAndWait(Workspace& workspace, CheckpointSession* session);

    QTemporaryDir m_folder;
    std::int64_t m_bytes = 0; // of the weights of one checkpoint
};

void MemoryTest::initTestCase()
{
#if defined(__SANITIZE_ADDRESS__)
    QSKIP("AddressSanitizer keeps freed memory to catch uses of it.");
#endif
    QVERIFY(residentBytes() > 0);
}

std::filesystem::path MemoryTest::write(const char* name)
{
    const std::filesystem::path folder = m_folder.path().toStdString();
    std::filesystem::create_directories(folder / name);
    m_bytes = writeCheckpoint(folder / name / "model.safetensors");
    std::ofstream(folder / name / "headscope.json") << R"({"n_heads": 4, "moe_k": 2, "position_encoding": "rope"})";
    return folder / name / "model.safetensors";
}

void MemoryTest::openAndTrace(Workspace& workspace, const std::filesystem::path& path)
{
    QString failure;
    const auto watched = connect(&workspace, &Workspace::openFailed, this,
                                 [&](const std::filesystem::path&, const QString& sentence) { failure = sentence; });
    const auto alsoWatched = connect(&workspace, &Workspace::traceFailed, this,
                                     [&](CheckpointSession*, const QString& sentence) { failure = sentence; });
    workspace.open(path);
    QTRY_VERIFY_WITH_TIMEOUT((workspace.idle() && workspace.current()) || !failure.isEmpty(), 60000);
    disconnect(watched);
    disconnect(alsoWatched);
    QVERIFY2(failure.isEmpty(), qPrintable(failure));
}

void MemoryTest::closeAndWait(Workspace& workspace, CheckpointSession* session)
{
    const QPointer leaving(session);
    workspace.close(session);
    QTRY_VERIFY(!leaving); // it goes when nothing of it runs
    QTRY_VERIFY(workspace.compute().idle());
}

void MemoryTest::openedAndClosedManyTimes()
{
    const auto path = write("one");
    QVERIFY(m_bytes > 60'000'000);
    Workspace workspace(modelOpener());
    std::string text;
    for (int i = 0; i < 400; ++i)
        text += std::to_string(i * 7 % vocabulary) + " ";
    workspace.setText(text);
    const auto openAndClose = [&](std::int64_t before) {
        openAndTrace(workspace, path);
        if (before > 0) {
            const std::int64_t taken = residentBytes() - before;
            QVERIFY2(taken > m_bytes * 8 / 10, qPrintable(bytesText(taken))); // or this test measures nothing
        }
        closeAndWait(workspace, workspace.checkpoints().current());
    };
    openAndClose(0); // libraries, buffers and threads that stay for good
    const std::int64_t before = residentBytes();
    for (int i = 0; i < 5; ++i) {
        openAndClose(before);
        // In its own time: the memory is given back behind the last job.
        const auto left = [&] { return residentBytes() - before; };
        QTRY_VERIFY2_WITH_TIMEOUT(left() < m_bytes / 5,
                                  qPrintable(QStringLiteral("%1 after closing %2").arg(bytesText(left())).arg(i + 1)), 10000);
    }
}

void MemoryTest::oneOfTwoIsClosed()
{
    const auto one = write("one"), two = write("two");
    Workspace workspace(modelOpener());
    workspace.setText("1 2 3 4 5 6 7 8");
    openAndTrace(workspace, one);
    openAndTrace(workspace, two);
    workspace.put(Slot::B, workspace.checkpoints().session(0));
    QTRY_VERIFY(workspace.idle() && workspace.secondCurrent());
    const std::int64_t both = residentBytes();
    closeAndWait(workspace, workspace.checkpoints().second());
    QVERIFY2(both - residentBytes() > m_bytes * 8 / 10, qPrintable(bytesText(both - residentBytes())));
    workspace.setText("8 7 6 5"); // the other one goes on
    QTRY_VERIFY(workspace.current());
}

QTEST_GUILESS_MAIN(MemoryTest)
#include "memory_test.moc"
