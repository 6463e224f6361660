// Autotuner for a tiled matrix transpose. Each candidate owns two graphs (a single shot and an unrolled
// timing graph); after the search the winner's single-shot graph does the production work.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <vector>

struct TunerOptions {
  int rows = 512;
  int cols = 768;
  int repetitions = 9;
  int unroll = 8;
  bool verbose = true;
};

struct Sample {
  float median_us = 0.0f;
  float spread_us = 0.0f;
};

static int g_failures = 0;
static bool passed(cudaError_t e, const char* text) {
  if (e == cudaSuccess) return true;
  std::printf("tuner: %s -> %s\n", text, cudaGetErrorString(e));
  ++g_failures;
  return false;
}
#define PASS(call) passed((call), #call)

template <int TILE>
__global__ void transposeTile(const float* in, float* out, int rows, int cols) {
  __shared__ float tile[TILE][TILE + 1];
  int c = blockIdx.x * TILE + threadIdx.x, r = blockIdx.y * TILE + threadIdx.y;
  if (r < rows && c < cols) tile[threadIdx.y][threadIdx.x] = in[r * cols + c];
  __syncthreads();
  int tr = blockIdx.x * TILE + threadIdx.y, tc = blockIdx.y * TILE + threadIdx.x;
  if (tr < cols && tc < rows) out[tr * rows + tc] = tile[threadIdx.x][threadIdx.y];
}

template <int TILE>
void launchTile(cudaStream_t s, const float* in, float* out, int rows, int cols) {
  dim3 grid((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE), block(TILE, TILE);
  transposeTile<TILE><<<grid, block, 0, s>>>(in, out, rows, cols);
}

using Launcher = std::function<void(cudaStream_t)>;

class Candidate {
 public:
  Candidate(int tile, Launcher launch, const TunerOptions& opt) : tile_(tile), launch_(std::move(launch)), opt_(opt) {}
  ~Candidate() {
    release();
  }
  Candidate(const Candidate&) = delete;
  Candidate& operator=(const Candidate&) = delete;

  int tile() const { return tile_; }
  const Sample& sample() const { return sample_; }

  bool prepare(cudaStream_t s) {
    return instantiate(s, 1, &shot_) && instantiate(s, opt_.unroll, &timing_);
  }

  bool measure(cudaStream_t s, cudaEvent_t begin, cudaEvent_t end) {
    std::vector<float> us;
    if (!PASS(cudaGraphLaunch(shot_, s))) return false;  // warm caches
    for (int r = 0; r < opt_.repetitions; ++r) {
      float ms = 0.0f;
      if (!PASS(cudaEventRecord(begin, s)) || !PASS(cudaGraphLaunch(timing_, s)) || !PASS(cudaEventRecord(end, s)) ||
          !PASS(cudaEventSynchronize(end)) || !PASS(cudaEventElapsedTime(&ms, begin, end)))
        return false;
      us.push_back(1000.0f * ms / opt_.unroll);
    }
    std::sort(us.begin(), us.end());
    sample_.median_us = us[us.size() / 2];
    sample_.spread_us = us.back() - us.front();
    // keep the footprint of the search small
    release();  // HAZARD lifetime #winner
    return true;
  }

  bool run(cudaStream_t s) { return PASS(cudaGraphLaunch(shot_, s)); }  // HAZARD lifetime #winner

 private:
  bool instantiate(cudaStream_t s, int times, cudaGraphExec_t* exec) {
    cudaGraph_t graph = nullptr;
    if (!PASS(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal))) return false;
    for (int i = 0; i < times; ++i) launch_(s);
    if (!PASS(cudaStreamEndCapture(s, &graph))) return false;
    bool ok = PASS(cudaGraphInstantiate(exec, graph, 0));
    cudaGraphDestroy(graph);
    return ok;
  }
  void release() {
    for (cudaGraphExec_t* e : {&shot_, &timing_}) {
      if (*e) cudaGraphExecDestroy(*e);  // HAZARD lifetime #winner
      *e = nullptr;
    }
  }

  int tile_;
  Launcher launch_;
  TunerOptions opt_;
  Sample sample_;
  cudaGraphExec_t shot_ = nullptr, timing_ = nullptr;
};

class TileTuner {
 public:
  TileTuner(const TunerOptions& opt, const float* in, float* out) : opt_(opt) {
    PASS(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    PASS(cudaEventCreate(&begin_));
    PASS(cudaEventCreate(&end_));
    add(8, launchTile<8>, in, out);
    add(16, launchTile<16>, in, out);
    add(32, launchTile<32>, in, out);
  }
  ~TileTuner() {
    candidates_.clear();
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
    cudaStreamDestroy(stream_);
  }

  Candidate* search() {
    Candidate* best = nullptr;
    for (auto& c : candidates_) {
      if (!c->prepare(stream_) || !c->measure(stream_, begin_, end_)) return nullptr;
      if (opt_.verbose)
        std::printf("tile %2d: %.2f us (spread %.2f)\n", c->tile(), c->sample().median_us, c->sample().spread_us);
      if (!best || c->sample().median_us < best->sample().median_us) best = c.get();
    }
    return best;
  }
  cudaStream_t stream() const { return stream_; }

 private:
  using Kernel = void (*)(cudaStream_t, const float*, float*, int, int);
  void add(int tile, Kernel k, const float* in, float* out) {
    int rows = opt_.rows, cols = opt_.cols;
    candidates_.push_back(std::make_unique<Candidate>(
        tile, [=](cudaStream_t s) { k(s, in, out, rows, cols); }, opt_));
  }
  TunerOptions opt_;
  cudaStream_t stream_ = nullptr;
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
  std::vector<std::unique_ptr<Candidate>> candidates_;
};

int main() {
  TunerOptions opt;
  const size_t n = size_t(opt.rows) * opt.cols, bytes = n * sizeof(float);
  std::vector<float> host(n), got(n);
  float *in = nullptr, *out = nullptr;
  PASS(cudaMalloc(&in, bytes));
  PASS(cudaMalloc(&out, bytes));
  size_t wrong = 0;
  int jobs = 0;
  bool searched = false;
  {
    TileTuner tuner(opt, in, out);
    Candidate* best = g_failures ? nullptr : tuner.search();
    searched = best != nullptr;
    for (int job = 0; best && job < 5; ++job) {
      for (size_t i = 0; i < n; ++i) host[i] = float((i * 13 + job * 7) % 4093);
      bool ok = PASS(cudaMemcpyAsync(in, host.data(), bytes, cudaMemcpyHostToDevice, tuner.stream())) &&
                best->run(tuner.stream()) &&
                PASS(cudaMemcpyAsync(got.data(), out, bytes, cudaMemcpyDeviceToHost, tuner.stream())) &&
                PASS(cudaStreamSynchronize(tuner.stream()));
      if (!ok) break;
      ++jobs;
      for (int r = 0; r < opt.rows; ++r)
        for (int c = 0; c < opt.cols; ++c)
          if (got[size_t(c) * opt.rows + r] != host[size_t(r) * opt.cols + c]) ++wrong;
    }
  }
  cudaFree(in);
  cudaFree(out);
  std::printf("jobs %d, wrong elements %zu, failures %d\n", jobs, wrong, g_failures);
  std::puts(searched && jobs < 5 && g_failures > 0 ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
  return 0;
}
