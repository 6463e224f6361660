#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace reco {

constexpr int kMaxBatch = 512;
constexpr int kDim = 16;

__global__ void scoreKernel(const float* users, const float* weight, float* score, int rows) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float s = 0.0f;
  for (int d = 0; d < kDim; ++d) s += users[r * kDim + d] * weight[d];
  score[r] = s;
}

struct Batch {
  int model;
  int rows;
};

class EventBus {
 public:
  using Observer = std::function<void(const Batch&)>;
  void subscribe(const std::string& topic, Observer o) { observers_[topic].push_back(std::move(o)); }
  void emit(const std::string& topic, const Batch& b) const {
    auto it = observers_.find(topic);
    if (it == observers_.end()) return;
    for (const auto& o : it->second) o(b);
  }

 private:
  std::map<std::string, std::vector<Observer>> observers_;
};

class Ranker {
 public:
  explicit Ranker(EventBus& bus) : bus_(bus) {
    cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking);
    cudaMalloc(&users_, kMaxBatch * kDim * sizeof(float));
    cudaMalloc(&score_, kMaxBatch * sizeof(float));
    std::vector<float> ones(kMaxBatch * kDim, 1.0f);
    cudaMemcpyAsync(users_, ones.data(), ones.size() * sizeof(float), cudaMemcpyHostToDevice, stream_);
    cudaMemsetAsync(score_, 0, kMaxBatch * sizeof(float), stream_);
    cudaStreamSynchronize(stream_);
  }
  ~Ranker() {
    graphs_.clear();
    for (auto& m : weights_) cudaFree(m.second);
    cudaFree(users_);
    cudaFree(score_);
    cudaStreamDestroy(stream_);
  }

  cudaError_t reload(int model, float weight) {
    float*& w = weights_[model];
    if (!w)
      if (cudaError_t e = cudaMalloc(&w, kDim * sizeof(float)); e != cudaSuccess) return e;
    const std::vector<float> host(kDim, weight);
    cudaError_t e = cudaMemcpyAsync(w, host.data(), kDim * sizeof(float), cudaMemcpyHostToDevice, stream_);
    const cudaError_t waited = cudaStreamSynchronize(stream_);
    return e != cudaSuccess ? e : waited;
  }

  cudaError_t rank(const Batch& b) {
    if (b.rows > kMaxBatch || !weights_.count(b.model)) return cudaErrorInvalidValue;
    auto it = graphs_.find(b.model);
    if (it == graphs_.end()) {
      Exec exec;
      if (cudaError_t e = record(b, exec); e != cudaSuccess) return e;
      it = graphs_.emplace(b.model, std::move(exec)).first;
    }
    if (cudaError_t e = cudaGraphLaunch(it->second.get(), stream_); e != cudaSuccess) return e;
    return cudaStreamSynchronize(stream_);
  }

  float score(int row) const {
    float v = -1.0f;
    cudaMemcpy(&v, score_ + row, sizeof v, cudaMemcpyDeviceToHost);
    return v;
  }
  std::size_t cached() const { return graphs_.size(); }

 private:
  using Exec = std::shared_ptr<CUgraphExec_st>;

  cudaError_t record(const Batch& b, Exec& out) {
    cudaGraph_t g = nullptr;
    cudaGraphExec_t raw = nullptr;
    cudaError_t e = cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal);
    if (e != cudaSuccess) return e;
    scoreKernel<<<(b.rows + 63) / 64, 64, 0, stream_>>>(users_, weights_[b.model], score_, b.rows);  // HAZARD dynamic_shape
    bus_.emit("scored", b);  // HAZARD host_logic
    e = cudaStreamEndCapture(stream_, &g);
    if (e == cudaSuccess) e = cudaGraphInstantiate(&raw, g, 0);
    if (g) cudaGraphDestroy(g);
    if (e == cudaSuccess) out = Exec(raw, [](cudaGraphExec_t x) { cudaGraphExecDestroy(x); });
    return e;
  }

  EventBus& bus_;
  cudaStream_t stream_ = nullptr;
  float *users_ = nullptr, *score_ = nullptr;
  std::map<int, float*> weights_;
  std::unordered_map<int, Exec> graphs_;
};

}  // namespace reco

int main() {
  reco::EventBus bus;
  long served = 0;
  bus.subscribe("scored", [&served](const reco::Batch& b) { served += b.rows; });
  reco::Ranker ranker(bus);
  bool ok = ranker.reload(7, 0.5f) == cudaSuccess;
  ok = ok && ranker.rank({7, 60}) == cudaSuccess;
  const float head = ranker.score(10);
  ok = ok && ranker.rank({7, 200}) == cudaSuccess;
  const float tail = ranker.score(150);
  ok = ok && ranker.reload(7, 1.0f) == cudaSuccess && ranker.rank({7, 40}) == cudaSuccess;
  const float again = ranker.score(10);
  ok = ok && head == 8.0f && tail == 0.0f && again == 16.0f && served == 60 && ranker.cached() == 1;
  if (ok) std::printf("LABEL CONFIRMED\n");
  else std::printf("LABEL REFUTED head=%f tail=%f again=%f served=%ld\n", head, tail, again, served);
  return 0;
}
