// Quote service for European options: a Monte Carlo plan per contract, built on the first request for it.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <functional>
#include <iostream>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

using Total = unsigned long long;

constexpr int kPaths = 1 << 14;
constexpr int kSteps = 8;

struct Contract {
  std::string symbol;
  int strike = 0;   // cents
  int tick_vol = 0; // cents per step
  bool put = false;
  bool operator<(const Contract& o) const {
    return std::tie(symbol, strike, tick_vol, put) < std::tie(o.symbol, o.strike, o.tick_vol, o.put);
  }
};

__host__ __device__ inline int end_price(int spot, int tick_vol, unsigned path) {
  unsigned state = path * 2654435761u + 12345u;
  for (int s = 0; s < kSteps; ++s) {
    state = state * 1664525u + 1013904223u;
    spot += (static_cast<int>(state >> 28) - 7) * tick_vol;
  }
  return spot;
}

__host__ __device__ inline int payoff(int price, int strike, bool put) {
  const int gain = put ? strike - price : price - strike;
  return gain > 0 ? gain : 0;
}

__global__ void simulate(const int* spot, int tick_vol, int* prices) {
  const unsigned path = blockIdx.x * blockDim.x + threadIdx.x;
  prices[path] = end_price(*spot, tick_vol, path);
}

__global__ void reduce_payoff(const int* prices, int strike, bool put, Total* total) {
  const unsigned path = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(total, static_cast<Total>(payoff(prices[path], strike, put)));
}

class CudaFailure : public std::runtime_error {
 public:
  CudaFailure(const char* what, cudaError_t e) : runtime_error(std::string(what) + ": " + cudaGetErrorString(e)) {}
};

class Pricer {
 public:
  Pricer() {
    ensure(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
    ensure(cudaMalloc(&spot_, sizeof(int)), "spot");
    ensure(cudaMalloc(&prices_, kPaths * sizeof(int)), "paths");
    ensure(cudaMalloc(&total_, sizeof(Total)), "total");
    ensure(cudaMallocHost(&market_, sizeof(Market)), "market");
    stages_ = {
        [this](const Contract&) { ensure(cudaMemsetAsync(total_, 0, sizeof(Total), stream_), "reset"); },
        [this](const Contract& c) {
          if (c.tick_vol <= 0) throw std::invalid_argument("no volatility for " + c.symbol);  // HAZARD scope #abandoned
          ensure(cudaMemcpyAsync(spot_, &market_->spot, sizeof(int), cudaMemcpyHostToDevice, stream_), "spot");
          simulate<<<kPaths / 256, 256, 0, stream_>>>(spot_, c.tick_vol, prices_);
        },
        [this](const Contract& c) {
          reduce_payoff<<<kPaths / 256, 256, 0, stream_>>>(prices_, c.strike, c.put, total_);
          ensure(cudaMemcpyAsync(&market_->total, total_, sizeof(Total), cudaMemcpyDeviceToHost, stream_), "total");
        },
    };
  }

  ~Pricer() {
    for (auto& [contract, exec] : plans_) cudaGraphExecDestroy(exec);
    cudaFree(spot_);
    cudaFree(prices_);
    cudaFree(total_);
    cudaFreeHost(market_);
    cudaStreamDestroy(stream_);
  }

  // The sum of payoffs over all paths, or nothing if the contract cannot be priced.
  std::optional<Total> quote(const Contract& contract, int spot) {
    try {
      auto it = plans_.find(contract);
      if (it == plans_.end()) it = plans_.emplace(contract, build(contract)).first;
      market_->spot = spot;
      ensure(cudaGraphLaunch(it->second, stream_), "launch");
      ensure(cudaStreamSynchronize(stream_), "wait");
      return market_->total;
    } catch (const std::exception& e) {
      std::cerr << "rejected: " << e.what() << '\n';
      return std::nullopt;
    }
  }

 private:
  struct Market {
    int spot;
    Total total;
  };

  static void ensure(cudaError_t e, const char* what) {
    if (e != cudaSuccess) throw CudaFailure(what, e);
  }

  cudaGraphExec_t build(const Contract& contract) {
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    ensure(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "begin");
    for (const auto& stage : stages_) stage(contract);  // HAZARD scope #abandoned
    ensure(cudaStreamEndCapture(stream_, &graph), "end");
    const cudaError_t made = cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphDestroy(graph);
    ensure(made, "instantiate");
    return exec;
  }

  std::vector<std::function<void(const Contract&)>> stages_;
  std::map<Contract, cudaGraphExec_t> plans_;
  cudaStream_t stream_ = nullptr;
  int* spot_ = nullptr;
  int* prices_ = nullptr;
  Total* total_ = nullptr;
  Market* market_ = nullptr;
};

static std::optional<Total> reference(const Contract& c, int spot) {
  if (c.tick_vol <= 0) return std::nullopt;
  Total sum = 0;
  for (unsigned p = 0; p < kPaths; ++p) sum += payoff(end_price(spot, c.tick_vol, p), c.strike, c.put);
  return sum;
}

int main() {
  const Contract call{"ABC", 10000, 35, false}, put{"ABC", 9900, 35, true}, fresh{"NEW", 5000, 0, false},
      other{"XYZ", 4200, 20, false};
  const std::vector<std::pair<Contract, int>> requests{{call, 10050}, {put, 10050},  {call, 9980}, {fresh, 5000},
                                                       {call, 10120}, {other, 4180}, {put, 9890},  {other, 4230}};
  bool good = true;
  try {
    Pricer pricer;
    for (const auto& [contract, spot] : requests) {
      const auto got = pricer.quote(contract, spot);
      const auto expected = reference(contract, spot);
      std::printf("%s %d at %d: %.4f\n", contract.symbol.c_str(), contract.strike, spot,
                  got ? double(*got) / kPaths : NAN);
      good = good && got == expected;
    }
  } catch (const std::exception& e) {
    std::cerr << e.what() << '\n';
    good = false;
  }
  std::puts(good ? "LABEL UNOBSERVED" : "LABEL CONFIRMED");
  return 0;
}
