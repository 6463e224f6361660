// Renderer: the command graph of a pass is built in the background while the game thread simulates.
#include <cuda_runtime.h>

#include <cstdio>
#include <future>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace gfx {

struct CudaError : std::runtime_error {
  CudaError(cudaError_t code, const std::string& what) : std::runtime_error(what + ": " + cudaGetErrorName(code)), code(code) {}
  cudaError_t code;
};
inline void verify(cudaError_t rc, const char* what) {
  if (rc != cudaSuccess) throw CudaError(rc, what);
}

constexpr int kPixels = 2048;

__global__ void clearTarget(float* t, float v) { t[blockIdx.x * blockDim.x + threadIdx.x] = v; }
__global__ void addLight(float* t, const float* intensity) { t[blockIdx.x * blockDim.x + threadIdx.x] += *intensity; }

class GraphExec {
 public:
  explicit GraphExec(cudaGraphExec_t exec = nullptr) : exec_(exec) {}
  GraphExec(GraphExec&& o) noexcept : exec_(std::exchange(o.exec_, nullptr)) {}
  GraphExec& operator=(GraphExec&& o) noexcept {
    std::swap(exec_, o.exec_);
    return *this;
  }
  ~GraphExec() {
    if (exec_) cudaGraphExecDestroy(exec_);
  }
  void submit(cudaStream_t s) const { verify(cudaGraphLaunch(exec_, s), "submit"); }

 private:
  cudaGraphExec_t exec_;
};

class CommandRecorder {
 public:
  explicit CommandRecorder(cudaStream_t stream) : stream_(stream) {}
  void open() { verify(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "open"); }  // HAZARD scope #1
  GraphExec close() {
    cudaGraph_t graph = nullptr;
    verify(cudaStreamEndCapture(stream_, &graph), "close");  // HAZARD scope #1
    cudaGraphExec_t exec = nullptr;
    const cudaError_t rc = cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphDestroy(graph);
    verify(rc, "instantiate");
    return GraphExec(exec);
  }
  cudaStream_t stream() const { return stream_; }

 private:
  cudaStream_t stream_;
};

class LightingPass {
 public:
  explicit LightingPass(int lights) : lights_(lights) {
    verify(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
    verify(cudaMalloc(&target_, kPixels * sizeof(float)), "target");
    verify(cudaMalloc(&intensity_, lights * sizeof(float)), "lights");
  }
  ~LightingPass() {
    exec_ = GraphExec();
    cudaFree(target_);
    cudaFree(intensity_);
    cudaStreamDestroy(stream_);
  }

  void build() {
    CommandRecorder recorder(stream_);
    recorder.open();
    std::future<GraphExec> built = std::async(std::launch::async, [this, &recorder] {  // HAZARD scope #1
      encode(recorder.stream());
      return recorder.close();  // HAZARD scope #1
    });
    exec_ = built.get();
  }

  float render(const std::vector<float>& intensity) {
    float v = 0.0f;
    verify(cudaMemcpyAsync(intensity_, intensity.data(), lights_ * sizeof(float), cudaMemcpyHostToDevice, stream_), "lights");
    exec_.submit(stream_);
    verify(cudaMemcpyAsync(&v, target_ + 100, sizeof v, cudaMemcpyDeviceToHost, stream_), "readback");
    verify(cudaStreamSynchronize(stream_), "frame");
    return v;
  }

 private:
  void encode(cudaStream_t s) const {
    clearTarget<<<kPixels / 256, 256, 0, s>>>(target_, 1.0f);
    for (int l = 0; l < lights_; ++l) addLight<<<kPixels / 256, 256, 0, s>>>(target_, intensity_ + l);
    verify(cudaGetLastError(), "encode");
  }

  const int lights_;
  cudaStream_t stream_ = nullptr;
  float *target_ = nullptr, *intensity_ = nullptr;
  GraphExec exec_;
};

}  // namespace gfx

int main() {
  bool wrongThread = false, right = false;
  try {
    gfx::LightingPass pass(3);
    pass.build();
    right = pass.render({1.0f, 2.0f, 3.0f}) == 7.0f && pass.render({2.0f, 2.0f, 2.0f}) == 7.0f && pass.render({0.0f, 0.0f, 1.0f}) == 2.0f;
  } catch (const gfx::CudaError& e) {
    std::fprintf(stderr, "%s\n", e.what());
    wrongThread = e.code == cudaErrorStreamCaptureWrongThread;
  }
  std::puts(wrongThread && !right ? "LABEL CONFIRMED" : "LABEL REFUTED");
  return 0;
}
