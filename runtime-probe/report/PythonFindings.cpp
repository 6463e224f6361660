//===- PythonFindings.cpp - Findings from Python's records ----------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Joins the companion's records with the CUDA trace, by thread and time, and
// reports problems that are visible only in Python.
//
//===----------------------------------------------------------------------===//

#include "PythonFindings.h"
#include "Stacks.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace cudagraph::probe {

Stack stackOf(std::vector<PythonFrame> Python) {
  Stack S;
  auto Own = find_if_not(Python, isLibraryFrame);
  if (Own == Python.end())
    Own = Python.begin();
  if (Own != Python.end())
    S.Where = Location{Own->File, Own->Line, 0, Own->Function};
  S.Python = std::move(Python);
  return S;
}

namespace {

/// NVIDIA's guide and PyTorch's notes require "at least 11" runs, because the
/// reducer times the first ten with events.
constexpr unsigned RunsOfParallel = 11;

std::optional<Location> locationOf(const std::vector<PythonFrame> &Python) {
  return stackOf(Python).Where;
}

/// The remedy for a PyTorch exception; empty if it is not known.
StringRef fixOf(StringRef Message) {
#define THROWN(TEXT, FIX)                                                      \
  if (Message.contains(TEXT))                                                  \
    return FIX;
#include "Thrown.def"
  return "";
}

std::string sentence(StringRef Message) {
  StringRef First = Message.split('\n').first;
  size_t Stop = First.find(". ");
  return First.take_front(Stop == StringRef::npos ? 200 : Stop)
      .rtrim('.')
      .str();
}

bool isBackwardThread(const Thread &T) {
  return StringRef(T.Name).starts_with("pt_autograd");
}

std::string times(uint64_t Count) {
  return Count == 1 ? "once" : std::to_string(Count) + " times";
}

/// The problem with the runs before the capture; empty if there is none.
std::string tooFew(const PythonRun &Run) {
  if (!Run.Before || *Run.Before >= (Run.Parallel ? RunsOfParallel : 1))
    return "";
  std::string Text = "'" + Run.Function + "' ";
  if (Run.Parallel)
    return Text + "ran " + times(*Run.Before) +
           " before the capture: DistributedDataParallel needs " +
           std::to_string(RunsOfParallel) +
           " runs on a side stream before it is captured";
  return Text + "runs for the first time in this capture; run it three times "
                "on a side stream before the capture, so that first-call "
                "initialization is not captured";
}

std::string streamNamed(StringRef Stream) {
  return Stream == "0x0" ? "the default stream" : ("stream " + Stream).str();
}

} // namespace

/// The block whose thread began the capture while PyTorch's function ran.
static const PythonBlock *blockOf(const ProcessTrace &P,
                                  const TraceEvent &Begin) {
  for (const PythonBlock &B : P.Companion.Blocks)
    if (B.Tid == Begin.Tid && B.Begin <= Begin.Time &&
        (!B.End || Begin.Time <= *B.End))
      return &B;
  return nullptr;
}

/// The innermost Python frame of the program, for a capture that no PyTorch
/// function has begun.
static std::string callerOf(const ProcessTrace &P, const TraceEvent &Begin) {
  auto It = Begin.Stack ? P.Stacks.find(*Begin.Stack) : P.Stacks.end();
  if (It == P.Stacks.end())
    return "";
  auto Own = find_if(It->second.Python, [](const PythonFrame &F) {
    return !isLibraryFrame(F) && !StringRef(F.File).contains("-packages/");
  });
  return Own == It->second.Python.end() ? "" : placeOf(*Own);
}

std::string nameOf(const ProcessTrace &P, const TraceEvent &Begin) {
  const PythonBlock *B = blockOf(P, Begin);
  if (!B)
    return callerOf(P, Begin);
  std::optional<Location> At = locationOf(B->Python);
  std::string Place =
      At ? placeOf({At->File, At->Line, ""}) : std::string("Python");
  return B->Name.empty() ? Place : B->Name + " (" + Place + ")";
}

PythonFindings::PythonFindings(const ProcessTrace &P, Report &R, size_t First)
    : P(P), R(R) {
  for (const TraceEvent &E : P.Events)
    if (E.Kind == EventKind::Begin)
      if (unsigned Id = static_cast<unsigned>(++First);
          const PythonBlock *B = blockOf(P, E)) {
        Captures[B->Id].push_back(Id);
        Traced[B->Id].push_back(E.Capture);
      }
}

