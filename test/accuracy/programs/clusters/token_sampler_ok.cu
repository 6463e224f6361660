// Draws tokens for a batch of sequences with a counter-based generator; the sampling pass is captured once.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using std::uint64_t;

static void must(cudaError_t status, const char* where) {
  if (status != cudaSuccess) throw std::runtime_error(std::string(where) + " -> " + cudaGetErrorName(status));
}

constexpr int kLanes = 64;
constexpr int kVocab = 16;

__host__ __device__ inline uint64_t mix(uint64_t seed, uint64_t counter) {
  uint64_t z = seed + counter * 0x9E3779B97F4A7C15ull;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

__host__ __device__ inline int pick(const unsigned* cdf, uint64_t random) {
  const unsigned r = static_cast<unsigned>(random % cdf[kVocab - 1]);
  int k = 0;
  while (cdf[k] <= r) ++k;
  return k;
}

__global__ void sample(const unsigned* cdf, uint64_t seed, const uint64_t* offset, int* tokens) {
  const int lane = threadIdx.x;
  tokens[lane] = pick(cdf, mix(seed, *offset + lane));
}

__global__ void histogram(const int* tokens, unsigned* counts) { atomicAdd(&counts[tokens[threadIdx.x]], 1u); }

// Position in the random sequence; every draw consumes a range of counters.
class Generator {
 public:
  explicit Generator(uint64_t seed) : seed_(seed) {
    must(cudaMalloc(&device_offset_, sizeof(uint64_t)), "offset");
    must(cudaMallocHost(&host_offset_, sizeof(uint64_t)), "offset");
  }
  ~Generator() {
    cudaFree(device_offset_);
    cudaFreeHost(host_offset_);
  }
  Generator(const Generator&) = delete;
  Generator& operator=(const Generator&) = delete;
  uint64_t seed() const { return seed_; }
  const uint64_t* offset() const { return device_offset_; }
  // The previous draw must be complete: the pinned word is reused.
  void reserve(uint64_t count, cudaStream_t stream) {
    *host_offset_ = std::exchange(next_, next_ + count);
    must(cudaMemcpyAsync(device_offset_, host_offset_, sizeof(uint64_t), cudaMemcpyHostToDevice, stream), "reserve");
  }

 private:
  uint64_t seed_;
  uint64_t next_ = 0;
  uint64_t* device_offset_ = nullptr;
  uint64_t* host_offset_ = nullptr;
};

class GraphRunner {
 public:
  using Recorder = std::function<void(cudaStream_t)>;
  explicit GraphRunner(cudaStream_t stream) : stream_(stream) {}
  ~GraphRunner() {
    if (exec_) cudaGraphExecDestroy(exec_);
  }

  void record(const Recorder& recorder) {
    cudaGraph_t graph = nullptr;
    must(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "begin");
    try {
      recorder(stream_);
    } catch (...) {
      cudaStreamEndCapture(stream_, &graph);
      if (graph) cudaGraphDestroy(graph);
      throw;
    }
    must(cudaStreamEndCapture(stream_, &graph), "end");
    const cudaError_t status = cudaGraphInstantiate(&exec_, graph, 0);
    cudaGraphDestroy(graph);
    must(status, "instantiate");
  }

  void replay() { must(cudaGraphLaunch(exec_, stream_), "launch"); }

 private:
  cudaStream_t stream_;
  cudaGraphExec_t exec_ = nullptr;
};

class Sampler {
 public:
  Sampler(uint64_t seed, const std::vector<unsigned>& cdf) : rng_(seed) {
    must(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
    must(cudaMalloc(&cdf_, kVocab * sizeof(unsigned)), "cdf");
    must(cudaMalloc(&counts_, kVocab * sizeof(unsigned)), "counts");
    must(cudaMalloc(&tokens_, kLanes * sizeof(int)), "tokens");
    must(cudaMallocHost(&host_, kLanes * sizeof(int)), "host");
    must(cudaMemcpy(cdf_, cdf.data(), kVocab * sizeof(unsigned), cudaMemcpyHostToDevice), "upload");
    must(cudaMemset(counts_, 0, kVocab * sizeof(unsigned)), "clear");
    must(cudaDeviceSynchronize(), "setup");
    runner_ = std::make_unique<GraphRunner>(stream_);
    runner_->record([this](cudaStream_t s) { enqueue(s); });
  }
  ~Sampler() {
    runner_.reset();
    cudaFree(cdf_);
    cudaFree(counts_);
    cudaFree(tokens_);
    cudaFreeHost(host_);
    cudaStreamDestroy(stream_);
  }

  std::vector<int> draw() {
    rng_.reserve(kLanes, stream_);
    runner_->replay();
    must(cudaStreamSynchronize(stream_), "wait");
    return std::vector<int>(host_, host_ + kLanes);
  }

 private:
  void enqueue(cudaStream_t s) {
    sample<<<1, kLanes, 0, s>>>(cdf_, rng_.seed(), rng_.offset(), tokens_);
    histogram<<<1, kLanes, 0, s>>>(tokens_, counts_);
    must(cudaGetLastError(), "kernels");
    must(cudaMemcpyAsync(host_, tokens_, kLanes * sizeof(int), cudaMemcpyDeviceToHost, s), "download");
  }

  Generator rng_;
  cudaStream_t stream_ = nullptr;
  unsigned* cdf_ = nullptr;
  unsigned* counts_ = nullptr;
  int* tokens_ = nullptr;
  int* host_ = nullptr;
  std::unique_ptr<GraphRunner> runner_;
};

int main() {
  const uint64_t seed = 20240611;
  std::vector<unsigned> cdf(kVocab);
  for (unsigned k = 0, sum = 0; k < kVocab; ++k) cdf[k] = sum += 3 + 5 * k % 7;

  bool good = true;
  try {
    Sampler sampler(seed, cdf);
    for (int step = 0; step < 6; ++step) {
      const std::vector<int> tokens = sampler.draw();
      int wrong = 0;
      for (int lane = 0; lane < kLanes; ++lane)
        wrong += tokens[lane] != pick(cdf.data(), mix(seed, uint64_t(step) * kLanes + lane));
      std::printf("step %d: first token %d, %d of %d lanes differ from the reference\n", step, tokens[0], wrong, kLanes);
      good = good && wrong == 0;
    }
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    good = false;
  }
  std::puts(good ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
  return 0;
}
