//===- replay.cu - Graphs that fail after their capture -------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory freed under a graph, and replays in a wrong order; CASE-right is the
// correct variant of each CASE. The file is long because the cases share their
// kernels, and run_gpu.py selects each case by an argument.
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include <cuda.h>
#include <sys/mman.h>
#include <vector>

__global__ void produce(float *To, float Value) { To[threadIdx.x] = Value; }
__global__ void consume(float *To, const float *From) {
  To[threadIdx.x] = From[threadIdx.x] + 1;
}
/// Takes long enough for the following work to be enqueued.
__global__ void linger(float *To, const float *From, long Cycles) {
  long Start = clock64();
  while (clock64() - Start < Cycles)
    ;
  To[threadIdx.x] = From[threadIdx.x];
}

struct Recorded {
  cudaGraph_t Graph = nullptr;
  cudaGraphExec_t Exec = nullptr;
  void end(cudaStream_t S) {
    MUST(cudaStreamEndCapture(S, &Graph));
    MUST(cudaGraphInstantiate(&Exec, Graph, 0));
  }
  void launch(cudaStream_t S) const { cudaGraphLaunch(Exec, S); }
  void destroy() {
    MUST(cudaGraphExecDestroy(Exec));
    MUST(cudaGraphDestroy(Graph));
  }
};

/// Some variants fail when they run, which is intentional.
static void settle() {
  cudaDeviceSynchronize();
  cudaGetLastError();
}

//===----------------------------------------------------------------------===//
// Memory that is released
//===----------------------------------------------------------------------===//

static Recorded scaled(Setup &S, float *P) {
  Recorded R;
  begin(S.Stream);
  scale<<<1, 64, 0, S.Stream>>>(P, 2);
  R.end(S.Stream);
  R.launch(S.Stream);
  settle();
  return R;
}
static void release(float *P) {
  cudaFree(P); // FINDS freed-memory freed freed-unused
}
static void freed(Setup &S) {
  float *P;
  MUST(cudaMalloc(&P, 256));
  Recorded R = scaled(S, P);
  release(P);
  R.launch(S.Stream);
  settle();
}
static void freedUnused(Setup &S) {
  float *P;
  MUST(cudaMalloc(&P, 256));
  Recorded R = scaled(S, P);
  release(P);
  R.destroy();
}
static void freedRight(Setup &S) {
  float *P;
  MUST(cudaMalloc(&P, 256));
  Recorded R = scaled(S, P);
  R.launch(S.Stream);
  settle();
  R.destroy();
  cudaFree(P);
}

static void freedAsync(Setup &S) {
  float *P;
  MUST(cudaMallocAsync(&P, 256, S.Stream));
  Recorded R = scaled(S, P);
  cudaFreeAsync(P, S.Stream); // FINDS freed-memory freed-async
  R.launch(S.Stream);
  settle();
}
// The caller that receives memory that a graph allocates frees it.
static void graphOwned(Setup &S) {
  float *P;
  Recorded R;
  begin(S.Stream);
  MUST(cudaMallocAsync(&P, 256, S.Stream));
  scale<<<1, 64, 0, S.Stream>>>(P, 2);
  R.end(S.Stream);
  for (int I = 0; I < 2; ++I) {
    R.launch(S.Stream);
    MUST(cudaFreeAsync(P, S.Stream));
  }
  settle();
  R.destroy();
}

static void launchTwice(Setup &S, unsigned Flags) {
  float *P;
  cudaGraph_t Graph;
  cudaGraphExec_t Exec;
  begin(S.Stream);
  MUST(cudaMallocAsync(&P, 256, S.Stream));
  scale<<<1, 64, 0, S.Stream>>>(P, 2);
  MUST(cudaStreamEndCapture(S.Stream, &Graph));
  MUST(cudaGraphInstantiateWithFlags(&Exec, Graph, Flags));
  MUST(cudaGraphLaunch(Exec, S.Stream));
  cudaGraphLaunch(Exec, S.Stream); // FINDS failed-launch never-freed
  settle();
}
static void neverFreed(Setup &S) { launchTwice(S, 0); }
static void neverFreedRight(Setup &S) {
  launchTwice(S, cudaGraphInstantiateFlagAutoFreeOnLaunch);
}

