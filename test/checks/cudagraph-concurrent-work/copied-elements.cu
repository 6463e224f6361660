// RUN: %check %s cudagraph-concurrent-work --real-std
// RUN: %check %s cudagraph-concurrent-work --real-std -- -DTABLE
// RUN: %check %s cudagraph-concurrent-work --real-std --suffix=LEGAL -- -DOWN

// Objects that contain a graph and its stream are copied to a vector. A loop
// launches all graphs, which write to the same memory. (TABLE: the memory is in
// a table that finds it by its name; OWN: each call allocates memory for its
// graph.)

#include "cuda_runtime.h"
#include <string>
#include <unordered_map>
#include <vector>

__global__ void blow(float *Wind, float Gust) { Wind[threadIdx.x] = Gust; }
__global__ void steer(float *Positions, const float *Wind) {
  Positions[threadIdx.x] += Wind[threadIdx.x];
}

struct Scratch {
  float *find(const std::string &Name) {
    float *&Buffer = Buffers[Name];
    if (!Buffer && cudaMalloc(&Buffer, 1024) != cudaSuccess)
      Buffer = nullptr;
    return Buffer;
  }
  std::unordered_map<std::string, float *> Buffers;
  float *Wind = nullptr;
};

struct Swarm {
  float Gust = 0;
  float *Positions = nullptr;
  cudaStream_t Stream = nullptr;
  cudaGraphExec_t Exec = nullptr;
};

class Swarms {
public:
  explicit Swarms(Scratch &Buffers) : Buffers(Buffers) {}
  int add(float Gust) {
    Swarm New;
    New.Gust = Gust;
    if (cudaStreamCreateWithFlags(&New.Stream, cudaStreamNonBlocking) ||
        cudaMalloc(&New.Positions, 1024))
      return 1;
#if defined(TABLE)
    float *Wind = Buffers.find("wind");
#elif defined(OWN)
    float *Wind;
    if (cudaMalloc(&Wind, 1024))
      return 1;
#else
    float *Wind = Buffers.Wind;
#endif
    cudaGraph_t Graph;
    if (cudaStreamBeginCapture(New.Stream, cudaStreamCaptureModeThreadLocal))
      return 1;
    blow<<<1, 256, 0, New.Stream>>>(Wind, New.Gust);
    steer<<<1, 256, 0, New.Stream>>>(New.Positions, Wind);
    if (cudaStreamEndCapture(New.Stream, &Graph) ||
        cudaGraphInstantiate(&New.Exec, Graph, 0))
      return 1;
    All.push_back(New);
    return 0;
  }
  int frame() {
    for (Swarm &Each : All)
      if (cudaGraphLaunch(Each.Exec, Each.Stream))
        // CHECK-MESSAGES: :[[@LINE-1]]:11: warning: 'cudaGraphLaunch' launches a graph that shares 'Wind' with a graph on another stream, and kernel 'blow' writes to it; CUDA returns success, and both graphs may run at the same time
        return 1;
    for (Swarm &Each : All)
      if (cudaStreamSynchronize(Each.Stream))
        return 1;
    return 0;
  }

private:
  Scratch &Buffers;
  std::vector<Swarm> All;
};

int main() {
  Scratch Buffers;
  if (cudaMalloc(&Buffers.Wind, 1024))
    return 1;
  Swarms Show(Buffers);
  if (Show.add(1) || Show.add(-2))
    return 1;
  return Show.frame() || Show.frame();
}
