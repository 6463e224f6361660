// Scenario ladder of a mixed derivatives book. Batches are built on the host, staged in pinned slabs and
// valued by a recorded plan which runs again at every quote.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace pricing {

struct CudaFailure : std::runtime_error {
  using std::runtime_error::runtime_error;
};
inline void must(cudaError_t e) {
  if (e != cudaSuccess) throw CudaFailure(cudaGetErrorString(e));
}

struct Call { double strike; };
struct Digital { double barrier, cash; };
struct Forward { double rate; };
using Payoff = std::variant<Call, Digital, Forward>;

struct Trade {
  Payoff payoff;
  double notional;
  std::optional<double> premium;
};

struct FlatTrade {
  int kind;
  float level, cash, notional, premium;
};

struct Quote {
  float spot, bump, discount;
};

constexpr int kScenarios = 9;
constexpr size_t kSlabBytes = 64 * 1024;

// Fixed-size pinned slabs, handed out last in, first out.
class SlabPool {
 public:
  ~SlabPool() {
    for (void* p : all_) cudaFreeHost(p);
  }
  void* take() {
    if (idle_.empty()) {
      void* p = nullptr;
      must(cudaMallocHost(&p, kSlabBytes));
      all_.push_back(p);
      return p;
    }
    void* p = idle_.back();
    idle_.pop_back();
    return p;
  }
  void give(void* p) { idle_.push_back(p); }

 private:
  std::vector<void*> all_, idle_;
};

class Lease {
 public:
  explicit Lease(SlabPool& pool) : pool_(&pool), mem_(pool.take()) {}
  Lease(Lease&& o) noexcept : pool_(o.pool_), mem_(std::exchange(o.mem_, nullptr)) {}
  Lease& operator=(Lease&&) = delete;
  ~Lease() {
    if (mem_) pool_->give(mem_);  // HAZARD dangling #staging
  }
  template <class T>
  T* as() const { return static_cast<T*>(mem_); }

 private:
  SlabPool* pool_;
  void* mem_;
};

class BatchBuilder {
 public:
  BatchBuilder& add(Payoff p, double notional, std::optional<double> premium = std::nullopt) {
    trades_.push_back({std::move(p), notional, premium});
    return *this;
  }
  std::vector<Trade> build() { return std::move(trades_); }

 private:
  std::vector<Trade> trades_;
};

template <class... F>
struct Overload : F... { using F::operator()...; };
template <class... F>
Overload(F...) -> Overload<F...>;

FlatTrade flatten(const Trade& t) {
  FlatTrade f{0, 0.f, 0.f, float(t.notional), float(t.premium.value_or(0.0))};
  std::visit(Overload{[&](const Call& c) { f.kind = 0; f.level = float(c.strike); },
                      [&](const Digital& d) { f.kind = 1; f.level = float(d.barrier); f.cash = float(d.cash); },
                      [&](const Forward& w) { f.kind = 2; f.level = float(w.rate); }},
             t.payoff);
  return f;
}

__host__ __device__ inline float value(const FlatTrade& t, const Quote& q, int scenario) {
  const float s = q.spot + q.bump * float(scenario - kScenarios / 2);
  float pay = 0.f;
  if (t.kind == 0) pay = s > t.level ? s - t.level : 0.f;
  if (t.kind == 1) pay = s >= t.level ? t.cash : 0.f;
  if (t.kind == 2) pay = s - t.level;
  return t.notional * (q.discount * pay - t.premium);
}

__global__ void ladder_kernel(const FlatTrade* trades, int n, const Quote* q, float* ladder) {
  const int sc = threadIdx.x;
  if (sc >= kScenarios) return;
  float sum = 0.f;
  for (int i = 0; i < n; ++i) sum += value(trades[i], *q, sc);
  ladder[sc] = sum;
}

