// Benchmark of elementwise pipelines as graphs: each workload is captured, loaded into the bench's
// executable graph (updated in place when possible), timed and checked.
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <string>
#include <vector>

struct BenchOptions {
  size_t elements = 1 << 18;
  int threads = 256;
  int warmup = 2;
  int repetitions = 15;
  float tolerance = 1e-4f;
};

struct Statistics {
  double mean = 0, median = 0, deviation = 0, fastest = 0;
  static Statistics of(std::vector<float> samples) {
    Statistics s;
    if (samples.empty()) return s;
    std::sort(samples.begin(), samples.end());
    s.fastest = samples.front();
    s.median = samples[samples.size() / 2];
    s.mean = std::accumulate(samples.begin(), samples.end(), 0.0) / samples.size();
    for (float x : samples) s.deviation += (x - s.mean) * (x - s.mean);
    s.deviation = std::sqrt(s.deviation / samples.size());
    return s;
  }
};

enum class Op { Axpy, Square, Halve };

struct Workload {
  std::string name;
  std::vector<Op> ops;
  float alpha;
};

__global__ void axpyKernel(const float* x, float* y, float a, size_t n) {
  size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
  if (i < n) y[i] = a * x[i] + 1.0f;
}
__global__ void squareKernel(float* y, size_t n) {
  size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
  if (i < n) y[i] = y[i] * y[i];
}
__global__ void halveKernel(float* y, size_t n) {
  size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
  if (i < n) y[i] *= 0.5f;
}

class PipelineBench {
 public:
  explicit PipelineBench(const BenchOptions& opt) : opt_(opt), host_(opt.elements) {
    const size_t bytes = opt_.elements * sizeof(float);
    for (size_t i = 0; i < host_.size(); ++i) host_[i] = 0.5f + float(i % 1000) * 0.001f;
    note(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
    note(cudaEventCreate(&begin_), "event");
    note(cudaEventCreate(&end_), "event");
    note(cudaMalloc(&x_, bytes), "malloc x");
    note(cudaMalloc(&y_, bytes), "malloc y");
    note(cudaMemcpy(x_, host_.data(), bytes, cudaMemcpyHostToDevice), "upload");
    note(cudaDeviceSynchronize(), "upload");
  }
  ~PipelineBench() {
    if (exec_) cudaGraphExecDestroy(exec_);
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
    cudaStreamDestroy(stream_);
    cudaFree(x_);
    cudaFree(y_);
  }

  bool load(const Workload& w) {
    cudaGraph_t graph = nullptr;
    if (!note(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "begin capture")) return false;
    for (Op op : w.ops) enqueue(op, w.alpha);
    if (!note(cudaStreamEndCapture(stream_, &graph), "end capture")) return false;
    bool loaded = true;
    if (exec_) {
      cudaGraphExecUpdateResultInfo info{};
      if (cudaGraphExecUpdate(exec_, graph, &info) != cudaSuccess) {
        cudaGetLastError();  // topology changed: expected here, start over with a new executable graph
        std::printf("[%s] in-place update not possible (%d), instantiating\n", w.name.c_str(), int(info.result));
        note(cudaGraphExecDestroy(exec_), "exec destroy");
        exec_ = nullptr;
        loaded = note(cudaGraphInstantiate(&exec_, graph, 0), "instantiate");
      }
    } else {
      loaded = note(cudaGraphInstantiate(&exec_, graph, 0), "instantiate");
    }
    note(cudaGraphDestroy(graph), "graph destroy");
    return loaded;
  }

  bool measure(Statistics* stats) {
    std::vector<float> samples;
    for (int r = -opt_.warmup; r < opt_.repetitions; ++r) {
      float ms = 0.0f;
      bool ok = note(cudaEventRecord(begin_, stream_), "record") && note(cudaGraphLaunch(exec_, stream_), "launch") &&
                note(cudaEventRecord(end_, stream_), "record") && note(cudaEventSynchronize(end_), "wait") &&
                note(cudaEventElapsedTime(&ms, begin_, end_), "elapsed");
      if (!ok) return false;
      if (r >= 0) samples.push_back(ms * 1000.0f);
    }
    *stats = Statistics::of(std::move(samples));
    return true;
  }

  size_t countWrong(const Workload& w) {
    std::vector<float> got(opt_.elements);
    if (!note(cudaMemcpy(got.data(), y_, got.size() * sizeof(float), cudaMemcpyDeviceToHost), "download"))
      return got.size();
    size_t wrong = 0;
    for (size_t i = 0; i < got.size(); ++i) {
      double y = 0.0;
      for (Op op : w.ops) {
        if (op == Op::Axpy) y = double(w.alpha) * host_[i] + 1.0;
        if (op == Op::Square) y = y * y;
        if (op == Op::Halve) y *= 0.5;
      }
      if (std::fabs(got[i] - y) > opt_.tolerance * (1.0 + std::fabs(y))) ++wrong;
    }
    return wrong;
  }
  int errors() const { return errors_; }

 private:
  void enqueue(Op op, float alpha) {
    const size_t n = opt_.elements;
    const unsigned blocks = unsigned((n + opt_.threads - 1) / opt_.threads);
    switch (op) {
      case Op::Axpy: axpyKernel<<<blocks, opt_.threads, 0, stream_>>>(x_, y_, alpha, n); break;
      case Op::Square: squareKernel<<<blocks, opt_.threads, 0, stream_>>>(y_, n); break;
      case Op::Halve: halveKernel<<<blocks, opt_.threads, 0, stream_>>>(y_, n); break;
    }
  }
  bool note(cudaError_t e, const char* what) {
    if (e == cudaSuccess) return true;
    std::printf("bench: %s: %s\n", what, cudaGetErrorString(e));
    ++errors_;
    return false;
  }

  BenchOptions opt_;
  std::vector<float> host_;
  cudaStream_t stream_ = nullptr;
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
  float *x_ = nullptr, *y_ = nullptr;
  int errors_ = 0;
};

int main() {
  const std::vector<Workload> workloads = {
      {"axpy", {Op::Axpy}, 2.0f},
      {"axpy, steeper", {Op::Axpy}, 5.0f},
      {"axpy+square", {Op::Axpy, Op::Square}, 3.0f},
      {"axpy+square+halve", {Op::Axpy, Op::Square, Op::Halve}, 3.0f},
      {"axpy, flat", {Op::Axpy}, 0.25f},
  };
  size_t wrong = 0;
  int errors = 0;
  size_t finished = 0;
  {
    PipelineBench bench{BenchOptions{}};
    for (const Workload& w : workloads) {
      Statistics s;
      if (!bench.load(w) || !bench.measure(&s)) break;
      ++finished;
      const size_t off = bench.countWrong(w);
      wrong += off;
      std::printf("%-20s median %7.2f us mean %7.2f +- %.2f fastest %7.2f wrong %zu\n", w.name.c_str(), s.median, s.mean,
                  s.deviation, s.fastest, off);
    }
    errors = bench.errors();
  }
  std::puts(finished == workloads.size() && wrong == 0 && errors == 0 ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
  return 0;
}
