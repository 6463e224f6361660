// Visual odometry front end: features of the left and the right image are extracted on two streams, then matched.
#include <cuda_runtime.h>

#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

namespace odom {

#define OD_CHECK(expr)                                                                           \
  do {                                                                                           \
    const cudaError_t od_rc = (expr);                                                            \
    if (od_rc != cudaSuccess) throw std::runtime_error(std::string(#expr ": ") + cudaGetErrorString(od_rc)); \
  } while (0)

constexpr int kPixels = 4096;

__global__ void blur(const int* image, int* smooth, long long delay) {
  const long long begin = clock64();
  while (clock64() - begin < delay) {
  }
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  smooth[i] = image[i] + 1;
}
__global__ void corners(const int* smooth, int* score) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  score[i] = smooth[i] * 2;
}
__global__ void match(const int* left, const int* right, int* cost) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  cost[i] = left[i] - right[i];
}

class Event {
 public:
  Event() { OD_CHECK(cudaEventCreateWithFlags(&e_, cudaEventDisableTiming)); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() { cudaEventDestroy(e_); }
  void record(cudaStream_t s) { OD_CHECK(cudaEventRecord(e_, s)); }
  void block(cudaStream_t s) const { OD_CHECK(cudaStreamWaitEvent(s, e_, 0)); }

 private:
  cudaEvent_t e_ = nullptr;
};

class Stream {
 public:
  Stream() { OD_CHECK(cudaStreamCreateWithFlags(&s_, cudaStreamNonBlocking)); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() { cudaStreamDestroy(s_); }
  operator cudaStream_t() const { return s_; }

 private:
  cudaStream_t s_ = nullptr;
};

struct View {
  int *image, *smooth, *score;
};

class FrontEnd {
 public:
  FrontEnd() {
    OD_CHECK(cudaMalloc(&memory_, 7 * kPixels * sizeof(int)));
    OD_CHECK(cudaMemset(memory_, 0, 7 * kPixels * sizeof(int)));
    OD_CHECK(cudaDeviceSynchronize());
    left_ = {memory_, memory_ + kPixels, memory_ + 2 * kPixels};
    right_ = {memory_ + 3 * kPixels, memory_ + 4 * kPixels, memory_ + 5 * kPixels};
    cost_ = memory_ + 6 * kPixels;
  }
  ~FrontEnd() {
    if (exec_) cudaGraphExecDestroy(exec_);
    cudaFree(memory_);
  }

  void compile() {
    OD_CHECK(cudaStreamBeginCapture(main_, cudaStreamCaptureModeThreadLocal));
    fork_.record(main_);
    fork_.block(aux_);
    extract();
    match<<<kPixels / 128, 128, 0, main_>>>(left_.score, right_.score, cost_);
    cudaGraph_t graph = nullptr;
    OD_CHECK(cudaStreamEndCapture(main_, &graph));
    OD_CHECK(cudaGraphInstantiate(&exec_, graph, 0));
    OD_CHECK(cudaGraphDestroy(graph));
  }

  int run(int left, int right) {
    const std::vector<int> l(kPixels, left), r(kPixels, right);
    int cost = 0;
    OD_CHECK(cudaMemcpyAsync(left_.image, l.data(), kPixels * sizeof(int), cudaMemcpyHostToDevice, main_));
    OD_CHECK(cudaMemcpyAsync(right_.image, r.data(), kPixels * sizeof(int), cudaMemcpyHostToDevice, main_));
    OD_CHECK(cudaGraphLaunch(exec_, main_));
    OD_CHECK(cudaMemcpyAsync(&cost, cost_ + 99, sizeof cost, cudaMemcpyDeviceToHost, main_));
    OD_CHECK(cudaStreamSynchronize(main_));
    return cost;
  }

 private:
  void extract() {
    constexpr long long kSlow = 2000000;
    // The left scores are computed beside the right blur.
    blur<<<kPixels / 128, 128, 0, main_>>>(left_.image, left_.smooth, 0);
    blurred_.record(aux_);  // HAZARD dependency #1
    blur<<<kPixels / 128, 128, 0, aux_>>>(right_.image, right_.smooth, kSlow);
    corners<<<kPixels / 128, 128, 0, main_>>>(left_.smooth, left_.score);
    blurred_.block(main_);  // HAZARD dependency #1
    corners<<<kPixels / 128, 128, 0, main_>>>(right_.smooth, right_.score);  // HAZARD dependency #1
    joined_.record(aux_);
    joined_.block(main_);
  }

  Stream main_, aux_;
  Event fork_, blurred_, joined_;
  View left_{}, right_{};
  int *memory_ = nullptr, *cost_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
};

}  // namespace odom

int main() {
  try {
    odom::FrontEnd frontEnd;
    frontEnd.compile();
    bool right = true;
    for (int k = 1; k <= 4; ++k) right = frontEnd.run(10 * k, 3 * k) == 14 * k && right;
    std::puts(right ? "LABEL REFUTED" : "LABEL CONFIRMED");
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    std::puts("LABEL REFUTED");
  }
  return 0;
}
