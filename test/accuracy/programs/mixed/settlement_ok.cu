// End-of-day netting. Stages are registered by factory; interested parties subscribe to stage completion.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace clearing {

inline void ensure(cudaError_t status, std::string_view action) {
  if (status != cudaSuccess)
    throw std::runtime_error(std::string(action) + ": " + cudaGetErrorString(status));
}

struct Ledger {
  const std::int64_t* debit;
  const std::int64_t* credit;
  std::int64_t* net;
  int accounts;
};

__global__ void netKernel(const std::int64_t* debit, const std::int64_t* credit, std::int64_t* net, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) net[i] = credit[i] - debit[i];
}

__global__ void feeKernel(std::int64_t* net, int n, std::int64_t fee) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) net[i] -= fee;
}

struct StageCompleted {
  std::string_view stage;
};

class EventBus {
 public:
  using Listener = std::function<void(const StageCompleted&)>;
  void attach(Listener listener) { listeners_.push_back(std::move(listener)); }
  void notify(const StageCompleted& event) const {
    for (const auto& listener : listeners_) listener(event);
  }

 private:
  std::vector<Listener> listeners_;
};

class Stage {
 public:
  virtual ~Stage() = default;
  virtual std::string_view name() const = 0;
  virtual void enqueue(const Ledger& ledger, cudaStream_t stream) const = 0;
};

class NetStage final : public Stage {
 public:
  std::string_view name() const override { return "net"; }
  void enqueue(const Ledger& l, cudaStream_t stream) const override {
    netKernel<<<(l.accounts + 127) / 128, 128, 0, stream>>>(l.debit, l.credit, l.net, l.accounts);
    ensure(cudaGetLastError(), "net");
  }
};

class FeeStage final : public Stage {
 public:
  std::string_view name() const override { return "fee"; }
  void enqueue(const Ledger& l, cudaStream_t stream) const override {
    feeKernel<<<(l.accounts + 127) / 128, 128, 0, stream>>>(l.net, l.accounts, 5);
    ensure(cudaGetLastError(), "fee");
  }
};

using StageFactory = std::function<std::unique_ptr<Stage>()>;

std::unordered_map<std::string, StageFactory>& stageRegistry() {
  static std::unordered_map<std::string, StageFactory> registry = {
      {"net", [] { return std::make_unique<NetStage>(); }},
      {"fee", [] { return std::make_unique<FeeStage>(); }},
  };
  return registry;
}

class CaptureSession {
 public:
  explicit CaptureSession(cudaStream_t stream) : stream_(stream) {
    ensure(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "begin capture");
  }
  CaptureSession(const CaptureSession&) = delete;
  CaptureSession& operator=(const CaptureSession&) = delete;
  ~CaptureSession() {
    if (!done_) cudaStreamEndCapture(stream_, &graph_);
    if (graph_) cudaGraphDestroy(graph_);
  }
  cudaGraphExec_t commit() {
    done_ = true;
    ensure(cudaStreamEndCapture(stream_, &graph_), "end capture");
    cudaGraphExec_t exec = nullptr;
    ensure(cudaGraphInstantiate(&exec, graph_, 0), "instantiate");
    return exec;
  }

 private:
  cudaStream_t stream_;
  cudaGraph_t graph_ = nullptr;
  bool done_ = false;
};

class SettlementRun {
 public:
  SettlementRun(const std::vector<std::string>& stages, std::shared_ptr<const EventBus> bus, const Ledger& ledger,
                cudaStream_t stream)
      : bus_(std::move(bus)), ledger_(ledger), stream_(stream) {
    for (const std::string& name : stages) stages_.push_back(stageRegistry().at(name)());
  }
  SettlementRun(const SettlementRun&) = delete;
  SettlementRun& operator=(const SettlementRun&) = delete;
  ~SettlementRun() {
    if (exec_) cudaGraphExecDestroy(exec_);
  }

  void settle() {
    if (!exec_) prepare();
    ensure(cudaGraphLaunch(exec_, stream_), "graph launch");
    ensure(cudaStreamSynchronize(stream_), "synchronize");
    for (const auto& stage : stages_) bus_->notify({stage->name()});
  }

 private:
  void prepare() {
    CaptureSession session(stream_);
    for (const auto& stage : stages_) stage->enqueue(ledger_, stream_);
    exec_ = session.commit();
  }

  std::shared_ptr<const EventBus> bus_;
  const Ledger ledger_;
  cudaStream_t stream_;
  std::vector<std::unique_ptr<Stage>> stages_;
  cudaGraphExec_t exec_ = nullptr;
};

class AuditTrail {
 public:
  explicit AuditTrail(EventBus& bus) {
    bus.attach([this](const StageCompleted& e) { entries_.emplace_back(e.stage); });
  }
  AuditTrail(const AuditTrail&) = delete;
  std::size_t size() const { return entries_.size(); }

 private:
  std::vector<std::string> entries_;
};

}  // namespace clearing

int main() {
  using namespace clearing;
  constexpr int kAccounts = 300, kRuns = 3;
  bool right = true;
  std::size_t audited = 0;
  try {
    cudaStream_t stream = nullptr;
    std::int64_t* mem = nullptr;
    ensure(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
    ensure(cudaMalloc(&mem, 3 * kAccounts * sizeof(std::int64_t)), "malloc");
    auto bus = std::make_shared<EventBus>();
    AuditTrail audit(*bus);
    {
      SettlementRun run({"net", "fee"}, bus, Ledger{mem, mem + kAccounts, mem + 2 * kAccounts, kAccounts}, stream);
      std::vector<std::int64_t> books(2 * kAccounts), net(kAccounts);
      for (int day = 0; day < kRuns; ++day) {
        for (int i = 0; i < kAccounts; ++i) books[i] = i * day, books[kAccounts + i] = 10 * i;
        ensure(cudaMemcpyAsync(mem, books.data(), books.size() * sizeof(std::int64_t), cudaMemcpyHostToDevice, stream), "in");
        run.settle();
        ensure(cudaMemcpyAsync(net.data(), mem + 2 * kAccounts, net.size() * sizeof(std::int64_t), cudaMemcpyDeviceToHost, stream), "out");
        ensure(cudaStreamSynchronize(stream), "sync");
        for (int i = 0; i < kAccounts; ++i) right = right && net[i] == 10 * i - i * day - 5;
      }
    }
    audited = audit.size();
    ensure(cudaFree(mem), "free");
    ensure(cudaStreamDestroy(stream), "stream");
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    std::puts("LABEL REFUTED");
    return 0;
  }
  std::puts(right && audited == 2 * kRuns ? "LABEL CONFIRMED" : "LABEL REFUTED");
  return 0;
}
