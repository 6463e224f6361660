# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# With CUDAGRAPH_STATIC, the programs need only glibc: Clang, LLVM, libstdc++,
# zlib, and zstd are linked in, and Clang's headers are in the data directory.
# Object files are the same as in other builds, so ccache can reuse them. The
# plugin does not change: it uses the LLVM and libstdc++ of the clang-tidy that
# loads it.
#
# cudagraph_clang_libs  what executables link instead of the shared libraries
# cudagraph_static      what programs without Clang link: zlib, zstd, and glibc
# cudagraph_glibc       what libraries link: glibc's older symbols (Glibc.cpp)

set(archives)
foreach(pattern libclang?*.a libLLVM*.a)
  file(GLOB found ${LLVM_LIBRARY_DIR}/${pattern})
  if(NOT found)
    message(FATAL_ERROR "CUDAGRAPH_STATIC needs ${LLVM_LIBRARY_DIR}/${pattern}: "
      "libclang-${CUDAGRAPH_LLVM_MAJOR}-dev and llvm-${CUDAGRAPH_LLVM_MAJOR}-dev "
      "contain them")
  endif()
  list(APPEND archives ${found})
endforeach()
find_library(CUDAGRAPH_ZLIB_STATIC libz.a)
find_library(CUDAGRAPH_ZSTD_STATIC libzstd.a)
if(NOT CUDAGRAPH_ZLIB_STATIC OR NOT CUDAGRAPH_ZSTD_STATIC)
  message(FATAL_ERROR "CUDAGRAPH_STATIC needs libz.a and libzstd.a: zlib1g-dev "
    "and libzstd-dev contain them")
endif()

set(parts ${PROJECT_SOURCE_DIR}/packaging/static)
add_library(cudagraph_glibc_objects OBJECT ${parts}/Glibc.cpp)
target_link_libraries(cudagraph_glibc_objects PRIVATE cudagraph_options)
add_library(cudagraph_glibc INTERFACE)
target_sources(cudagraph_glibc INTERFACE
  $<TARGET_OBJECTS:cudagraph_glibc_objects>)
target_link_options(cudagraph_glibc INTERFACE
  -static-libstdc++ -static-libgcc LINKER:--strip-all LINKER:--gc-sections
  # Older systems have threads and dlopen in separate libraries.
  LINKER:--push-state,--no-as-needed -l:libpthread.so.0 -l:libdl.so.2
  LINKER:--pop-state)
add_library(cudagraph_without OBJECT ${parts}/Z3.cpp)
target_link_libraries(cudagraph_without PRIVATE
  cudagraph_options cudagraph_clang)

add_library(cudagraph_static INTERFACE)
target_link_libraries(cudagraph_static INTERFACE
  ${CUDAGRAPH_ZLIB_STATIC} ${CUDAGRAPH_ZSTD_STATIC} cudagraph_glibc)

target_sources(cudagraph_clang_libs INTERFACE
  $<TARGET_OBJECTS:cudagraph_without>)
target_link_libraries(cudagraph_clang_libs INTERFACE
  cudagraph_clang -Wl,--start-group ${archives} -Wl,--end-group
  cudagraph_static m)

# The build tree mirrors the installed one.
set(CUDAGRAPH_CLANG_HEADERS
  ${LLVM_LIBRARY_DIR}/clang/${CUDAGRAPH_LLVM_MAJOR}/include)
set(own ${PROJECT_BINARY_DIR}/share/cudagraph-tidy/clang/${CUDAGRAPH_LLVM_MAJOR})
file(MAKE_DIRECTORY ${own})
file(CREATE_LINK ${CUDAGRAPH_CLANG_HEADERS} ${own}/include SYMBOLIC)
