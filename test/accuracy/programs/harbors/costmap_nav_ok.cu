// Local costmap of a mobile robot. Drive modes select which layers are computed; on a change of mode or
// of its tuning the layer graph is recorded again and the executable graph is brought up to date.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <optional>
#include <vector>

namespace nav {

constexpr int kSide = 48;
constexpr int kCells = kSide * kSide;
constexpr int kThreads = 128;
constexpr int kGrid = (kCells + kThreads - 1) / kThreads;

enum class Drive { kCruise, kCareful };

struct Tuning {
  Drive drive = Drive::kCruise;
  int obstacle_cost = 100;
  bool operator==(const Tuning& o) const { return drive == o.drive && obstacle_cost == o.obstacle_cost; }
};

__host__ __device__ inline int inflate_cell(const int* raw, int cell) {
  const int x = cell % kSide, y = cell / kSide;
  int cost = raw[cell];
  if (x > 0 && raw[cell - 1] / 2 > cost) cost = raw[cell - 1] / 2;
  if (x < kSide - 1 && raw[cell + 1] / 2 > cost) cost = raw[cell + 1] / 2;
  if (y > 0 && raw[cell - kSide] / 2 > cost) cost = raw[cell - kSide] / 2;
  if (y < kSide - 1 && raw[cell + kSide] / 2 > cost) cost = raw[cell + kSide] / 2;
  return cost;
}

__global__ void mark_obstacles(const unsigned char* hits, int* raw, int cost) {
  const int cell = blockIdx.x * blockDim.x + threadIdx.x;
  if (cell < kCells) raw[cell] = hits[cell] * cost;
}

__global__ void inflate(const int* raw, int* costs) {
  const int cell = blockIdx.x * blockDim.x + threadIdx.x;
  if (cell < kCells) costs[cell] = inflate_cell(raw, cell);
}

__global__ void copy_layer(const int* raw, int* costs) {
  const int cell = blockIdx.x * blockDim.x + threadIdx.x;
  if (cell < kCells) costs[cell] = raw[cell];
}

__global__ void forbid_border(int* costs) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= kSide) return;
  costs[i] = 255;
  costs[kCells - 1 - i] = 255;
}

struct Map {
  unsigned char *hits = nullptr, *host_hits = nullptr;
  int *raw = nullptr, *costs = nullptr, *host_costs = nullptr;

  cudaError_t allocate() {
    cudaError_t s = cudaMalloc(&hits, kCells);
    if (s == cudaSuccess) s = cudaMalloc(&raw, kCells * sizeof(int));
    if (s == cudaSuccess) s = cudaMalloc(&costs, kCells * sizeof(int));
    if (s == cudaSuccess) s = cudaMallocHost(&host_hits, kCells);
    if (s == cudaSuccess) s = cudaMallocHost(&host_costs, kCells * sizeof(int));
    return s;
  }
  ~Map() {
    cudaFree(hits);
    cudaFree(raw);
    cudaFree(costs);
    cudaFreeHost(host_hits);
    cudaFreeHost(host_costs);
  }
};

using Layers = std::function<cudaError_t(cudaStream_t)>;

// Records the layers into a graph, which belongs to the caller.
cudaError_t record(cudaStream_t stream, const Layers& layers, cudaGraph_t* graph) {
  cudaError_t status = cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
  if (status != cudaSuccess) return status;
  const cudaError_t body = layers(stream);
  status = cudaStreamEndCapture(stream, graph);
  return status == cudaSuccess ? body : status;
}

Layers layers_for(const Map& map, Tuning tuning) {
  return [&map, tuning](cudaStream_t stream) {
    cudaError_t s = cudaMemcpyAsync(map.hits, map.host_hits, kCells, cudaMemcpyHostToDevice, stream);
    if (s != cudaSuccess) return s;
    mark_obstacles<<<kGrid, kThreads, 0, stream>>>(map.hits, map.raw, tuning.obstacle_cost);
    if ((s = cudaGetLastError()) != cudaSuccess) return s;
    if (tuning.drive == Drive::kCareful) {
      inflate<<<kGrid, kThreads, 0, stream>>>(map.raw, map.costs);
      if ((s = cudaGetLastError()) != cudaSuccess) return s;
      forbid_border<<<1, kThreads, 0, stream>>>(map.costs);
    } else {
      copy_layer<<<kGrid, kThreads, 0, stream>>>(map.raw, map.costs);
    }
    if ((s = cudaGetLastError()) != cudaSuccess) return s;
    return cudaMemcpyAsync(map.host_costs, map.costs, kCells * sizeof(int), cudaMemcpyDeviceToHost, stream);
  };
}

