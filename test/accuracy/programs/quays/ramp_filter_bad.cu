// Ramp filtering of projection rows ahead of cone-beam back-projection.
#include <cuda_runtime.h>
#include <cufft.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

namespace fdk {

[[noreturn]] void Fail(const char* what, int code, int line) {
  std::fprintf(stderr, "line %d: %s failed with %d\n", line, what, code);
  std::printf("LABEL WRONG\n");
  std::exit(1);
}

#define FDK_CHECK(expr)                                          \
  do {                                                           \
    const int code_ = static_cast<int>(expr);                    \
    if (code_ != 0) ::fdk::Fail(#expr, code_, __LINE__);         \
  } while (false)

struct StreamDeleter {
  void operator()(cudaStream_t s) const { cudaStreamDestroy(s); }
};
using UniqueStream =
    std::unique_ptr<std::remove_pointer_t<cudaStream_t>, StreamDeleter>;

struct ExecDeleter {
  void operator()(cudaGraphExec_t e) const { cudaGraphExecDestroy(e); }
};
using UniqueExec =
    std::unique_ptr<std::remove_pointer_t<cudaGraphExec_t>, ExecDeleter>;

struct DeviceDeleter {
  void operator()(void* p) const { cudaFree(p); }
};
template <typename T>
using DevicePtr = std::unique_ptr<T, DeviceDeleter>;

template <typename T>
DevicePtr<T> MakeDevice(size_t count) {
  T* p = nullptr;
  FDK_CHECK(cudaMalloc(&p, count * sizeof(T)));
  FDK_CHECK(cudaMemset(p, 0, count * sizeof(T)));
  return DevicePtr<T>(p);
}

UniqueStream MakeStream() {
  cudaStream_t s = nullptr;
  FDK_CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  return UniqueStream(s);
}

class FftPlan {
 public:
  FftPlan() = default;
  FftPlan(int length, int rows) : valid_(true) {
    FDK_CHECK(cufftPlan1d(&plan_, length, CUFFT_C2C, rows));
  }
  ~FftPlan() { Reset(); }
  FftPlan(FftPlan&& other) noexcept { *this = std::move(other); }
  FftPlan& operator=(FftPlan&& other) noexcept {
    if (this != &other) {
      Reset();
      plan_ = other.plan_;
      valid_ = std::exchange(other.valid_, false);
    }
    return *this;
  }
  void BindStream(cudaStream_t stream) { FDK_CHECK(cufftSetStream(plan_, stream)); }
  void Execute(cufftComplex* data, int direction) const {
    FDK_CHECK(cufftExecC2C(plan_, data, data, direction));
  }

 private:
  void Reset() {
    if (valid_) cufftDestroy(plan_);
    valid_ = false;
  }
  cufftHandle plan_ = 0;
  bool valid_ = false;
};

struct Geometry {
  int columns = 96;
  int rows = 6;
  float source_distance = 400.0f;
};

__host__ __device__ inline float CosineWeight(int column, int columns,
                                              float distance) {
  const float u = column - 0.5f * (columns - 1);
  return distance / sqrtf(distance * distance + u * u);
}

__host__ __device__ inline float RampGain(int k, int padded) {
  const int f = k <= padded / 2 ? k : padded - k;
  return 2.0f * static_cast<float>(f) / static_cast<float>(padded);
}

__global__ void WeightAndPad(const float* projection, cufftComplex* spectrum,
                             int columns, int padded, float distance) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= padded) return;
  const int r = blockIdx.y;
  const float value = c < columns ? projection[r * columns + c] *
                                        CosineWeight(c, columns, distance)
                                  : 0.0f;
  spectrum[r * padded + c] = make_cuComplex(value, 0.0f);
}

__global__ void ApplyRamp(cufftComplex* spectrum, int padded) {
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= padded) return;
  const float gain = RampGain(k, padded) / static_cast<float>(padded);
  cufftComplex& value = spectrum[blockIdx.y * padded + k];
  value.x *= gain;
  value.y *= gain;
}

__global__ void Crop(const cufftComplex* spectrum, float* filtered,
                     int columns, int padded) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c < columns) {
    filtered[blockIdx.y * columns + c] = spectrum[blockIdx.y * padded + c].x;
  }
}

class RampFilter {
 public:
  RampFilter(const Geometry& geometry, int padded, cudaStream_t stream)
      : geometry_(geometry), stream_(stream) {
    forward_ = FftPlan(padded, geometry.rows);
    inverse_ = FftPlan(padded, geometry.rows);
    forward_.BindStream(stream_);
    inverse_.BindStream(stream_);
    AllocateSpectrum(padded);
  }

  // Longer padding suppresses the cupping artefact of wide fields of view.
  void SetPadding(int padded) {
    if (padded == padded_) return;
    forward_ = FftPlan(padded, geometry_.rows);
    forward_.BindStream(stream_);
    inverse_ = FftPlan(padded, geometry_.rows);  // HAZARD escape #plan
    AllocateSpectrum(padded);
  }

  void Enqueue(const float* projection, float* filtered) const {
    const dim3 block(64);
    const dim3 grid((padded_ + 63) / 64, geometry_.rows);
    WeightAndPad<<<grid, block, 0, stream_>>>(projection, spectrum_.get(),
                                              geometry_.columns, padded_,
                                              geometry_.source_distance);
    forward_.Execute(spectrum_.get(), CUFFT_FORWARD);
    ApplyRamp<<<grid, block, 0, stream_>>>(spectrum_.get(), padded_);
    inverse_.Execute(spectrum_.get(), CUFFT_INVERSE);  // HAZARD escape #plan
    Crop<<<grid, block, 0, stream_>>>(spectrum_.get(), filtered,
                                      geometry_.columns, padded_);
    FDK_CHECK(cudaGetLastError());
  }

