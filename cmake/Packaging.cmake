# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The installed files, in components that Packages.cmake packs:
#   tidy           the driver, the plugin, their data, and the documentation
#   probe          cudagraph-probe, its libraries, and its headers: needs no LLVM
#   clangd         cudagraph-clangd, if it is built
#   clang-headers  Clang's builtin headers, for a prefix that is copied to
#                  machines without them; only on request:
#                  cmake --install BUILD --component clang-headers
#                  With CUDAGRAPH_STATIC, they are in tidy, in the data
#                  directory, where they do not interfere with another Clang.

# This applies to directories without a component.
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME tidy)

# The loader finds Debian's LLVM; any other must be named.
find_file(CUDAGRAPH_LOADER_FINDS_CLANG
  NAMES libclang-cpp.so.${LLVM_VERSION_MAJOR}.${LLVM_VERSION_MINOR}
  PATHS /lib/${CMAKE_LIBRARY_ARCHITECTURE} /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}
        /lib64 /usr/lib64 /lib /usr/lib
  NO_DEFAULT_PATH)
mark_as_advanced(CUDAGRAPH_LOADER_FINDS_CLANG)
if(NOT CUDAGRAPH_LOADER_FINDS_CLANG AND NOT CUDAGRAPH_STATIC)
  set(CMAKE_INSTALL_RPATH ${LLVM_LIBRARY_DIR})
endif()

# --version reads the revision from a file next to the program. If it were in the
# program, each commit would produce a different tool with an empty cache.
add_custom_target(cudagraph-revision ALL
  COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR}
          -DOUTPUT=${PROJECT_BINARY_DIR}/share/cudagraph-tidy/revision
          -P ${PROJECT_SOURCE_DIR}/cmake/Revision.cmake
  BYPRODUCTS ${PROJECT_BINARY_DIR}/share/cudagraph-tidy/revision
  COMMENT "Reading the revision" VERBATIM)
install(FILES ${PROJECT_BINARY_DIR}/share/cudagraph-tidy/revision
  DESTINATION ${CUDAGRAPH_DATADIR} OPTIONAL)

install(FILES README.md CHANGELOG.md SECURITY.md LICENSE NOTICE
  DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs
  FILES_MATCHING PATTERN "*.md" PATTERN "*.json" PATTERN "*.png" PATTERN "*.svg"
  PATTERN man EXCLUDE PATTERN site EXCLUDE)
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY skills DESTINATION ${CUDAGRAPH_DATADIR})
install(FILES ci/gitlab.yml DESTINATION ${CUDAGRAPH_DATADIR}/ci)
foreach(component probe clangd)
  install(FILES LICENSE NOTICE COMPONENT ${component}
    DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/cudagraph-${component})
endforeach()
if(CUDAGRAPH_STATIC)
  install(DIRECTORY ${CUDAGRAPH_CLANG_HEADERS}
    DESTINATION ${CUDAGRAPH_DATADIR}/clang/${CUDAGRAPH_LLVM_MAJOR})
endif()
install(DIRECTORY ${LLVM_LIBRARY_DIR}/clang/${CUDAGRAPH_LLVM_MAJOR}/include
  DESTINATION lib/clang/${CUDAGRAPH_LLVM_MAJOR}
  COMPONENT clang-headers EXCLUDE_FROM_ALL)
