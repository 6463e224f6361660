// RUN: %check %s cudagraph-frozen-argument --real-std
// RUN: %check %s cudagraph-frozen-argument --real-std --suffix=PAIR -- -DPAIR
// std::exchange returns a number and stores the next one. The members of a pair
// are different numbers.
#include <cstdint>
#include <utility>

__global__ void drop(uint8_t *mask, uint64_t offset);
__global__ void dropFrom(uint8_t *mask, uint64_t seed, uint64_t offset);
__global__ void mark(uint8_t *mask, int round);

class Generator {
public:
  uint64_t reserve(uint64_t count) {
    return std::exchange(offset, offset + count);
  }
  std::pair<uint64_t, uint64_t> reserveBoth(uint64_t count) {
    return {seed, std::exchange(offset, offset + count)};
  }

private:
  uint64_t seed = 7, offset = 0;
};

class Trainer {
public:
  explicit Trainer(cudaStream_t stream) : stream(stream) {
    cudaMalloc(&mask, 256);
  }
  void step() {
    if (!exec) {
      cudaGraph_t graph = nullptr;
      cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
      forward();
      cudaStreamEndCapture(stream, &graph);
      cudaGraphInstantiate(&exec, graph, 0);
      cudaGraphDestroy(graph);
    }
    cudaGraphLaunch(exec, stream);
    cudaStreamSynchronize(stream);
  }

private:
  void forward() {
#if defined(PAIR)
    auto [seed, start] = generator.reserveBoth(256);
    dropFrom<<<1, 256, 0, stream>>>(mask, seed, start);
    // CHECK-MESSAGES-PAIR: :[[@LINE-1]]:5: warning: argument 'start' of kernel 'dropFrom' is computed from host state that changes between replays; replays will use the value from the capture [cudagraph-frozen-argument]
#else
    uint64_t first = generator.reserve(256);
    drop<<<1, 256, 0, stream>>>(mask, first);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: argument 'first' of kernel 'drop' is computed from host state that changes between replays; replays will use the value from the capture [cudagraph-frozen-argument]
#endif
    int only = round;
    mark<<<1, 256, 0, stream>>>(mask, only);
  }

  Generator generator;
  cudaStream_t stream;
  uint8_t *mask = nullptr;
  const int round = 3;
  cudaGraphExec_t exec = nullptr;
};

int main() {
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  Trainer trainer(stream);
  for (int i = 0; i < 4; ++i)
    trainer.step();
}
