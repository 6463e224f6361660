//===- EffectModels.cpp - The model of each effect ------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each effect of the catalogue changes the state of one model. Effects without
// a listed model belong to the libraries.
//
//===----------------------------------------------------------------------===//

#include "ModelSet.h"

namespace cudagraph {

using catalogue::Effect;

/// The model for the subject of \p E.
Model &ModelSet::modelOf(Effect E) {
  switch (E) {
  case Effect::CaptureBegin:
  case Effect::CaptureEnd:
  case Effect::CaptureQuery:
  case Effect::ModeExchange:
  case Effect::StreamDestroy:
    return Captures;
  case Effect::StreamCreate:
  case Effect::EventCreate:
  case Effect::EventRecord:
  case Effect::StreamWaitEvent:
  case Effect::CaptureUpdate:
  case Effect::SetDevice:
  case Effect::CurrentStream:
  case Effect::DefaultStream:
  case Effect::PoolStream:
  case Effect::PolicyStream:
  case Effect::StreamAccessor:
  case Effect::StreamGuard:
    return Streams;
  case Effect::GraphInstantiate:
  case Effect::GraphUpdate:
  case Effect::GraphRetain:
  case Effect::GraphDestroy:
  case Effect::GraphLaunch:
  case Effect::GraphManagement:
    return Graphs;
  case Effect::AllocPinned:
  case Effect::AllocHost:
  case Effect::FreePinned:
  case Effect::FreeDevice:
  case Effect::FreeHost:
  case Effect::FreeAsync:
  case Effect::CopySync:
  case Effect::CopyAsync:
  case Effect::AllocDevice:
  case Effect::AllocAsync:
    return Lifetimes;
  case Effect::HostThread:
    return Threads;
  case Effect::Terminate:
    return Host;
  default:
    return Libraries;
  }
}

} // namespace cudagraph
