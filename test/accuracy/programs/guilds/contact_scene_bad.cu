// Rigid-body scene whose constraint list is compiled into one CUDA graph per edit of the scene.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

struct CudaFailure : std::runtime_error {
  explicit CudaFailure(cudaError_t c) : std::runtime_error(cudaGetErrorName(c)), code(c) {}
  cudaError_t code;
};

#define GPU(expr)                                        \
  do {                                                   \
    cudaError_t status_ = (expr);                        \
    if (status_ != cudaSuccess) throw CudaFailure(status_); \
  } while (0)

struct BodyView {
  float* x;
  float* v;
  int count;
};

__global__ void springKernel(BodyView b, float k, float dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < b.count) b.v[i] -= k * b.x[i] * dt;
}
__global__ void dragKernel(BodyView b, float keep) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < b.count) b.v[i] *= keep;
}
__global__ void advanceKernel(BodyView b, float dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < b.count) b.x[i] += b.v[i] * dt;
}

class IConstraint {
 public:
  virtual ~IConstraint() = default;
  virtual void record(cudaStream_t stream, const BodyView& bodies, float dt) const = 0;
};

class Spring : public IConstraint {
 public:
  explicit Spring(float k) : k_(k) {}
  void record(cudaStream_t stream, const BodyView& bodies, float dt) const override {
    if (!(k_ * dt * dt < 1.0f))
      throw std::domain_error("spring too stiff for the time step");  // HAZARD scope #open
    springKernel<<<(bodies.count + 127) / 128, 128, 0, stream>>>(bodies, k_, dt);
    GPU(cudaGetLastError());
  }

 private:
  float k_;
};

class Drag : public IConstraint {
 public:
  explicit Drag(float keep) : keep_(keep) {}
  void record(cudaStream_t stream, const BodyView& bodies, float) const override {
    dragKernel<<<(bodies.count + 127) / 128, 128, 0, stream>>>(bodies, keep_);
    GPU(cudaGetLastError());
  }

 private:
  float keep_;
};

class Scene {
 public:
  Scene(int bodies, float dt);
  ~Scene();
  void add(std::shared_ptr<IConstraint> c);
  void removeLast();
  void compile();
  void step(int n);
  void download(std::vector<float>& x) const;

 private:
  struct State;
  std::unique_ptr<State> s_;
};

struct Scene::State {
  BodyView bodies{};
  float dt = 0.0f;
  cudaStream_t stream = nullptr;
  cudaGraphExec_t exec = nullptr;
  std::vector<std::shared_ptr<IConstraint>> constraints;
};

Scene::Scene(int n, float dt) : s_(std::make_unique<State>()) {
  s_->bodies.count = n;
  s_->dt = dt;
  GPU(cudaMalloc(&s_->bodies.x, n * sizeof(float)));
  GPU(cudaMalloc(&s_->bodies.v, n * sizeof(float)));
  std::vector<float> x(n);
  for (int i = 0; i < n; ++i) x[i] = 1.0f + 0.001f * i;
  GPU(cudaMemcpy(s_->bodies.x, x.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  GPU(cudaMemset(s_->bodies.v, 0, n * sizeof(float)));
  GPU(cudaDeviceSynchronize());
  GPU(cudaStreamCreateWithFlags(&s_->stream, cudaStreamNonBlocking));
}

Scene::~Scene() {
  if (s_->exec) cudaGraphExecDestroy(s_->exec);
  cudaStreamDestroy(s_->stream);
  cudaFree(s_->bodies.x);
  cudaFree(s_->bodies.v);
}

void Scene::add(std::shared_ptr<IConstraint> c) { s_->constraints.push_back(std::move(c)); }
void Scene::removeLast() { s_->constraints.pop_back(); }

void Scene::compile() {
  cudaGraph_t graph = nullptr;
  GPU(cudaStreamBeginCapture(s_->stream, cudaStreamCaptureModeThreadLocal));
  for (const auto& c : s_->constraints) c->record(s_->stream, s_->bodies, s_->dt);  // HAZARD scope #open
  advanceKernel<<<(s_->bodies.count + 127) / 128, 128, 0, s_->stream>>>(s_->bodies, s_->dt);
  GPU(cudaStreamEndCapture(s_->stream, &graph));
  if (s_->exec) cudaGraphExecDestroy(s_->exec);
  s_->exec = nullptr;
  cudaError_t built = cudaGraphInstantiate(&s_->exec, graph, 0);
  cudaGraphDestroy(graph);
  GPU(built);
}

void Scene::step(int n) {
  for (int i = 0; i < n; ++i) GPU(cudaGraphLaunch(s_->exec, s_->stream));
  GPU(cudaStreamSynchronize(s_->stream));
}

void Scene::download(std::vector<float>& x) const {
  x.resize(s_->bodies.count);
  GPU(cudaMemcpy(x.data(), s_->bodies.x, x.size() * sizeof(float), cudaMemcpyDeviceToHost));
}

int main() {
  const int n = 1000;
  const float dt = 0.01f;
  cudaError_t seen = cudaSuccess;
  bool rejected = false;
  double worst = 0.0;
  try {
    Scene scene(n, dt);
    scene.add(std::make_shared<Spring>(25.0f));
    scene.add(std::make_shared<Drag>(0.995f));
    scene.compile();
    scene.step(50);

    scene.add(std::make_shared<Spring>(50000.0f));  // user typo in the property sheet
    try {
      scene.compile();
    } catch (const std::domain_error& e) {
      std::printf("edit rejected: %s\n", e.what());
      rejected = true;
      scene.removeLast();
    }
    scene.add(std::make_shared<Spring>(5.0f));
    scene.compile();
    scene.step(50);

    std::vector<float> got;
    scene.download(got);
    for (int i = 0; i < n; ++i) {
      double x = 1.0f + 0.001f * i, v = 0.0;
      for (int s = 0; s < 100; ++s) {
        v -= 25.0 * x * dt;
        v *= 0.995f;
        if (s >= 50) v -= 5.0 * x * dt;
        x += v * dt;
      }
      worst = std::fmax(worst, std::fabs(x - got[i]));
    }
  } catch (const CudaFailure& e) {
    std::printf("cuda failure: %s\n", e.what());
    seen = e.code;
  }
  std::printf("rejected=%d deviation=%g\n", rejected, worst);
  bool confirmed = rejected && seen != cudaSuccess;
  std::puts(confirmed ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
  return 0;
}
