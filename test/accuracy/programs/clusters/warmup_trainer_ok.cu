// Momentum training with gradient accumulation and a warm-up/decay learning-rate schedule.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <iostream>
#include <stdexcept>
#include <vector>

namespace train {

struct Error : std::runtime_error {
  explicit Error(cudaError_t e) : std::runtime_error(cudaGetErrorString(e)) {}
};
inline void operator>>(cudaError_t e, const char* step) {
  if (e == cudaSuccess) return;
  std::cerr << "failed to " << step << '\n';
  throw Error(e);
}

constexpr int kParams = 2048;
constexpr float kMomentum = 0.5f;

struct Schedule {
  float peak = 0.4f;
  int warmup = 3;
  int total = 12;
  float at(int update) const {
    if (update < warmup) return peak * float(update + 1) / float(warmup);
    return peak * float(total - update) / float(total - warmup);
  }
};

__global__ void accumulate(const float* w, const float* target, float* grad, float share) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  grad[i] += share * (w[i] - target[i]);
}

__global__ void update(float* w, float* velocity, float* grad, const float* lr, float momentum) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  velocity[i] = momentum * velocity[i] + grad[i];
  w[i] -= *lr * velocity[i];
  grad[i] = 0.0f;
}

struct Params {
  float *w = nullptr, *target = nullptr, *grad = nullptr, *velocity = nullptr;
};

class Trainer {
 public:
  Trainer(Schedule schedule, int accum, const std::vector<float>& target) : schedule_(schedule), accum_(accum) {
    cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking) >> "create the stream";
    for (float** p : {&p_.w, &p_.target, &p_.grad, &p_.velocity}) {
      cudaMalloc(p, kParams * sizeof(float)) >> "allocate parameters";
      cudaMemset(*p, 0, kParams * sizeof(float)) >> "clear parameters";
    }
    cudaMemcpy(p_.target, target.data(), kParams * sizeof(float), cudaMemcpyHostToDevice) >> "upload the target";
    cudaMalloc(&lr_, sizeof(float)) >> "allocate the learning rate";
    cudaMallocHost(&lr_host_, sizeof(float)) >> "allocate the learning rate";
    cudaDeviceSynchronize() >> "set up";
  }
  ~Trainer() {
    if (accumulate_only_) cudaGraphExecDestroy(accumulate_only_);
    if (with_update_) cudaGraphExecDestroy(with_update_);
    cudaFree(lr_);
    cudaFreeHost(lr_host_);
    for (float* p : {p_.w, p_.target, p_.grad, p_.velocity}) cudaFree(p);
    cudaStreamDestroy(stream_);
  }

  // The first micro step runs eagerly so that modules are loaded before the capture.
  void compile() {
    ++micro_;
    micro_step(false);
    cudaStreamSynchronize(stream_) >> "warm up";
    accumulate_only_ = capture(false);
    with_update_ = capture(true);
  }

  void step() {
    ++micro_;
    const bool last = micro_ % accum_ == 0;
    if (last) *lr_host_ = schedule_.at(updates_++);
    cudaGraphLaunch(last ? with_update_ : accumulate_only_, stream_) >> "launch a step";
    cudaStreamSynchronize(stream_) >> "finish a step";
  }

  std::vector<float> weights() const {
    std::vector<float> out(kParams);
    cudaMemcpy(out.data(), p_.w, kParams * sizeof(float), cudaMemcpyDeviceToHost) >> "download weights";
    return out;
  }

 private:
  void micro_step(bool last) {
    accumulate<<<kParams / 256, 256, 0, stream_>>>(p_.w, p_.target, p_.grad, 1.0f / float(accum_));
    if (last) {
      cudaMemcpyAsync(lr_, lr_host_, sizeof(float), cudaMemcpyHostToDevice, stream_);
      update<<<kParams / 256, 256, 0, stream_>>>(p_.w, p_.velocity, p_.grad, lr_, kMomentum);
    }
  }

  cudaGraphExec_t capture(bool last) {
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal) >> "begin the capture";
    micro_step(last);
    cudaStreamEndCapture(stream_, &graph) >> "end the capture";
    const cudaError_t made = cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphDestroy(graph);
    made >> "instantiate the step";
    return exec;
  }

  Schedule schedule_;
  int accum_;
  int micro_ = 0;
  int updates_ = 0;
  Params p_;
  cudaStream_t stream_ = nullptr;
  float* lr_ = nullptr;
  float* lr_host_ = nullptr;
  cudaGraphExec_t accumulate_only_ = nullptr;
  cudaGraphExec_t with_update_ = nullptr;
};

// Every parameter follows the same recurrence from its own target.
float reference(const Schedule& s, int accum, int micro_steps, float target) {
  float w = 0, v = 0, g = 0;
  for (int m = 1, u = 0; m <= micro_steps; ++m) {
    g += (w - target) / float(accum);
    if (m % accum == 0) {
      v = kMomentum * v + g;
      w -= s.at(u++) * v;
      g = 0;
    }
  }
  return w;
}

}  // namespace train

int main() {
  using namespace train;
  const Schedule schedule;
  const int accum = 2;
  std::vector<float> target(kParams);
  for (int i = 0; i < kParams; ++i) target[i] = float(i % 13 + 1);

  bool good = true;
  try {
    Trainer trainer(schedule, accum, target);
    trainer.compile();
    for (int m = 2; m <= 16; ++m) {
      trainer.step();
      if (m % 4 != 0) continue;
      const std::vector<float> w = trainer.weights();
      float worst = 0.0f;
      for (int i = 0; i < kParams; ++i)
        worst = std::fmax(worst, std::fabs(w[i] - reference(schedule, accum, m, target[i])));
      std::printf("after %2d micro steps: worst error %.6f\n", m, worst);
      good = good && worst < 1e-3f;
    }
  } catch (const std::exception& e) {
    std::cerr << e.what() << '\n';
    good = false;
  }
  std::puts(good ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
  return 0;
}
