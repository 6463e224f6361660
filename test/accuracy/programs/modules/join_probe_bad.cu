// join_probe: the probe side of a hash join with a filter below it. Batches come from a scan and
// hold up to kBatchCapacity rows.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

namespace exec {

constexpr uint32_t kEmpty = 0xffffffffu;
constexpr uint32_t kSlots = 4096;
constexpr uint32_t kBatchCapacity = 2048;
constexpr uint32_t kThreads = 256;

// Engine-wide status object; the first error is kept.
class Status {
 public:
  bool Merge(cudaError_t e, const char* op) {
    if (e != cudaSuccess) {
      std::fprintf(stderr, "operator error in %s: %s\n", op, cudaGetErrorString(e));
      if (code_ == cudaSuccess) code_ = e;
    }
    return e == cudaSuccess;
  }
  bool ok() const { return code_ == cudaSuccess; }

 private:
  cudaError_t code_ = cudaSuccess;
};

template <typename T>
class DeviceBuffer {
 public:
  DeviceBuffer(size_t n, Status& st) : status_(st) { st.Merge(cudaMalloc(&data_, n * sizeof(T)), "DeviceBuffer"); }
  ~DeviceBuffer() { status_.Merge(cudaFree(data_), "~DeviceBuffer"); }
  DeviceBuffer(const DeviceBuffer&) = delete;
  T* get() const { return data_; }

 private:
  Status& status_;
  T* data_ = nullptr;
};

struct Batch {
  std::vector<uint32_t> keys;
};

struct ProbeResult {
  unsigned long long matches;
  unsigned long long payload_sum;
};

__host__ __device__ inline uint32_t HashKey(uint32_t k) { return (k * 2654435761u) >> 20 & (kSlots - 1); }

__global__ void FilterKernel(const uint32_t* keys, uint8_t* selected, uint32_t rows) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows) selected[i] = keys[i] % 3 != 0;
}

__global__ void ProbeKernel(const uint32_t* keys, const uint8_t* selected, uint32_t rows,
                            const uint32_t* slot_keys, const uint32_t* slot_payloads, ProbeResult* out) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows || !selected[i]) return;
  const uint32_t key = keys[i];
  for (uint32_t s = HashKey(key); slot_keys[s] != kEmpty; s = (s + 1) & (kSlots - 1)) {
    if (slot_keys[s] == key) {
      atomicAdd(&out->matches, 1ull);
      atomicAdd(&out->payload_sum, static_cast<unsigned long long>(slot_payloads[s]));
      return;
    }
  }
}

class HashJoinProbe {
 public:
  explicit HashJoinProbe(Status& st)
      : st_(st), slot_keys_(kSlots, st), slot_payloads_(kSlots, st), input_(kBatchCapacity, st), result_(1, st) {
    st_.Merge(cudaStreamCreate(&stream_), "stream");
    st_.Merge(cudaMallocHost(&staging_, kBatchCapacity * sizeof(uint32_t)), "staging");
    st_.Merge(cudaMallocHost(&host_result_, sizeof(ProbeResult)), "result");
  }
  ~HashJoinProbe() {
    if (exec_) st_.Merge(cudaGraphExecDestroy(exec_), "exec");
    st_.Merge(cudaFreeHost(staging_), "staging");
    st_.Merge(cudaFreeHost(host_result_), "result");
    st_.Merge(cudaStreamDestroy(stream_), "stream");
  }

  void Build(const std::unordered_map<uint32_t, uint32_t>& side) {
    std::vector<uint32_t> keys(kSlots, kEmpty), payloads(kSlots, 0);
    for (auto [key, payload] : side) {
      uint32_t s = HashKey(key);
      while (keys[s] != kEmpty) s = (s + 1) & (kSlots - 1);
      keys[s] = key;
      payloads[s] = payload;
    }
    st_.Merge(cudaMemcpy(slot_keys_.get(), keys.data(), kSlots * sizeof(uint32_t), cudaMemcpyHostToDevice), "build");
    st_.Merge(cudaMemcpy(slot_payloads_.get(), payloads.data(), kSlots * sizeof(uint32_t), cudaMemcpyHostToDevice), "build");
  }

