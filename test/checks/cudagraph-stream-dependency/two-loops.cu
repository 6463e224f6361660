// One loop forks, and another joins: the end of the first loop shows nothing
// about the second.

// RUN: %check %s cudagraph-stream-dependency --real-std

#include <algorithm>
#include <vector>

__global__ void k(float *u);
struct Domain {
  float *u = nullptr;
  cudaStream_t halo = nullptr;
  cudaEvent_t arrived = nullptr;
};
struct Solver {
  std::vector<Domain> domains;
  cudaStream_t compute = nullptr;
  cudaEvent_t begin = nullptr;
};
static void exchange(Solver &s, Domain &d) {
  cudaStreamWaitEvent(d.halo, s.begin, 0);
  k<<<1, 32, 0, d.halo>>>(d.u);
  cudaEventRecord(d.arrived, d.halo);
}
void joined(Solver &s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s.compute, cudaStreamCaptureModeGlobal);
  cudaEventRecord(s.begin, s.compute);
  for (Domain &d : s.domains)
    exchange(s, d);
  for (Domain &d : s.domains)
    k<<<1, 32, 0, s.compute>>>(d.u);
  for (Domain &d : s.domains)
    cudaStreamWaitEvent(s.compute, d.arrived, 0);
  cudaStreamEndCapture(s.compute, g);
}
void by_iterators(Solver &s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s.compute, cudaStreamCaptureModeGlobal);
  cudaEventRecord(s.begin, s.compute);
  for (auto it = s.domains.begin(); it != s.domains.end(); ++it)
    exchange(s, *it);
  for (auto it = s.domains.begin(); it != s.domains.end(); ++it)
    cudaStreamWaitEvent(s.compute, it->arrived, 0);
  cudaStreamEndCapture(s.compute, g);
}
void not_joined(Solver &s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s.compute, cudaStreamCaptureModeGlobal);
  cudaEventRecord(s.begin, s.compute);
  for (Domain &d : s.domains)
    exchange(s, d);
  for (Domain &d : s.domains)
    k<<<1, 32, 0, s.compute>>>(d.u);
  cudaStreamEndCapture(s.compute, g);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamEndCapture' ends the capture of 's.compute' with unjoined work of a forked stream
}
