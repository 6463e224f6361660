// Streaming CT reconstruction: views come from the gantry thread, are filtered and backprojected in two
// reconstruction slots whose recorded pipelines overlap on separate streams.
#include <cuda_runtime.h>
#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstdio>
#include <memory>
#include <mutex>
#include <queue>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace ct {

struct GpuError : std::runtime_error {
  explicit GpuError(cudaError_t e) : std::runtime_error(cudaGetErrorString(e)) {}
};
inline void gpu(cudaError_t e) {
  if (e != cudaSuccess) throw GpuError(e);
}

constexpr int kDetectors = 1024;
constexpr int kVoxels = 2048;
constexpr long long kGeometryCycles = 60'000'000;

struct View {
  int id = -1;
  std::vector<int> counts;
};

class ViewQueue {
 public:
  void push(View v) {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      queue_.push(std::move(v));
    }
    ready_.notify_one();
  }
  View pop() {
    std::unique_lock<std::mutex> lock(mutex_);
    ready_.wait(lock, [this] { return !queue_.empty(); });
    View v = std::move(queue_.front());
    queue_.pop();
    return v;
  }

 private:
  std::mutex mutex_;
  std::condition_variable ready_;
  std::queue<View> queue_;
};

__host__ __device__ inline int rampTap(const int* counts, int d) {
  int left = d > 0 ? counts[d - 1] : 0, right = d + 1 < kDetectors ? counts[d + 1] : 0;
  return 4 * counts[d] - left - right;
}

__global__ void ramp_filter(const int* counts, int* filtered) {
  int d = blockIdx.x * blockDim.x + threadIdx.x;
  if (d < kDetectors) filtered[d] = rampTap(counts, d);
}

__global__ void compute_geometry(int* detectorOf, long long cycles) {
  const long long t0 = clock64();
  while (clock64() - t0 < cycles) {
  }
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v < kVoxels) detectorOf[v] = (v * 5 + 3) % kDetectors;
}

__global__ void backproject(const int* filtered, const int* detectorOf, int* slice) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v < kVoxels) slice[v] = filtered[detectorOf[v]];
}

template <class T>
struct DeviceDeleter {
  void operator()(T* p) const { cudaFree(p); }
};
template <class T>
using DeviceArray = std::unique_ptr<T[], DeviceDeleter<T>>;

template <class T>
DeviceArray<T> makeDevice(size_t n) {
  void* p = nullptr;
  gpu(cudaMalloc(&p, n * sizeof(T)));
  return DeviceArray<T>(static_cast<T*>(p));
}

struct HostDeleter {
  void operator()(int* p) const { cudaFreeHost(p); }
};
using PinnedInts = std::unique_ptr<int[], HostDeleter>;
PinnedInts makePinned(size_t n) {
  int* p = nullptr;
  gpu(cudaMallocHost(&p, n * sizeof(int)));
  return PinnedInts(p);
}

class IStage {
 public:
  virtual ~IStage() = default;
  virtual cudaError_t enqueue(cudaStream_t s) = 0;
};

class FilterStage final : public IStage {
 public:
  FilterStage(const int* host, int* filtered) : host_(host), filtered_(filtered), counts_(makeDevice<int>(kDetectors)) {}
  cudaError_t enqueue(cudaStream_t s) override {
    cudaError_t e = cudaMemcpyAsync(counts_.get(), host_, kDetectors * sizeof(int), cudaMemcpyHostToDevice, s);
    if (e != cudaSuccess) return e;
    ramp_filter<<<kDetectors / 256, 256, 0, s>>>(counts_.get(), filtered_);
    return cudaGetLastError();
  }

 private:
  const int* host_;
  int* filtered_;
  DeviceArray<int> counts_;
};

class BackprojectStage final : public IStage {
 public:
  BackprojectStage(const int* filtered, int* host)
      : filtered_(filtered), host_(host), detectorOf_(makeDevice<int>(kVoxels)), slice_(makeDevice<int>(kVoxels)) {}
  cudaError_t enqueue(cudaStream_t s) override {
    compute_geometry<<<kVoxels / 256, 256, 0, s>>>(detectorOf_.get(), kGeometryCycles);
    backproject<<<kVoxels / 256, 256, 0, s>>>(filtered_, detectorOf_.get(), slice_.get());
    cudaError_t e = cudaGetLastError();
    if (e != cudaSuccess) return e;
    return cudaMemcpyAsync(host_, slice_.get(), kVoxels * sizeof(int), cudaMemcpyDeviceToHost, s);
  }

