// Pre-trade risk gate: orders are checked against desk limits that operations staff change during the day.
#include <cuda_runtime.h>

#include <cstdio>
#include <map>
#include <memory>
#include <queue>
#include <stdexcept>
#include <string>
#include <vector>

namespace risk {

inline void ensure(cudaError_t rc, const std::string& action) {
  if (rc != cudaSuccess) throw std::runtime_error(action + ": " + cudaGetErrorString(rc));
}

struct LimitChange {
  std::string desk;
  float notional;
};

// Limits in force, by desk. One per process.
class LimitBook {
 public:
  static LimitBook& instance() {
    static LimitBook book;
    return book;
  }
  void post(LimitChange change) { inbox_.push(std::move(change)); }
  bool drain() {
    bool changed = false;
    for (; !inbox_.empty(); inbox_.pop()) {
      byDesk_[inbox_.front().desk] = inbox_.front().notional;
      changed = true;
    }
    return changed;
  }
  float notional(const std::string& desk) const { return byDesk_.at(desk); }

 private:
  LimitBook() = default;
  std::map<std::string, float> byDesk_;
  std::queue<LimitChange> inbox_;
};

__global__ void flagBreaches(const float* notional, int* breach, int n, float limit) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) breach[i] = notional[i] > limit;
}

class Gate {
 public:
  virtual ~Gate() = default;
  virtual void enqueue(const float* orders, int* breach, int n, cudaStream_t stream) const = 0;
  virtual void refresh(cudaStream_t) {}
};

class NotionalGate final : public Gate {
 public:
  explicit NotionalGate(std::string desk) : desk_(std::move(desk)) {}
  void enqueue(const float* orders, int* breach, int n, cudaStream_t stream) const override {
    const float limit = LimitBook::instance().notional(desk_);
    flagBreaches<<<(n + 127) / 128, 128, 0, stream>>>(orders, breach, n, limit);  // HAZARD frozen
    ensure(cudaGetLastError(), "flagBreaches");
  }

 private:
  std::string desk_;
};

class CheckService {
 public:
  CheckService(std::unique_ptr<Gate> gate, int capacity) : gate_(std::move(gate)), capacity_(capacity) {
    ensure(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
    ensure(cudaMalloc(&orders_, capacity * sizeof(float)), "orders");
    ensure(cudaMalloc(&breach_, capacity * sizeof(int)), "breaches");
    gate_->refresh(stream_);
    record();
  }
  ~CheckService() {
    cudaGraphExecDestroy(exec_);
    cudaFree(orders_);
    cudaFree(breach_);
    cudaStreamDestroy(stream_);
  }

  int check(const std::vector<float>& orders) {
    if (LimitBook::instance().drain()) gate_->refresh(stream_);
    std::vector<int> flags(orders.size());
    ensure(cudaMemcpyAsync(orders_, orders.data(), orders.size() * sizeof(float), cudaMemcpyHostToDevice, stream_), "in");
    ensure(cudaGraphLaunch(exec_, stream_), "launch");
    ensure(cudaMemcpyAsync(flags.data(), breach_, flags.size() * sizeof(int), cudaMemcpyDeviceToHost, stream_), "out");
    ensure(cudaStreamSynchronize(stream_), "check");
    int breaches = 0;
    for (int f : flags) breaches += f;
    return breaches;
  }

 private:
  void record() {
    ensure(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "begin");
    gate_->enqueue(orders_, breach_, capacity_, stream_);
    cudaGraph_t graph = nullptr;
    ensure(cudaStreamEndCapture(stream_, &graph), "end");
    ensure(cudaGraphInstantiate(&exec_, graph, 0), "instantiate");
    ensure(cudaGraphDestroy(graph), "graph");
  }

  std::unique_ptr<Gate> gate_;
  int capacity_;
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
  float* orders_ = nullptr;
  int* breach_ = nullptr;
};

}  // namespace risk

int main() {
  try {
    auto& book = risk::LimitBook::instance();
    book.post({"rates", 100.0f});
    book.drain();
    risk::CheckService service(std::make_unique<risk::NotionalGate>("rates"), 256);
    std::vector<float> orders(256);
    for (int i = 0; i < 256; ++i) orders[i] = float(i);
    if (service.check(orders) != 155) throw std::runtime_error("first check");
    book.post({"rates", 200.0f});
    const int raised = service.check(orders);
    book.post({"rates", 50.0f});
    const int lowered = service.check(orders);
    const bool right = raised == 55 && lowered == 205;
    std::puts(right ? "LABEL REFUTED" : "LABEL CONFIRMED");
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    std::puts("LABEL REFUTED");
  }
  return 0;
}
