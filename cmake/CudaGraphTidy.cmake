# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Runs cudagraph-tidy as part of a CMake build (docs/build-systems.md):
#
#   cudagraph_tidy_target(NAME TARGETS target... [CHECKS glob...]
#     [ROOTS kind...] [CONFIDENCE level] [OUTPUT format:file...]
#     [OPTIONS option...] [EXCLUDE regex])
#
# The custom target NAME summarizes each source of the targets, in parallel and
# only if the source, a header, or its compile command has changed, and then
# links the summaries and reports. Linking is fast and runs each time: findings
# are shown and fail the build until they are fixed.
#
# Uses only features of CMake 3.20. Works with Ninja and Makefiles, which write
# the compile commands.

include_guard(GLOBAL)
cmake_policy(PUSH)
cmake_policy(VERSION 3.20)

set(CUDAGRAPH_TIDY_MODULE_DIR "${CMAKE_CURRENT_LIST_DIR}" CACHE INTERNAL "")

# Declares NAME immediately, for targets that depend on it. Its contents are
# added at the end of the top directory, when all sources are known.
function(cudagraph_tidy_target name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "CONFIDENCE;EXCLUDE"
    "TARGETS;CHECKS;ROOTS;OUTPUT;OPTIONS")
  set(say "cudagraph_tidy_target(${name}):")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "${say} unknown arguments: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(arg_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "${say} no value for ${arg_KEYWORDS_MISSING_VALUES}")
  endif()
  if(NOT arg_TARGETS)
    message(FATAL_ERROR "${say} TARGETS names no target")
  endif()
  if(NOT CMAKE_GENERATOR MATCHES "Ninja|Makefiles")
    message(FATAL_ERROR "${say} the generator '${CMAKE_GENERATOR}' does not "
      "write compile commands; configure with -G Ninja or -G \"Unix Makefiles\"")
  endif()
  find_program(CUDAGRAPH_TIDY_EXECUTABLE cudagraph-tidy
    HINTS ${CUDAGRAPH_TIDY_MODULE_DIR}/../../../bin
          ${CUDAGRAPH_TIDY_MODULE_DIR}/../build/release/bin
    DOC "The cudagraph-tidy program")
  if(NOT CUDAGRAPH_TIDY_EXECUTABLE)
    message(FATAL_ERROR "${say} found no cudagraph-tidy; put it on PATH or set "
      "-DCUDAGRAPH_TIDY_EXECUTABLE=<path>")
  endif()

  # Options of the parser are passed to each summary, and all others to the
  # link.
  set(compile)
  set(link)
  foreach(option IN LISTS arg_OPTIONS)
    if(option MATCHES "^--?(quiet|verbose)$")
      list(APPEND compile ${option})
      list(APPEND link ${option})
    elseif(option MATCHES
        "^--?(extra-arg(-before)?=|cuda-(path|version)=|define-nvcc$|timeout-per-tu=)")
      list(APPEND compile ${option})
    elseif(option MATCHES "^--?[a-z]")
      list(APPEND link ${option})
    else()
      message(FATAL_ERROR "${say} unknown option '${option}'; write one with a "
        "value as --name=value")
    endif()
  endforeach()
  if(NOT compile MATCHES "--?verbose")
    list(APPEND compile --quiet) # the link reports what is incomplete
  endif()
  if(arg_CHECKS)
    list(JOIN arg_CHECKS "," checks)
    list(APPEND link --checks=${checks})
  endif()
  foreach(kind IN LISTS arg_ROOTS)
    list(APPEND link --roots=${kind})
  endforeach()
  if(arg_CONFIDENCE)
    list(APPEND link --confidence=${arg_CONFIDENCE})
  endif()
  set(shown FALSE)
  set(reports)
  foreach(output IN LISTS arg_OUTPUT)
    if(output MATCHES "^([^:]+):(.+)$")
      get_filename_component(file "${CMAKE_MATCH_2}" ABSOLUTE
        BASE_DIR ${CMAKE_CURRENT_BINARY_DIR})
      list(APPEND reports ${file})
      list(APPEND link "--format=${CMAKE_MATCH_1}:${file}")
    else()
      set(shown TRUE)
      list(APPEND link --format=${output})
    endif()
  endforeach()
  if(reports AND NOT shown)
    list(APPEND link --format=text) # findings must be shown despite a report
  endif()

  set(work ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${name}.cudagraph-tidy)
  # In a response file, because a shell cannot pass thousands of paths.
  add_custom_target(${name}
    COMMAND ${CUDAGRAPH_TIDY_EXECUTABLE} link ${link} @${work}/summaries.rsp
    WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}
    BYPRODUCTS ${reports}
    COMMENT "Searching ${name} for code that breaks CUDA graph capture"
    VERBATIM USES_TERMINAL)
  cmake_language(EVAL CODE "cmake_language(DEFER
    DIRECTORY [==[${CMAKE_SOURCE_DIR}]==]
    CALL _cudagraph_tidy_finish [==[${name}]==] [==[${work}]==]
    [==[${arg_TARGETS}]==] [==[${compile}]==] [==[${arg_EXCLUDE}]==])")
