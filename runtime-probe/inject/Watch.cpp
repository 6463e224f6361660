//===- Watch.cpp - What happens while streams capture ---------------------===//
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

/// Set while the probe itself calls the driver: CUPTI reports that as well.
thread_local bool Inside = false;
/// The generation in which this thread entered a function of the runtime; the
/// driver's functions in it say the same once more. See Watch::Generation.
thread_local unsigned InRuntime = 0;
/// The kind of the stream that this thread is about to capture: once it does,
/// the question would break the capture (measured: cuStreamGetFlags, 900).
thread_local const char *KindAtBegin = nullptr;

struct Quiet {
  bool Before = std::exchange(Inside, true);
  ~Quiet() { Inside = Before; }
};

/// A process that captures so often is listened to without a break, apart from
/// launches of graphs.
constexpr unsigned ManyCaptures = 64;

constexpr bool isCaptureCode(int Code) { return Code >= 900 && Code <= 908; }

bool contains(const char *Name, const char *Part) {
  return Name && std::strstr(Name, Part);
}

bool isBegin(const Call &F) { return contains(F.Name, "StreamBeginCapture"); }

/// Functions that are watched all the time.
bool isAlways(const Call &F) {
  return isBegin(F) || contains(F.Name, "StreamEndCapture") ||
         contains(F.Name, "EventQuery") ||
         contains(F.Name, "EventSynchronize") ||
         contains(F.Name, "EventElapsedTime");
}

/// What a refusal is told apart by from others like it.
uint64_t keyOf(const char *What, const char *Name, unsigned Stack, int Code,
               unsigned Capture) {
  uint64_t Key = 1469598103934665603u;
  auto Mix = [&](uint64_t N) { Key = (Key ^ N) * 1099511628211u; };
  for (const char *Text : {What, Name})
    for (; Text && *Text; ++Text)
      Mix(static_cast<unsigned char>(*Text));
  Mix(Stack);
  Mix(Code);
  Mix(Capture);
  return Key ? Key : 1;
}

} // namespace

void Watch::listen(Listening To) {
  ++Generation;
  Now = To;
  bool Domains = To != Listening::ToFew;
  for (CUpti_CallbackDomain Domain :
       {CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_CB_DOMAIN_DRIVER_API})
    Tools.EnableDomain(Domains, Subscriber, Domain);
  Tools.EnableCallback(Domains, Subscriber, CUPTI_CB_DOMAIN_RESOURCE,
                       CUPTI_CBID_RESOURCE_MODULE_LOADED);
  if (To == Listening::ToAll)
    return;
  for (unsigned Id = 1; Id < MaxCall; ++Id)
    for (auto [Domain, F] :
         {std::pair(CUPTI_CB_DOMAIN_RUNTIME_API, &runtimeCall(Id)),
          std::pair(CUPTI_CB_DOMAIN_DRIVER_API, &driverCall(Id))})
      if (Domains ? F->Does == Work::GRAPH : isAlways(*F))
        Tools.EnableCallback(!Domains, Subscriber, Domain, Id);
}

/// Listens to all functions from when the first capture is about to begin until
/// the last has ended.
void Watch::beginning(bool Enters) {
  Quiet Guard;
  std::lock_guard Locked(Lock);
  Beginning += Enters ? 1 : -1;
  listenAsNeeded();
}

