// Level-synchronous breadth-first search on a CSR graph; one level is recorded and replayed.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

namespace gr {

inline void chk(cudaError_t e) {
  if (e != cudaSuccess) throw std::runtime_error(cudaGetErrorString(e));
}

struct cuda_free {
  void operator()(void* p) const { cudaFree(p); }
};
template <class T>
using device_ptr = std::unique_ptr<T[], cuda_free>;
template <class T>
device_ptr<T> device_alloc(std::size_t n) {
  T* p = nullptr;
  chk(cudaMalloc(&p, n * sizeof(T)));
  return device_ptr<T>(p);
}

struct csr {
  std::vector<int> row, col;
  int vertices() const { return int(row.size()) - 1; }
};

__global__ void expand(const int* row, const int* col, const uint8_t* front, uint8_t* next, uint8_t* seen, int n, int* left) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n || !front[v]) return;
  for (int k = row[v]; k < row[v + 1]; ++k) {
    const int u = col[k];
    if (seen[u]) continue;
    seen[u] = 1;
    next[u] = 1;
    atomicAdd(left, 1);
  }
}

class bfs {
 public:
  explicit bfs(const csr& g)
      : n_(g.vertices()), row_(device_alloc<int>(g.row.size())), col_(device_alloc<int>(g.col.size())),
        front_(device_alloc<uint8_t>(n_)), next_(device_alloc<uint8_t>(n_)), seen_(device_alloc<uint8_t>(n_)),
        left_(device_alloc<int>(1)) {
    chk(cudaStreamCreateWithFlags(&s_, cudaStreamNonBlocking));
    chk(cudaMemcpy(row_.get(), g.row.data(), g.row.size() * sizeof(int), cudaMemcpyHostToDevice));
    chk(cudaMemcpy(col_.get(), g.col.data(), g.col.size() * sizeof(int), cudaMemcpyHostToDevice));
  }
  bfs(const bfs&) = delete;
  bfs& operator=(const bfs&) = delete;
  ~bfs() {
    for (cudaGraphExec_t level : level_)
      if (level) cudaGraphExecDestroy(level);
    cudaStreamDestroy(s_);
  }

  // Number of vertices reached from `source`, itself included.
  int run(int source) {
    const uint8_t one = 1;
    chk(cudaMemsetAsync(front_.get(), 0, n_, s_));
    chk(cudaMemsetAsync(seen_.get(), 0, n_, s_));
    chk(cudaMemcpyAsync(front_.get() + source, &one, 1, cudaMemcpyHostToDevice, s_));
    chk(cudaMemcpyAsync(seen_.get() + source, &one, 1, cudaMemcpyHostToDevice, s_));
    int reached = 1, found = 1;
    for (int depth = 0; found > 0 && depth < n_; ++depth) {
      cudaGraphExec_t& level = level_[parity_];
      if (!level) level = record_level();
      chk(cudaGraphLaunch(level, s_));
      chk(cudaMemcpyAsync(&found, left_.get(), sizeof found, cudaMemcpyDeviceToHost, s_));
      chk(cudaStreamSynchronize(s_));
      reached += found;
      flip();
    }
    return reached;
  }

 private:
  void flip() {
    std::swap(front_, next_);
    parity_ ^= 1;
  }
  cudaGraphExec_t record_level() {
    chk(cudaStreamBeginCapture(s_, cudaStreamCaptureModeThreadLocal));
    chk(cudaMemsetAsync(next_.get(), 0, n_, s_));
    chk(cudaMemsetAsync(left_.get(), 0, sizeof(int), s_));
    expand<<<(n_ + 255) / 256, 256, 0, s_>>>(row_.get(), col_.get(), front_.get(), next_.get(), seen_.get(), n_, left_.get());
    cudaGraph_t g = nullptr;
    chk(cudaStreamEndCapture(s_, &g));
    cudaGraphExec_t x = nullptr;
    chk(cudaGraphInstantiate(&x, g, 0));
    chk(cudaGraphDestroy(g));
    return x;
  }

  int n_;
  device_ptr<int> row_, col_;
  device_ptr<uint8_t> front_, next_, seen_;
  device_ptr<int> left_;
  cudaStream_t s_ = nullptr;
  cudaGraphExec_t level_[2] = {nullptr, nullptr};
  int parity_ = 0;
};

}  // namespace gr

int main() {
  try {
    gr::csr ring;  // a directed ring of 40 vertices
    for (int v = 0; v < 40; ++v) {
      ring.row.push_back(v);
      ring.col.push_back((v + 1) % 40);
    }
    ring.row.push_back(40);
    gr::bfs search(ring);
    const bool right = search.run(0) == 40 && search.run(17) == 40 && search.run(39) == 40;
    std::puts(right ? "LABEL CONFIRMED" : "LABEL REFUTED");
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    std::puts("LABEL REFUTED");
  }
  return 0;
}
