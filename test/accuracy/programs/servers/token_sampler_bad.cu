// Sampling tail of a text inference server. One decode step scales the logits by the temperature and draws
// one token per row with the Gumbel trick; the step is captured once per session and replayed for each token.
#include <cuda_runtime.h>
#include <curand_kernel.h>

#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

namespace decode {

inline void check(cudaError_t e, const char* what) {
  if (e != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(e));
}

template <typename T>
class DeviceArray {
 public:
  explicit DeviceArray(size_t n) : n_(n) { check(cudaMalloc(&p_, n * sizeof(T)), "cudaMalloc"); }
  ~DeviceArray() { cudaFree(p_); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  T* get() const { return p_; }
  void upload(const std::vector<T>& v) {
    check(cudaMemcpy(p_, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice), "upload");
  }
  std::vector<T> download() const {
    std::vector<T> v(n_);
    check(cudaMemcpy(v.data(), p_, n_ * sizeof(T), cudaMemcpyDeviceToHost), "download");
    return v;
  }

 private:
  T* p_ = nullptr;
  size_t n_;
};

struct SamplerConfig {
  int rows = 16;
  int vocab = 128;
  unsigned long long seed = 0x5eedULL;
  float temperature = 1.0f;
};

__device__ int draw_token(const float* row, int vocab, unsigned long long seed, int lane, unsigned long long offset) {
  curandStatePhilox4_32_10_t rng;
  curand_init(seed, lane, offset, &rng);
  int best = 0;
  float best_score = -1e30f;
  for (int v = 0; v < vocab; ++v) {
    const float score = row[v] - logf(-logf(curand_uniform(&rng)) + 1e-20f);
    if (score > best_score) {
      best_score = score;
      best = v;
    }
  }
  return best;
}

__global__ void reference_rows(const float* logits, int* tokens, int rows, int vocab, float inv_temp,
                               unsigned long long seed, unsigned long long offset, float* tmp) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  for (int v = 0; v < vocab; ++v) tmp[r * vocab + v] = logits[r * vocab + v] * inv_temp;
  tokens[r] = draw_token(tmp + r * vocab, vocab, seed, r, offset);
}

__global__ void scale_logits(const float* in, float* out, int n, float inv_temp) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] * inv_temp;
}

__global__ void sample_rows(const float* scaled, int* tokens, int rows, int vocab, unsigned long long seed,
                            unsigned long long offset) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r < rows) tokens[r] = draw_token(scaled + r * vocab, vocab, seed, r, offset);
}

class SamplerSession {
 public:
  explicit SamplerSession(const SamplerConfig& cfg)
      : cfg_(cfg), logits_(size_t(cfg.rows) * cfg.vocab), scaled_(size_t(cfg.rows) * cfg.vocab), tokens_(cfg.rows)
  {
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
  }
  ~SamplerSession() {
    if (exec_) cudaGraphExecDestroy(exec_);
    cudaStreamDestroy(stream_);
  }

  void set_logits(const std::vector<float>& l) { logits_.upload(l); }
  void set_temperature(float t) { cfg_.temperature = t; }
  float temperature() const { return cfg_.temperature; }
  unsigned long long offset() const { return rng_offset_; }
  std::vector<float> scaled() const { return scaled_.download(); }

  std::vector<int> step() {
    if (!exec_) build();
    check(cudaGraphLaunch(exec_, stream_), "launch");
    check(cudaStreamSynchronize(stream_), "step");
    rng_offset_ += cfg_.vocab;
    return tokens_.download();
  }

 private:
  void build() {
    const int n = cfg_.rows * cfg_.vocab;
    cudaGraph_t graph = nullptr;
    check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "begin");
    scale_logits<<<(n + 127) / 128, 128, 0, stream_>>>(logits_.get(), scaled_.get(), n, 1.0f / cfg_.temperature);  // HAZARD frozen
    sample_rows<<<1, cfg_.rows, 0, stream_>>>(scaled_.get(), tokens_.get(), cfg_.rows, cfg_.vocab, cfg_.seed, rng_offset_);  // HAZARD random
    const cudaError_t launched = cudaGetLastError();
    check(cudaStreamEndCapture(stream_, &graph), "end");
    check(launched, "captured launches");
    const cudaError_t made = cudaGraphInstantiate(&exec_, graph, 0);
    cudaGraphDestroy(graph);
    check(made, "instantiate");
  }

  SamplerConfig cfg_;
  DeviceArray<float> logits_, scaled_;
  DeviceArray<int> tokens_;
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
  unsigned long long rng_offset_ = 0;
};

}  // namespace decode

int main() {
  using namespace decode;
  try {
    SamplerConfig cfg;
    SamplerSession session(cfg);
    std::vector<float> logits(size_t(cfg.rows) * cfg.vocab);
    for (size_t i = 0; i < logits.size(); ++i) logits[i] = float((i * 37) % 11) * 0.25f;
    session.set_logits(logits);

    DeviceArray<float> ref_logits(logits.size()), tmp(logits.size());
    DeviceArray<int> ref_tokens(cfg.rows);
    ref_logits.upload(logits);

    int wrong_tokens = 0, wrong_scale = 0;
    for (int s = 0; s < 6; ++s) {
      if (s == 3) session.set_temperature(0.5f);
      const float inv = 1.0f / session.temperature();
      reference_rows<<<1, cfg.rows>>>(ref_logits.get(), ref_tokens.get(), cfg.rows, cfg.vocab, inv, cfg.seed,
                                      session.offset(), tmp.get());
      const std::vector<int> want = ref_tokens.download();
      if (session.step() != want) ++wrong_tokens;
      const std::vector<float> sc = session.scaled();
      for (size_t i = 0; i < sc.size(); ++i)
        if (std::fabs(sc[i] - logits[i] * inv) > 1e-5f) {
          ++wrong_scale;
          break;
        }
    }
    std::printf("steps with other tokens: %d, with another temperature: %d\n", wrong_tokens, wrong_scale);
    std::puts(wrong_tokens >= 2 && wrong_scale == 3 ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
  } catch (const std::exception& e) {
    std::printf("error: %s\nLABEL UNOBSERVED\n", e.what());
    return 1;
  }
  return 0;
}
