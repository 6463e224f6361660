// Clustered lighting of a game engine: lights are uploaded, transformed to view space and binned per cluster.
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <vector>

namespace engine {

inline void require(cudaError_t e, int line) {
  if (e == cudaSuccess) return;
  std::printf("line %d: %s\nLABEL WRONG\n", line, cudaGetErrorString(e));
  std::exit(1);
}
#define REQUIRE(x) ::engine::require((x), __LINE__)

struct Light {
  int x, z, intensity, flags;
};

constexpr int kClusters = 16;
constexpr int kMaxLights = 1024;
constexpr int kBlock = 64;

struct ViewParams {
  int originX, originZ;
};

__global__ void to_view(const Light* world, Light* view, const ViewParams* vp, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  Light l = world[i];
  l.x -= vp->originX;
  l.z -= vp->originZ;
  view[i] = l;
}

__global__ void bin_lights(const Light* view, int* clusterLight, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  int c = ((view[i].x & 3) << 2) | (view[i].z & 3);
  atomicAdd(&clusterLight[c], view[i].intensity);
}

using EntityId = uint32_t;

class Scene {
 public:
  EntityId spawnLight(const Light& l) {
    lights_.push_back(l);  // HAZARD dynamic_shape #lights
    return EntityId(lights_.size() - 1);
  }
  Light& light(EntityId id) { return lights_.at(id); }
  const std::vector<Light>& lights() const { return lights_; }
  ViewParams camera{0, 0};

 private:
  std::vector<Light> lights_;
};

struct FrameResources {
  Light* staging = nullptr;  // pinned
  ViewParams* stagedView = nullptr;
  int* stagedClusters = nullptr;
  Light *world = nullptr, *view = nullptr;
  ViewParams* viewParams = nullptr;
  int* clusters = nullptr;

  void create() {
    REQUIRE(cudaMallocHost(&staging, kMaxLights * sizeof(Light)));
    REQUIRE(cudaMallocHost(&stagedView, sizeof(ViewParams)));
    REQUIRE(cudaMallocHost(&stagedClusters, kClusters * sizeof(int)));
    REQUIRE(cudaMalloc(&world, kMaxLights * sizeof(Light)));
    REQUIRE(cudaMalloc(&view, kMaxLights * sizeof(Light)));
    REQUIRE(cudaMalloc(&viewParams, sizeof(ViewParams)));
    REQUIRE(cudaMalloc(&clusters, kClusters * sizeof(int)));
    REQUIRE(cudaMemset(world, 0, kMaxLights * sizeof(Light)));
    REQUIRE(cudaDeviceSynchronize());
  }
  void destroy() {
    cudaFreeHost(staging);
    cudaFreeHost(stagedView);
    cudaFreeHost(stagedClusters);
    cudaFree(world);
    cudaFree(view);
    cudaFree(viewParams);
    cudaFree(clusters);
  }
};

class LightingSystem {
 public:
  LightingSystem() {
    REQUIRE(cudaStreamCreateWithFlags(&queue_, cudaStreamNonBlocking));
    res_.create();
  }
  ~LightingSystem() {
    if (exec_) cudaGraphExecDestroy(*exec_);
    res_.destroy();
    cudaStreamDestroy(queue_);
  }

  std::vector<int> update(const Scene& scene) {
    stage(scene);
    if (!exec_) buildCommandList(scene);
    REQUIRE(cudaGraphLaunch(*exec_, queue_));
    REQUIRE(cudaStreamSynchronize(queue_));
    return std::vector<int>(res_.stagedClusters, res_.stagedClusters + kClusters);
  }

 private:
  static dim3 blocksFor(size_t n) { return dim3(unsigned((n + kBlock - 1) / kBlock)); }

  void stage(const Scene& scene) {
    std::memcpy(res_.staging, scene.lights().data(), scene.lights().size() * sizeof(Light));
    *res_.stagedView = scene.camera;
  }

  void uploadPass(const Scene& scene) {
    REQUIRE(cudaMemcpyAsync(res_.world, res_.staging, scene.lights().size() * sizeof(Light), cudaMemcpyHostToDevice, queue_));  // HAZARD dynamic_shape #lights
    REQUIRE(cudaMemcpyAsync(res_.viewParams, res_.stagedView, sizeof(ViewParams), cudaMemcpyHostToDevice, queue_));
  }

  void cullPass(const Scene& scene) {
    const int count = int(scene.lights().size());
    REQUIRE(cudaMemsetAsync(res_.clusters, 0, kClusters * sizeof(int), queue_));
    to_view<<<blocksFor(count), kBlock, 0, queue_>>>(res_.world, res_.view, res_.viewParams, count);  // HAZARD dynamic_shape #lights
    REQUIRE(cudaGetLastError());
    bin_lights<<<blocksFor(count), kBlock, 0, queue_>>>(res_.view, res_.clusters, count);  // HAZARD dynamic_shape #lights
    REQUIRE(cudaGetLastError());
  }

  void readbackPass() {
    REQUIRE(cudaMemcpyAsync(res_.stagedClusters, res_.clusters, kClusters * sizeof(int), cudaMemcpyDeviceToHost,
                            queue_));
  }

  cudaGraph_t recordPasses(const Scene& scene) {
    cudaGraph_t graph = nullptr;
    REQUIRE(cudaStreamBeginCapture(queue_, cudaStreamCaptureModeThreadLocal));
    uploadPass(scene);
    cullPass(scene);
    readbackPass();
    REQUIRE(cudaStreamEndCapture(queue_, &graph));
    return graph;
  }

  void buildCommandList(const Scene& scene) {
    cudaGraph_t graph = recordPasses(scene);
    cudaGraphExec_t exec = nullptr;
    REQUIRE(cudaGraphInstantiate(&exec, graph, 0));
    REQUIRE(cudaGraphDestroy(graph));
    exec_ = exec;
  }

  cudaStream_t queue_ = nullptr;
  FrameResources res_;
  std::optional<cudaGraphExec_t> exec_;
};

}  // namespace engine

static std::vector<int> hostClusters(const engine::Scene& s, size_t limit) {
  std::vector<int> c(engine::kClusters, 0);
  for (size_t i = 0; i < s.lights().size() && i < limit; ++i) {
    const auto& l = s.lights()[i];
    c[(((l.x - s.camera.originX) & 3) << 2) | ((l.z - s.camera.originZ) & 3)] += l.intensity;
  }
  return c;
}

int main() {
  engine::Scene scene;
  for (int i = 0; i < 100; ++i) scene.spawnLight({i, i / 7, 1 + i % 5, 0});
  engine::LightingSystem lighting;

  int right = 0, truncated = 0;
  const int spawnPerFrame[] = {0, 0, 40, 0, 150};
  for (int frame = 0; frame < 5; ++frame) {
    for (int k = 0; k < spawnPerFrame[frame]; ++k) scene.spawnLight({k * 3, k, 2 + k % 3, 1});
    scene.camera = {frame * 2, frame};
    scene.light(engine::EntityId(frame)).intensity += 10;
    auto got = lighting.update(scene);
    const bool ok = got == hostClusters(scene, scene.lights().size());
    const bool cut = !ok && got == hostClusters(scene, 100);
    right += ok;
    truncated += cut;
    std::printf("frame %d: %zu lights ok=%d truncated=%d\n", frame, scene.lights().size(), ok, cut);
  }
  std::puts(right == 2 && truncated == 3 ? "LABEL CONFIRMED" : "LABEL WRONG");
  return 0;
}
