// Acreage-weighted tabulation for irrigation-district elections.
//
// Every parcel owner casts one ballot; the ballot counts with the number of acres of the parcel. Batches arrive from
// the scanners with a fixed capacity and are tabulated by one pre-recorded graph per contest.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace district {

enum class StatusCode { kSuccess, kUnknownRule, kArenaExhausted, kDeviceFailure, kNotPrepared, kBadArgument };

const char* toString(StatusCode code) {
  switch (code) {
    case StatusCode::kSuccess: return "SUCCESS";
    case StatusCode::kUnknownRule: return "UNKNOWN_RULE";
    case StatusCode::kArenaExhausted: return "ARENA_EXHAUSTED";
    case StatusCode::kDeviceFailure: return "DEVICE_FAILURE";
    case StatusCode::kNotPrepared: return "NOT_PREPARED";
    case StatusCode::kBadArgument: return "BAD_ARGUMENT";
  }
  return "?";
}

StatusCode fromCuda(cudaError_t e) { return e == cudaSuccess ? StatusCode::kSuccess : StatusCode::kDeviceFailure; }

constexpr int kCandidates = 4;
constexpr int kParcels = 1024;
constexpr int kBatchCapacity = 4096;

struct BallotCard {
  std::uint16_t parcel;
  std::uint16_t choice;
};

// ---------------------------------------------------------------------------------------------- device memory service
class IDeviceArena {
 public:
  virtual ~IDeviceArena() = default;
  virtual StatusCode acquire(void** slot) = 0;
  virtual void release(void* slot) = 0;
};

class SlabArena final : public IDeviceArena {
 public:
  SlabArena(std::size_t slotBytes, int slots) {
    if (cudaMalloc(&slab_, slotBytes * slots) != cudaSuccess) return;
    for (int i = slots - 1; i >= 0; --i) free_.push_back(static_cast<char*>(slab_) + slotBytes * i);
  }
  ~SlabArena() override { cudaFree(slab_); }
  StatusCode acquire(void** slot) override {
    if (free_.empty()) return StatusCode::kArenaExhausted;
    *slot = free_.back();
    free_.pop_back();
    return StatusCode::kSuccess;
  }
  void release(void* slot) override { free_.push_back(slot); }

 private:
  void* slab_ = nullptr;
  std::vector<void*> free_;
};

class ArenaLease {
 public:
  explicit ArenaLease(IDeviceArena& arena) : arena_(&arena) { status_ = arena.acquire(&slot_); }
  ArenaLease(const ArenaLease&) = delete;
  ArenaLease& operator=(const ArenaLease&) = delete;
  ~ArenaLease() { if (slot_) arena_->release(slot_); }
  StatusCode status() const { return status_; }
  template <class T> T* as() const { return static_cast<T*>(slot_); }

 private:
  IDeviceArena* arena_;
  void* slot_ = nullptr;
  StatusCode status_;
};

// --------------------------------------------------------------------------------------------------------- audit trail
class IAuditTrail {
 public:
  virtual ~IAuditTrail() = default;
  virtual void append(const std::string& entry) = 0;
  virtual std::size_t entries() const = 0;
};

class MemoryAuditTrail final : public IAuditTrail {
 public:
  void append(const std::string& entry) override { lines_.push_back(entry); }
  std::size_t entries() const override { return lines_.size(); }

 private:
  std::vector<std::string> lines_;
};

// ---------------------------------------------------------------------------------------------------- tabulation rules
__global__ void weightedTally(const BallotCard* cards, const std::uint32_t* weights, unsigned* totals, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  BallotCard c = cards[i];
  if (c.choice < kCandidates) atomicAdd(&totals[c.choice], weights[c.parcel]);
}

__global__ void markTurnout(std::uint32_t* voted, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) voted[i] = 1;
}

class ITabulationRule {
 public:
  virtual ~ITabulationRule() = default;
  virtual std::vector<std::uint32_t> weights(const std::vector<std::uint32_t>& acres) const = 0;
};