static Recorded uploaded(Setup &S, const void *From) {
  Recorded R;
  begin(S.Stream);
  MUST(cudaMemcpyAsync(S.Device, From, 256, cudaMemcpyHostToDevice, S.Stream));
  scale<<<1, 64, 0, S.Stream>>>(S.Device, 2);
  R.end(S.Stream);
  R.launch(S.Stream);
  settle();
  return R;
}
static void freedHost(Setup &S) {
  float *P;
  MUST(cudaMallocHost(&P, 256));
  Recorded R = uploaded(S, P);
  cudaFreeHost(P); // FINDS freed-memory freed-host
  R.launch(S.Stream);
  settle();
}
static void unregistered(Setup &S) {
  void *P = std::calloc(1, 4096);
  MUST(cudaHostRegister(P, 4096, 0));
  Recorded R = uploaded(S, P);
  cudaHostUnregister(P); // FINDS freed-memory unregistered
  R.launch(S.Stream);
  settle();
}
static void unmapped(Setup &S) {
  void *P = mmap(nullptr, 4096, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  Recorded R = uploaded(S, P);
  munmap(P, 4096); // FINDS freed-memory unmapped
  R.launch(S.Stream);
  settle();
}
static void freedHeap(Setup &S) {
  void *P = std::calloc(1, 256);
  Recorded R = uploaded(S, P);
  std::free(P); // FINDS freed-memory freed-heap
  R.launch(S.Stream);
  settle();
}
static void freedHeapRight(Setup &S) {
  void *P = std::calloc(1, 256);
  Recorded R = uploaded(S, P);
  R.launch(S.Stream);
  settle();
  R.destroy();
  std::free(P);
}
static void moved(Setup &S) {
  std::vector<float> Elements(64, 1.f);
  Recorded R = uploaded(S, Elements.data());
  Elements.resize(1 << 20); // FINDS freed-memory moved
  R.launch(S.Stream);
  settle();
}
static void movedRight(Setup &S) {
  std::vector<float> Elements(64, 1.f);
  Elements.reserve(1 << 20);
  Recorded R = uploaded(S, Elements.data());
  Elements.resize(1 << 20);
  R.launch(S.Stream);
  settle();
  R.destroy();
}
static void freedInCapture(Setup &S) {
  Recorded R;
  void *P = std::calloc(1, 256);
  begin(S.Stream);
  cudaMemcpyAsync(S.Device, P, 256, // FINDS pageable-copy freed-in-capture
                  cudaMemcpyHostToDevice, S.Stream);
  std::free(P);
  R.end(S.Stream);
  R.launch(S.Stream);
  settle();
}
__attribute__((noinline)) static Recorded fromLocal(Setup &S) {
  float Local[64] = {1};
  return uploaded(S, Local);
}
static void returned(Setup &S) {
  Recorded R = fromLocal(S);
  cudaGraphLaunch(R.Exec, S.Stream); // FINDS pageable-copy returned
  settle();
}

static void count(void *Data) { ++*static_cast<int *>(Data); }
static Recorded counted(Setup &S, int *Data) {
  Recorded R;
  begin(S.Stream);
  MUST(cudaLaunchHostFunc(S.Stream, count, Data));
  R.end(S.Stream);
  return R;
}
__attribute__((noinline)) static Recorded countLocal(Setup &S) {
  int Local = 0;
  Recorded R = counted(S, &Local);
  R.launch(S.Stream);
  settle();
  return R;
}
static void hostData(Setup &S) {
  Recorded R = countLocal(S);
  char Room[4096]; // what the host function writes to
  std::memset(Room, 0, sizeof Room);
  cudaGraphLaunch(R.Exec, S.Stream); // FINDS freed-memory host-data
  settle();
}
struct Counter {
  char Room[64];
  int Count;
};
static void hostObject(Setup &S) {
  auto *Object = new Counter();
  Recorded R = counted(S, &Object->Count);
  R.launch(S.Stream);
  settle();
  delete Object; // FINDS freed-memory host-object
  R.launch(S.Stream);
  settle();
}
static void hostDataRight(Setup &S) {
  static int Kept;
  Recorded R = counted(S, &Kept);
  R.launch(S.Stream);
  settle();
}

static void virtualMemory(Setup &S) {
  CUmemAllocationProp Prop{};
  Prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  Prop.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  size_t Size = 0;
  MUST(cuMemGetAllocationGranularity(&Size, &Prop,
                                     CU_MEM_ALLOC_GRANULARITY_MINIMUM));
  CUmemGenericAllocationHandle Handle;
  CUdeviceptr P;
  MUST(cuMemCreate(&Handle, Size, &Prop, 0));
  MUST(cuMemAddressReserve(&P, Size, 0, 0, 0));
  MUST(cuMemMap(P, Size, 0, Handle, 0));
  CUmemAccessDesc Access{Prop.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  MUST(cuMemSetAccess(P, Size, &Access, 1));
  Recorded R = scaled(S, reinterpret_cast<float *>(P + 512));
  MUST(cuMemUnmap(P, Size)); // FINDS freed-memory virtual
  R.launch(S.Stream);
  settle();
}

static void destroyEvent(Setup &S, bool First) {
  cudaEvent_t Event;
  Recorded R;
  MUST(cudaEventCreate(&Event));
  MUST(cudaEventRecord(Event, S.Other));
  begin(S.Stream);
  MUST(cudaStreamWaitEvent(S.Stream, Event, cudaEventWaitExternal));
  scale<<<1, 64, 0, S.Stream>>>(S.Device, 2);
  R.end(S.Stream);
  R.launch(S.Stream);
  settle();
  if (!First)
    R.destroy();
  MUST(cudaEventDestroy(Event)); // FINDS freed-memory event-destroyed
}
static void eventDestroyed(Setup &S) { destroyEvent(S, true); }
static void eventDestroyedRight(Setup &S) { destroyEvent(S, false); }

// An update gives the graph new memory, so the old memory may be freed.
static void updated(Setup &S) {
  float *P;
  MUST(cudaMalloc(&P, 256));
  Recorded R = scaled(S, P), Next = scaled(S, S.Device);
  cudaGraphExecUpdateResultInfo Info;
  MUST(cudaGraphExecUpdate(R.Exec, Next.Graph, &Info));
  MUST(cudaFree(P));
  R.launch(S.Stream);
  settle();
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

static void overwrite(Setup &S, bool Waits) {
  Recorded R = uploaded(S, S.Host);
  for (int I = 0; I < 3; ++I) {
    S.Host[0] = static_cast<float>(I + 1);
    cudaGraphLaunch(R.Exec, S.Stream); // FINDS overwritten-source overwritten
    if (Waits)
      MUST(cudaStreamSynchronize(S.Stream));
  }
  settle();
  R.destroy();
}
static void overwritten(Setup &S) { overwrite(S, false); }
static void overwrittenRight(Setup &S) { overwrite(S, true); }

static Recorded reading(Setup &S, float *To, const float *From) {
  Recorded R;
  begin(S.Stream);
  consume<<<1, 64, 0, S.Stream>>>(To, From);
  R.end(S.Stream);
  return R;
}
struct Buffers {
  float *A, *B, *C;
  Buffers() {
    for (float **P : {&A, &B, &C}) {
      MUST(cudaMalloc(P, 256));
      MUST(cudaMemset(*P, 0, 256));
    }
    MUST(cudaDeviceSynchronize());
  }
};

static void feed(Setup &S, bool Waits, bool Kernel) {
  Buffers M;
  Recorded R = reading(S, M.B, M.A);
  if (Kernel)
    produce<<<1, 64, 0, S.Other>>>(M.A, 1);
  else
    MUST(cudaMemcpyAsync(M.A, S.Host, 256, cudaMemcpyHostToDevice, S.Other));
  if (Waits) {
    MUST(cudaEventRecord(S.Event, S.Other));
    MUST(cudaStreamWaitEvent(S.Stream, S.Event, 0));
  }
  cudaGraphExec_t E = R.Exec;
  cudaGraphLaunch(E, S.Stream); // FINDS unordered unordered unordered-kernel
  settle();
}
static void unordered(Setup &S) { feed(S, false, false); }
static void unorderedRight(Setup &S) { feed(S, true, false); }
static void unorderedKernel(Setup &S) { feed(S, false, true); }
static void unorderedKernelRight(Setup &S) { feed(S, true, true); }

static void readBack(Setup &S, bool Waits) {
  Buffers M;
  Recorded R = reading(S, M.B, M.A);
  R.launch(S.Stream);
  if (Waits)
    MUST(cudaStreamSynchronize(S.Stream));
  MUST(cudaMemcpyAsync(S.Host, M.B, 256, // FINDS unordered read-back
                       cudaMemcpyDeviceToHost, S.Other));
  settle();
}
static void readBackEarly(Setup &S) { readBack(S, false); }
static void readBackRight(Setup &S) { readBack(S, true); }

// Two graphs that use the same memory for intermediate results.
static void atOnce(Setup &S, bool Waits) {
  Buffers M;
  Recorded First, Second;
  for (Recorded *R : {&First, &Second}) {
    begin(S.Stream);
    linger<<<1, 64, 0, S.Stream>>>(M.C, M.A, 1000);
    consume<<<1, 64, 0, S.Stream>>>(R == &First ? M.A : M.B, M.C);
    R->end(S.Stream);
  }
  First.launch(S.Stream);
  if (Waits) {
    MUST(cudaEventRecord(S.Event, S.Stream));
    MUST(cudaStreamWaitEvent(S.Other, S.Event, 0));
  }
  cudaGraphLaunch(Second.Exec, S.Other); // FINDS unordered at-once
  settle();
}
static void atOnceWrong(Setup &S) { atOnce(S, false); }
static void atOnceRight(Setup &S) { atOnce(S, true); }

static void inTurn(Setup &S, bool AsCaptured) {
  Buffers M;
  float *Between; // from the pool of the graphs
  Recorded First;
  begin(S.Stream, cudaStreamCaptureModeRelaxed);
  MUST(cudaMalloc(&Between, 256));
  consume<<<1, 64, 0, S.Stream>>>(Between, M.A);
  First.end(S.Stream);
  Recorded Second = reading(S, M.C, Between);
  if (AsCaptured)
    First.launch(S.Stream);
  cudaGraphLaunch(Second.Exec, S.Stream); // FINDS replay-order out-of-order
  First.launch(S.Stream);
  settle();
}
static void outOfOrder(Setup &S) { inTurn(S, false); }
static void inOrder(Setup &S) { inTurn(S, true); }

static void fetch(float *To, const float *From) {
  MUST(cudaMemcpy(To, From, 256, // FINDS overwritten-output overwritten-output
                  cudaMemcpyDeviceToHost));
}
static void outputs(Setup &S, bool EachTime) {
  Buffers M;
  static float Results[3][64];
  Recorded R = reading(S, M.B, M.A);
  for (auto &To : Results) {
    R.launch(S.Stream);
    MUST(cudaStreamSynchronize(S.Stream));
    if (EachTime)
      fetch(To, M.B);
  }
  if (!EachTime)
    for (auto &To : Results)
      fetch(To, M.B);
}
static void overwrittenOutput(Setup &S) { outputs(S, false); }
static void overwrittenOutputRight(Setup &S) { outputs(S, true); }

int main(int Count, char **Args) {
  const Case Cases[] = {{"freed", freed},
                        {"freed-unused", freedUnused},
                        {"freed-right", freedRight},
                        {"freed-async", freedAsync},
                        {"graph-owned", graphOwned},
                        {"never-freed", neverFreed},
                        {"never-freed-right", neverFreedRight},
                        {"freed-heap", freedHeap},
                        {"freed-heap-right", freedHeapRight},
                        {"moved", moved},
                        {"moved-right", movedRight},
                        {"freed-in-capture", freedInCapture},
                        {"host-object", hostObject},
                        {"freed-host", freedHost},
                        {"unregistered", unregistered},
                        {"unmapped", unmapped},
                        {"returned", returned},
                        {"host-data", hostData},
                        {"host-data-right", hostDataRight},
                        {"virtual", virtualMemory},
                        {"event-destroyed", eventDestroyed},
                        {"event-destroyed-right", eventDestroyedRight},
                        {"updated", updated},
                        {"overwritten", overwritten},
                        {"overwritten-right", overwrittenRight},
                        {"unordered", unordered},
                        {"unordered-right", unorderedRight},
                        {"unordered-kernel", unorderedKernel},
                        {"unordered-kernel-right", unorderedKernelRight},
                        {"read-back", readBackEarly},
                        {"read-back-right", readBackRight},
                        {"at-once", atOnceWrong},
                        {"at-once-right", atOnceRight},
                        {"out-of-order", outOfOrder},
                        {"in-order", inOrder},
                        {"overwritten-output", overwrittenOutput},
                        {"overwritten-output-right", overwrittenOutputRight}};
  return runCase(Cases, Count, Args);
}
