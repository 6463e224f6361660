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

  // A function that the loop calls selects the next part.
  void nextParts(cudaGraph_t *g) {
    begin();
    fork();
    for (Lane &l : lanes) {
      fill<<<1, 32, 0, l.stream>>>(current(), 1);
      cudaEventRecord(l.done, l.stream);
      advance();
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

  float *current() const { return next; }
  void advance() { next += 32; }

  cudaStream_t origin;
  cudaEvent_t start, last;
  std::vector<Lane> lanes;
  Buffer scratch;
  float *next;
  int count;
};

// Members of several elements contain the address of the same memory.
struct Beam {
  cudaStream_t stream;
  cudaEvent_t done;
  float *weights, *own, *out;
};
struct Array {
  cudaStream_t origin;
  cudaEvent_t start;
  float *weights;
  Beam beams[2];
};

void openArray(Array &a) {
  cudaMalloc(&a.weights, 128);
  cudaStreamCreate(&a.origin);
  cudaEventCreate(&a.start);
  for (Beam &b : a.beams) {
    cudaStreamCreate(&b.stream);
    cudaEventCreate(&b.done);
    cudaMalloc(&b.own, 128);
    cudaMalloc(&b.out, 128);
    b.weights = a.weights;
  }
}

template <bool Own> void recordArray(Array &a, cudaGraph_t *g) {
  cudaStreamBeginCapture(a.origin, cudaStreamCaptureModeGlobal);
  cudaEventRecord(a.start, a.origin);
  for (int i = 0; i < 2; ++i) {
    Beam &b = a.beams[i];
    cudaStreamWaitEvent(b.stream, a.start, 0);
    if constexpr (Own) {
      fill<<<1, 32, 0, b.stream>>>(b.own, i);
      scale<<<1, 32, 0, b.stream>>>(b.own, b.out);
    } else {
      fill<<<1, 32, 0, b.stream>>>(b.weights, i);
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: kernel 'fill' writes to 'b.weights', which kernel 'fill' also writes on another stream
      scale<<<1, 32, 0, b.stream>>>(b.weights, b.out);
    }
    cudaEventRecord(b.done, b.stream);
  }
  for (Beam &b : a.beams)
    cudaStreamWaitEvent(a.origin, b.done, 0);
  cudaStreamEndCapture(a.origin, g);
}

int main() {
  Array a;
  cudaGraph_t shared, own;
  openArray(a);
  recordArray<false>(a, &shared);
  recordArray<true>(a, &own);
}