 private:
  void AllocateSpectrum(int padded) {
    padded_ = padded;
    spectrum_ = MakeDevice<cufftComplex>(padded * geometry_.rows);
  }

  Geometry geometry_;
  cudaStream_t stream_;
  int padded_ = 0;
  FftPlan forward_;
  FftPlan inverse_;
  DevicePtr<cufftComplex> spectrum_;
};

class ViewPipeline {
 public:
  ViewPipeline(const Geometry& geometry, int padded)
      : count_(geometry.columns * geometry.rows),
        stream_(MakeStream()),
        filter_(geometry, padded, stream_.get()),
        projection_(MakeDevice<float>(count_)),
        filtered_(MakeDevice<float>(count_)) {}

  void Reconfigure(int padded) {
    FDK_CHECK(cudaStreamSynchronize(stream_.get()));
    exec_.reset();
    filter_.SetPadding(padded);
  }

  std::vector<float> Process(const std::vector<float>& view) {
    if (!exec_) Prepare();
    std::vector<float> result(count_);
    FDK_CHECK(cudaMemcpyAsync(projection_.get(), view.data(),
                              count_ * sizeof(float), cudaMemcpyHostToDevice,
                              stream_.get()));
    FDK_CHECK(cudaGraphLaunch(exec_.get(), stream_.get()));
    FDK_CHECK(cudaMemcpyAsync(result.data(), filtered_.get(),
                              count_ * sizeof(float), cudaMemcpyDeviceToHost,
                              stream_.get()));
    FDK_CHECK(cudaStreamSynchronize(stream_.get()));
    return result;
  }

 private:
  void Prepare() {
    // One plain pass loads the kernels and the FFT modules.
    filter_.Enqueue(projection_.get(), filtered_.get());
    FDK_CHECK(cudaDeviceSynchronize());

    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    FDK_CHECK(cudaStreamBeginCapture(stream_.get(),
                                     cudaStreamCaptureModeThreadLocal));
    filter_.Enqueue(projection_.get(), filtered_.get());
    FDK_CHECK(cudaStreamEndCapture(stream_.get(), &graph));
    FDK_CHECK(cudaGraphInstantiate(&exec, graph, 0));
    FDK_CHECK(cudaGraphDestroy(graph));
    exec_.reset(exec);
  }

  int count_;
  UniqueStream stream_;
  RampFilter filter_;
  DevicePtr<float> projection_;
  DevicePtr<float> filtered_;
  UniqueExec exec_;
};

std::vector<float> MakeView(const Geometry& g, int index) {
  std::vector<float> view(g.columns * g.rows);
  for (int r = 0; r < g.rows; ++r) {
    for (int c = 0; c < g.columns; ++c) {
      const float x = (c - 40.0f - 2.0f * index) / (12.0f + r);
      view[r * g.columns + c] = std::exp(-x * x) + 0.1f * ((c + index) % 5);
    }
  }
  return view;
}

double ErrorAgainstDft(const Geometry& g, int padded,
                       const std::vector<float>& view,
                       const std::vector<float>& got) {
  const double kPi = std::acos(-1.0);
  double worst = 0.0;
  std::vector<std::complex<double>> spectrum(padded);
  for (int r = 0; r < g.rows; ++r) {
    for (int k = 0; k < padded; ++k) {
      std::complex<double> sum = 0.0;
      for (int c = 0; c < g.columns; ++c) {
        const double w = CosineWeight(c, g.columns, g.source_distance);
        sum += w * view[r * g.columns + c] *
               std::polar(1.0, -2.0 * kPi * k * c / padded);
      }
      spectrum[k] = sum * static_cast<double>(RampGain(k, padded)) / (1.0 * padded);
    }
    for (int c = 0; c < g.columns; ++c) {
      std::complex<double> sum = 0.0;
      for (int k = 0; k < padded; ++k) {
        sum += spectrum[k] * std::polar(1.0, 2.0 * kPi * k * c / padded);
      }
      worst = std::max(worst, std::fabs(sum.real() - got[r * g.columns + c]));
    }
  }
  return worst;
}

}  // namespace fdk

int main() {
  const fdk::Geometry geometry;
  fdk::ViewPipeline pipeline(geometry, 128);
  double worst[2] = {0.0, 0.0};
  const int paddings[2] = {128, 256};
  for (int phase = 0; phase < 2; ++phase) {
    pipeline.Reconfigure(paddings[phase]);
    for (int i = 0; i < 4; ++i) {
      const std::vector<float> view = fdk::MakeView(geometry, i);
      const std::vector<float> out = pipeline.Process(view);
      worst[phase] = std::max(worst[phase], fdk::ErrorAgainstDft(geometry, paddings[phase], view, out));
    }
    std::printf("padding %d: error %g\n", paddings[phase], worst[phase]);
  }
  const bool confirmed = worst[0] < 1e-3 && worst[1] > 1e-2;
  std::printf(confirmed ? "LABEL CONFIRMED\n" : "LABEL WRONG\n");
  return confirmed ? 0 : 1;
}
