// An element that is added to a table is not the element that a graph uses.

// RUN: %check %s cudagraph-frozen-argument --real-std

#include <cuda_runtime.h>
#include <map>
#include <string>

__global__ void apply(const float *p);

struct Slot {
  float Value = 1;
  float *Device = nullptr;
};

struct Added {
  std::map<std::string, Slot> Table;
  void tryEmplaced(const std::string &Name, float V) {
    auto [It, IsNew] = Table.try_emplace(Name);
    if (IsNew)
      cudaMalloc(&It->second.Device, 4);
    It->second.Value = V;
  }
  void emplaced(const std::string &Name) {
    auto R = Table.emplace(Name, Slot{});
    if (R.second)
      cudaMalloc(&R.first->second.Device, 4);
  }
  void inserted(const std::string &Name) {
    auto R = Table.insert({Name, Slot{}});
    if (!R.second)
      return;
    float *D = nullptr;
    cudaMalloc(&D, 4);
    R.first->second.Device = D;
  }
  void counted(const std::string &Name) {
    if (Table.count(Name) == 0) {
      Slot New;
      cudaMalloc(&New.Device, 4);
      Table[Name] = New;
    }
  }
  void found(const std::string &Name) {
    auto It = Table.find(Name);
    if (It != Table.end())
      return;
    It = Table.emplace(Name, Slot{}).first;
    cudaMalloc(&It->second.Device, 4);
  }
  const float *get(const std::string &Name) const {
    return Table.find(Name)->second.Device;
  }
};

struct Replaced {
  std::map<std::string, Slot> Table;
  void set(const std::string &Name) {
    auto [It, IsNew] = Table.try_emplace(Name);
    if (IsNew)
      return;
    cudaMalloc(&It->second.Device, 4);
  }
  void setAlways(const std::string &Name) {
    auto It = Table.find(Name);
    if (It == Table.end())
      It = Table.emplace(Name, Slot{}).first;
    cudaMalloc(&It->second.Device, 4);
  }
  const float *get(const std::string &Name) const {
    return Table.find(Name)->second.Device;
  }
};

template <class Params> struct Pass {
  const Params &From;
  cudaStream_t S;
  cudaGraphExec_t Exec = nullptr;
  void capture() {
    cudaGraph_t G;
    cudaStreamBeginCapture(S, cudaStreamCaptureModeGlobal);
    apply<<<1, 32, 0, S>>>(From.get("exposure"));
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: the address 'From.get("exposure")' of kernel 'apply' is set by 'Replaced::set' while the graph exists
    cudaStreamEndCapture(S, &G);
    cudaGraphInstantiate(&Exec, G, 0);
  }
  void run() { cudaGraphLaunch(Exec, S); }
};

void added(cudaStream_t S) {
  Added Params;
  Pass<Added> P{Params, S};
  Params.found("exposure");
  P.capture();
  for (float V : {1.f, 2.f}) {
    Params.tryEmplaced("exposure", V);
    Params.emplaced("exposure");
    Params.inserted("exposure");
    Params.counted("exposure");
    Params.found("exposure");
    P.run();
  }
}

void replaced(cudaStream_t S) {
  Replaced Params;
  Params.set("exposure");
  Pass<Replaced> P{Params, S};
  P.capture();
  P.run();
  Params.set("exposure");
  P.run();
}

struct Always {
  const Replaced &From;
  cudaStream_t S;
  cudaGraphExec_t Exec = nullptr;
  void capture() {
    cudaGraph_t G;
    cudaStreamBeginCapture(S, cudaStreamCaptureModeGlobal);
    apply<<<1, 32, 0, S>>>(From.get("gain"));
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: the address 'From.get("gain")' of kernel 'apply' is set by 'Replaced::setAlways' while the graph exists
    cudaStreamEndCapture(S, &G);
    cudaGraphInstantiate(&Exec, G, 0);
  }
  void run() { cudaGraphLaunch(Exec, S); }
};

void always(cudaStream_t S) {
  Replaced Params;
  Params.setAlways("gain");
  Always P{Params, S};
  P.capture();
  P.run();
  Params.setAlways("gain");
  P.run();
}
