// CT slice post-processing: filters record themselves into a per-protocol graph.
#include <cuda_runtime.h>

#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <vector>

using Slice = float*;
constexpr int kSide = 128;
constexpr int kVoxels = kSide * kSide;

__global__ void fillKernel(float* p, float v) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kVoxels) p[i] = v;
}
__global__ void blurRows(const float* in, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int x = i % kSide;
  float l = in[x ? i - 1 : i], r = in[x + 1 < kSide ? i + 1 : i];
  out[i] = (l + in[i] + r) / 3.f;
}
__global__ void blurColumns(const float* in, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int y = i / kSide;
  float u = in[y ? i - kSide : i], d = in[y + 1 < kSide ? i + kSide : i];
  out[i] = (u + in[i] + d) / 3.f;
}
__global__ void gradientMagnitude(const float* in, float* tmp, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  tmp[i] = (i % kSide) ? fabsf(in[i] - in[i - 1]) : 0.f;
  out[i] = 2.f * tmp[i];
}

class VolumePool {
 public:
  ~VolumePool() {
    for (Slice s : free_) cudaFree(s);
  }
  std::shared_ptr<float> lease() {
    Slice s = nullptr;
    if (!free_.empty()) {
      s = free_.back();
      free_.pop_back();
    } else if (cudaMalloc(&s, kVoxels * sizeof(float)) != cudaSuccess) {
      return nullptr;
    }
    return std::shared_ptr<float>(s, [this](float* p) { free_.push_back(p); });
  }
  void reserve(int n) {
    std::vector<std::shared_ptr<float>> hold;
    for (int i = 0; i < n; ++i) hold.push_back(lease());
  }

 private:
  std::vector<Slice> free_;
};

struct Filter {
  virtual ~Filter() = default;
  virtual cudaError_t prepare(VolumePool& pool) = 0;
  virtual cudaError_t enqueue(Slice in, Slice out, VolumePool& pool, cudaStream_t s) = 0;
};

class SeparableBlur : public Filter {
 public:
  cudaError_t prepare(VolumePool& pool) override {
    if (!rows_) rows_ = pool.lease();
    return rows_ ? cudaSuccess : cudaErrorMemoryAllocation;
  }
  cudaError_t enqueue(Slice in, Slice out, VolumePool& pool, cudaStream_t s) override {
    (void)pool;
    blurRows<<<kVoxels / 256, 256, 0, s>>>(in, rows_.get());
    blurColumns<<<kVoxels / 256, 256, 0, s>>>(rows_.get(), out);
    return cudaGetLastError();
  }

 private:
  std::shared_ptr<float> rows_;
};

class EdgeMap : public Filter {
 public:
  ~EdgeMap() override { cudaFree(differences_); }
  cudaError_t prepare(VolumePool&) override {
    return differences_ ? cudaSuccess : cudaMalloc(&differences_, kVoxels * sizeof(float));
  }
  cudaError_t enqueue(Slice in, Slice out, VolumePool&, cudaStream_t s) override {
    gradientMagnitude<<<kVoxels / 256, 256, 0, s>>>(in, differences_, out);
    return cudaGetLastError();
  }

 private:
  Slice differences_ = nullptr;
};

class ProtocolRunner {
 public:
  explicit ProtocolRunner(VolumePool& pool) : pool_(pool) { cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking); }
  ~ProtocolRunner() {
    for (auto& [name, exec] : protocols_) cudaGraphExecDestroy(exec);
    cudaStreamDestroy(stream_);
  }
  cudaError_t compile(const std::string& name, Filter& filter, Slice in, Slice out) {
    if (cudaError_t rc = filter.prepare(pool_); rc != cudaSuccess) return rc;
    cudaError_t rc = cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal);
    if (rc != cudaSuccess) return rc;
    cudaError_t body = filter.enqueue(in, out, pool_, stream_);
    cudaGraph_t graph = nullptr;
    rc = cudaStreamEndCapture(stream_, &graph);
    if (body != cudaSuccess || rc != cudaSuccess) {
      if (graph) cudaGraphDestroy(graph);
      cudaGetLastError();
      return body != cudaSuccess ? body : rc;
    }
    rc = cudaGraphInstantiate(&protocols_[name], graph, 0);
    cudaGraphDestroy(graph);
    return rc;
  }
  cudaError_t run(const std::string& name) {
    cudaError_t rc = cudaGraphLaunch(protocols_.at(name), stream_);
    return rc == cudaSuccess ? cudaStreamSynchronize(stream_) : rc;
  }

 private:
  VolumePool& pool_;
  cudaStream_t stream_ = nullptr;
  std::map<std::string, cudaGraphExec_t> protocols_;
};

static float voxel(const float* p) {
  float v = -1;
  cudaMemcpy(&v, p + kVoxels / 2, sizeof v, cudaMemcpyDeviceToHost);
  return v;
}

int main() {
  VolumePool pool;
  pool.reserve(6);
  auto in = pool.lease(), smooth = pool.lease(), edges = pool.lease();
  fillKernel<<<kVoxels / 256, 256>>>(in.get(), 10.f);
  fillKernel<<<kVoxels / 256, 256>>>(edges.get(), -5.f);
  cudaDeviceSynchronize();
  SeparableBlur blur;
  EdgeMap edge;
  ProtocolRunner runner(pool);
  cudaError_t blurStatus = runner.compile("lung", blur, in.get(), smooth.get());
  cudaError_t edgeStatus = runner.compile("bone", edge, in.get(), edges.get());
  auto reference = pool.lease();
  fillKernel<<<kVoxels / 256, 256>>>(reference.get(), 99.f);
  cudaDeviceSynchronize();
  cudaError_t runStatus = blurStatus;
  for (int i = 0; i < 3 && runStatus == cudaSuccess; ++i) runStatus = runner.run("lung");
  if (runStatus == cudaSuccess && edgeStatus == cudaSuccess) runStatus = runner.run("bone");
  const float s = voxel(smooth.get()), r = voxel(reference.get()), e = voxel(edges.get());
  std::printf("smooth %.2f reference %.2f edge %.2f status %d %d %d\n", s, r, e, blurStatus, edgeStatus, runStatus);
  bool match = runStatus == cudaSuccess && r == 99.f && edgeStatus == cudaSuccess && e == 0.f && s > 9.99f && s < 10.01f;
  std::puts(match ? "LABEL CONFIRMED" : "LABEL REFUTED");
}
