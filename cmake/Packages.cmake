# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Packages of the components that Packaging.cmake describes: cpack -G DEB
# creates a package for each except the headers, and cpack -G TGZ creates an
# archive. Included last, because it checks which programs are built.

set(CUDAGRAPH_MAINTAINER
  "cudagraph-tidy developers <developers@cudagraph-tidy.invalid>"
  CACHE STRING "The maintainer of the packages created here")

set(CPACK_GENERATOR TGZ)
if(EXISTS /etc/debian_version)
  set(CPACK_GENERATOR DEB TGZ)
endif()
set(CPACK_PACKAGE_NAME cudagraph-tidy)
set(CPACK_PACKAGE_VENDOR "cudagraph-tidy developers")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_HOMEPAGE_URL "${PROJECT_HOMEPAGE_URL}")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_RESOURCE_FILE_README ${PROJECT_SOURCE_DIR}/README.md)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_COMPONENTS_ALL tidy probe)
if(TARGET cudagraph-clangd)
  list(APPEND CPACK_COMPONENTS_ALL clangd)
endif()
set(CPACK_SOURCE_IGNORE_FILES "/build/" "/\\.git/" "/\\.cache/")
# The directory in an archive; a .deb installs in /usr.
set(CPACK_PACKAGING_INSTALL_PREFIX "")

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "${CUDAGRAPH_MAINTAINER}")
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_SOURCE_DIR}/cmake/PackagingOptions.cmake)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/packaging/debian/stage.cmake)
set(CPACK_CUDAGRAPH_SOURCE ${PROJECT_SOURCE_DIR})

set(CPACK_DEBIAN_TIDY_PACKAGE_NAME cudagraph-tidy)
# Clang's own headers and those of C++, without which no source can be parsed.
set(CPACK_DEBIAN_TIDY_PACKAGE_DEPENDS
  "libclang-common-${CUDAGRAPH_LLVM_MAJOR}-dev, g++ | libstdc++-dev")
set(CPACK_DEBIAN_TIDY_PACKAGE_RECOMMENDS "clang-tidy-${CUDAGRAPH_LLVM_MAJOR}")
set(CPACK_DEBIAN_TIDY_PACKAGE_SUGGESTS "cudagraph-probe, git, pre-commit")
if(CUDAGRAPH_STATIC)
  # It contains Clang's headers, and declarations for the examples.
  set(CPACK_DEBIAN_TIDY_PACKAGE_DEPENDS "")
  set(CPACK_DEBIAN_TIDY_PACKAGE_RECOMMENDS "g++ | libstdc++-dev")
  string(PREPEND CPACK_DEBIAN_TIDY_PACKAGE_SUGGESTS
    "clang-tidy-${CUDAGRAPH_LLVM_MAJOR}, ")
endif()
set(CPACK_DEBIAN_TIDY_DESCRIPTION
  "static analyzer for CUDA graph stream capture
The analyzer reads C, C++, and CUDA code. It follows each stream capture
through functions, callbacks, and translation units, and reports the calls
that CUDA refuses there, the work that silently escapes the graph, and the
data that is stale when the graph is replayed.
.
It needs neither a GPU nor a CUDA toolkit. The package contains the command
cudagraph-tidy, its checks as a plugin of clang-tidy-${CUDAGRAPH_LLVM_MAJOR},
and modules for CMake and Bazel.")

# Only this package needs gRPC and its dependencies.
set(CPACK_DEBIAN_CLANGD_PACKAGE_NAME cudagraph-clangd)
set(CPACK_DEBIAN_CLANGD_PACKAGE_DEPENDS
  "cudagraph-tidy (= ${PROJECT_VERSION}-1)")
set(CPACK_DEBIAN_CLANGD_DESCRIPTION
  "clangd with the checks of cudagraph-tidy
The language server clangd, which marks code that breaks CUDA graph stream
capture while the code is being edited, and offers fixes. It translates
nvcc commands, and needs neither a GPU nor a CUDA toolkit.")

set(CPACK_DEBIAN_PROBE_PACKAGE_NAME cudagraph-probe)
set(CPACK_DEBIAN_PROBE_PACKAGE_SUGGESTS cudagraph-tidy)
set(CPACK_DEBIAN_PROBE_PACKAGE_CONTROL_EXTRA
  ${PROJECT_SOURCE_DIR}/packaging/debian/triggers)
set(CPACK_DEBIAN_PROBE_DESCRIPTION
  "observer of CUDA graph stream captures in a running program
The command cudagraph-probe runs a program and reports the call that broke a
stream capture, with its stack, the work that escaped the graph, and the freed
memory that later replays will read. It confirms findings of cudagraph-tidy.
.
The package contains the command, the library that programs link to check
their own capture regions, and the headers with cudagraph-tidy's annotations.
To observe programs, the command needs CUDA and CUPTI on the machine.")
include(CPack)
