//===- Calls.cpp - CUDA functions in CUPTI's terms ------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// generate_calls.py creates Calls.inc from CUPTI's headers.
//
//===----------------------------------------------------------------------===//

#include "Calls.h"
#include <array>
#include <cstddef>
#include <cstring>
#include <cuda_runtime_api.h>
#include <cupti.h>
#include <string_view>

namespace cudagraph::probe {

namespace {

using Table = std::array<Call, MaxCall>;

/// Returns the role of the function \p Name.
Role roleOf(std::string_view Name) {
  auto Has = [&](std::string_view Part) {
    return Name.find(Part) != std::string_view::npos;
  };
  if (Has("StreamBeginCapture"))
    return Role::BEGIN;
  if (Has("StreamEndCapture"))
    return Role::END;
  if (Has("GraphExec") && Has("NodeSetParams"))
    return Role::NODE;
#define ROLE(ROLE, NAME)                                                       \
  if (Name == NAME)                                                            \
    return Role::ROLE;
#include "Roles.def"
  return Role::NONE;
}

bool isAlways(const Call &C) {
  std::string_view Name = C.Name;
  auto Has = [&](std::string_view Part) {
    return Name.find(Part) != std::string_view::npos;
  };
  return (C.Is != Role::NONE && C.Is < Role::RECORD) || Has("EventQuery") ||
         Has("EventSynchronize") || Has("EventElapsedTime");
}

struct Tables {
  Table RUNTIME, DRIVER;
  Tables() {
#define CALL(DOMAIN, ID, NAME, WORK, PER_THREAD, STREAM, TO, FROM, BYTES)      \
  static_assert(ID < MaxCall);                                                 \
  DOMAIN[ID] = {NAME,                                                          \
                Work::WORK,                                                    \
                PER_THREAD,                                                    \
                static_cast<int16_t>(STREAM),                                  \
                static_cast<int16_t>(TO),                                      \
                static_cast<int16_t>(FROM),                                    \
                static_cast<int16_t>(BYTES),                                   \
                Role::NONE,                                                    \
                false};
#include "Calls.inc"
#undef CALL
    for (Table *All : {&RUNTIME, &DRIVER})
      for (Call &C : *All)
        if (C.Name) {
          C.Is = roleOf(C.Name);
          C.Always = isAlways(C);
        }
  }
};

const Tables &tables() {
  static const Tables All;
  return All;
}

} // namespace

const Call &runtimeCall(unsigned Id) {
  return tables().RUNTIME[Id < MaxCall ? Id : 0];
}

const Call &driverCall(unsigned Id) {
  return tables().DRIVER[Id < MaxCall ? Id : 0];
}

uint64_t wordAt(const void *Arguments, int16_t Offset) {
  uint64_t Result = 0;
  if (Arguments && Offset >= 0)
    std::memcpy(&Result, static_cast<const char *>(Arguments) + Offset,
                sizeof Result);
  return Result;
}

bool streamOf(const Call &C, const void *Arguments, void *&Stream) {
  Stream = nullptr;
  if (!Arguments)
    return false;
  if (C.Stream >= 0) {
    Stream = reinterpret_cast<void *>(wordAt(Arguments, C.Stream));
    return true;
  }
  if (C.Stream == -2) {
    const auto *Config = reinterpret_cast<const void *>(wordAt(Arguments, 0));
    if (!Config)
      return false;
    bool Runtime = C.Name[2] == 'd'; // cuda, not cu
    Stream = Runtime ? static_cast<const cudaLaunchConfig_t *>(Config)->stream
                     : static_cast<const CUlaunchConfig *>(Config)->hStream;
    return true;
  }
  return C.Does == Work::COPY || C.Does == Work::SET;
}

const char *spelling(Work W) {
  switch (W) {
  case Work::NOTHING:
    return "";
  case Work::LAUNCH:
    return "launch";
  case Work::COPY:
    return "copy";
  case Work::SET:
    return "set";
  case Work::HOST:
    return "host";
  case Work::GRAPH:
    return "graph";
  case Work::ALLOC:
    return "alloc";
  case Work::FREE:
    return "free";
  }
  return "";
}

} // namespace cudagraph::probe
