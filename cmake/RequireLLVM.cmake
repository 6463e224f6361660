# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Finds the LLVM of the major version CUDAGRAPH_LLVM_MAJOR, and refuses any
# other: clang-tidy's plugin interface has no stable ABI, and a plugin of
# another major version loads silently and finds nothing.
#
# checks/versions/ClangVersions.h lists the differences between versions, and
# docs/contributing/recipes/llvm.md describes those that were not tested.
#
# Needs: CUDAGRAPH_LLVM_MAJOR, CUDAGRAPH_LLVM_DEFAULT, CUDAGRAPH_LLVM_OLDER.
# Provides: the imported targets of LLVM and Clang, LLVM_TOOLS_BINARY_DIR, and
# CLANG_INCLUDE_DIRS.

# Debian's Clang package refers to these two for clangd's remote index, which
# nothing here links; empty targets make the development packages of gRPC
# unnecessary.
foreach(target gRPC::grpc++ protobuf::libprotobuf)
  if(NOT TARGET ${target})
    add_library(${target} INTERFACE IMPORTED)
  endif()
endforeach()

set(cudagraph_llvm_tested ${CUDAGRAPH_LLVM_DEFAULT} ${CUDAGRAPH_LLVM_OLDER})
if(NOT CUDAGRAPH_LLVM_MAJOR IN_LIST cudagraph_llvm_tested)
  message(WARNING "cudagraph-tidy was not tested with LLVM "
    "${CUDAGRAPH_LLVM_MAJOR}. docs/contributing/recipes/llvm.md lists the known "
    "differences.")
endif()

# Dependencies of a static LLVM. By default, the shared one is linked.
foreach(package FFI LibEdit ZLIB zstd LibXml2 CURL httplib)
  set(CMAKE_DISABLE_FIND_PACKAGE_${package} ON)
endforeach()

set(cudagraph_llvm_others ${cudagraph_llvm_tested})
list(REMOVE_ITEM cudagraph_llvm_others ${CUDAGRAPH_LLVM_MAJOR})
list(JOIN cudagraph_llvm_others ", " cudagraph_llvm_others)
set(cudagraph_llvm_help
  "cudagraph-tidy needs the development files of LLVM ${CUDAGRAPH_LLVM_MAJOR}.\n"
  "  Debian 12, Ubuntu with https://apt.llvm.org: apt-get install "
  "llvm-${CUDAGRAPH_LLVM_MAJOR}-dev libclang-${CUDAGRAPH_LLVM_MAJOR}-dev "
  "libclang-cpp${CUDAGRAPH_LLVM_MAJOR}-dev clang-tidy-${CUDAGRAPH_LLVM_MAJOR} "
  "clang-tools-${CUDAGRAPH_LLVM_MAJOR}\n"
  "  elsewhere: -DCMAKE_PREFIX_PATH=<LLVM ${CUDAGRAPH_LLVM_MAJOR} prefix>\n"
  "  another version, of ${cudagraph_llvm_others}: -DCUDAGRAPH_LLVM=<version>")
string(JOIN "" cudagraph_llvm_help ${cudagraph_llvm_help})

# LLVM's packages accept only a request for their exact minor version, so the
# major is compared here. CMAKE_PREFIX_PATH and LLVM_DIR take precedence over the
# hint.
find_package(LLVM CONFIG QUIET HINTS /usr/lib/llvm-${CUDAGRAPH_LLVM_MAJOR})
if(NOT LLVM_FOUND)
  message(FATAL_ERROR "Found no LLVM. ${cudagraph_llvm_help}")
endif()
if(NOT LLVM_VERSION_MAJOR EQUAL CUDAGRAPH_LLVM_MAJOR)
  message(FATAL_ERROR "Found LLVM ${LLVM_PACKAGE_VERSION} in ${LLVM_DIR}, "
    "which is a different version. ${cudagraph_llvm_help}")
endif()

find_package(Clang CONFIG QUIET
  HINTS ${LLVM_LIBRARY_DIR}/cmake/clang NO_DEFAULT_PATH)
if(NOT Clang_FOUND)
  message(FATAL_ERROR "Found LLVM ${LLVM_PACKAGE_VERSION} in ${LLVM_DIR} but "
    "not its Clang: ${Clang_NOT_FOUND_MESSAGE} ${cudagraph_llvm_help}")
endif()
message(STATUS "LLVM ${LLVM_PACKAGE_VERSION} in ${LLVM_INSTALL_PREFIX}")
