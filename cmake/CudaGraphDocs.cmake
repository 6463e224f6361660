# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What is made of docs/, each part if its tool is there (Debian's packages
# mkdocs-material and go-md2man): the target `docs-site` makes a site of it, and
# `man` the manual pages, which are part of the build and are installed. The
# completions of shells need no build: they ask the programs.

find_program(CUDAGRAPH_MKDOCS mkdocs)
if(CUDAGRAPH_MKDOCS)
  add_custom_target(docs-site
    COMMAND ${CUDAGRAPH_MKDOCS} build --strict --clean
            --config-file ${PROJECT_SOURCE_DIR}/mkdocs.yml
            --site-dir ${PROJECT_BINARY_DIR}/site
    COMMENT "Making the site: site/index.html"
    USES_TERMINAL VERBATIM)
endif()
