// Audio style FIR stage: tune the launch shape once, keep the fastest graph, then stream blocks.
#include <cuda_runtime.h>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

static void ck(cudaError_t e, const char* what) {
  if (e != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(e));
}

constexpr int kTaps = 8;

__global__ void fir(const float* in, float* out, int n, const float* gain) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float acc = 0.f;
    for (int t = 0; t < kTaps; ++t)
      if (i - t >= 0) acc += in[i - t];
    out[i] = acc * *gain / kTaps;
  }
}

struct Candidate {
  int grid;
  int block;
};

class FirStage {
 public:
  FirStage(int n, float gain) : n_(n), gain_(gain) {
    ck(cudaStreamCreate(&stream_), "stream");
    ck(cudaMalloc(&in_, n * sizeof(float)), "in");
    ck(cudaMalloc(&out_, n * sizeof(float)), "out");
    ck(cudaMalloc(&gain_dev_, sizeof(float)), "gain");
    ck(cudaMemcpy(gain_dev_, &gain_, sizeof(float), cudaMemcpyHostToDevice), "gain copy");
    ck(cudaMemset(in_, 0, n * sizeof(float)), "memset");
    ck(cudaEventCreate(&t0_), "ev");
    ck(cudaEventCreate(&t1_), "ev");
  }
  FirStage(const FirStage&) = delete;
  FirStage& operator=(const FirStage&) = delete;
  ~FirStage() {
    cudaStreamSynchronize(stream_);
    if (best_) cudaGraphExecDestroy(best_);
    cudaEventDestroy(t0_);
    cudaEventDestroy(t1_);
    cudaFree(in_);
    cudaFree(out_);
    cudaFree(gain_dev_);
    cudaStreamDestroy(stream_);
  }

  void tune(const std::vector<Candidate>& cands) {
    float best_ms = std::numeric_limits<float>::max();
    for (const Candidate& c : cands) {
      cudaGraphExec_t ex = record(c);
      float ms = time(ex);
      if (ms < best_ms) {
        std::swap(best_, ex);
        best_ms = ms;
        choice_ = c;
      }
      if (ex) ck(cudaGraphExecDestroy(ex), "destroy");
    }
  }

  void set_gain(float g) {
    gain_ = g;
    ck(cudaMemcpy(gain_dev_, &gain_, sizeof(float), cudaMemcpyHostToDevice), "gain copy");
  }
  float gain() const { return gain_; }

  void process(const std::vector<float>& in, std::vector<float>& out) {
    ck(cudaMemcpy(in_, in.data(), n_ * sizeof(float), cudaMemcpyHostToDevice), "h2d");
    ck(cudaGraphLaunch(best_, stream_), "launch");
    ck(cudaStreamSynchronize(stream_), "sync");
    ck(cudaMemcpy(out.data(), out_, n_ * sizeof(float), cudaMemcpyDeviceToHost), "d2h");
  }
  Candidate choice() const { return choice_; }

 private:
  cudaGraphExec_t record(const Candidate& c) {
    cudaGraph_t g;
    cudaGraphExec_t ex;
    ck(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal), "begin");
    fir<<<c.grid, c.block, 0, stream_>>>(in_, out_, n_, gain_dev_);
    ck(cudaStreamEndCapture(stream_, &g), "end");
    ck(cudaGraphInstantiate(&ex, g, 0), "inst");
    ck(cudaGraphDestroy(g), "gdestroy");
    return ex;
  }
  float time(cudaGraphExec_t ex) {
    ck(cudaGraphLaunch(ex, stream_), "warm");
    ck(cudaEventRecord(t0_, stream_), "rec");
    for (int i = 0; i < 10; ++i) ck(cudaGraphLaunch(ex, stream_), "launch");
    ck(cudaEventRecord(t1_, stream_), "rec");
    ck(cudaEventSynchronize(t1_), "evsync");
    float ms = 0;
    ck(cudaEventElapsedTime(&ms, t0_, t1_), "elapsed");
    return ms;
  }

  int n_;
  float gain_;
  float *in_ = nullptr, *out_ = nullptr, *gain_dev_ = nullptr;
  cudaStream_t stream_ = nullptr;
  cudaEvent_t t0_ = nullptr, t1_ = nullptr;
  cudaGraphExec_t best_ = nullptr;
  Candidate choice_{0, 0};
};

static int mismatches(const std::vector<float>& in, const std::vector<float>& out, float gain) {
  int bad = 0;
  for (int i = 0; i < (int)in.size(); ++i) {
    float acc = 0.f;
    for (int t = 0; t < kTaps; ++t)
      if (i - t >= 0) acc += in[i - t];
    if (std::fabs(acc * gain / kTaps - out[i]) > 1e-3f) ++bad;
  }
  return bad;
}

int main() {
  int same = 0, changed = 0;
  try {
    std::array<int, 3> lengths = {480, 1024, 9600};
    std::vector<std::unique_ptr<FirStage>> chans;
    for (int n : lengths) {
      chans.push_back(std::make_unique<FirStage>(n, 1.0f));
      chans.back()->tune({{1, 128}, {8, 128}, {32, 256}, {64, 64}});
      std::printf("n=%d -> %d x %d\n", n, chans.back()->choice().grid, chans.back()->choice().block);
    }
    const std::array<float, 4> automation = {1.0f, 1.0f, 0.5f, 2.0f};
    for (size_t step = 0; step < automation.size(); ++step) {
      for (size_t c = 0; c < chans.size(); ++c) {
        if (automation[step] != chans[c]->gain()) chans[c]->set_gain(automation[step]);
        std::vector<float> in(lengths[c]), out(lengths[c]);
        for (int blk = 0; blk < 3; ++blk) {
          for (int i = 0; i < lengths[c]; ++i) in[i] = float((i + blk * 7 + step) % 11) + 1.f;
          chans[c]->process(in, out);
          (step < 2 ? same : changed) += mismatches(in, out, automation[step]);
        }
      }
    }
  } catch (const std::exception& e) {
    std::printf("%s\nLABEL UNOBSERVED\n", e.what());
    return 1;
  }
  if (same == 0 && changed == 0) {
    std::printf("LABEL CONFIRMED\n");
    return 0;
  }
  std::printf("same %d changed %d\nLABEL UNOBSERVED\n", same, changed);
  return 1;
}
