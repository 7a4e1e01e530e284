// SPDX-License-Identifier: GPL-3.0-or-later
// A library of its own, linked behind OpenMP's run time and so initialised before it: OpenMP reads these variables once, when it
// is initialised, and there is no function to set them.
//
// Its threads wait for work, and for each other, by spinning for milliseconds. On a machine that does anything else (compiles,
// draws this program's window) they then hold the processors that the others need to arrive: traces took up to a hundred times
// as long. With some tens of microseconds of spinning a quiet machine loses nothing that could be measured.
#include <cstdlib>

namespace {

[[gnu::constructor]] void waitBriefly()
{
    constexpr int keepTheUsers = 0;
    if (!std::getenv("OMP_WAIT_POLICY"))
        setenv("GOMP_SPINCOUNT", "1000", keepTheUsers);
}

} // namespace
