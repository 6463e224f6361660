# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Uses ccache and lld if they are installed, for faster builds. Neither is
# required, and choices on the command line are kept.

if(NOT CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(CUDAGRAPH_CCACHE ccache)
  if(CUDAGRAPH_CCACHE)
    # Without this sloppiness, ccache declines each file with a precompiled
    # header.
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros ${CUDAGRAPH_CCACHE})
  endif()
endif()

find_program(CUDAGRAPH_LLD NAMES ld.lld-${CUDAGRAPH_LLVM_MAJOR} ld.lld
  HINTS ${LLVM_TOOLS_BINARY_DIR})
if(CUDAGRAPH_LLD)
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    add_link_options(--ld-path=${CUDAGRAPH_LLD})
  elseif(EXISTS ${LLVM_TOOLS_BINARY_DIR}/ld.lld)
    # GCC looks for a program named ld.lld in the directory of -B.
    add_link_options(-fuse-ld=lld -B${LLVM_TOOLS_BINARY_DIR})
  endif()
endif()