 private:
  const int* filtered_;
  int* host_;
  DeviceArray<int> detectorOf_, slice_;
};

class ReconSlot {
 public:
  explicit ReconSlot(int* filtered) : counts_(makePinned(kDetectors)), slice_(makePinned(kVoxels)) {
    stages_.push_back(std::make_unique<FilterStage>(counts_.get(), filtered));
    stages_.push_back(std::make_unique<BackprojectStage>(filtered, slice_.get()));
    gpu(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    record();
  }
  ReconSlot(const ReconSlot&) = delete;
  ~ReconSlot() {
    if (exec_) cudaGraphExecDestroy(exec_);
    if (stream_) cudaStreamDestroy(stream_);
  }
  void load(const View& v) {
    current_ = v;
    std::copy(v.counts.begin(), v.counts.end(), counts_.get());
  }
  cudaStream_t stream() const { return stream_; }
  void launch() {
    gpu(cudaGraphLaunch(exec_, stream_));
  }
  bool finish() {
    gpu(cudaStreamSynchronize(stream_));
    for (int v = 0; v < kVoxels; ++v)
      if (slice_[v] != rampTap(current_.counts.data(), (v * 5 + 3) % kDetectors)) return false;
    return true;
  }

 private:
  void record() {
    gpu(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    cudaError_t status = cudaSuccess;
    for (auto& st : stages_)
      if (status == cudaSuccess) status = st->enqueue(stream_);
    cudaGraph_t graph = nullptr;
    const cudaError_t end = cudaStreamEndCapture(stream_, &graph);
    if (status == cudaSuccess) status = end;
    if (status == cudaSuccess) status = cudaGraphInstantiate(&exec_, graph, 0);
    if (graph) cudaGraphDestroy(graph);
    gpu(status);
  }

  PinnedInts counts_, slice_;
  std::vector<std::unique_ptr<IStage>> stages_;
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
  View current_;
};

class Reconstructor {
 public:
  Reconstructor() : filtered_(makeDevice<int>(kDetectors)) {
    gpu(cudaEventCreateWithFlags(&filteredFree_, cudaEventDisableTiming));
    for (auto& s : slots_) s = std::make_unique<ReconSlot>(filtered_.get());
  }
  Reconstructor(const Reconstructor&) = delete;
  ~Reconstructor() {
    for (auto& s : slots_) s.reset();
    cudaEventDestroy(filteredFree_);
  }
  int reconstruct(ViewQueue& views, int total) {
    int good = 0;
    for (int done = 0; done < total; done += int(slots_.size())) {
      for (auto& s : slots_) s->load(views.pop());
      for (auto& s : slots_) submit(*s);
      for (auto& s : slots_) good += s->finish();
    }
    return good;
  }

 private:
  // The filtered view is one buffer for all slots: a slot starts after the one before has consumed it.
  void submit(ReconSlot& slot) {
    gpu(cudaStreamWaitEvent(slot.stream(), filteredFree_, 0));
    slot.launch();
    gpu(cudaEventRecord(filteredFree_, slot.stream()));
  }

  DeviceArray<int> filtered_;
  cudaEvent_t filteredFree_ = nullptr;
  std::array<std::unique_ptr<ReconSlot>, 2> slots_;
};

}  // namespace ct

int main() try {
  constexpr int kViews = 8;
  ct::Reconstructor recon;
  ct::ViewQueue views;
  std::thread gantry([&] {
    for (int id = 0; id < kViews; ++id) {
      ct::View v;
      v.id = id;
      for (int d = 0; d < ct::kDetectors; ++d) v.counts.push_back((d * 17 + id * 101) % 509);
      views.push(std::move(v));
    }
  });
  int good = -1;
  std::string problem;
  try {
    good = recon.reconstruct(views, kViews);
  } catch (const std::exception& e) {
    problem = e.what();
  }
  gantry.join();
  std::printf("good slices %d of %d %s\n", good, kViews, problem.c_str());
  std::puts(good == kViews ? "LABEL CONFIRMED" : "LABEL WRONG");
  return 0;
} catch (const std::exception& e) {
  std::printf("%s\nLABEL WRONG\n", e.what());
  return 1;
}
