// Effect host: plug-ins register a table of functions and are recorded one by one into replayable units.
#include <cuda_runtime.h>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <vector>

constexpr int kSamples = 512;

struct PluginApi {
  const char* name;
  void* (*create)();
  cudaError_t (*enqueue)(void* self, cudaStream_t stream, float* data, int n);
  int (*query)(void* self);
  void (*destroy)(void* self);
};

__global__ void weigh(float* data, const float* table, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] *= table[i & 3];
}
__global__ void mirror(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[n - 1 - i];
}
__global__ void lift(float* data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] += 1.0f;
}

namespace weighting {
struct Table {
  float* dev = nullptr;
  cudaError_t rc;
  Table() {
    const float w[4] = {2.0f, 2.0f, 2.0f, 2.0f};
    rc = cudaMalloc(&dev, sizeof w);  // HAZARD lazy_initialization #table
    if (rc == cudaSuccess) rc = cudaMemcpy(dev, w, sizeof w, cudaMemcpyHostToDevice);
    if (rc == cudaSuccess) rc = cudaDeviceSynchronize();
  }
};
const Table& table() {
  static Table t;
  return t;
}
void* create() { return new int(0); }
cudaError_t enqueue(void*, cudaStream_t s, float* data, int n) {
  const Table& t = table();  // HAZARD lazy_initialization #table
  if (t.rc != cudaSuccess) return t.rc;
  weigh<<<(n + 127) / 128, 128, 0, s>>>(data, t.dev, n);
  return cudaGetLastError();
}
int query(void*) { return 0; }
void destroy(void* self) { delete static_cast<int*>(self); }
const PluginApi api{"weighting", create, enqueue, query, destroy};
}  // namespace weighting

namespace reversal {
struct State { float* scratch = nullptr; };
void* create() {
  auto* st = new State;
  return st;
}
cudaError_t enqueue(void* self, cudaStream_t s, float* data, int n) {
  auto* st = static_cast<State*>(self);
  cudaError_t rc = cudaMalloc(&st->scratch, n * sizeof(float));  // HAZARD device_allocation #scratch
  if (rc != cudaSuccess) return rc;
  mirror<<<(n + 127) / 128, 128, 0, s>>>(data, st->scratch, n);
  rc = cudaMemcpyAsync(data, st->scratch, n * sizeof(float), cudaMemcpyDeviceToDevice, s);
  cudaFree(st->scratch);  // HAZARD device_allocation #scratch
  st->scratch = nullptr;
  return rc;
}
int query(void*) { return 0; }
void destroy(void* self) {
  auto* st = static_cast<State*>(self);
  if (st->scratch) cudaFree(st->scratch);
  delete st;
}
const PluginApi api{"reversal", create, enqueue, query, destroy};
}  // namespace reversal

namespace meter {
struct State { int blocks = 0; };
void CUDART_CB onBlock(cudaStream_t, cudaError_t, void* self) { ++static_cast<State*>(self)->blocks; }
void* create() { return new State; }
cudaError_t enqueue(void* self, cudaStream_t s, float* data, int n) {
  lift<<<(n + 127) / 128, 128, 0, s>>>(data, n);
  return cudaStreamAddCallback(s, onBlock, self, 0);  // HAZARD unsupported_operation
}
int query(void* self) { return static_cast<State*>(self)->blocks; }
void destroy(void* self) { delete static_cast<State*>(self); }
const PluginApi api{"meter", create, enqueue, query, destroy};
}  // namespace meter

class Host {
 public:
  struct Unit { const PluginApi* api; void* self; cudaGraphExec_t exec; cudaError_t enqueued, ended; };
  Host() { cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking); cudaMalloc(&data_, kSamples * sizeof(float)); }
  ~Host() {
    for (auto& [name, u] : units_) { if (u.exec) cudaGraphExecDestroy(u.exec); u.api->destroy(u.self); }
    cudaFree(data_);
    cudaStreamDestroy(stream_);
  }
  void load(const PluginApi& api) {
    Unit u{&api, api.create(), nullptr, cudaSuccess, cudaSuccess};
    cudaGraph_t g = nullptr;
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal);
    u.enqueued = api.enqueue(u.self, stream_, data_, kSamples);
    u.ended = cudaStreamEndCapture(stream_, &g);
    if (u.ended == cudaSuccess) { cudaGraphInstantiate(&u.exec, g, 0); cudaGraphDestroy(g); }
    cudaGetLastError();
    units_.emplace(api.name, u);
  }
  const Unit& unit(const std::string& n) const { return units_.at(n); }
  std::vector<float> run(const std::string& n, std::vector<float> v, int times) {
    cudaMemcpyAsync(data_, v.data(), kSamples * sizeof(float), cudaMemcpyHostToDevice, stream_);
    while (times-- > 0) cudaGraphLaunch(unit(n).exec, stream_);
    cudaMemcpyAsync(v.data(), data_, kSamples * sizeof(float), cudaMemcpyDeviceToHost, stream_);
    last = cudaStreamSynchronize(stream_);
    return v;
  }
  cudaError_t last = cudaSuccess;

 private:
  cudaStream_t stream_ = nullptr;
  float* data_ = nullptr;
  std::map<std::string, Unit> units_;
};

int main() {
  Host host;
  host.load(weighting::api);
  host.load(reversal::api);
  host.load(meter::api);
  bool hit = true;
  for (const char* n : {"weighting", "reversal", "meter"}) {
    const auto& u = host.unit(n);
    std::printf("%s enqueue %d end %d\n", n, u.enqueued, u.ended);
    hit = hit && u.enqueued == cudaErrorStreamCaptureUnsupported && u.ended != cudaSuccess;
  }
  std::printf(hit ? "LABEL CONFIRMED\n" : "LABEL REFUTED\n");
  return 0;
}
