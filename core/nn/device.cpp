// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nn/device.h"

#include "core/error.h"

#include <ATen/Context.h>
#include <ATen/detail/CUDAHooksInterface.h>

#include <dlfcn.h>
#include <fmt/format.h>

#include <charconv>
#include <optional>

namespace headscope::core::nn {
namespace {

/// Why CUDA cannot be used; empty when it can.
struct Cuda {
    int devices = 0;
    std::string reason;
};

/// ATen remembers its CUDA hooks at the first question, so libtorch_cuda has to be in the process before. Without a driver there is nothing
/// to ask: the CPU build answers all by itself.
Cuda openCuda()
{
    if (!dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL))
        return {0, "no NVIDIA driver was found on this machine"};
    if (!dlopen("libtorch_cuda.so", RTLD_NOW | RTLD_GLOBAL)) {
        const char* why = dlerror();
        return {0, fmt::format("the CUDA part of LibTorch could not be loaded ({}); `scripts/setup --cuda` brings it", why ? why : "unknown reason")};
    }
    const auto& hooks = at::detail::getCUDAHooks();
    if (!hooks.hasCUDA())
        return {0, "the NVIDIA driver reports no usable device"};
    const int devices = hooks.deviceCount();
    return {devices, devices > 0 ? "" : "the NVIDIA driver reports no usable device"};
}

const Cuda& cuda()
{
    static const Cuda opened = openCuda(); // once per process: a library cannot be unloaded again
    return opened;
}

std::optional<int> cudaIndex(std::string_view name)
{
    if (name == "cuda")
        return 0;
    if (!name.starts_with("cuda:"))
        return std::nullopt;
    const auto digits = name.substr(5);
    int index = -1;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
    if (digits.empty() || error != std::errc() || end != digits.data() + digits.size() || index < 0)
        return std::nullopt;
    return index;
}

} // namespace

at::Device resolveDevice(std::string_view name)
{
    if (name == "cpu")
        return at::Device(at::kCPU);
    if (name == "auto")
        return cuda().devices > 0 ? at::Device(at::kCUDA, 0) : at::Device(at::kCPU);
    const auto index = cudaIndex(name);
    if (!index)
        throw Error(fmt::format("\"{}\" is not a device Headscope knows: use auto, cpu, cuda or cuda:<number>.", name));
    if (cuda().devices == 0)
        throw Error(fmt::format("Device {} cannot be used: {}; use --device cpu.", name, cuda().reason));
    if (*index >= cuda().devices)
        throw Error(fmt::format("Device {} does not exist: this machine has {} CUDA device{}; use cuda:0{}.", name, cuda().devices,
                                cuda().devices == 1 ? "" : "s",
                                cuda().devices == 1 ? "" : fmt::format(" to cuda:{}", cuda().devices - 1)));
    return at::Device(at::kCUDA, static_cast<c10::DeviceIndex>(*index));
}

std::vector<std::string> deviceNames()
{
    std::vector<std::string> names;
    for (int index = 0; index < cuda().devices; ++index)
        names.push_back(fmt::format("cuda:{}", index));
    names.emplace_back("cpu");
    return names;
}

std::string toString(at::Device device)
{
    return device.is_cuda() ? fmt::format("cuda:{}", static_cast<int>(device.index())) : "cpu";
}

} // namespace headscope::core::nn