class CostmapTask {
 public:
  ~CostmapTask() {
    if (exec_) cudaGraphExecDestroy(exec_);
    if (stream_) cudaStreamDestroy(stream_);
  }
  cudaError_t open() {
    const cudaError_t s = cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking);
    return s == cudaSuccess ? map_.allocate() : s;
  }

  cudaError_t cycle(const Tuning& tuning, const std::vector<unsigned char>& hits) {
    if (!active_ || !(*active_ == tuning)) {
      const cudaError_t s = retune(tuning);
      if (s != cudaSuccess) return s;
      active_ = tuning;
    }
    std::copy(hits.begin(), hits.end(), map_.host_hits);
    const cudaError_t s = cudaGraphLaunch(exec_, stream_);
    return s == cudaSuccess ? cudaStreamSynchronize(stream_) : s;
  }

  const int* costs() const { return map_.host_costs; }

 private:
  cudaError_t retune(const Tuning& tuning) {
    cudaGraph_t graph = nullptr;
    cudaError_t s = record(stream_, layers_for(map_, tuning), &graph);
    if (s == cudaSuccess) s = exec_ ? refresh(graph) : cudaGraphInstantiate(&exec_, graph, 0);
    if (graph) cudaGraphDestroy(graph);
    return s;
  }

  cudaError_t refresh(cudaGraph_t graph) {
    cudaGraphExecUpdateResultInfo info{};
    const cudaError_t s = cudaGraphExecUpdate(exec_, graph, &info);
    if (s == cudaSuccess) {
      ++updates_;
      return s;
    }
    if (s != cudaErrorGraphExecUpdateFailure) return s;
    cudaGetLastError();
    cudaGraphExec_t rebuilt = nullptr;
    const cudaError_t built = cudaGraphInstantiate(&rebuilt, graph, 0);
    if (built != cudaSuccess) return built;
    cudaGraphExecDestroy(exec_);
    exec_ = rebuilt;
    return cudaSuccess;
  }

  Map map_;
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
  std::optional<Tuning> active_;
  int updates_ = 0;
};

// Speed supervisor: slows down near obstacles and raises the obstacle cost after a bumper event.
class Supervisor {
 public:
  Tuning decide(int cycle, int nearest) {
    if (cycle == 3) tuning_.obstacle_cost = 180;
    calm_ = nearest < 4 ? 0 : calm_ + 1;
    if (nearest < 4) tuning_.drive = Drive::kCareful;
    if (calm_ > 4) tuning_.drive = Drive::kCruise;
    return tuning_;
  }

 private:
  Tuning tuning_;
  int calm_ = 0;
};

int compare(const int* costs, const std::vector<unsigned char>& hits, const Tuning& tuning) {
  std::vector<int> raw(kCells), expected(kCells);
  for (int i = 0; i < kCells; ++i) raw[i] = hits[i] * tuning.obstacle_cost;
  const bool careful = tuning.drive == Drive::kCareful;
  for (int i = 0; i < kCells; ++i) expected[i] = careful ? inflate_cell(raw.data(), i) : raw[i];
  for (int i = 0; careful && i < kSide; ++i) expected[i] = expected[kCells - 1 - i] = 255;
  int wrong = 0;
  for (int i = 0; i < kCells; ++i) wrong += costs[i] != expected[i];
  return wrong;
}

}  // namespace nav

int main() {
  using namespace nav;
  CostmapTask task;
  Supervisor supervisor;
  cudaError_t status = task.open();
  int wrong_cruise = 0, wrong_careful = 0, cycles = 0;
  const int total = 30;
  for (; cycles < total && status == cudaSuccess; ++cycles) {
    std::vector<unsigned char> hits(kCells, 0);
    for (int i = 0; i < 40; ++i) hits[(i * 131 + cycles * 17) % kCells] = 1;
    const int nearest = cycles >= 6 && cycles < 14 ? 2 : 10;
    const Tuning tuning = supervisor.decide(cycles, nearest);
    status = task.cycle(tuning, hits);
    if (status != cudaSuccess) break;
    (tuning.drive == Drive::kCareful ? wrong_careful : wrong_cruise) += compare(task.costs(), hits, tuning);
  }
  std::printf("%d cycles, status %s, wrong cells: cruise %d careful %d\n", cycles, cudaGetErrorString(status), wrong_cruise,
              wrong_careful);
  const bool confirmed = status == cudaSuccess && cycles == total && wrong_cruise == 0 && wrong_careful == 0;
  std::puts(confirmed ? "LABEL CONFIRMED" : "LABEL WRONG");
  return confirmed ? 0 : 1;
}
