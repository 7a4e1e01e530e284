#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Plants breaches of every layer rule, one at a time, in a copy of the source tree: the layer check must name each of them.

    plant_breaches.py SOURCE_ROOT
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

SPDX = "// SPDX-License-Identifier: GPL-3.0-or-later\n"

# rule, file, text: the file is made, or the text is appended where it exists; a list of (file, text) plants several at once, and
# the first must be named.
BREACHES = [
    ("direction", "core/trace/planted.cpp", SPDX + '#include "widgets/selection.h"\n'),
    ("direction", "core/export/planted.cpp", SPDX + '#include "app/cli/commands.h"\n'),
    ("direction", "widgets/planted.cpp", SPDX + '#  include "app/window/main_window.h"\n'),
    ("direction", "widgets/CMakeLists.txt", "target_link_libraries(headscope_widgets PRIVATE headscope_window)\n"),
    ("io-below", "core/checkpoint/planted.cpp", SPDX + '#include "core/trace/trace.h"\n'),
    ("io-below", "core/planted.h", SPDX + '#include "core/routing/router.h"\n'),
    ("root-path", "core/trace/planted.cpp", SPDX + '#include "trace.h"\n'),
    ("root-path", "core/trace/planted.cpp", SPDX + '#include "../routing/router.h"\n'),
    ("root-path", "core/trace/planted.cpp", SPDX + '#include "core/trace/../routing/router.h"\n'),
    ("root-path", "widgets/planted.h", SPDX + "#include <core/trace/trace.h>\n"),
    ("qt-in-core", "core/routing/planted.h", SPDX + "#include <QString>\n"),
    ("qt-in-core", "core/stats/planted.h", SPDX + "#include <QtCore/qglobal.h>\n"),
    ("qt-in-core", "core/export/planted.cpp", SPDX + "#include <qcustomplot.h>\n"),
    ("qt-in-core", "app/cli/planted.cpp", SPDX + "#include <QCoreApplication>\n"),
    ("qt-in-core", "app/cli/planted.cpp", SPDX + '#include "widgets/selection.h"\n'),
    ("qt-in-core", "core/CMakeLists.txt", "target_link_libraries(headscope_io PRIVATE Qt6::Core)\n"),
    ("torch-room", "core/checkpoint/planted.cpp", SPDX + "#include <ATen/ATen.h>\n"),
    ("torch-room", "core/stats/planted.cpp", SPDX + "#include <c10/util/Half.h>\n"),
    ("torch-room", "widgets/planted.cpp", SPDX + "#include <torch/torch.h>\n"),
    ("torch-room", "app/window/planted.cpp", SPDX + "#include <ATen/core/Tensor.h>\n"),
    ("torch-room", "tests/widgets/planted.cpp", SPDX + "#include <ATen/core/Tensor.h>\n"),
    ("torch-header", [("core/nn/planted.h", SPDX + "#include <ATen/core/Tensor.h>\n"),
                      ("core/trace/planted.h", SPDX + '#include "core/nn/planted.h"\n'),
                      ("app/planted.cpp", SPDX + '#include "core/trace/planted.h"\n')]),
    ("torch-header", [("core/corpus/planted.h", SPDX + "#include <c10/core/Device.h>\n"),
                      ("core/compare/planted.cpp", SPDX + '#include "core/corpus/planted.h"\n')]),
    ("torch-link", "core/CMakeLists.txt", "target_link_libraries(headscope_core PUBLIC headscope::torch)\n"),
    ("torch-link", "core/CMakeLists.txt", "target_link_libraries(headscope_io PRIVATE headscope::torch)\n"),
    ("torch-link", "app/CMakeLists.txt", "target_link_libraries(headscope PRIVATE headscope::torch)\n"),
    ("names-in-nn", "core/nn/planted.cpp", SPDX + "struct SwitchHeadProjection {};\n"),
    ("names-in-nn", "core/nn/planted.cpp", SPDX + "int switch_head_gates();\n"),
    ("names-in-nn", "core/nn/planted.cpp", SPDX + "bool moaMode = true;\n"),
    ("names-in-nn", "core/nn/planted.cpp", SPDX + "enum class Gate { MOH };\n"),
    ("names-in-nn", "core/nn/planted.cpp", SPDX + 'const char* code = "made by fairseq";\n'),
    ("names-in-nn", "core/nn/planted.cpp", SPDX + 'const char* key = "moe.att.n_experts";\n'),
    ("names-in-nn", "core/nn/planted.cpp", SPDX + 'const char* key = "num_hidden_layers";\n'),
    ("names-in-nn", "core/nn/jetmoe_attention.cpp", SPDX),
    ("names-in-nn", "core/nn/planted.cpp", SPDX + '#include "core/families/model.h"\n'),
    ("files-in-families", "core/families/planted.cpp", SPDX + "#include <fstream>\n"),
    ("files-in-families", "core/families/planted.cpp", SPDX + "#include <cstdio>\n"),
    ("files-in-families", "core/families/planted.cpp", SPDX + "bool there(const char* p) { return std::filesystem::exists(p); }\n"),
    ("files-in-families", "core/families/planted.cpp", SPDX + "int descriptor(const char* p) { return ::open(p, 0); }\n"),
    ("files-in-families", "core/families/a_code/planted.cpp", SPDX + "auto* f(const char* p) { return fopen(p, \"r\"); }\n"),
    ("statistics", "core/stats/planted.cpp", SPDX + '#include "core/families/model.h"\n'),
    ("statistics", "core/compare/planted.cpp", SPDX + '#include "core/checkpoint/checkpoint.h"\n'),
    ("statistics", "core/stats/planted.h", SPDX + "#include <nlohmann/json.hpp>\n"),
    ("one-writer", "core/export/planted.cpp", SPDX + "#include <fstream>\nvoid f() { std::ofstream out(\"x\"); }\n"),
    ("one-writer", "app/cli/planted.cpp", SPDX + "int f(const char* p) { return ::open(p, O_WRONLY | O_CREAT, 0666); }\n"),
    ("one-writer", "app/window/planted.cpp", SPDX + "#include <QSaveFile>\nvoid f() { QSaveFile file(QString()); }\n"),
    ("one-writer", "widgets/planted.cpp", SPDX + "#include <QFile>\nvoid f(QFile& file) { file.open(QIODevice::WriteOnly); }\n"),
    ("noted-read", "core/corpus/planted.cpp", SPDX + "#include <fstream>\nvoid f() { std::ifstream in(\"x\"); }\n"),
    ("noted-read", "app/cli/planted.cpp", SPDX + "int f(const char* p) { return ::open(p, O_RDONLY); }\n"),
    ("spdx", "core/trace/planted.h", "#pragma once\n"),
    ("spdx", "widgets/planted.cpp", "// Copyright\n"),
    ("spdx", "scripts/planted", "#!/bin/bash\n"),
    ("spdx", "tests/widgets/planted.cpp", "int main() {}\n"),
]

