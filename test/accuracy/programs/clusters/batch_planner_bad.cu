// Scores queued requests in batches. Graphs are cached per bucket: a batch is served by the smallest bucket it fits.
#include <cuda_runtime.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <deque>
#include <map>
#include <optional>
#include <vector>

constexpr int kDim = 32;
constexpr std::array<int, 3> kBuckets{4, 8, 16};

struct Request {
  int id = 0;
  std::array<float, kDim> features{};
};

struct Plan {
  int bucket = 0;
  int hits = 0;
  cudaGraphExec_t exec = nullptr;
};

__global__ void score_rows(const float* in, const float* weights, float* out) {
  float v = in[blockIdx.x * kDim + threadIdx.x] * weights[threadIdx.x];
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
  if (threadIdx.x == 0) out[blockIdx.x] = v;
}

class RequestQueue {
 public:
  void push(Request r) { pending_.push_back(std::move(r)); }
  bool empty() const { return pending_.empty(); }
  std::vector<Request> take(size_t n) {
    std::vector<Request> batch;
    while (!pending_.empty() && batch.size() < n) {
      batch.push_back(pending_.front());
      pending_.pop_front();
    }
    return batch;
  }

 private:
  std::deque<Request> pending_;
};

class BatchPlanner {
 public:
  bool open(const std::array<float, kDim>& weights) {
    const size_t rows = kBuckets.back();
    return ok(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream") &&
           ok(cudaMalloc(&d_in_, rows * kDim * sizeof(float)), "d_in") &&
           ok(cudaMalloc(&d_out_, rows * sizeof(float)), "d_out") &&
           ok(cudaMalloc(&d_weights_, sizeof(weights)), "weights") &&
           ok(cudaMallocHost(&h_in_, rows * kDim * sizeof(float)), "h_in") &&
           ok(cudaMallocHost(&h_out_, rows * sizeof(float)), "h_out") &&
           ok(cudaMemcpyAsync(d_weights_, weights.data(), sizeof(weights), cudaMemcpyHostToDevice, stream_), "upload") &&
           (std::fill_n(h_in_, rows * kDim, 0.0f), true);
  }

  ~BatchPlanner() {
    for (auto& [bucket, plan] : plans_)
      if (plan.exec) cudaGraphExecDestroy(plan.exec);
    cudaFree(d_in_);
    cudaFree(d_out_);
    cudaFree(d_weights_);
    cudaFreeHost(h_in_);
    cudaFreeHost(h_out_);
    if (stream_) cudaStreamDestroy(stream_);
  }

  std::optional<std::vector<float>> run(const std::vector<Request>& batch) {
    const auto bucket = std::find_if(kBuckets.begin(), kBuckets.end(),
                                     [&](int b) { return b >= static_cast<int>(batch.size()); });
    if (batch.empty() || bucket == kBuckets.end()) return std::nullopt;

    for (size_t r = 0; r < batch.size(); ++r)
      std::copy(batch[r].features.begin(), batch[r].features.end(), h_in_ + r * kDim);
    std::fill_n(h_out_, kBuckets.back(), -1.0f);

    auto [it, fresh] = plans_.try_emplace(*bucket);
    Plan& plan = it->second;
    if (fresh) {
      plan.bucket = *bucket;
      const bool recorded = record(plan, static_cast<int>(batch.size()));  // HAZARD dynamic_shape #rows
      if (!recorded) {
        plans_.erase(it);
        return std::nullopt;
      }
    }
    ++plan.hits;
    if (!ok(cudaGraphLaunch(plan.exec, stream_), "launch")) return std::nullopt;
    if (!ok(cudaStreamSynchronize(stream_), "wait")) return std::nullopt;
    return std::vector<float>(h_out_, h_out_ + batch.size());
  }

  void report() const {
    for (const auto& [bucket, plan] : plans_) std::printf("bucket %d served %d batches\n", bucket, plan.hits);
  }

 private:
  static bool ok(cudaError_t e, const char* what) {
    if (e != cudaSuccess) std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(e));
    return e == cudaSuccess;
  }

  bool record(Plan& plan, int rows) {
    if (!ok(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "begin")) return false;
    const size_t in_bytes = size_t(rows) * kDim * sizeof(float);
    const size_t out_bytes = size_t(rows) * sizeof(float);
    const cudaError_t up = cudaMemcpyAsync(d_in_, h_in_, in_bytes, cudaMemcpyHostToDevice, stream_);  // HAZARD dynamic_shape #rows
    score_rows<<<rows, kDim, 0, stream_>>>(d_in_, d_weights_, d_out_);  // HAZARD dynamic_shape #rows
    const cudaError_t down = cudaMemcpyAsync(h_out_, d_out_, out_bytes, cudaMemcpyDeviceToHost, stream_);  // HAZARD dynamic_shape #rows
    cudaGraph_t graph = nullptr;
    const cudaError_t end = cudaStreamEndCapture(stream_, &graph);
    bool good = ok(up, "upload node") && ok(down, "download node") && ok(end, "end");
    good = good && ok(cudaGraphInstantiate(&plan.exec, graph, 0), "instantiate");
    if (graph) cudaGraphDestroy(graph);
    return good;
  }

  std::map<int, Plan> plans_;
  cudaStream_t stream_ = nullptr;
  float *d_in_ = nullptr, *d_out_ = nullptr, *d_weights_ = nullptr;
  float *h_in_ = nullptr, *h_out_ = nullptr;
};

int main() {
  std::array<float, kDim> weights{};
  for (int j = 0; j < kDim; ++j) weights[j] = float(j % 5 + 1);

  RequestQueue queue;
  const std::vector<size_t> arrivals{3, 4, 2, 6, 8, 5, 4};
  size_t total = 0;
  for (size_t n : arrivals) total += n;
  for (size_t id = 0; id < total; ++id) {
    Request r;
    r.id = static_cast<int>(id);
    for (int j = 0; j < kDim; ++j) r.features[j] = float((id * 3 + j) % 11);
    queue.push(r);
  }

  bool good = true;
  {
    BatchPlanner planner;
    good = planner.open(weights);
    for (size_t i = 0; good && i < arrivals.size(); ++i) {
      const std::vector<Request> batch = queue.take(arrivals[i]);
      const auto scores = planner.run(batch);
      if (!scores) {
        good = false;
        break;
      }
      for (size_t r = 0; r < batch.size(); ++r) {
        float expected = 0.0f;
        for (int j = 0; j < kDim; ++j) expected += batch[r].features[j] * weights[j];
        if ((*scores)[r] != expected) {
          std::printf("request %d: got %g, expected %g\n", batch[r].id, (*scores)[r], expected);
          good = false;
        }
      }
    }
    planner.report();
  }
  std::puts(good ? "LABEL UNOBSERVED" : "LABEL CONFIRMED");
  return 0;
}
