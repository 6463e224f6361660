// RUN: %check %s cudagraph-growing-workspace --real-std
// RUN: %check %s cudagraph-growing-workspace --real-std --suffix=VERSION -- -DVERSION
// Each object on the heap has its own buffer and its own graph. The program
// destroys the graphs only after the last launch.
#include <memory>
#include <vector>

__global__ void move(float *positions, const int *count);

template <typename T> class Array {
public:
  void create(int size, cudaStream_t stream) {
    capacity = size;
    cudaMallocAsync(&data, sizeof(T) * size, stream);
  }
  void reserve(int needed, int used, cudaStream_t stream) {
    if (needed <= capacity)
      return;
    int size = 2 * needed;
    T *other = nullptr;
    cudaMallocAsync(&other, sizeof(T) * size, stream);
    cudaMemcpyAsync(other, data, sizeof(T) * used, cudaMemcpyDeviceToDevice, stream);
    cudaFreeAsync(data, stream);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'Array::reserve' frees and reallocates 'positions' while the graph captured on 'stream' holds its old address in 'move'; replays will use freed memory [cudagraph-growing-workspace]
    data = other;
    capacity = size;
    ++version;
  }
  void release(cudaStream_t stream) {
    cudaFreeAsync(data, stream);
    data = nullptr;
  }
  T *get() const { return data; }
  int revision() const { return version; }

private:
  T *data = nullptr;
  int capacity = 0, version = 1;
};

struct Emitter {
  Array<float> positions;
  int *count = nullptr;
  int live = 0, version = 0;
  cudaGraphExec_t exec = nullptr;
};

class Emitters {
public:
  void open() { cudaStreamCreate(&stream); }
  void close() {
    cudaStreamSynchronize(stream);
    for (auto &each : all) {
      if (each->exec)
        cudaGraphExecDestroy(each->exec);
      each->positions.release(stream);
      cudaFree(each->count);
    }
    cudaStreamDestroy(stream);
  }
  int create(int size) {
    auto each = std::make_unique<Emitter>();
    each->positions.create(size, stream);
    cudaMalloc(&each->count, sizeof(int));
    all.push_back(std::move(each));
    return all.size() - 1;
  }
  void burst(int handle, int more) {
    Emitter &each = *all.at(handle);
    each.positions.reserve(each.live + more, each.live, stream);
    each.live += more;
    cudaMemcpyAsync(each.count, &each.live, sizeof(int), cudaMemcpyHostToDevice, stream);
    cudaStreamSynchronize(stream);
  }
  void tick() {
    for (auto &each : all) {
#if defined(VERSION)
      if (each->version != each->positions.revision()) {
        if (each->exec)
          cudaGraphExecDestroy(each->exec);
        each->exec = compile(*each);
        each->version = each->positions.revision();
      }
#else
      if (!each->exec)
        each->exec = compile(*each);
#endif
      cudaGraphLaunch(each->exec, stream);
    }
    cudaStreamSynchronize(stream);
  }

private:
  cudaGraphExec_t compile(const Emitter &each) {
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
    move<<<16, 256, 0, stream>>>(each.positions.get(), each.count);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphDestroy(graph);
    return exec;
  }

  cudaStream_t stream = nullptr;
  std::vector<std::unique_ptr<Emitter>> all;
};

int main() {
  Emitters emitters;
  emitters.open();
  int sparks = emitters.create(100), smoke = -1;
  emitters.burst(sparks, 50);
  for (int frame = 0; frame < 10; ++frame) {
    if (frame == 4) {
      emitters.burst(sparks, 100);
      smoke = emitters.create(100);
      emitters.burst(smoke, 50);
    }
    emitters.tick();
  }
  emitters.close();
}
