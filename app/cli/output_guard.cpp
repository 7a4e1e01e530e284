// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/output_guard.h"

#include "core/checkpoint/files_in_use.h"
#include "core/checkpoint/message_text.h"
#include "core/error.h"

#include <fmt/format.h>

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace headscope::app {

namespace fs = std::filesystem;

namespace {

void requireWritable(const OutputGuard::Output& output)
{
    const auto& [option, out] = output;
    std::error_code ignored;
    if (!out.has_filename())
        throw core::Error(fmt::format("{} is a folder; give {} the name of a file.", core::shown(out), option));
    const fs::path final = core::behindLinks(out);
    const fs::path folder = final.has_parent_path() ? final.parent_path() : fs::path(".");
    const fs::file_status status = fs::status(out, ignored);
    const bool ordinary = !fs::exists(status) || fs::is_regular_file(status); // a pipe or a device is written in place
    if (ordinary && !fs::exists(folder, ignored))
        throw core::Error(fmt::format("The folder {} of {} does not exist; create it first.", core::shown(folder), option));
    if (ordinary && !fs::is_directory(folder, ignored))
        throw core::Error(fmt::format("{} of {} is not a folder.", core::shown(folder), option));
    if (fs::is_directory(status))
        throw core::Error(fmt::format("{} is a folder; give {} the name of a file.", core::shown(out), option));
    if (access((ordinary ? folder : out).c_str(), W_OK) != 0)
        throw core::Error(fmt::format("Nothing can be written to {}: {}.", core::shown(ordinary ? folder : out),
                                      std::generic_category().message(errno)));
}

void requireNotRead(const OutputGuard::Output& output)
{
    const auto conflict = core::conflictWith(output.path);
    if (!conflict)
        return;
    if (conflict->how == core::InUse::How::InsideCorpus)
        throw core::Error(fmt::format(
            "{} {} lies in the folder {}, whose files are the corpus, and would be counted the next time; give it "
            "another folder.",
            output.option, core::shown(output.path), conflict->name()));
    throw core::Error(fmt::format("{} {} would overwrite {}, which this command reads; give it another name.", output.option,
                                  core::shown(output.path), conflict->name()));
}

/// Existing files by what they are, others by where they would be.
bool same(const fs::path& a, const fs::path& b)
{
    struct stat infoA = {};
    struct stat infoB = {};
    const bool thereA = ::stat(a.c_str(), &infoA) == 0;
    const bool thereB = ::stat(b.c_str(), &infoB) == 0;
    if (thereA && thereB)
        return infoA.st_dev == infoB.st_dev && infoA.st_ino == infoB.st_ino &&
               !S_ISCHR(infoA.st_mode); // /dev/null takes any number
    if (thereA != thereB)
        return false;
    std::error_code ignored;
    const auto place = [&ignored](const fs::path& path) {
        const fs::path final = core::behindLinks(fs::absolute(path, ignored));
        return fs::weakly_canonical(final.parent_path(), ignored) / final.filename();
    };
    return place(a) == place(b);
}

} // namespace

OutputGuard::OutputGuard(std::vector<Output> outputs) : m_outputs(std::move(outputs))
{
    std::erase_if(m_outputs, [](const Output& output) { return output.path.empty(); });
    for (const Output& output : m_outputs)
        requireWritable(output);
    check();
}

void OutputGuard::check() const
{
    for (std::size_t i = 0; i < m_outputs.size(); ++i) {
        requireNotRead(m_outputs[i]);
        for (std::size_t j = 0; j < i; ++j) {
            if (same(m_outputs[i].path, m_outputs[j].path))
                throw core::Error(fmt::format("{} and {} both name the file {}; give them different names.",
                                              m_outputs[j].option, m_outputs[i].option, core::shown(m_outputs[i].path)));
        }
    }
}

} // namespace headscope::app
