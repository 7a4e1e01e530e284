// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/app/cli/driver.h"

namespace headscope::app::testing {

/// A folder with everything that commands read:
///   run/          a checkpoint in two shards with its index, args.json and tokenizer.model
///   nested/       save/args.json and save/checkpoint/model-1.pth: hyper-parameters a folder above
///   series/       model-100.pth, model-200.pth, tokenizer.model
///   corpus/       a.csv, b.csv: texts
///   text.csv fit.csv tags.csv ids.csv sidecar.csv tokenizer.csv a.csv b.csv c.csv (counts; c of another model)
/// All names end so that commands for tables would write over them.
class RunFolder
{
public:
    RunFolder();

    std::string file(const std::string& name) const { return m_folder.file(name); }
    const std::filesystem::path& path() const { return m_folder.path(); }
    /// Names of everything that is there, with folders.
    std::vector<std::string> names() const;

private:
    void makeShards() const;
    OwnFolder m_folder;
};

} // namespace headscope::app::testing
