// Ultrasound scan converter: GPU work is owned by an executor thread, the UI thread drives it.
#include <cuda_runtime.h>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <future>
#include <mutex>
#include <queue>
#include <thread>

class GpuExecutor {
 public:
  GpuExecutor() : worker_([this] { loop(); }) {}
  ~GpuExecutor() {
    post([this] {
      quit_ = true;
      return cudaSuccess;
    }).wait();
    worker_.join();
  }
  std::future<cudaError_t> post(std::function<cudaError_t()> job) {
    std::packaged_task<cudaError_t()> task(std::move(job));
    auto result = task.get_future();
    {
      std::lock_guard<std::mutex> lock(mutex_);
      jobs_.push(std::move(task));
    }
    ready_.notify_one();
    return result;
  }

 private:
  void loop() {
    while (!quit_) {
      std::unique_lock<std::mutex> lock(mutex_);
      ready_.wait(lock, [this] { return !jobs_.empty(); });
      auto task = std::move(jobs_.front());
      jobs_.pop();
      lock.unlock();
      task();
    }
  }
  std::mutex mutex_;
  std::condition_variable ready_;
  std::queue<std::packaged_task<cudaError_t()>> jobs_;
  bool quit_ = false;
  std::thread worker_;
};

constexpr int kPixels = 64 * 1024;

__global__ void scanConvert(uint8_t* image, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) image[i] += 10;
}

class View {
 public:
  explicit View(GpuExecutor& executor) : executor_(executor) {
    cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking);
    cudaMalloc(&image_, kPixels);
    cudaMemset(image_, 0, kPixels);
    cudaDeviceSynchronize();
  }
  ~View() {
    if (convert_) cudaGraphExecDestroy(convert_);
    if (clear_) cudaGraphExecDestroy(clear_);
    cudaFree(image_);
    cudaStreamDestroy(stream_);
  }

  cudaError_t startRecording() {
    return executor_
        .post([this] {
          cudaError_t rc = cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal);  // HAZARD capture_scope #thread
          if (rc == cudaSuccess) scanConvert<<<kPixels / 256, 256, 0, stream_>>>(image_, kPixels);
          return rc;
        })
        .get();
  }

  cudaError_t finishRecording() {
    cudaGraph_t graph = nullptr;
    cudaError_t rc = cudaStreamEndCapture(stream_, &graph);  // HAZARD capture_scope #thread
    if (rc == cudaSuccess) rc = cudaGraphInstantiate(&convert_, graph, 0);
    if (graph) cudaGraphDestroy(graph);
    return rc;
  }

  cudaError_t abandonRecording() {
    return executor_
        .post([this] {
          cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
          cudaStreamIsCapturing(stream_, &status);
          if (status == cudaStreamCaptureStatusNone) return cudaSuccess;
          cudaGraph_t graph = nullptr;
          cudaStreamEndCapture(stream_, &graph);
          if (graph) cudaGraphDestroy(graph);
          return cudaGetLastError();
        })
        .get();
  }

  cudaError_t recordClear() {
    return executor_
        .post([this] {
          cudaGraph_t graph = nullptr;
          cudaError_t rc = cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal);
          if (rc != cudaSuccess) return rc;
          cudaMemsetAsync(image_, background_, kPixels, stream_);  // HAZARD frozen
          if ((rc = cudaStreamEndCapture(stream_, &graph)) != cudaSuccess) return rc;
          rc = cudaGraphInstantiate(&clear_, graph, 0);
          cudaGraphDestroy(graph);
          return rc;
        })
        .get();
  }

  void setBackground(uint8_t level) { background_ = level; }

  cudaError_t showClear() { return run(clear_); }
  cudaError_t showImage() { return convert_ ? run(convert_) : cudaErrorNotReady; }
  int pixel() const {
    uint8_t v = 0;
    cudaMemcpy(&v, image_ + 77, 1, cudaMemcpyDeviceToHost);
    return v;
  }

 private:
  cudaError_t run(cudaGraphExec_t exec) {
    cudaError_t rc = cudaGraphLaunch(exec, stream_);
    return rc == cudaSuccess ? cudaStreamSynchronize(stream_) : rc;
  }
  GpuExecutor& executor_;
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t convert_ = nullptr, clear_ = nullptr;
  uint8_t* image_ = nullptr;
  uint8_t background_ = 20;
};

int main() {
  GpuExecutor executor;
  View view(executor);
  const cudaError_t started = view.startRecording(), finished = view.finishRecording();
  view.abandonRecording();
  cudaGetLastError();
  const cudaError_t clearReady = view.recordClear();
  cudaError_t shown = view.showClear();
  const int before = view.pixel();
  view.setBackground(60);
  if (shown == cudaSuccess) shown = view.showClear();
  const int after = view.pixel();
  const cudaError_t image = view.showImage();
  std::printf("finish %s, clear %d -> %d, final %d\n", cudaGetErrorName(finished), before, after, view.pixel());
  const bool common = started == cudaSuccess && clearReady == cudaSuccess && shown == cudaSuccess && before == 20;
  const bool agreed = common && finished == cudaErrorStreamCaptureWrongThread && after == 20 && image == cudaErrorNotReady;
  std::puts(agreed ? "LABEL CONFIRMED" : "LABEL REFUTED");
}
