// Server-side physics tick with component stores. Every tick ends with a snapshot of all positions in a
// pinned page; when a checkpoint is taken the page goes to the archive and recording continues on a new one.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

struct Vec2 {
  float x, y;
};

struct ErrorLog {
  cudaError_t first = cudaSuccess;
  void check(cudaError_t e, const char* what) {
    if (e == cudaSuccess) return;
    std::printf("%s failed: %s\n", what, cudaGetErrorString(e));
    if (first == cudaSuccess) first = e;
  }
  bool ok() const { return first == cudaSuccess; }
} g_log;
#define CHECK(call) g_log.check((call), #call)

// Dense structure-of-arrays store of one component type.
template <typename T>
class ComponentStore {
 public:
  explicit ComponentStore(size_t n) : count_(n) { CHECK(cudaMalloc(&data_, n * sizeof(T))); }
  ~ComponentStore() { cudaFree(data_); }
  ComponentStore(const ComponentStore&) = delete;
  ComponentStore& operator=(const ComponentStore&) = delete;
  T* device() { return data_; }
  size_t bytes() const { return count_ * sizeof(T); }
  void upload(const std::vector<T>& v) { CHECK(cudaMemcpy(data_, v.data(), bytes(), cudaMemcpyHostToDevice)); }

 private:
  T* data_ = nullptr;
  size_t count_;
};

class SnapshotRecorder {
 public:
  explicit SnapshotRecorder(size_t entities) : entities_(entities) { page_ = newPage(); }
  ~SnapshotRecorder() { cudaFreeHost(page_); }
  Vec2* page() { return page_; }
  const std::vector<std::vector<Vec2>>& archive() const { return archive_; }

  void turnPage() {
    archive_.emplace_back(page_, page_ + entities_);
    Vec2* fresh = newPage();
    CHECK(cudaFreeHost(page_));  // HAZARD dangling #page
    page_ = fresh;
  }

 private:
  Vec2* newPage() {
    Vec2* p = nullptr;
    CHECK(cudaMallocHost(&p, entities_ * sizeof(Vec2)));
    if (p) std::memset(p, 0, entities_ * sizeof(Vec2));
    return p;
  }
  size_t entities_;
  Vec2* page_ = nullptr;
  std::vector<std::vector<Vec2>> archive_;
};

constexpr float kDt = 1.0f / 64.0f;
constexpr float kGravity = -8.0f;

__host__ __device__ inline void moveBody(Vec2& p, Vec2& v) {
  v.y += kGravity * kDt;
  p.x += v.x * kDt;
  p.y += v.y * kDt;
}
__host__ __device__ inline void bounceBody(Vec2& p, Vec2& v) {
  if (p.y < 0.0f) {
    p.y = 0.0f;
    v.y = 4.0f;
  }
}
__global__ void moveSystem(Vec2* pos, Vec2* vel, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) moveBody(pos[i], vel[i]);
}
__global__ void bounceSystem(Vec2* pos, Vec2* vel, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) bounceBody(pos[i], vel[i]);
}

class World {
 public:
  World(const std::vector<Vec2>& p, const std::vector<Vec2>& v)
      : entities_(int(p.size())), positions_(p.size()), velocities_(v.size()), recorder_(p.size()) {
    positions_.upload(p);
    velocities_.upload(v);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
  }
  ~World() {
    dropGraph();
    cudaStreamDestroy(stream_);
  }

  void tick() {
    if (!tick_) buildGraph();
    if (!g_log.ok()) return;
    CHECK(cudaGraphLaunch(tick_, stream_));
    CHECK(cudaStreamSynchronize(stream_));
  }

  void checkpoint() {
    recorder_.turnPage();
  }
  SnapshotRecorder& recorder() { return recorder_; }

 private:
  void dropGraph() {
    if (tick_) cudaGraphExecDestroy(tick_);
    tick_ = nullptr;
  }

  void buildGraph() {
    const int blocks = (entities_ + 127) / 128;
    cudaGraph_t graph = nullptr;
    CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    moveSystem<<<blocks, 128, 0, stream_>>>(positions_.device(), velocities_.device(), entities_);
    bounceSystem<<<blocks, 128, 0, stream_>>>(positions_.device(), velocities_.device(), entities_);
    CHECK(cudaMemcpyAsync(recorder_.page(), positions_.device(), positions_.bytes(),  // HAZARD dangling #page
                          cudaMemcpyDeviceToHost, stream_));
    CHECK(cudaStreamEndCapture(stream_, &graph));
    if (!g_log.ok()) return;
    CHECK(cudaGraphInstantiate(&tick_, graph, 0));
    CHECK(cudaGraphDestroy(graph));
  }

  int entities_;
  ComponentStore<Vec2> positions_;
  ComponentStore<Vec2> velocities_;
  SnapshotRecorder recorder_;
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t tick_ = nullptr;
};

static int countWrong(const Vec2* got, const std::vector<Vec2>& want) {
  int wrong = 0;
  for (size_t i = 0; i < want.size(); ++i)
    if (std::fabs(got[i].x - want[i].x) > 2e-3f || std::fabs(got[i].y - want[i].y) > 2e-3f) ++wrong;
  return wrong;
}

int main() {
  const int n = 4096;
  std::vector<Vec2> pos(n), vel(n);
  for (int i = 0; i < n; ++i) {
    pos[i] = {1.0f + 0.25f * (i % 64), 0.25f + 0.5f * (i / 64)};
    vel[i] = {0.5f * (i % 5) - 1.0f, -2.0f};
  }

  int wrong = 0, ticks = 0;
  {
    World world(pos, vel);
    for (int t = 0; t < 30 && g_log.ok(); ++t) {
      world.tick();
      for (int i = 0; i < n; ++i) {
        moveBody(pos[i], vel[i]);
        bounceBody(pos[i], vel[i]);
      }
      if (!g_log.ok()) break;
      ++ticks;
      wrong += countWrong(world.recorder().page(), pos);
      if (t % 10 == 9) {
        world.checkpoint();
        wrong += countWrong(world.recorder().archive().back().data(), pos);
      }
    }
  }
  std::printf("ticks: %d, wrong snapshot entries: %d, first error: %d\n", ticks, wrong, int(g_log.first));
  std::puts(ticks >= 10 && (wrong > 0 || !g_log.ok()) ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
  return 0;
}
