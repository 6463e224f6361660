// RUN: %check %s cudagraph-capture-scope --real-std --suffix=LEGAL

// The current stream is an element of a table, as in a framework: an accessor
// returns a reference to it. The accessor is called so often that the analysis
// generalizes the calls, but it keeps the table.

#include "cuda_runtime.h"
#include <vector>

template <class T> class Array : public std::vector<T> {
public:
  T &operator[](size_t I) { return this->std::vector<T>::operator[](I); }
};

class Device {
public:
  static void create(int Count) {
    Pool.resize(Count);
    Current.resize(1);
    Previous.resize(1);
    for (int I = 0; I < Count; ++I)
      cudaStreamCreate(&Pool[I]);
  }
  static void use(int I) {
    Previous[0] = Current[0];
    Current[0] = Pool[I];
  }
  static cudaStream_t stream() { return Current[0]; }

private:
  static Array<cudaStream_t> Pool, Current, Previous;
};

Array<cudaStream_t> Device::Pool, Device::Current,
    Device::Previous;

__global__ void work(float *Data, int N) { Data[N] = 1; }

static void fork(cudaStream_t Origin, int Lane, cudaEvent_t E) {
  cudaEventRecord(E, Origin);
  Device::use(Lane);
  cudaStreamWaitEvent(Device::stream(), E);
}

static void join(cudaStream_t Origin, int Lane, cudaEvent_t E) {
  Device::use(Lane);
  cudaEventRecord(E, Device::stream());
  cudaStreamWaitEvent(Origin, E);
}

#define STEP(N, Lane)                                                          \
  {                                                                            \
    cudaEvent_t E;                                                             \
    cudaEventCreateWithFlags(&E, cudaEventDisableTiming);                      \
    fork(Origin, Lane, E);                                                     \
    work<<<1, 1, 0, Device::stream()>>>(Data, N);                              \
  }
#define STEPS(N) STEP(N, 1) STEP(N + 1, 2) STEP(N + 2, 3) STEP(N + 3, 4)

void capture(float *Data, int Lanes, cudaGraph_t *Graph) {
  Device::create(Lanes);
  Device::use(0);
  cudaStream_t Origin = Device::stream();
  cudaStreamBeginCapture(Origin, cudaStreamCaptureModeGlobal);
  STEPS(0) STEPS(4) STEPS(8) STEPS(12) STEPS(16)
  STEPS(20) STEPS(24) STEPS(28) STEPS(32) STEPS(36)
  cudaEvent_t E;
  cudaEventCreateWithFlags(&E, cudaEventDisableTiming);
  Device::use(0);
  cudaStream_t Again = Device::stream();
  for (int Lane = 1; Lane < Lanes; ++Lane)
    join(Again, Lane, E);
  cudaStreamEndCapture(Again, Graph);
}
