//===- WatchCaptures.cpp - Captures that begin and end --------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tracks the active captures and their streams. The driver is queried only in
// ways that a capture survives (measured), and only about handles that exist.
//
//===----------------------------------------------------------------------===//

#include "Nodes.h"
#include "Watch.h"
#include <algorithm>
#include <cstring>

namespace cudagraph::probe {

bool Watch::isLegacy(const Call &F, void *Stream) {
  return Stream == CU_STREAM_LEGACY || (!Stream && !F.PerThread);
}

const char *Watch::kindOf(const Call &F, void *Stream) {
  if (isLegacy(F, Stream))
    return "legacy";
  if (!Stream || Stream == CU_STREAM_PER_THREAD)
    return "per-thread";
  {
    std::lock_guard Guard(Lock);
    for (const Capture &C : Active)
      if (C.Stream == Stream)
        return C.Kind;
  }
  // The query would break a capture, even one that another thread is beginning.
  unsigned Flags = 0;
  auto *Of = static_cast<CUstream>(Stream);
  CUstreamCaptureStatus Status = CU_STREAM_CAPTURE_STATUS_NONE;
  const Driver *D = Driver::get();
  if (!D || !D->cuStreamGetFlags || !D->cuStreamIsCapturing ||
      D->cuStreamIsCapturing(Of, &Status) != CUDA_SUCCESS ||
      Status != CU_STREAM_CAPTURE_STATUS_NONE ||
      D->cuStreamGetFlags(Of, &Flags) != CUDA_SUCCESS)
    return nullptr;
  return Flags & CU_STREAM_NON_BLOCKING ? "non-blocking" : "blocking";
}

unsigned Watch::captureOf(CUstream Stream, CUgraphNode *Last) {
  const Driver *D = Driver::get();
  CUstreamCaptureStatus Status = CU_STREAM_CAPTURE_STATUS_NONE;
  cuuint64_t Id = 0;
  const CUgraphNode *Before = nullptr;
  size_t Count = 0;
  if (!D || !D->GetCaptureInfo ||
      D->GetCaptureInfo(Stream, &Status, &Id, nullptr, &Before, &Count) !=
          CUDA_SUCCESS ||
      Status == CU_STREAM_CAPTURE_STATUS_NONE)
    return 0;
  if (Last && Status == CU_STREAM_CAPTURE_STATUS_ACTIVE && Count == 1 && Before)
    *Last = *Before;
  std::lock_guard Guard(Lock);
  // The driver drops the ID of a broken capture.
  for (const Capture &C : Active)
    if (C.CudaId == Id || C.Stream == Stream)
      return C.Id;
  return 0;
}

bool Watch::capturesHere() const {
  if (!ActiveCount)
    return false;
  auto &Self = const_cast<Watch &>(*this);
  std::lock_guard Guard(Self.Lock);
  return std::any_of(Active.begin(), Active.end(),
                     [](const Capture &C) { return C.Thread == threadId(); });
}

Json Watch::activeIds() {
  Json Result = Json::array();
  std::lock_guard Guard(Lock);
  for (const Capture &C : Active)
    Result.push_back(C.Id);
  return Result;
}

void Watch::began(const Exit &E) {
  const Driver *D = Driver::get();
  void *Given = nullptr;
  if (!D || !streamOf(*E.Function, E.Arguments, Given))
    return;
  ranLines();
  auto *Stream = static_cast<CUstream>(Given);
  if (!Stream && E.Function->PerThread)
    Stream = CU_STREAM_PER_THREAD;
  static std::once_flag Once;
  std::call_once(Once, [this] { describeMachine(); });
  CUstreamCaptureStatus Status = CU_STREAM_CAPTURE_STATUS_NONE;
  Capture New;
  New.Stream = Stream;
  New.Kind = KindAtBegin;
  New.Thread = threadId();
  if (D->GetCaptureInfo)
    D->GetCaptureInfo(Stream, &Status, &New.CudaId, nullptr, nullptr, nullptr);
  Json Event = event(Line::Begin, E);
  {
    std::lock_guard Guard(Lock);
    New.Id = ++Begun;
    Active.push_back(New);
    ActiveCount = Active.size();
  }
  Event["capture"] = New.Id;
  Event["cuda_id"] = New.CudaId;
  Event["stream"] = hex(Given);
  if (New.Kind)
    Event["kind"] = New.Kind;
  // The mode is the last argument of each begin call.
  bool ToGraph = std::strstr(E.Function->Name, "ToGraph");
  auto Mode = static_cast<int>(wordAt(E.Arguments, ToGraph ? 40 : 8));
  const char *const Modes[] = {"global", "thread-local", "relaxed"};
  if (Mode >= 0 && Mode < 3)
    Event["mode"] = Modes[Mode];
  File.write(std::move(Event));
}

/// Returns false if no known capture has ended.
bool Watch::ended(const Exit &E) {
  const Driver *D = Driver::get();
  void *Given = nullptr;
  if (!D || !streamOf(*E.Function, E.Arguments, Given))
    return false;
  auto *Stream = static_cast<CUstream>(Given);
  if (!Stream && E.Function->PerThread)
    Stream = CU_STREAM_PER_THREAD;
  // A refusal may leave the capture unchanged: on another thread, for example.
  CUstreamCaptureStatus Status = CU_STREAM_CAPTURE_STATUS_NONE;
  if (E.Code && !isLegacy(*E.Function, Given) && mayUseHandles(E.Code) &&
      D->cuStreamIsCapturing &&
      D->cuStreamIsCapturing(Stream, &Status) == CUDA_SUCCESS &&
      Status != CU_STREAM_CAPTURE_STATUS_NONE)
    return false;
  Captured From;
  std::map<CUgraphNode, NodeCall> Calls;
  {
    std::lock_guard Guard(Lock);
    auto It = std::find_if(Active.begin(), Active.end(), [&](const Capture &C) {
      return C.Stream == Stream;
    });
    if (It == Active.end())
      return false;
    From = {It->Id, 0, It->Thread, It->OnStack};
    Calls = std::move(It->Calls);
  }
  ranLines();
  unsigned Id = From.Capture;
  Json Event = event(Line::End, E);
  Event["capture"] = Id;
  Event["code"] = E.Code;
  Json Dead = Json::array();
  for (const auto &[Address, Owner] : From.OnStack)
    if (!isActive(Owner))
      Dead.push_back(hex(Address));
  if (!Dead.empty())
    Event["dead"] = std::move(Dead);
  // The second argument is where the graph is stored.
  auto *Into = reinterpret_cast<CUgraph *>(wordAt(E.Arguments, 8));
  if (!E.Code && Into && *Into) {
    size_t LeftOut = 0;
    Event["graph"] = nodesOf(*D, *Into, File, LeftOut, Calls);
    if (LeftOut)
      Event["nodes_left_out"] = LeftOut;
    std::lock_guard Guard(Lock);
    for (const auto &[Base, Bytes] : Pool)
      Event["pool"].push_back({hex(Base), Bytes});
    From.Nodes = topLevelNodes(*D, *Into);
    Alive.captured(*Into, std::move(From));
  }
  File.write(std::move(Event));
  std::lock_guard Guard(Lock);
  std::erase_if(Active, [&](const Capture &C) { return C.Id == Id; });
  listenAsNeeded();
  return true;
}

/// Destroying a capturing stream ends its capture. The handle must be forgotten
/// first, because a query would crash the program.
void Watch::destroying(const Call &F, const void *Arguments) {
  auto *Stream = handleAt<CUstream>(Arguments, 0);
  ranLines();
  std::lock_guard Queries(Handles);
  std::lock_guard Guard(Lock);
  for (Capture &C : Active)
    if (F.Is == Role::CONTEXT_GONE || C.Stream == Stream)
      C.Stream = nullptr;
}

void Watch::destroyed() {
  std::lock_guard Guard(Lock);
  std::erase_if(Active, [&](const Capture &C) { return !C.Stream; });
  listenAsNeeded();
}

} // namespace cudagraph::probe
