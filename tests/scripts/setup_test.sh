#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# setup_test.sh SOURCE: a library that scripts/setup unpacked and that was deleted or cut short is unpacked again (fault C.5).
set -euo pipefail
[ "$(uname -m)" = x86_64 ] || exit 77 # locked for it only
for tool in python3 flock sha256sum; do command -v "$tool" >/dev/null || exit 77; done
scripts=$1/scripts
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export XDG_CACHE_HOME=$folder/cache
. "$scripts/common.sh"
. "$scripts/wheels.sh"
libtorch=$cache/libtorch-test
mkdir -p "$cache/wheels"

failures=0
expect() { # expect WHAT TEST…
  local what=$1
  shift
  "$@" || { echo "FAILED: $what" >&2; failures=$((failures + 1)); }
}

# Two wheels and the lock file that names them.
python3 - "$cache/wheels" "$folder/lock" <<'PYTHON'
import hashlib, sys, zipfile
wheels, lock = sys.argv[1:]
with open(lock, "w") as out:
    for name, files in {"torch": {"torch/lib/liba.so": b"a" * 5000, "torch/lib/libb.so": b"b" * 300, "torch/include/x/y.h": b"// y\n",
                                  "torch/other.py": b"no"},
                        "nvidia-small": {"nvidia/lib/libc.so.1": b"c" * 70, "nvidia-1.dist-info/licenses/LICENSE": b"text"}}.items():
        path = "%s/%s-1.0-py3-none-any.whl" % (wheels, name.replace("-", "_"))
        with zipfile.ZipFile(path, "w") as archive:
            for file, content in files.items():
                archive.writestr(zipfile.ZipInfo(file, (2026, 1, 2, 3, 4, 6)), content)
        out.write("%s==1.0 --hash=sha256:%s\n" % (name, hashlib.sha256(open(path, "rb").read()).hexdigest()))
PYTHON

run() { part cpu "$folder/lock" 1 "Nothing is to be fetched." 'torch/include/*' torch/lib/liba.so torch/lib/libb.so 'nvidia/lib/*' '*/licenses/*' >"$folder/said" 2>&1; }
unpacked() { grep -q '^Unpacking from torch' "$folder/said"; }
whole() { [ "$(wc -c <"$libtorch/torch/lib/liba.so")" = 5000 ] && [ "$(cat "$libtorch/torch/include/x/y.h")" = "// y" ] && [ -e "$libtorch/nvidia/lib/libc.so.1" ]; }
not() { ! "$@"; }

run
expect "the first time it is unpacked" unpacked
expect "all of it" whole
expect "and no more than that" not [ -e "$libtorch/torch/other.py" ]
run
expect "when nothing is missing nothing is done" not unpacked
expect "and nothing is said" not [ -s "$folder/said" ]

rm "$libtorch/torch/lib/liba.so"
run
expect "a deleted library comes back" unpacked
expect "whole" whole
expect "and it is said which one it was" grep -q 'torch/lib/liba.so is missing' "$folder/said"

truncate -s 4999 "$libtorch/torch/lib/liba.so"
run
expect "a library that was cut short comes back" unpacked
expect "whole" whole
expect "and it is said which one it was" grep -q 'liba.so in .* has 4999 bytes instead of 5000' "$folder/said"

: >"$libtorch/torch/include/x/y.h"
run
expect "an emptied header comes back" whole
rm -r "$libtorch/nvidia"
run
expect "a deleted folder comes back" whole
rm "$libtorch/.headscope-cpu.files"
run
expect "without the list of files it is unpacked" unpacked
: >"$libtorch/.headscope-cpu.files"
run
expect "an empty list is none" unpacked
rm -r "$libtorch"
run
expect "all of it comes back" whole

# The wheel is gone, too, and cannot be fetched: that is an error, and not the old state with a stamp.
rm "$libtorch/torch/lib/liba.so" "$cache"/wheels/torch-*
export PIP_NO_INDEX=1
expect "what cannot be fetched is an error" not eval '(run)'
expect "and is one the next time" not eval '(run)'

[ "$failures" = 0 ]
