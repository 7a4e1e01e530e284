# SPDX-License-Identifier: GPL-3.0-or-later
# headscope_target_defaults(TARGET): the warnings, sanitizers and include root that every target of the project has.
function(headscope_target_defaults target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual)
  # GCC 12 at -O3 takes moving a std::variant for a use of what is not initialised, and std::string's insertions and additions for writes
  # beyond their ends (its bugs 105329, 105651); development builds keep these warnings.
  target_compile_options(${target} PRIVATE
    $<$<AND:$<CXX_COMPILER_ID:GNU>,$<CONFIG:Release>>:-Wno-maybe-uninitialized$<SEMICOLON>-Wno-restrict$<SEMICOLON>-Wno-stringop-overflow$<SEMICOLON>-Wno-stringop-overread$<SEMICOLON>-Wno-array-bounds>)
  if(HEADSCOPE_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(HEADSCOPE_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${HEADSCOPE_SANITIZE} -fno-omit-frame-pointer)
    target_link_options(${target} PRIVATE -fsanitize=${HEADSCOPE_SANITIZE})
  endif()
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
endfunction()