# What looks like a breach and is none.
ALLOWED = [
    ("core/nn/planted.cpp", SPDX + "// Equation 7 of SwitchHead; moe_attention writes moe.att.k here.\n/* MoA, MoH */ int moat; // fairseq\n"),
    ("core/nn/planted.h", SPDX + "#include <ATen/core/Tensor.h>\n"),
    ("core/trace/planted.cpp", SPDX + '#include "core/nn/planted.h"\n// #include <QString>\n'),
    ("core/families/planted.cpp", SPDX + '#include <filesystem>\nconst char* moa = "moe.att.k"; // <fstream>\nvoid f(Group& g) { g.open(1); g.read(2); }\n'),
    ("core/stats/planted.cpp", SPDX + '#include "core/trace/trace.h"\n#include <vector>\nconst char* s = "#include <QString>";\n'),
    ("core/corpus/planted.cpp", SPDX + "#include <fstream>\nvoid f() { noteRead(p); std::ifstream in(p); }\n// O_CREAT\n"),
    ("app/figures/planted.cpp", SPDX + "#include <QBuffer>\nvoid f(QBuffer& b) { b.open(QIODevice::WriteOnly); }\n"),
    ("core/stats/distributions.cpp", SPDX + "#include <boost/math/distributions/normal.hpp>\n"),
    ("tests/core/planted.cpp", SPDX + '#include "core/nn/planted.h"\n#include <ATen/ATen.h>\n'),
    ("widgets/planted.cpp", SPDX + '#include "core/trace/trace.h"\n#include "planted.moc"\n#include <QWidget>\n'),
    ("app/planted.cpp", SPDX + '#include "widgets/selection.h"\n#include <qcustomplot.h>\nauto t = R"x(\n#include "../a.h"\n)x";\n'),
]


def copy_tree(source, target):
    for entry in ("core", "widgets", "app", "tests", "cmake", "scripts", ".ci", "CMakeLists.txt"):
        path = os.path.join(source, entry)
        if os.path.isdir(path):
            shutil.copytree(path, os.path.join(target, entry), ignore=shutil.ignore_patterns("data", "__pycache__"))
        elif os.path.exists(path):
            shutil.copy(path, target)


class Planted:
    """Files added to (or text appended in) the tree, taken out again at the end of the block."""

    def __init__(self, tree, plants):
        self.tree, self.plants, self.undo = tree, plants, []

    def __enter__(self):
        for path, text in self.plants:
            full = os.path.join(self.tree, path)
            old = open(full, encoding="utf-8").read() if os.path.exists(full) else None
            self.undo.append((full, old))
            os.makedirs(os.path.dirname(full), exist_ok=True)
            with open(full, "w", encoding="utf-8") as file:
                file.write((old or "") + text)

    def __exit__(self, *_):
        for full, old in reversed(self.undo):
            if old is None:
                os.remove(full)
            else:
                with open(full, "w", encoding="utf-8") as file:
                    file.write(old)


def main():
    source = os.path.abspath(sys.argv[1])
    failed = []
    with tempfile.TemporaryDirectory() as tree:
        copy_tree(source, tree)
        checker = os.path.join(tree, "scripts", "check-layers")

        def check():
            p = subprocess.run([sys.executable, checker, "--root", tree], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            return p.returncode, p.stdout

        code, output = check()
        if code != 0:
            sys.exit("The tree has breaches already; none was planted.\n" + output)
        for breach in BREACHES:
            rule = breach[0]
            plants = breach[1] if isinstance(breach[1], list) else [breach[1:]]
            with Planted(tree, plants):
                code, output = check()
            caught = re.search(r"^%s:\d+: %s: " % (re.escape(plants[0][0]), rule), output, re.M)
            if code != 1 or not caught:
                failed.append("%s: not caught in %s:\n%s%s" % (rule, plants[0][0], plants[0][1], output))
        with Planted(tree, ALLOWED):
            code, output = check()
        if code != 0:
            failed.append("What is allowed was called a breach:\n" + output)
        rules = subprocess.run([sys.executable, checker, "--rules"], stdout=subprocess.PIPE, text=True, check=True).stdout
        unplanted = {line.split()[0] for line in rules.splitlines()} - {b[0] for b in BREACHES}
        if unplanted:
            failed.append("No breach is planted of: " + ", ".join(sorted(unplanted)))
        code, output = check()
        if code != 0:
            failed.append("The tree was not left as it was:\n" + output)
    for failure in failed:
        print(failure)
    print("%d breaches planted, %d checks failed." % (len(BREACHES), len(failed)))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
