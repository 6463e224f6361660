# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# cudagraph_options     warnings, sanitizers, version; all targets link it
# cudagraph_clang       Clang's and LLVM's headers without libraries
# cudagraph_clang_libs  the same with clang-tidy's core and the shared libraries,
#                       or archives if CUDAGRAPH_STATIC; executables link it
# cudagraph_library(NAME "DIR..." [DEPENDS...])  a static library of DIR/*.cpp
# cudagraph_unity(TARGET...)  compiles several files as one if CUDAGRAPH_UNITY
# cudagraph_share(SOURCE NAME)  data found at <prefix>/share/cudagraph-tidy/NAME

add_library(cudagraph_options INTERFACE)
target_include_directories(cudagraph_options INTERFACE
  ${PROJECT_SOURCE_DIR}/checks)
target_compile_definitions(cudagraph_options INTERFACE
  CUDAGRAPH_VERSION="${PROJECT_VERSION}"
  CUDAGRAPH_LLVM_MAJOR=${CUDAGRAPH_LLVM_MAJOR}
  CUDAGRAPH_DATADIR="${CUDAGRAPH_DATADIR}")
target_compile_options(cudagraph_options INTERFACE
  -Wall -Wextra -fno-exceptions -fno-rtti
  -ffunction-sections -fdata-sections
  # Messages and debug information must not depend on the build path.
  -ffile-prefix-map=${PROJECT_SOURCE_DIR}/=)
if(CUDAGRAPH_WERROR)
  target_compile_options(cudagraph_options INTERFACE -Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 at -O2 reports these falsely for std::optional and std::string.
  target_compile_options(cudagraph_options INTERFACE
    -Wno-maybe-uninitialized -Wno-restrict -Wno-dangling-reference)
elseif(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  # ccache needs reproducible precompiled headers.
  target_compile_options(cudagraph_options INTERFACE
    "SHELL:-Xclang -fno-pch-timestamp")
endif()
if(CUDAGRAPH_ASAN)
  # UBSan's vptr check needs RTTI, which Clang is built without.
  target_compile_options(cudagraph_options INTERFACE
    -fsanitize=address,undefined -fno-sanitize=vptr
    -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  target_link_options(cudagraph_options INTERFACE
    -fsanitize=address,undefined -fno-sanitize=vptr)
endif()
# A clang-tidy without instrumentation loads the plugin, so the runtime must be
# a shared library. GCC's always is; libFuzzer's is not.
if(CUDAGRAPH_ASAN AND NOT CUDAGRAPH_FUZZERS)
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    target_compile_options(cudagraph_options INTERFACE -shared-libasan)
    execute_process(
      COMMAND ${CMAKE_CXX_COMPILER}
        -print-file-name=libclang_rt.asan-${CMAKE_SYSTEM_PROCESSOR}.so
      OUTPUT_VARIABLE CUDAGRAPH_ASAN_RUNTIME OUTPUT_STRIP_TRAILING_WHITESPACE)
    get_filename_component(asan_dir "${CUDAGRAPH_ASAN_RUNTIME}" DIRECTORY)
    target_link_options(cudagraph_options INTERFACE
      -shared-libasan LINKER:-rpath,${asan_dir})
  else()
    execute_process(
      COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libasan.so
      OUTPUT_VARIABLE CUDAGRAPH_ASAN_RUNTIME OUTPUT_STRIP_TRAILING_WHITESPACE)
  endif()
  if(NOT EXISTS "${CUDAGRAPH_ASAN_RUNTIME}")
    message(FATAL_ERROR "${CMAKE_CXX_COMPILER} has no sanitizer runtime; "
      "install libclang-rt-${CUDAGRAPH_LLVM_MAJOR}-dev, or use another compiler")
  endif()
endif()
if(CUDAGRAPH_FUZZERS)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "CUDAGRAPH_FUZZERS needs Clang: libFuzzer is a part of "
      "its runtime library. Configure with the preset 'fuzz'.")
  endif()
  # All targets have coverage feedback; only test/fuzz has the fuzzer's main().
  target_compile_options(cudagraph_options INTERFACE
    -fsanitize=fuzzer-no-link)
  target_link_options(cudagraph_options INTERFACE -fsanitize=fuzzer-no-link)
endif()

add_library(cudagraph_clang INTERFACE)
target_include_directories(cudagraph_clang SYSTEM INTERFACE
  ${LLVM_INCLUDE_DIRS} ${CLANG_INCLUDE_DIRS})
separate_arguments(cudagraph_llvm_definitions NATIVE_COMMAND
  "${LLVM_DEFINITIONS}")
target_compile_options(cudagraph_clang INTERFACE ${cudagraph_llvm_definitions})

add_library(cudagraph_clang_libs INTERFACE)
if(CUDAGRAPH_STATIC)
  include(StaticLibraries)
else()
  target_link_libraries(cudagraph_clang_libs INTERFACE
    cudagraph_clang clangTidy clang-cpp LLVM)
endif()

function(cudagraph_library name directories)
  list(TRANSFORM directories APPEND /*.cpp)
  file(GLOB sources CONFIGURE_DEPENDS ${directories})
  if(NOT sources)
    message(WARNING "no source files in ${directories}: ${name} is empty")
    file(WRITE ${PROJECT_BINARY_DIR}/${name}-empty.cpp "")
    set(sources ${PROJECT_BINARY_DIR}/${name}-empty.cpp)
  endif()
  add_library(${name} STATIC ${sources})
  set_target_properties(${name} PROPERTIES
    CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  target_link_libraries(${name} PUBLIC cudagraph_options ${ARGN})
endfunction()

function(cudagraph_unity)
  if(CUDAGRAPH_UNITY)
    set_target_properties(${ARGN} PROPERTIES
      UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
  endif()
endfunction()

function(cudagraph_share source name)
  set(link ${PROJECT_BINARY_DIR}/share/cudagraph-tidy/${name})
  get_filename_component(folder ${link} DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/${source} ${link} SYMBOLIC)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/${source}/
    DESTINATION ${CUDAGRAPH_DATADIR}/${name} COMPONENT tidy
    PATTERN .clang-format EXCLUDE PATTERN .clang-tidy EXCLUDE)
endfunction()
