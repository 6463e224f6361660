//===- ConcurrentWork.cpp - cudagraph-concurrent-work ---------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Threads that are started in a capture, or that exist during one, may make
// calls that CUDA refuses. A refused call invalidates the capture. This check
// also reports graphs that run at the same time and share memory.
//
//===----------------------------------------------------------------------===//

#include "Rule.h"
#include "catalogue/Cues.h"

namespace cudagraph {

using catalogue::Effect;

/// Graphs that use the same memory, on two streams at the same time.
static Finding sharedMemory(const Fact &F, const OtherLaunch &Other,
                            const RuleContext &C) {
  Finding Result = C.start(F, "cudagraph-concurrent-work");
  Result.Outcome.Kind = OutcomeKind::Stale;
  Result.Outcome.Evidence = "measured: H200, driver 580.159.04, CUDA 13.0: two "
                            "graphs with one scratch buffer";
  Result.Sentence =
      "'" + F.Callee + "' launches a graph that shares '" + Other.Memory +
      "' with a graph on another stream, and kernel '" + Other.Kernel +
      "' writes to it; CUDA returns success, and both graphs may run at the "
      "same time";
  Result.Chain.push_back({C.location(Other.Launch),
                          C.function(Other.In).Signature,
                          "the other graph is launched here"});
  Result.Chain.push_back({C.location(Other.Writer),
                          C.function(Other.WriterIn).Signature,
                          "this kernel writes to it"});
  C.advise(Result, F,
           "record an event after the first launch, and make the stream of the "
           "second wait for it, or give each graph its own memory");
  return Result;
}

std::optional<Finding> checkConcurrentWork(const Fact &F,
                                           const RuleContext &C) {
  if (const auto *Other = F.as<FactKind::Overlaps>())
    return sharedMemory(F, *Other, C);
  if (F.Kind == FactKind::ForCallers) {
    Finding Result = C.start(F, "cudagraph-concurrent-work");
    Result.Outcome.Kind = OutcomeKind::Depends;
    Result.Outcome.Alternatives = {
        {"another thread makes an unsafe call", OutcomeKind::Error, 901}};
    Result.Sentence =
        "'" + F.Callee +
        "' begins a capture in global mode for callers that are not "
        "visible; an unsafe call in any of their threads is refused and "
        "invalidates the capture (901)";
    C.advise(Result, F,
             "capture in thread-local mode, or let callers choose the mode");
    return Result;
  }
  if (const auto *Other = F.as<FactKind::OtherObjects>()) {
    Finding Result = C.start(F, "cudagraph-concurrent-work");
    Result.Outcome.Kind = OutcomeKind::Depends;
    Result.Outcome.Alternatives = {{"the thread of another object calls '" +
                                        Other->Name + "' at that time",
                                    OutcomeKind::Error, 901}};
    Result.Sentence =
        "'" + F.Callee + "' begins a capture in global mode; each '" +
        Other->Class + "' object has a thread that calls '" + Other->Name +
        "', and such a call for another object is refused and invalidates this "
        "capture (901)";
    Result.Chain.push_back({C.location(Other->Where),
                            C.function(Other->In).Signature, cue::InThread});
    C.advise(Result, F, "capture in thread-local mode");
    return Result;
  }
  if (F.Kind != FactKind::ApiCall || !F.Api || !F.OtherThread ||
      boundsCapture(F.Api->Does))
    return std::nullopt;
  // If the catalogue has no outcomes for the call, the contents of a caching
  // host allocator determine the outcome, and only in global mode.
  bool Cached = F.situations().empty();
  if (Cached &&
      (F.Api->Does != Effect::AllocPinned ||
       F.Mode.value_or(catalogue::Mode::Global) != catalogue::Mode::Global))
    return std::nullopt;
  Finding Result = C.start(F, "cudagraph-concurrent-work");
  Result.Outcome = C.outcome(F);
  if (Cached) {
    Result.Outcome.Kind = OutcomeKind::Depends;
    Result.Outcome.Alternatives = {
        {"the host allocator has no free block", OutcomeKind::Error, 900}};
  }
  bool Work = F.Api->Name == "<<<>>>" || isTransfer(F.Api->Does);
  Result.Sentence =
      Cached ? C.during(F, "'" + F.Callee + "' " + F.Api->Action)
                   .then(C.dependence(Result.Outcome, /*OfEvent=*/false))
             : C.sentence(F, Result.Outcome, /*OnStream=*/Work);
  Result.Sentence.then(
      ", in this thread, and invalidates the capture of the other "
      "thread (901)");
  C.advise(Result, F,
           "capture in thread-local mode, exchange this thread's capture mode "
           "to relaxed, or make no CUDA calls in this thread until the capture "
           "has ended");
  return Result;
}

} // namespace cudagraph
