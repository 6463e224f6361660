// Monte Carlo pricer: every call to price() draws an independent batch; the quote carries the spread across batches.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace pricing {

static void require(cudaError_t e, const char* what) {
  if (e != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(e));
}

constexpr int kPaths = 1 << 14;

__host__ __device__ inline uint64_t mix(uint64_t z) {
  z += 0x9E3779B97F4A7C15ull;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

struct Contract { float spot, strike, rate, vol, years; };

__global__ void simulate(Contract c, const uint64_t* seed_state, double* sum) {
  const uint64_t seed = *seed_state;
  int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= kPaths) return;
  uint64_t a = mix(seed ^ (uint64_t(p) << 20)), b = mix(a);
  float u1 = (float(a >> 40) + 1.f) / 16777217.f, u2 = float(b >> 40) / 16777216.f;
  float z = sqrtf(-2.f * logf(u1)) * cospif(2.f * u2);
  float st = c.spot * expf((c.rate - 0.5f * c.vol * c.vol) * c.years + c.vol * sqrtf(c.years) * z);
  float pay = fmaxf(st - c.strike, 0.f) * expf(-c.rate * c.years);
  atomicAdd(sum, double(pay));
}

__global__ void next_seed(uint64_t* seed_state) { *seed_state = mix(*seed_state); }

struct Quote { double price; uint64_t batch; };

class IPricer {
 public:
  virtual ~IPricer() = default;
  virtual Quote price() = 0;
};

class GraphPricer final : public IPricer {
 public:
  GraphPricer(const Contract& c, uint64_t master) : contract_(c), rng_(master) {
    require(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
    require(cudaMalloc(&d_sum_, sizeof(double)), "sum");
    require(cudaMallocHost(&h_sum_, sizeof(double)), "host sum");
    require(cudaMalloc(&d_seed_, sizeof(uint64_t)), "seed");
    const uint64_t first = rng_();
    require(cudaMemcpyAsync(d_seed_, &first, sizeof first, cudaMemcpyHostToDevice, stream_), "seed upload");
    require(cudaStreamSynchronize(stream_), "seed sync");
  }
  ~GraphPricer() override {
    if (exec_) cudaGraphExecDestroy(exec_);
    cudaFree(d_seed_);
    cudaFree(d_sum_);
    cudaFreeHost(h_sum_);
    cudaStreamDestroy(stream_);
  }

  Quote price() override {
    if (!exec_) {
      cudaGraph_t g = nullptr;
      require(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "begin");
      enqueueBatch();
      require(cudaStreamEndCapture(stream_, &g), "end");
      require(cudaGraphInstantiate(&exec_, g, 0), "instantiate");
      require(cudaGraphDestroy(g), "destroy");
    }
    require(cudaGraphLaunch(exec_, stream_), "launch");
    require(cudaStreamSynchronize(stream_), "sync");
    ++batches_;
    return Quote{*h_sum_ / kPaths, batches_};
  }

 private:
  void enqueueBatch() {
    require(cudaMemsetAsync(d_sum_, 0, sizeof(double), stream_), "clear");
    simulate<<<kPaths / 256, 256, 0, stream_>>>(contract_, d_seed_, d_sum_);
    require(cudaGetLastError(), "simulate");
    next_seed<<<1, 1, 0, stream_>>>(d_seed_);
    require(cudaGetLastError(), "next_seed");
    require(cudaMemcpyAsync(h_sum_, d_sum_, sizeof(double), cudaMemcpyDeviceToHost, stream_), "download");
  }

  const Contract contract_;
  std::mt19937_64 rng_;
  uint64_t batches_ = 0;
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
  double *d_sum_ = nullptr, *h_sum_ = nullptr;
  uint64_t* d_seed_ = nullptr;
};

std::unique_ptr<IPricer> makePricer(const std::string& kind, const Contract& c, uint64_t master) {
  if (kind == "graph") return std::make_unique<GraphPricer>(c, master);
  throw std::runtime_error("unknown pricer " + kind);
}

static double black_scholes(const Contract& c) {
  auto cdf = [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); };
  double s = c.vol * std::sqrt(c.years);
  double d1 = (std::log(c.spot / c.strike) + (c.rate + 0.5 * c.vol * c.vol) * c.years) / s;
  return c.spot * cdf(d1) - c.strike * std::exp(-c.rate * c.years) * cdf(d1 - s);
}

}  // namespace pricing

int main() {
  try {
    const pricing::Contract call{100.f, 105.f, 0.02f, 0.3f, 1.f};
    auto pricer = pricing::makePricer("graph", call, 20240611);
    const int batches = 12;
    const double exact = pricing::black_scholes(call);
    std::set<long long> distinct;
    uint64_t last = 0;
    double mean = 0;
    bool sane = true;
    for (int b = 0; b < batches; ++b) {
      pricing::Quote q = pricer->price();
      mean += q.price / batches;
      sane = sane && std::fabs(q.price - exact) < 1.0;
      distinct.insert(std::llround(q.price * 1e6));
      last = q.batch;
    }
    std::printf("exact %.4f, mean %.4f, %zu distinct batch prices, batch counter %llu\n", exact, mean, distinct.size(),
                (unsigned long long)last);
    const bool seen = sane && distinct.size() >= 10 && last == 12 && std::fabs(mean - exact) < 0.25;
    std::puts(seen ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return seen ? 0 : 1;
  } catch (const std::exception& e) {
    std::printf("%s\nLABEL UNOBSERVED\n", e.what());
    return 1;
  }
}
