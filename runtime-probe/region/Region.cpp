//===- Region.cpp - Runs a region in each capture mode --------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The implementation of cudagraph/probe.h. Every run starts with restored
// buffers, and after any failure, the stream is not capturing, graphs are
// destroyed, and the buffers have the contents that the program expects.
//
//===----------------------------------------------------------------------===//

#include "Compare.h"
#include "Driver.h"
#include "Report.h"

#include <string>

namespace cudagraph::probe_library {
namespace {

using Event = detail::c_event;

/// Makes the stream's context current during its lifetime if no context was
/// current before.
class ContextScope {
public:
  ContextScope(const Driver &D, Stream S) : D(D) {
    Context C = nullptr;
    if (D.getContext(&C) || C)
      return;
    // The default streams (0, 1, and 2) belong to the current context.
    if (reinterpret_cast<std::size_t>(S) > 2 && !D.streamContext(S, &C) && C)
      Pushed = !D.pushContext(C);
  }
  ~ContextScope() {
    Context C;
    if (Pushed)
      D.popContext(&C);
  }
  ContextScope(const ContextScope &) = delete;
  ContextScope &operator=(const ContextScope &) = delete;

private:
  const Driver &D;
  bool Pushed = false;
};

class Probe {
public:
  Probe(const detail::c_request &R, const Driver &D)
      : R(R), D(D), S(static_cast<Stream>(R.stream)), Out(R, D) {}

  void run();
  /// The beginning or end of a scoped region.
  void checkpoint();

private:
  bool save(Snapshot &To);
  bool restore(const Snapshot &From);
  bool eager(Snapshot &To);
  bool reset() { return !R.reset || R.reset(R.self) || stop("reset() threw"); }
  bool first() { return restore(Before) && reset(); }
  bool step(const char *Name, Code C) {
    Out.step(Name, C);
    return !C;
  }
  /// Records that no other mode is tried because of \p Why, with the name of \p
  /// C if that is an error.
  bool stop(const std::string &Why, Code C = 0) {
    if (!Stopped)
      Out.problem(Why, C);
    Stopped = true;
    return false;
  }

  void mode(int Mode);
  outcome capture(int Mode, Graph &G);
  outcome replay(Graph G);
  bool launch(GraphExec E, Snapshot &To, bool First = false);
  bool differ(const char *Against, const Snapshot &Reference,
              const Snapshot &Now, const Snapshot *Start);
  void finish();

