//===- SyncCall.cpp - cudagraph-sync-call ---------------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Waits and queries: device, stream, and event synchronization and queries,
// copies and sets that block the host, and tensor methods that read a value
// back. The outcome of a blocking copy depends on the kind of the capturing
// stream, so the copy is reported even if CUDA returns success.
//
//===----------------------------------------------------------------------===//

#include "Rule.h"

namespace cudagraph {

using catalogue::Effect;

std::optional<Finding> checkSyncCall(const Fact &F, const RuleContext &C) {
  if (const auto *Why = F.as<FactKind::UnsafeCall>()) {
    Finding Result = C.start(F, "cudagraph-sync-call");
    Result.Outcome.Kind = OutcomeKind::Unknown;
    Result.Outcome.Evidence = "declared CUDAGRAPH_CAPTURE_UNSAFE";
    Result.Sentence = "'" + F.Callee + "' is declared unsafe during a capture" +
                      (Why->Text.empty() ? "" : ": " + Why->Text);
    return Result;
  }
  if (F.Kind == FactKind::HostWait) {
    Finding Result = C.start(F, "cudagraph-sync-call");
    Result.Outcome.Kind = OutcomeKind::Unknown;
    Result.Outcome.Evidence = "captured work runs when the graph is launched";
    Result.Sentence =
        C.during(F, "this loop waits for memory that the device writes");
    Result.Sentence.then("captured work does not run before the graph is "
                         "launched, so the loop may never end");
    C.advise(Result, F,
             "wait outside the capture, after the graph is launched");
    return Result;
  }
  if (!isApiCall(F))
    return std::nullopt;
  bool Blocking = false;
  switch (F.Api->Does) {
  case Effect::LibraryCall:
    if (!F.Api->has(catalogue::Trait::Waits) || F.situations().empty() ||
        checkDefaultStream(F, C))
      return std::nullopt;
    Blocking = true;
    break;
  case Effect::SyncDevice:
  case Effect::SyncStream:
  case Effect::SyncEvent:
  case Effect::QueryStream:
  case Effect::QueryEvent:
  case Effect::EventElapsed:
  case Effect::DeviceRead:
    break;
  case Effect::CopySync:
  case Effect::SetSync:
    Blocking = true;
    break;
  default:
    return std::nullopt;
  }
  Finding Result = C.start(F, "cudagraph-sync-call");
  Result.Outcome = C.outcome(F);
  Result.Sentence = C.sentence(F, Result.Outcome, Blocking);
  if (F.Weakest == Evidence::AskedOneStream)
    C.advise(Result, F,
             "the guard queries one stream; check whether any stream of the "
             "device is capturing");
  else
    C.advise(Result, F, F.Api->Advice);
  bool OfLibrary = F.Api->Does == Effect::LibraryCall;
  if (OfLibrary && Result.Outcome.Kind == OutcomeKind::Error)
    Result.Sentence.then(" inside the library, which returns its own status");
  if (Blocking && !OfLibrary)
    C.fixStream(Result, F);
  return Result;
}

} // namespace cudagraph
