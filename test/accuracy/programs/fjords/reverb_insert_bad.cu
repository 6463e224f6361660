// Stereo comb reverb as an insert effect of a mixing console. All memory is claimed in boot(); the audio path uses
// fixed arrays only.
#include <cuda_runtime.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>

namespace fx {

constexpr int kChannels = 2;
constexpr int kBlock = 128;                 // samples per audio block
constexpr int kRingBlocks = 4;              // length of the comb delay, in blocks
constexpr int kRing = kBlock * kRingBlocks;
constexpr int kMask = kRing - 1;
constexpr int kFifoDepth = 8;
constexpr long long kConvolverCycles = 20'000'000;

static_assert((kRing & kMask) == 0, "the delay ring is a power of two");

enum class State : std::uint8_t { kOff, kBooted, kArmed, kRunning, kFault };
enum class Fault : std::uint8_t { kNone, kMemory, kRecord, kLaunch, kOverrun };

struct StereoBlock {
  float ch[kChannels][kBlock];
};

// Single-producer, single-consumer block FIFO between the host's audio callback and the effect.
template <std::size_t N>
class BlockFifo {
 public:
  bool push(const StereoBlock& b) {
    if (count_ == N) return false;
    slots_[(tail_ + count_) % N] = b;
    ++count_;
    return true;
  }
  bool pop(StereoBlock* b) {
    if (count_ == 0) return false;
    *b = slots_[tail_];
    tail_ = (tail_ + 1) % N;
    --count_;
    return true;
  }
  void clear() { tail_ = count_ = 0; }

 private:
  std::array<StereoBlock, N> slots_{};
  std::size_t tail_ = 0, count_ = 0;
};

// Input stage: drive and DC trim.
__global__ void shapeInput(const float* in, float* shaped, float drive) {
  const int i = threadIdx.x;
  shaped[i] = in[i] * drive;
}

// Comb section: y[n] = x[n] + feedback * y[n - kRing].
__global__ void combSection(const float* shaped, float* line, std::uint32_t head, float feedback, float* out,
                            long long cycles) {
  const long long t0 = clock64();
  while (clock64() - t0 < cycles) {
  }
  const int i = threadIdx.x;
  const std::uint32_t at = (head + i) & kMask;
  const float y = shaped[i] + feedback * line[at];
  line[at] = y;
  out[i] = y;
}

class ReverbInsert {
 public:
  State state() const { return state_; }
  Fault fault() const { return fault_; }

  bool boot() {
    const std::size_t floats = kChannels * (2 * kBlock + kRing) + kBlock;
    bool ok = cudaMalloc(&bank_, floats * sizeof(float)) == cudaSuccess;
    ok = ok && cudaMallocHost(&hostIn_, sizeof(StereoBlock)) == cudaSuccess;
    ok = ok && cudaMallocHost(&hostOut_, sizeof(StereoBlock)) == cudaSuccess;
    for (int c = 0; c < kChannels; ++c)
      ok = ok && cudaStreamCreateWithFlags(&lane_[c], cudaStreamNonBlocking) == cudaSuccess;
    ok = ok && cudaEventCreateWithFlags(&split_, cudaEventDisableTiming) == cudaSuccess;
    ok = ok && cudaEventCreateWithFlags(&merge_, cudaEventDisableTiming) == cudaSuccess;
    if (!ok) return trip(Fault::kMemory);
    float* p = bank_;
    in_ = p;      p += kChannels * kBlock;
    out_ = p;     p += kChannels * kBlock;
    line_ = p;    p += kChannels * kRing;
    scratch_ = p; p += kBlock;
    state_ = State::kBooted;
    return reset();
  }

  // Silences the delay lines.
  bool reset() {
    head_ = 0;
    inbox_.clear();
    if (cudaMemset(line_, 0, kChannels * kRing * sizeof(float)) != cudaSuccess) return trip(Fault::kMemory);
    return cudaDeviceSynchronize() == cudaSuccess || trip(Fault::kMemory);
  }

  bool arm(float drive, float feedback) {
    if (state_ != State::kBooted) return false;
    cudaGraph_t graph = nullptr;
    if (cudaStreamBeginCapture(lane_[0], cudaStreamCaptureModeThreadLocal) != cudaSuccess) return trip(Fault::kRecord);
    record(drive, feedback);
    bool ok = cudaStreamEndCapture(lane_[0], &graph) == cudaSuccess;
    ok = ok && cudaGraphInstantiate(&exec_, graph, 0) == cudaSuccess;
    ok = ok && cudaGraphUpload(exec_, lane_[0]) == cudaSuccess && cudaStreamSynchronize(lane_[0]) == cudaSuccess;
    if (graph) cudaGraphDestroy(graph);
    if (!ok) return trip(Fault::kRecord);
    state_ = State::kArmed;
    return true;
  }

  bool feed(const StereoBlock& b) { return inbox_.push(b) || trip(Fault::kOverrun); }

