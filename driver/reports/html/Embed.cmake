# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# cmake -DINPUT=page.css -DOUTPUT=PageStyle.inc -P Embed.cmake
#
# Writes a file as a string literal without its opening comment.

file(READ ${INPUT} text)
string(REGEX REPLACE "^/\\*[^*]*\\*/\n" "" text "${text}")
file(WRITE ${OUTPUT} "R\"__page__(\n${text})__page__\"\n")
