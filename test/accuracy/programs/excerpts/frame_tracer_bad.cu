// frame_tracer: progressive path tracing of a tiny sky/ground scene. Each frame adds one
// jittered sample per pixel; the frame is recorded once as a CUDA graph and replayed.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <vector>

class RenderException : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

#define RT_CHECK(call)                                                                 \
  do {                                                                                 \
    const cudaError_t rc_ = (call);                                                   \
    if (rc_ != cudaSuccess) {                                                          \
      std::stringstream ss;                                                            \
      ss << "CUDA call (" #call ") failed with '" << cudaGetErrorString(rc_) << "' (" << __FILE__ << ":" << __LINE__ << ")"; \
      throw RenderException(ss.str());                                                 \
    }                                                                                  \
  } while (false)

struct Camera {
  float pitch;
  float exposure;
};

struct Ray {
  float dy;  // enough for a scene that only has a sky and a ground
  float weight;
};

__host__ __device__ inline uint32_t tea(uint32_t v0, uint32_t v1) {
  uint32_t sum = 0;
  for (int n = 0; n < 4; ++n) {
    sum += 0x9e3779b9u;
    v0 += ((v1 << 4) + 0xa341316cu) ^ (v1 + sum) ^ ((v1 >> 5) + 0xc8013ea4u);
    v1 += ((v0 << 4) + 0xad90777du) ^ (v0 + sum) ^ ((v0 >> 5) + 0x7e95761eu);
  }
  return v0;
}

__host__ __device__ inline float rnd(uint32_t seed) { return (seed & 0x00ffffffu) / 16777216.f; }

__host__ __device__ inline float sky(float dy) { return dy > 0.f ? 0.25f + 0.75f * dy : 0.25f + 0.1f * dy; }

__global__ void generate_rays(Ray* rays, const Camera* cam, uint32_t frame, int width, int height) {
  const int px = blockIdx.x * blockDim.x + threadIdx.x;
  if (px >= width * height) return;
  const float jitter = rnd(tea(px, frame));
  rays[px] = {((px / width) + jitter) / height * 2.f - 1.f + cam->pitch, cam->exposure};
}

__global__ void trace(const Ray* rays, float* radiance, int count) {
  const int px = blockIdx.x * blockDim.x + threadIdx.x;
  if (px < count) radiance[px] = rays[px].weight * sky(rays[px].dy);
}

__global__ void accumulate(float* accum, const float* radiance, uint32_t frame, int count) {
  const int px = blockIdx.x * blockDim.x + threadIdx.x;
  if (px >= count) return;
  const float t = 1.f / (frame + 1);
  accum[px] = frame == 0 ? radiance[px] : accum[px] + (radiance[px] - accum[px]) * t;
}

class Renderer {
 public:
  Renderer(int width, int height) : width_(width), height_(height), count_(width * height) {
    RT_CHECK(cudaStreamCreate(&stream_));
    RT_CHECK(cudaMalloc(&rays_, count_ * sizeof(Ray)));
    RT_CHECK(cudaMalloc(&radiance_, count_ * sizeof(float)));
    RT_CHECK(cudaMalloc(&accum_, count_ * sizeof(float)));
    RT_CHECK(cudaMalloc(&camera_, sizeof(Camera)));
  }
  Renderer(const Renderer&) = delete;
  ~Renderer() {
    cudaStreamSynchronize(stream_);
    if (frame_exec_) cudaGraphExecDestroy(frame_exec_);
    cudaFree(camera_);
    cudaFree(accum_);
    cudaFree(radiance_);
    cudaFree(rays_);
    cudaStreamDestroy(stream_);
  }

  void set_camera(const Camera& cam) {
    RT_CHECK(cudaMemcpyAsync(camera_, &cam, sizeof(cam), cudaMemcpyHostToDevice, stream_));
    RT_CHECK(cudaStreamSynchronize(stream_));
    restart_accumulation();
  }

  void render() {
    if (!frame_exec_) record();
    RT_CHECK(cudaGraphLaunch(frame_exec_, stream_));
    ++frame_index_;
  }

  std::vector<float> download(const float* src) {
    std::vector<float> img(count_);
    RT_CHECK(cudaMemcpyAsync(img.data(), src, count_ * sizeof(float), cudaMemcpyDeviceToHost, stream_));
    RT_CHECK(cudaStreamSynchronize(stream_));
    return img;
  }
  std::vector<float> image() { return download(accum_); }
  std::vector<float> last_sample() { return download(radiance_); }
  uint32_t frames_done() const { return frame_index_; }

 private:
  void restart_accumulation() { frame_index_ = 0; }

  void record() {
    const int block = 128, grid = (count_ + block - 1) / block;
    cudaGraph_t graph = nullptr;
    RT_CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed));
    generate_rays<<<grid, block, 0, stream_>>>(rays_, camera_, frame_index_, width_, height_);  // HAZARD random
    trace<<<grid, block, 0, stream_>>>(rays_, radiance_, count_);
    accumulate<<<grid, block, 0, stream_>>>(accum_, radiance_, frame_index_, count_);  // HAZARD frozen
    RT_CHECK(cudaStreamEndCapture(stream_, &graph));
    const cudaError_t rc = cudaGraphInstantiate(&frame_exec_, graph, 0);
    cudaGraphDestroy(graph);
    RT_CHECK(rc);
  }

  const int width_, height_, count_;
  uint32_t frame_index_ = 0;  // frames accumulated since the last reset
  cudaStream_t stream_ = nullptr;
  Ray* rays_ = nullptr;
  float *radiance_ = nullptr, *accum_ = nullptr;
  Camera* camera_ = nullptr;
  cudaGraphExec_t frame_exec_ = nullptr;
};

static bool converged_to_reference(const std::vector<float>& img, const Camera& cam, int w, int h, uint32_t frames) {
  for (int px = 0; px < w * h; ++px) {
    double mean = 0.0;
    for (uint32_t f = 0; f < frames; ++f) {
      const float dy = ((px / w) + rnd(tea(px, f))) / h * 2.f - 1.f + cam.pitch;
      mean += cam.exposure * sky(dy);
    }
    mean /= frames;
    if (std::fabs(mean - img[px]) > 5e-3) return false;
  }
  return true;
}

int main() {
  constexpr int w = 32, h = 24;
  constexpr uint32_t frames = 24;
  bool failed = false;
  int wrong_images = 0, repeated_samples = 0;
  try {
    Renderer renderer(w, h);
    for (const Camera cam : {Camera{0.f, 1.f}, Camera{0.3f, 2.f}}) {
      renderer.set_camera(cam);
      std::vector<float> previous;
      for (uint32_t f = 0; f < frames; ++f) {
        renderer.render();
        std::vector<float> sample = renderer.last_sample();
        repeated_samples += sample == previous;
        previous.swap(sample);
      }
      std::printf("frame %u done\n", renderer.frames_done());
      wrong_images += !converged_to_reference(renderer.image(), cam, w, h, frames);
    }
  } catch (const RenderException& e) {
    std::cerr << e.what() << "\n";
    failed = true;
  }
  std::printf("wrong images %d, repeated samples %d\n", wrong_images, repeated_samples);
  std::puts(!failed && wrong_images > 0 && repeated_samples > 0 ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
  return 0;
}
