// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/checkpoint.h"
#include "tests/core/checkpoint/test_files.h"
#include "tests/core/checkpoint/torch_file_writer.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <unistd.h>

namespace headscope::core {
namespace {

namespace fs = std::filesystem;

/// Bytes of a file that are in the page cache, as mincore tells; nullopt when it cannot tell.
std::optional<std::uint64_t> cachedBytes(const fs::path& path)
{
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    const std::uint64_t size = fs::file_size(path);
    const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    void* memory = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, descriptor, 0);
    std::vector<unsigned char> resident((size + page - 1) / page);
    const bool told = memory != MAP_FAILED && ::mincore(memory, size, resident.data()) == 0;
    if (memory != MAP_FAILED)
        ::munmap(memory, size);
    ::close(descriptor);
    if (!told)
        return std::nullopt;
    return page * static_cast<std::uint64_t>(
                      std::ranges::count_if(resident, [](unsigned char state) { return (state & 1U) != 0; }));
}

/// Writes the file out and drops it from the page cache.
void forgetPages(const fs::path& path)
{
    const int descriptor = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
    ::fsync(descriptor);
    ::posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED);
    ::close(descriptor);
}

bool isMemoryOnly(const fs::path& folder)
{
    struct statfs info = {};
    return ::statfs(folder.c_str(), &info) != 0 || info.f_type == TMPFS_MAGIC || info.f_type == RAMFS_MAGIC;
}

/// Tensors of the sizes a small model has, from a bias to an embedding: 3 MB.
test::TorchCheckpoint trainedModel()
{
    test::TorchCheckpoint checkpoint;
    checkpoint.optimizer = test::OptimizerState::Adam;
    const auto add = [&](std::string name, std::int64_t rows, std::int64_t columns) {
        checkpoint.tensors.push_back(
            {std::move(name), {rows, columns}, std::vector<double>(static_cast<std::size_t>(rows * columns), 0.5)});
    };
    add("embedding.weight", 4000, 64);
    for (int layer = 0; layer < 4; ++layer) {
        const std::string prefix = "layers." + std::to_string(layer) + ".";
        add(prefix + "norm.weight", 1, 64);
        add(prefix + "experts", 1280, 64);
        add(prefix + "router", 10, 64);
        add(prefix + "ffn", 512, 64);
    }
    return checkpoint;
}

TEST(LazyReading, OptimizerStateIsNeverTouched)
{
    // Not in the folder for temporary files, which is often in memory.
    const test::TemporaryFolder folder(fs::current_path());
    const fs::path path = folder / "model-100.pth";
    test::writeTorchCheckpoint(path, trainedModel());
    std::uint64_t modelBytes = 0;
    std::uint64_t bytesRead = 0;
    forgetPages(path);
    const std::optional<std::uint64_t> before = cachedBytes(path);
    {
        const Checkpoint checkpoint = openCheckpoint(path);
        for (const TensorView& tensor : checkpoint.tensors)
            tensor.readFloats();
        modelBytes = checkpoint.modelBytes();
        bytesRead = checkpoint.bytesRead();
    }
    ASSERT_GT(fs::file_size(path), modelBytes * 29 / 10) << "the file should be three times its model";
    EXPECT_LT(bytesRead, modelBytes + modelBytes / 10);
    if (isMemoryOnly(folder.path()) || !before || *before != 0)
        GTEST_SKIP() << "the page cache cannot be watched here (a file system in memory?): counted " << bytesRead
                     << " bytes only";
    const std::optional<std::uint64_t> touched = cachedBytes(path);
    ASSERT_TRUE(touched);
    EXPECT_GE(*touched, modelBytes);
    EXPECT_LT(*touched, modelBytes + modelBytes / 10);
    RecordProperty("model_bytes", std::to_string(modelBytes));
    RecordProperty("touched_bytes", std::to_string(*touched));
}

TEST(LazyReading, OpeningReadsNoWeights)
{
    const test::TemporaryFolder folder;
    test::writeTorchCheckpoint(folder / "m.pth", trainedModel());
    const Checkpoint checkpoint = openCheckpoint(folder / "m.pth");
    EXPECT_LT(checkpoint.bytesRead(), 40'000U);
}

} // namespace
} // namespace headscope::core
