// link: -lcublas
// Candidate scoring for the home feed: one sgemv per request, scaled by the live ranking temperature.
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace feed {

inline void must(cudaError_t e, const char* what) {
  if (e != cudaSuccess) { std::printf("%s: %s\n", what, cudaGetErrorString(e)); std::printf("LABEL UNOBSERVED\n"); std::exit(1); }
}
inline void must(cublasStatus_t s, const char* what) {
  if (s != CUBLAS_STATUS_SUCCESS) { std::printf("%s: cublas %d\n", what, int(s)); std::printf("LABEL UNOBSERVED\n"); std::exit(1); }
}

struct RankingSettings {
  float temperature = 1.0f;
  int revision = 0;
};

class SettingsBus {
 public:
  using Listener = std::function<void(const RankingSettings&)>;
  void subscribe(Listener l) { listeners_.push_back(std::move(l)); listeners_.back()(current_); }
  void publish(float temperature) {
    current_.temperature = temperature;
    ++current_.revision;
    for (auto& l : listeners_) l(current_);
  }

 private:
  RankingSettings current_;
  std::vector<Listener> listeners_;
};

class Scorer {
 public:
  virtual ~Scorer() = default;
  virtual std::vector<float> score(const std::vector<float>& user) = 0;
};

class GemvScorer final : public Scorer {
 public:
  GemvScorer(int items, int dim, const std::vector<float>& table, SettingsBus& bus) : items_(items), dim_(dim) {
    must(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
    must(cublasCreate(&blas_), "cublasCreate");
    must(cublasSetStream(blas_, stream_), "cublasSetStream");
    must(cudaMalloc(&d_table_, sizeof(float) * items * dim), "table");
    must(cudaMalloc(&d_user_, sizeof(float) * dim), "user");
    must(cudaMalloc(&d_scores_, sizeof(float) * items), "scores");
    must(cudaMallocHost(&h_user_, sizeof(float) * dim), "h_user");
    must(cudaMallocHost(&h_scores_, sizeof(float) * items), "h_scores");
    must(cudaMemcpyAsync(d_table_, table.data(), sizeof(float) * items * dim, cudaMemcpyHostToDevice, stream_), "upload");
    must(cudaStreamSynchronize(stream_), "sync");
    bus.subscribe([this](const RankingSettings& s) { onSettings(s); });
    for (int k = 0; k < dim_; ++k) h_user_[k] = 0.f;
    enqueue();  // lets cuBLAS pick its kernels before the first request
    must(cudaStreamSynchronize(stream_), "warm-up");
  }
  ~GemvScorer() override {
    if (exec_) cudaGraphExecDestroy(exec_);
    cublasDestroy(blas_);
    cudaFree(d_table_); cudaFree(d_user_); cudaFree(d_scores_);
    cudaFreeHost(h_user_); cudaFreeHost(h_scores_);
    cudaStreamDestroy(stream_);
  }

  std::vector<float> score(const std::vector<float>& user) override {
    for (int k = 0; k < dim_; ++k) h_user_[k] = user[k];
    if (!exec_) record();
    must(cudaGraphLaunch(exec_, stream_), "launch");
    must(cudaStreamSynchronize(stream_), "sync");
    return std::vector<float>(h_scores_, h_scores_ + items_);
  }

 private:
  void onSettings(const RankingSettings& s) {
    alpha_ = 1.0f / s.temperature;  // HAZARD frozen #alpha
  }

  void enqueue() {
    must(cudaMemcpyAsync(d_user_, h_user_, sizeof(float) * dim_, cudaMemcpyHostToDevice, stream_), "h2d");
    must(cublasSgemv(blas_, CUBLAS_OP_T, dim_, items_, &alpha_, d_table_, dim_, d_user_, 1, &beta_, d_scores_, 1), "sgemv");  // HAZARD frozen #alpha
    must(cudaMemcpyAsync(h_scores_, d_scores_, sizeof(float) * items_, cudaMemcpyDeviceToHost, stream_), "d2h");
  }

  void record() {
    cudaGraph_t graph = nullptr;
    must(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "begin");
    enqueue();
    must(cudaStreamEndCapture(stream_, &graph), "end");
    must(cudaGraphInstantiate(&exec_, graph, 0), "instantiate");
    must(cudaGraphDestroy(graph), "destroy");
  }

  int items_, dim_;
  float alpha_ = 1.f, beta_ = 0.f;
  float *d_table_ = nullptr, *d_user_ = nullptr, *d_scores_ = nullptr, *h_user_ = nullptr, *h_scores_ = nullptr;
  cudaStream_t stream_ = nullptr;
  cublasHandle_t blas_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
};

}  // namespace feed

int main() {
  const int items = 96, dim = 16;
  std::vector<float> table(items * dim), user(dim);
  for (int i = 0; i < items * dim; ++i) table[i] = float((i * 7) % 11) * 0.25f;
  for (int k = 0; k < dim; ++k) user[k] = 0.5f + 0.125f * float(k % 5);

  feed::SettingsBus bus;
  std::unique_ptr<feed::Scorer> scorer = std::make_unique<feed::GemvScorer>(items, dim, table, bus);

  auto worst = [&](const std::vector<float>& got, float temperature) {
    float w = 0.f;
    for (int i = 0; i < items; ++i) {
      float ref = 0.f;
      for (int k = 0; k < dim; ++k) ref += table[i * dim + k] * user[k];
      w = std::fmax(w, std::fabs(got[i] - ref / temperature));
    }
    return w;
  };

  const float temps[] = {1.0f, 2.0f, 0.5f, 4.0f};
  float errs[4];
  for (int r = 0; r < 4; ++r) {
    if (r) bus.publish(temps[r]);
    errs[r] = worst(scorer->score(user), temps[r]);
    std::printf("temperature %.2f worst error %g\n", temps[r], errs[r]);
  }
  const bool seen = errs[0] < 1e-2f && errs[1] > 0.5f && errs[2] > 0.5f && errs[3] > 0.5f;
  std::printf(seen ? "LABEL CONFIRMED\n" : "LABEL UNOBSERVED\n");
  return seen ? 0 : 1;
}
