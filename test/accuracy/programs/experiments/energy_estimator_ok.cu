// Monte Carlo energy estimator: walkers deposit local energies, a graph reduces them with CUB.
#include <cub/device/device_reduce.cuh>
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <optional>
#include <stdexcept>
#include <vector>

static void ok(cudaError_t e) {
  if (e != cudaSuccess) throw std::runtime_error(cudaGetErrorString(e));
}

template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(size_t n) : n_(n) { ok(cudaMalloc(&p_, n * sizeof(T))); }
  ~DeviceArray() { cudaFree(p_); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  T* data() const { return p_; }
  size_t size() const { return n_; }

 private:
  T* p_ = nullptr;
  size_t n_;
};

__global__ void normalise(const double* sum, double* mean, double scale) { *mean = *sum * scale; }

struct Exec {
  cudaGraphExec_t h = nullptr;
  explicit Exec(cudaGraph_t g) { ok(cudaGraphInstantiateWithFlags(&h, g, 0)); }
  ~Exec() { if (h) cudaGraphExecDestroy(h); }
  Exec(Exec&& o) noexcept : h(o.h) { o.h = nullptr; }
  Exec& operator=(Exec&&) = delete;
};

class EnergyEstimator {
 public:
  explicit EnergyEstimator(int capacity) : energies_(capacity), sum_(1), mean_(1), temp_(temp_bytes(capacity)) {
    ok(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
  }
  ~EnergyEstimator() { cudaStreamDestroy(stream_); }

  void deposit(const std::vector<double>& batch) {
    if (count_ + batch.size() > energies_.size()) throw std::length_error("estimator full");
    ok(cudaMemcpyAsync(energies_.data() + count_, batch.data(), batch.size() * sizeof(double),
                       cudaMemcpyHostToDevice, stream_));
    ok(cudaStreamSynchronize(stream_));
    count_ += int(batch.size());
    if (!batch.empty()) reduction_.reset();
  }

  void restart() {
    count_ = 0;
    reduction_.reset();
  }

  double mean() {
    if (count_ == 0) return 0.0;
    if (!reduction_) compile();
    ok(cudaGraphLaunch(reduction_->h, stream_));
    double m = 0;
    ok(cudaMemcpyAsync(&m, mean_.data(), sizeof m, cudaMemcpyDeviceToHost, stream_));
    ok(cudaStreamSynchronize(stream_));
    return m;
  }

 private:
  static size_t temp_bytes(int n) {
    size_t b = 0;
    ok(cub::DeviceReduce::Sum(nullptr, b, static_cast<double*>(nullptr), static_cast<double*>(nullptr), n));
    return b;
  }

  void compile() {
    cudaGraph_t g = nullptr;
    size_t bytes = temp_.size();
    ok(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    cudaError_t body = cub::DeviceReduce::Sum(temp_.data(), bytes, energies_.data(), sum_.data(), count_, stream_);
    normalise<<<1, 1, 0, stream_>>>(sum_.data(), mean_.data(), 1.0 / count_);
    if (body == cudaSuccess) body = cudaGetLastError();
    const cudaError_t end = cudaStreamEndCapture(stream_, &g);
    ok(body);
    ok(end);
    reduction_.emplace(g);
    ok(cudaGraphDestroy(g));
  }

  int count_ = 0;
  DeviceArray<double> energies_, sum_, mean_;
  DeviceArray<unsigned char> temp_;
  cudaStream_t stream_ = nullptr;
  std::optional<Exec> reduction_;
};

static std::vector<double> block(int n, double base) {
  std::vector<double> v(n);
  for (int i = 0; i < n; ++i) v[i] = base + 0.01 * std::sin(i);
  return v;
}
static double average(const std::vector<double>& v) {
  double s = 0;
  for (double x : v) s += x;
  return s / v.size();
}

int main() {
  try {
    EnergyEstimator est(1 << 15);
    std::vector<double> all;
    std::vector<double> got, want;
    const double bases[] = {-1.0, -0.5, 2.0};
    const int sizes[] = {1000, 4000, 9000};
    for (int k = 0; k < 3; ++k) {
      auto b = block(sizes[k], bases[k]);
      est.deposit(b);
      all.insert(all.end(), b.begin(), b.end());
      for (int rep = 0; rep < 2; ++rep) {
        got.push_back(est.mean());
        want.push_back(average(all));
      }
    }
    est.restart();
    auto fresh = block(500, 7.0);
    est.deposit(fresh);
    const bool restart_ok = std::fabs(est.mean() - average(fresh)) < 1e-9;

    const bool first = std::fabs(got[0] - want[0]) < 1e-9 && std::fabs(got[1] - want[1]) < 1e-9;
    bool rest = true, frozen = true;
    for (size_t i = 2; i < got.size(); ++i) {
      rest = rest && std::fabs(got[i] - want[i]) < 1e-9;
      frozen = frozen && std::fabs(got[i] - want[0]) < 1e-9;
    }
    if (restart_ok && first && rest && !frozen) { std::printf("LABEL CONFIRMED\n"); return 0; }
    std::printf("restart %d first %d rest %d frozen %d\n", restart_ok, first, rest, frozen);
  } catch (const std::exception& e) {
    std::printf("error: %s\n", e.what());
  }
  std::printf("LABEL UNOBSERVED\n");
  return 1;
}
