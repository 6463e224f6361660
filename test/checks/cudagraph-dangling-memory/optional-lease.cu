// RUN: %check %s cudagraph-dangling-memory --real-std
// RUN: %check %s cudagraph-dangling-memory --real-std --suffix=MAIN -- -DMAIN
// RUN: %check %s cudagraph-dangling-memory --real-std --suffix=COPIED -- -DCOPIED
// An optional receives a new lease, and the old one returns its block to the
// pool of the program.
#include <optional>
#include <utility>
#include <vector>

class Pool {
public:
  explicit Pool(int blocks) {
    cudaMallocHost(&base, blocks * 64 * sizeof(float));
    for (int i = 0; i < blocks; ++i)
      unused.push_back(base + i * 64);
  }
  ~Pool() { cudaFreeHost(base); }

  class Lease {
  public:
    Lease(Pool *pool, float *block) : pool(pool), block(block) {}
    Lease(Lease &&other) noexcept
        : pool(other.pool), block(std::exchange(other.block, nullptr)) {}
    ~Lease() {
      if (block)
        pool->unused.push_back(block);
    }
    float *data() const { return block; }

  private:
    Pool *pool;
    float *block;
  };

  Lease acquire() {
    float *block = unused.back();
    unused.pop_back();
    return Lease(this, block);
  }

private:
  float *base = nullptr;
  std::vector<float *> unused;
};

class Loop {
public:
  explicit Loop(cudaStream_t stream) : pool(4), stream(stream) {
    cudaMalloc(&device, 64 * sizeof(float));
    values.emplace(pool.acquire());
  }
  ~Loop() { cudaGraphExecDestroy(exec); }
  void set(float value) {
#if defined(COPIED)
    values->data()[0] = value;
#else
    values.emplace(pool.acquire());
    values->data()[0] = value;
#endif
  }
  void step() {
    if (!exec)
      record();
    cudaGraphLaunch(exec, stream);
    cudaStreamSynchronize(stream);
    Pool::Lease batch = pool.acquire();
    batch.data()[0] = 1;
  }

private:
  void record() {
    cudaGraph_t graph = nullptr;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    cudaMemcpyAsync(device, values->data(), 8, cudaMemcpyHostToDevice, stream);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaMemcpyAsync' copies from 'block', which 'Loop::set' returns to a pool; every replay will use it, although it may have another user [cudagraph-dangling-memory]
    // CHECK-MESSAGES-MAIN: :[[@LINE-2]]:5: warning: 'cudaMemcpyAsync' copies from 'values->data()', which 'Pool::Lease::~Lease' returns to a pool; every replay will use it, although it may have another user [cudagraph-dangling-memory]
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphDestroy(graph);
  }

  Pool pool;
  std::optional<Pool::Lease> values;
  cudaStream_t stream;
  float *device = nullptr;
  cudaGraphExec_t exec = nullptr;
};

#if defined(MAIN)
int main() {
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  Loop loop(stream);
  loop.step();
  loop.set(2);
  loop.step();
}
#endif
