//===- Environment.cpp - Environment and versions that break captures -----===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProcessAnalysis.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace cudagraph::probe {
namespace {

std::string ncclVersion(int Code) {
  // Before 2.9, the minor version had one digit fewer.
  int Unit = Code < 10000 ? 1000 : 10000;
  return std::to_string(Code / Unit) + "." + std::to_string(Code % Unit / 100) +
         "." + std::to_string(Code % 100);
}

constexpr int FirstGoodNccl = 20906;
/// Before this version, the default of NCCL_GRAPH_REGISTER was 0
/// (src/enqueue.cc).
constexpr int FirstThatRegisters = 21901;

} // namespace

void ProcessAnalysis::environment() {
  if (States.empty())
    return;
  auto Value = [&](const char *Name) -> StringRef {
    auto It = P.Env.find(Name);
    return It == P.Env.end() ? StringRef() : StringRef(It->second);
  };
  auto Report = [&](std::string Message) {
    if (any_of(R.Findings,
               [&](const Finding &F) { return F.Message == Message; }))
      return;
    Finding F;
    F.Kind = kind::Environment;
    F.Message = std::move(Message);
    R.Findings.push_back(std::move(F));
  };
  // A capture of NCCL work, or of unknown work.
  bool Nccl = P.Nccl && any_of(States, [](const auto &Entry) {
                const TraceEvent *End = Entry.second.End;
                return !End || !End->HasGraph ||
                       any_of(End->Nodes, [](const TraceNode &N) {
                         return StringRef(N.Name).contains("nccl");
                       });
              });
  if (Value("CUDA_LAUNCH_BLOCKING") == "1")
    Report("CUDA_LAUNCH_BLOCKING=1 makes every launch wait for completion, "
           "which is impossible in a capture: unset it for runs that capture");
  for (const char *Name :
       {"TORCH_NCCL_ASYNC_ERROR_HANDLING", "NCCL_ASYNC_ERROR_HANDLING"})
    if (StringRef Set = Value(Name); Nccl && !Set.empty() && Set != "0")
      Report(std::string(Name) + "=" + Set.str() +
             ": a PyTorch thread queries events while NCCL work is captured; "
             "set it to 0 to disable these queries");
  StringRef Register = Value("NCCL_GRAPH_REGISTER");
  bool Registers =
      Register == "1" || (Register.empty() && P.Nccl >= FirstThatRegisters);
  for (const char *Name : {"PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_ALLOC_CONF"})
    if (Nccl && Registers &&
        Value(Name).contains_insensitive("expandable_segments:true"))
      Report(std::string(Register.empty()
                             ? "NCCL_GRAPH_REGISTER is not set, which counts "
                               "as 1, and there is"
                             : "NCCL_GRAPH_REGISTER=1 with") +
             " expandable_segments in " + std::string(Name) +
             ": NCCL may fail to register captured buffers in expandable "
             "segments; set NCCL_GRAPH_REGISTER=0");
  if (Nccl && P.Nccl < FirstGoodNccl)
    Report("NCCL " + ncclVersion(P.Nccl) +
           " is older than 2.9.6, the first to support captures");
}

} // namespace cudagraph::probe
