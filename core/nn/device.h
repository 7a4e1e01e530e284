// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/TensorBody.h>

#include <string>
#include <string_view>
#include <vector>

namespace headscope::core::nn {

/// Where and in what type a model computes.
struct Compute {
    at::Device device = at::Device(at::kCPU);
    at::ScalarType dtype = at::kFloat;

    at::TensorOptions options() const { return at::TensorOptions().device(device).dtype(dtype); }
};

/// "auto" (the first CUDA device, else the CPU), "cpu", "cuda", "cuda:<n>". Opens libtorch_cuda when CUDA is asked for and a driver is there,
/// before any question to ATen about CUDA. Throws Error with a sentence when the device is unknown or absent.
at::Device resolveDevice(std::string_view name);

/// "cuda:0", …, "cpu"
std::vector<std::string> deviceNames();

/// "cpu", "cuda:0"
std::string toString(at::Device device);

} // namespace headscope::core::nn
