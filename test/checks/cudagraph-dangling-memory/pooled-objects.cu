// An object of a pool contains the address of the memory that a graph uses. The
// object returns to the pool while the graph exists, or only afterwards.

// RUN: %check %s cudagraph-dangling-memory --real-std

#include <cuda_runtime.h>
#include <memory>
#include <vector>

struct Frame {
  float *pixels = nullptr;
  Frame() { cudaMallocHost(&pixels, 64); }
  ~Frame() { cudaFreeHost(pixels); }
};

class Pool {
  std::vector<std::unique_ptr<Frame>> all;
  std::vector<Frame *> idle;

public:
  Pool(int n) {
    for (int i = 0; i < n; ++i) {
      all.push_back(std::make_unique<Frame>());
      idle.push_back(all.back().get());
    }
  }
  Frame *take() {
    Frame *f = idle.back();
    idle.pop_back();
    return f;
  }
  void put(Frame *f) { idle.push_back(f); }
};

template <bool Early> class Mixer {
  Pool &pool;
  cudaStream_t s;
  cudaGraphExec_t exec = nullptr;
  float *d;
  Frame *art = nullptr;
  void record(const Frame *f) {
    cudaGraph_t g;
    if (cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal))
      return;
    cudaMemcpyAsync(d, f->pixels, 64, cudaMemcpyHostToDevice, s);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaMemcpyAsync' copies from 'f->pixels', which 'Pool::put' returns to a pool; every replay will use it, although it may have another user [cudagraph-dangling-memory]
    if (cudaStreamEndCapture(s, &g))
      return;
    cudaGraphInstantiate(&exec, g, 0);
  }

public:
  Mixer(Pool &p) : pool(p) {
    cudaStreamCreate(&s);
    cudaMalloc(&d, 64);
  }
  ~Mixer() {
    cudaGraphExecDestroy(exec);
    if (art)
      pool.put(art);
  }
  void configure() {
    Frame *f = pool.take();
    record(f);
    if (Early)
      pool.put(f);
    else
      art = f;
  }
  void run() {
    cudaGraphLaunch(exec, s);
    cudaStreamSynchronize(s);
  }
};

void early() {
  Pool p(4);
  Mixer<true> m(p);
  m.configure();
  for (int i = 0; i < 4; ++i) {
    Frame *f = p.take();
    m.run();
    p.put(f);
  }
}
void late() {
  Pool p(4);
  Mixer<false> m(p);
  m.configure();
  for (int i = 0; i < 4; ++i) {
    Frame *f = p.take();
    m.run();
    p.put(f);
  }
}