  // Processes one block of the inbox; called by the real-time thread.
  bool tick(StereoBlock* result) {
    switch (state_) {
      case State::kArmed:
        state_ = State::kRunning;
        [[fallthrough]];
      case State::kRunning: {
        StereoBlock b;
        if (!inbox_.pop(&b)) return false;
        std::memcpy(hostIn_, &b, sizeof b);
        if (cudaGraphLaunch(exec_, lane_[0]) != cudaSuccess) return trip(Fault::kLaunch);
        if (cudaStreamSynchronize(lane_[0]) != cudaSuccess) return trip(Fault::kLaunch);
        std::memcpy(result, hostOut_, sizeof *result);
        head_ = (head_ + kBlock) & kMask;
        return true;
      }
      default:
        return false;
    }
  }

  void shutdown() {
    if (exec_) cudaGraphExecDestroy(exec_);
    for (cudaStream_t s : lane_) cudaStreamDestroy(s);
    cudaEventDestroy(split_);
    cudaEventDestroy(merge_);
    cudaFree(bank_);
    cudaFreeHost(hostIn_);
    cudaFreeHost(hostOut_);
    state_ = State::kOff;
  }

 private:
  bool trip(Fault f) {
    fault_ = f;
    state_ = State::kFault;
    return false;
  }

  void record(float drive, float feedback) {
    cudaMemcpyAsync(in_, hostIn_, sizeof(StereoBlock), cudaMemcpyHostToDevice, lane_[0]);
    cudaEventRecord(split_, lane_[0]);
    cudaStreamWaitEvent(lane_[1], split_, 0);
    for (int c = 0; c < kChannels; ++c) {
      float* line = line_ + c * kRing;
      float* out = out_ + c * kBlock;
      shapeInput<<<1, kBlock, 0, lane_[c]>>>(in_ + c * kBlock, scratch_, drive);  // HAZARD concurrent
      combSection<<<1, kBlock, 0, lane_[c]>>>(scratch_, line, head_, feedback, out, kConvolverCycles);  // HAZARD frozen
    }
    cudaEventRecord(merge_, lane_[1]);
    cudaStreamWaitEvent(lane_[0], merge_, 0);
    cudaMemcpyAsync(hostOut_, out_, sizeof(StereoBlock), cudaMemcpyDeviceToHost, lane_[0]);
  }

  State state_ = State::kOff;
  Fault fault_ = Fault::kNone;
  BlockFifo<kFifoDepth> inbox_;
  cudaStream_t lane_[kChannels] = {};
  cudaEvent_t split_ = nullptr, merge_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
  float *bank_ = nullptr, *in_ = nullptr, *out_ = nullptr, *line_ = nullptr, *scratch_ = nullptr;
  StereoBlock *hostIn_ = nullptr, *hostOut_ = nullptr;
  std::uint32_t head_ = 0;
};

// Host model of one channel with a comb of `delayBlocks` blocks.
template <int MaxBlocks>
struct CombModel {
  explicit CombModel(int delayBlocks) : delay(delayBlocks) {}
  void process(const float* in, float* out, float drive, float feedback) {
    for (int i = 0; i < kBlock; ++i) {
      out[i] = in[i] * drive + (now >= delay ? feedback * past[now - delay][i] : 0.0f);
      past[now][i] = out[i];
    }
    ++now;
  }
  int delay, now = 0;
  float past[MaxBlocks][kBlock] = {};
};

StereoBlock testBlock(int n, float rightGain) {
  StereoBlock b;
  for (int i = 0; i < kBlock; ++i) {
    b.ch[0][i] = static_cast<float>((i * 3 + n * 17) % 64 + 1);
    b.ch[1][i] = b.ch[0][i] * rightGain;
  }
  return b;
}

bool same(const float* a, const float* b) { return std::memcmp(a, b, kBlock * sizeof(float)) == 0; }

}  // namespace fx

static fx::ReverbInsert g_insert;

int main() {
  using namespace fx;
  constexpr float kDrive = 0.5f, kFeedback = 0.5f;
  bool ok = g_insert.boot() && g_insert.arm(kDrive, kFeedback);

  // Mono material: the echo must come back after four blocks.
  static CombModel<8> asSpecified(kRingBlocks), oneBlock(1);
  int specified = 0, early = 0;
  for (int n = 0; ok && n < 6; ++n) {
    StereoBlock out, b = testBlock(n, 1.0f);
    float want[kBlock], alt[kBlock];
    asSpecified.process(b.ch[0], want, kDrive, kFeedback);
    oneBlock.process(b.ch[0], alt, kDrive, kFeedback);
    ok = g_insert.feed(b) && g_insert.tick(&out);
    specified += same(out.ch[0], want);
    early += same(out.ch[0], alt);
  }

  // Stereo material: the channels must stay apart.
  ok = ok && g_insert.reset();
  int separate = 0, mixed = 0;
  for (int n = 0; ok && n < 3; ++n) {
    StereoBlock out, b = testBlock(n, 3.0f);
    ok = g_insert.feed(b) && g_insert.tick(&out);
    separate += !same(out.ch[0], out.ch[1]);
    mixed += same(out.ch[0], out.ch[1]);
  }
  std::printf("ok %d, as specified %d of 6, early echo %d of 6, separate %d, mixed %d\n", ok, specified, early, separate, mixed);
  const bool shown = ok && specified == 1 && early == 6 && separate == 0 && mixed == 3;
  g_insert.shutdown();
  std::printf(shown ? "LABEL CONFIRMED\n" : "LABEL WRONG\n");
  return shown ? 0 : 1;
}