void Watch::listenAsNeeded() {
  bool Quiet = Active.empty() && Beginning <= 0;
  Listening Wanted = Quiet ? Listening::ToFew : Listening::ToAll;
  // Starting and stopping to listen costs more than many calls.
  if (Begun >= ManyCaptures && (Quiet || Now == Listening::ToMost))
    Wanted = Listening::ToMost;
  ActiveCount = Active.size();
  if (Wanted != Now)
    listen(Wanted);
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
    // Before anything captures: a capture is not to see what CUPTI does.
    if (isBegin(F) && (Runtime || InRuntime != W.Generation)) {
      Quiet Guard;
      void *Stream = nullptr;
      streamOf(F, Info.functionParams, Stream);
      KindAtBegin = W.kindOf(F, Stream);
      W.beginning(true);
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
}

void Watch::exited(const Exit &E) {
  if (isBegin(*E.Function)) {
    if (!E.Code)
      began(E);
    beginning(false);
    if (!E.Code)
      return;
  }
  if (contains(E.Function->Name, "StreamEndCapture") && ended(E))
    return;
  if (isCaptureCode(E.Code) ||
      (E.Code && E.Function->Does != Work::NOTHING && capturesHere()))
    return refused(E);
  if (!E.Code && ActiveCount)
    accepted(E);
}

Json Watch::event(const char *What, const Exit &E) {
  return {{"e", What},
          {"api", E.Function->Name},
          {"tid", threadId()},
          {"t", now()},
          {"stack", File.stack()}};
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

unsigned Watch::captureOf(CUstream Stream) {
  const Driver *D = Driver::get();
  CUstreamCaptureStatus Status = CU_STREAM_CAPTURE_STATUS_NONE;
  cuuint64_t Id = 0;
  if (!D || !D->GetCaptureInfo ||
      D->GetCaptureInfo(Stream, &Status, &Id, nullptr, nullptr, nullptr) !=
          CUDA_SUCCESS ||
      Status == CU_STREAM_CAPTURE_STATUS_NONE)
    return 0;
  std::lock_guard Guard(Lock);
  // The driver forgets the id of a capture that is broken.
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
  auto *Stream = static_cast<CUstream>(Given);
  if (!Stream && E.Function->PerThread)
    Stream = CU_STREAM_PER_THREAD;
  static std::once_flag Once;
  std::call_once(Once, [this] { describeMachine(); });
  CUstreamCaptureStatus Status = CU_STREAM_CAPTURE_STATUS_NONE;
  Capture New{0, 0, Stream, KindAtBegin, threadId()};
  if (D->GetCaptureInfo)
    D->GetCaptureInfo(Stream, &Status, &New.CudaId, nullptr, nullptr, nullptr);
  Json Event = event("begin", E);
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

/// Returns false if nothing that is known of has ended.
bool Watch::ended(const Exit &E) {
  const Driver *D = Driver::get();
  void *Given = nullptr;
  if (!D || !streamOf(*E.Function, E.Arguments, Given))
    return false;
  auto *Stream = static_cast<CUstream>(Given);
  if (!Stream && E.Function->PerThread)
    Stream = CU_STREAM_PER_THREAD;
  // A refusal may leave the capture as it was: on another thread, say.
  CUstreamCaptureStatus Status = CU_STREAM_CAPTURE_STATUS_NONE;
  if (E.Code && !isLegacy(*E.Function, Given) && D->cuStreamIsCapturing &&
      D->cuStreamIsCapturing(Stream, &Status) == CUDA_SUCCESS &&
      Status != CU_STREAM_CAPTURE_STATUS_NONE)
    return false;
  unsigned Id = 0;
  {
    std::lock_guard Guard(Lock);
    auto It = std::find_if(Active.begin(), Active.end(), [&](const Capture &C) {
      return C.Stream == Stream;
    });
    if (It == Active.end())
      return false;
    Id = It->Id;
  }
  Json Event = event("end", E);
  Event["capture"] = Id;
  Event["code"] = E.Code;
  // The second argument says where the graph goes.
  auto *Into = reinterpret_cast<CUgraph *>(wordAt(E.Arguments, 8));
  if (!E.Code && Into && *Into) {
    size_t LeftOut = 0;
    Event["graph"] = nodesOf(*D, *Into, File, LeftOut);
    if (LeftOut)
      Event["nodes_left_out"] = LeftOut;
  }
  File.write(std::move(Event));
  std::lock_guard Guard(Lock);
  std::erase_if(Active, [&](const Capture &C) { return C.Id == Id; });
  listenAsNeeded();
  return true;
}

void Watch::refused(const Exit &E) {
  const Driver *D = Driver::get();
  Json Event = event("call", E);
  Event["domain"] = E.Runtime ? "runtime" : "driver";
  Event["code"] = E.Code;
  unsigned In = 0;
  void *Given = nullptr;
  if (streamOf(*E.Function, E.Arguments, Given)) {
    Event["stream"] = hex(Given);
    if (const char *Kind = kindOf(*E.Function, Given))
      Event["kind"] = Kind;
    if (!isLegacy(*E.Function, Given))
      In = captureOf(Given ? static_cast<CUstream>(Given)
                           : CU_STREAM_PER_THREAD);
    if (In)
      Event["in"] = In;
  }
  std::vector<Capture> Before;
  {
    std::lock_guard Guard(Lock);
    Before = Active;
  }
  Json Captures = Json::array();
  unsigned Broke = 0;
  for (Capture &C : Before) {
    CUstreamCaptureStatus Status = CU_STREAM_CAPTURE_STATUS_NONE;
    if (D && D->cuStreamIsCapturing)
      D->cuStreamIsCapturing(C.Stream, &Status);
    bool Broken = Status == CU_STREAM_CAPTURE_STATUS_INVALIDATED;
    Captures.push_back(
        {{"id", C.Id}, {"after", Broken ? "invalidated" : "active"}});
    if (Broken && !C.Broken)
      Broke = C.Id;
    C.Broken = Broken;
  }
  {
    std::lock_guard Guard(Lock);
    for (Capture &C : Active)
      for (const Capture &Now : Before)
        if (C.Id == Now.Id)
          C.Broken |= Now.Broken;
  }
  Event["captures"] = std::move(Captures);
  unsigned Stack = Event["stack"];
  unsigned Told = Broke            ? Broke
                  : In             ? In
                  : Before.empty() ? 0
                                   : Before.back().Id;
  File.write(std::move(Event),
             keyOf("call", E.Function->Name, Stack, E.Code, Told));
  if (Halt && isCaptureCode(E.Code))
    std::abort();
}

void Watch::accepted(const Exit &E) {
  const Call &F = *E.Function;
  bool Asked = !Watched.empty() && Watched.count(F.Name);
  if (F.Does == Work::NOTHING && !Asked)
    return;
  void *Given = nullptr;
  bool HasStream = streamOf(F, E.Arguments, Given);
  unsigned In = 0;
  if (HasStream && !isLegacy(F, Given))
    In = captureOf(Given ? static_cast<CUstream>(Given) : CU_STREAM_PER_THREAD);
  if (Asked) {
    Json Event = event("call", E);
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
    File.write(std::move(Event), keyOf("call", F.Name, Stack, 0, 0));
  }
  if (In && F.Does == Work::COPY) {
    checkCopy(E, In, wordAt(E.Arguments, F.From), true);
    checkCopy(E, In, wordAt(E.Arguments, F.To), false);
    return;
  }
  // What other threads do outside is their own business.
  if (In || !HasStream || F.Does == Work::NOTHING || !capturesHere())
    return;
  Json Event = event("escape", E);
  Event["work"] = spelling(F.Does);
  if (E.Symbol)
    Event["name"] = E.Symbol;
  Event["stream"] = hex(Given);
  if (const char *Kind = kindOf(F, Given))
    Event["kind"] = Kind;
  Event["captures"] = activeIds();
  unsigned Stack = Event["stack"];
  File.write(std::move(Event), keyOf("escape", F.Name, Stack, 0, 0));
}

void Watch::checkCopy(const Exit &E, unsigned In, uint64_t Address,
                      bool ToDevice) {
  const Driver *D = Driver::get();
  if (!Address || !D || !D->cuPointerGetAttribute)
    return;
  CUmemorytype Type{};
  if (D->cuPointerGetAttribute(&Type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                               Address) == CUDA_SUCCESS)
    return; // known to CUDA: pinned, managed or on a device
  Json Event = event("pageable", E);
  Event["capture"] = In;
  Event["direction"] = ToDevice ? "h2d" : "d2h";
  Event["address"] = hex(Address);
  if (E.Function->Bytes >= 0)
    Event["bytes"] = wordAt(E.Arguments, E.Function->Bytes);
  int Module = File.frame(Address)[0];
  Event["storage"] = isOnStack(Address) ? "stack"
                     : Module >= 0      ? "static"
                                        : "heap";
  unsigned Stack = Event["stack"];
  File.write(std::move(Event),
             keyOf("pageable", E.Function->Name, Stack, ToDevice, In));
}

void Watch::loaded(const CUpti_ResourceData &) {
  if (!capturesHere())
    return;
  Json Event{{"e", "first"},          {"what", "module-load"},
             {"tid", threadId()},     {"t", now()},
             {"stack", File.stack()}, {"captures", activeIds()}};
  unsigned Stack = Event["stack"];
  File.write(std::move(Event), keyOf("first", "", Stack, 0, 0));
}

} // namespace cudagraph::probe
