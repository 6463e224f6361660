//===- Watch.cpp - Events while streams capture ---------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Watch.h"
#include "LineWatch.h"
#include <cstring>
#include <dlfcn.h>
#include <unistd.h>

namespace cudagraph::probe {

namespace {

/// Set while the probe itself calls the driver, because CUPTI also reports
/// those calls.
thread_local bool Inside = false;
/// The generation in which this thread entered a runtime function; the driver
/// functions in it are duplicates. See Watch::Generation.
thread_local unsigned InRuntime = 0;
struct Quiet {
  bool Before = std::exchange(Inside, true);
  ~Quiet() { Inside = Before; }
};

/// A process that has made ManyCaptures captures probably captures again soon.
/// Starting and stopping the subscription costs about as much as the callbacks
/// of ManyCalls calls, so the subscription ends only after that many.
constexpr unsigned ManyCaptures = 64, ManyCalls = 1024;

} // namespace

void Watch::listen(Listening To) {
  if (Detached)
    return;
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
      LineWatch::arm();
      KindAtBegin = W.kindOf(F, Stream);
      W.beginning(true);
    } else if (F.Is >= Role::STREAM_GONE && Outer) {
      Quiet Guard;
      W.destroying(F, Info.functionParams);
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
    Detached = true;
  }
  Tools.Finalize();
}

/// Called by the program's free(), realloc(), or munmap().
void Watch::hostFreed(const char *Api, uint64_t Address, uint64_t Bytes) {
  Watch &W = get();
  if (Inside || W.Detached || !W.File.isOpen())
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

/// Called by the program's ncclCommDestroy() or ncclCommAbort(). Prints a
/// message, because the process may never write its report. For Python, the
/// companion prints the message.
void Watch::communicatorEnds(const char *Api,
                             const std::vector<uint64_t> &Communicators) {
  Watch &W = get();
  if (Inside || W.Detached || !W.File.isOpen())
    return;
  Quiet Guard;
  std::vector<unsigned> Execs = W.Alive.holding(Communicators);
  if (Execs.empty())
    return;
  W.File.write({{"e", nameOf(Line::Free)},
                {"api", Api},
                {"tid", threadId()},
                {"t", now()},
                {"stack", W.File.stack()},
                {"address", hex(Communicators.front())},
                {"bytes", 1},
                {"execs", Execs}});
  if (dlsym(RTLD_DEFAULT, "Py_IsInitialized"))
    return;
  std::string Text =
      "cudagraph-probe: warning: '" + std::string(Api) +
      "' ends a communicator while a CUDA graph holds its collectives: NCCL "
      "waits for the graph, and the process hangs; destroy the graph first\n";
  (void)!::write(STDERR_FILENO, Text.data(), Text.size());
}

void Watch::exited(const Exit &E) {
  if (E.Function->Is >= Role::STREAM_GONE)
    return destroyed();
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
  // A begin or end call may return a different error: for example, an error
  // path has left the capture active, and the program begins it again.
  bool OfCapture = E.Function->Is == Role::BEGIN || E.Function->Is == Role::END;
  if (isCaptureCode(E.Code) ||
      (E.Code && (E.Function->Does != Work::NOTHING || OfCapture) &&
       capturesHere()))
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

} // namespace cudagraph::probe
