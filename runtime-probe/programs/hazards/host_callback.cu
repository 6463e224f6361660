//===- host_callback.cu - Callbacks that run on every replay --------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A callback that was written to run once deletes its data; in a graph, the
// next replay calls it again with the deleted data. Callbacks must not call
// CUDA, and cudaStreamAddCallback is refused. Remedies: use data that outlives
// the graph or that the graph retains, and make the calls after the wait.
//
//===----------------------------------------------------------------------===//

#include "Hazard.h"

#include <new>

struct Tally {
  int Good = 0, Dead = 0;
};
constexpr unsigned Alive = 0xA11CE;

/// The data of a callback. No other allocation has its size, and the heap
/// writes into Payload of a free block.
struct Job {
  char Payload[760];
  volatile unsigned Magic = Alive;
  Tally *To;
  explicit Job(Tally *T) : Payload(), To(T) {}
};

/// Deletes its data. If the graph calls it again with the same data, the call
/// is only counted.
static void *Deleted;
static Tally *Last;
static void deleteOnce(void *Data) {
  Job *J = static_cast<Job *>(Data);
  if (Data == Deleted) {
    ++Last->Dead;
    return;
  }
  Last = J->To;
  ++(J->Magic == Alive ? J->To->Good : J->To->Dead);
  J->Magic = 0;
  Deleted = Data;
  std::free(Data);
}
static void deleteAlways(void *Data) {
  Job *J = static_cast<Job *>(Data);
  ++J->To->Good;
  delete J;
}
static void count(void *Data) { ++static_cast<Tally *>(Data)->Good; }
static void countJob(void *Data) { ++static_cast<Job *>(Data)->To->Good; }

static std::string says(const Tally &T) {
  return text(T.Good) + " good, " + text(T.Dead) + " dead";
}
static Job *newJob(Tally *T) { return new (std::malloc(sizeof(Job))) Job(T); }

static Outcome deletesData(cudaStream_t S) {
  Tally Eager, Replay;
  // Both jobs are created before one is deleted, so that they differ.
  Job *Jobs[] = {newJob(&Eager), newJob(&Eager)};
  for (Job *J : Jobs)
    MUST(cudaLaunchHostFunc(S, deleteOnce, J));
  MUST(cudaStreamSynchronize(S));
  Deleted = nullptr; // new jobs may be at the location of old ones
  Graph G(S, [&] { MUST(cudaLaunchHostFunc(S, deleteOnce, newJob(&Replay))); });
  G.replay();
  G.replay();
  return {says(Eager), says(Replay),
          "the second replay passes the deleted data to the callback"};
}
static Outcome deletesDataCured(cudaStream_t S) {
  Tally Eager, Replay; // owned by the caller, for the lifetime of the graph
  for (int I = 0; I < 2; ++I)
    MUST(cudaLaunchHostFunc(S, count, &Eager));
  MUST(cudaStreamSynchronize(S));
  Graph G(S, [&] { MUST(cudaLaunchHostFunc(S, count, &Replay)); });
  G.replay();
  G.replay();
  return {says(Eager), says(Replay), "the caller owns the callback's data"};
}

static Outcome deletesTwice(cudaStream_t S) {
  Tally Eager, Replay;
  for (int I = 0; I < 2; ++I)
    MUST(cudaLaunchHostFunc(S, deleteAlways, new Job(&Eager)));
  MUST(cudaStreamSynchronize(S));
  announce(says(Eager));
  Graph G(S,
          [&] { MUST(cudaLaunchHostFunc(S, deleteAlways, new Job(&Replay))); });
  G.replay();
  G.replay();
  return {says(Eager), says(Replay), "deleted twice without an error"};
}
static Outcome deletesTwiceCured(cudaStream_t S) {
  Tally Eager, Replay;
  for (int I = 0; I < 2; ++I)
    MUST(cudaLaunchHostFunc(S, deleteAlways, new Job(&Eager)));
  MUST(cudaStreamSynchronize(S));
  Graph G(S, [&] {
    Job *J = new Job(&Replay);
    cudaUserObject_t Object;
    auto Destroy = [](void *P) { delete static_cast<Job *>(P); };
    MUST(cudaUserObjectCreate(&Object, J, Destroy, 1,
                              cudaUserObjectNoDestructorSync));
    MUST(cudaGraphRetainUserObject(capturedInto(S), Object, 1,
                                   cudaGraphUserObjectMove));
    MUST(cudaLaunchHostFunc(S, countJob, J));
  });
  G.replay();
  G.replay();
  return {says(Eager), says(Replay), "the graph retains the data"};
}

