// A loop enqueues work on another stream in each iteration. All iterations write
// to the same memory, and none waits for another.

// RUN: %check %s cudagraph-stream-dependency --real-std

#include <cuda_runtime.h>
#include <vector>

__global__ void fill(float *p, float value) { p[threadIdx.x] = value; }
__global__ void part(float *p, int index) { p[index * 32 + threadIdx.x] = 1; }
__global__ void add(float *p, float value) { atomicAdd(p + threadIdx.x, value); }
__global__ void scale(const float *p, float *out) { out[threadIdx.x] = 2 * p[threadIdx.x]; }

struct Buffer {
  float *data;
  float *get() const { return data; }
};
struct Lane {
  cudaStream_t stream;
  cudaEvent_t done;
  float *own, *out;
};

class Lanes {
public:
  void direct(cudaGraph_t *g) {
    begin();
    for (Lane &l : lanes) {
      cudaStreamWaitEvent(l.stream, start, 0);
      fill<<<1, 32, 0, l.stream>>>(scratch.get(), 1);
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: kernel 'fill' writes to 'scratch.get()', which kernel 'fill' also writes on another stream, without waiting for it
      scale<<<1, 32, 0, l.stream>>>(scratch.get(), l.out);
      cudaEventRecord(l.done, l.stream);
    }
    join(g);
  }

  void byNumber(cudaGraph_t *g) {
    begin();
    fork();
    for (int i = 0; i < count; ++i) {
      cudaMemcpyAsync(scratch.data, lanes[i].own, 128, cudaMemcpyDeviceToDevice, lanes[i].stream);
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: 'cudaMemcpyAsync' writes to 'scratch.data', which 'cudaMemcpyAsync' also writes on another stream
      cudaEventRecord(lanes[i].done, lanes[i].stream);
    }
    join(g);
  }

  void inHelper(cudaGraph_t *g) {
    begin();
    fork();
    for (Lane &l : lanes)
      apply(l, scratch.get());
    join(g);
  }

  // All lanes set the memory to the same value.
  void zero(cudaGraph_t *g) {
    begin();
    fork();
    for (Lane &l : lanes) {
      cudaMemsetAsync(scratch.data, 0, 128, l.stream);
      cudaEventRecord(l.done, l.stream);
    }
    join(g);
  }

  // Each lane has its own memory.
  void own(cudaGraph_t *g) {
    begin();
    fork();
    for (Lane &l : lanes) {
      fill<<<1, 32, 0, l.stream>>>(l.own, 1);
      scale<<<1, 32, 0, l.stream>>>(l.own, l.out);
      cudaEventRecord(l.done, l.stream);
    }
    join(g);
  }

  // Each lane writes to a part.
  void parts(cudaGraph_t *g) {
    begin();
    fork();
    int index = 0;
    float *next = scratch.get();
    for (Lane &l : lanes) {
      part<<<1, 32, 0, l.stream>>>(scratch.get(), index++);
      fill<<<1, 32, 0, l.stream>>>(next, 1);
      next += 32;
      cudaEventRecord(l.done, l.stream);
    }
    join(g);
  }

  // Atomic operations may overlap.
  void atomic(cudaGraph_t *g) {
    begin();
    fork();
    for (Lane &l : lanes) {
      add<<<1, 32, 0, l.stream>>>(scratch.get(), 1);
      cudaEventRecord(l.done, l.stream);
    }
    join(g);
  }

  // Each lane waits for the previous one.
  void inTurn(cudaGraph_t *g) {
    begin();
    cudaEventRecord(last, origin);
    for (Lane &l : lanes) {
      cudaStreamWaitEvent(l.stream, last, 0);
      fill<<<1, 32, 0, l.stream>>>(scratch.get(), 1);
      cudaEventRecord(last, l.stream);
    }
    cudaStreamWaitEvent(origin, last, 0);
    cudaStreamEndCapture(origin, g);
  }

  // A helper of the loop waits and records.
  void inTurnInHelper(cudaGraph_t *g) {
    begin();
    cudaEventRecord(last, origin);
    for (Lane &l : lanes)
      after(l);
    cudaStreamWaitEvent(origin, last, 0);
    cudaStreamEndCapture(origin, g);
  }

  // All work is on one stream.
  void oneStream(cudaGraph_t *g) {
    begin();
    fork();
    for (Lane &l : lanes)
      fill<<<1, 32, 0, lanes[0].stream>>>(scratch.get(), 1);
    for (Lane &l : lanes)
      cudaEventRecord(l.done, l.stream);
    join(g);
  }

private:
  void begin() {
    cudaStreamBeginCapture(origin, cudaStreamCaptureModeGlobal);
    cudaEventRecord(start, origin);
  }
  void fork() {
    for (Lane &l : lanes)
      cudaStreamWaitEvent(l.stream, start, 0);
  }
  void join(cudaGraph_t *g) {
    for (Lane &l : lanes)
      cudaStreamWaitEvent(origin, l.done, 0);
    cudaStreamEndCapture(origin, g);
  }
  void apply(Lane &l, float *p) {
    fill<<<1, 32, 0, l.stream>>>(p, 1);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: kernel 'fill' writes to 'p', which kernel 'fill' also writes on another stream
    cudaEventRecord(l.done, l.stream);
  }
  void after(Lane &l) {
    cudaStreamWaitEvent(l.stream, last, 0);
    fill<<<1, 32, 0, l.stream>>>(scratch.get(), 1);
    cudaEventRecord(last, l.stream);
  }

  cudaStream_t origin;
  cudaEvent_t start, last;
  std::vector<Lane> lanes;
  Buffer scratch;
  int count;
};
