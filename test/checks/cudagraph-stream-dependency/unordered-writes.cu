// Work that writes to memory must wait for work of other branches that reads it
// or writes to the same elements.

// RUN: %check %s cudagraph-stream-dependency
#include <initializer_list>

__global__ void step(float *x, const float *v) { x[threadIdx.x] += v[threadIdx.x]; }
__global__ void energy(const float *x, float *out) {
  float sum = 0;
  for (int i = 0; i < 32; ++i)
    sum += x[i];
  *out = sum;
}
__global__ void terms(const float *v, float *out, float by, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = by * v[i];
}
__global__ void part(const float *v, float *out, int from) {
  int i = from + threadIdx.x;
  out[i] = v[i];
}
__global__ void between(float *out, int low, int high) {
  int i = threadIdx.x;
  if (i >= low && i < high)
    out[i] = 0;
}
__global__ void scattered(const int *index, float *out) { out[index[threadIdx.x]] = 1; }
__global__ void count(const float *v, float *out) { atomicAdd(&out[0], v[threadIdx.x]); }
__global__ void hinted(float *out) { __stcg(&out[threadIdx.x], 1.f); }

struct Arena {
  float *base;
  float *slice(int i) const { return base + i * 32; }
};

class Model {
public:
  Model() {
    cudaStreamCreateWithFlags(&main_, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&side_, cudaStreamNonBlocking);
    for (float **p : {&a_, &b_, &c_})
      cudaMalloc(p, 128);
    cudaMalloc(&arena_.base, 1024);
  }
  void readFirst() {
    fork();
    energy<<<1, 1, 0, side_>>>(x_, e_);
    step<<<1, 32, 0, main_>>>(x_, v_);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: kernel 'step' writes to 'x_', which kernel 'energy' reads on stream 'side_', without waiting for it; CUDA returns success, and replays may run both at the same time
    // CHECK-NOTES: :[[@LINE-3]]:5: note: this kernel reads it
    // CHECK-NOTES: :[[@LINE-3]]:5: note: record an event after 'energy', and wait for it before 'step', or give each branch its own memory
    join();
  }
  void readInTime() {
    fork();
    energy<<<1, 1, 0, side_>>>(x_, e_);
    join();
    step<<<1, 32, 0, main_>>>(x_, v_);
    end();
  }
  // The event is recorded before the kernel that reads.
  void recordedEarly() {
    fork();
    cudaEventRecord(joined_, side_);
    energy<<<1, 1, 0, side_>>>(x_, e_);
    cudaStreamWaitEvent(main_, joined_, 0);
    step<<<1, 32, 0, main_>>>(x_, v_);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: kernel 'step' writes to 'x_', which kernel 'energy' reads on stream 'side_', without waiting for it
    join();
    end();
  }
  void copied(float *host) {
    fork();
    cudaMemcpyAsync(host, x_, 128, cudaMemcpyDeviceToHost, side_);
    step<<<1, 32, 0, main_>>>(x_, v_);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: kernel 'step' writes to 'x_', which 'cudaMemcpyAsync' reads on stream 'side_', without waiting for it
    join();
    end();
  }
  void cleared() {
    fork();
    energy<<<1, 1, 0, side_>>>(x_, e_);
    cudaMemsetAsync(x_, 0, 128, main_);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaMemsetAsync' writes to 'x_', which kernel 'energy' reads on stream 'side_', without waiting for it
    join();
    end();
  }
  void copiedInTime(float *host) {
    fork();
    cudaMemcpyAsync(host, x_, 128, cudaMemcpyDeviceToHost, side_);
    join();
    step<<<1, 32, 0, main_>>>(x_, v_);
    end();
  }

