//===- Watch.cpp - Events while streams capture ---------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Watch.h"
#include "Nodes.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace cudagraph::probe {

namespace {

/// Set while the probe itself calls the driver, because CUPTI also reports
/// those calls.
thread_local bool Inside = false;
/// The generation in which this thread entered a runtime function; the driver
/// functions in it are duplicates. See Watch::Generation.
thread_local unsigned InRuntime = 0;
/// The kind of the stream that this thread is about to capture. During the
/// capture, the query would break it (measured: cuStreamGetFlags, 900).
thread_local const char *KindAtBegin = nullptr;

struct Quiet {
  bool Before = std::exchange(Inside, true);
  ~Quiet() { Inside = Before; }
};

/// A process with this number of captures probably captures again soon.
/// Starting and stopping the subscription costs about as much as the callbacks
/// of this number of calls, so it ends only after them.
constexpr unsigned ManyCaptures = 64, ManyCalls = 1024;

bool contains(const char *Name, const char *Part) {
  return Name && std::strstr(Name, Part);
}

} // namespace

void Watch::listen(Listening To) {
  ++Generation;
  Now = To;
  bool All = To == Listening::ToAll;
  for (CUpti_CallbackDomain Domain :
       {CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_CB_DOMAIN_DRIVER_API})
    Tools.EnableDomain(All, Subscriber, Domain);
  Tools.EnableCallback(All, Subscriber, CUPTI_CB_DOMAIN_RESOURCE,
                       CUPTI_CBID_RESOURCE_MODULE_LOADED);
  if (All)
    return;
  auto Wanted = [&](const Call &F) {
    if (F.Does == Work::GRAPH)
      return Replays != Watching::Nothing;
    return F.Always || (Replays == Watching::Everything && isOfReplays(F));
  };
  for (unsigned Id = 1; Id < MaxCall; ++Id)
    for (auto [Domain, F] :
         {std::pair(CUPTI_CB_DOMAIN_RUNTIME_API, &runtimeCall(Id)),
          std::pair(CUPTI_CB_DOMAIN_DRIVER_API, &driverCall(Id))})
      if (F->Name && Wanted(*F))
        Tools.EnableCallback(1, Subscriber, Domain, Id);
}

/// Subscribes to all functions from just before the beginning of the first
/// capture to the end of the last one.
void Watch::beginning(bool Enters) {
  Quiet Guard;
  std::lock_guard Locked(Lock);
  Beginning += Enters ? 1 : -1;
  listenAsNeeded();
}

void Watch::listenAsNeeded() {
  bool Quiet = Active.empty() && Beginning <= 0;
  ActiveCount = Active.size();
  IdleCalls = 0;
  Lingering = Quiet && Begun >= ManyCaptures && Now == Listening::ToAll;
  Listening Wanted = Quiet && !Lingering ? Listening::ToFew : Listening::ToAll;
  if (Wanted != Now)
    listen(Wanted);
}

/// A call outside captures was observed only because the subscription lingers.
void Watch::idle() {
  if (++IdleCalls < ManyCalls)
    return;
  std::lock_guard Locked(Lock);
  if (Lingering.exchange(false))
    listen(Listening::ToFew);
}

