// rising bubble, explicit advection with an adaptive step; filter every 4th step
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

#define GPU(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { printf("%s: %s\nLABEL REFUTED\n", #x, cudaGetErrorString(e_)); exit(0); } } while (0)

namespace {

constexpr int kCells = 1024;
cudaStream_t stream;

__global__ void advect(float* phi, const float* vel, const float* dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kCells) phi[i] += vel[i] * *dt;
}
__global__ void smooth(float* phi) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kCells) phi[i] *= 0.5f;
}

class Bubble {
 public:
  Bubble() {
    std::vector<float> v(kCells, 2.f);
    GPU(cudaMalloc(&phi_, kCells * sizeof(float)));
    GPU(cudaMalloc(&vel_, kCells * sizeof(float)));
    GPU(cudaMalloc(&dt_dev_, sizeof(float)));
    GPU(cudaMemcpy(vel_, v.data(), kCells * sizeof(float), cudaMemcpyHostToDevice));
    GPU(cudaMemset(phi_, 0, kCells * sizeof(float)));
    GPU(cudaDeviceSynchronize());
    filter_ = [this](cudaStream_t s) {
      smooth<<<kCells / 256, 256, 0, s>>>(phi_);
      GPU(cudaGetLastError());
    };
    core_ = [this](cudaStream_t s) {
      advect<<<kCells / 256, 256, 0, s>>>(phi_, vel_, dt_dev_);
      GPU(cudaGetLastError());
    };
  }
  ~Bubble() {
    if (step_) cudaGraphExecDestroy(step_);
    if (filter_exec_) cudaGraphExecDestroy(filter_exec_);
    cudaFree(phi_); cudaFree(vel_); cudaFree(dt_dev_);
  }

  void step() {
    if (!step_) {
      step_ = graph_of({core_});
      filter_exec_ = graph_of({filter_});
    }
    GPU(cudaMemcpyAsync(dt_dev_, &dt_, sizeof dt_, cudaMemcpyHostToDevice, stream));
    GPU(cudaGraphLaunch(step_, stream));
    if (iter_ % 4 == 3) GPU(cudaGraphLaunch(filter_exec_, stream));
    GPU(cudaStreamSynchronize(stream));
    ++iter_;
    dt_ = next_dt(iter_);
  }

  static float next_dt(int it) { return 0.5f / (1 + it / 2); }

  float probe() const {
    float h;
    GPU(cudaMemcpy(&h, phi_ + 77, sizeof h, cudaMemcpyDeviceToHost));
    return h;
  }

 private:
  using Stage = std::function<void(cudaStream_t)>;
  static cudaGraphExec_t graph_of(const std::vector<Stage>& stages) {
    cudaGraph_t g;
    cudaGraphExec_t e;
    GPU(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    for (const Stage& st : stages) st(stream);
    GPU(cudaStreamEndCapture(stream, &g));
    GPU(cudaGraphInstantiate(&e, g, 0));
    GPU(cudaGraphDestroy(g));
    return e;
  }

  float *phi_ = nullptr, *vel_ = nullptr, *dt_dev_ = nullptr;
  float dt_ = next_dt(0);
  int iter_ = 0;
  Stage core_, filter_;
  cudaGraphExec_t step_ = nullptr;
  cudaGraphExec_t filter_exec_ = nullptr;
};

}  // namespace

int main() {
  GPU(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  {
    Bubble b;
    float want = 0;
    for (int it = 0; it < 9; ++it) {
      b.step();
      want += 2.f * Bubble::next_dt(it);
      if (it % 4 == 3) want *= 0.5f;
    }
    const float got = b.probe();
    const bool good = std::fabs(got - want) < 1e-4f;
    printf("phi %g want %g\n", got, want);
    puts(good ? "LABEL CONFIRMED" : "LABEL REFUTED");
  }
  GPU(cudaStreamDestroy(stream));
  return 0;
}
