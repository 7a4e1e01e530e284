// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

namespace headscope::app {

struct Ticket;

/// Owner of one piece of work in a ComputeQueue. Lives on the GUI thread. Its destructor cancels the work and waits until no
/// worker touches it, and after that nothing is delivered; so a job that is a member of its receiver can never reach a
/// receiver that is gone.
class Job
{
public:
    Job() = default;
    explicit Job(std::shared_ptr<Ticket> ticket) : m_ticket(std::move(ticket)) {}
    ~Job() { abandon(); }
    Job(Job&&) noexcept = default;
    Job& operator=(Job&& other) noexcept;
    Job(const Job&) = delete;
    Job& operator=(const Job&) = delete;

    /// Asks the work to stop and returns at once; WasCancelled is delivered, or the value when the work was quicker.
    void cancel();
    /// The outcome has not been delivered yet.
    bool pending() const;

private:
    void abandon();

    std::shared_ptr<Ticket> m_ticket;
};

} // namespace headscope::app
