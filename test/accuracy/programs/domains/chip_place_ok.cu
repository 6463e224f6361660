#include <cuda_runtime.h>

#include <cstdio>
#include <numeric>
#include <vector>

namespace place {

__global__ void spanAlong(const float* pin, float* span, int nets) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < nets) span[i] = fabsf(pin[i + 1] - pin[i]);
}

__global__ void halfPerimeter(const float* sx, const float* sy, float* hp, int nets) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < nets) hp[i] = sx[i] + sy[i];
}

__global__ void spread(const float* hp, float* density, int nets) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < nets) density[i] += 0.5f * hp[i];
}

struct Netlist {
  int nets = 0;
  float *x = nullptr, *y = nullptr, *sx = nullptr, *sy = nullptr, *hp = nullptr, *density = nullptr;

  explicit Netlist(int n) : nets(n) {
    for (float** p : {&x, &y, &sx, &sy, &hp, &density}) {
      cudaMalloc(p, (n + 1) * sizeof(float));
      cudaMemset(*p, 0, (n + 1) * sizeof(float));
    }
    std::vector<float> h(n + 1);
    std::iota(h.begin(), h.end(), 0.0f);
    cudaMemcpy(x, h.data(), h.size() * sizeof(float), cudaMemcpyHostToDevice);
    for (float& v : h) v *= 2.0f;
    cudaMemcpy(y, h.data(), h.size() * sizeof(float), cudaMemcpyHostToDevice);
  }
  ~Netlist() {
    for (float* p : {x, y, sx, sy, hp, density}) cudaFree(p);
  }
};

struct Outcome {
  cudaError_t body = cudaSuccess;
  cudaError_t end = cudaSuccess;
};

template <class Derived>
class CapturedStage {
 public:
  explicit CapturedStage(Netlist& nl) : nl_(nl) { cudaStreamCreateWithFlags(&main_, cudaStreamNonBlocking); }
  ~CapturedStage() {
    if (exec_) cudaGraphExecDestroy(exec_);
    cudaStreamDestroy(main_);
  }
  Outcome compile() {
    Outcome o;
    cudaGraph_t g = nullptr;
    o.body = cudaStreamBeginCapture(main_, cudaStreamCaptureModeThreadLocal);
    if (o.body != cudaSuccess) return o;
    o.body = static_cast<Derived*>(this)->record(main_);
    o.end = cudaStreamEndCapture(main_, &g);
    if (o.end == cudaSuccess) o.end = cudaGraphInstantiate(&exec_, g, 0);
    if (g) cudaGraphDestroy(g);
    return o;
  }
  template <class Pace>
  cudaError_t run(Pace pace) {
    cudaError_t e = cudaGraphLaunch(exec_, main_);
    while (e == cudaSuccess && (e = pace.breathe(main_)) == cudaErrorNotReady) e = cudaSuccess;
    return e == cudaSuccess ? cudaStreamSynchronize(main_) : e;
  }

 protected:
  int blocks() const { return (nl_.nets + 255) / 256; }
  Netlist& nl_;
  cudaStream_t main_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
};

struct PollingPace {
  cudaError_t breathe(cudaStream_t s) const { return cudaStreamQuery(s); }
};

class ForkJoin {
 public:
  ForkJoin(cudaStream_t from, cudaStream_t side, cudaEvent_t e) : from_(from), side_(side), e_(e) {
    cudaEventRecord(e_, from_);
    cudaStreamWaitEvent(side_, e_, 0);
  }
  ~ForkJoin() {
    cudaEventRecord(e_, side_);
    cudaStreamWaitEvent(from_, e_, 0);
  }
  cudaStream_t side() const { return side_; }

 private:
  cudaStream_t from_, side_;
  cudaEvent_t e_;
};

class WirelengthStage : public CapturedStage<WirelengthStage> {
 public:
  explicit WirelengthStage(Netlist& nl) : CapturedStage(nl) {
    cudaStreamCreateWithFlags(&side_, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&fork_, cudaEventDisableTiming);
  }
  ~WirelengthStage() {
    cudaEventDestroy(fork_);
    cudaStreamDestroy(side_);
  }
  cudaError_t record(cudaStream_t s) {
    {
      ForkJoin scope(s, side_, fork_);
      spanAlong<<<blocks(), 256, 0, scope.side()>>>(nl_.y, nl_.sy, nl_.nets);
      spanAlong<<<blocks(), 256, 0, s>>>(nl_.x, nl_.sx, nl_.nets);
    }
    halfPerimeter<<<blocks(), 256, 0, s>>>(nl_.sx, nl_.sy, nl_.hp, nl_.nets);
    return cudaPeekAtLastError();
  }

 private:
  cudaStream_t side_ = nullptr;
  cudaEvent_t fork_ = nullptr;
};

template <class Pace>
class DensityStage : public CapturedStage<DensityStage<Pace>> {
 public:
  using CapturedStage<DensityStage<Pace>>::CapturedStage;
  cudaError_t record(cudaStream_t s) {
    Netlist& nl = this->nl_;
    spread<<<this->blocks(), 256, 0, s>>>(nl.hp, nl.density, nl.nets);
    return cudaPeekAtLastError();
  }
};

}  // namespace place

int main() {
  place::Netlist nl(1000);
  place::WirelengthStage wire(nl);
  place::DensityStage<place::PollingPace> density(nl);
  const place::Outcome w = wire.compile();
  (void)cudaGetLastError();
  const place::Outcome d = density.compile();
  (void)cudaGetLastError();
  bool ok = w.body == cudaSuccess && w.end == cudaSuccess && d.body == cudaSuccess && d.end == cudaSuccess;
  for (int i = 0; i < 3 && ok; ++i)
    ok = wire.run(place::PollingPace{}) == cudaSuccess && density.run(place::PollingPace{}) == cudaSuccess;
  float v = 0.0f;
  cudaMemcpy(&v, nl.density + 500, sizeof v, cudaMemcpyDeviceToHost);
  ok = ok && fabsf(v - 4.5f) < 1e-4f;
  if (ok) std::printf("LABEL CONFIRMED\n");
  else std::printf("LABEL REFUTED wire=%d/%d density=%d/%d\n", w.body, w.end, d.body, d.end);
  return 0;
}
