// SPDX-License-Identifier: GPL-3.0-or-later
// Times of the window on the demonstration checkpoint, offscreen: start to the first routed picture, keystroke to painted
// window, memory.
//
//     headscope_window_bench [KEYSTROKES [TOKENS]]      (120, and texts of 64 and of 512 tokens, unless given)
//
// Behind each line of keystrokes stands what the window's thread did of it, in its own processor time.
#include "tests/bench/event_times.h"

#include "app/window/main_window.h"
#include "app/window/program.h"
#include "app/window/resources.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QEventLoop>
#include <QKeyEvent>
#include <QPlainTextEdit>
#include <QTabWidget>
#include <QTimer>

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

using namespace headscope;
using namespace headscope::app;
using Clock = std::chrono::steady_clock;

namespace {

double milliseconds(Clock::time_point from, Clock::time_point to)
{
    return std::chrono::duration<double, std::milli>(to - from).count();
}

/// Tells when all that has been asked to be painted is painted: its event waits behind those of painting.
class PaintWatch : public QObject
{
public:
    std::function<void()> painted;
    void ask() { QCoreApplication::postEvent(this, new QEvent(QEvent::User), Qt::LowEventPriority - 1); }

private:
    bool event(QEvent* event) override
    {
        if (event->type() == QEvent::User && painted)
            painted();
        return QObject::event(event);
    }
};

/// Runs the event loop until the trace of the text that is in the editor is shown and painted. Gives up after 20 s.
bool waitForPaintedTrace(MainWindow& window)
{
    QEventLoop loop;
    QTimer::singleShot(20000, &loop, [&] { loop.exit(1); });
    PaintWatch watch;
    watch.painted = [&] { loop.exit(0); };
    const auto look = [&] {
        if (window.workspace().trace() && window.workspace().current())
            watch.ask();
    };
    QObject::connect(&window.workspace(), &Workspace::traceChanged, &loop, look, Qt::QueuedConnection);
    return loop.exec() == 0;
}

bool waitForQuiet(MainWindow& window)
{
    QEventLoop loop;
    QTimer look;
    int quiet = 0;
    QObject::connect(&look, &QTimer::timeout, &loop, [&] {
        quiet = window.workspace().current() && window.workspace().idle() ? quiet + 1 : 0;
        if (quiet >= 5)
            loop.exit(0);
    });
    QTimer::singleShot(60000, &loop, [&] { loop.exit(1); });
    look.start(10);
    return loop.exec() == 0;
}

void press(QWidget* widget, int key, const QString& text)
{
    QKeyEvent down(QEvent::KeyPress, key, Qt::NoModifier, text);
    QApplication::sendEvent(widget, &down);
}

/// A text of the demo's kind with this many tokens.
std::string textOf(MainWindow& window, std::int64_t tokens)
{
    std::string text;
    while (true) {
        for (const SampleText& sample : sampleTexts())
            if (sample.title != sampleTexts().back().title)
                text += sample.text + "\n";
        window.setText(text);
        if (!waitForQuiet(window))
            return {};
        const core::TokenizedText& traced = window.workspace().trace()->text();
        if (static_cast<std::int64_t>(traced.tokens.size()) >= tokens)
            return text.substr(0, traced.tokens[static_cast<std::size_t>(tokens) - 1].span.end);
    }
}

struct Times {
    double p50 = 0;
    double p95 = 0;
    double most = 0;
};

Times timesOf(std::vector<double> samples)
{
    std::ranges::sort(samples);
    const auto at = [&](double share) {
        return samples[static_cast<std::size_t>(share * static_cast<double>(samples.size() - 1))];
    };
    return {at(0.5), at(0.95), samples.back()};
}

/// Types letters one by one, each as soon as the window shows the former. Milliseconds of each.
std::vector<double> type(MainWindow& window, int position, int keystrokes)
{
    QPlainTextEdit* edit = window.views().editor()->edit();
    QTextCursor cursor = edit->textCursor();
    cursor.setPosition(position);
    edit->setTextCursor(cursor);
    const QString letters = QStringLiteral("and the letter was not for her ");
    std::vector<double> taken;
    for (int i = 0; i < keystrokes; ++i) {
        if (!waitForQuiet(window))
            break;
        const QChar letter = letters[i % letters.size()];
        const auto start = Clock::now();
        press(edit, letter == u' ' ? int(Qt::Key_Space) : letter.toUpper().unicode(), letter);
        if (!waitForPaintedTrace(window))
            break;
        taken.push_back(milliseconds(start, Clock::now()));
    }
    return taken;
}

void print(const char* what, const std::vector<double>& taken, TimedApplication& program)
{
    if (taken.empty())
        return void(std::printf("%-52s did not answer\n", what));
    const Times times = timesOf(taken);
    std::printf("%-52s %8.1f %8.1f %8.1f   (%zu)\n", what, times.p50, times.p95, times.most, taken.size());
    program.printTimes(static_cast<int>(taken.size()), 0.15);
}

double peakMegabytes()
{
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) / 1024;
}

} // namespace

int main(int argc, char** argv)
{
    const auto start = Clock::now();
    const int keystrokes = argc > 1 ? std::max(10, std::atoi(argv[1])) : 120;
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    TimedApplication program(argc, argv);
    const widgets::Theme::Kind theme = prepareProgram(program);
    Workspace workspace(modelOpener());
    MainWindow window(workspace, MainWindow::Memory::None, theme);
    window.setText(sampleTexts().front().text);
    window.show();
    window.openDemo();
    if (demoCheckpoints().empty() || !waitForPaintedTrace(window)) {
        std::fputs("The demonstration checkpoint did not open; set HEADSCOPE_RESOURCES.\n", stderr);
        return 1;
    }
    std::printf("start to first routed picture: %.0f ms (from main, warm files)\n\n", milliseconds(start, Clock::now()));
    std::printf("%-52s %8s %8s %8s   (n)\n", "keystroke to painted window, ms", "p50", "p95", "most");
    const std::vector<std::int64_t> lengths = argc > 2 ? std::vector<std::int64_t>{std::max(1, std::atoi(argv[2]))}
                                                       : std::vector<std::int64_t>{64, 512};
    for (const std::int64_t tokens : lengths) {
        const std::string text = textOf(window, tokens);
        const int length = static_cast<int>(text.size()); // the texts are ASCII but for the last sample
        for (const int page : {0, 1}) {
            window.views().pages()->setCurrentIndex(page);
            const char* name = page == 0 ? "routing" : "attention";
            char title[80];
            window.setText(text);
            std::snprintf(title, sizeof title, "%lld tokens, at the end, %s in front", static_cast<long long>(tokens), name);
            program.forgetTimes();
            print(title, type(window, length, keystrokes), program);
            window.setText(text);
            std::snprintf(title, sizeof title, "%lld tokens, in the middle, %s in front", static_cast<long long>(tokens),
                          name);
            program.forgetTimes();
            print(title, type(window, length / 2, keystrokes), program);
        }
    }
    std::printf("\nthe last trace alone: %.1f ms; peak memory: %.0f MB\n", workspace.trace()->milliseconds, peakMegabytes());
    return 0;
}
