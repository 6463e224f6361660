// Stereo matcher of a depth camera: left and right images are prepared on two lanes of one frame graph.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#define STEREO_ASSERT(x)                                                          \
  do {                                                                            \
    cudaError_t sa_ = (x);                                                        \
    if (sa_ != cudaSuccess) {                                                     \
      std::fprintf(stderr, "%d: %s\n", __LINE__, cudaGetErrorString(sa_));        \
      std::abort();                                                               \
    }                                                                             \
  } while (0)

namespace stereo {

struct Image {
  int* in;
  int* rectified;
  int* census;
};

__global__ void rectify(const int* in, int* out, int n, int shift) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[(i + shift) % n];
}

__global__ void censusTransform(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = (in[i] > in[(i + 1) % n]) | (in[i] > in[(i + n - 1) % n]) << 1;
}

__global__ void matchCost(const int* left, const int* right, int* cost, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) cost[i] = __popc(left[i] ^ right[i]);
}

class Lane {
 public:
  Lane() {
    STEREO_ASSERT(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    STEREO_ASSERT(cudaEventCreateWithFlags(&forked_, cudaEventDisableTiming));
    STEREO_ASSERT(cudaEventCreateWithFlags(&joined_, cudaEventDisableTiming));
  }
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;
  ~Lane() {
    cudaEventDestroy(joined_);
    cudaEventDestroy(forked_);
    cudaStreamDestroy(stream_);
  }

 private:
  friend class Branch;
  cudaStream_t stream_;
  cudaEvent_t forked_, joined_;
};

class Branch {
 public:
  Branch(Lane& lane, cudaStream_t trunk) : lane_(lane), trunk_(trunk) {
    STEREO_ASSERT(cudaEventRecord(lane_.forked_, trunk_));
    STEREO_ASSERT(cudaStreamWaitEvent(lane_.stream_, lane_.forked_, 0));
  }
  Branch(const Branch&) = delete;
  Branch& operator=(const Branch&) = delete;
  ~Branch() {
    STEREO_ASSERT(cudaEventRecord(lane_.joined_, lane_.stream_));
    STEREO_ASSERT(cudaStreamWaitEvent(trunk_, lane_.joined_, 0));
  }
  cudaStream_t stream() const { return lane_.stream_; }

 private:
  Lane& lane_;
  cudaStream_t trunk_;
};

class Matcher {
 public:
  Matcher(const Image& left, const Image& right, int* cost, int n) : left_(left), right_(right), cost_(cost), n_(n) {}
  Matcher(const Matcher&) = delete;
  Matcher& operator=(const Matcher&) = delete;
  ~Matcher() {
    if (exec_) cudaGraphExecDestroy(exec_);
  }

  cudaError_t build(cudaStream_t trunk) {
    cudaGraph_t graph = nullptr;
    if (cudaError_t rc = cudaStreamBeginCapture(trunk, cudaStreamCaptureModeThreadLocal)) return rc;
    rectifyBoth(trunk);
    censusBoth(trunk);
    matchCost<<<grid(), 128, 0, trunk>>>(left_.census, right_.census, cost_, n_);
    const cudaError_t launched = cudaGetLastError();
    if (cudaError_t rc = cudaStreamEndCapture(trunk, &graph)) return rc;
    const cudaError_t made = launched == cudaSuccess ? cudaGraphInstantiate(&exec_, graph, 0) : launched;
    STEREO_ASSERT(cudaGraphDestroy(graph));
    return made;
  }

  void match(cudaStream_t trunk) const { STEREO_ASSERT(cudaGraphLaunch(exec_, trunk)); }

 private:
  void rectifyBoth(cudaStream_t trunk) {
    const Branch branch(lane_, trunk);
    const cudaStream_t side = branch.stream();
    rectify<<<grid(), 128, 0, side>>>(right_.in, right_.rectified, n_, 3);
    rectify<<<grid(), 128, 0, trunk>>>(left_.in, left_.rectified, n_, 0);
    STEREO_ASSERT(cudaGetLastError());
  }

  void censusBoth(cudaStream_t trunk) {
    const cudaStream_t side = Branch(lane_, trunk).stream();  // HAZARD dependency #1
    censusTransform<<<grid(), 128, 0, side>>>(right_.rectified, right_.census, n_);  // HAZARD dependency #1
    censusTransform<<<grid(), 128, 0, trunk>>>(left_.rectified, left_.census, n_);
    STEREO_ASSERT(cudaGetLastError());
  }

  int grid() const { return (n_ + 127) / 128; }

  const Image left_, right_;
  int* const cost_;
  const int n_;
  Lane lane_;
  cudaGraphExec_t exec_ = nullptr;
};

}  // namespace stereo

int main() {
  using namespace stereo;
  constexpr int n = 1024;
  cudaStream_t trunk;
  int* pool;
  STEREO_ASSERT(cudaStreamCreateWithFlags(&trunk, cudaStreamNonBlocking));
  STEREO_ASSERT(cudaMalloc(&pool, 7 * n * sizeof(int)));
  bool built = false, right = true;
  {
    Matcher matcher({pool, pool + n, pool + 2 * n}, {pool + 3 * n, pool + 4 * n, pool + 5 * n}, pool + 6 * n, n);
    built = matcher.build(trunk) == cudaSuccess;
    std::vector<int> l(n), r(n), cost(n);
    for (int frame = 1; built && frame <= 3; ++frame) {
      for (int i = 0; i < n; ++i) l[i] = (i * 37 * frame) % 101, r[(i + 3) % n] = l[i];
      STEREO_ASSERT(cudaMemcpyAsync(pool, l.data(), n * sizeof(int), cudaMemcpyHostToDevice, trunk));
      STEREO_ASSERT(cudaMemcpyAsync(pool + 3 * n, r.data(), n * sizeof(int), cudaMemcpyHostToDevice, trunk));
      STEREO_ASSERT(cudaMemsetAsync(pool + 6 * n, 0xff, n * sizeof(int), trunk));
      matcher.match(trunk);
      STEREO_ASSERT(cudaMemcpyAsync(cost.data(), pool + 6 * n, n * sizeof(int), cudaMemcpyDeviceToHost, trunk));
      STEREO_ASSERT(cudaStreamSynchronize(trunk));
      for (int i = 0; i < n; ++i) right = right && cost[i] == 0;
    }
  }
  STEREO_ASSERT(cudaFree(pool));
  STEREO_ASSERT(cudaStreamDestroy(trunk));
  std::puts(built && right ? "LABEL REFUTED" : "LABEL CONFIRMED");
  return 0;
}
