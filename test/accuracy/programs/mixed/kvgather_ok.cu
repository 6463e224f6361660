// Prefix cache of an inference runtime: gathers a sequence's cached rows into the dense attention input.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#define RT_CHECK(status)                                                                   \
  do {                                                                                     \
    auto rt_status = (status);                                                             \
    if (rt_status != cudaSuccess) {                                                        \
      fprintf(stderr, "RT_CHECK %s at %s:%d\n", cudaGetErrorName(rt_status), __FILE__, __LINE__); \
      abort();                                                                             \
    }                                                                                      \
  } while (0)

namespace rt {

constexpr int kHidden = 48;
constexpr int kPageStride = 64;
constexpr int kMaxRows = 32;

__global__ void scale_query(const float* q, float* q_scaled, int n, float s) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) q_scaled[i] = q[i] * s;
}

struct CopyPlan {
  void* dst;
  size_t dst_pitch;
  const void* src;
  size_t src_pitch;
  size_t row_bytes;
  size_t rows;
};

class CopyPlanBuilder {
 public:
  CopyPlanBuilder& from(const float* p, int stride) {
    plan_.src = p;
    plan_.src_pitch = stride * sizeof(float);
    return *this;
  }
  CopyPlanBuilder& to(float* p, int stride) {
    plan_.dst = p;
    plan_.dst_pitch = stride * sizeof(float);
    return *this;
  }
  CopyPlanBuilder& columns(int n) {
    plan_.row_bytes = n * sizeof(float);
    return *this;
  }
  CopyPlanBuilder& rows(int n) {
    plan_.rows = static_cast<size_t>(n);
    return *this;
  }
  CopyPlan build() const { return plan_; }

 private:
  CopyPlan plan_{};
};

struct Sequence {
  int past_length = 0;
  int slot = 0;
};

class GraphRunner {
 public:
  using Key = std::tuple<int, int>;

  explicit GraphRunner(cudaStream_t stream) : stream_(stream) {}
  GraphRunner(const GraphRunner&) = delete;
  GraphRunner& operator=(const GraphRunner&) = delete;
  ~GraphRunner() {
    for (auto& entry : execs_) cudaGraphExecDestroy(entry.second);
  }

  template <class Body>
  void run(const Key& key, Body&& body) {
    auto it = execs_.find(key);
    if (it == execs_.end()) {
      cudaGraph_t graph = nullptr;
      cudaGraphExec_t exec = nullptr;
      RT_CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed));
      std::forward<Body>(body)(stream_);
      RT_CHECK(cudaStreamEndCapture(stream_, &graph));
      RT_CHECK(cudaGraphInstantiate(&exec, graph, 0));
      RT_CHECK(cudaGraphDestroy(graph));
      it = execs_.emplace(key, exec).first;
    }
    RT_CHECK(cudaGraphLaunch(it->second, stream_));
  }

 private:
  cudaStream_t stream_;
  std::map<Key, cudaGraphExec_t> execs_;
};

struct Buffers {
  float* pages;
  float* dense;
  float* q;
  float* q_scaled;
};

class AttentionInput {
 public:
  AttentionInput(const Buffers& b, cudaStream_t stream) : b_(b), runner_(stream) {}

  void prepare(const Sequence& seq) {
    runner_.run({seq.slot, seq.past_length}, [&](cudaStream_t s) {
      const CopyPlan plan = CopyPlanBuilder()
                                .from(b_.pages + size_t(seq.slot) * kMaxRows * kPageStride, kPageStride)
                                .to(b_.dense, kHidden)
                                .columns(kHidden)
                                .rows(seq.past_length)
                                .build();
      RT_CHECK(cudaMemcpy2DAsync(plan.dst, plan.dst_pitch, plan.src, plan.src_pitch, plan.row_bytes, plan.rows,
                                 cudaMemcpyDeviceToDevice, s));
      scale_query<<<1, 64, 0, s>>>(b_.q, b_.q_scaled, kHidden, 0.125f);
      RT_CHECK(cudaGetLastError());
    });
  }

 private:
  const Buffers b_;
  GraphRunner runner_;
};

}  // namespace rt

int main() {
  using namespace rt;
  constexpr int kSlots = 2;
  cudaStream_t stream;
  RT_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  std::vector<float> pages(kSlots * kMaxRows * kPageStride), dense(kMaxRows * kHidden), q(kHidden, 2.0f), qs(kHidden);
  for (size_t i = 0; i < pages.size(); ++i) pages[i] = 1.0f + float(i);
  Buffers b;
  RT_CHECK(cudaMalloc(&b.pages, pages.size() * sizeof(float)));
  RT_CHECK(cudaMalloc(&b.dense, dense.size() * sizeof(float)));
  RT_CHECK(cudaMalloc(&b.q, q.size() * sizeof(float)));
  RT_CHECK(cudaMalloc(&b.q_scaled, q.size() * sizeof(float)));
  RT_CHECK(cudaMemcpyAsync(b.pages, pages.data(), pages.size() * sizeof(float), cudaMemcpyHostToDevice, stream));
  RT_CHECK(cudaMemcpyAsync(b.q, q.data(), q.size() * sizeof(float), cudaMemcpyHostToDevice, stream));
  bool right = true;
  {
    AttentionInput input(b, stream);
    for (const Sequence seq : {Sequence{3, 0}, Sequence{5, 1}, Sequence{4, 0}, Sequence{9, 1}, Sequence{3, 0}}) {
      RT_CHECK(cudaMemsetAsync(b.dense, 0, dense.size() * sizeof(float), stream));
      input.prepare(seq);
      RT_CHECK(cudaMemcpyAsync(dense.data(), b.dense, dense.size() * sizeof(float), cudaMemcpyDeviceToHost, stream));
      RT_CHECK(cudaMemcpyAsync(qs.data(), b.q_scaled, qs.size() * sizeof(float), cudaMemcpyDeviceToHost, stream));
      RT_CHECK(cudaStreamSynchronize(stream));
      right = right && qs.front() == 0.25f && qs.back() == 0.25f;
      for (int r = 0; r < kMaxRows; ++r)
        for (int c = 0; c < kHidden; ++c) {
          const float want = r < seq.past_length ? pages[(size_t(seq.slot) * kMaxRows + r) * kPageStride + c] : 0.0f;
          right = right && dense[r * kHidden + c] == want;
        }
    }
  }
  for (float* p : {b.pages, b.dense, b.q, b.q_scaled}) RT_CHECK(cudaFree(p));
  RT_CHECK(cudaStreamDestroy(stream));
  puts(right ? "LABEL CONFIRMED" : "LABEL REFUTED");
  return 0;
}
