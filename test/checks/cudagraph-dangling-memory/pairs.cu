// Owners that are moved to a pair or a tuple keep their objects.

// RUN: %check %s cudagraph-dangling-memory --real-std

#include <cuda_runtime.h>
#include <memory>
#include <tuple>
#include <utility>

__global__ void use(float *p) { *p = 1; }

struct Block {
  Block() { cudaMalloc(&P, 4); }
  ~Block() { cudaFree(P); }
  Block(const Block &) = delete;
  float *P = nullptr;
};

static cudaGraphExec_t capture(cudaStream_t S, Block &B) {
  cudaGraph_t G;
  cudaGraphExec_t E;
  cudaStreamBeginCapture(S, cudaStreamCaptureModeGlobal);
  use<<<1, 1, 0, S>>>(B.P);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'use' uses 'B.P', which 'Block::~Block' frees
  cudaStreamEndCapture(S, &G);
  cudaGraphInstantiate(&E, G, 0);
  return E;
}

std::pair<std::unique_ptr<Block>, cudaGraphExec_t> braced(cudaStream_t S) {
  auto B = std::make_unique<Block>();
  auto E = capture(S, *B);
  return {std::move(B), E};
}

// The pair ends before the launch.
void pairEnds(cudaStream_t S) {
  cudaGraphExec_t E;
  {
    auto Both = braced(S);
    E = Both.second;
  }
  cudaGraphLaunch(E, S);
}

// Legal: the owner exists at the launch.
static cudaGraphExec_t captureKept(cudaStream_t S, Block &B) {
  cudaGraph_t G;
  cudaGraphExec_t E;
  cudaStreamBeginCapture(S, cudaStreamCaptureModeGlobal);
  use<<<1, 1, 0, S>>>(B.P);
  cudaStreamEndCapture(S, &G);
  cudaGraphInstantiate(&E, G, 0);
  return E;
}

static std::pair<std::unique_ptr<Block>, cudaGraphExec_t>
makePair(cudaStream_t S) {
  auto B = std::make_unique<Block>();
  auto E = captureKept(S, *B);
  return std::make_pair(std::move(B), E);
}

static std::tuple<std::unique_ptr<Block>, cudaGraphExec_t>
makeTuple(cudaStream_t S) {
  auto B = std::make_unique<Block>();
  auto E = captureKept(S, *B);
  return std::make_tuple(std::move(B), E);
}

static std::pair<std::unique_ptr<Block>, int> first(cudaStream_t S,
                                                    cudaGraphExec_t *E) {
  auto B = std::make_unique<Block>();
  *E = captureKept(S, *B);
  std::pair<std::unique_ptr<Block>, int> Both{std::move(B), 0};
  return Both;
}

void kept(cudaStream_t S) {
  auto [B, E] = makePair(S);
  auto T = makeTuple(S);
  cudaGraphExec_t Third;
  auto F = first(S, &Third);
  cudaGraphLaunch(E, S);
  cudaGraphLaunch(std::get<1>(T), S);
  cudaGraphLaunch(Third, S);
  cudaStreamSynchronize(S);
}
