// Model server: weights arrive from a loader thread through a bounded channel while the layers are recorded.
#include <cuda_runtime.h>

#include <condition_variable>
#include <cstdio>
#include <deque>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>
#include <vector>

namespace host {

struct Weights {
  float* data = nullptr;
  cudaError_t rc = cudaSuccess;
};

template <class T>
class Channel {
 public:
  explicit Channel(std::size_t bound) : bound_(bound) {}
  void send(T item) {
    std::unique_lock<std::mutex> lock(m_);
    room_.wait(lock, [this] { return items_.size() < bound_; });
    items_.push_back(std::move(item));
    filled_.notify_one();
  }
  T receive() {
    std::unique_lock<std::mutex> lock(m_);
    filled_.wait(lock, [this] { return !items_.empty(); });
    T item = std::move(items_.front());
    items_.pop_front();
    room_.notify_one();
    return item;
  }

 private:
  std::size_t bound_;
  std::mutex m_;
  std::condition_variable room_, filled_;
  std::deque<T> items_;
};

constexpr int kWidth = 512;

__global__ void scale(float* x, const float* w) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i] *= w[i];
}

class Loader {
 public:
  Loader(int layers, Channel<Weights>& out) : thread_([layers, &out] { work(layers, out); }) {}
  ~Loader() { thread_.join(); }

 private:
  static Weights load(int layer, cudaStream_t copy) {
    const std::vector<float> values(kWidth, layer % 2 ? 0.5f : 4.0f);
    Weights w;
    w.rc = cudaMalloc(&w.data, kWidth * sizeof(float));
    if (w.rc == cudaSuccess)
      w.rc = cudaMemcpyAsync(w.data, values.data(), kWidth * sizeof(float), cudaMemcpyHostToDevice, copy);
    if (w.rc == cudaSuccess) w.rc = cudaStreamSynchronize(copy);
    return w;
  }
  static void work(int layers, Channel<Weights>& out) {
    cudaStream_t copy = nullptr;
    cudaStreamCreateWithFlags(&copy, cudaStreamNonBlocking);
    for (int l = 0; l < layers; ++l) out.send(load(l, copy));
    cudaStreamDestroy(copy);
  }
  std::thread thread_;
};

class Model {
 public:
  Model() {
    ensure(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    ensure(cudaMalloc(&x_, kWidth * sizeof(float)));
  }
  ~Model() {
    if (exec_) cudaGraphExecDestroy(exec_);
    for (float* w : weights_) cudaFree(w);
    cudaFree(x_);
    cudaStreamDestroy(stream_);
  }
  bool build(int layers) {
    Channel<Weights> channel(1);
    ensure(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    bool loaded = true;
    {
      Loader loader(layers, channel);
      for (int l = 0; l < layers; ++l) {
        const Weights w = channel.receive();
        loaded = loaded && w.rc == cudaSuccess;
        if (w.rc != cudaSuccess) continue;
        weights_.push_back(w.data);
        scale<<<kWidth / 128, 128, 0, stream_>>>(x_, w.data);
      }
    }
    cudaGraph_t graph = nullptr;
    const cudaError_t ended = cudaStreamEndCapture(stream_, &graph);
    if (!loaded || ended != cudaSuccess) {
      if (graph) cudaGraphDestroy(graph);
      cudaGetLastError();
      return false;
    }
    ensure(cudaGraphInstantiate(&exec_, graph, 0));
    ensure(cudaGraphDestroy(graph));
    return true;
  }
  float run(float in) {
    const std::vector<float> x(kWidth, in);
    float out = 0.0f;
    ensure(cudaMemcpyAsync(x_, x.data(), kWidth * sizeof(float), cudaMemcpyHostToDevice, stream_));
    ensure(cudaGraphLaunch(exec_, stream_));
    ensure(cudaMemcpyAsync(&out, x_ + 5, sizeof out, cudaMemcpyDeviceToHost, stream_));
    ensure(cudaStreamSynchronize(stream_));
    return out;
  }

 private:
  static void ensure(cudaError_t rc) {
    if (rc != cudaSuccess) throw std::runtime_error(cudaGetErrorString(rc));
  }
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
  float* x_ = nullptr;
  std::vector<float*> weights_;
};

}  // namespace host

int main() {
  try {
    host::Model model;
    const bool built = model.build(4);
    const bool right = built && model.run(1.0f) == 4.0f && model.run(3.0f) == 12.0f;
    std::puts(right ? "LABEL CONFIRMED" : "LABEL REFUTED");
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    std::puts("LABEL REFUTED");
  }
  return 0;
}
