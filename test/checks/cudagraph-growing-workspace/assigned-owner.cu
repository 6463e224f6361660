// RUN: %check %s cudagraph-growing-workspace --real-std
// RUN: %check %s cudagraph-growing-workspace --real-std --suffix=MOVE -- -DMOVE
// RUN: %check %s cudagraph-growing-workspace --real-std --suffix=KEPT -- -DKEPT
// RUN: %check %s cudagraph-growing-workspace --real-std --suffix=CLEARED -- -DCLEARED
// RUN: %check %s cudagraph-growing-workspace --real-std --suffix=EARLY -- -DEARLY
// A new object is assigned to a member whose destructor frees memory.
#include <map>
#include <utility>
#include <vector>

__global__ void fill(float *memory);

class Block {
public:
  Block() = default;
  explicit Block(size_t given) : count(given) {
    cudaMalloc(&memory, given * sizeof(float));
  }
  ~Block() { cudaFree(memory); }
#if defined(MOVE)
  Block(Block &&other) noexcept
      : memory(std::exchange(other.memory, nullptr)), count(other.count) {}
  Block &operator=(Block &&other) noexcept {
    if (this != &other) {
      cudaFree(memory);
      memory = std::exchange(other.memory, nullptr);
      count = other.count;
    }
    return *this;
  }
#else
  Block(Block &&other) noexcept { swap(other); }
  Block &operator=(Block &&other) noexcept {
    swap(other);
    return *this;
  }
  void swap(Block &other) noexcept {
    std::swap(memory, other.memory);
    std::swap(count, other.count);
  }
#endif
  float *get() const { return memory; }
  size_t size() const { return count; }

private:
  float *memory = nullptr;
  size_t count = 0;
};

class Graphs {
public:
  Graphs() { cudaStreamCreate(&stream); }
  ~Graphs() { clear(); }
  void step(int rows) {
    reserve(rows * 64);
    auto it = execs.find(rows);
    if (it == execs.end())
      it = execs.emplace(rows, capture(rows)).first;
    cudaGraphLaunch(it->second, stream);
    cudaStreamSynchronize(stream);
  }
  void reserve(size_t needed) {
    if (needed <= scratch.size())
      return;
#if defined(KEPT)
    old.push_back(std::move(scratch));
#elif defined(CLEARED)
    clear();
#endif
    scratch = Block(needed);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'Graphs::reserve' frees and reallocates 'scratch' while the graph captured on 'stream' holds its old address in 'fill'; replays will use freed memory [cudagraph-growing-workspace]
    // CHECK-MESSAGES-MOVE: :[[@LINE-2]]:5: warning: 'Graphs::reserve' frees and reallocates 'scratch' while the graph captured on 'stream' holds its old address in 'fill'; replays will use freed memory [cudagraph-growing-workspace]
  }

private:
  void clear() {
    for (auto &each : execs)
      cudaGraphExecDestroy(each.second);
    execs.clear();
  }
  cudaGraphExec_t capture(int rows) {
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    fill<<<rows, 64, 0, stream>>>(scratch.get());
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphDestroy(graph);
    return exec;
  }

  cudaStream_t stream = nullptr;
  Block scratch;
  std::vector<Block> old;
  std::map<int, cudaGraphExec_t> execs;
};

#if defined(EARLY)
int main() {
  Graphs graphs;
  graphs.reserve(64 * 64); // the largest size
  graphs.step(8);
  graphs.step(32);
}
#endif
