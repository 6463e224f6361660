// Local costmap of a mobile robot. Sensor frames arrive over a queue from the driver thread; the perception
// stages run on their own streams inside one recorded cycle.
#include <cuda_runtime.h>
#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace nav {

inline void verify(cudaError_t e, int line) {
  if (e == cudaSuccess) return;
  std::printf("line %d: %s\nLABEL WRONG\n", line, cudaGetErrorString(e));
  std::_Exit(1);
}
#define NAV(x) ::nav::verify((x), __LINE__)

constexpr int kCells = 4096;
constexpr long long kRaycastCycles = 30'000'000;

class Stream {
 public:
  Stream() { NAV(cudaStreamCreateWithFlags(&s_, cudaStreamNonBlocking)); }
  Stream(const Stream&) = delete;
  ~Stream() { cudaStreamDestroy(s_); }
  operator cudaStream_t() const { return s_; }

 private:
  cudaStream_t s_ = nullptr;
};

class Event {
 public:
  Event() { NAV(cudaEventCreateWithFlags(&e_, cudaEventDisableTiming)); }
  Event(const Event&) = delete;
  ~Event() { cudaEventDestroy(e_); }
  void record(cudaStream_t s) { NAV(cudaEventRecord(e_, s)); }
  void block(cudaStream_t s) const { NAV(cudaStreamWaitEvent(s, e_, 0)); }

 private:
  cudaEvent_t e_ = nullptr;
};

template <class T>
class Buffer {
 public:
  explicit Buffer(int n) : n_(n) {
    NAV(cudaMalloc(&p_, n * sizeof(T)));
    NAV(cudaMemset(p_, 0, n * sizeof(T)));
    NAV(cudaDeviceSynchronize());
  }
  Buffer(const Buffer&) = delete;
  ~Buffer() { cudaFree(p_); }
  T* get() const { return p_; }
  size_t bytes() const { return n_ * sizeof(T); }

 private:
  T* p_ = nullptr;
  size_t n_;
};

template <class T>
class PinnedArray {
 public:
  explicit PinnedArray(int n) : n_(n) { NAV(cudaMallocHost(&p_, n * sizeof(T))); }
  PinnedArray(const PinnedArray&) = delete;
  ~PinnedArray() { cudaFreeHost(p_); }
  T* get() const { return p_; }
  void assign(const std::vector<T>& v) { std::copy(v.begin(), v.end(), p_); }
  std::vector<T> copy() const { return {p_, p_ + n_}; }

 private:
  T* p_ = nullptr;
  int n_;
};

struct Frame {
  std::vector<int> ranges, labels;
};

template <class T>
class BlockingQueue {
 public:
  void push(T v) {
    std::lock_guard<std::mutex> l(m_);
    q_.push_back(std::move(v));
    cv_.notify_one();
  }
  void close() {
    std::lock_guard<std::mutex> l(m_);
    closed_ = true;
    cv_.notify_one();
  }
  std::optional<T> pop() {
    std::unique_lock<std::mutex> l(m_);
    cv_.wait(l, [&] { return closed_ || !q_.empty(); });
    if (q_.empty()) return std::nullopt;
    T v = std::move(q_.front());
    q_.pop_front();
    return v;
  }

 private:
  std::mutex m_;
  std::condition_variable cv_;
  std::deque<T> q_;
  bool closed_ = false;
};

__global__ void project_ranges(const int* ranges, int* height) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kCells) height[i] = ranges[i] / 2;
}

__global__ void raycast_inflate(const int* height, int* inflated, long long cycles) {
  const long long start = clock64();
  while (clock64() - start < cycles) {
  }
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= kCells) return;
  int l = i > 0 ? height[i - 1] : 0, r = i + 1 < kCells ? height[i + 1] : 0;
  inflated[i] = max(height[i], max(l, r));
}

__global__ void weight_labels(const int* labels, int* weight) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kCells) weight[i] = labels[i] == 2 ? 50 : labels[i];
}

__global__ void fuse_layers(const int* inflated, const int* weight, int* cost) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kCells) cost[i] = inflated[i] * 100 + weight[i];
}

class Stage {
 public:
  virtual ~Stage() = default;
  virtual void enqueue(const Event& cycleStart) = 0;
  const Event& ready() const { return ready_; }       // output layer may be consumed
  const Event& finished() const { return finished_; }  // stage is idle

 protected:
  Stream stream_;
  Event ready_, finished_;
};

