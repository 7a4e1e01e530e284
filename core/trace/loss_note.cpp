// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/loss_note.h"

#include "core/trace/model_info.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace headscope::core {

namespace {

constexpr double slack = 0.1; // nats above ln V that an untrained model may have, besides the standard error of the mean
constexpr int fewest = 4;     // losses

} // namespace

std::optional<std::string> lossNote(const Trace& trace)
{
    if (!trace.model || trace.model->vocabulary < 2)
        return std::nullopt;
    double n = 0, sum = 0, squares = 0;
    for (const float loss : trace.loss) {
        if (std::isnan(loss))
            continue;
        n += 1;
        sum += double{loss};
        squares += double{loss} * double{loss};
    }
    if (n < fewest)
        return std::nullopt;
    const double mean = sum / n;
    const double error = std::sqrt(std::max(0.0, squares / n - mean * mean) / (n - 1));
    const double uniform = std::log(static_cast<double>(trace.model->vocabulary));
    if (!(mean > uniform + slack + error)) // also where it is not finite: that is told elsewhere
        return std::nullopt;
    return fmt::format("The mean loss of this text is {:.2f} nats, above the {:.2f} of a uniform guess among {} tokens: the "
                       "tokenizer, the text policy or the "
                       "hyper-parameters are hardly those of its training, or it was not trained on such text.",
                       mean, uniform, trace.model->vocabulary);
}

} // namespace headscope::core
