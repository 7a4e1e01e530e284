# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# What the scripts share; sourced, after `set -euo pipefail`. Everything said here goes to standard error: standard output belongs to
# what a script was asked for.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck disable=SC2034  # used by the scripts that source this
cache=${XDG_CACHE_HOME:-$HOME/.cache}/headscope

say() { printf '%s\n' "$*" >&2; }
fail() { say "$(basename "$0"): $*"; exit 1; }

# jobs: how many compilers fit, by processors and by memory (a file with LibTorch's headers takes up to 1.5 GB).
jobs() {
  if [ -n "${CMAKE_BUILD_PARALLEL_LEVEL:-}" ]; then echo "$CMAKE_BUILD_PARALLEL_LEVEL"; return; fi
  local processors memory
  processors=$(nproc)
  memory=$(awk '/^MemAvailable:/ {print int($2 / 1500000)}' /proc/meminfo)
  if [ "$memory" -lt "$processors" ]; then processors=$memory; fi
  if [ "$processors" -lt 1 ]; then processors=1; fi
  echo "$processors"
}

# configure PRESET [-DNAME=VALUE…]: only when the build folder does not have these values yet (Ninja itself notices changed CMake files).
configure() {
  local preset=$1 build option stale=
  shift
  [ -z "${HEADSCOPE_TORCH_DIR:-}" ] || set -- "$@" "-DHEADSCOPE_TORCH_DIR=$HEADSCOPE_TORCH_DIR"
  build=$root/build/$preset
  [ -e "$build/build.ninja" ] || stale=yes
  for option in "$@"; do
    option=${option#-D}
    grep -q "^${option%%=*}:[A-Z]*=${option#*=}\$" "$build/CMakeCache.txt" 2>/dev/null || stale=yes
  done
  if [ -n "$stale" ]; then (cd "$root" && cmake --preset "$preset" "$@" >&2); fi
}

# build PRESET [cmake --build arguments…]
build() {
  local preset=$1
  shift
  (cd "$root" && cmake --build --preset "$preset" --parallel "$(jobs)" "$@" >&2)
}
