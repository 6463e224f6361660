// Op programs: a vector of variants is visited into a graph; sessions share the compiled program.
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <cstdio>
#include <string>
#include <utility>
#include <variant>
#include <vector>

constexpr int kDim = 16, kCount = kDim * kDim;

__global__ void smoothKernel(float* scratch, int rounds) {
  float acc = float(threadIdx.x);
  for (int i = 0; i < rounds; ++i) acc = fmaf(acc, 0.999f, 0.5f);
  scratch[threadIdx.x] = acc;
}
__global__ void scaleKernel(const float* in, float* out, float k) { out[threadIdx.x] = in[threadIdx.x] * k; }

struct Smooth { int rounds; };
struct Scale { float k; };
struct MatMul { float diagonal; };
using Op = std::variant<Smooth, Scale, MatMul>;

struct Buffers {
  float *in = nullptr, *out = nullptr, *scratch = nullptr, *weights = nullptr;
  Buffers() { for (float** p : {&in, &out, &scratch, &weights}) cudaMalloc(p, kCount * sizeof(float)); }
  ~Buffers() { for (float* p : {in, out, scratch, weights}) cudaFree(p); }
  Buffers(const Buffers&) = delete;
};

class Blas {
 public:
  explicit Blas(cudaStream_t s) {
    cublasCreate(&handle_);
    cublasSetStream(handle_, s);
    cudaMalloc(&workspace_, kBytes);
    cublasSetWorkspace(handle_, workspace_, kBytes);
  }
  ~Blas() { cublasDestroy(handle_); cudaFree(workspace_); }
  Blas(const Blas&) = delete;
  cublasHandle_t get() const { return handle_; }

 private:
  static constexpr size_t kBytes = size_t(32) << 20;
  cublasHandle_t handle_ = nullptr;
  void* workspace_ = nullptr;
};

struct Recorder {
  Buffers& b;
  cudaStream_t stream;
  cublasHandle_t blas;
  int failures = 0;
  void note(cublasStatus_t s) { failures += s != CUBLAS_STATUS_SUCCESS; }

  void operator()(const Smooth& op) { smoothKernel<<<1, kCount, 0, stream>>>(b.scratch, op.rounds); }
  void operator()(const Scale& op) { scaleKernel<<<1, kCount, 0, stream>>>(b.in, b.out, op.k); }
  void operator()(const MatMul&) {
    const float one = 1.0f, zero = 0.0f;
    note(cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, kDim, kDim, kDim, &one, b.weights, kDim, b.in, kDim, &zero, b.out, kDim));
  }
};

using Compiled = std::variant<cudaGraphExec_t, std::string>;

class Program {
 public:
  explicit Program(std::vector<Op> ops) : ops_(std::move(ops)) {
    cudaEventCreateWithFlags(&turn_, cudaEventDisableTiming);
    std::vector<float> w(kCount, 0.0f);
    for (const Op& op : ops_)
      if (auto* m = std::get_if<MatMul>(&op))
        for (int i = 0; i < kDim; ++i) w[i * kDim + i] = m->diagonal;
    cudaMemcpy(buffers.weights, w.data(), kCount * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(buffers.in, 0, kCount * sizeof(float));
    cudaDeviceSynchronize();
  }
  ~Program() {
    if (exec) cudaGraphExecDestroy(exec);
    cudaEventDestroy(turn_);
  }
  Compiled compile(cudaStream_t s) {
    cudaGraph_t graph = nullptr;
    blas_.emplace<Blas>(s);
    Recorder rec{buffers, s, std::get<Blas>(blas_).get()};
    for (const Op& op : ops_) std::visit(rec, op);
    cudaStreamSynchronize(s);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    for (const Op& op : ops_) std::visit(rec, op);
    cudaError_t rc = cudaStreamEndCapture(s, &graph);
    if (rc == cudaSuccess) rc = cudaGraphInstantiate(&exec, graph, 0);
    if (graph) cudaGraphDestroy(graph);
    cudaGetLastError();
    if (rc != cudaSuccess) return std::string(cudaGetErrorName(rc));
    if (rec.failures) return std::string("cublas");
    return exec;
  }
  cudaEvent_t turn() const { return turn_; }
  Buffers buffers;
  cudaGraphExec_t exec = nullptr;

 private:
  std::vector<Op> ops_;
  std::variant<std::monostate, Blas> blas_;
  cudaEvent_t turn_ = nullptr;
};

class Session {
 public:
  explicit Session(float v) {
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaMallocHost(&in_, kCount * sizeof(float));
    cudaMallocHost(&out_, kCount * sizeof(float));
    for (int i = 0; i < kCount; ++i) in_[i] = v;
  }
  ~Session() { cudaFreeHost(in_); cudaFreeHost(out_); cudaStreamDestroy(stream); }
  void submit(Program& p) {
    cudaStreamWaitEvent(stream, p.turn(), 0);
    cudaMemcpyAsync(p.buffers.in, in_, kCount * sizeof(float), cudaMemcpyHostToDevice, stream);
    cudaGraphLaunch(p.exec, stream);
    cudaMemcpyAsync(out_, p.buffers.out, kCount * sizeof(float), cudaMemcpyDeviceToHost, stream);
    cudaEventRecord(p.turn(), stream);
  }
  float wait() { return cudaStreamSynchronize(stream) == cudaSuccess ? out_[9] : -1.0f; }
  cudaStream_t stream = nullptr;

 private:
  float *in_ = nullptr, *out_ = nullptr;
};

int main() {
  Session left(1.0f), right(10.0f);
  Program tone({Smooth{4000000}, Scale{2.0f}}), mix({MatMul{3.0f}});
  Compiled toneUnit = tone.compile(left.stream), mixUnit = mix.compile(left.stream);
  left.submit(tone);
  right.submit(tone);
  float a = left.wait(), b = right.wait();
  bool base = toneUnit.index() == 0 && b == 20.0f;
  left.submit(mix);
  float c = left.wait();
  right.submit(mix);
  bool hit = base && a == 2.0f && mixUnit.index() == 0 && c == 3.0f && right.wait() == 30.0f;
  std::printf(hit ? "LABEL CONFIRMED\n" : "LABEL REFUTED %g %g units %d %d\n", a, b, int(toneUnit.index()), int(mixUnit.index()));
  return 0;
}