void CUPTIAPI Watch::callback(void *, CUpti_CallbackDomain Domain,
                              CUpti_CallbackId Id, const void *Data) {
  Watch &W = get();
  if (Inside || !W.File.isOpen())
    return;
  if (Domain == CUPTI_CB_DOMAIN_RESOURCE) {
    Quiet Guard;
    return W.loaded(*static_cast<const CUpti_ResourceData *>(Data));
  }
  const auto &Info = *static_cast<const CUpti_CallbackData *>(Data);
  bool Runtime = Domain == CUPTI_CB_DOMAIN_RUNTIME_API;
  unsigned Current = W.Generation;
  const Call &F = Runtime ? runtimeCall(Id) : driverCall(Id);
  if (Info.callbackSite == CUPTI_API_ENTER) {
    // Called before any capture, because a capture must not contain the work of
    // CUPTI.
    bool Outer = Runtime || InRuntime != W.Generation;
    if (F.Is == Role::BEGIN && Outer) {
      Quiet Guard;
      void *Stream = nullptr;
      streamOf(F, Info.functionParams, Stream);
      KindAtBegin = W.kindOf(F, Stream);
      W.beginning(true);
    } else if (F.Does == Work::GRAPH && Outer &&
               W.Replays != Watching::Nothing) {
      Quiet Guard;
      W.launching({&F, Runtime, 0, Info.functionParams, nullptr});
    } else if (F.Does == Work::LAUNCH && !Runtime &&
               W.Replays == Watching::Everything) {
      Quiet Guard;
      W.launchingKernel(F, Info.functionParams);
    }
    if (Runtime)
      InRuntime = W.Generation;
    return;
  }
  if (Runtime)
    InRuntime = 0;
  else if (InRuntime == Current)
    return;
  if (!F.Name || !Info.functionReturnValue)
    return;
  Quiet Guard;
  // cudaError_t and CUresult are enumerations of the same codes here.
  int Code = *static_cast<const int *>(Info.functionReturnValue);
  W.exited({&F, Runtime, Code, Info.functionParams, Info.symbolName});
  if (W.Lingering)
    W.idle();
}

/// CUPTI detaches from the process only at the exit of a call.
void Watch::detach() {
  {
    std::lock_guard Guard(Lock);
    if (!CaptureLimit || Begun < CaptureLimit || !Active.empty() ||
        Beginning > 0 || !Tools.Finalize)
      return;
    CaptureLimit = 0;
  }
  Tools.Finalize();
}

/// Called by the program's free(), realloc(), or munmap().
void Watch::hostFreed(const char *Api, uint64_t Address, uint64_t Bytes) {
  Watch &W = get();
  if (Inside || !W.File.isOpen())
    return;
  Quiet Guard;
  std::vector<unsigned> Execs = W.Alive.hostFreed(Address, Bytes), Captures;
  {
    std::lock_guard Locked(W.Lock);
    for (Capture &C : W.Active)
      if (std::erase_if(C.Heap, [&](const auto &Each) {
            return Each.first - Address < Bytes;
          }))
        Captures.push_back(C.Id);
  }
  if (Execs.empty() && Captures.empty())
    return;
  W.ranLines();
  W.File.write({{"e", nameOf(Line::Free)},
                {"api", Api},
                {"tid", threadId()},
                {"t", now()},
                {"stack", W.File.stack()},
                {"address", hex(Address)},
                {"bytes", Bytes},
                {"execs", Execs},
                {"captures", Captures}});
  std::lock_guard Locked(W.Lock);
  W.listenToReplays();
}

void Watch::exited(const Exit &E) {
  if (E.Function->Is == Role::BEGIN) {
    if (!E.Code)
      began(E);
    beginning(false);
    if (!E.Code)
      return;
  }
  if (E.Function->Is == Role::END && ended(E))
    return detach();
  if (!E.Code && E.Function->Is != Role::NONE && E.Function->Is < Role::RECORD)
    graphCall(E);
  if (!E.Code && Replays != Watching::Nothing)
    betweenReplays(E);
  if (E.Code && !isCaptureCode(E.Code) && E.Function->Does == Work::GRAPH)
    launched(E);
  if (isCaptureCode(E.Code) ||
      (E.Code && E.Function->Does != Work::NOTHING && capturesHere()))
    return refused(E);
  if (!E.Code && ActiveCount)
    accepted(E);
}

Json Watch::event(Line What, const Exit &E) {
  Json Result{{"e", nameOf(What)},
              {"api", E.Function->Name},
              {"tid", threadId()},
              {"t", now()},
              {"stack", File.stack()}};
  if (E.Symbol)
    Result["name"] = E.Symbol;
  return Result;
}

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
  unsigned Flags = 0;
  const Driver *D = Driver::get();
  if (!D || !D->cuStreamGetFlags || captureOf(static_cast<CUstream>(Stream)) ||
      D->cuStreamGetFlags(static_cast<CUstream>(Stream), &Flags) !=
          CUDA_SUCCESS)
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
  // The mode is the last argument of each of them.
  bool ToGraph = contains(E.Function->Name, "ToGraph");
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
  if (E.Code && !isLegacy(*E.Function, Given) && D->cuStreamIsCapturing &&
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

} // namespace cudagraph::probe
