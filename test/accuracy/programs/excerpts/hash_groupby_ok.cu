// gpu_exec/hash_groupby: SELECT key, SUM(val) FROM batch WHERE val >= ? GROUP BY key.
// Batches of equal row count reuse one captured pipeline.
#include <cuda_runtime.h>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace gpudb {

class Status {
 public:
  static Status OK() { return Status(); }
  static Status GpuError(const char* what, cudaError_t e) { return Status(std::string(what) + ": " + cudaGetErrorString(e)); }
  bool ok() const { return msg_.empty(); }
  const std::string& message() const { return msg_; }
 private:
  Status() = default;
  explicit Status(std::string m) : msg_(std::move(m)) {}
  std::string msg_;
};

#define RETURN_NOT_OK(expr)            \
  do {                                 \
    ::gpudb::Status st__ = (expr);     \
    if (!st__.ok()) return st__;       \
  } while (0)

#define RETURN_IF_CUDA_ERROR(expr)                                             \
  do {                                                                         \
    cudaError_t e__ = (expr);                                                  \
    if (e__ != cudaSuccess) return ::gpudb::Status::GpuError(#expr, e__);      \
  } while (0)

constexpr int kRows = 4096;
constexpr int kGroups = 32;
constexpr int kBlock = 256;

struct Row {
  int32_t key;
  int32_t val;
};

__global__ void filter_ge(const Row* rows, int n, const int32_t* bound, int32_t* sel, int32_t* nsel) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && rows[i].val >= *bound) sel[atomicAdd(nsel, 1)] = i;
}

// A single block is enough for a handful of rows and needs no second pass.
__global__ void groupby_small(const Row* rows, const int32_t* sel, const int32_t* nsel, unsigned long long* sums) {
  const int n = *nsel;
  if (n > kBlock) return;  // groupby_large has them
  const int i = threadIdx.x;
  if (i < n) atomicAdd(&sums[rows[sel[i]].key], static_cast<unsigned long long>(rows[sel[i]].val));
}

__global__ void groupby_large(const Row* rows, const int32_t* sel, const int32_t* nsel, unsigned long long* sums) {
  __shared__ unsigned long long local[kGroups];
  const int n = *nsel;
  if (n <= kBlock) return;  // groupby_small has them
  for (int g = threadIdx.x; g < kGroups; g += blockDim.x) local[g] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&local[rows[sel[i]].key], static_cast<unsigned long long>(rows[sel[i]].val));
  __syncthreads();
  for (int g = threadIdx.x; g < kGroups; g += blockDim.x)
    if (local[g]) atomicAdd(&sums[g], local[g]);
}

struct OperatorMetrics {
  int64_t batches = 0;
  int64_t rows_in = 0;
  int64_t rows_selected = 0;
};

struct HostSlots {  // pinned
  Row rows[kRows];
  int32_t bound;
  int32_t selected;
  unsigned long long sums[kGroups];
};

struct DeviceSlots {
  Row rows[kRows];
  int32_t sel[kRows];
  int32_t bound;
  int32_t selected;
  unsigned long long sums[kGroups];
};

class GroupByOperator {
 public:
  static Status Make(std::unique_ptr<GroupByOperator>* out) {
    std::unique_ptr<GroupByOperator> op(new GroupByOperator);
    RETURN_IF_CUDA_ERROR(cudaStreamCreateWithFlags(&op->stream_, cudaStreamNonBlocking));
    RETURN_IF_CUDA_ERROR(cudaMallocHost(&op->h_, sizeof(HostSlots)));
    RETURN_IF_CUDA_ERROR(cudaMalloc(&op->d_, sizeof(DeviceSlots)));
    op->h_->selected = 0;
    *out = std::move(op);
    return Status::OK();
  }
  ~GroupByOperator() {
    if (exec_) cudaGraphExecDestroy(exec_);
    cudaFree(d_);
    cudaFreeHost(h_);
    if (stream_) cudaStreamDestroy(stream_);
  }

