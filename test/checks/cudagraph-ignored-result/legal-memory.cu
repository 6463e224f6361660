// Stream-ordered memory of the capture, with typical owners.

// RUN: %check %s

#include <memory>
__global__ void k(float *x);
struct Del { cudaStream_t s; void operator()(float *q) const { cudaFreeAsync(q, s); } };
void functor(cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  float *p;
  cudaMallocAsync((void **)&p, 4, s);
  { std::unique_ptr<float, Del> owner(p, Del{s}); }
  cudaStreamEndCapture(s, g);
}
void lambda(cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  float *p;
  cudaMallocAsync((void **)&p, 4, s);
  { auto d = [s](float *q) { cudaFreeAsync(q, s); }; std::unique_ptr<float, decltype(d)> owner(p, d); }
  cudaStreamEndCapture(s, g);
}
void shared(cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  float *p;
  cudaMallocAsync((void **)&p, 4, s);
  { std::shared_ptr<float> owner(p, [s](float *q) { cudaFreeAsync(q, s); });
    auto other = owner;
    k<<<1,1,0,s>>>(other.get()); }
  cudaStreamEndCapture(s, g);
}
std::unique_ptr<float, Del> make(cudaStream_t s) {
  float *p;
  cudaMallocAsync((void **)&p, 4, s);
  return {p, Del{s}};
}
void moved(cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  auto owner = make(s);
  k<<<1,1,0,s>>>(owner.get());
  owner.reset();
  cudaStreamEndCapture(s, g);
}
struct Pool { cudaStream_t s; float *get() { float *p; cudaMallocAsync((void**)&p, 4, s); return p; } void put(float *p) { cudaFreeAsync(p, s); } };
void pooled(Pool &pool, cudaGraph_t *g) {
  cudaStreamBeginCapture(pool.s, cudaStreamCaptureModeGlobal);
  float *p = pool.get(), *q = pool.get();
  k<<<1,1,0,pool.s>>>(p);
  pool.put(p);
  pool.put(q);
  cudaStreamEndCapture(pool.s, g);
}
void freed_on_a_fork(cudaStream_t s, cudaStream_t side, cudaEvent_t e, cudaGraph_t *g) {
  float *p;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaMallocAsync((void **)&p, 4, s);
  cudaEventRecord(e, s);
  cudaStreamWaitEvent(side, e, 0);
  k<<<1,1,0,side>>>(p);
  cudaFreeAsync(p, side);
  cudaEventRecord(e, side);
  cudaStreamWaitEvent(s, e, 0);
  cudaStreamEndCapture(s, g);
}
void conditional(bool b, float *scratch, cudaStream_t s, cudaGraph_t *g) {
  float *p = scratch;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  if (b)
    cudaMallocAsync((void **)&p, 4, s);
  k<<<1,1,0,s>>>(p);
  if (b)
    cudaFreeAsync(p, s);
  cudaStreamEndCapture(s, g);
}
void optional(float *scratch, cudaStream_t s, cudaGraph_t *g) {
  float *p = nullptr;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  if (!scratch)
    cudaMallocAsync((void **)&p, 4, s);
  k<<<1,1,0,s>>>(p ? p : scratch);
  if (p)
    cudaFreeAsync(p, s);
  cudaStreamEndCapture(s, g);
}
