// A constructor that `new` calls: a lambda that captures `this` refers to the
// object on the heap.

// RUN: %check %s cudagraph-default-stream --real-std
// RUN: %check %s cudagraph-default-stream --real-std --suffix=UNSET -- -DUNSET

#include "cuda_runtime.h"
#include <functional>
#include <map>
#include <memory>
#include <string>

__global__ void life(float *cells);

class Lab {
public:
  static std::unique_ptr<Lab> create() {
    std::unique_ptr<Lab> lab(new Lab);
    return lab->allocate() ? std::move(lab) : nullptr;
  }
  bool record(const std::string &rule) {
    cudaGraph_t g;
    if (cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal))
      return false;
    rules_[rule]();
    return cudaStreamEndCapture(stream_, &g) == cudaSuccess;
  }

private:
  Lab() {
    rules_["life"] = [this] { life<<<1, 1, 0, lane_>>>(cells_); };
    // CHECK-MESSAGES-UNSET: :[[@LINE-1]]:31: warning: kernel 'life' is launched on the legacy default stream while 'stream_' (non-blocking, global mode) captures; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-default-stream]
  }
  bool allocate() {
    if (cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking))
      return false;
#ifndef UNSET
    lane_ = stream_;
#endif
    return cudaMalloc(&cells_, 64) == cudaSuccess;
  }
  std::map<std::string, std::function<void()>> rules_;
  cudaStream_t stream_ = nullptr, lane_ = nullptr;
  float *cells_ = nullptr;
};

int main() {
  std::unique_ptr<Lab> lab = Lab::create();
  return lab && lab->record("life") ? 0 : 1;
}
