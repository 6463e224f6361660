# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: cmake -DSOURCE=<dir> -DOUTPUT=<file> -P Revision.cmake
# Writes the short revision of SOURCE, or no file if SOURCE is not a git
# checkout: the version identifies an archive of the sources.

set(revision)
if(EXISTS ${SOURCE}/.git)
  execute_process(
    COMMAND git -c safe.directory=* -C ${SOURCE} rev-parse --short=12 HEAD
    OUTPUT_VARIABLE revision OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET
    RESULT_VARIABLE status)
endif()
set(before)
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} before)
endif()
if(NOT revision)
  file(REMOVE ${OUTPUT})
elseif(NOT before STREQUAL "${revision}\n")
  file(WRITE ${OUTPUT} "${revision}\n")
endif()
