//===- dangling_memory.cu - Graphs that outlive their memory --------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A graph retains addresses, not contents. The addresses here are those of
// returned stack frames, a block that a vector has freed, reused staging
// memory, and device memory with a new owner. Remedies: arguments by value,
// objects that the graph retains, and memory that lives as long as the graph.
//
//===----------------------------------------------------------------------===//

#include "Hazard.h"

constexpr int Size = 16;
constexpr size_t FrameBytes = 1 << 16;

struct Values {
  float V[Size];
};
static Values ones() {
  Values Ones;
  for (float &V : Ones.V)
    V = 1;
  return Ones;
}
__global__ void store(float *To, Values By) {
  To[threadIdx.x] = By.V[threadIdx.x];
}
__global__ void set(float *To, float By) { To[threadIdx.x] = By; }
__global__ void setBatch(float *const *To, float By) {
  To[blockIdx.x][threadIdx.x] = By;
}

/// Calls a function at some depth of the stack, where a later frame will be.
template <typename Function> OWN_FRAME static void deeper(Function F) {
  volatile char Padding[1024];
  Padding[0] = Padding[1023] = 0;
  F();
  Padding[0] = 1;
}

/// Replays with a frame of Fill at the location of the frame of a returned
/// function. Returns the number of its words that changed.
template <typename T>
OWN_FRAME static int replayInFrame(Graph &G, T Fill, cudaError_t *Code) {
  volatile T Frame[FrameBytes / sizeof(T)];
  for (volatile T &Word : Frame)
    Word = Fill;
  *Code = G.tryReplay();
  int Changed = 0;
  for (volatile T &Word : Frame)
    Changed += Word != Fill;
  return Changed;
}

OWN_FRAME static void uploadLocal(float *To, cudaStream_t S) {
  Values Local = ones();
  MUST(cudaMemcpyAsync(To, &Local, sizeof Local, cudaMemcpyHostToDevice, S));
}
static Outcome stackArray(cudaStream_t S) {
  float *Device = allocate<float>(Size);
  auto Region = [&] { deeper([&] { uploadLocal(Device, S); }); };
  Region();
  float Eager = sum(Device, Size);
  Graph G(S, Region);
  cudaError_t Code;
  replayInFrame(G, 7.f, &Code);
  return {text(Eager), text(sum(Device, Size)),
          "the copy reads the frame of a later function (all sevens)",
          text(Code)};
}
OWN_FRAME static void storeLocal(float *To, cudaStream_t S) {
  Values Local = ones();
  store<<<1, Size, 0, S>>>(To, Local);
}
static Outcome stackArrayCured(cudaStream_t S) {
  float *Device = allocate<float>(Size);
  auto Region = [&] { deeper([&] { storeLocal(Device, S); }); };
  Region();
  float Eager = sum(Device, Size);
  MUST(cudaMemset(Device, 0, Size * 4));
  Graph G(S, Region);
  cudaError_t Code;
  replayInFrame(G, 7.f, &Code);
  return {text(Eager), text(sum(Device, Size)),
          "the graph keeps kernel arguments by value", text(Code)};
}

OWN_FRAME static void downloadLocal(const float *From, cudaStream_t S) {
  Values Local;
  MUST(cudaMemcpyAsync(&Local, From, sizeof Local, cudaMemcpyDeviceToHost, S));
}
static Outcome stackResult(cudaStream_t S) {
  float *Device = allocate<float>(Size);
  auto Region = [&] { deeper([&] { downloadLocal(Device, S); }); };
  Graph Nothing(S, [] {}), G(S, Region);
  Region();
  MUST(cudaStreamSynchronize(S));
  cudaError_t Code;
  int Eager = replayInFrame(Nothing, 7.f, &Code);
  int Replay = replayInFrame(G, 7.f, &Code);
  return {text(Eager), text(Replay),
          "words of a later function's frame that the copy overwrites",
          text(Code)};
}
static Outcome stackResultCured(cudaStream_t S) {
  float *Device = allocate<float>(Size);
  static float *Pinned = allocatePinned<float>(Size);
  auto Region = [&] {
    MUST(cudaMemcpyAsync(Pinned, Device, 64, cudaMemcpyDeviceToHost, S));
  };
  Graph Nothing(S, [] {}), G(S, Region);
  Region();
  MUST(cudaStreamSynchronize(S));
  cudaError_t Code;
  int Eager = replayInFrame(Nothing, 7.f, &Code);
  int Replay = replayInFrame(G, 7.f, &Code);
  return {text(Eager), text(Replay), "the destination is static pinned memory",
          text(Code)};
}