/// Adds a finding whose stack has only Python frames, or counts a repetition of
/// an equal one.
Finding &PythonFindings::addPython(const char *Kind,
                                   std::vector<PythonFrame> Python,
                                   uint64_t Tid, std::string Message,
                                   ArrayRef<unsigned> During) {
  Stack At = stackOf(std::move(Python));
  for (Finding &F : R.Findings)
    if (F.Kind == Kind && F.At.Where == At.Where && F.Message == Message) {
      ++F.Times;
      F.Captures.insert(F.Captures.end(), During.begin(), During.end());
      return F;
    }
  Finding F;
  F.Kind = Kind;
  F.Level = severityOf(Kind);
  F.Message = std::move(Message);
  F.Captures = During.vec();
  F.By = {Tid, P.Threads.count(Tid) ? P.Threads.at(Tid) : ""};
  F.At = std::move(At);
  R.Findings.push_back(std::move(F));
  return R.Findings.back();
}

void PythonFindings::add() {
  for (const PythonBlock &B : P.Companion.Blocks) {
    ArrayRef<unsigned> Own = Captures[B.Id];
    if (B.Error)
      raised(B, Own);
    else
      warmUp(B, Own);
  }
  for (const PythonNote &N : P.Companion.Notes)
    note(N, Captures[N.Block]);
}

/// An exception left the block. If CUDA did not cause it, PyTorch did; if CUDA
/// did, Python may show the reason.
void PythonFindings::raised(const PythonBlock &B, ArrayRef<unsigned> Own) {
  for (Finding &F : R.Findings) {
    if (F.Kind != kind::Refused ||
        !any_of(F.Captures, [&](unsigned Id) { return is_contained(Own, Id); }))
      continue;
    if (isBackwardThread(F.By) && !B.Error->Made.empty())
      madeElsewhere(B, F);
    for (const PythonRun &Run : B.Runs)
      if (std::string Text = tooFew(Run); !Text.empty()) {
        F.Others.push_back({Text, stackOf(B.Python)});
        // The reducer waits for its events; the program does not.
        if (Run.Parallel) {
          F.Remedy = "run it at least " + std::to_string(RunsOfParallel) +
                     " times on a side stream before the capture";
          F.RemedySource =
              "PyTorch, CUDA semantics: Usage with DistributedDataParallel";
        }
      }
    if (F.At.Python.empty() && isBackwardThread(F.By)) {
      // The thread of the backward pass has no Python frames; the caller has.
      Stack S = stackOf(B.Error->Python);
      F.At.Python = std::move(S.Python);
      if (!any_of(F.At.Frames, isUserFrame))
        F.At.Where = std::move(S.Where);
    }
  }
  StringRef Fix = fixOf(B.Error->Message);
  if (Fix.empty())
    return;
  // The empty recording is a consequence.
  erase_if(R.Findings, [&](const Finding &F) {
    return F.Kind == kind::EmptyGraph && all_of(F.Captures, [&](unsigned Id) {
             return is_contained(Own, Id);
           });
  });
  std::string In = B.Name.empty() ? "a capture" : "the capture of " + B.Name;
  addPython(kind::Thrown, B.Error->Python, B.Tid,
            "PyTorch refused this in " + In + ": '" +
                sentence(B.Error->Message) + "': " + Fix.str(),
            Own);
}

/// Nodes of the backward pass run on the stream on which they were created.
void PythonFindings::madeElsewhere(const PythonBlock &B, Finding &F) {
  bool Explained = false;
  for (const PythonMade &M : B.Error->Made) {
    Stack At = stackOf(M.Python);
    std::string Text;
    if (M.What == "variable")
      Text = "'" + M.Name +
             "' keeps the autograd graph of an earlier pass, whose nodes "
             "belong to the stream of that pass: delete it before the "
             "capture, or run that pass on the capturing stream";
    else
      Text = "'" + M.What + "' created nodes of the autograd graph here, on " +
             streamNamed(M.Stream) +
             ": construct it on the capturing stream (" + B.Stream + ")";
    if (any_of(F.Others, [&](const Related &O) {
          return O.At.Where == At.Where && O.Message == Text;
        }))
      continue;
    F.Others.push_back({std::move(Text), std::move(At)});
    Explained = true;
  }
  if (Explained)
    F.Message +=
        ": the backward pass reached a node that was created on another stream";
}