  Status Process(const std::vector<Row>& batch, int32_t bound, std::vector<unsigned long long>* sums) {
    std::copy(batch.begin(), batch.end(), h_->rows);
    h_->bound = bound;
    if (exec_ == nullptr) RETURN_NOT_OK(Prepare());
    RETURN_IF_CUDA_ERROR(cudaGraphLaunch(exec_, stream_));
    RETURN_IF_CUDA_ERROR(cudaStreamSynchronize(stream_));
    metrics_.batches += 1;
    metrics_.rows_in += kRows;
    metrics_.rows_selected += h_->selected;
    sums->assign(h_->sums, h_->sums + kGroups);
    return Status::OK();
  }
  const OperatorMetrics& metrics() const { return metrics_; }

 private:
  GroupByOperator() = default;

  // The body may fail half-way; the capture is closed either way.
  Status Prepare() {
    cudaGraph_t graph = nullptr;
    RETURN_IF_CUDA_ERROR(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
    Status body = Enqueue();
    const cudaError_t end = cudaStreamEndCapture(stream_, &graph);
    if (body.ok() && end == cudaSuccess) {
      const cudaError_t inst = cudaGraphInstantiate(&exec_, graph, 0);
      if (inst != cudaSuccess) body = Status::GpuError("instantiate", inst);
    }
    if (graph) cudaGraphDestroy(graph);
    RETURN_NOT_OK(body);
    RETURN_IF_CUDA_ERROR(end);
    return Status::OK();
  }

  Status Enqueue() {
    const int grid = kRows / kBlock;
    RETURN_IF_CUDA_ERROR(cudaMemcpyAsync(d_->rows, h_->rows, sizeof(h_->rows), cudaMemcpyHostToDevice, stream_));
    RETURN_IF_CUDA_ERROR(cudaMemcpyAsync(&d_->bound, &h_->bound, sizeof(int32_t), cudaMemcpyHostToDevice, stream_));
    RETURN_IF_CUDA_ERROR(cudaMemsetAsync(&d_->selected, 0, sizeof(int32_t), stream_));
    RETURN_IF_CUDA_ERROR(cudaMemsetAsync(d_->sums, 0, sizeof(d_->sums), stream_));
    filter_ge<<<grid, kBlock, 0, stream_>>>(d_->rows, kRows, &d_->bound, d_->sel, &d_->selected);
    RETURN_IF_CUDA_ERROR(cudaMemcpyAsync(&h_->selected, &d_->selected, sizeof(int32_t), cudaMemcpyDeviceToHost, stream_));
    // Selectivity is known only on the device: enqueue both, one of them returns at once.
    groupby_large<<<grid, kBlock, 0, stream_>>>(d_->rows, d_->sel, &d_->selected, d_->sums);
    groupby_small<<<1, kBlock, 0, stream_>>>(d_->rows, d_->sel, &d_->selected, d_->sums);
    RETURN_IF_CUDA_ERROR(cudaMemcpyAsync(h_->sums, d_->sums, sizeof(h_->sums), cudaMemcpyDeviceToHost, stream_));
    RETURN_IF_CUDA_ERROR(cudaGetLastError());
    return Status::OK();
  }

  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
  HostSlots* h_ = nullptr;
  DeviceSlots* d_ = nullptr;
  OperatorMetrics metrics_;
};

}  // namespace gpudb

int main() {
  using namespace gpudb;
  const int32_t bounds[] = {990, 100, 999, 0, 500};
  std::unique_ptr<GroupByOperator> op;
  Status st = GroupByOperator::Make(&op);
  int wrong = 0;
  int64_t selected = 0, ran = 0;
  for (int32_t bound : bounds) {
    if (!st.ok()) break;
    std::vector<Row> batch(kRows);
    std::vector<unsigned long long> want(kGroups, 0), got;
    for (int i = 0; i < kRows; ++i) {
      batch[i] = {(i * 13 + bound) % kGroups, (i * 37 + bound) % 1000};
      if (batch[i].val < bound) continue;
      want[batch[i].key] += batch[i].val;
      ++selected;
    }
    st = op->Process(batch, bound, &got);
    if (!st.ok()) break;
    ++ran;
    wrong += got != want;
  }
  if (!st.ok()) std::fprintf(stderr, "gpudb: %s\n", st.message().c_str());
  const bool metrics_right = st.ok() && op->metrics().batches == ran && op->metrics().rows_in == ran * kRows &&
                             op->metrics().rows_selected == selected;
  std::printf("batches %lld, wrong %d, metrics %s\n", static_cast<long long>(ran), wrong, metrics_right ? "agree" : "differ");
  std::puts(st.ok() && wrong == 0 && metrics_right ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
  return 0;
}
