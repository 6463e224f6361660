// Diffusion of a ring of temperature cells, three substeps per forecast interval, followed by station observations
// that are kept on the device for verification at the end of the run.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <utility>
#include <vector>

#define OK(call)                                                        \
  do {                                                                  \
    if (cudaError_t err = (call)) throw std::runtime_error(cudaGetErrorString(err)); \
  } while (0)

class Field {
 public:
  explicit Field(int n) : n_(n) { OK(cudaMalloc(&data_, bytes())); }
  Field(Field&& o) noexcept : n_(o.n_), data_(std::exchange(o.data_, nullptr)) {}
  Field& operator=(Field&& o) noexcept {
    std::swap(n_, o.n_);
    std::swap(data_, o.data_);
    return *this;
  }
  ~Field() { cudaFree(data_); }
  float* data() const { return data_; }
  int size() const { return n_; }
  size_t bytes() const { return size_t(n_) * sizeof(float); }
  void upload(const std::vector<float>& v) { OK(cudaMemcpy(data_, v.data(), bytes(), cudaMemcpyHostToDevice)); }
  std::vector<float> download() const {
    std::vector<float> v(n_);
    OK(cudaMemcpy(v.data(), data_, bytes(), cudaMemcpyDeviceToHost));
    return v;
  }

 private:
  int n_ = 0;
  float* data_ = nullptr;
};

__global__ void tendency(const float* t, float* dt, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) dt[i] = 0.2f * (t[(i + n - 1) % n] - 2.0f * t[i] + t[(i + 1) % n]);
}

__global__ void advance(const float* t, const float* dt, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = t[i] + dt[i];
}

struct GraphHandles {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  ~GraphHandles() {
    if (exec) cudaGraphExecDestroy(exec);
    if (graph) cudaGraphDestroy(graph);
  }
};

class Forecast {
 public:
  Forecast(const std::vector<float>& initial, int substeps)
      : substeps_(substeps), current_(static_cast<int>(initial.size())), next_(static_cast<int>(initial.size())) {
    OK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    current_.upload(initial);
    OK(cudaDeviceSynchronize());
    build();
  }
  ~Forecast() { cudaStreamDestroy(stream_); }

  void interval() {
    OK(cudaGraphLaunch(handles_.exec, stream_));
    OK(cudaStreamSynchronize(stream_));
  }

  std::vector<float> state() const { return current_.download(); }

 private:
  void build() {
    const int n = current_.size();
    const int blocks = (n + 127) / 128;
    Field rate(n);  // HAZARD dangling #rate
    OK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    for (int s = 0; s < substeps_; ++s) {
      tendency<<<blocks, 128, 0, stream_>>>(current_.data(), rate.data(), n);  // HAZARD dangling #rate
      advance<<<blocks, 128, 0, stream_>>>(current_.data(), rate.data(), next_.data(), n);  // HAZARD dangling #rate
      std::swap(current_, next_);  // HAZARD host_logic #swap
    }
    OK(cudaStreamEndCapture(stream_, &handles_.graph));
    OK(cudaGraphInstantiate(&handles_.exec, handles_.graph, 0));
  }

  int substeps_;
  Field current_, next_;
  cudaStream_t stream_ = nullptr;
  GraphHandles handles_;
};

static std::vector<float> reference_interval(std::vector<float> t, int substeps) {
  const int n = static_cast<int>(t.size());
  std::vector<float> out(n);
  for (int s = 0; s < substeps; ++s) {
    for (int i = 0; i < n; ++i) out[i] = t[i] + 0.2f * (t[(i + n - 1) % n] - 2.0f * t[i] + t[(i + 1) % n]);
    std::swap(t, out);
  }
  return t;
}

static float distance(const std::vector<float>& a, const std::vector<float>& b) {
  float d = 0.0f;
  for (size_t i = 0; i < a.size(); ++i) d = std::fmax(d, std::fabs(a[i] - b[i]));
  return d;
}

static bool run() {
  constexpr int n = 3000, substeps = 3, intervals = 5;
  std::vector<float> expected(n);
  for (int i = 0; i < n; ++i) expected[i] = 280.0f + 10.0f * float(i % 10 < 3);
  Forecast forecast(expected, substeps);

  std::vector<Field> stations;
  std::vector<std::vector<float>> recorded;
  for (int k = 0; k < 4; ++k) {
    std::vector<float> values(n);
    for (int i = 0; i < n; ++i) values[i] = 270.0f + float((i * 7 + k) % 31);
    stations.emplace_back(n);
    stations.back().upload(values);
    recorded.push_back(std::move(values));
  }

  bool good = true;
  for (int step = 0; step < intervals; ++step) {
    forecast.interval();
    expected = reference_interval(expected, substeps);
    const float error = distance(forecast.state(), expected);
    std::printf("interval %d: error %.5f\n", step, error);
    good = good && error < 1e-2f;
  }
  for (size_t k = 0; k < stations.size(); ++k) {
    const float drift = distance(stations[k].download(), recorded[k]);
    std::printf("station %zu: drift %.5f\n", k, drift);
    good = good && drift == 0.0f;
  }
  return good;
}

int main() {
  bool good = false;
  try {
    good = run();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
  }
  std::puts(good ? "LABEL UNOBSERVED" : "LABEL CONFIRMED");
  return 0;
}