/// With Retain, the graph owns a copy of the vector.
static Outcome vectorGrows(cudaStream_t S, bool Retain) {
  float *Device = allocate<float>(128);
  std::vector<float> Table(128, 1);
  auto Region = [&] {
    const float *From = Table.data();
    if (Retain) {
      auto *Copy = new std::vector<float>(Table);
      cudaUserObject_t Object;
      // CUDA calls this function, in which CUDA calls are forbidden.
      auto Destroy = [](void *P) {
        delete static_cast<std::vector<float> *>(P);
      };
      MUST(cudaUserObjectCreate(&Object, Copy, Destroy, 1,
                                cudaUserObjectNoDestructorSync));
      MUST(cudaGraphRetainUserObject(capturedInto(S), Object, 1,
                                     cudaGraphUserObjectMove));
      From = Copy->data();
    }
    MUST(cudaMemcpyAsync(Device, From, 512, cudaMemcpyHostToDevice, S));
  };
  MUST(cudaMemcpyAsync(Device, Table.data(), 512, cudaMemcpyHostToDevice, S));
  float Eager = sum(Device, 128);
  Graph G(S, Region);
  const float *Before = Table.data();
  Table.resize(4096, 1);
  bool Taken = false;
  std::vector<float> Others[16];
  for (std::vector<float> &Other : Others) {
    Other.assign(128, 7);
    Taken |= Other.data() == Before;
  }
  G.replay();
  return {text(Eager), text(sum(Device, 128)),
          std::string("the vector moved; another owner has its block: ") +
              (Taken ? "yes" : "no")};
}
static Outcome vectorGrown(cudaStream_t S) { return vectorGrows(S, false); }
static Outcome vectorGrownCured(cudaStream_t S) {
  Outcome O = vectorGrows(S, true);
  O.Note += "; the graph retains a copy as a user object";
  return O;
}

/// Pinned blocks, the most recently returned one first.
struct StagingPool {
  std::vector<float *> Free{allocatePinned<float>(Size),
                            allocatePinned<float>(Size)};
  float *take(float Fill) {
    float *P = Free.back();
    Free.pop_back();
    for (int I = 0; I < Size; ++I)
      P[I] = Fill;
    return P;
  }
};
static Outcome staging(cudaStream_t S, bool GiveBack) {
  StagingPool Pool;
  float *Device = allocate<float>(Size), *Taken = nullptr;
  auto Region = [&] {
    Taken = Pool.take(1);
    MUST(cudaMemcpyAsync(Device, Taken, 64, cudaMemcpyHostToDevice, S));
  };
  Region();
  float Eager = sum(Device, Size);
  Pool.Free.push_back(Taken);
  Graph G(S, Region);
  if (GiveBack)
    Pool.Free.push_back(Taken);
  Pool.take(7);
  G.replay();
  return {text(Eager), text(sum(Device, Size)),
          GiveBack
              ? "the pool passed the block to another owner, which wrote sevens"
              : "the pool gets the block back after the graph"};
}
static Outcome stagingRecycled(cudaStream_t S) { return staging(S, true); }
static Outcome stagingRecycledCured(cudaStream_t S) {
  return staging(S, false);
}

