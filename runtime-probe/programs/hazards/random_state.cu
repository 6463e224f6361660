//===- random_state.cu - Random numbers that repeat on each replay --------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A seed or an offset that the host passes to a kernel by value is captured
// with the kernel: every replay draws the same numbers. Some generators of the
// cuRAND host API also repeat; others continue, with numbers that differ
// from those of an eager run, and none uses a seed that is set between replays.
// Remedies: keep the state in device memory, where the graph advances it or the
// host sets it between replays; or draw before each replay.
//
//===----------------------------------------------------------------------===//

#include "Hazard.h"

#include <curand.h>
#include <curand_kernel.h>
#include <random>
#include <set>

constexpr int Runs = 3;
using Philox = curandStatePhilox4_32_10_t;

__device__ float drawOne(unsigned long long Seed, unsigned long long Offset) {
  Philox State;
  curand_init(Seed, threadIdx.x, Offset, &State);
  return curand_uniform(&State);
}
__global__ void draw(float *To, unsigned long long Seed,
                     unsigned long long Offset) {
  To[threadIdx.x] = drawOne(Seed, Offset);
}
__global__ void drawSeeded(float *To, const unsigned long long *Seed) {
  To[threadIdx.x] = drawOne(*Seed, 0);
}
__global__ void drawNext(float *To, unsigned long long *Offset) {
  To[threadIdx.x] = drawOne(1234, *Offset);
}
__global__ void advance(unsigned long long *Offset, int By) { *Offset += By; }

/// The first numbers of three runs.
template <typename Function>
static std::string firsts(const float *From, Function Run) {
  std::vector<float> Firsts;
  for (int I = 0; I < Runs; ++I) {
    Run();
    Firsts.push_back(sum(From, 1));
  }
  return text(Firsts);
}

static Outcome hostSeed(cudaStream_t S) {
  float *To = allocate<float>(32);
  std::mt19937 Host(1);
  auto Region = [&] { draw<<<1, 32, 0, S>>>(To, Host(), 0); };
  std::string Eager = firsts(To, Region);
  Host.seed(1);
  Graph G(S, Region);
  return {Eager, firsts(To, [&] { G.replay(); }),
          "the seed was drawn once, at capture"};
}
static Outcome hostSeedCured(cudaStream_t S) {
  float *To = allocate<float>(32);
  auto *Seed = allocate<unsigned long long>(1);
  std::mt19937 Host(1);
  auto Region = [&] { draw<<<1, 32, 0, S>>>(To, Host(), 0); };
  std::string Eager = firsts(To, Region);
  Host.seed(1);
  Graph G(S, [&] { drawSeeded<<<1, 32, 0, S>>>(To, Seed); });
  auto Run = [&] {
    unsigned long long Next = Host();
    MUST(cudaMemcpyAsync(Seed, &Next, 8, cudaMemcpyHostToDevice, S));
    G.replay();
  };
  return {Eager, firsts(To, Run),
          "a seed in device memory, set between the replays"};
}

static Outcome philoxOffset(cudaStream_t S) {
  float *To = allocate<float>(32);
  unsigned long long Offset = 0;
  auto Region = [&] {
    draw<<<1, 32, 0, S>>>(To, 1234, Offset);
    Offset += 4;
  };
  std::string Eager = firsts(To, Region);
  Offset = 0;
  Graph G(S, Region);
  return {Eager, firsts(To, [&] { G.replay(); }),
          "the offset of the generator was captured"};
}
static Outcome philoxOffsetCured(cudaStream_t S) {
  float *To = allocate<float>(32);
  auto *Offset = allocate<unsigned long long>(1);
  auto Region = [&] {
    drawNext<<<1, 32, 0, S>>>(To, Offset);
    advance<<<1, 1, 0, S>>>(Offset, 4);
  };
  std::string Eager = firsts(To, Region);
  MUST(cudaMemset(Offset, 0, 8));
  MUST(cudaDeviceSynchronize());
  Graph G(S, Region);
  return {Eager, firsts(To, [&] { G.replay(); }),
          "the graph advances an offset in device memory"};
}

/// A generator of the host API.
struct Generator {
  static constexpr int N = 1000;
  curandGenerator_t Handle;
  float *To = allocate<float>(N);

