// matrix-free-ish DG operator: every element applies one of a few reference matrices (by shape class),
// gathered with a batched GEMM over pointer arrays. Richardson iteration on top.
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

inline void throw_if(int rc, const char* what) {
  if (rc) throw std::runtime_error(std::string(what) + " failed, code " + std::to_string(rc));
}
#define TRY(x) throw_if((int)(x), #x)

constexpr int kLoc = 20, kVars = 4, kClasses = 3;

struct Operator {
  virtual ~Operator() = default;
  virtual void apply(const double* x, double* y) = 0;
};

class ElementOperator : public Operator {
  cublasHandle_t blas_;
  cudaStream_t stream_;
  int ne_;
  double* ref_ = nullptr;       // kClasses dense blocks
  double** d_ptrs_ = nullptr;   // A | x | y
  std::vector<int> shape_;

  std::vector<double*> element_pointers(const double* x, double* y) const {
    std::vector<double*> p(3 * ne_);
    for (int e = 0; e < ne_; ++e) {
      p[e] = ref_ + shape_[e] * kLoc * kLoc;
      p[ne_ + e] = const_cast<double*>(x) + e * kLoc * kVars;
      p[2 * ne_ + e] = y + e * kLoc * kVars;
    }
    return p;
  }

 public:
  ElementOperator(cublasHandle_t blas, cudaStream_t s, int ne) : blas_(blas), stream_(s), ne_(ne), shape_(ne) {
    std::vector<double> a(kClasses * kLoc * kLoc);
    for (size_t i = 0; i < a.size(); ++i) a[i] = 0.02 * std::sin(0.7 * i) + ((i % (kLoc * kLoc)) % (kLoc + 1) == 0);
    for (int e = 0; e < ne_; ++e) shape_[e] = (e * e + 1) % kClasses;
    TRY(cudaMalloc(&ref_, a.size() * sizeof(double)));
    TRY(cudaMalloc(&d_ptrs_, 3 * ne_ * sizeof(double*)));
    TRY(cudaMemcpyAsync(ref_, a.data(), a.size() * sizeof(double), cudaMemcpyHostToDevice, stream_));
    TRY(cudaStreamSynchronize(stream_));
  }
  ~ElementOperator() override {
    cudaFree(ref_);
    cudaFree(d_ptrs_);
  }
  ElementOperator(const ElementOperator&) = delete;

  void apply(const double* x, double* y) override {
    const double one = 1.0, zero = 0.0;
    const auto ptrs = element_pointers(x, y);
    TRY(cudaMemcpyAsync(d_ptrs_, ptrs.data(), ptrs.size() * sizeof(double*), cudaMemcpyHostToDevice, stream_));  // HAZARD dangling
    TRY(cublasDgemmBatched(blas_, CUBLAS_OP_N, CUBLAS_OP_N, kLoc, kVars, kLoc, &one, d_ptrs_, kLoc, d_ptrs_ + ne_,
                           kLoc, &zero, d_ptrs_ + 2 * ne_, kLoc, ne_));
  }
};

// decorator: same interface, replays the wrapped operator
class GraphedOperator : public Operator {
  Operator& inner_;
  cudaStream_t stream_;
  std::map<std::pair<const double*, double*>, cudaGraphExec_t> cache_;

 public:
  GraphedOperator(Operator& inner, cudaStream_t s) : inner_(inner), stream_(s) {}
  ~GraphedOperator() override {
    cudaStreamSynchronize(stream_);
    for (auto& c : cache_) cudaGraphExecDestroy(c.second);
  }
  void apply(const double* x, double* y) override {
    auto key = std::make_pair(x, y);
    auto it = cache_.find(key);
    if (it == cache_.end()) it = cache_.emplace(key, capture(x, y)).first;
    TRY(cudaGraphLaunch(it->second, stream_));
  }

 private:
  cudaGraphExec_t capture(const double* x, double* y) {
    inner_.apply(x, y);
    TRY(cudaStreamSynchronize(stream_));
    cudaGraph_t g = nullptr;
    TRY(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
    try {
      inner_.apply(x, y);
    } catch (...) {
      if (cudaStreamEndCapture(stream_, &g) == cudaSuccess) cudaGraphDestroy(g);
      throw;
    }
    TRY(cudaStreamEndCapture(stream_, &g));
    cudaGraphExec_t e = nullptr;
    cudaError_t rc = cudaGraphInstantiate(&e, g, 0);
    cudaGraphDestroy(g);
    TRY(rc);
    return e;
  }
};

__global__ void richardson(double* x, const double* ax, const double* b, int n, double w) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += w * (b[i] - ax[i]);
}

static std::vector<double> solve(Operator& a, cudaStream_t s, int n, int iters) {
  double *x, *ax, *b;
  TRY(cudaMalloc(&x, n * sizeof(double)));
  TRY(cudaMalloc(&ax, n * sizeof(double)));
  TRY(cudaMalloc(&b, n * sizeof(double)));
  std::vector<double> h(n), history;
  for (int i = 0; i < n; ++i) h[i] = std::cos(0.01 * i);
  TRY(cudaMemcpyAsync(b, h.data(), n * sizeof(double), cudaMemcpyHostToDevice, s));
  TRY(cudaMemsetAsync(x, 0, n * sizeof(double), s));
  for (int it = 0; it < iters; ++it) {
    a.apply(x, ax);
    richardson<<<(n + 255) / 256, 256, 0, s>>>(x, ax, b, n, 0.8);
    TRY(cudaGetLastError());
    if (it % 10 == 9) {
      std::vector<double> r(n);
      TRY(cudaMemcpyAsync(r.data(), x, n * sizeof(double), cudaMemcpyDeviceToHost, s));
      TRY(cudaStreamSynchronize(s));
      history.push_back(*std::max_element(r.begin(), r.end()));
    }
  }
  TRY(cudaMemcpyAsync(h.data(), x, n * sizeof(double), cudaMemcpyDeviceToHost, s));
  TRY(cudaStreamSynchronize(s));
  std::printf("max x after each 10:");
  for (double v : history) std::printf(" %.4f", v);
  std::puts("");
  return h;   // device vectors live as long as the cached graphs, that is until exit
}

int main(int argc, char** argv) {
  const int ne = argc > 1 ? std::atoi(argv[1]) : 64, iters = argc > 2 ? std::atoi(argv[2]) : 40;
  const int n = ne * kLoc * kVars;
  bool good = false;
  try {
    cudaStream_t s;
    cublasHandle_t blas;
    void* ws;
    TRY(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    TRY(cublasCreate(&blas));
    TRY(cudaMalloc(&ws, 32 << 20));
    TRY(cublasSetStream(blas, s));
    TRY(cublasSetWorkspace(blas, ws, 32 << 20));
    ElementOperator op(blas, s, ne);
    GraphedOperator graphed(op, s);
    auto a = solve(op, s, n, iters), b = solve(graphed, s, n, iters);
    double err = 0;
    bool same = true;
    for (int i = 0; i < n; ++i) {
      err = std::max(err, std::fabs(a[i] - b[i]));
      same = same && std::fabs(a[i] - b[i]) < 1e-10;
    }
    std::printf("max difference %.3e\n", err);
    good = same;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
  }
  std::puts(good ? "LABEL UNOBSERVED" : "LABEL CONFIRMED");
  return 0;
}
