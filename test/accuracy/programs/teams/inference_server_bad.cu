// Small scoring server: one dense layer stack, one graph per batch size.
#include <cuda_runtime.h>

#include <cstdio>
#include <functional>
#include <unordered_map>
#include <vector>

struct [[nodiscard]] Outcome {
  cudaError_t code = cudaSuccess;
  explicit operator bool() const { return code == cudaSuccess; }
};

struct Tensor {
  float* data;
  int rows, cols;
};

__global__ void denseForward(const float* x, const float* w, float* y, int batch, int dim) {
  int b = blockIdx.x, o = threadIdx.x;
  float acc = 0.f;
  for (int k = 0; k < dim; ++k) acc += x[b * dim + k] * w[k * dim + o];
  y[b * dim + o] = acc;
}

class DenseLayer {
 public:
  DenseLayer(int dim, float scale) : dim_(dim), scale_(scale) {}
  ~DenseLayer() { cudaFree(weights_); }

  Outcome forward(Tensor in, Tensor out, cudaStream_t stream) {
    if (!weights_) {
      if (Outcome o = materialize(); !o) return o;
    }
    denseForward<<<in.rows, dim_, 0, stream>>>(in.data, weights_, out.data, in.rows, dim_);
    return {cudaGetLastError()};
  }

 private:
  Outcome materialize() {
    std::vector<float> identity(dim_ * dim_, 0.f);
    for (int i = 0; i < dim_; ++i) identity[i * dim_ + i] = scale_;
    float* fresh = nullptr;
    cudaError_t rc = cudaMalloc(&fresh, identity.size() * sizeof(float));  // HAZARD lazy_initialization #weights
    if (rc != cudaSuccess) return {rc};
    rc = cudaMemcpy(fresh, identity.data(), identity.size() * sizeof(float), cudaMemcpyHostToDevice);  // HAZARD lazy_initialization #weights
    if (rc == cudaSuccess) rc = cudaDeviceSynchronize();  // HAZARD lazy_initialization #weights
    weights_ = fresh;
    return {rc};
  }

  int dim_;
  float scale_;
  float* weights_ = nullptr;
};

class ScoringServer {
 public:
  using TraceFn = std::function<void(const char*, int)>;
  static constexpr int kDim = 64, kMaxBatch = 32;

  ScoringServer() : first_(kDim, 2.f), second_(kDim, 3.f) {
    cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking);
    for (float** p : {&in_, &mid_, &out_}) cudaMalloc(p, kDim * kMaxBatch * sizeof(float));
    cudaMallocHost(&staging_, kDim * kMaxBatch * sizeof(float));
  }
  ~ScoringServer() {
    for (auto& kv : graphs_) cudaGraphExecDestroy(kv.second);
    for (float* p : {in_, mid_, out_}) cudaFree(p);
    cudaFreeHost(staging_);
    cudaStreamDestroy(stream_);
  }

  void setTrace(TraceFn fn) { trace_ = std::move(fn); }

  Outcome warm(int batch) {
    Outcome o = network(batch);
    return o ? Outcome{cudaStreamSynchronize(stream_)} : o;
  }

  Outcome infer(int batch, float value, float* firstScore) {
    for (int i = 0; i < batch * kDim; ++i) staging_[i] = value;
    cudaMemcpyAsync(in_, staging_, batch * kDim * sizeof(float), cudaMemcpyHostToDevice, stream_);
    auto it = graphs_.find(batch);
    if (it == graphs_.end()) {
      cudaGraphExec_t exec = nullptr;
      if (Outcome o = capture(batch, &exec); !o) return o;
      it = graphs_.emplace(batch, exec).first;
    }
    if (cudaError_t rc = cudaGraphLaunch(it->second, stream_); rc != cudaSuccess) return {rc};
    cudaMemcpyAsync(firstScore, out_, sizeof(float), cudaMemcpyDeviceToHost, stream_);
    Outcome done{cudaStreamSynchronize(stream_)};
    if (trace_) trace_("network", batch);
    return done;
  }

 private:
  Outcome network(int batch) {
    Tensor x{in_, batch, kDim}, h{mid_, batch, kDim}, y{out_, batch, kDim};
    if (Outcome o = first_.forward(x, h, stream_); !o) return o;
    if (trace_) {
      cudaError_t rc = cudaStreamSynchronize(stream_);  // HAZARD sync_call
      if (rc != cudaSuccess) return {rc};
    }
    return second_.forward(h, y, stream_);
  }

  Outcome capture(int batch, cudaGraphExec_t* exec) {
    cudaError_t rc = cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal);
    if (rc != cudaSuccess) return {rc};
    Outcome body = network(batch);
    cudaGraph_t graph = nullptr;
    rc = cudaStreamEndCapture(stream_, &graph);
    if (!body || rc != cudaSuccess) {
      if (graph) cudaGraphDestroy(graph);
      cudaGetLastError();
      return body ? Outcome{rc} : body;
    }
    rc = cudaGraphInstantiate(exec, graph, 0);
    cudaGraphDestroy(graph);
    return {rc};
  }

  DenseLayer first_, second_;
  TraceFn trace_;
  cudaStream_t stream_ = nullptr;
  float *in_ = nullptr, *mid_ = nullptr, *out_ = nullptr, *staging_ = nullptr;
  std::unordered_map<int, cudaGraphExec_t> graphs_;
};

int main() {
  ScoringServer server;
  float score = 0.f;
  int traced = 0;
  Outcome cold = server.infer(4, 1.f, &score);
  Outcome warmed = server.warm(8);
  server.setTrace([&traced](const char*, int) { ++traced; });
  float traceScore = 0.f;
  Outcome withTrace = server.infer(8, 1.5f, &traceScore);
  for (int i = 0; i < 2 && withTrace; ++i) withTrace = server.infer(8, 1.f, &traceScore);
  std::printf("cold %s, traced %s, scores %.1f %.1f\n", cudaGetErrorName(cold.code), cudaGetErrorName(withTrace.code), score,
              traceScore);
  const bool observed = warmed && cold.code == cudaErrorStreamCaptureUnsupported &&
                        withTrace.code == cudaErrorStreamCaptureUnsupported;
  std::puts(observed ? "LABEL CONFIRMED" : "LABEL REFUTED");
}
