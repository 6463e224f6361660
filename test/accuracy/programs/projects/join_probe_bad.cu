// join_probe: the probe side of a hash join with an aggregate on top (SELECT SUM(b.payload) FROM p JOIN b USING (key)).
// Batches arrive in any size. The batch buffers grow on demand, the probe pipeline is a graph.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <vector>

namespace exec {

using Key = uint32_t;
constexpr Key kEmpty = 0xffffffffu;
constexpr int kSlots = 1 << 14;
constexpr int kGrid = 64, kBlock = 256;

enum class [[nodiscard]] Rc { Ok, Failed };

Rc toRc(cudaError_t e, const char* op) {
  if (e == cudaSuccess) return Rc::Ok;
  std::printf("operator error in %s: %s\n", op, cudaGetErrorName(e));
  return Rc::Failed;
}

#define RETURN_IF_FAILED(e)                                       \
  do {                                                            \
    if (toRc((e), #e) != Rc::Ok) return Rc::Failed;               \
  } while (0)

struct BuildTable {
  Key* keys = nullptr;
  uint32_t* payload = nullptr;
};

__host__ __device__ inline uint32_t slotOf(Key k) { return (k * 2654435761u) & (kSlots - 1); }

__global__ void insertRows(BuildTable t, const Key* keys, const uint32_t* payload, int rows) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  for (uint32_t s = slotOf(keys[r]);; s = (s + 1) & (kSlots - 1)) {
    if (atomicCAS(&t.keys[s], kEmpty, keys[r]) == kEmpty) {
      t.payload[s] = payload[r];
      return;
    }
  }
}

__global__ void probeRows(BuildTable t, const Key* keys, const int* rows, unsigned long long* sum) {
  for (int r = blockIdx.x * blockDim.x + threadIdx.x; r < *rows; r += gridDim.x * blockDim.x) {
    const Key k = keys[r];
    for (uint32_t s = slotOf(k); t.keys[s] != kEmpty; s = (s + 1) & (kSlots - 1)) {
      if (t.keys[s] != k) continue;
      atomicAdd(sum, (unsigned long long)t.payload[s]);
      break;
    }
  }
}

class JoinProbe {
 public:
  Rc open(const std::vector<Key>& keys, const std::vector<uint32_t>& payload) {
    const int rows = int(keys.size());
    Key* k = nullptr;
    uint32_t* p = nullptr;
    RETURN_IF_FAILED(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    RETURN_IF_FAILED(cudaMalloc(&table_.keys, kSlots * sizeof(Key)));
    RETURN_IF_FAILED(cudaMalloc(&table_.payload, kSlots * sizeof(uint32_t)));
    RETURN_IF_FAILED(cudaMalloc(&rows_, sizeof(int)));
    RETURN_IF_FAILED(cudaMalloc(&sum_, sizeof *sum_));
    RETURN_IF_FAILED(cudaMalloc(&k, rows * sizeof(Key)));
    RETURN_IF_FAILED(cudaMalloc(&p, rows * sizeof(uint32_t)));
    RETURN_IF_FAILED(cudaMemcpyAsync(k, keys.data(), rows * sizeof(Key), cudaMemcpyHostToDevice, stream_));
    RETURN_IF_FAILED(cudaMemcpyAsync(p, payload.data(), rows * sizeof(uint32_t), cudaMemcpyHostToDevice, stream_));
    RETURN_IF_FAILED(cudaMemsetAsync(table_.keys, 0xff, kSlots * sizeof(Key), stream_));
    insertRows<<<(rows + kBlock - 1) / kBlock, kBlock, 0, stream_>>>(table_, k, p, rows);
    RETURN_IF_FAILED(cudaGetLastError());
    RETURN_IF_FAILED(cudaStreamSynchronize(stream_));
    RETURN_IF_FAILED(cudaFree(k));
    RETURN_IF_FAILED(cudaFree(p));
    return Rc::Ok;
  }

  Rc next(const std::vector<Key>& batch, unsigned long long* out) {
    const int rows = int(batch.size());
    if (reserve(rows) != Rc::Ok) return Rc::Failed;
    if (!pipeline_ && prepare() != Rc::Ok) return Rc::Failed;
    RETURN_IF_FAILED(cudaMemcpyAsync(keys_, batch.data(), rows * sizeof(Key), cudaMemcpyHostToDevice, stream_));
    RETURN_IF_FAILED(cudaMemcpyAsync(rows_, &rows, sizeof rows, cudaMemcpyHostToDevice, stream_));
    RETURN_IF_FAILED(cudaGraphLaunch(pipeline_, stream_));
    RETURN_IF_FAILED(cudaMemcpyAsync(out, sum_, sizeof *out, cudaMemcpyDeviceToHost, stream_));
    RETURN_IF_FAILED(cudaStreamSynchronize(stream_));
    return Rc::Ok;
  }

  ~JoinProbe() {
    if (pipeline_) cudaGraphExecDestroy(pipeline_);
    for (void* p : {(void*)table_.keys, (void*)table_.payload, (void*)keys_, (void*)rows_, (void*)sum_}) cudaFree(p);
    if (stream_) cudaStreamDestroy(stream_);
  }

 private:
  Rc reserve(int rows) {
    if (rows <= capacity_) return Rc::Ok;
    int capacity = capacity_ ? capacity_ : 1024;
    while (capacity < rows) capacity *= 2;
    Key* bigger = nullptr;
    RETURN_IF_FAILED(cudaMalloc(&bigger, capacity * sizeof(Key)));
    RETURN_IF_FAILED(cudaFree(keys_));  // HAZARD dangling #keys
    keys_ = bigger;
    capacity_ = capacity;
    return Rc::Ok;
  }

  Rc prepare() {
    cudaGraph_t plan = nullptr;
    RETURN_IF_FAILED(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
    cudaError_t cleared = cudaMemsetAsync(sum_, 0, sizeof *sum_, stream_);
    probeRows<<<kGrid, kBlock, 0, stream_>>>(table_, keys_, rows_, sum_);  // HAZARD dangling #keys
    cudaError_t probed = cudaGetLastError();
    RETURN_IF_FAILED(cudaStreamEndCapture(stream_, &plan));
    Rc rc = toRc(cleared, "clear") == Rc::Ok && toRc(probed, "probe") == Rc::Ok &&
                    toRc(cudaGraphInstantiate(&pipeline_, plan, 0), "instantiate") == Rc::Ok
                ? Rc::Ok
                : Rc::Failed;
    RETURN_IF_FAILED(cudaGraphDestroy(plan));
    return rc;
  }

  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t pipeline_ = nullptr;
  BuildTable table_;
  Key* keys_ = nullptr;
  int capacity_ = 0;
  int* rows_ = nullptr;
  unsigned long long* sum_ = nullptr;
};

}  // namespace exec

int main() {
  using exec::Key;
  std::vector<Key> build(4000);
  std::vector<uint32_t> payload(build.size());
  for (size_t i = 0; i < build.size(); ++i) {
    build[i] = Key(i * 3);
    payload[i] = uint32_t(i % 97 + 1);
  }
  int wrong = 0;
  bool failed = false;
  {
    exec::JoinProbe join;
    failed = join.open(build, payload) != exec::Rc::Ok;
    const int sizes[] = {700, 1000, 350, 6000, 2500, 9000};
    for (size_t b = 0; b < 6 && !failed; ++b) {
      std::vector<Key> batch(sizes[b]);
      for (int r = 0; r < sizes[b]; ++r) batch[r] = Key((r * 7 + int(b) * 13) % 12000);
      unsigned long long want = 0, got = 0;
      for (Key k : batch) want += k % 3 == 0 ? (k / 3) % 97 + 1 : 0;
      failed = join.next(batch, &got) != exec::Rc::Ok;
      if (!failed && got != want) ++wrong;
      std::printf("batch %zu: %d rows, sum %llu, expected %llu\n", b, sizes[b], got, want);
    }
  }
  std::printf("%s\n", failed || wrong > 0 ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
  return 0;
}
