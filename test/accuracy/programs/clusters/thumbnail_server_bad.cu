// Thumbnail service: one worker thread owns the GPU, clients submit images and wait on futures. There is one graph
// per blur radius, built when the first image with that radius arrives.
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <future>
#include <map>
#include <mutex>
#include <optional>
#include <queue>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

constexpr int kWidth = 512;
constexpr int kThumb = kWidth / 2;

static void expect(cudaError_t e, const char* what) {
  if (e != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(e));
}

__global__ void shrink_row(const float* image, const float* taps, int radius, float* thumb) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  for (int k = -radius; k <= radius; ++k) sum += taps[k + radius] * image[min(max(2 * i + k, 0), kWidth - 1)];
  thumb[i] = sum;
}

std::vector<float> triangle_taps(int radius) {
  std::vector<float> taps(2 * radius + 1);
  for (int k = -radius; k <= radius; ++k) taps[k + radius] = float(radius + 1 - std::abs(k)) / float((radius + 1) * (radius + 1));
  return taps;
}

// Filter taps on the device, uploaded the first time that a radius is asked for.
class FilterBank {
 public:
  ~FilterBank() {
    for (auto& [radius, taps] : taps_) cudaFree(taps);
  }
  const float* taps(int radius, cudaStream_t stream) {
    auto it = taps_.find(radius);
    if (it == taps_.end()) {
      const std::vector<float> host = triangle_taps(radius);
      float* device = nullptr;
      expect(cudaMalloc(&device, host.size() * sizeof(float)), "taps");  // HAZARD lazy_initialization #taps
      const size_t bytes = host.size() * sizeof(float);
      expect(cudaMemcpyAsync(device, host.data(), bytes, cudaMemcpyHostToDevice, stream), "upload taps");  // HAZARD lazy_initialization #taps
      expect(cudaStreamSynchronize(stream), "upload taps");  // HAZARD lazy_initialization #taps
      it = taps_.emplace(radius, device).first;
    }
    return it->second;
  }

 private:
  std::map<int, float*> taps_;
};

class Recording {
 public:
  explicit Recording(cudaStream_t s) : stream_(s) {
    expect(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal), "begin");
  }
  ~Recording() {
    if (!done_) cudaStreamEndCapture(stream_, &graph_);
    if (graph_) cudaGraphDestroy(graph_);
  }
  cudaGraphExec_t finish() {
    done_ = true;
    expect(cudaStreamEndCapture(stream_, &graph_), "end");
    cudaGraphExec_t exec = nullptr;
    expect(cudaGraphInstantiate(&exec, graph_, 0), "instantiate");
    return exec;
  }

 private:
  cudaStream_t stream_;
  cudaGraph_t graph_ = nullptr;
  bool done_ = false;
};

class Renderer {
 public:
  Renderer() {
    expect(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
    expect(cudaMalloc(&image_, kWidth * sizeof(float)), "image");
    expect(cudaMalloc(&thumb_, kThumb * sizeof(float)), "thumb");
  }
  ~Renderer() {
    for (auto& [radius, exec] : plans_) cudaGraphExecDestroy(exec);
    cudaFree(image_);
    cudaFree(thumb_);
    cudaStreamDestroy(stream_);
  }
  std::vector<float> render(const std::vector<float>& image, int radius) {
    cudaGraphExec_t exec = plan(radius);
    std::vector<float> out(kThumb);
    expect(cudaMemcpyAsync(image_, image.data(), kWidth * sizeof(float), cudaMemcpyHostToDevice, stream_), "upload");
    expect(cudaGraphLaunch(exec, stream_), "launch");
    expect(cudaMemcpyAsync(out.data(), thumb_, kThumb * sizeof(float), cudaMemcpyDeviceToHost, stream_), "download");
    expect(cudaStreamSynchronize(stream_), "wait");
    return out;
  }

 private:
  cudaGraphExec_t plan(int radius) {
    if (auto it = plans_.find(radius); it != plans_.end()) return it->second;
    Recording recording(stream_);
    const float* taps = bank_.taps(radius, stream_);  // HAZARD lazy_initialization #taps
    shrink_row<<<kThumb / 64, 64, 0, stream_>>>(image_, taps, radius, thumb_);
    cudaGraphExec_t exec = recording.finish();
    plans_[radius] = exec;
    return exec;
  }

  cudaStream_t stream_ = nullptr;
  float* image_ = nullptr;
  float* thumb_ = nullptr;
  FilterBank bank_;
  std::map<int, cudaGraphExec_t> plans_;
};

struct Job {
  std::vector<float> image;
  int radius = 0;
  std::promise<std::vector<float>> done;
};

class ThumbnailServer {
 public:
  ThumbnailServer() : worker_([this] { serve(); }) {}
  ~ThumbnailServer() {
    {
      std::lock_guard lock(mutex_);
      closing_ = true;
    }
    wake_.notify_one();
    worker_.join();
  }
  std::future<std::vector<float>> submit(std::vector<float> image, int radius) {
    Job job{std::move(image), radius, {}};
    auto future = job.done.get_future();
    {
      std::lock_guard lock(mutex_);
      jobs_.push(std::move(job));
    }
    wake_.notify_one();
    return future;
  }

 private:
  void serve() {
    std::optional<Renderer> renderer;  // created on the worker, at the first job
    for (;;) {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return closing_ || !jobs_.empty(); });
      if (jobs_.empty()) return;
      Job job = std::move(jobs_.front());
      jobs_.pop();
      lock.unlock();
      try {
        if (!renderer) renderer.emplace();
        job.done.set_value(renderer->render(job.image, job.radius));
      } catch (...) {
        job.done.set_exception(std::current_exception());
      }
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::queue<Job> jobs_;
  bool closing_ = false;
  std::thread worker_;
};

int main() {
  const std::vector<int> radii{1, 3, 1, 2, 3, 3, 2, 1};
  bool good = true;
  ThumbnailServer server;
  std::vector<std::pair<std::vector<float>, std::future<std::vector<float>>>> pending;
  for (size_t j = 0; j < radii.size(); ++j) {
    std::vector<float> image(kWidth);
    for (int i = 0; i < kWidth; ++i) image[i] = float((i * (j + 3)) % 101);
    auto result = server.submit(image, radii[j]);
    pending.emplace_back(std::move(image), std::move(result));
  }
  for (size_t j = 0; j < pending.size(); ++j) {
    auto& [image, result] = pending[j];
    try {
      const std::vector<float> thumb = result.get();
      const std::vector<float> taps = triangle_taps(radii[j]);
      for (int i = 0; i < kThumb; ++i) {
        float sum = 0.0f;
        for (int k = -radii[j]; k <= radii[j]; ++k)
          sum += taps[k + radii[j]] * image[std::min(std::max(2 * i + k, 0), kWidth - 1)];
        good = good && std::fabs(sum - thumb[i]) < 1e-2f;
      }
    } catch (const std::exception& e) {
      std::fprintf(stderr, "image %zu: %s\n", j, e.what());
      good = false;
    }
  }
  std::puts(good ? "LABEL UNOBSERVED" : "LABEL CONFIRMED");
  return 0;
}
