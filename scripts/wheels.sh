# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# Unpacks chosen files of wheels, once, and again when one of them is missing or cut short; sourced by setup after common.sh. What is
# unpacked lies in $libtorch, what was downloaded in $cache/wheels.
# shellcheck disable=SC2154  # cache, libtorch: of whoever sources this
unpack=$(dirname "${BASH_SOURCE[0]}")/unpack-wheels

# stamp LOCKS FILES…: what has to be unpacked, as one hash; a finished folder carries it.
stamp() {
  local lock_files
  IFS=, read -ra lock_files <<<"$1"
  shift
  { cat -- "${lock_files[@]}"; printf '%s\n' "$@"; } | sha256sum | cut -d ' ' -f 1
}

# download LOCK SENTENCE: wheels not yet in the cache. The tags are those of LibTorch's wheel, whatever Python asks for it.
download() {
  local lock=$1 sentence=$2 missing options=() minor
  missing=$(python3 "$unpack" --missing "$lock" "$cache/wheels")
  [ -n "$missing" ] || return 0
  say "$sentence"
  python3 -m pip --version >/dev/null 2>&1 || fail "python3 has no pip, which fetches LibTorch; install it (Debian: python3-pip)."
  for minor in $(seq 28 -1 17); do options+=(--platform "manylinux_2_${minor}_x86_64"); done
  printf '%s\n' "$missing" >"$cache/wheels/wanted"
  python3 -m pip download --no-deps --require-hashes --no-cache-dir --only-binary=:all: "${options[@]}" --platform manylinux2014_x86_64 \
    --implementation cp --python-version 3.11 --abi cp311 --abi none --dest "$cache/wheels" -r "$cache/wheels/wanted" >&2 ||
    fail "pip could not download LibTorch; is there a network? What was already fetched is kept for the next try."
  rm -f "$cache/wheels/wanted"
}

# space MEGABYTES
space() {
  local free
  free=$(df -Pm "$cache" | awk 'NR == 2 {print $4}')
  [ "$free" -ge "$1" ] || fail "$cache needs $1 MB of free space for this and has $free MB."
}

# part NAME LOCKS MEGABYTES SENTENCE FILES…: unpacks one part of LibTorch unless it is there.
part() {
  local name=$1 locks=$2 megabytes=$3 sentence=$4 wanted lock
  shift 4
  wanted=$(stamp "$locks" "$@")
  is_there() {
    [ "$(cat "$libtorch/.headscope-$name" 2>/dev/null)" = "$wanted" ] &&
      python3 "$unpack" --check "$libtorch/.headscope-$name.files" "$libtorch"
  }
  is_there && return
  mkdir -p "$cache/wheels"
  exec 9>"$cache/lock"
  flock -n 9 || { say "Another scripts/setup is at work; waiting for it."; flock 9; }
  if ! is_there 2>/dev/null; then
    [ "$(uname -m)" = x86_64 ] ||
      fail "LibTorch is locked for x86_64 only; on $(uname -m) give your own with HEADSCOPE_TORCH_DIR=<folder with include/ and lib/>."
    space "$megabytes"
    rm -rf "$cache"/unpack.*
    for lock in ${locks//,/ }; do download "$lock" "$sentence"; done
    rm -f "$libtorch/.headscope-$name"
    python3 "$unpack" --manifest "$libtorch/.headscope-$name.files" "$locks" "$cache/wheels" "$libtorch" "$@" >&2
    printf '%s\n' "$wanted" >"$libtorch/.headscope-$name.new"
    mv "$libtorch/.headscope-$name.new" "$libtorch/.headscope-$name"
  fi
  exec 9>&-
}
