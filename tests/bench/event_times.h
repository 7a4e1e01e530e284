// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QApplication>
#include <QEvent>

#include <map>
#include <string>
#include <vector>

namespace headscope {

/// An application that adds up what its thread spends in every kind of event of every class of objects: processor time, less
/// that of events sent from within.
class TimedApplication : public QApplication
{
public:
    using QApplication::QApplication;

    bool notify(QObject* receiver, QEvent* event) override;
    void forgetTimes();
    /// Milliseconds per repetition of everything above `least`, the most first.
    void printTimes(int repetitions, double least) const;

private:
    std::map<std::string, double> m_times; // "Paint TokenStrip" -> milliseconds
    std::vector<double> m_within;          // of the events under way: what those inside took
};

} // namespace headscope