class AcreageRule final : public ITabulationRule {
 public:
  std::vector<std::uint32_t> weights(const std::vector<std::uint32_t>& acres) const override { return acres; }
};

class OneVoteRule final : public ITabulationRule {
 public:
  std::vector<std::uint32_t> weights(const std::vector<std::uint32_t>& acres) const override {
    return std::vector<std::uint32_t>(acres.size(), 1u);
  }
};

class RuleRegistry {
 public:
  using Factory = std::function<std::unique_ptr<ITabulationRule>()>;
  void add(const std::string& name, Factory f) { factories_[name] = std::move(f); }
  StatusCode create(const std::string& name, std::unique_ptr<ITabulationRule>* out) const {
    auto it = factories_.find(name);
    if (it == factories_.end()) return StatusCode::kUnknownRule;
    *out = it->second();
    return StatusCode::kSuccess;
  }

 private:
  std::map<std::string, Factory> factories_;
};

// ------------------------------------------------------------------------------------------------------------ services
class TallyService {
 public:
  TallyService(std::shared_ptr<IDeviceArena> arena, std::unique_ptr<ITabulationRule> rule,
               std::shared_ptr<IAuditTrail> audit)
      : arena_(std::move(arena)), rule_(std::move(rule)), audit_(std::move(audit)) {
    cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking);
    cudaMallocHost(&hostCards_, kBatchCapacity * sizeof(BallotCard));
    cudaMallocHost(&hostTotals_, kCandidates * sizeof(unsigned));
    cudaMalloc(&cards_, kBatchCapacity * sizeof(BallotCard));
    cudaMalloc(&totals_, kCandidates * sizeof(unsigned));
  }
  ~TallyService() {
    if (exec_) cudaGraphExecDestroy(exec_);
    cudaFree(totals_);
    cudaFree(cards_);
    cudaFreeHost(hostTotals_);
    cudaFreeHost(hostCards_);
    cudaStreamDestroy(stream_);
  }

  StatusCode prepare(const std::vector<std::uint32_t>& acres) {
    if (acres.size() != kParcels) return StatusCode::kBadArgument;
    const std::vector<std::uint32_t> roll = rule_->weights(acres);
    ArenaLease weights(*arena_);
    if (weights.status() != StatusCode::kSuccess) return weights.status();
    StatusCode rc = fromCuda(cudaMemcpy(weights.as<void>(), roll.data(), roll.size() * sizeof(roll[0]),
                                        cudaMemcpyHostToDevice));
    if (rc == StatusCode::kSuccess) rc = fromCuda(cudaDeviceSynchronize());
    if (rc != StatusCode::kSuccess) return rc;

    rc = fromCuda(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    if (rc != StatusCode::kSuccess) return rc;
    const StatusCode body = recordBatch(weights.as<std::uint32_t>());
    cudaGraph_t graph = nullptr;
    rc = fromCuda(cudaStreamEndCapture(stream_, &graph));
    if (rc == StatusCode::kSuccess) rc = body;
    if (rc == StatusCode::kSuccess) rc = fromCuda(cudaGraphInstantiate(&exec_, graph, 0));
    if (graph) cudaGraphDestroy(graph);
    return rc;
  }

  StatusCode tabulate(const std::vector<BallotCard>& batch, std::vector<unsigned>* totals) {
    if (!exec_) return StatusCode::kNotPrepared;
    if (batch.size() > kBatchCapacity) return StatusCode::kBadArgument;
    for (int i = 0; i < kBatchCapacity; ++i)
      hostCards_[i] = i < static_cast<int>(batch.size()) ? batch[i] : BallotCard{0, kCandidates};
    StatusCode rc = fromCuda(cudaGraphLaunch(exec_, stream_));
    if (rc == StatusCode::kSuccess) rc = fromCuda(cudaStreamSynchronize(stream_));
    if (rc == StatusCode::kSuccess) totals->assign(hostTotals_, hostTotals_ + kCandidates);
    return rc;
  }

 private:
  StatusCode recordBatch(const std::uint32_t* weights) {
    cudaMemcpyAsync(cards_, hostCards_, kBatchCapacity * sizeof(BallotCard), cudaMemcpyHostToDevice, stream_);
    cudaMemsetAsync(totals_, 0, kCandidates * sizeof(unsigned), stream_);
    weightedTally<<<kBatchCapacity / 256, 256, 0, stream_>>>(cards_, weights, totals_, kBatchCapacity);  // HAZARD dangling
    cudaMemcpyAsync(hostTotals_, totals_, kCandidates * sizeof(unsigned), cudaMemcpyDeviceToHost, stream_);
    audit_->append("tabulated batch " + std::to_string(++batchNo_));  // HAZARD host_logic
    return fromCuda(cudaGetLastError());
  }

  std::shared_ptr<IDeviceArena> arena_;
  std::unique_ptr<ITabulationRule> rule_;
  std::shared_ptr<IAuditTrail> audit_;
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
  BallotCard* hostCards_ = nullptr;
  BallotCard* cards_ = nullptr;
  unsigned* hostTotals_ = nullptr;
  unsigned* totals_ = nullptr;
  int batchNo_ = 0;
};

