#include <cuda_runtime.h>
#include <cstdio>
#include <map>
#include <memory>
#include <stdexcept>
#include <vector>

#define CU(x) \
  if (cudaError_t err_ = (x); err_ != cudaSuccess) throw std::runtime_error(cudaGetErrorString(err_))

class CachingAllocator {
 public:
  static CachingAllocator& instance() { static CachingAllocator a; return a; }
  float* take(size_t n) {
    if (auto it = idle_.find(n); it != idle_.end()) return idle_.extract(it).mapped();
    float* p = nullptr;
    CU(cudaMalloc(&p, n * sizeof(float)));
    return p;
  }
  void give(float* p, size_t n) { idle_.emplace(n, p); }
 private:
  std::multimap<size_t, float*> idle_;
};

struct Storage {
  float* data;
  size_t n;
  explicit Storage(size_t count) : data(CachingAllocator::instance().take(count)), n(count) {}
  Storage(const Storage&) = delete;
  ~Storage() { CachingAllocator::instance().give(data, n); }
};

struct Tensor {
  std::shared_ptr<Storage> storage;
  int rows = 0, cols = 0;
  static Tensor empty(int r, int c) { return {std::make_shared<Storage>(size_t(r) * c), r, c}; }
  float* data() const { return storage->data; }
  int numel() const { return rows * cols; }
};

__global__ void mul_kernel(const float* x, float* y, float w, int n) {
  if (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n) y[i] = x[i] * w;
}
__global__ void add_kernel(const float* x, float* y, float b, int n) {
  if (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n) y[i] = x[i] + b;
}

struct Module {
  virtual ~Module() = default;
  virtual void forward(const Tensor& in, Tensor& out, cudaStream_t s) = 0;
};
struct Scale : Module {
  const float w;
  explicit Scale(float weight) : w(weight) {}
  void forward(const Tensor& in, Tensor& out, cudaStream_t s) override {
    mul_kernel<<<(in.numel() + 255) / 256, 256, 0, s>>>(in.data(), out.data(), w, in.numel());  // HAZARD dangling #hidden
  }
};
struct Bias : Module {
  const float b;
  explicit Bias(float bias) : b(bias) {}
  void forward(const Tensor& in, Tensor& out, cudaStream_t s) override {
    add_kernel<<<(in.numel() + 255) / 256, 256, 0, s>>>(in.data(), out.data(), b, in.numel());  // HAZARD dangling #hidden
  }
};

struct Sequential {
  std::vector<std::unique_ptr<Module>> layers;
  void forward(const Tensor& x, Tensor& y, cudaStream_t s) {
    Tensor cur = x;
    for (size_t i = 0; i + 1 < layers.size(); ++i) {
      Tensor next = Tensor::empty(cur.rows, cur.cols);
      layers[i]->forward(cur, next, s);
      cur = next;
    }
    layers.back()->forward(cur, y, s);
  }
};

class Runner {
 public:
  Runner(Sequential& net, int max_rows, int cols)
      : net_(net), x_(Tensor::empty(max_rows, cols)), y_(Tensor::empty(max_rows, cols)) {
    CU(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    CU(cudaMallocHost(&result_, x_.numel() * sizeof(float)));
    for (int i = 0; i < x_.numel(); ++i) result_[i] = -1.0f;
    CU(cudaMemsetAsync(x_.data(), 0, x_.numel() * sizeof(float), stream_));
  }
  ~Runner() {
    if (exec_) cudaGraphExecDestroy(exec_);
    cudaFreeHost(result_);
    cudaStreamDestroy(stream_);
  }
  const float* run(const std::vector<float>& batch, int rows) {
    CU(cudaMemcpyAsync(x_.data(), batch.data(), batch.size() * sizeof(float), cudaMemcpyHostToDevice, stream_));
    if (!exec_) {
      net_.forward(x_, y_, stream_);
      CU(cudaStreamSynchronize(stream_));
      exec_ = capture(rows);
    }
    CU(cudaGraphLaunch(exec_, stream_));
    CU(cudaStreamSynchronize(stream_));
    return result_;
  }
 private:
  cudaGraphExec_t capture(int rows) {
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    CU(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    net_.forward(x_, y_, stream_);
    cudaError_t copied = cudaMemcpyAsync(result_, y_.data(), sizeof(float) * rows * y_.cols, cudaMemcpyDeviceToHost, stream_);  // HAZARD dynamic_shape
    CU(cudaStreamEndCapture(stream_, &graph));
    CU(copied);
    CU(cudaGraphInstantiate(&exec, graph, 0));
    CU(cudaGraphDestroy(graph));
    return exec;
  }
  Sequential& net_;
  Tensor x_, y_;
  cudaStream_t stream_ = nullptr;
  float* result_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
};

int main() {
  const int cols = 64, max_rows = 32;
  Sequential net;
  for (Module* m : {(Module*)new Scale(2.0f), (Module*)new Bias(1.0f), (Module*)new Scale(3.0f)}) net.layers.emplace_back(m);
  Runner runner(net, max_rows, cols);
  const float* out = runner.run(std::vector<float>(4 * cols, 1.0f), 4);
  bool first = out[0] == 9.0f && out[4 * cols - 1] == 9.0f;
  Tensor stats = Tensor::empty(max_rows, cols);
  std::vector<float> host(stats.numel(), 7.0f);
  CU(cudaMemcpy(stats.data(), host.data(), host.size() * sizeof(float), cudaMemcpyHostToDevice));
  CU(cudaDeviceSynchronize());
  out = runner.run(std::vector<float>(16 * cols, 2.0f), 16);
  bool head = out[0] == 15.0f, tail = out[16 * cols - 1] == 15.0f;
  CU(cudaMemcpy(host.data(), stats.data(), host.size() * sizeof(float), cudaMemcpyDeviceToHost));
  bool stats_kept = host[0] == 7.0f;
  if (first && head && !tail && !stats_kept) std::printf("LABEL CONFIRMED\n");
  else std::printf("LABEL REFUTED first %d head %d tail %d stats %d\n", first, head, tail, stats_kept);
  return 0;
}
