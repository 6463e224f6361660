// A container or an algorithm that receives an object may own it from then
// on.

// RUN: %check %s cudagraph-dangling-memory --real-std

#include <algorithm>
#include <memory>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

struct Buffer {
  Buffer() { cudaMalloc(reinterpret_cast<void **>(&data), 4096); }
  ~Buffer() { cudaFree(data); }
  float *data = nullptr;
};
using Shared = std::shared_ptr<Buffer>;

__global__ void scale(float *x);

template <typename Fn> void capture(cudaStream_t s, Fn keep) {
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  {
    Shared buffer = std::make_shared<Buffer>();
    if (cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal))
      return;
    scale<<<1, 32, 0, s>>>(buffer->data);
    if (cudaStreamEndCapture(s, &graph))
      return;
    if (cudaGraphInstantiate(&exec, graph, 0))
      return;
    keep(buffer);
  }
  cudaGraphLaunch(exec, s);
}

void in_set(cudaStream_t s, std::set<Shared> &all) {
  capture(s, [&](const Shared &b) { all.insert(b); });
}
void in_vector(cudaStream_t s, std::vector<Shared> &all) {
  capture(s, [&](const Shared &b) { all.insert(all.end(), b); });
}
void in_pair(cudaStream_t s, std::vector<std::pair<int, Shared>> &all) {
  capture(s, [&](const Shared &b) { all.emplace_back(1, b); });
}
void in_tuple(cudaStream_t s, std::tuple<int, Shared> &one) {
  capture(s, [&](const Shared &b) { one = std::make_tuple(1, b); });
}
void in_local(cudaStream_t s) {
  std::tuple<int, Shared> one;
  capture(s, [&](const Shared &b) { one = std::make_tuple(1, b); });
}
void filled(cudaStream_t s, std::vector<Shared> &all) {
  capture(s, [&](const Shared &b) { std::fill(all.begin(), all.end(), b); });
}
