// Stencil tuner: tries tile widths, keeps the fastest recorded variant per problem size.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#define ABORT_ON(x)                                                                     \
  do {                                                                                  \
    cudaError_t rc_ = (x);                                                              \
    if (rc_ != cudaSuccess) {                                                           \
      std::printf("line %d: %s\nLABEL UNOBSERVED\n", __LINE__, cudaGetErrorString(rc_)); \
      std::exit(1);                                                                     \
    }                                                                                   \
  } while (0)

__global__ void prescale(const float* in, float* tmp, int n, float k) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) tmp[i] = in[i] * k;
}

__global__ void blur(const float* in, float* out, int n, int tile) {
  extern __shared__ float sm[];
  int base = blockIdx.x * tile;
  for (int t = threadIdx.x; t < tile + 2; t += blockDim.x) {
    int j = base + t - 1;
    sm[t] = (j >= 0 && j < n) ? in[j] : 0.f;
  }
  __syncthreads();
  for (int t = threadIdx.x; t < tile; t += blockDim.x)
    if (base + t < n) out[base + t] = sm[t] + sm[t + 1] + sm[t + 2];
}

class Exec {
 public:
  explicit Exec(cudaGraphExec_t e) : e_(e) {}
  Exec(Exec&& o) noexcept : e_(std::exchange(o.e_, nullptr)) {}
  Exec& operator=(Exec&& o) noexcept {
    std::swap(e_, o.e_);
    return *this;
  }
  ~Exec() {
    if (e_) cudaGraphExecDestroy(e_);
  }
  cudaGraphExec_t get() const { return e_; }

 private:
  cudaGraphExec_t e_;
};

struct Job {
  int n;
  float *in, *tmp, *out;
  cudaStream_t stream;
};

static size_t smem_limit() {
  int dev = 0, v = 0;
  ABORT_ON(cudaGetDevice(&dev));
  ABORT_ON(cudaDeviceGetAttribute(&v, cudaDevAttrMaxSharedMemoryPerBlock, dev));
  return size_t(v);
}

static int g_begin_failures = 0;

static std::optional<Exec> try_record(const Job& j, int tile, size_t limit) {
  const size_t smem = (tile + 2) * sizeof(float);
  if (smem > limit) return std::nullopt;
  if (cudaError_t e = cudaStreamBeginCapture(j.stream, cudaStreamCaptureModeGlobal); e != cudaSuccess) {
    ++g_begin_failures;
    (void)cudaGetLastError();
    return std::nullopt;
  }
  prescale<<<8, 128, 0, j.stream>>>(j.in, j.tmp, j.n, 0.5f);
  blur<<<(j.n + tile - 1) / tile, 128, smem, j.stream>>>(j.tmp, j.out, j.n, tile);
  cudaGraph_t g = nullptr;
  ABORT_ON(cudaStreamEndCapture(j.stream, &g));
  cudaGraphExec_t ex = nullptr;
  ABORT_ON(cudaGraphInstantiate(&ex, g, 0));
  ABORT_ON(cudaGraphDestroy(g));
  return Exec(ex);
}

int main() {
  const std::vector<int> sizes = {5000, 40000, 200000};
  const std::vector<int> tiles = {128, 512, 64 * 1024, 1024, 2048};
  const size_t limit = smem_limit();
  std::map<int, std::pair<int, Exec>> best;
  std::vector<Job> jobs;
  int recorded = 0, skipped = 0, wrong = 0;

  for (int n : sizes) {
    Job j{n, nullptr, nullptr, nullptr, nullptr};
    ABORT_ON(cudaMalloc(&j.in, n * sizeof(float)));
    ABORT_ON(cudaMalloc(&j.tmp, n * sizeof(float)));
    ABORT_ON(cudaMalloc(&j.out, n * sizeof(float)));
    ABORT_ON(cudaStreamCreate(&j.stream));
    std::vector<float> h(n);
    for (int i = 0; i < n; ++i) h[i] = float(i % 9);
    ABORT_ON(cudaMemcpy(j.in, h.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    jobs.push_back(j);
  }
  ABORT_ON(cudaDeviceSynchronize());

  for (Job& j : jobs) {
    float best_ms = 1e30f;
    for (int tile : tiles) {
      std::optional<Exec> ex = try_record(j, tile, limit);
      if (!ex) {
        ++skipped;
        continue;
      }
      ++recorded;
      cudaEvent_t t0, t1;
      ABORT_ON(cudaEventCreate(&t0));
      ABORT_ON(cudaEventCreate(&t1));
      ABORT_ON(cudaEventRecord(t0, j.stream));
      for (int r = 0; r < 5; ++r) ABORT_ON(cudaGraphLaunch(ex->get(), j.stream));
      ABORT_ON(cudaEventRecord(t1, j.stream));
      ABORT_ON(cudaEventSynchronize(t1));
      float ms = 0;
      ABORT_ON(cudaEventElapsedTime(&ms, t0, t1));
      ABORT_ON(cudaEventDestroy(t0));
      ABORT_ON(cudaEventDestroy(t1));
      if (ms < best_ms) {
        best_ms = ms;
        best.insert_or_assign(j.n, std::make_pair(tile, std::move(*ex)));
      }
    }
    if (g_begin_failures) break;
    std::vector<float> out(j.n);
    ABORT_ON(cudaMemset(j.out, 0, j.n * sizeof(float)));
    for (int r = 0; r < 3; ++r) ABORT_ON(cudaGraphLaunch(best.at(j.n).second.get(), j.stream));
    ABORT_ON(cudaStreamSynchronize(j.stream));
    ABORT_ON(cudaMemcpy(out.data(), j.out, j.n * sizeof(float), cudaMemcpyDeviceToHost));
    for (int i = 0; i < j.n; ++i) {
      float want = 0;
      for (int d = -1; d <= 1; ++d)
        if (i + d >= 0 && i + d < j.n) want += float((i + d) % 9) * 0.5f;
      if (std::fabs(want - out[i]) > 1e-3f) ++wrong;
    }
    std::printf("n=%d best tile %d\n", j.n, best.at(j.n).first);
  }
  std::printf("recorded %d skipped %d begin failures %d wrong %d\n", recorded, skipped, g_begin_failures, wrong);
  bool ok = g_begin_failures == 0 && wrong == 0 && recorded == 12 && skipped == 3;
  best.clear();
  for (Job& j : jobs) {
    ABORT_ON(cudaFree(j.in));
    ABORT_ON(cudaFree(j.tmp));
    ABORT_ON(cudaFree(j.out));
    ABORT_ON(cudaStreamDestroy(j.stream));
  }
  if (ok) {
    std::printf("LABEL CONFIRMED\n");
    return 0;
  }
  std::printf("LABEL UNOBSERVED\n");
  return 1;
}
