// obstacle_node: perception node that reduces a planar laser scan to the nearest obstacle per
// sector. Scans arrive through on_scan(), operators change limits through on_parameters(), and
// results are handed to subscribers from a host function at the end of the graph.
#include <cuda_runtime.h>

#include <algorithm>
#include <atomic>
#include <climits>
#include <cstdio>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

namespace perception {

constexpr int kBeams = 1440;
constexpr int kSectors = 16;

struct Params {
  int min_range_mm = 200;
  int max_range_mm = 6000;
  int offset_mm = 0;
};

using Sectors = std::vector<int>;

class Logger {
 public:
  explicit Logger(std::string node) : node_(std::move(node)) {}
  bool check(cudaError_t e, const char* what) {
    if (e == cudaSuccess) return true;
    std::fprintf(stderr, "[%s] %s: %s\n", node_.c_str(), what, cudaGetErrorString(e));
    ++errors_;
    return false;
  }
  int errors() const { return errors_; }

 private:
  std::string node_;
  std::atomic<int> errors_{0};
};

__global__ void clear_sectors(int* sectors) { sectors[threadIdx.x] = INT_MAX; }

__global__ void reduce_scan(const int* ranges, int* sectors, const Params* params) {
  const int beam = blockIdx.x * blockDim.x + threadIdx.x;
  if (beam >= kBeams) return;
  const Params p = *params;
  const int r = ranges[beam] + p.offset_mm;
  if (r >= p.min_range_mm && r <= p.max_range_mm) atomicMin(&sectors[beam * kSectors / kBeams], r);
}

class ObstacleNode {
 public:
  using Subscriber = std::function<void(const Sectors&)>;

  explicit ObstacleNode(Subscriber sub) : subscriber_(std::move(sub)) {
    log_.check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
    log_.check(cudaMalloc(&d_ranges_, kBeams * sizeof(int)), "ranges");
    log_.check(cudaMalloc(&d_sectors_, kSectors * sizeof(int)), "sectors");
    log_.check(cudaMalloc(&d_params_, sizeof(Params)), "params");
    log_.check(cudaMallocHost(&h_ranges_, kBeams * sizeof(int)), "pinned ranges");
    log_.check(cudaMallocHost(&h_sectors_, kSectors * sizeof(int)), "pinned sectors");
    log_.check(cudaMallocHost(&h_params_, sizeof(Params)), "pinned params");
    std::fill_n(h_sectors_, kSectors, -1);
    *h_params_ = Params{};
  }
  ~ObstacleNode() {
    log_.check(cudaStreamSynchronize(stream_), "drain");
    if (exec_) log_.check(cudaGraphExecDestroy(exec_), "exec");
    log_.check(cudaFree(d_ranges_), "ranges");
    log_.check(cudaFree(d_sectors_), "sectors");
    log_.check(cudaFree(d_params_), "params");
    log_.check(cudaFreeHost(h_ranges_), "pinned ranges");
    log_.check(cudaFreeHost(h_sectors_), "pinned sectors");
    log_.check(cudaFreeHost(h_params_), "pinned params");
    log_.check(cudaStreamDestroy(stream_), "stream");
  }

  // Parameter server callback. Takes effect with the next scan.
  void on_parameters(const Params& p) {
    std::lock_guard<std::mutex> lock(mutex_);
    *h_params_ = p;
  }

  // Sensor driver callback.
  void on_scan(const std::vector<int>& ranges) {
    std::lock_guard<std::mutex> lock(mutex_);
    std::copy(ranges.begin(), ranges.end(), h_ranges_);
    if (!exec_ && !configure()) return;
    if (log_.check(cudaGraphLaunch(exec_, stream_), "launch"))
      log_.check(cudaStreamSynchronize(stream_), "scan");
  }

  // Diagnostics service: what the device currently holds.
  Sectors device_sectors() {
    Sectors s(kSectors, -1);
    log_.check(cudaMemcpy(s.data(), d_sectors_, kSectors * sizeof(int), cudaMemcpyDeviceToHost), "diagnostics");
    return s;
  }
  int errors() const { return log_.errors(); }

 private:
  static void publish(void* self) { static_cast<ObstacleNode*>(self)->publish_result(); }

  void publish_result() { subscriber_(Sectors(h_sectors_, h_sectors_ + kSectors)); }

  void pipeline() {
    log_.check(cudaMemcpyAsync(d_ranges_, h_ranges_, kBeams * sizeof(int), cudaMemcpyHostToDevice, stream_), "upload");
    log_.check(cudaMemcpyAsync(d_params_, h_params_, sizeof(Params), cudaMemcpyHostToDevice, stream_), "limits");
    clear_sectors<<<1, kSectors, 0, stream_>>>(d_sectors_);
    reduce_scan<<<(kBeams + 255) / 256, 256, 0, stream_>>>(d_ranges_, d_sectors_, d_params_);
    log_.check(cudaMemcpyAsync(h_sectors_, d_sectors_, kSectors * sizeof(int), cudaMemcpyDeviceToHost, stream_), "fetch");
    log_.check(cudaLaunchHostFunc(stream_, &ObstacleNode::publish, this), "publish");
  }

  bool configure() {
    cudaGraph_t graph = nullptr;
    if (!log_.check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "begin")) return false;
    pipeline();
    if (!log_.check(cudaStreamEndCapture(stream_, &graph), "end")) return false;
    const bool made = log_.check(cudaGraphInstantiate(&exec_, graph, 0), "instantiate");
    log_.check(cudaGraphDestroy(graph), "graph");
    return made;
  }

  Logger log_{"obstacle_node"};
  std::mutex mutex_;
  Subscriber subscriber_;
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
  int *d_ranges_ = nullptr, *d_sectors_ = nullptr, *h_ranges_ = nullptr, *h_sectors_ = nullptr;
  Params *d_params_ = nullptr, *h_params_ = nullptr;
};

Sectors expected_sectors(const std::vector<int>& ranges, const Params& p) {
  Sectors s(kSectors, INT_MAX);
  for (int b = 0; b < kBeams; ++b) {
    const int r = ranges[b] + p.offset_mm;
    if (r >= p.min_range_mm && r <= p.max_range_mm) s[b * kSectors / kBeams] = std::min(s[b * kSectors / kBeams], r);
  }
  return s;
}

}  // namespace perception

int main() {
  using namespace perception;
  std::vector<Sectors> received;
  int wrong_published = 0, wrong_device = 0, errors = 0;
  {
    ObstacleNode node([&](const Sectors& s) { received.push_back(s); });
    Params p;
    for (int tick = 0; tick < 6; ++tick) {
      if (tick % 2 == 1) {
        p.min_range_mm += 350;
        p.offset_mm += 15;
        node.on_parameters(p);
      }
      std::vector<int> scan(kBeams);
      for (int b = 0; b < kBeams; ++b) scan[b] = 150 + (b * 37 + tick * 211) % 7000;
      node.on_scan(scan);
      const Sectors want = expected_sectors(scan, p);
      wrong_device += node.device_sectors() != want;
      wrong_published += received.size() != size_t(tick + 1) || received.back() != want;
    }
    errors = node.errors();
  }
  std::printf("errors %d, wrong on device %d, wrong as published %d\n", errors, wrong_device, wrong_published);
  std::puts(errors == 0 && wrong_device == 0 && wrong_published == 0 ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
  return 0;
}