  Generator(curandRngType_t Type, cudaStream_t S, bool WarmUp = true) {
    MUST(curandCreateGenerator(&Handle, Type));
    MUST(curandSetPseudoRandomGeneratorSeed(Handle, 1234));
    MUST(curandSetStream(Handle, S));
    if (WarmUp)
      MUST(draw());
    MUST(cudaStreamSynchronize(S));
  }
  /// Starts from the beginning: a new seed alone does not change the offset.
  void seed(int Seed) {
    MUST(curandSetPseudoRandomGeneratorSeed(Handle, Seed));
    MUST(curandSetGeneratorOffset(Handle, 0));
  }
  int draw() { return curandGenerateUniform(Handle, To, N); }
};
/// The number of runs, of three, with distinct numbers.
template <typename Function>
static std::string distinct(const float *From, Function Run) {
  std::set<std::vector<float>> Seen;
  for (int I = 0; I < Runs; ++I) {
    Run();
    Seen.insert(read(From, Generator::N));
  }
  return text(Seen.size()) + " distinct of 3";
}
/// A draw within the graph.
static Outcome drawInGraph(cudaStream_t S, curandRngType_t Type, bool WarmUp) {
  Generator Eager(Type, S), InGraph(Type, S, WarmUp);
  Outcome O;
  O.Eager = distinct(Eager.To, [&] { MUST(Eager.draw()); });
  int Status = 0;
  Graph G(S, [&] { Status = InGraph.draw(); });
  if (Status)
    O.Status = "curandStatus " + std::to_string(Status);
  O.Replay = "no graph";
  O.Note = "the end of the capture returned " + text(G.End);
  if (G.End)
    return O;
  O.Replay = distinct(InGraph.To, [&] { G.replay(); });
  bool Same = read(Eager.To, Generator::N) == read(InGraph.To, Generator::N);
  O.Note =
      std::string("the third run has the same numbers as the eager run: ") +
      (Same ? "yes" : "no");
  return O;
}
template <curandRngType_t Type> static Outcome hostApi(cudaStream_t S) {
  return drawInGraph(S, Type, true);
}
/// The first draw initializes the generator.
static Outcome firstDraw(cudaStream_t S) {
  return drawInGraph(S, CURAND_RNG_PSEUDO_XORWOW, false);
}

__global__ void copyTo(float *To, const float *From) {
  To[threadIdx.x] = From[threadIdx.x];
}
/// A draw before each replay, into memory that the graph reads.
static Outcome drawBefore(cudaStream_t S, curandRngType_t Type, bool Reseed) {
  Generator Eager(Type, S), Before(Type, S);
  float *To = allocate<float>(Generator::N);
  auto Draw = [&](Generator &From) {
    if (Reseed)
      From.seed(1);
    MUST(From.draw());
  };
  Graph G(S, [&] { copyTo<<<1, Generator::N, 0, S>>>(To, Before.To); });
  auto Replay = [&] {
    Draw(Before);
    G.replay();
  };
  return {distinct(Eager.To, [&] { Draw(Eager); }), distinct(To, Replay),
          "numbers are drawn before each replay, into memory that it reads"};
}
static Outcome hostApiCured(cudaStream_t S) {
  return drawBefore(S, CURAND_RNG_PSEUDO_MT19937, false);
}

/// The host sets the seed before each run, so that all draw the same numbers.
static Outcome reseed(cudaStream_t S) {
  Generator Eager(CURAND_RNG_PSEUDO_XORWOW, S);
  Generator InGraph(CURAND_RNG_PSEUDO_XORWOW, S);
  Graph G(S, [&] { MUST(InGraph.draw()); });
  auto Run = [&] {
    Eager.seed(1);
    MUST(Eager.draw());
  };
  auto Replay = [&] {
    InGraph.seed(1);
    G.replay();
  };
  return {distinct(Eager.To, Run), distinct(InGraph.To, Replay),
          "the host sets the same seed before each replay; replays ignore it"};
}
static Outcome reseedCured(cudaStream_t S) {
  return drawBefore(S, CURAND_RNG_PSEUDO_XORWOW, true);
}

int main(int Count, char **Args) {
  const Variant Variants[] = {
      {"host-seed", hostSeed},
      {"host-seed-cured", hostSeedCured},
      {"philox-offset", philoxOffset},
      {"philox-offset-cured", philoxOffsetCured},
      {"curand-host-api", hostApi<CURAND_RNG_PSEUDO_MT19937>},
      {"curand-host-api-mtgp32", hostApi<CURAND_RNG_PSEUDO_MTGP32>},
      {"curand-host-api-cured", hostApiCured},
      {"curand-xorwow-legal", hostApi<CURAND_RNG_PSEUDO_XORWOW>},
      {"curand-philox-legal", hostApi<CURAND_RNG_PSEUDO_PHILOX4_32_10>},
      {"curand-mrg32k3a-legal", hostApi<CURAND_RNG_PSEUDO_MRG32K3A>},
      {"curand-first-draw", firstDraw},
      {"curand-first-draw-cured", hostApi<CURAND_RNG_PSEUDO_XORWOW>},
      {"curand-reseed", reseed},
      {"curand-reseed-cured", reseedCured}};
  return runVariants("cudagraph-random-state", Variants, Count, Args);
}
