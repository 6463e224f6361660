// Fan-out benchmark: split a reduction over side streams; compare lane counts.
#include <cuda_runtime.h>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <tuple>
#include <vector>

#define MUST(x)                                                                                   \
  do {                                                                                            \
    cudaError_t e__ = (x);                                                                        \
    if (e__ != cudaSuccess) {                                                                     \
      std::printf("%s failed at %d: %s\nLABEL UNOBSERVED\n", #x, __LINE__, cudaGetErrorString(e__)); \
      std::exit(1);                                                                               \
    }                                                                                             \
  } while (0)

__global__ void sum_range(const float* in, int lo, int hi, float* slot) {
  float acc = 0;
  for (int i = lo + threadIdx.x; i < hi; i += blockDim.x) acc += in[i];
  atomicAdd(slot, acc);
}
__global__ void finish(const float* slots, int lanes, float* total) {
  float t = 0;
  for (int i = 0; i < lanes; ++i) t += slots[i];
  *total = t;
}

class LanePool {
 public:
  explicit LanePool(int n) : lanes_(n), done_(n) {
    for (auto& s : lanes_) MUST(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    for (auto& e : done_) MUST(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
    MUST(cudaEventCreateWithFlags(&fork_, cudaEventDisableTiming));
  }
  LanePool(const LanePool&) = delete;
  ~LanePool() {
    for (auto& s : lanes_) cudaStreamDestroy(s);
    for (auto& e : done_) cudaEventDestroy(e);
    cudaEventDestroy(fork_);
  }
  void fork(cudaStream_t root, int lanes) {
    MUST(cudaEventRecord(fork_, root));
    for (int i = 0; i < lanes; ++i) MUST(cudaStreamWaitEvent(lanes_[i], fork_, 0));
  }
  void join(cudaStream_t root, int lanes) {
    for (int i = 0; i < lanes; ++i) {
      MUST(cudaEventRecord(done_[i], lanes_[i]));
      MUST(cudaStreamWaitEvent(root, done_[i], 0));
    }
  }
  cudaStream_t operator[](int i) const { return lanes_[i]; }

 private:
  std::vector<cudaStream_t> lanes_;
  std::vector<cudaEvent_t> done_;
  cudaEvent_t fork_ = nullptr;
};

struct Buffers {
  float *in, *slots, *total;
};

static cudaError_t record_sum(cudaStream_t root, LanePool& pool, const Buffers& b, int n, int lanes, int chunk,
                              cudaGraphExec_t* out) {
  *out = nullptr;
  const int chunks = (n + chunk - 1) / chunk;
  const int busy = std::min(lanes, chunks);
  cudaGraph_t g = nullptr;
  MUST(cudaStreamBeginCapture(root, cudaStreamCaptureModeThreadLocal));
  pool.fork(root, lanes);
  for (int l = 0; l < lanes; ++l) MUST(cudaMemsetAsync(b.slots + l, 0, sizeof(float), pool[l]));
  for (int c = 0; c < chunks; ++c) {
    int l = c % busy;
    sum_range<<<1, 128, 0, pool[l]>>>(b.in, c * chunk, std::min(n, (c + 1) * chunk), b.slots + l);
  }
  pool.join(root, lanes);
  finish<<<1, 1, 0, root>>>(b.slots, lanes, b.total);
  cudaError_t st = cudaStreamEndCapture(root, &g);
  if (st != cudaSuccess) return st;
  MUST(cudaGraphInstantiate(out, g, 0));
  MUST(cudaGraphDestroy(g));
  return cudaSuccess;
}

int main() {
  const int max_n = 1 << 16;
  const std::vector<int> sizes = {1 << 12, 1 << 14, 1 << 16};
  const std::vector<int> lane_counts = {1, 2, 4, 8};
  const int chunk = 2048;

  cudaStream_t root;
  MUST(cudaStreamCreateWithFlags(&root, cudaStreamNonBlocking));
  Buffers b{};
  MUST(cudaMalloc(&b.in, max_n * sizeof(float)));
  MUST(cudaMalloc(&b.slots, 8 * sizeof(float)));
  MUST(cudaMalloc(&b.total, sizeof(float)));
  std::vector<float> h(max_n);
  for (int i = 0; i < max_n; ++i) h[i] = float(i % 4);
  MUST(cudaMemcpy(b.in, h.data(), max_n * sizeof(float), cudaMemcpyHostToDevice));
  MUST(cudaDeviceSynchronize());

  using Key = std::tuple<int, int>;
  std::map<Key, cudaGraphExec_t> table;
  int unjoined = 0, other = 0, wrong = 0, good = 0;
  {
    LanePool pool(8);
    for (int n : sizes) {
      for (int lanes : lane_counts) {
        cudaGraphExec_t ex = nullptr;
        cudaError_t st = record_sum(root, pool, b, n, lanes, chunk, &ex);
        if (st == cudaSuccess) {
          table[{n, lanes}] = ex;
          continue;
        }
        std::printf("n=%d lanes=%d: %s\n", n, lanes, cudaGetErrorString(st));
        (st == cudaErrorStreamCaptureUnjoined ? unjoined : other)++;
        cudaGetLastError();
      }
    }
    for (auto& kv : table) {
      const int n = std::get<0>(kv.first);
      double want = 0;
      for (int i = 0; i < n; ++i) want += h[i];
      for (int rep = 0; rep < 5; ++rep) {
        float got = -1;
        MUST(cudaGraphLaunch(kv.second, root));
        MUST(cudaStreamSynchronize(root));
        MUST(cudaMemcpy(&got, b.total, sizeof(float), cudaMemcpyDeviceToHost));
        (std::fabs(got - want) < 1.0 ? good : wrong)++;
      }
      MUST(cudaGraphExecDestroy(kv.second));
    }
  }
  MUST(cudaFree(b.in));
  MUST(cudaFree(b.slots));
  MUST(cudaFree(b.total));
  MUST(cudaStreamDestroy(root));
  std::printf("graphs %zu good %d wrong %d unjoined %d other %d\n", table.size(), good, wrong, unjoined, other);
  if (unjoined == 0 && other == 0 && wrong == 0 && table.size() == sizes.size() * lane_counts.size()) {
    std::printf("LABEL CONFIRMED\n");
    return 0;
  }
  std::printf("LABEL UNOBSERVED\n");
  return 1;
}
