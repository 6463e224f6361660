//===- WatchReplays.cpp - Launches, and the work between them -------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Records the first launches of graphs, and the operations that order streams
// or access memory of graphs between them. Also records the watched lines that
// have run. The report draws the conclusions.
//
//===----------------------------------------------------------------------===//

#include "LineWatch.h"
#include "ThreadOwn.h"
#include "Watch.h"
#include <string_view>
#include <utility>

namespace cudagraph::probe {

namespace {

/// The launch that a thread is about to make.
struct Launch {
  Json Graph;              ///< as it was before the call
  std::vector<Word> Words; ///< the arguments of a kernel, from the driver call
};

Launch &ownLaunch() { return ThreadOwn<Launch>::get(); }

} // namespace

/// Returns true if \p Stream has work. Another thread may begin a capture at
/// any time, and a query in global mode would break that capture.
bool Watch::isBusy(const Driver &D, CUstream Stream) const {
  if (ActiveCount || !D.cuStreamQuery || !D.cuStreamIsCapturing ||
      !D.cuThreadExchangeStreamCaptureMode)
    return false;
  CUstreamCaptureMode Mode = CU_STREAM_CAPTURE_MODE_RELAXED;
  if (D.cuThreadExchangeStreamCaptureMode(&Mode) != CUDA_SUCCESS)
    return false;
  CUstreamCaptureStatus Status = CU_STREAM_CAPTURE_STATUS_ACTIVE;
  D.cuStreamIsCapturing(Stream, &Status);
  bool Busy = Status == CU_STREAM_CAPTURE_STATUS_NONE &&
              D.cuStreamQuery(Stream) == CUDA_ERROR_NOT_READY;
  D.cuThreadExchangeStreamCaptureMode(&Mode);
  return Busy;
}

/// Checks the contents of a graph's host memory before a launch, and whether
/// the graph is still running.
void Watch::launching(const Exit &E) {
  const Call &F = *E.Function;
  const void *Arguments = E.Arguments;
  Json &Launching = ownLaunch().Graph;
  Launching = nullptr;
  const Driver *D = Driver::get();
  auto Handle = handleAt<CUgraphExec>(Arguments, 0);
  std::optional<Graphs::State> Now = Alive.find(Handle);
  if (!D || !Now || Replays == Watching::Nothing)
    return;
  ranLines();
  if (Replays == Watching::Launches && (!Now->Freed || Now->Reported))
    return;
  Json Event{{"e", nameOf(Line::Launch)}, {"exec", Now->Id}};
  void *Given = nullptr;
  streamOf(F, Arguments, Given);
  if (isBusy(*D, static_cast<CUstream>(Given)))
    Event["busy"] = true;
  Json Host = Json::array();
  bool Harms = Now->Freed;
  for (HostMemory &M : Now->Host) {
    if (!M.Bytes)
      continue;
    const char *State = nullptr;
    uint64_t Hash = 0;
    if (!hashOf(M, Hash))
      State = M.Ended ? nullptr : "unmapped";
    else if (M.Reads && Hash != M.Hash)
      State = "changed";
    for (const auto &[Address, Owner] : Now->From->OnStack)
      if (Address == M.Address && Now->From->Thread == threadId() &&
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
  if (!Now->Host.empty() || Now->Freed)
    Alive.launched(Handle, *Now);
  Launching = std::move(Event);
  if (Harms) // this may be the last event
    launched(E);
}

/// Writes the event of launching() once the result is known.
void Watch::launched(const Exit &E) {
  Json &Launching = ownLaunch().Graph;
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

/// The driver call provides the layout of the kernel's arguments.
void Watch::launchingKernel(const Call &F, const void *Arguments) {
  std::vector<Word> &LaunchWords = ownLaunch().Words;
  LaunchWords.clear();
  const Driver *D = Driver::get();
  if (!D || F.To < 0 || F.From < 0)
    return;
  KernelArguments Args(handleAt<void *const *>(Arguments, F.To),
                       handleAt<void *const *>(Arguments, F.Bytes));
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
    return; // captured work does not run now
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
    for (const Word &W : std::exchange(ownLaunch().Words, {}))
      if (Alive.isUsed(W.Value))
        Words.push_back({W.Param, hex(W.Value)});
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
  if (LineWatch::isLost())
    File.write({{"e", nameOf(Line::Source)},
                {"problem", "the program handles SIGTRAP itself"}});
}

/// Called when one more graph can be launched: its launches are also observed.
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
