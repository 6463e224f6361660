#include <cuda_runtime.h>
#include <array>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <vector>

constexpr int kExperts = 4;
constexpr int kTokens = 128;

__global__ void expert_ffn(float* x, const int* table, int expert, float w) {
  int begin = table[expert], count = table[kExperts + expert];
  if (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count) x[begin + i] *= w;
}
__global__ void shared_expert(const float* x, float* y, int n) {
  if (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n) y[i] = x[i] + 100.0f;
}
__global__ void gate_mix(const float* x, float* y, int n) {
  if (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n) y[i] = 0.5f * x[i];
}
__global__ void abs_max(const float* x, int n, float* out) {
  float m = 0;
  for (int i = 0; i < n; ++i) m = fmaxf(m, fabsf(x[i]));
  *out = m;
}
__global__ void quantize(const float* x, int8_t* q, const float* amax, int n) {
  if (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n) q[i] = int8_t(rintf(x[i] * 127.0f / *amax));
}

struct Routing {
  std::array<int, kExperts> begin{}, count{};
};

class Router {
 public:
  const Routing& assign(const std::vector<int>& per_expert) {
    int at = 0;
    for (int e = 0; e < kExperts; ++e) {
      routing_.begin[e] = at;
      routing_.count[e] = per_expert[e];
      at += per_expert[e];
    }
    return routing_;
  }
  const Routing& routing() const { return routing_; }
 private:
  Routing routing_;
};

class StreamSet {
 public:
  StreamSet() {
    for (auto* s : {&main_, &side_}) cudaStreamCreateWithFlags(s, cudaStreamNonBlocking);
    for (auto* e : {&fork_, &join_}) cudaEventCreateWithFlags(e, cudaEventDisableTiming);
  }
  cudaStream_t main() const { return main_; }
  cudaStream_t fork() {
    cudaEventRecord(fork_, main_);
    cudaStreamWaitEvent(side_, fork_, 0);
    return side_;
  }
  void join() {
    cudaEventRecord(join_, side_);
    cudaStreamWaitEvent(main_, join_, 0);
  }
 private:
  cudaStream_t main_ = nullptr, side_ = nullptr;
  cudaEvent_t fork_ = nullptr, join_ = nullptr;
};

class MoeBlock {
 public:
  Router router;
  float *x, *y, *mixed, *amax;
  int* table;
  int8_t* q;
  StreamSet streams;
  MoeBlock() {
    for (float** p : {&x, &y, &mixed, &amax}) cudaMalloc(p, kTokens * sizeof(float));
    cudaMalloc(&q, kTokens);
    cudaMalloc(&table, sizeof(Routing));
  }
  void experts() {
    for (int e = 0; e < kExperts; ++e) {
      expert_ffn<<<kTokens / 32, 32, 0, streams.main()>>>(x, table, e, e + 2.0f);
    }
  }
  void shared() {
    cudaStream_t side = streams.fork();
    gate_mix<<<4, 32, 0, streams.main()>>>(x, mixed, kTokens);
    shared_expert<<<4, 32, 0, side>>>(x, y, kTokens);
    streams.join();
  }
  void requantize() {
    abs_max<<<1, 1, 0, streams.main()>>>(x, kTokens, amax);
    quantize<<<4, 32, 0, streams.main()>>>(x, q, amax, kTokens);
  }
  cudaError_t record(const std::function<void()>& body, cudaGraphExec_t* exec) {
    cudaGraph_t graph = nullptr;
    cudaError_t rc = cudaStreamBeginCapture(streams.main(), cudaStreamCaptureModeThreadLocal);
    if (rc != cudaSuccess) return rc;
    body();
    rc = cudaStreamEndCapture(streams.main(), &graph);
    cudaGetLastError();
    if (rc != cudaSuccess) return rc;
    rc = cudaGraphInstantiate(exec, graph, 0);
    cudaGraphDestroy(graph);
    return rc;
  }
  cudaError_t run(cudaGraphExec_t exec, const std::vector<float>& in) {
    cudaMemcpyAsync(x, in.data(), kTokens * sizeof(float), cudaMemcpyHostToDevice, streams.main());
    cudaMemcpyAsync(table, &router.routing(), sizeof(Routing), cudaMemcpyHostToDevice, streams.main());
    cudaGraphLaunch(exec, streams.main());
    return cudaStreamSynchronize(streams.main());
  }
  float scale() const {
    float v = 0;
    cudaMemcpy(&v, amax, sizeof v, cudaMemcpyDeviceToHost);
    return v / 127.0f;
  }
};

static int mismatches(const MoeBlock& block, const Routing& r) {
  std::vector<float> host(kTokens);
  cudaMemcpy(host.data(), block.x, kTokens * sizeof(float), cudaMemcpyDeviceToHost);
  int misses = 0;
  for (int e = 0; e < kExperts; ++e)
    for (int i = 0; i < r.count[e]; ++i) misses += host[r.begin[e] + i] != e + 2.0f;
  return misses;
}

int main() {
  MoeBlock block;
  const std::vector<float> ones(kTokens, 1.0f);
  cudaGraphExec_t experts = nullptr, shared = nullptr, requant = nullptr;
  block.router.assign({32, 32, 32, 32});
  cudaError_t rec = block.record([&] { block.experts(); }, &experts);
  cudaError_t run1 = block.run(experts, ones);
  int misses1 = mismatches(block, block.router.routing());
  block.router.assign({10, 50, 60, 8});
  cudaError_t run2 = block.run(experts, ones);
  int misses2 = mismatches(block, block.router.routing());

  cudaError_t requant_rc = block.record([&] { block.requantize(); }, &requant);
  cudaError_t shared_rc = block.record([&] { block.shared(); }, &shared);
  bool routed = rec == cudaSuccess && run1 == cudaSuccess && run2 == cudaSuccess && misses1 == 0 && misses2 == 0;
  float last = 0;
  int8_t code = 0;
  if (requant_rc == cudaSuccess && shared_rc == cudaSuccess) {
    block.run(requant, std::vector<float>(kTokens, 3.0f));
    block.run(shared, std::vector<float>(kTokens, 3.0f));
    cudaMemcpy(&last, block.y + kTokens - 1, sizeof last, cudaMemcpyDeviceToHost);
    cudaMemcpy(&code, block.q, 1, cudaMemcpyDeviceToHost);
  }
  bool scaled = block.scale() == 3.0f / 127.0f && code == 127;
  if (routed && scaled && last == 103.0f) std::printf("LABEL CONFIRMED\n");
  else std::printf("LABEL REFUTED misses %d %d shared %d requant %d last %f\n", misses1, misses2, int(shared_rc), int(requant_rc), last);
  return 0;
}
