// Light accumulation pass of the deferred renderer.
#include <cuda_runtime.h>

#include <array>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace lumen {

inline void check(cudaError_t e, std::string_view what) {
  if (e != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(e));
}

struct GraphDeleter { void operator()(cudaGraph_t g) const noexcept { cudaGraphDestroy(g); } };
struct ExecDeleter { void operator()(cudaGraphExec_t e) const noexcept { cudaGraphExecDestroy(e); } };
struct StreamDeleter { void operator()(cudaStream_t s) const noexcept { cudaStreamDestroy(s); } };
struct DeviceDeleter { void operator()(void* p) const noexcept { cudaFree(p); } };
using Graph = std::unique_ptr<std::remove_pointer_t<cudaGraph_t>, GraphDeleter>;
using Exec = std::unique_ptr<std::remove_pointer_t<cudaGraphExec_t>, ExecDeleter>;
using Stream = std::unique_ptr<std::remove_pointer_t<cudaStream_t>, StreamDeleter>;
template <class T> using DeviceArray = std::unique_ptr<T[], DeviceDeleter>;

template <class T> DeviceArray<T> make_device(std::size_t n) {
  void* p = nullptr;
  check(cudaMalloc(&p, n * sizeof(T)), "device array");
  return DeviceArray<T>(static_cast<T*>(p));
}

class Recording {
 public:
  explicit Recording(cudaStream_t s) : s_(s) {
    check(cudaStreamBeginCapture(s_, cudaStreamCaptureModeThreadLocal), "begin recording");
    open_ = true;
  }
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;
  ~Recording() {
    cudaGraph_t g = nullptr;
    if (open_ && cudaStreamEndCapture(s_, &g) == cudaSuccess && g) cudaGraphDestroy(g);
  }
  Graph finish() {
    cudaGraph_t g = nullptr;
    open_ = false;
    check(cudaStreamEndCapture(s_, &g), "end recording");
    return Graph(g);
  }

 private:
  cudaStream_t s_;
  bool open_ = false;
};

struct Light { float x, y, z, intensity; };
struct Launch { dim3 grid, block; };

__global__ void clear_sum(float* sum) { *sum = 0.f; }
__global__ void gather(const Light* lights, const unsigned* live, float* sum) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < *live) atomicAdd(sum, lights[i].intensity);
}

class LightPass {
 public:
  static constexpr std::size_t kMaxLights = 4096;
  static constexpr unsigned kBlock = 256;

  LightPass()
      : d_lights_(make_device<Light>(kMaxLights)), d_live_(make_device<unsigned>(1)), d_sum_(make_device<float>(1)) {
    cudaStream_t s{};
    check(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking), "stream");
    stream_.reset(s);
    lights_.reserve(kMaxLights);
  }

  LightPass& add(const Light& l) {
    if (lights_.size() == kMaxLights) throw std::length_error("too many lights");
    lights_.push_back(l);
    return *this;
  }

  float frame() {
    upload();
    if (!exec_) record();
    check(cudaGraphLaunch(exec_.get(), stream_.get()), "launch");
    float out = 0.f;
    check(cudaMemcpyAsync(&out, d_sum_.get(), sizeof out, cudaMemcpyDeviceToHost, stream_.get()), "readback");
    check(cudaStreamSynchronize(stream_.get()), "frame");
    return out;
  }

 private:
  Launch shape() const {
    const auto n = static_cast<unsigned>(lights_.size());
    return {dim3((n + kBlock - 1) / kBlock), dim3(kBlock)};
  }

  void upload() {
    live_ = static_cast<unsigned>(lights_.size());
    check(cudaMemcpyAsync(d_lights_.get(), lights_.data(), live_ * sizeof(Light), cudaMemcpyHostToDevice, stream_.get()),
          "lights");
    check(cudaMemcpyAsync(d_live_.get(), &live_, sizeof live_, cudaMemcpyHostToDevice, stream_.get()), "live");
  }

  void encode(cudaStream_t s) const {
    const auto [grid, block] = shape();  // HAZARD dynamic_shape #1
    clear_sum<<<1, 1, 0, s>>>(d_sum_.get());
    check(cudaGetLastError(), "clear");
    gather<<<grid, block, 0, s>>>(d_lights_.get(), d_live_.get(), d_sum_.get());  // HAZARD dynamic_shape #1
    check(cudaGetLastError(), "gather");
  }

  void record() {
    Recording rec(stream_.get());
    encode(stream_.get());
    const Graph g = rec.finish();
    cudaGraphExec_t e = nullptr;
    check(cudaGraphInstantiate(&e, g.get(), 0), "instantiate");
    exec_.reset(e);
  }

  std::vector<Light> lights_;
  unsigned live_ = 0;
  DeviceArray<Light> d_lights_;
  DeviceArray<unsigned> d_live_;
  DeviceArray<float> d_sum_;
  Stream stream_;
  Exec exec_;
};

}  // namespace lumen

int main() {
  lumen::LightPass pass;
  constexpr std::array<int, 3> batches{200, 300, 700};
  int total = 0;
  bool right = true;
  for (int n : batches) {
    for (int i = 0; i < n; ++i) pass.add({0.f, 0.f, 0.f, 1.f});
    total += n;
    const float got = pass.frame();
    std::printf("lights %d energy %.0f\n", total, got);
    right = right && got == static_cast<float>(total);
  }
  std::puts(right ? "LABEL REFUTED" : "LABEL CONFIRMED");
}
