// Settlement engine behind a pimpl: postings are compiled into a graph, a second lane keeps snapshots.
#include <cuda_runtime.h>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

__global__ void postEntry(float* balances, int account, float amount) { balances[account] += amount; }
__global__ void snapshot(const float* balances, float* copy, int n) {
  if (threadIdx.x < n) copy[threadIdx.x] = balances[threadIdx.x];
}

struct Entry { int account; float amount; };
struct Batch { std::vector<Entry> entries; bool audited = false; };

struct Outcome {
  cudaError_t code = cudaSuccess;
  std::string reason;
  explicit operator bool() const { return code == cudaSuccess && reason.empty(); }
  static Outcome of(cudaError_t e) { return {e, e == cudaSuccess ? "" : cudaGetErrorName(e)}; }
  static Outcome reject(std::string why) { return {cudaSuccess, std::move(why)}; }
};

class SettlementEngine {
 public:
  static constexpr int kAccounts = 32;
  SettlementEngine();
  ~SettlementEngine();
  Outcome compile(const Batch& batch);
  Outcome settle();
  void reload(float limit);
  float balance(int account) const;
  bool recording() const;
  void abandon();

 private:
  struct Impl;
  std::unique_ptr<Impl> p_;
};

struct SettlementEngine::Impl {
  cudaStream_t main = nullptr, lane = nullptr;
  cudaEvent_t forked = nullptr, joined = nullptr;
  cudaGraphExec_t exec = nullptr;
  float *balances = nullptr, *copy = nullptr;
  float limit = 1000.0f;

  void auditLane() {
    cudaEventRecord(forked, main);
    cudaStreamWaitEvent(lane, forked, 0);
    snapshot<<<1, 32, 0, lane>>>(balances, copy, kAccounts);  // HAZARD stream_dependency #lane
  }
  void dropExec() {
    if (exec) cudaGraphExecDestroy(exec);  // HAZARD graph_lifetime #exec
    exec = nullptr;
  }
};

SettlementEngine::SettlementEngine() : p_(std::make_unique<Impl>()) {
  cudaStreamCreateWithFlags(&p_->main, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&p_->lane, cudaStreamNonBlocking);
  cudaEventCreateWithFlags(&p_->forked, cudaEventDisableTiming);
  cudaEventCreateWithFlags(&p_->joined, cudaEventDisableTiming);
  cudaMalloc(&p_->balances, kAccounts * sizeof(float));
  cudaMalloc(&p_->copy, kAccounts * sizeof(float));
  cudaMemset(p_->balances, 0, kAccounts * sizeof(float));
  cudaDeviceSynchronize();
}

SettlementEngine::~SettlementEngine() {
  if (p_->exec) cudaGraphExecDestroy(p_->exec);
  cudaFree(p_->balances);
  cudaFree(p_->copy);
  cudaEventDestroy(p_->forked);
  cudaEventDestroy(p_->joined);
  cudaStreamDestroy(p_->lane);
  cudaStreamDestroy(p_->main);
}

Outcome SettlementEngine::compile(const Batch& batch) {
  cudaError_t rc = cudaStreamBeginCapture(p_->main, cudaStreamCaptureModeThreadLocal);  // HAZARD capture_scope #limit
  if (rc != cudaSuccess) return Outcome::of(rc);
  for (const Entry& e : batch.entries) {
    if (e.amount > p_->limit) return Outcome::reject("limit");  // HAZARD capture_scope #limit
    postEntry<<<1, 1, 0, p_->main>>>(p_->balances, e.account, e.amount);
  }
  if (batch.audited) p_->auditLane();
  cudaGraph_t graph = nullptr;
  rc = cudaStreamEndCapture(p_->main, &graph);  // HAZARD stream_dependency #lane
  if (rc != cudaSuccess) return Outcome::of(rc);
  p_->dropExec();
  rc = cudaGraphInstantiate(&p_->exec, graph, 0);
  cudaGraphDestroy(graph);
  return Outcome::of(rc);
}

Outcome SettlementEngine::settle() {
  cudaError_t rc = cudaGraphLaunch(p_->exec, p_->main);  // HAZARD graph_lifetime #exec
  if (rc == cudaSuccess) rc = cudaStreamSynchronize(p_->main);
  return Outcome::of(rc);
}

void SettlementEngine::reload(float limit) { p_->limit = limit; p_->dropExec(); }

float SettlementEngine::balance(int account) const {
  float v = 0;
  cudaMemcpy(&v, p_->balances + account, sizeof v, cudaMemcpyDeviceToHost);
  return v;
}

bool SettlementEngine::recording() const {
  cudaStreamCaptureStatus st = cudaStreamCaptureStatusNone;
  cudaStreamIsCapturing(p_->main, &st);
  return st == cudaStreamCaptureStatusActive;
}

void SettlementEngine::abandon() {
  cudaGraph_t g = nullptr;
  if (recording() && cudaStreamEndCapture(p_->main, &g) == cudaSuccess) cudaGraphDestroy(g);
}

int main() {
  SettlementEngine engine;
  Outcome small = engine.compile({{{3, 10.0f}, {3, 5.0f}}, false});
  Outcome one = engine.settle(), two = engine.settle();
  float mid = engine.balance(3);
  engine.reload(20.0f);
  Outcome after = engine.settle();
  Outcome big = engine.compile({{{4, 2.0f}, {5, 50.0f}}, false});
  bool open = engine.recording();
  engine.abandon();
  Outcome audited = engine.compile({{{6, 7.0f}}, true});
  bool base = small && one && two && mid == 30.0f && big.reason == "limit";
  bool hit = base && after.code != cudaSuccess && open && audited.code == cudaErrorStreamCaptureUnjoined;
  std::printf(hit ? "LABEL CONFIRMED\n" : "LABEL REFUTED mid %g after %d open %d audited %d\n", mid, after.code, open,
              audited.code);
  return 0;
}
