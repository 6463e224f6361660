// scan_filter: perception node that cleans laser scans. Scans arrive through onScan(), parameters through onParams().
// The device pipeline is recorded again after each parameter update and replayed for each scan.
#include <cuda_runtime.h>
#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <functional>
#include <vector>

namespace perception {

constexpr int kBeams = 720;
constexpr int kMaxWindow = 15;

struct FilterParams {
  float range_min = 0.0f;
  float range_max = 30.0f;
  int window = 1;
};

struct Scan {
  unsigned seq = 0;
  std::vector<float> ranges;
};

void logWarn(const char *format, ...) {
  va_list args;
  va_start(args, format);
  std::fputs("[WARN] [scan_filter]: ", stdout);
  std::vprintf(format, args);
  std::fputc('\n', stdout);
  va_end(args);
}

bool ok(cudaError_t status, const char *what) {
  if (status == cudaSuccess) return true;
  logWarn("%s failed: %s", what, cudaGetErrorString(status));
  return false;
}

__global__ void clampRanges(const float *in, float *out, float lo, float hi) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kBeams) out[i] = fminf(fmaxf(in[i], lo), hi);
}

__global__ void maxWindow(const float *in, float *out, int half) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= kBeams) return;
  float best = in[i];
  for (int k = -half; k <= half; ++k) best = fmaxf(best, in[min(max(i + k, 0), kBeams - 1)]);
  out[i] = best;
}

class ScanFilterNode {
public:
  using Publisher = std::function<void(const Scan &)>;

  explicit ScanFilterNode(Publisher publish) : publish_(std::move(publish)) {}
  ~ScanFilterNode() {
    dropPipeline();
    cudaFreeHost(staging_);
    cudaFree(raw_);
    cudaFree(clamped_);
    cudaFree(filtered_);
    if (stream_) cudaStreamDestroy(stream_);
  }

  bool configure() {
    const size_t bytes = kBeams * sizeof(float);
    return ok(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream") &&
           ok(cudaMallocHost(&staging_, bytes), "staging") && ok(cudaMalloc(&raw_, bytes), "raw") &&
           ok(cudaMalloc(&clamped_, bytes), "clamped") && ok(cudaMalloc(&filtered_, bytes), "filtered");
  }

  void onParams(const FilterParams &p) {
    params_ = p;
    dropPipeline();  // values are baked in, the next scan records with the new ones
  }

  bool onScan(const Scan &scan) {
    if (scan.ranges.size() != size_t(kBeams)) {
      logWarn("scan %u has %zu beams", scan.seq, scan.ranges.size());
      return false;
    }
    if (!exec_ && !recordPipeline()) return false;
    std::memcpy(staging_, scan.ranges.data(), kBeams * sizeof(float));
    if (!ok(cudaGraphLaunch(exec_, stream_), "launch")) return false;
    if (!ok(cudaStreamSynchronize(stream_), "sync")) return false;
    publish_(Scan{scan.seq, std::vector<float>(staging_, staging_ + kBeams)});
    return true;
  }

private:
  void dropPipeline() {
    if (exec_) ok(cudaGraphExecDestroy(exec_), "exec destroy");
    exec_ = nullptr;
  }

  bool recordPipeline() {
    const size_t bytes = kBeams * sizeof(float);
    const dim3 block(128), grid((kBeams + 127) / 128);
    if (!ok(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "begin capture")) return false;
    bool complete = true;
    if (!ok(cudaMemcpyAsync(raw_, staging_, bytes, cudaMemcpyHostToDevice, stream_), "upload")) complete = false;
    clampRanges<<<grid, block, 0, stream_>>>(raw_, clamped_, params_.range_min, params_.range_max);
    if (!ok(cudaGetLastError(), "clampRanges")) complete = false;
    const float *result = clamped_;
    if (params_.window > 1) {
      if (params_.window > kMaxWindow || params_.window % 2 == 0) {
        logWarn("unusable window %d", params_.window);
        return false;  // HAZARD scope
      }
      maxWindow<<<grid, block, 0, stream_>>>(clamped_, filtered_, params_.window / 2);
      if (!ok(cudaGetLastError(), "maxWindow")) complete = false;
      result = filtered_;
    }
    if (!ok(cudaMemcpyAsync(staging_, result, bytes, cudaMemcpyDeviceToHost, stream_), "download")) complete = false;
    cudaGraph_t graph = nullptr;
    const bool ended = ok(cudaStreamEndCapture(stream_, &graph), "end capture");
    const bool usable = ended && complete && ok(cudaGraphInstantiate(&exec_, graph, 0), "instantiate");
    if (graph) ok(cudaGraphDestroy(graph), "graph destroy");
    return usable;
  }

  Publisher publish_;
  FilterParams params_;
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
  float *staging_ = nullptr;  // pinned, both directions
  float *raw_ = nullptr;
  float *clamped_ = nullptr;
  float *filtered_ = nullptr;
};

std::vector<float> expected(const std::vector<float> &in, const FilterParams &p) {
  std::vector<float> c(in.size()), out(in.size());
  const int n = int(in.size()), half = p.window / 2;
  for (int i = 0; i < n; ++i) c[i] = std::fmin(std::fmax(in[i], p.range_min), p.range_max);
  for (int i = 0; i < n; ++i) {
    out[i] = c[i];
    for (int k = -half; k <= half; ++k) out[i] = std::fmax(out[i], c[std::min(std::max(i + k, 0), n - 1)]);
  }
  return out;
}

}  // namespace perception

int main() {
  using namespace perception;
  std::vector<float> published;
  ScanFilterNode node([&](const Scan &s) { published = s.ranges; });
  int bad_scans = node.configure() ? 0 : 1;
  const FilterParams updates[] = {{0.5f, 20.0f, 1}, {0.5f, 12.0f, 5}, {0.5f, 12.0f, 99}, {1.0f, 9.0f, 3}, {0.1f, 25.0f, 7}};
  unsigned seq = 0;
  for (const FilterParams &p : updates) {
    node.onParams(p);
    const bool usable = p.window <= kMaxWindow;  // the node has to refuse scans while its window is unusable
    for (int k = 0; k < 3; ++k, ++seq) {
      Scan scan{seq, std::vector<float>(kBeams)};
      for (int i = 0; i < kBeams; ++i) scan.ranges[i] = float((i * 37 + int(seq) * 11) % 300) * 0.1f;
      const bool accepted = node.onScan(scan);
      if (accepted != usable || (accepted && published != expected(scan.ranges, p))) ++bad_scans;
    }
  }
  std::printf("%u scans, %d handled wrongly\n", seq, bad_scans);
  std::printf("%s\n", bad_scans > 0 ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
  return 0;
}
