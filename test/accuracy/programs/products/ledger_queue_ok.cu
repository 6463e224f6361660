// Ledger command queue: commands are built in recycled slots, recorded once and replayed at every period end.
#include <cuda_runtime.h>
#include <cstdio>
#include <functional>
#include <future>
#include <memory>
#include <new>
#include <stdexcept>
#include <vector>

#define LEDGER_CHECK(x) \
  do { cudaError_t e_ = (x); if (e_ != cudaSuccess) throw std::runtime_error(cudaGetErrorName(e_)); } while (0)

constexpr int kAccounts = 16;

__global__ void deposit(float* balances, int account, const float* amounts) { balances[account] += amounts[account]; }

struct Journal {
  int postings = 0;
  int statements[kAccounts] = {};
};

struct Ledger {
  float *balances = nullptr, *amounts = nullptr;
  Journal journal;
  Ledger() {
    std::vector<float> two(kAccounts, 2.0f);
    cudaMalloc(&balances, kAccounts * sizeof(float));
    cudaMalloc(&amounts, kAccounts * sizeof(float));
    cudaMemset(balances, 0, kAccounts * sizeof(float));
    cudaMemcpy(amounts, two.data(), kAccounts * sizeof(float), cudaMemcpyHostToDevice);
    cudaDeviceSynchronize();
  }
  ~Ledger() { cudaFree(balances); cudaFree(amounts); }
};

class ICommand {
 public:
  virtual ~ICommand() = default;
  virtual void record(Ledger& ledger, cudaStream_t stream) = 0;
  virtual void replayed(Ledger&) {}
};

class Deposit final : public ICommand {
 public:
  explicit Deposit(int account) : account_(account) {}
  void record(Ledger& ledger, cudaStream_t stream) override {
    deposit<<<1, 1, 0, stream>>>(ledger.balances, account_, ledger.amounts);
  }
  void replayed(Ledger& ledger) override { ++ledger.journal.postings; }

 private:
  int account_;
};

class Statement final : public ICommand {
 public:
  Statement(Journal& journal, int account) : journal_(&journal), account_(account) {}
  void record(Ledger&, cudaStream_t stream) override {
    LEDGER_CHECK(cudaLaunchHostFunc(stream, &Statement::issue, this));
  }

 private:
  static void CUDART_CB issue(void* p) {
    auto* self = static_cast<Statement*>(p);
    ++self->journal_->statements[self->account_];
  }
  Journal* journal_;
  int account_;
};

class ArchivePrefetch final : public ICommand {
 public:
  ~ArchivePrefetch() override { if (archive_) cudaFree(archive_); }
  void record(Ledger& ledger, cudaStream_t stream) override {
    auto loaded = std::async(std::launch::async, [this] {
      return cudaMalloc(&archive_, 1 << 16);
    });
    deposit<<<1, 1, 0, stream>>>(ledger.balances, 0, ledger.amounts);
    status = loaded.get();
  }
  cudaError_t status = cudaSuccess;

 private:
  char* archive_ = nullptr;
};

class CommandQueue {
 public:
  static constexpr int kSlots = 8;
  CommandQueue() : slots_(kSlots) {}
  ~CommandQueue() { clear(); }
  template <class C, class... A>
  C& emplace(A&&... a) {
    static_assert(sizeof(C) <= sizeof(Slot), "slot too small");
    auto* c = new (&slots_.at(live_.size())) C(std::forward<A>(a)...);
    live_.push_back(c);
    return *c;
  }
  const std::vector<ICommand*>& commands() const { return live_; }
  void clear() {
    for (auto* c : live_) c->~ICommand();
    live_.clear();
  }

 private:
  struct alignas(16) Slot { unsigned char bytes[64]; };
  std::vector<Slot> slots_;
  std::vector<ICommand*> live_;
};

class Period {
 public:
  Period(Ledger& ledger, cudaStream_t stream, std::unique_ptr<CommandQueue> queue)
      : ledger_(ledger), stream_(stream), queue_(std::move(queue)) {
    LEDGER_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    for (auto* c : queue_->commands()) c->record(ledger, stream);
    cudaGraph_t g = nullptr;
    LEDGER_CHECK(cudaStreamEndCapture(stream, &g));
    cudaError_t rc = cudaGraphInstantiate(&exec_, g, 0);
    cudaGraphDestroy(g);
    LEDGER_CHECK(rc);
  }
  ~Period() { cudaGraphExecDestroy(exec_); }
  void close() {
    LEDGER_CHECK(cudaGraphLaunch(exec_, stream_));
    LEDGER_CHECK(cudaStreamSynchronize(stream_));
    for (auto* c : queue_->commands()) c->replayed(ledger_);
  }

 private:
  Ledger& ledger_;
  cudaStream_t stream_;
  cudaGraphExec_t exec_ = nullptr;
  std::unique_ptr<CommandQueue> queue_;
};
int main() {
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  Ledger ledger;
  Journal& j = ledger.journal;
  bool failed = false;
  auto queue = std::make_unique<CommandQueue>();
  queue->emplace<Deposit>(7);
  queue->emplace<Statement>(j, 7);
  Period monthly(ledger, stream, std::move(queue));
  for (int i = 0; i < 3; ++i) monthly.close();
  queue = std::make_unique<CommandQueue>();
  auto& prefetch = queue->emplace<ArchivePrefetch>();
  try { Period yearly(ledger, stream, std::move(queue)); yearly.close(); failed = prefetch.status != cudaSuccess; }
  catch (const std::runtime_error&) { failed = true; }
  bool hit = !failed && j.postings == 3 && j.statements[7] == 3 && j.statements[9] == 0;
  float b = 0;
  cudaGetLastError();
  cudaMemcpy(&b, ledger.balances + 7, sizeof b, cudaMemcpyDeviceToHost);
  hit = hit && b == 6.0f;
  std::printf(hit ? "LABEL CONFIRMED\n" : "LABEL REFUTED postings %d statements %d %d failed %d balance %g\n", j.postings,
              j.statements[7], j.statements[9], failed, b);
  return 0;
}