/// The results of calls in a callback, or outside one.
struct Calls {
  float *Device = allocate<float>(64);
  cudaStream_t Other = nullptr;
  int Malloc = -1, Memset = -1, Query = -1;
};
static void makeCalls(void *Data) {
  Calls &C = *static_cast<Calls *>(Data);
  float *P = nullptr;
  C.Malloc = cudaMalloc(&P, 256);
  C.Memset = cudaMemsetAsync(C.Device, 0, 256, C.Other);
  C.Query = cudaStreamQuery(C.Other);
}
static std::string says(const Calls &C) {
  return "cudaMalloc " + text(C.Malloc) + ", cudaMemsetAsync " +
         text(C.Memset) + ", cudaStreamQuery " + text(C.Query);
}
static Calls callsOutside() {
  Calls C;
  MUST(cudaStreamCreateWithFlags(&C.Other, cudaStreamNonBlocking));
  makeCalls(&C);
  C.Query = 0; // whether the memset has completed depends on timing
  return C;
}
static Outcome callsCuda(cudaStream_t S) {
  Calls Eager = callsOutside(), InGraph = Eager;
  Graph G(S, [&] { MUST(cudaLaunchHostFunc(S, makeCalls, &InGraph)); });
  G.replay();
  return {says(Eager), says(InGraph),
          "eager: the same calls outside a callback",
          text(static_cast<cudaError_t>(InGraph.Memset))};
}
static Outcome callsCudaCured(cudaStream_t S) {
  Calls Eager = callsOutside(), After = Eager;
  static bool Wanted = false;
  auto Ask = [](void *) { Wanted = true; };
  Graph G(S, [&] { MUST(cudaLaunchHostFunc(S, Ask, nullptr)); });
  G.replay();
  if (Wanted)
    makeCalls(&After);
  After.Query = 0;
  return {says(Eager), says(After),
          "the callback sets a flag; the waiting thread makes the calls"};
}

static void countEnd(cudaStream_t, cudaError_t, void *Data) { count(Data); }
static Outcome addCallback(cudaStream_t S) {
  Tally Eager;
  for (int I = 0; I < 2; ++I)
    MUST(cudaStreamAddCallback(S, countEnd, &Eager, 0));
  MUST(cudaStreamSynchronize(S));
  cudaError_t Code;
  Tally InGraph;
  Graph G(S, [&] { Code = cudaStreamAddCallback(S, countEnd, &InGraph, 0); });
  return {says(Eager), G.End ? "no graph" : "graph",
          "the end of the capture returned " + text(G.End), text(Code)};
}
static Outcome addCallbackCured(cudaStream_t S) {
  Outcome O = deletesDataCured(S);
  O.Note = "cudaLaunchHostFunc in its place";
  return O;
}

int main(int Count, char **Args) {
  const Variant Variants[] = {{"deletes-data", deletesData},
                              {"deletes-data-cured", deletesDataCured},
                              {"deletes-twice", deletesTwice},
                              {"deletes-twice-cured", deletesTwiceCured},
                              {"calls-cuda", callsCuda},
                              {"calls-cuda-cured", callsCudaCured},
                              {"add-callback", addCallback},
                              {"add-callback-cured", addCallbackCured}};
  return runVariants("cudagraph-host-callback", Variants, Count, Args);
}
