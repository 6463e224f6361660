// A method that adds to a table, and find(), return an iterator to the element.
// Its member `second` is the value that operator[] returns.

// REQUIRES: gxx
// RUN: %check %s cudagraph-dynamic-shape,cudagraph-default-stream --real-std

#include <map>
#include <tuple>
#include <unordered_map>

__global__ void score(float *x);
void check(cudaError_t);

static int padded(int n) {
  int p = 1;
  while (p < n)
    p *= 2;
  return p;
}

// One graph for each size.
class Cache {
public:
  Cache() {
    check(cudaStreamCreate(&stream_));
    check(cudaMalloc(&x_, 64));
  }
  void run(int n) {
    const int size = padded(n);
    auto [slot, fresh] = graphs_.try_emplace(size, nullptr);
    if (fresh)
      slot->second = record(size);
    check(cudaGraphLaunch(slot->second, stream_));
  }
  void runPair(int n) {
    const int size = padded(n);
    const auto added = graphs_.emplace(size, nullptr);
    if (added.second)
      added.first->second = record(size);
    check(cudaGraphLaunch(added.first->second, stream_));
  }

private:
  cudaGraphExec_t record(int size) {
    check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    score<<<unsigned(size), 32, 0, stream_>>>(x_);
    cudaGraph_t graph = nullptr;
    check(cudaStreamEndCapture(stream_, &graph));
    cudaGraphExec_t exec = nullptr;
    check(cudaGraphInstantiate(&exec, graph, 0));
    return exec;
  }
  cudaStream_t stream_ = nullptr;
  float *x_ = nullptr;
  std::unordered_map<int, cudaGraphExec_t> graphs_;
};

class Found {
public:
  Found() {
    check(cudaStreamCreate(&stream_));
    check(cudaMalloc(&x_, 64));
  }
  void run(int n) {
    const int size = padded(n);
    auto found = graphs_.find(size);
    if (found == graphs_.end())
      found = graphs_.insert({size, record(size)}).first;
    check(cudaGraphLaunch(found->second, stream_));
  }

private:
  cudaGraphExec_t record(int size) {
    check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    score<<<unsigned(size), 32, 0, stream_>>>(x_);
    cudaGraph_t graph = nullptr;
    check(cudaStreamEndCapture(stream_, &graph));
    cudaGraphExec_t exec = nullptr;
    check(cudaGraphInstantiate(&exec, graph, 0));
    return exec;
  }
  cudaStream_t stream_ = nullptr;
  float *x_ = nullptr;
  std::unordered_map<int, cudaGraphExec_t> graphs_;
};

// The same graph for every size: the entry has a constant key.
class Single {
public:
  Single() {
    check(cudaStreamCreate(&stream_));
    check(cudaMalloc(&x_, 64));
  }
  void run(int n) {
    const int size = padded(n);
    auto [slot, fresh] = graphs_.try_emplace(0, nullptr);
    if (fresh)
      slot->second = record(size);
    check(cudaGraphLaunch(slot->second, stream_));
  }

private:
  cudaGraphExec_t record(int size) {
    check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    score<<<unsigned(size), 32, 0, stream_>>>(x_);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: the grid of kernel 'score' is computed from 'size', which has a different value when the graph is launched; the replay keeps the value from the capture [cudagraph-dynamic-shape]
    cudaGraph_t graph = nullptr;
    check(cudaStreamEndCapture(stream_, &graph));
    cudaGraphExec_t exec = nullptr;
    check(cudaGraphInstantiate(&exec, graph, 0));
    return exec;
  }
  cudaStream_t stream_ = nullptr;
  float *x_ = nullptr;
  std::unordered_map<int, cudaGraphExec_t> graphs_;
};

// The value of an entry, read in each possible way.
void ofEntries(cudaStream_t s, int key, float *x, cudaGraph_t *graph) {
  std::map<int, cudaStream_t> ordered;
  std::unordered_map<int, cudaStream_t> hashed;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
  ordered[key] = nullptr;
  score<<<1, 1, 0, ordered.find(key)->second>>>(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'score' is launched on the legacy default stream while 's' (thread-local mode) captures; {{.*}} [cudagraph-default-stream]
  auto [at, fresh] = hashed.insert_or_assign(key, nullptr);
  score<<<1, 1, 0, at->second>>>(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'score' is launched on the legacy default stream while 's' (thread-local mode) captures; {{.*}} [cudagraph-default-stream]
  hashed[key] = s;
  score<<<1, 1, 0, hashed.find(key)->second>>>(x);
  score<<<1, 1, 0, std::get<1>(*hashed.find(key))>>>(x);
  cudaStreamEndCapture(s, graph);
}

// Positions, ranges, and other arguments of a constructor are not keys.
void unkeyed(cudaStream_t s, int key, float *x, cudaGraph_t *graph) {
  std::map<int, cudaStream_t> from, to;
  from[key] = nullptr;
  to.emplace(std::piecewise_construct, std::forward_as_tuple(key + 1),
             std::forward_as_tuple(nullptr));
  to.try_emplace(to.begin(), key, s);
  to.insert(from.begin(), from.end());
  to[key] = s;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
  score<<<1, 1, 0, to.find(key)->second>>>(x);
  cudaStreamEndCapture(s, graph);
}

int main() {
  Cache cache;
  for (int n : {5, 8, 3, 6}) {
    cache.run(n);
    cache.runPair(n);
  }
  Found found;
  for (int n : {5, 8, 3, 6})
    found.run(n);
  Single single;
  for (int n : {5, 8, 3, 6})
    single.run(n);
}