  const detail::c_request &R;
  const Driver &D;
  Stream S;
  Report Out;
  Snapshot Before, Eager;
  bool Stopped = false, Changed = false, InCapture = false, Ran = false;
  std::string BrokenIn;
};

thread_local Probe *Active = nullptr;
thread_local std::vector<const char *> Scopes;

bool Probe::save(Snapshot &To) {
  To.resize(R.buffer_count);
  Code C = 0;
  for (std::size_t I = 0; I < R.buffer_count && !C; ++I) {
    const detail::c_buffer &B = R.buffers[I];
    if (!To[I])
      To[I].reset(static_cast<unsigned char *>(std::malloc(B.bytes + 1)));
    if (!To[I])
      return stop("not enough host memory to save buffers");
    C = D.copyToHost(To[I].get(), reinterpret_cast<Address>(B.device), B.bytes,
                     S);
  }
  Code Sync = D.synchronize(S);
  return C || Sync ? stop("saving buffers failed", C ? C : Sync) : true;
}

bool Probe::restore(const Snapshot &From) {
  Code C = 0;
  for (std::size_t I = 0; I < From.size() && !C; ++I)
    C = D.copyToDevice(reinterpret_cast<Address>(R.buffers[I].device),
                       From[I].get(), R.buffers[I].bytes, S);
  Code Sync = D.synchronize(S);
  return C || Sync ? stop("restoring buffers failed", C ? C : Sync) : true;
}

/// Runs the body without a capture, with the current contents of the buffers.
bool Probe::eager(Snapshot &To) {
  int C = R.run(R.self, 0);
  Code Sync = D.synchronize(S);
  if (C < 0)
    return stop("the body threw without a capture");
  if (C || Sync)
    return stop("the body fails without a capture", C ? C : Sync);
  return save(To);
}

void Probe::run() {
  if (!save(Before)) {
    R.run(R.self, 0);
    return Out.finish();
  }
  Ran = eager(Eager);
  if (Ran)
    for (std::size_t I = 0; I < R.mode_count && !Stopped; ++I)
      mode(R.modes[I]);
  else
    restore(Before);
  finish();
  Out.finish();
}

/// Leaves the results of one eager run for the program.
void Probe::finish() {
  if (!Ran)
    return;
  Snapshot Last;
  if (Changed || R.reset) {
    if (first())
      eager(Last);
    return;
  }
  restore(Eager);
}

void Probe::mode(int Mode) {
  Out.mode(Mode);
  BrokenIn.clear();
  // Without a reset, inputs on the host still have the last change.
  if (Changed && !R.reset && !(restore(Before) && eager(Eager)))
    return Out.outcome(outcome::failed);
  if (!first())
    return Out.outcome(outcome::failed);

  Graph G = nullptr;
  outcome O = capture(Mode, G);
  if (O == outcome::replayed)
    O = replay(G);
  if (G)
    D.destroyGraph(G);
  if (!BrokenIn.empty())
    Out.brokenIn(BrokenIn);
  Out.outcome(O);
}

/// Returns replayed if there is a graph that can be replayed.
outcome Probe::capture(int Mode, Graph &G) {
  if (!step("begin", D.beginCapture(S, Mode)))
    return outcome::refused;
  InCapture = true;
  int Body = R.run(R.self, 1);
  CaptureStatus Status = NotCapturing;
  D.captureStatus(S, &Status);
  InCapture = false;
  Out.step("body", Body);
  Out.status(Status);

  bool Ended = step("end", D.endCapture(S, &G));
  // Tries again to end a capture that could not be ended, and abandons it if
  // that fails.
  CaptureStatus Left = NotCapturing;
  if (!Ended && !D.captureStatus(S, &Left) && Left != NotCapturing) {
    Graph Partial = nullptr;
    if (D.endCapture(S, &Partial) == 0 && Partial)
      D.destroyGraph(Partial);
    Left = NotCapturing;
    if (!D.captureStatus(S, &Left) && Left != NotCapturing)
      stop("the stream is still capturing: its capture could not be ended");
  }
  std::size_t Nodes = 0;
  if (G && !D.getNodes(G, nullptr, &Nodes))
    Out.nodes(Nodes);
  if (Body < 0)
    return outcome::threw;
  if (Status == CaptureInvalidated)
    return outcome::invalidated;
  return Ended && G ? outcome::replayed : outcome::refused;
}

bool Probe::launch(GraphExec E, Snapshot &To, bool First) {
  Code Launch = D.launch(E, S);
  if (First || Launch)
    Out.step("launch", Launch);
  Code Sync = Launch ? 0 : D.synchronize(S);
  if (!Launch && (First || Sync))
    Out.step("synchronize", Sync);
  return !Launch && !Sync && save(To);
}

outcome Probe::replay(Graph G) {
  GraphExec E = nullptr;
  if (!step("instantiate", D.instantiate(&E, G, 0)))
    return outcome::not_replayed;
  struct Destroy {
    const Driver &D;
    GraphExec E;
    ~Destroy() { D.destroyExec(E); }
  } AtEnd{D, E};

  Snapshot One, Two, Fresh, Start;
  auto Failed = [&] {
    return Stopped ? outcome::failed : outcome::not_replayed;
  };
  if (!first() || !launch(E, One, true))
    return Failed();
  bool Differs = differ("eager", Eager, One, &Before);
  if (R.change && !Stopped) {
    Changed = true;
    if (!first())
      return Failed();
    if (!R.change(R.self)) {
      stop("change_inputs() threw");
      return Failed();
    }
    if (!save(Start) || !launch(E, One) || !restore(Start) || !eager(Fresh))
      return Failed();
    Differs |= differ("changed", Fresh, One, &Start);
  }
  if (Stopped || !restore(Start.empty() ? Before : Start) || !launch(E, Two))
    return Failed();
  Differs |= differ("replay", One, Two, nullptr);
  return Stopped   ? outcome::failed
         : Differs ? outcome::differs
                   : outcome::replayed;
}

/// Reports buffers that differ. \p Start: the initial contents of the eager run
/// \p Reference; a second eager run shows whether eager runs also differ.
bool Probe::differ(const char *Against, const Snapshot &Reference,
                   const Snapshot &Now, const Snapshot *Start) {
  bool Any = false;
  Snapshot Again;
  for (std::size_t I = 0; I < R.buffer_count; ++I) {
    const detail::c_buffer &B = R.buffers[I];
    Mismatch M = compare(B, Reference[I].get(), Now[I].get());
    if (!M.Count)
      continue;
    bool Varies = false;
    if (Start) {
      if (!Any && restore(*Start) && (Start != &Before || reset()))
        eager(Again);
      Varies = !Again.empty() && Again.back() &&
               compare(B, Reference[I].get(), Again[I].get()).Count;
    }
    Any = true;
    Out.differs(Against, B, M, Varies);
  }
  return Any;
}

void Probe::checkpoint() {
  if (!InCapture || !BrokenIn.empty() || Scopes.empty())
    return;
  CaptureStatus Status = NotCapturing;
  if (D.captureStatus(S, &Status) || Status != CaptureInvalidated)
    return;
  for (const char *Name : Scopes)
    BrokenIn += (BrokenIn.empty() ? "" : "/") + std::string(Name);
}

/// Calls the body once, and reports the reason.
void only(const detail::c_request &R, const char *Why, Code C = 0,
          const Driver *D = nullptr) {
  Report Out(R, D);
  Out.problem(Why, C);
  R.run(R.self, 0);
  Out.finish();
}

} // namespace
} // namespace cudagraph::probe_library

using namespace cudagraph::probe_library;

#define CUDAGRAPH_EXPORT extern "C" __attribute__((visibility("default")))

CUDAGRAPH_EXPORT
void cudagraph_probe_run(const cudagraph::detail::c_request *R) {
  if (R->version != 1)
    return only(*R, "probe.h and libcudagraph_probe have different versions");
  if (Active)
    return only(*R, "called inside another probe");
  const char *Why;
  const Driver *D = driver(Why);
  if (!D)
    return only(*R, Why);

  auto S = static_cast<Stream>(R->stream);
  ContextScope Current(*D, S);
  CaptureStatus Status = NotCapturing;
  if (Code C = D->captureStatus(S, &Status))
    return only(*R, "the stream cannot be used", C, D);
  if (Status != NotCapturing)
    return only(*R, "the stream is already capturing");
  Probe P(*R, *D);
  Active = &P;
  P.run();
  Active = nullptr;
}

CUDAGRAPH_EXPORT void cudagraph_probe_enter(const char *Name) {
  if (Active)
    Active->checkpoint();
  Scopes.push_back(Name);
}

CUDAGRAPH_EXPORT void cudagraph_probe_leave() {
  if (Active)
    Active->checkpoint();
  Scopes.pop_back();
}