class LadderPlan {
 public:
  LadderPlan(size_t trades, SlabPool& pool) : count_(trades), quote_(pool), result_(pool) {
    must(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    must(cudaMalloc(&trades_, trades * sizeof(FlatTrade)));
    must(cudaMalloc(&deviceQuote_, sizeof(Quote)));
    must(cudaMalloc(&ladder_, kScenarios * sizeof(float)));
  }
  LadderPlan(const LadderPlan&) = delete;
  ~LadderPlan() {
    if (exec_) cudaGraphExecDestroy(exec_);
    cudaFree(trades_);
    cudaFree(deviceQuote_);
    cudaFree(ladder_);
    cudaStreamDestroy(stream_);
  }

  void record(const FlatTrade* staged) {
    must(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    cudaError_t body = enqueue(staged);
    cudaGraph_t graph = nullptr;
    cudaError_t end = cudaStreamEndCapture(stream_, &graph);
    if (body != cudaSuccess || end != cudaSuccess) {
      if (graph) cudaGraphDestroy(graph);
      throw CudaFailure("recording the ladder failed");
    }
    cudaError_t inst = cudaGraphInstantiate(&exec_, graph, 0);
    cudaGraphDestroy(graph);
    must(inst);
  }

  std::vector<float> revalue(const Quote& q) {
    *quote_.as<Quote>() = q;
    must(cudaGraphLaunch(exec_, stream_));
    must(cudaStreamSynchronize(stream_));
    const float* r = result_.as<float>();
    return {r, r + kScenarios};
  }

 private:
  cudaError_t enqueue(const FlatTrade* staged) {
    cudaError_t e = cudaMemcpyAsync(trades_, staged, count_ * sizeof(FlatTrade), cudaMemcpyHostToDevice, stream_);  // HAZARD dangling #staging
    if (e != cudaSuccess) return e;
    e = cudaMemcpyAsync(deviceQuote_, quote_.as<Quote>(), sizeof(Quote), cudaMemcpyHostToDevice, stream_);
    if (e != cudaSuccess) return e;
    ladder_kernel<<<1, 32, 0, stream_>>>(trades_, int(count_), deviceQuote_, ladder_);
    if ((e = cudaGetLastError()) != cudaSuccess) return e;
    return cudaMemcpyAsync(result_.as<float>(), ladder_, kScenarios * sizeof(float), cudaMemcpyDeviceToHost, stream_);
  }

  size_t count_;
  Lease quote_, result_;
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
  FlatTrade* trades_ = nullptr;
  Quote* deviceQuote_ = nullptr;
  float* ladder_ = nullptr;
};

std::unique_ptr<LadderPlan> makePlan(const std::vector<Trade>& batch, SlabPool& pool) {
  auto plan = std::make_unique<LadderPlan>(batch.size(), pool);
  Lease staging(pool);  // HAZARD dangling #staging
  FlatTrade* out = staging.as<FlatTrade>();
  for (const Trade& t : batch) *out++ = flatten(t);
  plan->record(staging.as<FlatTrade>());
  return plan;
}

// End-of-day sheet that is assembled in a slab before it is sent.
class RiskSheet {
 public:
  explicit RiskSheet(SlabPool& pool) : slab_(pool) { std::memset(slab_.as<char>(), 0, kSlabBytes); }
  void append(const std::vector<float>& ladder) {
    std::memcpy(slab_.as<float>() + rows_++ * kScenarios, ladder.data(), kScenarios * sizeof(float));
  }
  float at(int row, int col) const { return slab_.as<float>()[row * kScenarios + col]; }

 private:
  Lease slab_;
  int rows_ = 0;
};

}  // namespace pricing

int main() try {
  using namespace pricing;
  SlabPool pool;
  BatchBuilder builder;
  for (int i = 0; i < 40; ++i) {
    builder.add(Call{90.0 + i}, 10.0 + i);
    builder.add(Digital{95.0 + 0.5 * i, 4.0}, 3.0, 0.25);
    builder.add(Forward{100.0}, i % 2 ? 5.0 : -4.0);
  }
  const std::vector<Trade> batch = builder.build();
  auto plan = makePlan(batch, pool);

  auto expected = [&](const Quote& q) {
    std::vector<float> r(kScenarios, 0.f);
    for (int sc = 0; sc < kScenarios; ++sc)
      for (const Trade& t : batch) r[sc] += value(flatten(t), q, sc);
    return r;
  };
  auto agrees = [&](const std::vector<float>& got, const Quote& q) {
    const auto want = expected(q);
    for (int i = 0; i < kScenarios; ++i)
      if (!(std::fabs(got[i] - want[i]) <= 1e-3f * (1.f + std::fabs(want[i])))) return false;
    return true;
  };

  const Quote open{100.f, 2.f, 0.99f}, noon{103.f, 2.f, 0.98f}, close{97.f, 1.f, 0.98f};
  const bool r0 = agrees(plan->revalue(open), open);
  RiskSheet sheet(pool);
  sheet.append(expected(open));
  const bool r1 = agrees(plan->revalue(noon), noon);
  sheet.append(expected(noon));
  const bool r2 = agrees(plan->revalue(close), close);
  std::printf("open=%d noon=%d close=%d sheet=%g\n", r0, r1, r2, sheet.at(1, 4));
  std::puts(r0 && !r1 && !r2 ? "LABEL CONFIRMED" : "LABEL WRONG");
  return 0;
} catch (const std::exception& e) {
  std::printf("%s\nLABEL WRONG\n", e.what());
  return 1;
}
