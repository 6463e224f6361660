# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Splits CMake's compile database: writes a database with one command for each
# edge of CudaGraphTidy.cmake, and only if it differs. Runs at build time,
# because CMake writes the database last.
#
#   cmake -DNAME=<target> -DDATABASE=<file> -DWORK=<dir> -DCONFIG=<config>
#         -DMAKEFILES=<bool> -P CudaGraphTidyCommands.cmake
#
# <dir>/wanted.txt holds three lines for each edge: target, source, and result.

cmake_minimum_required(VERSION 3.20)

set(stamp ${WORK}/commands.stamp)
if(NOT EXISTS ${DATABASE})
  message(FATAL_ERROR "cudagraph_tidy_target(${NAME}): CMake has not written "
    "${DATABASE}; the targets must be compiled by this project, and their "
    "EXPORT_COMPILE_COMMANDS must stay ON")
endif()

# CMake's Makefiles keep all dependencies that a depfile has ever listed.
# Therefore, the file that an incomplete summary waits for must still exist once
# the summary is complete, and must be as old as the command.
file(STRINGS ${WORK}/wanted.txt wanted)
if(MAKEFILES)
  set(rest ${wanted})
  while(rest)
    list(POP_FRONT rest target source command)
    string(REGEX REPLACE "json$" "summary" summary "${command}")
    set(incomplete)
    if(EXISTS ${summary}.d)
      file(STRINGS ${summary}.d incomplete REGEX "[.]incomplete:$")
    endif()
    if(incomplete)
      file(REMOVE ${summary}.incomplete)
    elseif(NOT IS_SYMLINK ${summary}.incomplete)
      file(CREATE_LINK ${command} ${summary}.incomplete SYMBOLIC)
    endif()
  endwhile()
endif()

# Equal times count as newer.
if(NOT ${DATABASE} IS_NEWER_THAN ${stamp} AND
   NOT ${WORK}/wanted.txt IS_NEWER_THAN ${stamp} AND
   NOT ${CMAKE_CURRENT_LIST_FILE} IS_NEWER_THAN ${stamp})
  return()
endif()

# CMake writes one field per line, and a string contains no line break.
# Characters that are special in a list are spelled with JSON escapes.
file(READ ${DATABASE} text)
string(REGEX REPLACE "^\\[\n{\n|\n}\n\\]\n*$" "" text "${text}")
string(REPLACE ";" "\\u003b" text "${text}")
string(REPLACE "[" "\\u005b" text "${text}")
string(REPLACE "]" "\\u005d" text "${text}")
string(REPLACE "\n},\n{\n" ";" entries "${text}")

# Stored by file: CMake's only maps are variables.
foreach(entry IN LISTS entries)
  if(entry MATCHES "\n  \"file\": \"([^\n]*)\"")
    string(MD5 key "${CMAKE_MATCH_1}")
    list(APPEND file_${key} "${entry}")
  endif()
endforeach()

# Selects, by the directory of the object, those of the additional arguments
# that compile a source for a target whose name matches the regular expression
# NAME.
function(of_target name out)
  # Newer databases have a field for the object, and -o is always present.
  set(object "( -o |\"output\": )[\\\"]*([^ \n\"]*/)?CMakeFiles/${name}\\.dir/")
  if(CONFIG)
    string(APPEND object "${CONFIG}/")
  endif()
  set(result)
  foreach(entry IN LISTS ARGN)
    if(entry MATCHES "${object}")
      list(APPEND result "${entry}")
    endif()
  endforeach()
  set(${out} "${result}" PARENT_SCOPE)
endfunction()

while(wanted)
  list(POP_FRONT wanted target source result)
  string(REPLACE "\\" "\\\\" file "${source}")
  string(REPLACE "\"" "\\\"" file "${file}")
  string(MD5 key "${file}")
  string(REGEX REPLACE "([][+.*()^$?|\\])" "\\\\\\1" name "${target}")
  of_target("${name}" found ${file_${key}})
  if(NOT found) # of an interface library: that of its first consumer
    of_target("[^/\n]*" found ${file_${key}})
    if(found)
      list(GET found 0 found)
    endif()
  endif()
  if(NOT found)
    of_target("${name}" found ${entries}) # unity build: that of another source
  endif()
  if(NOT found)
    message(FATAL_ERROR "cudagraph_tidy_target(${NAME}): ${DATABASE} has no "
      "command for ${source} of ${target}; configure with "
      "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON, or leave it out with EXCLUDE")
  endif()
  list(JOIN found "\n},\n{\n" found)
  set(new "[\n{\n${found}\n}\n]\n")
  set(old)
  if(EXISTS ${result})
    file(READ ${result} old)
  endif()
  if(NOT new STREQUAL old)
    file(WRITE ${result} "${new}")
  endif()
endwhile()
file(TOUCH ${stamp})
