// Histogram service, A/B: eager path against replayed path with growing bin counts.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <set>
#include <vector>

static void require(cudaError_t e, const char* file, int line) {
  if (e == cudaSuccess) return;
  std::printf("%s:%d %s\nLABEL UNOBSERVED\n", file, line, cudaGetErrorString(e));
  std::exit(1);
}
#define REQUIRE(x) require((x), __FILE__, __LINE__)

__global__ void clear_bins(unsigned* bins, int nb) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < nb) bins[i] = 0;
}
__global__ void count(const int* v, int n, unsigned* bins, int nb) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&bins[v[i] % nb], 1u);
}

static std::set<const void*> g_live;
static void* tracked_alloc(size_t bytes) {
  void* p = nullptr;
  REQUIRE(cudaMalloc(&p, bytes));
  g_live.insert(p);
  return p;
}
static void tracked_free(void* p) {
  g_live.erase(p);
  REQUIRE(cudaFree(p));
}

struct Plan {
  cudaGraphExec_t exec = nullptr;
  int bins = 0;
  const unsigned* target = nullptr;
};

class Histogram {
 public:
  Histogram(int n, bool use_graph) : n_(n), use_graph_(use_graph) {
    REQUIRE(cudaStreamCreate(&stream_));
    values_ = static_cast<int*>(tracked_alloc(n * sizeof(int)));
    std::vector<int> h(n);
    for (int i = 0; i < n; ++i) h[i] = i * 31 + 7;
    REQUIRE(cudaMemcpy(values_, h.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  }
  Histogram(const Histogram&) = delete;
  ~Histogram() {
    REQUIRE(cudaStreamSynchronize(stream_));
    drop_plans();
    if (bins_) tracked_free(bins_);
    tracked_free(values_);
    REQUIRE(cudaStreamDestroy(stream_));
  }

  void reserve(int nb) {
    if (nb <= cap_) return;
    REQUIRE(cudaStreamSynchronize(stream_));
    unsigned* fresh = static_cast<unsigned*>(tracked_alloc(nb * sizeof(unsigned)));
    drop_plans();
    if (bins_) tracked_free(bins_);
    bins_ = fresh;
    cap_ = nb;
  }

  void compute(int nb) {
    reserve(nb);
    if (!use_graph_) {
      enqueue(nb);
      return;
    }
    for (Plan& p : plans_) {
      if (p.bins != nb) continue;
      if (!g_live.count(p.target)) ++stale_;
      REQUIRE(cudaGraphLaunch(p.exec, stream_));
      return;
    }
    Plan p;
    p.bins = nb;
    p.target = bins_;
    cudaGraph_t g = nullptr;
    REQUIRE(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
    enqueue(nb);
    REQUIRE(cudaStreamEndCapture(stream_, &g));
    REQUIRE(cudaGraphInstantiate(&p.exec, g, 0));
    REQUIRE(cudaGraphDestroy(g));
    plans_.push_back(p);
    REQUIRE(cudaGraphLaunch(p.exec, stream_));
  }

  std::vector<unsigned> read(int nb) {
    std::vector<unsigned> h(nb);
    REQUIRE(cudaStreamSynchronize(stream_));
    REQUIRE(cudaMemcpy(h.data(), bins_, nb * sizeof(unsigned), cudaMemcpyDeviceToHost));
    return h;
  }
  int stale() const { return stale_; }

 private:
  void enqueue(int nb) {
    clear_bins<<<(nb + 127) / 128, 128, 0, stream_>>>(bins_, nb);
    count<<<(n_ + 127) / 128, 128, 0, stream_>>>(values_, n_, bins_, nb);
    REQUIRE(cudaGetLastError());
  }
  void drop_plans() {
    for (Plan& p : plans_) REQUIRE(cudaGraphExecDestroy(p.exec));
    plans_.clear();
  }
  int n_, cap_ = 0, stale_ = 0;
  bool use_graph_;
  int* values_ = nullptr;
  unsigned* bins_ = nullptr;
  cudaStream_t stream_ = nullptr;
  std::vector<Plan> plans_;
};

int main() {
  const std::vector<int> sizes = {1000, 30000};
  const std::vector<std::vector<int>> schedules = {{16, 64, 16, 64}, {64, 16, 64}, {16, 4096, 4096, 16}};
  int differing = 0, stale = 0, rounds = 0;
  for (int n : sizes) {
    for (const auto& schedule : schedules) {
      std::unique_ptr<Histogram> arms[2] = {std::make_unique<Histogram>(n, false),
                                            std::make_unique<Histogram>(n, true)};
      for (int nb : schedule) {
        for (auto& a : arms)
          for (int rep = 0; rep < 2; ++rep) a->compute(nb);
        std::vector<unsigned> want(nb, 0u);
        for (int i = 0; i < n; ++i) ++want[(i * 31 + 7) % nb];
        for (auto& a : arms)
          if (a->read(nb) != want) ++differing;
        ++rounds;
      }
      stale += arms[0]->stale() + arms[1]->stale();
    }
  }
  std::printf("rounds %d differing %d stale %d\n", rounds, differing, stale);
  if (stale == 0 && differing == 0) {
    std::printf("LABEL CONFIRMED\n");
    return 0;
  }
  std::printf("LABEL UNOBSERVED\n");
  return 1;
}