class TurnoutService {
 public:
  explicit TurnoutService(std::shared_ptr<IDeviceArena> arena) : arena_(std::move(arena)), flags_(*arena_) {}
  StatusCode markAll() {
    if (flags_.status() != StatusCode::kSuccess) return flags_.status();
    markTurnout<<<kParcels / 256, 256>>>(flags_.as<std::uint32_t>(), kParcels);
    return fromCuda(cudaDeviceSynchronize());
  }

 private:
  std::shared_ptr<IDeviceArena> arena_;
  ArenaLease flags_;
};

std::vector<unsigned> countOnHost(const std::vector<BallotCard>& batch, const std::vector<std::uint32_t>& weights) {
  std::vector<unsigned> totals(kCandidates, 0u);
  for (const BallotCard& c : batch) totals[c.choice] += weights[c.parcel];
  return totals;
}

}  // namespace district

int main() {
  using namespace district;
  RuleRegistry registry;
  registry.add("acreage", [] { return std::make_unique<AcreageRule>(); });
  registry.add("one-vote", [] { return std::make_unique<OneVoteRule>(); });

  auto arena = std::make_shared<SlabArena>(kParcels * sizeof(std::uint32_t), 4);
  auto audit = std::make_shared<MemoryAuditTrail>();
  std::unique_ptr<ITabulationRule> rule;
  StatusCode rc = registry.create("acreage", &rule);
  if (rc != StatusCode::kSuccess) { std::printf("%s\nLABEL WRONG\n", toString(rc)); return 1; }

  std::vector<std::uint32_t> acres(kParcels);
  for (int i = 0; i < kParcels; ++i) acres[i] = 2 + (i * 37) % 90;
  TallyService tally(arena, std::move(rule), audit);
  rc = tally.prepare(acres);
  TurnoutService turnout(arena);
  if (rc == StatusCode::kSuccess) rc = turnout.markAll();

  const int batches = 3;
  int weighted = 0, headcount = 0;
  for (int b = 0; b < batches && rc == StatusCode::kSuccess; ++b) {
    std::vector<BallotCard> batch(3000 + 200 * b);
    for (std::size_t i = 0; i < batch.size(); ++i)
      batch[i] = {static_cast<std::uint16_t>((i * 11 + b) % kParcels), static_cast<std::uint16_t>((i + i / 7 + b) % kCandidates)};
    std::vector<unsigned> totals;
    rc = tally.tabulate(batch, &totals);
    weighted += totals == countOnHost(batch, acres);
    headcount += totals == countOnHost(batch, std::vector<std::uint32_t>(kParcels, 1u));
  }
  std::printf("status %s, weighted %d, headcount %d, audit %zu of %d\n", toString(rc), weighted, headcount,
              audit->entries(), batches);
  const bool shown = rc == StatusCode::kSuccess && weighted == 0 && headcount == batches && audit->entries() == 1;
  std::printf(shown ? "LABEL CONFIRMED\n" : "LABEL WRONG\n");
  return shown ? 0 : 1;
}
