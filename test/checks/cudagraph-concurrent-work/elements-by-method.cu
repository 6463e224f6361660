// RUN: %check %s cudagraph-concurrent-work --real-std
// RUN: %check %s cudagraph-concurrent-work --real-std --suffix=OWN -- -DOWN
// RUN: %check %s cudagraph-concurrent-work --real-std --suffix=WAITS -- -DWAITS
// RUN: %check %s cudagraph-concurrent-work --real-std --suffix=STATIC -- -DSTATIC
// Each element of a container launches its graph on its stream in a method.
// A loop that waits for each element comes before one that does not.
#include <memory>
#include <vector>

__global__ void fill(float *grid) { grid[threadIdx.x] = 1.0f; }
__global__ void sum(const float *grid, float *out) {
  out[threadIdx.x] += grid[threadIdx.x];
}

class Space {
public:
  Space() { cudaMalloc(&memory, 64); }
  ~Space() { cudaFree(memory); }
  float *grid() const { return memory; }
  static Space &only() {
    static Space one;
    return one;
  }

private:
  float *memory = nullptr;
};

class Calculator {
public:
  explicit Calculator(std::shared_ptr<Space> given) : space(std::move(given)) {
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaMalloc(&out, 64);
#ifdef OWN
    cudaMalloc(&own, 64);
#endif
    capture();
  }
  void start() {
    cudaGraphLaunch(exec, stream);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaGraphLaunch' launches a graph that shares 'grid'
    // CHECK-MESSAGES-STATIC: :[[@LINE-2]]:5: warning: 'cudaGraphLaunch' launches a graph that shares 'grid'
  }
  void finish() { cudaStreamSynchronize(stream); }

private:
  void capture() {
    cudaGraph_t graph;
#ifdef OWN
    float *grid = own;
#elif defined(STATIC)
    float *grid = Space::only().grid();
#else
    float *grid = space->grid();
#endif
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
    fill<<<1, 16, 0, stream>>>(grid);
    sum<<<1, 16, 0, stream>>>(grid, out);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
  }

  std::shared_ptr<Space> space;
  cudaStream_t stream = nullptr;
  cudaGraphExec_t exec = nullptr;
  float *out = nullptr, *own = nullptr;
};

class Service {
public:
  Service() {
    auto space = std::make_shared<Space>();
    for (int i = 0; i < 2; ++i)
      all.push_back(std::make_unique<Calculator>(space));
  }
  void alone() {
    for (auto &each : all) {
      each->start();
      each->finish();
    }
  }
  void together() {
    for (auto &each : all) {
      each->start();
#ifdef WAITS
      each->finish();
#endif
    }
    for (auto &each : all)
      each->finish();
  }

private:
  std::vector<std::unique_ptr<Calculator>> all;
};

int main() {
  Service service;
  for (int round = 0; round < 3; ++round)
    service.alone();
  for (int round = 0; round < 3; ++round)
    service.together();
  return 0;
}