  // Runs one batch; false once the operator has failed.
  bool Next(const Batch& batch, ProbeResult* out) {
    std::memcpy(staging_, batch.keys.data(), batch.keys.size() * sizeof(uint32_t));
    if (!exec_) Prepare(static_cast<uint32_t>(batch.keys.size()));
    if (!st_.ok()) return false;
    st_.Merge(cudaGraphLaunch(exec_, stream_), "launch");
    st_.Merge(cudaStreamSynchronize(stream_), "batch");
    *out = *host_result_;
    return st_.ok();
  }

 private:
  void Prepare(uint32_t rows) {
    cudaGraph_t graph = nullptr;
    const uint32_t blocks = (rows + kThreads - 1) / kThreads;
    DeviceBuffer<uint8_t> selected(rows, st_);  // HAZARD dangling #selected
    if (!st_.Merge(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal), "begin")) return;
    st_.Merge(cudaMemcpyAsync(input_.get(), staging_, rows * sizeof(uint32_t), cudaMemcpyHostToDevice, stream_), "rows");  // HAZARD dynamic_shape #rows
    st_.Merge(cudaMemsetAsync(result_.get(), 0, sizeof(ProbeResult), stream_), "clear");
    FilterKernel<<<blocks, kThreads, 0, stream_>>>(input_.get(), selected.get(), rows);  // HAZARD dynamic_shape #rows
    ProbeKernel<<<blocks, kThreads, 0, stream_>>>(input_.get(), selected.get(), rows, slot_keys_.get(),  // HAZARD dynamic_shape #rows
                                                  slot_payloads_.get(), result_.get());
    st_.Merge(cudaMemcpyAsync(host_result_, result_.get(), sizeof(ProbeResult), cudaMemcpyDeviceToHost, stream_), "result");
    if (!st_.Merge(cudaStreamEndCapture(stream_, &graph), "end")) return;
    st_.Merge(cudaGraphInstantiate(&exec_, graph, 0), "instantiate");
    st_.Merge(cudaGraphDestroy(graph), "graph");
  }

  Status& st_;
  DeviceBuffer<uint32_t> slot_keys_, slot_payloads_, input_;
  DeviceBuffer<ProbeResult> result_;
  uint32_t* staging_ = nullptr;
  ProbeResult* host_result_ = nullptr;
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
};

}  // namespace exec

int main() {
  using namespace exec;
  std::unordered_map<uint32_t, uint32_t> side;
  for (uint32_t k = 0; k < 1500; ++k) side[k * 5 + 1] = k + 100;

  Status status;
  int batches = 0, wrong = 0;
  {
    HashJoinProbe probe(status);
    probe.Build(side);
    std::vector<std::unique_ptr<DeviceBuffer<uint8_t>>> other_operators;
    for (uint32_t rows : {1000u, 1900u, 450u, 2048u, 1000u}) {
      Batch batch;
      for (uint32_t i = 0; i < rows; ++i) batch.keys.push_back((i * 17 + rows) % 9000);
      ProbeResult got{}, want{};
      if (!probe.Next(batch, &got)) break;
      for (uint32_t key : batch.keys) {
        const auto it = key % 3 != 0 ? side.find(key) : side.end();
        if (it == side.end()) continue;
        ++want.matches;
        want.payload_sum += it->second;
      }
      wrong += got.matches != want.matches || got.payload_sum != want.payload_sum;
      ++batches;
      // Operators further up the plan take device memory as the query proceeds.
      other_operators.push_back(std::make_unique<DeviceBuffer<uint8_t>>(1000, status));
      status.Merge(cudaMemset(other_operators.back()->get(), 0xAB, 1000), "aggregate state");
    }
    for (const auto& state : other_operators) {
      std::vector<uint8_t> bytes(1000);
      status.Merge(cudaMemcpy(bytes.data(), state->get(), bytes.size(), cudaMemcpyDeviceToHost), "aggregate state");
      wrong += bytes != std::vector<uint8_t>(1000, 0xAB);
    }
  }
  std::printf("batches %d, wrong %d, status %s\n", batches, wrong, status.ok() ? "ok" : "failed");
  std::puts(!status.ok() || wrong > 0 ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
  return 0;
}
