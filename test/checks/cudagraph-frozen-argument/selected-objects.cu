// A pointer to one of several objects of a table: the kernel keeps the memory
// of the object that was selected at the capture.

// RUN: %check %s cudagraph-frozen-argument --real-std

#include <cuda_runtime.h>
#include <map>
#include <memory>
#include <string>

__global__ void apply(const float *w, float *y) { *y = *w; }

struct Adapter {
  float *Weights = nullptr;
  Adapter() { cudaMalloc(&Weights, 400); }
  ~Adapter() { cudaFree(Weights); }
};

struct Runner {
  std::map<std::string, std::unique_ptr<Adapter>> All;
  Adapter *Active = nullptr;
  cudaStream_t S;
  cudaGraphExec_t E = nullptr;
  float *Y;

  void add(const std::string &Name) { All[Name] = std::make_unique<Adapter>(); }
  void select(const std::string &Name) { Active = All.at(Name).get(); }
  void capture() {
    cudaGraph_t G;
    cudaStreamBeginCapture(S, cudaStreamCaptureModeGlobal);
    apply<<<1, 1, 0, S>>>(Active->Weights, Y);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: the address 'Active->Weights' of kernel 'apply' is set by 'Runner::select' while the graph exists
    cudaStreamEndCapture(S, &G);
    cudaGraphInstantiate(&E, G, 0);
  }
  void run() { cudaGraphLaunch(E, S); }
};

void switched(Runner &R) {
  R.add("one");
  R.add("two");
  R.select("one");
  R.capture();
  R.run();
  R.select("two");
  R.run();
}

// Legal: selected only before the capture.
struct Fixed {
  std::map<std::string, std::unique_ptr<Adapter>> All;
  Adapter *Active = nullptr;
  cudaStream_t S;
  cudaGraphExec_t E = nullptr;
  float *Y;
  void select(const std::string &Name) { Active = All.at(Name).get(); }
  void capture() {
    cudaGraph_t G;
    cudaStreamBeginCapture(S, cudaStreamCaptureModeGlobal);
    apply<<<1, 1, 0, S>>>(Active->Weights, Y);
    cudaStreamEndCapture(S, &G);
    cudaGraphInstantiate(&E, G, 0);
  }
};

int main() {
  Fixed F;
  cudaStreamCreate(&F.S);
  cudaMalloc(&F.Y, 4);
  F.All["one"] = std::make_unique<Adapter>();
  F.All["two"] = std::make_unique<Adapter>();
  F.select("two");
  F.capture();
  cudaGraphLaunch(F.E, F.S);
  cudaGraphLaunch(F.E, F.S);
}
