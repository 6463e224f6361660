// RUN: %check %s cudagraph-growing-workspace --real-std
// RUN: %check %s cudagraph-growing-workspace --real-std --suffix=POOL -- -DPOOL
// RUN: %check %s cudagraph-growing-workspace --real-std --suffix=RETIRED -- -DRETIRED
// Other functions free the memory of a member, or return it to a pool.
#include <map>
#include <utility>
#include <vector>

__global__ void fill(float *memory);
__global__ void sum(const float *memory, float *out);

class Memory {
public:
#if defined(POOL)
  float *take(size_t count) {
    auto it = unused.find(count);
    if (it != unused.end()) {
      float *memory = it->second;
      unused.erase(it);
      return memory;
    }
    float *memory = nullptr;
    cudaMalloc(&memory, count * sizeof(float));
    counts[memory] = count;
    return memory;
  }
  void give(float *memory) {
    if (memory)
      unused.emplace(counts[memory], memory);
  }
  std::map<float *, size_t> counts;
  std::multimap<size_t, float *> unused;
#else
  float *take(size_t count) {
    float *memory = nullptr;
    cudaMalloc(&memory, count * sizeof(float));
    return memory;
  }
#if defined(RETIRED)
  ~Memory() {
    for (float *memory : retired)
      cudaFree(memory);
  }
  void give(float *memory) { retired.push_back(memory); }
  std::vector<float *> retired;
#else
  void give(float *memory) { release(memory); }
  void release(float *memory) { cudaFree(memory); }
#endif
#endif
};

class Graphs {
public:
  explicit Graphs(Memory &memory) : memory(memory) {
    cudaStreamCreate(&stream);
    cudaMalloc(&out, 64);
  }
  ~Graphs() {
    for (auto &each : execs)
      cudaGraphExecDestroy(each.second);
  }
  void step(int rows) {
    reserve(rows * 64);
    auto it = execs.find(rows);
    if (it == execs.end())
      it = execs.emplace(rows, capture(rows)).first;
    cudaGraphLaunch(it->second, stream);
    cudaStreamSynchronize(stream);
  }

private:
  void reserve(size_t needed) {
    if (needed <= count)
      return;
    memory.give(scratch);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'Graphs::reserve' frees and reallocates 'scratch' while the graph captured on 'stream' holds its old address in 'fill'; replays will use freed memory [cudagraph-growing-workspace]
    // CHECK-MESSAGES-POOL: :[[@LINE-2]]:5: warning: 'Graphs::reserve' returns the memory of 'scratch' to a pool while the graph captured on 'stream' holds its old address in 'fill'; replays will use memory that may have another user [cudagraph-growing-workspace]
    scratch = memory.take(needed);
    count = needed;
  }
  cudaGraphExec_t capture(int rows) {
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    fill<<<rows, 64, 0, stream>>>(scratch);
    sum<<<1, 64, 0, stream>>>(scratch, out);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphDestroy(graph);
    return exec;
  }

  Memory &memory;
  cudaStream_t stream = nullptr;
  float *out = nullptr, *scratch = nullptr;
  size_t count = 0;
  std::map<int, cudaGraphExec_t> execs;
};

int main() {
  Memory memory;
  Graphs graphs(memory);
  graphs.step(8);
  graphs.step(32);
  graphs.step(8);
}
