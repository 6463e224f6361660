// An allocator counts what it returns, during a capture as in any other call: in the function
// that returns the memory, in its callees, and in a table that it fills. A device address may
// be an integer.

// RUN: %check %s cudagraph-host-logic --real-std
// REQUIRES: gxx

#include <cuda.h>
#include <vector>

__global__ void kernel(float *x);

template <typename T> class Array {
public:
  T &push(const T &value) {
    data[size++] = value;
    return data[size - 1];
  }
  T *begin() { return data; }
  T *end() { return data + size; }

private:
  T data[64];
  unsigned size = 0;
};

struct Page {
  char *base;
  size_t size, used;
};

class Heap {
public:
  void *allocate(size_t bytes) {
    for (Page &p : pages)
      if (p.size - p.used >= bytes)
        return take(p, bytes);
    char *base = nullptr;
    cudaMallocAsync(&base, 1 << 20, stream);
    return take(pages.push({base, 1 << 20, 0}), bytes);
  }
  void rewind() {
    for (Page &p : pages)
      p.used = 0;
  }
  cudaStream_t stream = nullptr;

private:
  static void *take(Page &p, size_t bytes) {
    void *result = p.base + p.used;
    p.used += bytes;
    return result;
  }
  Array<Page> pages;
};

struct Span {
  CUdeviceptr address;
  bool free;
};

class Arena {
public:
  CUdeviceptr lease(size_t bytes) {
    for (Span &each : spans)
      if (each.free) {
        each.free = false;
        return each.address;
      }
    spans.push_back({base + top, false});
    top += bytes;
    return spans.back().address;
  }
  CUdeviceptr base = 0;

private:
  size_t top = 0;
  std::vector<Span> spans;
};

class Net {
public:
  Net() {
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    heap.stream = s;
  }
  void eager() {
    heap.rewind();
    enqueue();
    arena.lease(64);
  }
  void run() {
    if (!exec) {
      cudaGraph_t graph;
      if (cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal))
        return;
      enqueue();
      if (cudaStreamEndCapture(s, &graph) || cudaGraphInstantiate(&exec, graph, 0))
        return;
    }
    cudaGraphLaunch(exec, s);
    if (layers % 2)
      heap.rewind();
  }

private:
  float *enqueue() {
    auto *x = static_cast<float *>(heap.allocate(256));
    kernel<<<1, 64, 0, s>>>(x);
    kernel<<<1, 64, 0, s>>>(reinterpret_cast<float *>(arena.lease(256)));
    log.push_back(1);
// CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'std::vector::push_back' changes the container on which it is called during the capture of 's'
    ++layers;
// CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'layers' changes during the capture of 's'
    return x;
  }
  Heap heap;
  Arena arena;
  std::vector<int> log;
  int layers = 0;
  cudaStream_t s = nullptr;
  cudaGraphExec_t exec = nullptr;
};

int main() {
  Net net;
  net.eager();
  for (int i = 0; i < 8; ++i)
    net.run();
}
