// Inference server with versioned weights; operators promote a version while the service runs.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#define CK(x)                                                                                     \
  do {                                                                                            \
    cudaError_t e__ = (x);                                                                        \
    if (e__ != cudaSuccess) throw std::runtime_error(std::string(#x) + ": " + cudaGetErrorString(e__)); \
  } while (0)

__global__ void dense_relu(const float* w, const float* b, const float* x, float* y, int in, int out) {
  int o = blockIdx.x * blockDim.x + threadIdx.x;
  if (o >= out) return;
  float acc = b[o];
  for (int k = 0; k < in; ++k) acc += w[o * in + k] * x[k];
  y[o] = acc > 0.f ? acc : 0.f;
}

constexpr int kIn = 32, kOut = 64;

struct HostModel { std::vector<float> w, b; };

class DeviceModel {
 public:
  DeviceModel(int version, const HostModel& h) : version_(version) {
    CK(cudaMalloc(&w_, sizeof(float) * kIn * kOut));
    CK(cudaMalloc(&b_, sizeof(float) * kOut));
    CK(cudaMemcpy(w_, h.w.data(), sizeof(float) * kIn * kOut, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(b_, h.b.data(), sizeof(float) * kOut, cudaMemcpyHostToDevice));
    CK(cudaDeviceSynchronize());
  }
  ~DeviceModel() { cudaFree(w_); cudaFree(b_); }
  DeviceModel(const DeviceModel&) = delete;
  DeviceModel& operator=(const DeviceModel&) = delete;
  const float* w() const { return w_; }
  const float* b() const { return b_; }
  int version() const { return version_; }

 private:
  int version_;
  float *w_ = nullptr, *b_ = nullptr;
};

class ModelRegistry {
 public:
  void load(int version, const HostModel& h) { all_[version] = std::make_shared<const DeviceModel>(version, h); }
  void promote(int version) {
    auto it = all_.find(version);
    if (it == all_.end()) throw std::runtime_error("unknown version");
    active_ = it->second;
  }
  const DeviceModel& active() const { return *active_; }

 private:
  std::map<int, std::shared_ptr<const DeviceModel>> all_;  // every version stays resident for rollback
  std::shared_ptr<const DeviceModel> active_;
};

struct Reply { int version; std::vector<float> y; };

class InferenceServer {
 public:
  explicit InferenceServer(const ModelRegistry& reg) : reg_(reg) {
    CK(cudaStreamCreate(&stream_));
    CK(cudaMalloc(&x_, sizeof(float) * kIn));
    CK(cudaMalloc(&y_, sizeof(float) * kOut));
    CK(cudaMallocHost(&hx_, sizeof(float) * kIn));
    CK(cudaMallocHost(&hy_, sizeof(float) * kOut));
  }
  ~InferenceServer() {
    if (exec_) cudaGraphExecDestroy(exec_);
    cudaFree(x_); cudaFree(y_); cudaFreeHost(hx_); cudaFreeHost(hy_);
    cudaStreamDestroy(stream_);
  }

  Reply infer(const std::vector<float>& x) {
    const DeviceModel& model = reg_.active();
    for (int i = 0; i < kIn; ++i) hx_[i] = x[i];
    if (!exec_ || prepared_ != model.version()) prepare(model);
    CK(cudaGraphLaunch(exec_, stream_));
    CK(cudaStreamSynchronize(stream_));
    return Reply{model.version(), std::vector<float>(hy_, hy_ + kOut)};
  }

 private:
  void prepare(const DeviceModel& m) {
    if (exec_) {
      CK(cudaGraphExecDestroy(exec_));
      exec_ = nullptr;
    }
    cudaGraph_t g{};
    CK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    CK(cudaMemcpyAsync(x_, hx_, sizeof(float) * kIn, cudaMemcpyHostToDevice, stream_));
    dense_relu<<<(kOut + 31) / 32, 32, 0, stream_>>>(m.w(), m.b(), x_, y_, kIn, kOut);
    CK(cudaGetLastError());
    CK(cudaMemcpyAsync(hy_, y_, sizeof(float) * kOut, cudaMemcpyDeviceToHost, stream_));
    CK(cudaStreamEndCapture(stream_, &g));
    CK(cudaGraphInstantiate(&exec_, g, 0));
    CK(cudaGraphDestroy(g));
    prepared_ = m.version();
  }

  const ModelRegistry& reg_;
  cudaStream_t stream_{};
  cudaGraphExec_t exec_{};
  int prepared_ = -1;
  float *x_{}, *y_{}, *hx_{}, *hy_{};
};

static HostModel make_model(float gain) {
  HostModel m;
  m.w.resize(kIn * kOut);
  m.b.resize(kOut);
  for (int i = 0; i < kIn * kOut; ++i) m.w[i] = gain * float((i % 13) - 4);
  for (int o = 0; o < kOut; ++o) m.b[o] = gain * float(o);
  return m;
}

static float error_of(const Reply& r, const HostModel& m, const std::vector<float>& x) {
  float worst = 0.f;
  for (int o = 0; o < kOut; ++o) {
    float acc = m.b[o];
    for (int k = 0; k < kIn; ++k) acc += m.w[o * kIn + k] * x[k];
    worst = std::fmax(worst, std::fabs(r.y[o] - std::fmax(acc, 0.f)));
  }
  return worst;
}

int main() try {
  std::map<int, HostModel> host{{1, make_model(0.125f)}, {2, make_model(0.5f)}, {3, make_model(1.25f)}};
  ModelRegistry reg;
  for (auto& [v, m] : host) reg.load(v, m);
  reg.promote(1);
  std::vector<float> x(kIn);
  for (int i = 0; i < kIn; ++i) x[i] = 0.25f * float(i % 4 + 1);

  InferenceServer server(reg);
  const int rollout[] = {1, 1, 2, 3, 1};
  bool first_good = true, others_good = true, others_bad = true;
  for (int v : rollout) {
    reg.promote(v);
    Reply r = server.infer(x);
    float e = error_of(r, host.at(r.version), x);
    std::printf("reply tagged v%d, worst error %g\n", r.version, e);
    if (v == 1) first_good = first_good && e < 1e-2f;
    else { others_good = others_good && e < 1e-2f; others_bad = others_bad && e > 1.f; }
  }
  bool seen = first_good && others_good && !others_bad;
  std::puts(seen ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
  return seen ? 0 : 1;
} catch (const std::exception& e) {
  std::printf("%s\nLABEL UNOBSERVED\n", e.what());
  return 1;
}