class LidarStage final : public Stage {
 public:
  LidarStage() : host(kCells), ranges_(kCells), height_(kCells), layer(kCells) {}
  void enqueue(const Event& cycleStart) override {
    cycleStart.block(stream_);
    NAV(cudaMemcpyAsync(ranges_.get(), host.get(), ranges_.bytes(), cudaMemcpyHostToDevice, stream_));
    project_ranges<<<kCells / 256, 256, 0, stream_>>>(ranges_.get(), height_.get());
    NAV(cudaGetLastError());
    ready_.record(stream_);  // HAZARD dependency #ready
    raycast_inflate<<<kCells / 256, 256, 0, stream_>>>(height_.get(), layer.get(), kRaycastCycles);  // HAZARD dependency #ready
    NAV(cudaGetLastError());
    finished_.record(stream_);
  }
  PinnedArray<int> host;

 private:
  Buffer<int> ranges_, height_;

 public:
  Buffer<int> layer;
};

class CameraStage final : public Stage {
 public:
  CameraStage() : host(kCells), labels_(kCells), layer(kCells) {}
  void enqueue(const Event& cycleStart) override {
    cycleStart.block(stream_);
    NAV(cudaMemcpyAsync(labels_.get(), host.get(), labels_.bytes(), cudaMemcpyHostToDevice, stream_));
    weight_labels<<<kCells / 256, 256, 0, stream_>>>(labels_.get(), layer.get());
    NAV(cudaGetLastError());
    ready_.record(stream_);
    finished_.record(stream_);
  }
  PinnedArray<int> host;

 private:
  Buffer<int> labels_;

 public:
  Buffer<int> layer;
};

class CostmapCycle {
 public:
  CostmapCycle() : cost_(kCells), out_(kCells) {
    auto lidar = std::make_unique<LidarStage>();
    auto camera = std::make_unique<CameraStage>();
    lidar_ = lidar.get();
    camera_ = camera.get();
    stages_.push_back(std::move(lidar));
    stages_.push_back(std::move(camera));
    record();
  }
  ~CostmapCycle() { cudaGraphExecDestroy(exec_); }

  std::vector<int> run(const Frame& f) {
    lidar_->host.assign(f.ranges);
    camera_->host.assign(f.labels);
    NAV(cudaGraphLaunch(exec_, main_));
    NAV(cudaStreamSynchronize(main_));
    return out_.copy();
  }

 private:
  void record() {
    cudaGraph_t graph = nullptr;
    NAV(cudaStreamBeginCapture(main_, cudaStreamCaptureModeGlobal));
    start_.record(main_);
    for (auto& s : stages_) s->enqueue(start_);
    for (auto& s : stages_) s->ready().block(main_);
    fuse_layers<<<kCells / 256, 256, 0, main_>>>(lidar_->layer.get(), camera_->layer.get(), cost_.get());  // HAZARD dependency #ready
    NAV(cudaGetLastError());
    NAV(cudaMemcpyAsync(out_.get(), cost_.get(), cost_.bytes(), cudaMemcpyDeviceToHost, main_));
    for (auto& s : stages_) s->finished().block(main_);
    NAV(cudaStreamEndCapture(main_, &graph));
    NAV(cudaGraphInstantiate(&exec_, graph, 0));
    NAV(cudaGraphDestroy(graph));
  }

  Stream main_;
  Event start_;
  std::vector<std::unique_ptr<Stage>> stages_;
  LidarStage* lidar_ = nullptr;
  CameraStage* camera_ = nullptr;
  Buffer<int> cost_;
  PinnedArray<int> out_;
  cudaGraphExec_t exec_ = nullptr;
};

}  // namespace nav

static std::vector<int> hostCost(const nav::Frame& f) {
  std::vector<int> c(nav::kCells);
  auto h = [&](int i) { return i < 0 || i >= nav::kCells ? 0 : f.ranges[i] / 2; };
  for (int i = 0; i < nav::kCells; ++i)
    c[i] = std::max(h(i), std::max(h(i - 1), h(i + 1))) * 100 + (f.labels[i] == 2 ? 50 : f.labels[i]);
  return c;
}

int main() {
  nav::CostmapCycle cycle;
  nav::BlockingQueue<nav::Frame> frames;
  std::thread driver([&] {
    for (int n = 0; n < 5; ++n) {
      nav::Frame f;
      for (int i = 0; i < nav::kCells; ++i) {
        f.ranges.push_back(20 + n * 10 + (i * 7 + n) % 40);
        f.labels.push_back((i + n) % 4);
      }
      frames.push(std::move(f));
    }
    frames.close();
  });
  int good = 0, stale = 0;
  while (auto f = frames.pop()) {
    const bool same = cycle.run(*f) == hostCost(*f);
    good += same;
    stale += !same;
  }
  driver.join();
  std::printf("good=%d stale=%d\n", good, stale);
  std::puts(good == 0 && stale == 5 ? "LABEL CONFIRMED" : "LABEL WRONG");
  return 0;
}