/// Two blocks that a kernel writes through a device array of pointers.
struct Batch {
  float *Blocks[2] = {allocate<float>(Size), allocate<float>(Size)};
  float **Pointers = allocate<float *>(2);
  float *Other = allocate<float>(Size);
  OWN_FRAME void fromLocal(float By, cudaStream_t S) const {
    float *Local[2] = {Blocks[0], Blocks[1]};
    MUST(cudaMemcpyAsync(Pointers, Local, sizeof Local, cudaMemcpyHostToDevice,
                         S));
    setBatch<<<2, Size, 0, S>>>(Pointers, By);
  }
  std::string read() const {
    return "blocks " + text(sum(Blocks[0], Size) + sum(Blocks[1], Size)) +
           ", other " + text(sum(Other, Size));
  }
};
static Outcome pointerArray(cudaStream_t S) {
  Batch B;
  auto Region = [&] { deeper([&] { B.fromLocal(1, S); }); };
  Region();
  std::string Eager = B.read();
  for (float *Block : B.Blocks)
    MUST(cudaMemset(Block, 0, 64));
  Graph G(S, Region);
  cudaError_t Code;
  replayInFrame(G, B.Other, &Code);
  return {Eager, B.read(), "the pointers in a later frame are followed",
          text(Code)};
}
static Outcome pointerArrayGarbage(cudaStream_t S) {
  Batch B;
  auto Region = [&] { deeper([&] { B.fromLocal(1, S); }); };
  Region();
  std::string Eager = B.read();
  announce(Eager);
  Graph G(S, Region);
  cudaError_t Code;
  replayInFrame(G, 7.f, &Code);
  return {Eager, Code ? "illegal address" : "", "sevens as pointers",
          text(Code)};
}
static Outcome pointerArrayCured(cudaStream_t S) {
  Batch B;
  static float **Pinned = allocatePinned<float *>(2);
  auto Region = [&] {
    MUST(cudaMemcpyAsync(B.Pointers, Pinned, 16, cudaMemcpyHostToDevice, S));
    setBatch<<<2, Size, 0, S>>>(B.Pointers, 1);
  };
  std::memcpy(Pinned, B.Blocks, sizeof B.Blocks);
  Region();
  std::string Eager = B.read();
  for (float *Block : B.Blocks)
    MUST(cudaMemset(Block, 0, 64));
  Graph G(S, Region);
  cudaError_t Code;
  replayInFrame(G, B.Other, &Code);
  return {Eager, B.read(), "the array is in static pinned memory", text(Code)};
}

static Outcome deviceMemory(cudaStream_t S, bool FreeBefore) {
  constexpr size_t N = 2 << 20;
  float *First = allocate<float>(N);
  auto Region = [&] { set<<<1, Size, 0, S>>>(First, 1); };
  Region();
  Graph G(S, Region);
  if (FreeBefore)
    MUST(cudaFree(First));
  float *Second = allocate<float>(N);
  float Eager = sum(Second, Size);
  G.replay();
  return {text(Eager), text(sum(Second, Size)),
          std::string("another owner's memory, at the same address: ") +
              (First == Second ? "yes" : "no")};
}
static Outcome deviceFreed(cudaStream_t S) { return deviceMemory(S, true); }
static Outcome deviceFreedCured(cudaStream_t S) {
  return deviceMemory(S, false);
}

int main(int Count, char **Args) {
  const Variant Variants[] = {{"stack-array", stackArray},
                              {"stack-array-cured", stackArrayCured},
                              {"stack-result", stackResult},
                              {"stack-result-cured", stackResultCured},
                              {"vector-grown", vectorGrown},
                              {"vector-grown-cured", vectorGrownCured},
                              {"staging-recycled", stagingRecycled},
                              {"staging-recycled-cured", stagingRecycledCured},
                              {"pointer-array", pointerArray},
                              {"pointer-array-garbage", pointerArrayGarbage},
                              {"pointer-array-cured", pointerArrayCured},
                              {"device-freed", deviceFreed},
                              {"device-freed-cured", deviceFreedCured}};
  return runVariants("cudagraph-dangling-memory", Variants, Count, Args);
}
