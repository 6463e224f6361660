// Skinned-mesh cache with LRU eviction and baked animation command lists.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <list>
#include <memory>
#include <unordered_map>
#include <vector>

#define GPU(x)                                                                       \
  do {                                                                               \
    cudaError_t rc_ = (x);                                                           \
    if (rc_ != cudaSuccess) {                                                        \
      std::printf("%s failed: %s\nLABEL UNOBSERVED\n", #x, cudaGetErrorString(rc_)); \
      std::exit(1);                                                                  \
    }                                                                                \
  } while (0)

struct Mesh {
  int id = 0;
  int count = 0;
  float* verts = nullptr;
  Mesh() = default;
  Mesh(const Mesh&) = delete;
  Mesh& operator=(const Mesh&) = delete;
  ~Mesh() { cudaFree(verts); }
};

__global__ void translate(float* v, int n, float d) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) v[i] += d;
}

using MeshRef = std::shared_ptr<Mesh>;

class MeshCache {
 public:
  explicit MeshCache(size_t limit) : limit_(limit) {}
  ~MeshCache() {
    while (!order_.empty()) drop_oldest();
  }

  MeshRef acquire(int id) {
    auto hit = index_.find(id);
    if (hit != index_.end()) {
      order_.splice(order_.begin(), order_, hit->second);
      return *hit->second;
    }
    while (order_.size() >= limit_) drop_oldest();
    order_.push_front(load(id));
    index_[id] = order_.begin();
    return order_.front();
  }
  bool resident(int id) const { return index_.count(id) != 0; }

 private:
  static std::shared_ptr<Mesh> load(int id) {
    auto m = std::make_shared<Mesh>();
    m->id = id;
    m->count = 3 * 65536;
    std::vector<float> host(m->count, float(id));
    GPU(cudaMalloc(&m->verts, m->count * sizeof(float)));
    GPU(cudaMemcpy(m->verts, host.data(), m->count * sizeof(float), cudaMemcpyHostToDevice));
    return m;
  }
  void drop_oldest() {
    index_.erase(order_.back()->id);
    order_.pop_back();
  }

  size_t limit_;
  std::list<std::shared_ptr<Mesh>> order_;
  std::unordered_map<int, std::list<std::shared_ptr<Mesh>>::iterator> index_;
};

class CommandList {
 public:
  explicit CommandList(cudaStream_t s) : stream_(s) {}
  ~CommandList() { if (exec_) cudaGraphExecDestroy(exec_); }
  CommandList(const CommandList&) = delete;

  void move(MeshRef m, float d) { moves_.push_back({std::move(m), d}); }

  void bake() {
    cudaGraph_t g;
    GPU(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
    for (const Move& c : moves_)
      translate<<<(c.mesh->count + 255) / 256, 256, 0, stream_>>>(c.mesh->verts, c.mesh->count, c.delta);
    GPU(cudaGetLastError());
    GPU(cudaStreamEndCapture(stream_, &g));
    GPU(cudaGraphInstantiateWithFlags(&exec_, g, 0));
    GPU(cudaGraphDestroy(g));
  }
  cudaError_t submit() {
    cudaError_t e = cudaGraphLaunch(exec_, stream_);
    return e != cudaSuccess ? e : cudaStreamSynchronize(stream_);
  }

 private:
  struct Move {
    MeshRef mesh;
    float delta;
  };
  std::vector<Move> moves_;
  cudaStream_t stream_;
  cudaGraphExec_t exec_ = nullptr;
};

static bool all_equal(const float* dev, int n, float v) {
  std::vector<float> h(n);
  GPU(cudaMemcpy(h.data(), dev, n * sizeof(float), cudaMemcpyDeviceToHost));
  for (float x : h) if (std::fabs(x - v) > 1e-5f) return false;
  return true;
}

int main() {
  cudaStream_t s;
  GPU(cudaStreamCreate(&s));
  MeshCache cache(2);
  CommandList idle(s);
  MeshRef hero = cache.acquire(1);
  float* const hero_verts = hero->verts;
  const int hero_count = hero->count;
  idle.move(hero, 0.5f);
  idle.bake();
  hero.reset();
  GPU(idle.submit());
  GPU(idle.submit());
  const bool before = all_equal(hero_verts, hero_count, 2.0f);

  MeshRef crate = cache.acquire(2);
  MeshRef tree = cache.acquire(3);
  const bool evicted = !cache.resident(1) && cache.resident(2) && cache.resident(3);
  cudaPointerAttributes attr{};
  GPU(cudaPointerGetAttributes(&attr, hero_verts));
  const bool gone = attr.type == cudaMemoryTypeUnregistered;
  const bool aliased = tree->verts == hero_verts || crate->verts == hero_verts;
  cudaError_t late = idle.submit();
  std::printf("evicted %d gone %d aliased %d late %s\n", evicted, gone, aliased, cudaGetErrorName(late));
  bool confirmed = before && evicted && !gone && !aliased && late == cudaSuccess &&
                   all_equal(hero_verts, hero_count, 2.5f) && all_equal(tree->verts, tree->count, 3.0f) &&
                   all_equal(crate->verts, crate->count, 2.0f);
  std::printf(confirmed ? "LABEL CONFIRMED\n" : "LABEL UNOBSERVED\n");
  return confirmed ? 0 : 1;
}
