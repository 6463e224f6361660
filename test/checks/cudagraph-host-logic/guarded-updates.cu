// RUN: %check %s cudagraph-host-logic --real-std
// RUN: %check %s cudagraph-host-logic --real-std --suffix=LEGAL -- -DUPDATES
// RUN: %check %s cudagraph-host-logic --real-std --suffix=LEGAL -- -DUPDATES -DNESTED

// A guard ends the capture and launches the first graph. The guards of the first
// step and of the legacy stream are empty: they do not end a capture. (UPDATES:
// the executable graph is updated with each new graph, so no launch repeats an
// earlier branch. NESTED: composites call composites so often that the analysis
// generalizes the calls.)

#include "cuda_runtime.h"
#include <functional>
#include <memory>
#include <utility>
#include <vector>

__global__ void scale(float *Weights, const float *Moments, float Rate,
                      size_t Count) {
  Weights[threadIdx.x % Count] += Moments[threadIdx.x % Count] * Rate;
}

class Guard {
public:
  Guard() = default;
  Guard(std::function<void()> &&End) : End(std::move(End)) {}
  Guard(Guard &&Other) { *this = std::move(Other); }
  Guard &operator=(Guard &&Other) {
    std::swap(End, Other.End);
    return *this;
  }
  ~Guard() {
    if (End)
      End();
  }

private:
  std::function<void()> End;
};

class StepGraph {
public:
  ~StepGraph() {
    if (Exec)
      cudaGraphExecDestroy(Exec);
  }

  Guard capture(cudaStream_t Stream) {
    if (Stream == nullptr || Stream == cudaStreamLegacy)
      return {};
    cudaStreamBeginCapture(Stream, cudaStreamCaptureModeRelaxed);
    return Guard{[this, Stream]() {
      cudaGraph_t Graph;
      cudaStreamEndCapture(Stream, &Graph);
#ifdef UPDATES
      if (Exec) {
        cudaGraphExecUpdateResultInfo Info;
        cudaGraphExecUpdate(Exec, Graph, &Info);
        if (Info.result != cudaGraphExecUpdateSuccess) {
          cudaGraphExecDestroy(Exec);
          Exec = nullptr;
        }
      }
#endif
      if (!Exec)
        cudaGraphInstantiate(&Exec, Graph, nullptr, nullptr, 0);
      cudaGraphDestroy(Graph);
      cudaGraphLaunch(Exec, Stream);
    }};
  }

private:
  cudaGraphExec_t Exec = nullptr;
};

class Optimizer {
public:
  virtual ~Optimizer() = default;
  virtual void allocate(unsigned Count) = 0;
  virtual void step(cudaStream_t Stream, float *Weights) = 0;
  virtual void setRate(float Value) = 0;
};

class Blocked : public Optimizer {
public:
  void allocate(unsigned Count) override {
    cudaFree(Moments);
    cudaMalloc(&Moments, Count * sizeof(float));
    Blocks.clear();
    for (unsigned I = 0; I < Count; I += 100)
      Blocks.push_back({I, I + 100});
  }

  void step(cudaStream_t Stream, float *Weights) override {
    ++Steps;
    auto Scope = Steps - 1 == 0 ? Guard{} : Graph.capture(Stream);
    size_t Offset = 0;
    for (size_t I = 0; I < Blocks.size(); ++I) {
      size_t Count = Blocks[I].second - Blocks[I].first;
      scale<<<1, 32, 0, Stream>>>(Weights + Offset, Moments + Offset, Rate,
                                  Count);
      Offset += Count;
    }
    if (Steps % 2 == 0)
      // CHECK-MESSAGES: :[[@LINE-1]]:9: warning: the branch depends on host state that changes between replays during the capture of 'Stream' (relaxed mode); replays repeat the branch taken at capture [cudagraph-host-logic]
      scale<<<1, 32, 0, Stream>>>(Weights, Moments, Rate, 32);
  }

  void setRate(float Value) override { Rate = Value; }

private:
  StepGraph Graph;
  std::vector<std::pair<size_t, size_t>> Blocks;
  unsigned Steps = 0;
  float Rate = 1;
  float *Moments = nullptr;
};

#ifdef NESTED
class Composite : public Optimizer {
public:
  Composite() {
    for (int I = 0; I < 3; ++I)
      Parts.emplace_back(std::shared_ptr<Optimizer>(new Blocked));
  }
  void allocate(unsigned Count) override {
    for (auto &Part : Parts)
      Part->allocate(Count);
  }
  void step(cudaStream_t Stream, float *Weights) override {
    for (size_t I = 0; I < Parts.size(); ++I)
      Parts[I]->step(Stream, Weights + I);
  }
  void setRate(float Value) override {
    for (auto &Part : Parts)
      Part->setRate(Value);
  }

private:
  std::vector<std::shared_ptr<Optimizer>> Parts;
};
#endif
