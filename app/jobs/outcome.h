// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/missing_parameters.h"
#include "core/progress.h"

#include <exception>
#include <new>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace headscope::app {

/// Why a job has no value: the sentence of the core::Error, ready to be shown.
struct Failure {
    std::string sentence;
    std::vector<core::MissingParameter> missing = {}; // with these a checkpoint could be opened
};

/// The job was no longer wanted. Nothing is shown.
struct WasCancelled {
};

/// What became of a job. Exceptions end where the job ends: they never cross a thread.
template <class T>
using Outcome = std::variant<T, Failure, WasCancelled>;

/// Runs `work` and makes a value of however it ends.
template <class T, class Work>
Outcome<T> outcomeOf(Work&& work, const core::Progress& progress)
{
    try {
        progress.checkpoint();
        return Outcome<T>(std::in_place_index<0>, std::forward<Work>(work)(progress));
    } catch (const core::Cancelled&) {
        return WasCancelled{};
    } catch (const core::MissingParameters& error) {
        return Failure{error.what(), error.parameters()};
    } catch (const core::Error& error) {
        return Failure{error.what()};
    } catch (const std::bad_alloc&) {
        return Failure{"There is not enough memory for this; close a checkpoint or shorten the text."};
    } catch (const std::exception& error) {
        return Failure{std::string("This went wrong in a way nobody foresaw: ") + error.what() + "."};
    } catch (...) {
        return Failure{"This went wrong in a way nobody foresaw, without saying how."};
    }
}

} // namespace headscope::app
