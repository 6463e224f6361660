# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# cmake -DDIRECTORY=docs/checks -DOUTPUT=CheckDocs.inc -P EmbedDocs.cmake
#
# Writes each page as an initializer {"<id>", "<text>"}, for `explain`.

file(GLOB pages ${DIRECTORY}/cudagraph-*.md)
list(SORT pages)
set(result "")
foreach(page ${pages})
  cmake_path(GET page STEM id)
  file(READ ${page} text)
  string(APPEND result "{\"${id}\", R\"__doc__(${text})__doc__\"},\n")
endforeach()
file(WRITE ${OUTPUT} "${result}")
