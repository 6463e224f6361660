// Serves one base layer with switchable LoRA adapters. Changing the active set records the forward pass again and
// refreshes the executable graph in place.
#include <cuda_runtime.h>

#include <cstdio>
#include <string>
#include <unordered_map>
#include <vector>

#define TRY(expr)                                   \
  do {                                              \
    cudaError_t status_ = (expr);                   \
    if (status_ != cudaSuccess) {                   \
      std::fprintf(stderr, "%s failed: %s\n", #expr, cudaGetErrorString(status_)); \
      return status_;                               \
    }                                               \
  } while (0)

namespace lora {

constexpr int kFeatures = 1024;
constexpr int kThreads = 128;
constexpr int kBlocks = kFeatures / kThreads;

struct Adapter {
  float* delta = nullptr;
  float scale = 0.0f;
};

struct Engine {
  cudaStream_t stream = nullptr;
  float* x = nullptr;
  float* base = nullptr;
  float* y = nullptr;
  float* host = nullptr;  // pinned, one row
  std::unordered_map<std::string, Adapter> adapters;
  cudaGraphExec_t exec = nullptr;
  int rebuilt = 0;
};

__global__ void base_forward(const float* x, const float* w, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = w[i] * x[i];
}

__global__ void add_adapter(const float* x, const float* delta, float scale, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] += scale * delta[i] * x[i];
}

cudaError_t upload(Engine& e, float* dst, float first, int period) {
  for (int i = 0; i < kFeatures; ++i) e.host[i] = first + i % period;
  TRY(cudaMemcpyAsync(dst, e.host, kFeatures * sizeof(float), cudaMemcpyHostToDevice, e.stream));
  return cudaStreamSynchronize(e.stream);
}

cudaError_t create(Engine& e) {
  TRY(cudaStreamCreateWithFlags(&e.stream, cudaStreamNonBlocking));
  TRY(cudaMallocHost(&e.host, kFeatures * sizeof(float)));
  TRY(cudaMalloc(&e.x, kFeatures * sizeof(float)));
  TRY(cudaMalloc(&e.base, kFeatures * sizeof(float)));
  TRY(cudaMalloc(&e.y, kFeatures * sizeof(float)));
  return upload(e, e.base, 1.0f, 4);
}

cudaError_t load_adapter(Engine& e, const std::string& name, float scale, float first, int period) {
  Adapter a;
  a.scale = scale;
  TRY(cudaMalloc(&a.delta, kFeatures * sizeof(float)));
  e.adapters[name] = a;
  return upload(e, a.delta, first, period);
}

cudaError_t instantiate(Engine& e, cudaGraph_t graph) {
  if (e.exec) {
    TRY(cudaGraphExecDestroy(e.exec));
    e.exec = nullptr;
  }
  ++e.rebuilt;
  return cudaGraphInstantiate(&e.exec, graph, 0);
}

cudaError_t activate(Engine& e, const std::vector<std::string>& names) {
  std::vector<Adapter> active;
  for (const auto& name : names) {
    const auto it = e.adapters.find(name);
    if (it == e.adapters.end()) return cudaErrorInvalidValue;
    active.push_back(it->second);
  }

  cudaGraph_t graph = nullptr;
  TRY(cudaStreamBeginCapture(e.stream, cudaStreamCaptureModeThreadLocal));
  base_forward<<<kBlocks, kThreads, 0, e.stream>>>(e.x, e.base, e.y);
  for (const auto& [delta, scale] : active) add_adapter<<<kBlocks, kThreads, 0, e.stream>>>(e.x, delta, scale, e.y);
  TRY(cudaStreamEndCapture(e.stream, &graph));

  cudaError_t status = cudaSuccess;
  if (!e.exec) {
    status = instantiate(e, graph);
  } else {
    cudaGraphExecUpdateResultInfo info{};
    if (cudaGraphExecUpdate(e.exec, graph, &info) != cudaSuccess) {
      cudaGetLastError();  // another number of adapters: a new executable is needed
      status = instantiate(e, graph);
    }
  }
  cudaGraphDestroy(graph);
  return status;
}

cudaError_t forward(Engine& e, float first, std::vector<float>& out) {
  TRY(upload(e, e.x, first, 5));
  TRY(cudaGraphLaunch(e.exec, e.stream));
  TRY(cudaMemcpyAsync(e.host, e.y, kFeatures * sizeof(float), cudaMemcpyDeviceToHost, e.stream));
  TRY(cudaStreamSynchronize(e.stream));
  out.assign(e.host, e.host + kFeatures);
  return cudaSuccess;
}

void destroy(Engine& e) {
  if (e.exec) cudaGraphExecDestroy(e.exec);
  for (auto& [name, adapter] : e.adapters) cudaFree(adapter.delta);
  cudaFree(e.x);
  cudaFree(e.base);
  cudaFree(e.y);
  cudaFreeHost(e.host);
  if (e.stream) cudaStreamDestroy(e.stream);
}

}  // namespace lora

struct Spec {
  const char* name;
  float scale, first;
  int period;
};

static bool drive(lora::Engine& engine) {
  const std::vector<Spec> specs{{"french", 2.0f, 1.0f, 3}, {"german", 4.0f, 2.0f, 6}};
  if (lora::create(engine) != cudaSuccess) return false;
  for (const auto& [name, scale, first, period] : specs)
    if (lora::load_adapter(engine, name, scale, first, period) != cudaSuccess) return false;

  const std::vector<std::vector<int>> sets{{0}, {1}, {0, 1}, {}, {1}};
  bool good = true;
  float request = 1.0f;
  for (const auto& set : sets) {
    std::vector<std::string> names;
    for (int k : set) names.push_back(specs[k].name);
    if (lora::activate(engine, names) != cudaSuccess) return false;
    for (int repeat = 0; repeat < 2; ++repeat, request += 1.0f) {
      std::vector<float> y;
      if (lora::forward(engine, request, y) != cudaSuccess) return false;
      int wrong = 0;
      for (int i = 0; i < lora::kFeatures; ++i) {
        float weight = 1.0f + i % 4;
        for (int k : set) weight += specs[k].scale * (specs[k].first + i % specs[k].period);
        wrong += y[i] != weight * (request + i % 5);
      }
      std::printf("%zu adapters: %d wrong values\n", set.size(), wrong);
      good = good && wrong == 0;
    }
  }
  std::printf("executables built: %d\n", engine.rebuilt);
  return good;
}

int main() {
  lora::Engine engine;
  const bool good = drive(engine);
  lora::destroy(engine);
  std::puts(good ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
  return 0;
}
