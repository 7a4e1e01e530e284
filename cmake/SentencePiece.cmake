# SPDX-License-Identifier: GPL-3.0-or-later
# Imported target PkgConfig::SENTENCEPIECE. Debian's library exports an old protobuf: keep it out of any process that loads
# libprotobuf (PyPI's LibTorch hides its own, so the two live together).
find_package(PkgConfig REQUIRED)
pkg_check_modules(SENTENCEPIECE REQUIRED IMPORTED_TARGET sentencepiece)
