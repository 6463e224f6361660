// Captured code that stores the owner of memory that the graph uses extends the
// lifetime of the memory; this must happen only once.

// RUN: %check %s cudagraph-host-logic --real-std

#include <cuda_runtime.h>
#include <memory>
#include <utility>
#include <vector>

__global__ void apply(const float *in, float *out) { *out = *in; }

struct Block {
  Block() { cudaMalloc(&P, 100); }
  ~Block() { cudaFree(P); }
  Block(const Block &) = delete;
  float *P = nullptr;
};

class Layer {
public:
  Layer(cudaStream_t S, float *In, float *Result)
      : S(S), In(In), Result(Result) {}

  // Legal.
  void keepOwner(cudaGraph_t *G) {
    cudaStreamBeginCapture(S, cudaStreamCaptureModeRelaxed);
    auto Hidden = std::make_shared<Block>();
    apply<<<1, 1, 0, S>>>(In, Hidden->P);
    Kept.push_back(Hidden);
    cudaStreamEndCapture(S, G);
  }

  // Legal.
  void keepAddress(cudaGraph_t *G) {
    cudaStreamBeginCapture(S, cudaStreamCaptureModeRelaxed);
    float *P = nullptr;
    cudaMalloc(&P, 100);
    apply<<<1, 1, 0, S>>>(In, P);
    Addresses.emplace_back(P, 100);
    cudaStreamEndCapture(S, G);
  }

  // The results, not the memory.
  void log(cudaGraph_t *G) {
    cudaStreamBeginCapture(S, cudaStreamCaptureModeRelaxed);
    apply<<<1, 1, 0, S>>>(In, Result);
    History.push_back(*Result);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'std::vector::push_back' changes the container on which it is called during the capture of 'S'
    cudaStreamEndCapture(S, G);
  }

  size_t size() const {
    size_t N = Kept.size();
    for (const auto &[P, Bytes] : Addresses)
      N += Bytes;
    for (float Each : History)
      N += Each > 0;
    return N;
  }

private:
  cudaStream_t S;
  float *In, *Result;
  std::vector<std::shared_ptr<Block>> Kept;
  std::vector<std::pair<float *, size_t>> Addresses;
  std::vector<float> History;
};
