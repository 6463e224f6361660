//===- WatchEvents.cpp - Calls that produce an event ----------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Refused calls, work outside the capture, copies of pageable memory, and first
// calls. The driver is queried only in ways that a capture survives (measured).
//
//===----------------------------------------------------------------------===//

#include "Watch.h"
#include <cstdlib>

namespace cudagraph::probe {

namespace {

/// The fields that distinguish a refusal from similar ones.
uint64_t keyOf(Line What, const char *Name, unsigned Stack, int Code,
               unsigned Capture) {
  uint64_t Key = 1469598103934665603u;
  auto Mix = [&](uint64_t N) { Key = (Key ^ N) * 1099511628211u; };
  for (const char *Text : {nameOf(What), Name})
    for (; Text && *Text; ++Text)
      Mix(static_cast<unsigned char>(*Text));
  Mix(Stack);
  Mix(Code);
  Mix(Capture);
  return Key ? Key : 1;
}

} // namespace

void Watch::refused(const Exit &E) {
  const Driver *D = Driver::get();
  Json Event = event(Line::Call, E);
  Event["domain"] = E.Runtime ? "runtime" : "driver";
  Event["code"] = E.Code;
  unsigned In = 0;
  void *Given = nullptr;
  bool HasStream = streamOf(*E.Function, E.Arguments, Given);
  if (HasStream)
    Event["stream"] = hex(Given);
  if (HasStream && mayUseHandles(E.Code)) {
    if (const char *Kind = kindOf(*E.Function, Given))
      Event["kind"] = Kind;
    if (!isLegacy(*E.Function, Given))
      In = captureOf(Given ? static_cast<CUstream>(Given)
                           : CU_STREAM_PER_THREAD);
    if (In)
      Event["in"] = In;
  }
  std::unique_lock Queries(Handles);
  std::vector<Capture> Before;
  {
    std::lock_guard Guard(Lock);
    Before = Active;
  }
  Json Captures = Json::array();
  unsigned Broke = 0;
  for (Capture &C : Before) {
    CUstreamCaptureStatus Status = CU_STREAM_CAPTURE_STATUS_NONE;
    if (D && D->cuStreamIsCapturing && C.Stream)
      D->cuStreamIsCapturing(C.Stream, &Status);
    bool Broken = Status == CU_STREAM_CAPTURE_STATUS_INVALIDATED;
    Captures.push_back(
        {{"id", C.Id}, {"after", Broken ? "invalidated" : "active"}});
    if (Broken && !C.Broken)
      Broke = C.Id;
    C.Broken = Broken;
  }
  Queries.unlock();
  {
    std::lock_guard Guard(Lock);
    for (Capture &C : Active)
      for (const Capture &Now : Before)
        if (C.Id == Now.Id)
          C.Broken |= Now.Broken;
  }
  Event["captures"] = std::move(Captures);
  unsigned Stack = Event["stack"];
  unsigned Reported = Broke            ? Broke
                      : In             ? In
                      : Before.empty() ? 0
                                       : Before.back().Id;
  File.write(std::move(Event),
             keyOf(Line::Call, E.Function->Name, Stack, E.Code, Reported));
  if (Halt && isCaptureCode(E.Code))
    std::abort();
}

void Watch::accepted(const Exit &E) {
  const Call &F = *E.Function;
  if (F.Is == Role::ALLOC || F.Is == Role::MAP)
    allocated(E);
  bool Asked = !Watched.empty() && Watched.count(F.Name);
  if (F.Does == Work::NOTHING && !Asked)
    return;
  void *Given = nullptr;
  bool HasStream = streamOf(F, E.Arguments, Given);
  unsigned In = 0;
  CUgraphNode Node = nullptr;
  if (HasStream && !isLegacy(F, Given))
    In = captureOf(Given ? static_cast<CUstream>(Given) : CU_STREAM_PER_THREAD,
                   &Node);
  if (In && Node && F.Does != Work::NOTHING)
    recorded(E, In, Node, Given);
  if (Asked) {
    Json Event = event(Line::Call, E);
    Event["domain"] = E.Runtime ? "runtime" : "driver";
    Event["code"] = 0;
    if (HasStream)
      Event["stream"] = hex(Given);
    if (In)
      Event["in"] = In;
    Json Captures = Json::array();
    for (const Json &Id : activeIds())
      Captures.push_back({{"id", Id}, {"after", "active"}});
    Event["captures"] = std::move(Captures);
    unsigned Stack = Event["stack"];
    File.write(std::move(Event), keyOf(Line::Call, F.Name, Stack, 0, 0));
  }
  if (In && F.Does == Work::COPY) {
    checkCopy(E, In, wordAt(E.Arguments, F.From), true);
    checkCopy(E, In, wordAt(E.Arguments, F.To), false);
    return;
  }
  // Work of other threads outside the capture is independent.
  if (In || !HasStream || F.Does == Work::NOTHING || !capturesHere())
    return;
  Json Event = event(Line::Escape, E);
  Event["work"] = spelling(F.Does);
  Event["stream"] = hex(Given);
  if (const char *Kind = kindOf(F, Given))
    Event["kind"] = Kind;
  Event["captures"] = activeIds();
  unsigned Stack = Event["stack"];
  File.write(std::move(Event), keyOf(Line::Escape, F.Name, Stack, 0, 0));
}

/// Memory that is allocated during captures belongs to a graph: the program did
/// not pass its address.
void Watch::allocated(const Exit &E) {
  constexpr size_t MostRanges = 1024;
  const Driver *D = Driver::get();
  uint64_t Address = wordAt(E.Arguments, 0), Bytes = wordAt(E.Arguments, 8);
  if (!D || !Address)
    return;
  if (E.Function->Is == Role::ALLOC)
    Address = *reinterpret_cast<const uint64_t *>(Address);
  if (Range R = rangeOf(*D, Address); R.Bytes > 1) {
    Address = R.Base;
    Bytes = R.Bytes;
  }
  std::lock_guard Guard(Lock);
  if (Pool.size() < MostRanges)
    Pool.emplace_back(Address, Bytes);
}

/// Records the call that created a node, up to a limit: observing every call of
/// a long capture would cost too much.
void Watch::recorded(const Exit &E, unsigned In, CUgraphNode Node,
                     const void *Stream) {
  constexpr unsigned MostStacks = 4096;
  if (E.Function->Does == Work::HOST)
    onStack(In, wordAt(E.Arguments, 16));
  if (NodeStacks >= MostStacks)
    return;
  ++NodeStacks;
  unsigned Stack = File.stack();
  std::lock_guard Guard(Lock);
  for (Capture &C : Active)
    if (C.Id == In)
      C.Calls[Node] = {Stack, Stream};
}

/// A node keeps the address of a variable of this thread.
void Watch::onStack(unsigned In, uint64_t Address) {
  if (!isOnStack(Address))
    return;
  Activation Owner = ownerOf(Address);
  std::lock_guard Guard(Lock);
  for (Capture &C : Active)
    if (C.Id == In && Owner.Frame && C.Thread == threadId())
      C.OnStack.push_back({Address, Owner});
}

/// Host memory that CUDA does not manage.
const char *Watch::storageOf(uint64_t Address, const Captured &From) {
  bool OfCapture =
      std::any_of(From.OnStack.begin(), From.OnStack.end(),
                  [&](const auto &Each) { return Each.first == Address; });
  if (OfCapture || isOnStack(Address))
    return "stack";
  int Module = File.frame(Address)[0];
  return Module >= 0 ? "static" : "heap";
}

void Watch::checkCopy(const Exit &E, unsigned In, uint64_t Address,
                      bool ToDevice) {
  const Driver *D = Driver::get();
  if (!Address || !D || !D->cuPointerGetAttribute)
    return;
  CUmemorytype Type{};
  if (D->cuPointerGetAttribute(&Type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                               Address) == CUDA_SUCCESS)
    return; // known to CUDA: pinned, managed, or on a device
  Json Event = event(Line::Pageable, E);
  Event["capture"] = In;
  Event["direction"] = ToDevice ? "h2d" : "d2h";
  Event["address"] = hex(Address);
  if (E.Function->Bytes >= 0)
    Event["bytes"] = wordAt(E.Arguments, E.Function->Bytes);
  onStack(In, Address);
  const char *Storage = storageOf(Address, {});
  Event["storage"] = Storage;
  if (*Storage == 'h') {
    {
      std::lock_guard Guard(Lock);
      for (Capture &C : Active)
        if (C.Id == In)
          C.Heap.emplace_back(Address, 1);
    }
    watchHeap({{Address, 1}});
  }
  unsigned Stack = Event["stack"];
  File.write(std::move(Event),
             keyOf(Line::Pageable, E.Function->Name, Stack, ToDevice, In));
}

void Watch::addStream(Json &Event, const Exit &E) {
  void *Given = nullptr;
  if (!streamOf(*E.Function, E.Arguments, Given))
    return;
  Event["stream"] = hex(Given);
  if (const char *Kind = kindOf(*E.Function, Given))
    Event["kind"] = Kind;
}

/// Observes the release of host memory that graphs and captures use.
bool Watch::watchHeap(const HeapWatch::Ranges &More) {
  return !CapturesOnly && HeapWatch::watch(More, hostFreed);
}

void Watch::loaded(const CUpti_ResourceData &) {
  if (!capturesHere())
    return;
  Json Event{{"e", nameOf(Line::First)}, {"what", "module-load"},
             {"tid", threadId()},        {"t", now()},
             {"stack", File.stack()},    {"captures", activeIds()}};
  unsigned Stack = Event["stack"];
  File.write(std::move(Event), keyOf(Line::First, "", Stack, 0, 0));
}

} // namespace cudagraph::probe
