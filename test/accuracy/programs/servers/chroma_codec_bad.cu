// Intra frame encoder with 4:2:0 planes. Luma runs on the main stream, both chroma planes on a side stream; an
// encoder profile is turned into one graph when it is selected and replayed for each frame.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

namespace codec {

struct Profile {
  std::string name;
  int luma_q;
  int chroma_q;
  bool deblock;
};

struct Planes {
  static constexpr int kW = 128, kH = 64;
  static constexpr int kLuma = kW * kH;
  static constexpr int kChroma = kLuma / 2;  // U and V
};

__global__ void quantize(const uint8_t* in, int16_t* out, int n, int q) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = int16_t((int(in[i]) - 128) / q);
}

// Smooths the luma coefficient at each block edge with the mean of the chroma around it.
__global__ void deblock_edges(int16_t* luma, const int16_t* chroma, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && i % 8 == 0) luma[i] = int16_t(luma[i] + chroma[i / 2]);
}

class Event {
 public:
  Event() { cudaEventCreateWithFlags(&e_, cudaEventDisableTiming); }
  ~Event() { cudaEventDestroy(e_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  operator cudaEvent_t() const { return e_; }

 private:
  cudaEvent_t e_ = nullptr;
};

class Graph {
 public:
  Graph() = default;
  ~Graph() { reset(); }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  cudaError_t adopt(cudaGraph_t g) {
    reset();
    const cudaError_t e = cudaGraphInstantiate(&exec_, g, 0);
    cudaGraphDestroy(g);
    return e;
  }
  cudaError_t launch(cudaStream_t s) const { return exec_ ? cudaGraphLaunch(exec_, s) : cudaErrorInvalidValue; }

 private:
  void reset() {
    if (exec_) cudaGraphExecDestroy(exec_);
    exec_ = nullptr;
  }
  cudaGraphExec_t exec_ = nullptr;
};

// Remembers the first error of a sequence of calls.
class Status {
 public:
  Status& operator<<(cudaError_t e) {
    if (first_ == cudaSuccess) first_ = e;
    return *this;
  }
  cudaError_t code() const { return first_; }
  bool ok() const { return first_ == cudaSuccess; }

 private:
  cudaError_t first_ = cudaSuccess;
};

class Encoder {
 public:
  Encoder() {
    init_ << cudaStreamCreateWithFlags(&main_, cudaStreamNonBlocking)
          << cudaStreamCreateWithFlags(&side_, cudaStreamNonBlocking) << cudaMalloc(&src_, Planes::kLuma + Planes::kChroma)
          << cudaMalloc(&coef_, sizeof(int16_t) * (Planes::kLuma + Planes::kChroma));
  }
  ~Encoder() {
    cudaFree(src_);
    cudaFree(coef_);
    cudaStreamDestroy(side_);
    cudaStreamDestroy(main_);
  }
  cudaError_t init_status() const { return init_.code(); }

  cudaError_t select(const Profile& p) {
    Status st;
    cudaGraph_t g = nullptr;
    st << cudaStreamBeginCapture(main_, cudaStreamCaptureModeThreadLocal);
    if (!st.ok()) return st.code();
    st << cudaEventRecord(fork_, main_) << cudaStreamWaitEvent(side_, fork_, 0);

    uint8_t* chroma_src = src_ + Planes::kLuma;
    int16_t* chroma_coef = coef_ + Planes::kLuma;
    quantize<<<Planes::kLuma / 256, 256, 0, main_>>>(src_, coef_, Planes::kLuma, p.luma_q);
    quantize<<<Planes::kChroma / 256, 256, 0, side_>>>(chroma_src, chroma_coef, Planes::kChroma, p.chroma_q);  // HAZARD dependency #join
    if (p.deblock) {
      // the filter needs both planes
      st << cudaEventRecord(join_, side_) << cudaStreamWaitEvent(main_, join_, 0);
      deblock_edges<<<Planes::kLuma / 256, 256, 0, main_>>>(coef_, chroma_coef, Planes::kLuma);
    }
    st << cudaGetLastError();
    st << cudaStreamEndCapture(main_, &g);  // HAZARD dependency #join
    if (!st.ok()) {
      if (g) cudaGraphDestroy(g);
      return st.code();
    }
    profile_ = p;
    return graph_.adopt(g);
  }

  cudaError_t encode(const std::vector<uint8_t>& frame, std::vector<int16_t>& out) {
    Status st;
    out.resize(frame.size());
    st << cudaMemcpyAsync(src_, frame.data(), frame.size(), cudaMemcpyHostToDevice, main_) << graph_.launch(main_)
       << cudaMemcpyAsync(out.data(), coef_, out.size() * sizeof(int16_t), cudaMemcpyDeviceToHost, main_)
       << cudaStreamSynchronize(main_);
    return st.code();
  }

 private:
  Status init_;
  cudaStream_t main_ = nullptr, side_ = nullptr;
  Event fork_, join_;
  uint8_t* src_ = nullptr;
  int16_t* coef_ = nullptr;
  Graph graph_;
  std::optional<Profile> profile_;
};

static bool right(const Profile& p, const std::vector<uint8_t>& f, const std::vector<int16_t>& c) {
  for (int i = 0; i < Planes::kLuma + Planes::kChroma; ++i) {
    int want = (int(f[i]) - 128) / (i < Planes::kLuma ? p.luma_q : p.chroma_q);
    if (p.deblock && i < Planes::kLuma && i % 8 == 0) want += (int(f[Planes::kLuma + i / 2]) - 128) / p.chroma_q;
    if (c[i] != want) return false;
  }
  return true;
}

}  // namespace codec

int main() {
  using namespace codec;
  Encoder enc;
  if (enc.init_status() != cudaSuccess) {
    std::puts("LABEL UNOBSERVED");
    return 1;
  }
  const std::vector<Profile> profiles = {{"broadcast", 6, 9, true}, {"preview", 12, 20, false}};
  int refused = 0, wrong = 0, frames = 0;
  for (const Profile& p : profiles) {
    const cudaError_t e = enc.select(p);
    if (e != cudaSuccess) {
      std::printf("profile %s: %s\n", p.name.c_str(), cudaGetErrorString(e));
      refused += e == cudaErrorStreamCaptureUnjoined;
      continue;
    }
    for (int t = 0; t < 4; ++t, ++frames) {
      std::vector<uint8_t> frame(Planes::kLuma + Planes::kChroma);
      for (size_t i = 0; i < frame.size(); ++i) frame[i] = uint8_t(i * 7 + t * 31);
      std::vector<int16_t> coef;
      if (enc.encode(frame, coef) != cudaSuccess || !right(p, frame, coef)) ++wrong;
    }
  }
  std::printf("%d frames, %d wrong, %d profiles refused\n", frames, wrong, refused);
  std::puts(refused == 1 && wrong == 0 ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
  return 0;
}
