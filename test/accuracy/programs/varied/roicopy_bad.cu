// Machine vision cell: the region under inspection comes from the operator's queue; it is cut out and thresholded.
#include <cuda_runtime.h>

#include <cstdio>
#include <queue>
#include <stdexcept>
#include <string>
#include <vector>

namespace vision {

inline void guard(cudaError_t rc, int line) {
  if (rc != cudaSuccess) throw std::runtime_error("line " + std::to_string(line) + ": " + cudaGetErrorString(rc));
}
#define GUARD(x) ::vision::guard((x), __LINE__)

constexpr int kWidth = 256;
constexpr int kHeight = 256;

struct Roi {
  int x = 0, y = 0, w = 0, h = 0;
};

__global__ void threshold(const unsigned char* in, unsigned char* out, unsigned char least) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i] >= least ? 1 : 0;
}

class InspectionCell {
 public:
  InspectionCell() {
    GUARD(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    GUARD(cudaMalloc(&frame_, kWidth * kHeight));
    GUARD(cudaMalloc(&cut_, kWidth * kHeight));
    GUARD(cudaMalloc(&mask_, kWidth * kHeight));
  }
  ~InspectionCell() {
    if (exec_) cudaGraphExecDestroy(exec_);
    cudaFree(frame_);
    cudaFree(cut_);
    cudaFree(mask_);
    cudaStreamDestroy(stream_);
  }

  void request(const Roi& roi) { requests_.push(roi); }

  // Bright pixels inside the region.
  int inspect(const std::vector<unsigned char>& frame) {
    if (!requests_.empty()) {
      roi_ = requests_.front();
      requests_.pop();
    }
    GUARD(cudaMemcpyAsync(frame_, frame.data(), frame.size(), cudaMemcpyHostToDevice, stream_));
    GUARD(cudaMemsetAsync(cut_, 0, kWidth * kHeight, stream_));
    if (!exec_) record();
    GUARD(cudaGraphLaunch(exec_, stream_));
    std::vector<unsigned char> mask(kWidth * kHeight);
    GUARD(cudaMemcpyAsync(mask.data(), mask_, mask.size(), cudaMemcpyDeviceToHost, stream_));
    GUARD(cudaStreamSynchronize(stream_));
    int bright = 0;
    for (unsigned char m : mask) bright += m;
    return bright;
  }

 private:
  void record() {
    GUARD(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    GUARD(cudaMemcpy2DAsync(cut_, kWidth, frame_ + roi_.y * kWidth + roi_.x, kWidth, roi_.w, roi_.h,  // HAZARD dynamic_shape #1
                            cudaMemcpyDeviceToDevice, stream_));  // HAZARD dynamic_shape #1
    threshold<<<kWidth * kHeight / 256, 256, 0, stream_>>>(cut_, mask_, 128);
    cudaGraph_t graph = nullptr;
    GUARD(cudaStreamEndCapture(stream_, &graph));
    GUARD(cudaGraphInstantiate(&exec_, graph, 0));
    GUARD(cudaGraphDestroy(graph));
  }

  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
  unsigned char *frame_ = nullptr, *cut_ = nullptr, *mask_ = nullptr;
  std::queue<Roi> requests_;
  Roi roi_;
};

}  // namespace vision

int main() {
  try {
    vision::InspectionCell cell;
    const std::vector<unsigned char> frame(vision::kWidth * vision::kHeight, 200);
    bool right = true;
    for (const vision::Roi& roi : {vision::Roi{4, 4, 32, 16}, vision::Roi{10, 0, 64, 64}, vision::Roi{0, 8, 16, 8}}) {
      cell.request(roi);
      right = cell.inspect(frame) == roi.w * roi.h && right;
    }
    std::puts(right ? "LABEL REFUTED" : "LABEL CONFIRMED");
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    std::puts("LABEL REFUTED");
  }
  return 0;
}
