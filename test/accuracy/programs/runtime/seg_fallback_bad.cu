#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

namespace medrt {

class CudaException : public std::runtime_error {
 public:
  CudaException(cudaError_t rc, int line)
      : std::runtime_error(std::string(cudaGetErrorName(rc)) + " at line " + std::to_string(line)), rc_(rc) {}
  cudaError_t code() const { return rc_; }

 private:
  cudaError_t rc_;
};

#define CUDA_RETURN_OR_THROW(expr)                                     \
  do {                                                                 \
    cudaError_t st = (expr);                                           \
    if (st != cudaSuccess) throw ::medrt::CudaException(st, __LINE__); \
  } while (0)

__global__ void ConvStub(float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = x[i] * 0.5f + 1.0f;
}

__global__ void ThresholdStub(float* x, float level, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = x[i] > level ? x[i] : 0.0f;
}

struct OpKernelContext {
  cudaStream_t stream;
  float* volume;
  int voxels;
};

using OpKernel = std::function<void(const OpKernelContext&)>;

static bool InCapture(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  CUDA_RETURN_OR_THROW(cudaStreamIsCapturing(stream, &status));
  return status != cudaStreamCaptureStatusNone;
}

static const std::unordered_map<std::string, OpKernel> kKernelRegistry = {
    {"Conv3D",
     [](const OpKernelContext& c) {
       ConvStub<<<(c.voxels + 255) / 256, 256, 0, c.stream>>>(c.volume, c.voxels);
       CUDA_RETURN_OR_THROW(cudaGetLastError());
     }},
    {"AdaptiveThreshold",
     [](const OpKernelContext& c) {
       if (InCapture(c.stream)) throw std::runtime_error("AdaptiveThreshold reads back");  // HAZARD scope #1
       float level = 0.0f;
       CUDA_RETURN_OR_THROW(
           cudaMemcpyAsync(&level, c.volume, sizeof(float), cudaMemcpyDeviceToHost, c.stream));
       CUDA_RETURN_OR_THROW(cudaStreamSynchronize(c.stream));
       ThresholdStub<<<(c.voxels + 255) / 256, 256, 0, c.stream>>>(c.volume, 0.5f * level, c.voxels);
       CUDA_RETURN_OR_THROW(cudaGetLastError());
     }},
};

class InferenceSession {
 public:
  InferenceSession(std::vector<std::string> nodes, int voxels) : nodes_(std::move(nodes)) {
    CUDA_RETURN_OR_THROW(cudaStreamCreateWithFlags(&ctx_.stream, cudaStreamNonBlocking));
    CUDA_RETURN_OR_THROW(cudaMalloc(&ctx_.volume, voxels * sizeof(float)));
    ctx_.voxels = voxels;
  }
  ~InferenceSession() {
    if (exec_) cudaGraphExecDestroy(exec_);
    cudaStreamDestroy(ctx_.stream);
    cudaFree(ctx_.volume);
  }
  InferenceSession(const InferenceSession&) = delete;
  InferenceSession& operator=(const InferenceSession&) = delete;

  void Run(const std::vector<float>& in, std::vector<float>& out) {
    if (graph_enabled_ && !exec_) {
      try {
        CaptureGraph();
      } catch (const std::exception& e) {
        std::fprintf(stderr, "graph disabled: %s\n", e.what());
        graph_enabled_ = false;
      }
    }
    Upload(in);
    if (exec_) {
      CUDA_RETURN_OR_THROW(cudaGraphLaunch(exec_, ctx_.stream));
    } else {
      ExecuteNodes();
    }
    Download(out);
  }

 private:
  void ExecuteNodes() {
    for (const std::string& name : nodes_) kKernelRegistry.at(name)(ctx_);
  }

  void CaptureGraph() {
    cudaGraph_t graph = nullptr;
    CUDA_RETURN_OR_THROW(cudaStreamBeginCapture(ctx_.stream, cudaStreamCaptureModeThreadLocal));  // HAZARD scope #1
    ExecuteNodes();  // HAZARD scope #1
    CUDA_RETURN_OR_THROW(cudaStreamEndCapture(ctx_.stream, &graph));
    const cudaError_t rc = cudaGraphInstantiate(&exec_, graph, 0);
    cudaGraphDestroy(graph);
    CUDA_RETURN_OR_THROW(rc);
  }

  void Upload(const std::vector<float>& in) {
    CUDA_RETURN_OR_THROW(cudaMemcpyAsync(ctx_.volume, in.data(), in.size() * sizeof(float), cudaMemcpyHostToDevice,
                                         ctx_.stream));
  }
  void Download(std::vector<float>& out) {
    out.assign(ctx_.voxels, -1.0f);
    CUDA_RETURN_OR_THROW(cudaMemcpyAsync(out.data(), ctx_.volume, out.size() * sizeof(float),
                                         cudaMemcpyDeviceToHost, ctx_.stream));
    CUDA_RETURN_OR_THROW(cudaStreamSynchronize(ctx_.stream));  // HAZARD scope #1
  }

  std::vector<std::string> nodes_;
  OpKernelContext ctx_{};
  bool graph_enabled_ = true;
  cudaGraphExec_t exec_ = nullptr;
};

}  // namespace medrt

static bool RunModel(std::vector<std::string> nodes, float voxel, float want) {
  constexpr int kVoxels = 48 * 48 * 48;
  medrt::InferenceSession session(std::move(nodes), kVoxels);
  bool right = true;
  for (int scan = 0; scan < 3; ++scan) {
    std::vector<float> out;
    try {
      session.Run(std::vector<float>(kVoxels, voxel), out);
    } catch (const std::exception& e) {
      std::fprintf(stderr, "scan %d: %s\n", scan, e.what());
      return false;
    }
    for (float v : out) right = right && std::fabs(v - want) < 1e-5f;
  }
  return right;
}

int main() {
  const bool plain = RunModel({"Conv3D", "Conv3D"}, 4.0f, 2.5f);
  const bool adaptive = RunModel({"Conv3D", "AdaptiveThreshold", "Conv3D"}, 4.0f, 2.5f);
  std::puts(plain && !adaptive ? "LABEL CONFIRMED" : "LABEL REFUTED");
  return 0;
}
