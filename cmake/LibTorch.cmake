# SPDX-License-Identifier: GPL-3.0-or-later
# Imported target headscope::torch: libtorch_cpu and libc10, and no more. find_package(Torch) would demand a CUDA toolkit;
# libtorch_cuda is opened at run time when a driver is there (core/nn/device.cpp).
#
# HEADSCOPE_TORCH_DIR is the folder that holds include/ and lib/ (an installed Python torch has this shape too).
if(DEFINED ENV{XDG_CACHE_HOME} AND NOT "$ENV{XDG_CACHE_HOME}" STREQUAL "")
  set(_headscope_cache "$ENV{XDG_CACHE_HOME}/headscope")
else()
  set(_headscope_cache "$ENV{HOME}/.cache/headscope")
endif()
set(HEADSCOPE_TORCH_DIR "${_headscope_cache}/libtorch-2.11.0/torch" CACHE PATH "LibTorch: the folder with include/ and lib/")

if(NOT EXISTS "${HEADSCOPE_TORCH_DIR}/lib/libtorch_cpu.so" OR NOT EXISTS "${HEADSCOPE_TORCH_DIR}/include/ATen/ATen.h")
  message(FATAL_ERROR "No LibTorch in ${HEADSCOPE_TORCH_DIR}: run scripts/setup, or give -DHEADSCOPE_TORCH_DIR=<folder with include/ and lib/>.")
endif()

# LibTorch ships headers of other libraries (fmt among them, of another version than the system's), which must not win over the installed
# ones: only its own folders are on the include path.
set(_headscope_torch_include ${CMAKE_BINARY_DIR}/torch-include)
file(MAKE_DIRECTORY ${_headscope_torch_include})
foreach(folder ATen c10 torch)
  file(CREATE_LINK "${HEADSCOPE_TORCH_DIR}/include/${folder}" ${_headscope_torch_include}/${folder} SYMBOLIC)
endforeach()

add_library(headscope_c10 SHARED IMPORTED)
set_target_properties(headscope_c10 PROPERTIES IMPORTED_LOCATION "${HEADSCOPE_TORCH_DIR}/lib/libc10.so" IMPORTED_NO_SONAME FALSE)
add_library(headscope_torch SHARED IMPORTED)
set_target_properties(headscope_torch PROPERTIES
  IMPORTED_LOCATION "${HEADSCOPE_TORCH_DIR}/lib/libtorch_cpu.so"
  INTERFACE_INCLUDE_DIRECTORIES ${_headscope_torch_include}
  INTERFACE_SYSTEM_INCLUDE_DIRECTORIES ${_headscope_torch_include}
  INTERFACE_LINK_LIBRARIES "headscope_c10;headscope_openmp")

# OpenMP's run time, and behind it, so that it is initialised first, what says how its threads wait (core/nn/openmp_waiting.cpp) and what
# has to be seen to before the other libraries set themselves up (core/start_up.cpp).
file(GLOB _headscope_gomp "${HEADSCOPE_TORCH_DIR}/lib/libgomp*.so*")
if(_headscope_gomp)
  list(GET _headscope_gomp 0 _headscope_gomp)
  add_library(headscope_openmp_waiting SHARED ${PROJECT_SOURCE_DIR}/core/nn/openmp_waiting.cpp ${PROJECT_SOURCE_DIR}/core/start_up.cpp)
  target_compile_features(headscope_openmp_waiting PRIVATE cxx_std_20)
  set_target_properties(headscope_openmp_waiting PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_RUNTIME_OUTPUT_DIRECTORY})
  add_library(headscope_openmp INTERFACE)
  target_link_libraries(headscope_openmp INTERFACE
    "-Wl,--push-state,--no-as-needed" "${_headscope_gomp}" headscope_openmp_waiting "-Wl,--pop-state")
else()
  add_library(headscope_openmp INTERFACE)
endif()
add_library(headscope::torch ALIAS headscope_torch)