  // Both branches use one scratch buffer.
  void scratch() {
    float *memory = arena_.slice(0);
    fork();
    terms<<<1, 32, 0, main_>>>(v_, memory, 1.f, 32);
    energy<<<1, 1, 0, main_>>>(memory, e_);
    terms<<<1, 32, 0, side_>>>(x_, memory, 2.f, 32);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: kernel 'terms' writes to 'memory', which kernel 'terms' also writes on stream 'main_', without waiting for it
    energy<<<1, 1, 0, side_>>>(memory, e_ + 1);
    join();
    end();
  }
  void ownScratch() {
    fork();
    terms<<<1, 32, 0, main_>>>(v_, arena_.slice(0), 1.f, 32);
    energy<<<1, 1, 0, main_>>>(arena_.slice(0), e_);
    terms<<<1, 32, 0, side_>>>(x_, arena_.slice(1), 2.f, 32);
    energy<<<1, 1, 0, side_>>>(arena_.slice(1), e_ + 1);
    join();
    end();
  }
  void twice() {
    fork();
    hinted<<<1, 32, 0, main_>>>(x_);
    hinted<<<1, 32, 0, side_>>>(x_);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: kernel 'hinted' writes to 'x_', which kernel 'hinted' also writes on stream 'main_', without waiting for it
    join();
    end();
  }
  // An argument selects the elements, or nothing shows which are written.
  void parts(const int *index) {
    fork();
    part<<<1, 16, 0, main_>>>(v_, x_, 0);
    part<<<1, 16, 0, side_>>>(v_, x_, 16);
    between<<<1, 32, 0, main_>>>(w_, 0, 16);
    between<<<1, 32, 0, side_>>>(w_, 16, 32);
    scattered<<<1, 32, 0, main_>>>(index, y_);
    scattered<<<1, 32, 0, side_>>>(index + 32, y_);
    count<<<1, 32, 0, main_>>>(v_, z_);
    count<<<1, 32, 0, side_>>>(v_, z_);
    join();
    end();
  }
  // Each branch copies the part that it has written.
  void copiesOfParts(float *host) {
    fork();
    part<<<1, 16, 0, main_>>>(v_, x_, 0);
    part<<<1, 16, 0, side_>>>(v_, x_, 16);
    cudaMemcpyAsync(host, x_, 64, cudaMemcpyDeviceToHost, main_);
    cudaMemcpyAsync(host + 16, x_ + 16, 64, cudaMemcpyDeviceToHost, side_);
    join();
    end();
  }
  void partAfterPart(float *host) {
    fork();
    part<<<1, 16, 0, main_>>>(v_, x_, 0);
    cudaMemcpyAsync(host, x_, 64, cudaMemcpyDeviceToHost, main_);
    part<<<1, 16, 0, side_>>>(v_, x_, 16);
    cudaMemcpyAsync(host + 16, x_ + 16, 64, cudaMemcpyDeviceToHost, side_);
    join();
    end();
  }
  // Only one branch writes to a part, which is perhaps the one that is copied.
  void copyOfOnePart(float *host) {
    fork();
    part<<<1, 16, 0, side_>>>(v_, x_, 16);
    cudaMemcpyAsync(host, x_, 128, cudaMemcpyDeviceToHost, main_);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaMemcpyAsync' reads 'x_', which kernel 'part' writes on stream 'side_', without waiting for it
    join();
    end();
  }
  // Both kernels only read.
  void reads() {
    fork();
    energy<<<1, 1, 0, main_>>>(x_, e_);
    energy<<<1, 1, 0, side_>>>(x_, e_ + 1);
    join();
    end();
  }
  // One call in a loop allocates the memory of several members.
  void members() {
    fork();
    energy<<<1, 1, 0, side_>>>(a_, e_);
    step<<<1, 32, 0, main_>>>(b_, c_);
    join();
    end();
  }

private:
  void fork() {
    cudaStreamBeginCapture(main_, cudaStreamCaptureModeGlobal);
    cudaEventRecord(forked_, main_);
    cudaStreamWaitEvent(side_, forked_, 0);
  }
  void join() {
    cudaEventRecord(joined_, side_);
    cudaStreamWaitEvent(main_, joined_, 0);
  }
  void end() { cudaStreamEndCapture(main_, &graph_); }
  cudaStream_t main_, side_;
  cudaEvent_t forked_, joined_;
  cudaGraph_t graph_;
  Arena arena_;
  float *x_, *v_, *w_, *y_, *z_, *e_, *a_, *b_, *c_;
};

// Each iteration uses one of several streams, and all use one buffer.
static cudaStream_t lanes[4];
static cudaEvent_t ready, done[4];
static float *field, *shared, *own[4];
static void create() {
  for (int i = 0; i < 4; ++i) {
    cudaStreamCreateWithFlags(&lanes[i], cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&done[i], cudaEventDisableTiming);
    cudaMalloc(&own[i], 128);
  }
  cudaMalloc(&shared, 128);
}
static void begin() {
  cudaStreamBeginCapture(lanes[0], cudaStreamCaptureModeGlobal);
  cudaEventRecord(ready, lanes[0]);
  for (int i = 1; i < 4; ++i)
    cudaStreamWaitEvent(lanes[i], ready, 0);
}
static void finish(cudaGraph_t *graph) {
  for (int i = 1; i < 4; ++i) {
    cudaEventRecord(done[i], lanes[i]);
    cudaStreamWaitEvent(lanes[0], done[i], 0);
  }
  cudaStreamEndCapture(lanes[0], graph);
}
void sharedByLanes(cudaGraph_t *graph) {
  create();
  begin();
  for (int p = 0; p < 8; ++p) {
    cudaStream_t s = lanes[p % 4];
    terms<<<1, 32, 0, s>>>(field + 32 * p, shared, 1.f, 32);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: kernel 'terms' writes to 'shared', which kernel 'terms' also writes on another stream, without waiting for it
    energy<<<1, 1, 0, s>>>(shared, field + 32 * p);
  }
  finish(graph);
}
void ownOfLanes(cudaGraph_t *graph) {
  create();
  begin();
  for (int p = 0; p < 8; ++p) {
    cudaStream_t s = lanes[p % 4];
    terms<<<1, 32, 0, s>>>(field + 32 * p, own[p % 4], 1.f, 32);
    energy<<<1, 1, 0, s>>>(own[p % 4], field + 32 * p);
  }
  finish(graph);
}