void PythonFindings::warmUp(const PythonBlock &B, ArrayRef<unsigned> Own) {
  if (B.Kind == "torch.compile" || Own.empty())
    return;
  for (const PythonRun &Run : B.Runs)
    if (std::string Text = tooFew(Run); !Text.empty()) {
      Finding &F = addPython(kind::WarmUp, B.Python, B.Tid, Text, Own);
      if (Run.Parallel)
        F.Level = Severity::Warning;
    }
}

void PythonFindings::note(const PythonNote &N, ArrayRef<unsigned> Own) {
  switch (N.Is) {
  case PythonNote::Autocast:
    addPython(kind::AutocastCache, N.Python, N.Tid,
              "the capture began in an autocast region that caches casts of "
              "weights: the graph may read casts from before the capture, "
              "which are freed with the region; enter autocast within the "
              "block, or pass cache_enabled=False",
              Own);
    return;
  case PythonNote::Rebound: {
    std::string Text =
        "'" + N.Name +
        "' now refers to a different tensor than in the capture, and the graph "
        "still reads the one that it was captured with" +
        (N.Freed ? ", which no longer exists" : "") +
        ": keep the tensor, and write into it with copy_()";
    Finding &F = addPython(kind::ReboundTensor, N.Python, N.Tid, Text, Own);
    if (N.Store && F.At.Where && N.Store != F.At.Where->Line) {
      F.Others.push_back({"the graph is replayed here", F.At});
      F.At.Where->Line = N.Store;
    }
    if (const PythonMemory *M = memoryOf(N); M && !M->Made.empty())
      F.Others.push_back({"the tensor that the graph reads was created here",
                          stackOf(M->Made)});
    return;
  }
  case PythonNote::Gone:
    gone(N, Own);
    return;
  case PythonNote::Collected:
    collected(N, Own);
    return;
  case PythonNote::Hook:
    addPython(kind::SkippedHook, N.Python, N.Tid,
              "the " + N.Type + " '" + N.Detail + "' of " +
                  (N.Name.empty() ? "a module" : N.Name) +
                  " ran in the capture, enqueued no GPU work, and ran " +
                  std::to_string(N.Since) + " times in " +
                  std::to_string(N.Replays) +
                  (N.Replays == 1 ? " replay" : " replays") +
                  ": call it after each replay, or remove it before the "
                  "capture",
              Own);
    return;
  case PythonNote::Thrown:
    if (StringRef Fix = fixOf(N.Detail); !Fix.empty())
      addPython(kind::Thrown, N.Python, N.Tid,
                "PyTorch refused this in " + N.Name + ": '" +
                    sentence(N.Detail) + "': " + Fix.str(),
                {});
    return;
  case PythonNote::Destroy:
    destroyed(N);
    return;
  }
}

/// ncclCommDestroy waits until no graph holds work of the communicator.
void PythonFindings::destroyed(const PythonNote &N) {
  uint64_t Count = 0;
  std::vector<unsigned> Own;
  for (const Collectives &C : N.Held) {
    Count += C.Count;
    append_range(Own, Captures[C.Block]);
  }
  // The destruction of the process group contains the NCCL call.
  erase_if(R.Findings, [&](const Finding &F) {
    return F.Kind == kind::Communicator && !F.Api.empty() &&
           any_of(F.Captures,
                  [&](unsigned Id) { return is_contained(Own, Id); });
  });
  std::string Graphs = N.Held.size() == 1
                           ? "a graph holds"
                           : std::to_string(N.Held.size()) + " graphs hold";
  addPython(kind::Communicator, N.Python, N.Tid,
            "'" + N.Detail + "' ends a process group while " + Graphs + " " +
                std::to_string(Count) +
                (Count == 1 ? " collective" : " collectives") +
                " of it: NCCL waits for the graphs, and the process hangs; "
                "delete or reset() the graphs first",
            Own);
}

} // namespace cudagraph::probe
