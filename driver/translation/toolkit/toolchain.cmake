# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# A toolchain file for CMake 3.22 or later. With it, a CUDA project can be
# configured, and then analyzed, on a machine without CUDA:
#
#   cmake -S . -B build -DCMAKE_TOOLCHAIN_FILE="$(cudagraph-tidy --cmake-toolchain)"
#   cudagraph-tidy -p build
#
# The CUDA compiler is a stand-in that compiles nothing (bin/nvcc), and
# find_package(CUDAToolkit) finds the mock headers. Nothing can be built.
#
#   CUDAGRAPH_TIDY_CUDA_VERSION             the version to report, such as 12.4
#   CUDAGRAPH_TIDY_CHAINLOAD_TOOLCHAIN_FILE a toolchain file of the project's own

foreach(variable CUDAGRAPH_TIDY_CHAINLOAD_TOOLCHAIN_FILE CUDAGRAPH_TIDY_CUDA_VERSION)
  if(NOT "${variable}" IN_LIST CMAKE_TRY_COMPILE_PLATFORM_VARIABLES)
    list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES ${variable})
  endif()
endforeach()
if(CUDAGRAPH_TIDY_CHAINLOAD_TOOLCHAIN_FILE)
  include("${CUDAGRAPH_TIDY_CHAINLOAD_TOOLCHAIN_FILE}")
endif()

set(CMAKE_CUDA_COMPILER "${CMAKE_CURRENT_LIST_DIR}/bin/nvcc")

# These variables are for find_package(CUDAToolkit), find_package(CUDA), and
# modules of projects. A toolkit named in the environment must not be mixed with
# this one.
set(CUDAToolkit_ROOT "${CMAKE_CURRENT_LIST_DIR}")
set(CUDA_TOOLKIT_ROOT_DIR "${CMAKE_CURRENT_LIST_DIR}" CACHE PATH "" FORCE)
foreach(variable CUDA_PATH CUDA_HOME CUDA_ROOT CUDA_TOOLKIT_ROOT CUDAToolkit_ROOT)
  set(ENV{${variable}} "${CMAKE_CURRENT_LIST_DIR}")
endforeach()
foreach(variable PREFIX_PATH:. LIBRARY_PATH:lib64 INCLUDE_PATH:include)
  string(REPLACE ":" ";" variable "${variable}")
  list(GET variable 1 folder)
  list(GET variable 0 variable)
  get_filename_component(folder "${CMAKE_CURRENT_LIST_DIR}/${folder}" ABSOLUTE)
  if(NOT "${folder}" IN_LIST CMAKE_${variable})
    list(APPEND CMAKE_${variable} "${folder}")
  endif()
endforeach()

# The compiler reads the version from the environment; the headers and the
# readers of the compile commands get it from a macro.
if(CUDAGRAPH_TIDY_CUDA_VERSION)
  if(NOT CUDAGRAPH_TIDY_CUDA_VERSION MATCHES "^([0-9]+)\\.([0-9]+)$")
    message(FATAL_ERROR "CUDAGRAPH_TIDY_CUDA_VERSION=${CUDAGRAPH_TIDY_CUDA_VERSION} "
      "is not a version such as 12.4")
  endif()
  set(ENV{CUDAGRAPH_TIDY_CUDA_VERSION} "${CUDAGRAPH_TIDY_CUDA_VERSION}")
  math(EXPR number "${CMAKE_MATCH_1} * 1000 + ${CMAKE_MATCH_2} * 10")
  foreach(language C CXX CUDA)
    if(NOT CMAKE_${language}_FLAGS_INIT MATCHES "CUDAGRAPH_MOCK_CUDA_VERSION")
      string(APPEND CMAKE_${language}_FLAGS_INIT
        " -DCUDAGRAPH_MOCK_CUDA_VERSION=${number}")
    endif()
  endforeach()
endif()

if(NOT DEFINED CMAKE_EXPORT_COMPILE_COMMANDS)
  set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
endif()

get_property(said GLOBAL PROPERTY CUDAGRAPH_TIDY_SAID)
get_property(trying GLOBAL PROPERTY IN_TRY_COMPILE)
if(NOT said AND NOT trying)
  set_property(GLOBAL PROPERTY CUDAGRAPH_TIDY_SAID ON)
  message(STATUS "cudagraph-tidy: this project is configured with a stand-in "
    "for nvcc, which compiles nothing")
endif()
