//===- Scene.cu - Builds a capture, makes a call, and ends it -------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Errors of the preparation are reported as "setup"; such a row provides no
// information about the call and is not part of the result.
//
//===----------------------------------------------------------------------===//

#include "Scene.h"
#include <cstdlib>
#include <map>
#include <thread>

namespace cudagraph::conformance {

const char *spelling(Relation R) {
  static const char *const Names[] = {
      "origin",     "joined", "other-blocking", "other-nonblocking", "legacy",
      "per-thread", "none"};
  return Names[static_cast<int>(R)];
}

const char *spelling(Kind K) {
  static const char *const Names[] = {"blocking", "non-blocking", "mixed"};
  return Names[static_cast<int>(K)];
}

const char *spelling(cudaStreamCaptureMode M) {
  static const char *const Names[] = {"global", "thread_local", "relaxed"};
  return Names[M];
}

Case &Case::streams() {
  Relations = {Relation::Origin,        Relation::Joined,
               Relation::OtherBlocking, Relation::OtherNonBlocking,
               Relation::Legacy,        Relation::PerThread};
  return *this;
}
Case &Case::on(std::vector<Relation> R) {
  Relations = std::move(R);
  return *this;
}
Case &Case::events() {
  streams();
  Relations.push_back(Relation::None);
  EventNamed = true;
  return *this;
}
Case &Case::fresh() {
  FreshProcess = true;
  return *this;
}
Case &Case::before(Action A) {
  Before = std::move(A);
  return *this;
}
Case &Case::inside(Action A) {
  Inside = std::move(A);
  return *this;
}
Case &Case::after(Action A) {
  After = std::move(A);
  return *this;
}

Case &Cases::add(std::string Call, std::string Form, Action Made) {
  All.emplace_back();
  All.back().Call = std::move(Call);
  All.back().Form = std::move(Form);
  All.back().Made = std::move(Made);
  return All.back();
}

/// Creates streams, events, and memory. Returns the first error.
static int build(Scene &S) {
  auto Flags = [](bool NonBlocking) {
    return NonBlocking ? cudaStreamNonBlocking : cudaStreamDefault;
  };
  int E = 0;
  auto Try = [&](int Code) { E = E ? E : Code; };
  bool NonBlocking = S.Capturing != Kind::Blocking;
  Try(cudaStreamCreateWithFlags(&S.Origin, Flags(NonBlocking)));
  Try(cudaStreamCreateWithFlags(&S.Joined,
                                Flags(S.Capturing == Kind::NonBlocking)));
  Try(cudaStreamCreateWithFlags(&S.OtherBlocking, cudaStreamDefault));
  Try(cudaStreamCreateWithFlags(&S.OtherNonBlocking, cudaStreamNonBlocking));
  for (cudaEvent_t *Each : {&S.Event, &S.Outside, &S.Captured, &S.Fresh})
    Try(cudaEventCreate(Each));
  Try(cudaMalloc(&S.Device, S.Bytes));
  Try(cudaMalloc(&S.Device2, S.Bytes));
  Try(cudaMallocHost(&S.Pinned, S.Bytes));
  S.Host = static_cast<char *>(std::calloc(1, S.Bytes));
  S.Host2 = static_cast<char *>(std::calloc(1, S.Bytes));
  const cudaStream_t Streams[] = {S.Origin,         S.Joined,
                                  S.OtherBlocking,  S.OtherNonBlocking,
                                  cudaStreamLegacy, cudaStreamPerThread,
                                  nullptr};
  S.Stream = Streams[static_cast<int>(S.Where)];
  return E;
}

/// Frees the objects of build(). Errors are ignored.
static void wreck(Scene &S) {
  for (cudaEvent_t Each : {S.Outside, S.Captured, S.Fresh})
    cudaEventDestroy(Each);
  if (!S.OriginGone)
    cudaStreamDestroy(S.Origin);
  cudaFree(S.Device);
  cudaFree(S.Device2);
  cudaFreeHost(S.Pinned);
  std::free(S.Host);
  std::free(S.Host2);
}

/// The contents of the capture on \p Stream: its status, and its nodes by kind.
struct Contents {
  int Status = -1;
  bool Known = false;
  std::map<cudaGraphNodeType, long> ByKind;
};

static Contents contentsOf(cudaStream_t Stream) {
  Contents Result;
  cudaStreamCaptureStatus Now = cudaStreamCaptureStatusNone;
  cudaGraph_t Graph = nullptr;
  size_t Count = 0;
  if (cudaStreamGetCaptureInfo(Stream, &Now, nullptr, &Graph))
    return Result;
  Result.Status = static_cast<int>(Now);
  if (Now != cudaStreamCaptureStatusActive ||
      cudaGraphGetNodes(Graph, nullptr, &Count))
    return Result;
  std::vector<cudaGraphNode_t> Nodes(Count);
  if (cudaGraphGetNodes(Graph, Nodes.data(), &Count))
    return Result;
  for (cudaGraphNode_t Each : Nodes) {
    cudaGraphNodeType Kind = cudaGraphNodeTypeCount;
    cudaGraphNodeGetType(Each, &Kind);
    ++Result.ByKind[Kind];
  }
  Result.Known = true;
  return Result;
}

static const char *spelling(cudaGraphNodeType T) {
  switch (T) {
  case cudaGraphNodeTypeKernel:
    return "kernel";
  case cudaGraphNodeTypeMemcpy:
    return "memcpy";
  case cudaGraphNodeTypeMemset:
    return "memset";
  case cudaGraphNodeTypeHost:
    return "host";
  case cudaGraphNodeTypeGraph:
    return "graph";
  case cudaGraphNodeTypeEmpty:
    return "empty";
  case cudaGraphNodeTypeWaitEvent:
    return "wait-event";
  case cudaGraphNodeTypeEventRecord:
    return "event-record";
  case cudaGraphNodeTypeExtSemaphoreSignal:
    return "semaphore-signal";
  case cudaGraphNodeTypeExtSemaphoreWait:
    return "semaphore-wait";
  case cudaGraphNodeTypeMemAlloc:
    return "mem-alloc";
  case cudaGraphNodeTypeMemFree:
    return "mem-free";
  case cudaGraphNodeTypeConditional:
    return "conditional";
  default:
    return "other"; // the runtime has no kind for stream memory operations
  }
}

/// Writes the counts by which \p After exceeds \p Before.
static void writeNodes(const Contents &Before, const Contents &After,
                       const Sink &Write) {
  if (!After.Known)
    return;
  long Added = 0;
  std::string Kinds;
  for (auto [Kind, Count] : After.ByKind) {
    auto At = Before.ByKind.find(Kind);
    long More = Count - (At == Before.ByKind.end() ? 0 : At->second);
    Added += More;
    for (long I = 0; I < More; ++I)
      Kinds +=
          (Kinds.empty() ? "\"" : ",\"") + std::string(spelling(Kind)) + '"';
  }
  for (auto [Kind, Count] : Before.ByKind)
    if (!After.ByKind.count(Kind))
      Added -= Count;
  Write("nodes", std::to_string(Added));
  if (!Kinds.empty() && Kinds.size() < 500)
    Write("kinds", "[" + Kinds + "]");
}

/// Begins the capture and prepares it for the call.
static int enter(const Case &C, Scene &S) {
  int E = 0;
  auto Try = [&](int Code) { E = E ? E : Code; };
  Try(cudaEventRecord(S.Outside, S.Origin));
  bool Inside = S.Where == Relation::Origin || S.Where == Relation::Joined;
  if (C.EventNamed && !Inside && S.Where != Relation::None)
    Try(cudaEventRecord(S.Event, S.Stream));
  if (C.Before)
    Try(C.Before(S));
  Try(cudaDeviceSynchronize());
  Try(cudaStreamBeginCapture(S.Origin, S.Mode));
  Try(cudaMemsetAsync(S.Device, 0, 64, S.Origin));
  Try(cudaEventRecord(S.Captured, S.Origin));
  if (S.Where == Relation::Joined || S.Capturing == Kind::Mixed) {
    Try(cudaStreamWaitEvent(S.Joined, S.Captured, 0));
    Try(cudaMemsetAsync(S.Device2, 0, 64, S.Joined));
  }
  if (C.EventNamed && Inside)
    Try(cudaEventRecord(S.Event, S.Stream));
  if (C.Inside)
    Try(C.Inside(S));
  return E;
}

bool play(const Case &C, cudaStreamCaptureMode Mode, Kind Capturing,
          Relation Where, bool OtherThread, const Sink &Write) {
  Scene S;
  S.Mode = Mode;
  S.Capturing = Capturing;
  S.Where = Where;
  auto Number = [&](const char *Key, long Value) {
    Write(Key, std::to_string(Value));
  };
  if (int E = build(S)) {
    Number("setup", E);
    return false;
  }
  int E = enter(C, S), Status = 0;
  if (E)
    Number("setup", E);
  Contents Before = contentsOf(S.Origin);
  int Returned = 0;
  auto Call = [&] {
    cudaSetDevice(0); // a new thread has no context yet
    if (C.OfLibrary)
      Trace::start();
    Returned = C.Made(S);
    if (C.OfLibrary)
      Trace::stop();
  };
  if (OtherThread)
    std::thread(Call).join();
  else
    Call();
  Number("returned", Returned);
  if (C.OfLibrary) {
    Number("cuda_code", Trace::code());
    if (Trace::code())
      Write("cuda_call", Trace::call());
  }

  if (!S.OriginGone) {
    Contents After = contentsOf(S.Origin);
    Status = After.Status;
    Number("status", Status);
    writeNodes(Before, After, Write);
    cudaGetLastError();
    Number("next", cudaMemsetAsync(S.Device, 0, 64, S.Origin));
    bool Forked = S.Where == Relation::Joined || S.Capturing == Kind::Mixed;
    if (Forked && !S.JoinedGone) {
      cudaEventRecord(S.Fresh, S.Joined);
      cudaStreamWaitEvent(S.Origin, S.Fresh, 0);
    }
    cudaGraph_t Graph = nullptr;
    Number("end", cudaStreamEndCapture(S.Origin, &Graph));
    Number("graph", Graph != nullptr);
    if (Graph)
      cudaGraphDestroy(Graph);
  }
  if (C.After)
    C.After(S);
  cudaGetLastError();
  wreck(S);
  cudaGetLastError();
  // A library stores errors in a separate CUDA runtime, which cannot be
  // accessed.
  if (C.OfLibrary && (Returned || Status != cudaStreamCaptureStatusActive))
    return false;
  return cudaDeviceSynchronize() == cudaSuccess && E == 0;
}

} // namespace cudagraph::conformance