endfunction()

# Adds one edge for each source of TARGETS.
function(_cudagraph_tidy_finish name work targets compile exclude)
  set(say "cudagraph_tidy_target(${name}):")
  set(database ${CMAKE_BINARY_DIR}/compile_commands.json)
  set(summaries)
  set(commands)
  set(wanted "")
  set(needed)
  set(made)
  foreach(target IN LISTS targets)
    if(NOT TARGET ${target})
      message(FATAL_ERROR "${say} there is no target '${target}'")
    endif()
    get_target_property(aliased ${target} ALIASED_TARGET)
    if(aliased)
      set(target ${aliased})
    endif()
    get_target_property(imported ${target} IMPORTED)
    if(imported)
      message(FATAL_ERROR "${say} '${target}' is imported: its sources are not "
        "compiled here")
    endif()
    set_property(TARGET ${target} PROPERTY EXPORT_COMPILE_COMMANDS ON)
    _cudagraph_tidy_sources(${target} sources generated utilities)
    list(APPEND needed ${utilities})
    list(APPEND made ${generated})
    foreach(source IN LISTS sources)
      if(exclude AND source MATCHES "${exclude}")
        continue()
      endif()
      file(RELATIVE_PATH short ${CMAKE_SOURCE_DIR} ${source})
      string(REPLACE "../" "__/" unique "${target}/${short}")
      set(summary ${work}/${unique}.summary)
      set(command ${work}/${unique}.json)
      if(summary IN_LIST summaries) # in the interfaces of two targets
        continue()
      endif()
      list(APPEND summaries ${summary})
      list(APPEND commands ${command})
      string(APPEND wanted "${target}\n${source}\n${command}\n")
      get_filename_component(directory ${summary} DIRECTORY)
      file(MAKE_DIRECTORY ${directory})
      add_custom_command(OUTPUT ${summary}
        COMMAND ${CUDAGRAPH_TIDY_EXECUTABLE} summarize -o ${summary}
                --depfile ${summary}.d -p ${command} ${compile} ${source}
        DEPENDS ${source} ${command} ${CUDAGRAPH_TIDY_EXECUTABLE}
        DEPFILE ${summary}.d
        WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}
        COMMENT "Summarizing ${short} of ${target}" VERBATIM)
    endforeach()
  endforeach()
  if(NOT summaries)
    list(JOIN targets ", " all)
    message(FATAL_ERROR "${say} no C, C++, or CUDA source to analyze in ${all}")
  endif()

  file(GENERATE OUTPUT ${work}/wanted.txt CONTENT "${wanted}")
  string(REGEX REPLACE "([\\\\\"' ])" "\\\\\\1" rsp "${summaries}")
  string(REPLACE ";" "\n" rsp "${rsp}")
  file(GENERATE OUTPUT ${work}/summaries.rsp CONTENT "${rsp}\n")

  # CMake rewrites the whole database in each run, so each edge depends on a
  # separate file, which is written only if its command changes.
  get_property(multi GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
  set(config)
  if(multi)
    set(config ${CMAKE_DEFAULT_BUILD_TYPE})
    if(NOT config)
      list(GET CMAKE_CONFIGURATION_TYPES 0 config)
    endif()
  endif()
  set(makefiles OFF)
  if(NOT CMAKE_GENERATOR MATCHES "Ninja")
    set(makefiles ON)
  endif()
  add_custom_target(${name}-commands
    COMMAND ${CMAKE_COMMAND} -DNAME=${name} -DDATABASE=${database}
            -DWORK=${work} -DCONFIG=${config} -DMAKEFILES=${makefiles}
            -P ${CUDAGRAPH_TIDY_MODULE_DIR}/CudaGraphTidyCommands.cmake
    BYPRODUCTS ${commands}
    COMMENT "Reading the compile commands of ${name}" VERBATIM)
  # Generated files come first; the depfiles record which source reads them.
  add_custom_target(${name}-generated DEPENDS ${made})
  add_custom_target(${name}-summaries DEPENDS ${summaries})
  if(needed)
    add_dependencies(${name}-generated ${needed})
  endif()
  add_dependencies(${name}-summaries ${name}-commands ${name}-generated)
  add_dependencies(${name} ${name}-summaries)
endfunction()

# The absolute paths of the sources of TARGET, the generated files that they
# may read, and the targets that must be built first.
function(_cudagraph_tidy_sources target sources_var generated_var needed_var)
  set(sources)
  set(generated)
  set(needed)
  # Objects, sources, and generated headers of other targets, each only once.
  set(queue ${target})
  set(seen)
  while(queue)
    list(POP_FRONT queue current)
    if(current IN_LIST seen)
      continue()
    endif()
    list(APPEND seen ${current})
    get_target_property(type ${current} TYPE)
    set(files)
    set(libraries)
    foreach(property SOURCES INTERFACE_SOURCES)
      # A target compiles its own sources and the interfaces of what it links.
      get_target_property(value ${current} ${property})
      if(value)
        foreach(file IN LISTS value)
          list(APPEND files "${property}>${file}")
        endforeach()
      endif()
    endforeach()
    foreach(property LINK_LIBRARIES INTERFACE_LINK_LIBRARIES
                     MANUALLY_ADDED_DEPENDENCIES)
      get_target_property(value ${current} ${property})
      if(NOT value)
        continue()
      endif()
      if(property STREQUAL "MANUALLY_ADDED_DEPENDENCIES")
        list(APPEND needed ${value})
        continue()
      endif()
      foreach(library IN LISTS value)
        string(REGEX REPLACE "^\\$<[A-Z_]+:([^<>]+)>$" "\\1" library
          "${library}")
        if(TARGET "${library}")
          list(APPEND libraries ${library})
        endif()
      endforeach()
    endforeach()
    foreach(library IN LISTS libraries)
      get_target_property(aliased ${library} ALIASED_TARGET)
      if(aliased)
        set(library ${aliased})
      endif()
      get_target_property(imported ${library} IMPORTED)
      if(NOT imported)
        list(APPEND queue ${library})
      endif()
    endforeach()

    foreach(entry IN LISTS files)
      string(REGEX REPLACE "^([A-Z_]+)>.*$" "\\1" property "${entry}")
      string(REGEX REPLACE "^[A-Z_]+>" "" file "${entry}")
      if(file MATCHES "^\\$<BUILD_INTERFACE:([^<>]+)>$")
        set(file "${CMAKE_MATCH_1}")
      elseif(file MATCHES "^\\$<TARGET_OBJECTS:([^<>]+)>$")
        continue() # objects of a target that TARGETS can name
      elseif(file MATCHES "\\$<")
        message(AUTHOR_WARNING "cudagraph-tidy leaves out the source "
          "'${file}' of ${current}: generator expressions have no value yet")
        continue()
      endif()
      _cudagraph_tidy_locate(${current} "${file}" file is_generated is_source)
      if(is_generated)
        list(APPEND generated ${file})
        # Only Ninja can build a file of a different directory.
        get_target_property(home ${current} SOURCE_DIR)
        if(NOT CMAKE_GENERATOR MATCHES "Ninja" AND
           NOT home STREQUAL CMAKE_CURRENT_SOURCE_DIR AND
           NOT type STREQUAL "INTERFACE_LIBRARY")
          list(APPEND needed ${current})
        endif()
      endif()
      if(is_source AND (property STREQUAL "INTERFACE_SOURCES" OR
                        current STREQUAL target))
        list(APPEND sources ${file})
      endif()
    endforeach()
  endwhile()
  foreach(result sources generated needed)
    list(REMOVE_DUPLICATES ${result})
    set(${${result}_var} ${${result}} PARENT_SCOPE)
  endforeach()
endfunction()

# Finds FILE of TARGET, and whether it is generated and compiled.
function(_cudagraph_tidy_locate target file path_var generated_var source_var)
  get_target_property(home ${target} SOURCE_DIR)
  get_target_property(build ${target} BINARY_DIR)
  get_filename_component(path "${file}" ABSOLUTE BASE_DIR ${home})
  if(NOT IS_ABSOLUTE "${file}" AND NOT EXISTS "${path}")
    get_filename_component(built "${file}" ABSOLUTE BASE_DIR ${build})
    get_source_file_property(here ${built} TARGET_DIRECTORY ${target} GENERATED)
    if(here OR EXISTS "${built}")
      set(path ${built})
    endif()
  endif()
  get_source_file_property(generated ${path} TARGET_DIRECTORY ${target}
    GENERATED)
  get_source_file_property(language ${path} TARGET_DIRECTORY ${target} LANGUAGE)
  get_source_file_property(header ${path} TARGET_DIRECTORY ${target}
    HEADER_FILE_ONLY)
  set(source FALSE)
  if(NOT header AND (path MATCHES "\\.(cu|cpp|cc|cxx|c\\+\\+|c|C)$" OR
                     language MATCHES "^(C|CXX|CUDA)$" AND
                     NOT path MATCHES "\\.(h|hh|hpp|hxx|cuh|inl|inc)$"))
    set(source TRUE)
  endif()
  if(NOT generated OR generated STREQUAL "NOTFOUND")
    set(generated FALSE)
  endif()
  set(${path_var} ${path} PARENT_SCOPE)
  set(${generated_var} ${generated} PARENT_SCOPE)
  set(${source_var} ${source} PARENT_SCOPE)
endfunction()

cmake_policy(POP)
