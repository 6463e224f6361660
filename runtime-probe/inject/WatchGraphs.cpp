//===- WatchGraphs.cpp - Graphs after their capture -----------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Records the instantiation, launch, and end of graphs, and the end of memory
// that they use. For the first launches, also records operations that order
// streams or access that memory. The report draws the conclusions.
//
//===----------------------------------------------------------------------===//

#include "LineWatch.h"
#include "Nodes.h"
#include "Watch.h"
#include <cstring>
#include <utility>

namespace cudagraph::probe {

namespace {

/// The graph that a thread is about to launch, as it was before the call.
thread_local Json Launching;
/// The arguments of the kernel that a thread launches, from the driver call.
thread_local std::vector<Word> LaunchWords;

template <typename T> T handleAt(const void *Arguments, int16_t Offset) {
  return reinterpret_cast<T>(wordAt(Arguments, Offset));
}

} // namespace

/// A successful call that concerns graphs or the end of memory.
void Watch::graphCall(const Exit &E) {
  switch (E.Function->Is) {
  case Role::INSTANTIATE:
    if (auto *Made = handleAt<CUgraphExec *>(E.Arguments, 0); Made && *Made)
      instantiated(E, *Made, handleAt<CUgraph>(E.Arguments, 8), false);
    break;
  case Role::UPDATE:
    instantiated(E, handleAt<CUgraphExec>(E.Arguments, 0),
                 handleAt<CUgraph>(E.Arguments, 8), true);
    break;
  case Role::DESTROY:
    if (unsigned Id = Alive.remove(handleAt<CUgraphExec>(E.Arguments, 0))) {
      ranLines();
      File.write({{"e", nameOf(Line::Gone)},
                  {"exec", Id},
                  {"tid", threadId()},
                  {"t", now()}});
    }
    break;
  case Role::FORGET:
    Alive.forget(handleAt<CUgraph>(E.Arguments, 0));
    break;
  case Role::NODE:
    changed(E);
    break;
  case Role::FREE:
    freed(E, wordAt(E.Arguments, 0), 0);
    break;
  case Role::UNMAP:
    freed(E, wordAt(E.Arguments, 0), wordAt(E.Arguments, 8));
    break;
  default:
    break;
  }
}

void Watch::instantiated(const Exit &E, CUgraphExec Handle, CUgraph Graph,
                         bool Update) {
  const Driver *D = Driver::get();
  if (!D || !Handle || CapturesOnly)
    return;
  ranLines();
  Exec New;
  New.From = Alive.origin(Graph);
  New.Holds = usesOf(*D, Graph);
  Json Event = event(Line::Exec, E);
  size_t LeftOut = 0;
  // The nodes of a capture are in its end, unless some were added since.
  if (New.From.Capture && New.From.Nodes == topLevelNodes(*D, Graph))
    Event["capture"] = New.From.Capture;
  else
    Event["graph"] = nodesOf(*D, Graph, File, LeftOut, {});
  if (LeftOut)
    Event["nodes_left_out"] = LeftOut;
  if (Update)
    Event["update"] = true;
  Json Memory = Json::array();
  for (const Range &R : New.Holds.Memory)
    Memory.push_back({hex(R.Base), R.Bytes, R.Kind});
  Event["memory"] = std::move(Memory);
  Json Host = Json::array();
  for (const HostMemory &M : New.Holds.Host)
    if (!M.Pinned)
      Host.push_back({hex(M.Address), M.Bytes, storageOf(M.Address, New.From)});
  Event["exec"] = Alive.add(Handle, std::move(New));
  if (!Host.empty()) {
    Event["pageable"] = std::move(Host);
    Event["heap"] = watchHeap();
  }
  File.write(std::move(Event));
  moreLaunches();
}

/// A node of an executable graph has new parameters. Those of an unchanged
/// kernel are read; any other node is unknown from now on.
void Watch::changed(const Exit &E) {
  const Driver *D = Driver::get();
  auto Handle = handleAt<CUgraphExec>(E.Arguments, 0);
  auto Node = handleAt<CUgraphNode>(E.Arguments, 8);
  auto Old = Alive.find(Handle);
  if (!D || !Old)
    return;
  ranLines();
  Exec Changed = *Old;
  for (size_t I = 0; I < Changed.Holds.Nodes.size(); ++I) {
    NodeUses &N = Changed.Holds.Nodes[I];
    if (N.Node != Node)
      continue;
    N.Words.clear();
    std::erase_if(Changed.Holds.Host,
                  [&](const HostMemory &M) { return M.Node == I; });
    Json Event{{"e", nameOf(Line::Exec)}, {"exec", Old->Id}, {"node", I},
               {"tid", threadId()},       {"t", now()},      {"memory", {}}};
    const void *Params = handleAt<const void *>(E.Arguments, 16);
    bool Kernel = std::string_view(E.Function->Name).find("KernelNode") !=
                  std::string_view::npos;
    if (Kernel && Params && (N.Kernel.Function || N.Kernel.Kernel)) {
      void *const *Args = kernelArguments(E, Params);
      N.Words = wordsOf(*D, N.Kernel, Args);
      Event["words"] = Json::array();
      for (const Word &W : N.Words)
        Event["words"].push_back({W.Param, hex(W.Value)});
    }
    Changed.Holds.Memory.clear();
    for (const NodeUses &Each : Changed.Holds.Nodes)
      addMemory(*D, Each.Words, Changed.Holds.Memory);
    Event["memory"] = Json::array();
    for (const Range &R : Changed.Holds.Memory)
      Event["memory"].push_back({hex(R.Base), R.Bytes, R.Kind});
    Alive.add(Handle, std::move(Changed));
    if (Replays != Watching::Nothing)
      File.write(std::move(Event));
    return;
  }
}

void *const *Watch::kernelArguments(const Exit &E, const void *Params) {
  return E.Runtime
             ? static_cast<const cudaKernelNodeParams *>(Params)->kernelParams
             : static_cast<const CUDA_KERNEL_NODE_PARAMS *>(Params)
                   ->kernelParams;
}

void Watch::freed(const Exit &E, uint64_t Address, uint64_t Bytes) {
  bool Waits = !E.Function->PerThread && E.Function->Is == Role::FREE &&
               E.Function->Does == Work::NOTHING &&
               !std::strstr(E.Function->Name, "Event");
  if (Replays == Watching::Everything && Waits)
    ordered(E, "all", nullptr, nullptr);
  std::vector<unsigned> Ids = Alive.freed(Address, Bytes);
  if (Ids.empty())
    return;
  Json Event = event(Line::Free, E);
  Event["address"] = hex(Address);
  Event["bytes"] = Bytes;
  Event["execs"] = Ids;
  File.write(std::move(Event));
  std::lock_guard Guard(Lock);
  listenToReplays();
}

/// Checks the contents of a graph's host memory before a launch, and whether
/// the graph is still running.
void Watch::launching(const Exit &E) {
  const Call &F = *E.Function;
  const void *Arguments = E.Arguments;
  Launching = nullptr;
  const Driver *D = Driver::get();
  auto Known = Alive.find(handleAt<CUgraphExec>(Arguments, 0));
  if (!D || !Known || Replays == Watching::Nothing)
    return;
  ranLines();
  if (Replays == Watching::Launches && (!Known->Freed || Known->Reported))
    return;
  Json Event{{"e", nameOf(Line::Launch)}, {"exec", Known->Id}};
  void *Given = nullptr;
  streamOf(F, Arguments, Given);
  auto *Stream = static_cast<CUstream>(Given);
  if (!ActiveCount && D->cuStreamQuery &&
      D->cuStreamQuery(Stream) == CUDA_ERROR_NOT_READY)
    Event["busy"] = true;
  Exec Now = *Known;
  Json Host = Json::array();
  bool Harms = Now.Freed;
  for (HostMemory &M : Now.Holds.Host) {
    const char *State = nullptr;
    uint64_t Hash = 0;
    if (!hashOf(M, Hash))
      State = M.Ended ? nullptr : "unmapped";
    else if (M.Reads && Hash != M.Hash)
      State = "changed";
    for (const auto &[Address, Owner] : Now.From.OnStack)
      if (Address == M.Address && Now.From.Thread == threadId() &&
          !isActive(Owner))
        State = "returned";
    M.Hash = Hash;
    Harms |= State && *State != 'c';
    if (State)
      Host.push_back({{"address", hex(M.Address)},
                      {"bytes", M.Bytes},
                      {"reads", M.Reads},
                      {"pinned", M.Pinned},
                      {"state", State}});
  }
  if (!Host.empty())
    Event["host"] = std::move(Host);
  Now.Reported += Now.Freed;
  if (!Now.Holds.Host.empty() || Now.Freed)
    Alive.replace(handleAt<CUgraphExec>(Arguments, 0),
                  std::make_shared<const Exec>(std::move(Now)));
  Launching = std::move(Event);
  if (Harms) // this may be the last event
    launched(E);
}

/// The event of launching(), once its result is known.
void Watch::launched(const Exit &E) {
  if (Launching.is_null())
    return;
  Json Event = event(Line::Launch, E);
  Event.update(std::exchange(Launching, nullptr));
  if (E.Code)
    Event["code"] = E.Code;
  addStream(Event, E);
  File.write(std::move(Event));
  countReplays(1);
}

/// The driver's call has the layout of a kernel's arguments.
void Watch::launchingKernel(const Call &F, const void *Arguments) {
  LaunchWords.clear();
  const Driver *D = Driver::get();
  if (!D || F.To < 0 || F.From < 0)
    return;
  auto *Args = handleAt<void *const *>(Arguments, F.To);
  LaunchWords =
      wordsOf(*D, {handleAt<CUfunction>(Arguments, F.From), nullptr}, Args);
  // A kernel of a library may be passed instead of a function.
  if (LaunchWords.empty())
    LaunchWords =
        wordsOf(*D, {nullptr, handleAt<CUkernel>(Arguments, F.From)}, Args);
}

/// While replays are watched: work and order outside captures.
void Watch::betweenReplays(const Exit &E) {
  const Call &F = *E.Function;
  if (F.Does == Work::GRAPH)
    return launched(E);
  if (Replays != Watching::Everything)
    return;
  void *Given = nullptr;
  bool HasStream = streamOf(F, E.Arguments, Given);
  if (ActiveCount && HasStream && !isLegacy(F, Given) &&
      captureOf(Given ? static_cast<CUstream>(Given) : CU_STREAM_PER_THREAD))
    return; // captured: it does not happen now
  auto First = handleAt<void *>(E.Arguments, 0);
  auto Second = handleAt<void *>(E.Arguments, 8);
  switch (F.Is) {
  case Role::RECORD:
    return ordered(E, "record", Second, First);
  case Role::WAIT:
    return ordered(E, "wait", First, Second);
  case Role::STREAM_ENDED:
    return ordered(E, "stream", First, nullptr);
  case Role::EVENT_ENDED:
    return ordered(E, "event", nullptr, First);
  case Role::ALL_ENDED:
    return ordered(E, "all", nullptr, nullptr);
  default:
    break;
  }
  if (F.Does != Work::NOTHING)
    worked(E);
}

void Watch::ordered(const Exit &E, const char *How, void *Stream,
                    void *OfEvent) {
  Json Event{{"e", nameOf(Line::Order)},
             {"how", How},
             {"tid", threadId()},
             {"t", now()}};
  if (Stream || E.Function->Stream >= 0)
    addStream(Event, E);
  if (OfEvent)
    Event["event"] = hex(OfEvent);
  File.write(std::move(Event));
  countReplays(0);
}

void Watch::worked(const Exit &E) {
  const Call &F = *E.Function;
  Json Reads = Json::array(), Writes = Json::array(), Words = Json::array();
  uint64_t Bytes = F.Bytes >= 0 ? wordAt(E.Arguments, F.Bytes) : 1;
  auto Add = [&](Json &To, uint64_t Address) {
    if (Address && Alive.isUsed(Address))
      To.push_back({hex(Address), Bytes});
  };
  if (F.Does == Work::LAUNCH) {
    for (const Word &W : LaunchWords)
      if (Alive.isUsed(W.Value))
        Words.push_back({W.Param, hex(W.Value)});
    LaunchWords.clear();
  } else if (F.Does == Work::COPY || F.Does == Work::SET) {
    Add(Writes, wordAt(E.Arguments, F.To));
    Add(Reads, wordAt(E.Arguments, F.From));
  }
  // Any copy that waits orders the host.
  bool Waits = F.Does == Work::COPY &&
               std::string_view(F.Name).find("Async") == std::string_view::npos;
  if (Waits && Reads.empty() && Writes.empty())
    return ordered(E, "stream", nullptr, nullptr);
  if (Reads.empty() && Writes.empty() && Words.empty())
    return;
  Json Event = event(Line::Work, E);
  Event["work"] = spelling(F.Does);
  addStream(Event, E);
  for (auto &[Name, List] :
       {std::pair("reads", &Reads), std::pair("writes", &Writes),
        std::pair("words", &Words)})
    if (!List->empty())
      Event[Name] = std::move(*List);
  if (Waits)
    Event["waits"] = true;
  File.write(std::move(Event));
  countReplays(0);
}

/// Records the watched lines that have run since the previous event.
void Watch::ranLines() {
  for (const LineWatch::Run &R : LineWatch::take())
    File.write({{"e", nameOf(Line::Ran)},
                {"line", R.Line + 1},
                {"tid", R.Thread},
                {"t", now()},
                {"captures", activeIds()}});
}

/// Called when another graph can be launched: its launches are also observed.
void Watch::moreLaunches() {
  constexpr unsigned First = 128, Each = 2, LinesOfEach = 8;
  std::lock_guard Guard(Lock);
  if (!ReplayLimit)
    return;
  unsigned Most = ReplayLimit - std::min(ReplaysSeen, ReplayLimit);
  LaunchesLeft = std::min(Most, LaunchesLeft + (Instantiated++ ? Each : First));
  if (ReplayLimit == EveryReplay)
    LaunchesLeft = EveryReplay;
  LinesLeft = std::max(LinesLeft, LaunchesLeft > EveryReplay / LinesOfEach
                                      ? EveryReplay
                                      : LaunchesLeft * LinesOfEach);
  listenToReplays();
}

void Watch::countReplays(unsigned Launched) {
  std::lock_guard Guard(Lock);
  ReplaysSeen += Launched;
  if (ReplayLimit == EveryReplay)
    return;
  LaunchesLeft -= std::min(Launched, LaunchesLeft);
  LinesLeft -= std::min(1u, LinesLeft);
  if (LaunchesLeft && LinesLeft)
    return;
  LaunchesLeft = LinesLeft = 0;
  if (Replays == Watching::Everything)
    File.write({{"e", nameOf(Line::Order)},
                {"how", "unwatched"},
                {"tid", threadId()},
                {"t", now()}});
  listenToReplays();
}

/// Under Lock. A launch costs little, so a callback would be a large part of
/// it: launches are watched for a while, and again after memory of a graph is
/// freed.
void Watch::listenToReplays() {
  Watching Wanted = LaunchesLeft       ? Watching::Everything
                    : Alive.anyFreed() ? Watching::Launches
                                       : Watching::Nothing;
  if (Wanted == Replays)
    return;
  Replays = Wanted;
  listen(Now);
}

} // namespace cudagraph::probe
