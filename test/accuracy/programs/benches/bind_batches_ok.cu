// Inference session over several request queues: bind an input tensor, run, read scores.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

struct CudaError {
  cudaError_t code;
  int line;
};
#define TRY(x) do { cudaError_t c_ = (x); if (c_ != cudaSuccess) throw CudaError{c_, __LINE__}; } while (0)

__global__ void row_score(const float* in, float* out, int rows, int cols) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float s = 0;
  for (int c = 0; c < cols; ++c) s += in[r * cols + c] * float(c + 1);
  out[r] = s;
}

struct Shape {
  int rows = 0, cols = 0;
  bool operator!=(const Shape& o) const { return rows != o.rows || cols != o.cols; }
  int count() const { return rows * cols; }
};

class Tensor {
 public:
  Tensor(Shape s, float base) : shape(s), host(s.count()) {
    for (int i = 0; i < s.count(); ++i) host[i] = base + float(i % 5);
    TRY(cudaMalloc(&data, s.count() * sizeof(float)));
    TRY(cudaMemcpy(data, host.data(), s.count() * sizeof(float), cudaMemcpyHostToDevice));
  }
  Tensor(const Tensor&) = delete;
  ~Tensor() { cudaFree(data); }
  Shape shape;
  float* data = nullptr;
  std::vector<float> host;
};

class Session {
 public:
  Session() {
    TRY(cudaStreamCreate(&stream_));
    TRY(cudaMalloc(&scores_, kMaxRows * sizeof(float)));
  }
  Session(const Session&) = delete;
  ~Session() {
    cudaStreamSynchronize(stream_);
    reset();
    cudaFree(scores_);
    cudaStreamDestroy(stream_);
  }

  void bind(const Tensor& t) {
    if (t.shape != shape_ || t.data != input_) reset();
    shape_ = t.shape;
    input_ = t.data;
  }

  void run() {
    if (!exec_) compile();
    TRY(cudaGraphLaunch(exec_, stream_));
  }

  std::vector<float> scores() {
    std::vector<float> h(shape_.rows);
    TRY(cudaStreamSynchronize(stream_));
    TRY(cudaMemcpy(h.data(), scores_, h.size() * sizeof(float), cudaMemcpyDeviceToHost));
    return h;
  }
  int compiles() const { return compiles_; }

 private:
  static constexpr int kMaxRows = 4096;
  void reset() {
    if (exec_) cudaGraphExecDestroy(exec_);
    exec_ = nullptr;
  }
  void compile() {
    cudaGraph_t g = nullptr;
    TRY(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    row_score<<<(shape_.rows + 63) / 64, 64, 0, stream_>>>(input_, scores_, shape_.rows, shape_.cols);
    TRY(cudaStreamEndCapture(stream_, &g));
    TRY(cudaGraphInstantiate(&exec_, g, 0));
    TRY(cudaGraphDestroy(g));
    ++compiles_;
  }
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
  Shape shape_;
  const float* input_ = nullptr;
  float* scores_ = nullptr;
  int compiles_ = 0;
};

static int wrong_rows(const Tensor& t, const std::vector<float>& got) {
  int bad = 0;
  for (int r = 0; r < t.shape.rows; ++r) {
    float s = 0;
    for (int c = 0; c < t.shape.cols; ++c) s += t.host[r * t.shape.cols + c] * float(c + 1);
    if (std::fabs(s - got[r]) > 1e-2f * std::fabs(s) + 1e-3f) ++bad;
  }
  return bad;
}

int main() {
  int new_shape_bad = 0, same_shape_bad = 0, runs = 0;
  try {
    std::unordered_map<std::string, std::vector<std::unique_ptr<Tensor>>> queues;
    for (int i = 0; i < 4; ++i) {
      queues["short"].push_back(std::make_unique<Tensor>(Shape{128, 8}, 1.f + i));
      queues["long"].push_back(std::make_unique<Tensor>(Shape{1024, 32}, 10.f * (i + 1)));
    }
    std::unordered_map<std::string, std::unique_ptr<Session>> sessions;
    for (auto& q : queues) sessions[q.first] = std::make_unique<Session>();

    std::function<void(Session&, const Tensor&, bool)> serve = [&](Session& s, const Tensor& t, bool first) {
      s.bind(t);
      for (int rep = 0; rep < 3; ++rep) {
        s.run();
        int bad = wrong_rows(t, s.scores());
        (first ? new_shape_bad : same_shape_bad) += bad;
        ++runs;
      }
    };

    for (auto& q : queues)
      for (size_t i = 0; i < q.second.size(); ++i) serve(*sessions[q.first], *q.second[i], i == 0);

    Session mixed;
    for (int round = 0; round < 2; ++round) {
      serve(mixed, *queues["short"][round], true);
      serve(mixed, *queues["long"][round], true);
    }
    for (auto& kv : sessions) std::printf("%s: %d compiles\n", kv.first.c_str(), kv.second->compiles());
    std::printf("mixed: %d compiles, %d runs\n", mixed.compiles(), runs);
  } catch (const CudaError& e) {
    std::printf("line %d: %s\nLABEL UNOBSERVED\n", e.line, cudaGetErrorString(e.code));
    return 1;
  }
  if (new_shape_bad == 0 && same_shape_bad == 0) {
    std::printf("LABEL CONFIRMED\n");
    return 0;
  }
  std::printf("new %d same %d\nLABEL UNOBSERVED\n", new_shape_bad, same_shape_bad);
  return 1;
}
