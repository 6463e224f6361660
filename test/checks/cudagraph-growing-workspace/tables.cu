// A program keeps one graph for each batch size, and all of them use one buffer. If the buffer
// is replaced for a larger batch, the graphs of the other sizes remain in the table and use
// freed memory. main() calls everything, so all sizes are visible.

// RUN: %check %s cudagraph-growing-workspace,cudagraph-frozen-argument,cudagraph-dangling-memory --real-std
// REQUIRES: gxx

#include <unordered_map>
#include <utility>

__global__ void kernel(float *x);

using Table = std::unordered_map<int, cudaGraphExec_t>;

class Base {
public:
  Base() { cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking); }

protected:
  cudaGraphExec_t end() {
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    if (cudaStreamEndCapture(s, &graph) || cudaGraphInstantiate(&exec, graph, 0))
      return nullptr;
    return exec;
  }
  cudaStream_t s = nullptr;
  Table graphs;
};

class Grows : public Base {
public:
  void step(int batch) {
    reserve(batch * 64);
    auto it = graphs.find(batch);
    if (it == graphs.end())
      it = graphs.emplace(batch, record()).first;
    cudaGraphLaunch(it->second, s);
  }

private:
  void reserve(size_t bytes) {
    if (bytes <= capacity)
      return;
    cudaFree(work);
// CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'Grows::reserve' frees and reallocates 'work' while the graph captured on 's' holds its old address in 'kernel'; replays will use freed memory
    cudaMalloc(&work, bytes);
    capacity = bytes;
  }
  cudaGraphExec_t record() {
    if (cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal))
      return nullptr;
    kernel<<<1, 64, 0, s>>>(work);
    return end();
  }
  float *work = nullptr;
  size_t capacity = 0;
};

struct Blocks {
  float *acquire(size_t bytes) {
    float *p = nullptr;
    cudaMalloc(&p, bytes);
    return p;
  }
  void release(float *p) { cudaFree(p); }
};

class GrowsThroughAllocator : public Base {
public:
  void step(int batch) {
    reserve(batch * 64);
    auto it = graphs.find(batch);
    if (it == graphs.end())
      it = graphs.emplace(batch, record()).first;
    cudaGraphLaunch(it->second, s);
  }

private:
  void reserve(size_t bytes) {
    if (bytes <= capacity)
      return;
    blocks.release(work);
// CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'GrowsThroughAllocator::reserve' frees and reallocates 'work' while the graph captured on 's' holds its old address in 'kernel'; replays will use freed memory
    work = blocks.acquire(bytes);
    capacity = bytes;
  }
  cudaGraphExec_t record() {
    if (cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal))
      return nullptr;
    kernel<<<1, 64, 0, s>>>(work);
    return end();
  }
  Blocks blocks;
  float *work = nullptr;
  size_t capacity = 0;
};

class DropsItsGraphs : public Base {
public:
  void step(int batch) {
    reserve(batch * 64);
    auto it = graphs.find(batch);
    if (it == graphs.end())
      it = graphs.emplace(batch, record()).first;
    cudaGraphLaunch(it->second, s);
  }

private:
  void reserve(size_t bytes) {
    if (bytes <= capacity)
      return;
    for (auto &each : graphs)
      cudaGraphExecDestroy(each.second);
    graphs.clear();
    cudaFree(work);
    cudaMalloc(&work, bytes);
    capacity = bytes;
  }
  cudaGraphExec_t record() {
    if (cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal))
      return nullptr;
    kernel<<<1, 64, 0, s>>>(work);
    return end();
  }
  float *work = nullptr;
  size_t capacity = 0;
};

class ReservesTheMaximum : public Base {
public:
  void step(int batch) {
    reserve(4096);
    auto it = graphs.find(batch);
    if (it == graphs.end())
      it = graphs.emplace(batch, record()).first;
    cudaGraphLaunch(it->second, s);
  }

private:
  void reserve(size_t bytes) {
    if (bytes <= capacity)
      return;
    cudaFree(work);
    cudaMalloc(&work, bytes);
    capacity = bytes;
  }
  cudaGraphExec_t record() {
    if (cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal))
      return nullptr;
    kernel<<<1, 64, 0, s>>>(work);
    return end();
  }
  float *work = nullptr;
  size_t capacity = 0;
};

class HasOneBufferForEachSize : public Base {
public:
  void step(int batch) {
    auto it = entries.find(batch);
    if (it == entries.end()) {
      if (entries.size() > 4)
        evict(entries.begin()->first);
      Entry entry;
      cudaMalloc(&entry.work, batch * 64);
      if (cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal))
        return;
      kernel<<<1, 64, 0, s>>>(entry.work);
      entry.exec = end();
      it = entries.emplace(batch, entry).first;
    }
    cudaGraphLaunch(it->second.exec, s);
  }
  void evict(int batch) {
    auto it = entries.find(batch);
    if (it == entries.end())
      return;
    cudaGraphExecDestroy(it->second.exec);
    cudaFree(it->second.work);
    entries.erase(it);
  }

private:
  struct Entry {
    float *work = nullptr;
    cudaGraphExec_t exec = nullptr;
  };
  std::unordered_map<int, Entry> entries;
};

class FreesAtTheEnd : public Base {
public:
  FreesAtTheEnd() { cudaMalloc(&work, 4096); }
  ~FreesAtTheEnd() {
    for (auto &each : graphs)
      cudaGraphExecDestroy(each.second);
    cudaFree(work);
  }
  void step(int batch) {
    auto it = graphs.find(batch);
    if (it == graphs.end())
      it = graphs.emplace(batch, record()).first;
    cudaGraphLaunch(it->second, s);
  }

private:
  cudaGraphExec_t record() {
    if (cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal))
      return nullptr;
    kernel<<<1, 64, 0, s>>>(work);
    return end();
  }
  float *work = nullptr;
};

int main() {
  const int batches[] = {32, 32, 128, 32, 128, 64};
  Grows grows;
  for (int each : batches)
    grows.step(each);
  GrowsThroughAllocator through;
  for (int each : batches)
    through.step(each);
  DropsItsGraphs drops;
  for (int each : batches)
    drops.step(each);
  ReservesTheMaximum maximum;
  for (int each : batches)
    maximum.step(each);
  HasOneBufferForEachSize own;
  for (int each : batches)
    own.step(each);
  FreesAtTheEnd frees;
  for (int each : batches)
    frees.step(each);
}
