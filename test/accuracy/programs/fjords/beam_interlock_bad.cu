// Machine-protection node of a proton accelerator: the beam-loss monitors are integrated over one tick (one beam
// pulse), and a monitor whose dose exceeds its limit latches the interlock. No allocation after init().
#include <cuda_runtime.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>

namespace blm {

constexpr int kMonitors = 64;
constexpr int kSamples = 32;  // ADC samples of a monitor per tick
constexpr int kEventDepth = 32;

enum class State : std::uint8_t { kInit, kSafe, kArmed, kTripped, kFault };
enum class Profile : std::uint8_t { kOperational, kDiagnostic };

struct Event {
  std::uint32_t tick;
  std::int32_t latched;
};

// Written by the driver's callback thread, read by the supervisor.
class EventRing {
 public:
  void post(const Event& e) {
    const std::uint32_t w = write_.load(std::memory_order_relaxed);
    slots_[w % kEventDepth] = e;
    write_.store(w + 1, std::memory_order_release);
  }
  bool take(Event* e) {
    if (read_ == write_.load(std::memory_order_acquire)) return false;
    *e = slots_[read_++ % kEventDepth];
    return true;
  }

 private:
  std::array<Event, kEventDepth> slots_{};
  std::atomic<std::uint32_t> write_{0};
  std::uint32_t read_ = 0;
};

__global__ void integrateDose(const std::int16_t* adc, int* dose) {
  const int m = blockIdx.x, s = threadIdx.x;
  atomicAdd(&dose[m], static_cast<int>(adc[m * kSamples + s]));
}

__global__ void judgeDose(const int* dose, const int* limit, int* latch) {
  const int m = threadIdx.x;
  if (dose[m] > limit[m]) latch[m] = 1;
}

__global__ void noiseSpectrum(const std::int16_t* adc, int* power) {
  const int m = threadIdx.x;
  int sum = 0;
  for (int s = 1; s < kSamples; ++s) {
    const int d = adc[m * kSamples + s] - adc[m * kSamples + s - 1];
    sum += d * d;
  }
  power[m] = sum;
}

class InterlockNode {
 public:
  State state() const { return state_; }
  cudaError_t lastError() const { return lastError_; }
  cudaError_t panelError() const { return panelError_.load(); }
  const int* panel() const { return panel_; }
  EventRing& events() { return events_; }

  bool init(const std::array<int, kMonitors>& limits) {
    bool ok = check(cudaStreamCreateWithFlags(&pulse_, cudaStreamNonBlocking));
    ok = ok && check(cudaStreamCreateWithFlags(&service_, cudaStreamNonBlocking));
    ok = ok && check(cudaStreamCreateWithFlags(&diag_, cudaStreamNonBlocking));
    ok = ok && check(cudaEventCreateWithFlags(&fork_, cudaEventDisableTiming));
    ok = ok && check(cudaMalloc(&adc_, kMonitors * kSamples * sizeof(std::int16_t)));
    ok = ok && check(cudaMalloc(&words_, 4 * kMonitors * sizeof(int)));
    ok = ok && check(cudaMallocHost(&frame_, kMonitors * kSamples * sizeof(std::int16_t)));
    ok = ok && check(cudaMallocHost(&hostLatch_, 2 * kMonitors * sizeof(int)));
    if (!ok) return false;
    panel_ = hostLatch_ + kMonitors;
    dose_ = words_;
    limit_ = dose_ + kMonitors;
    latch_ = limit_ + kMonitors;
    power_ = latch_ + kMonitors;
    std::memset(hostLatch_, 0, 2 * kMonitors * sizeof(int));
    ok = check(cudaMemset(words_, 0, 4 * kMonitors * sizeof(int)));
    ok = ok && check(cudaMemcpy(limit_, limits.data(), sizeof limits, cudaMemcpyHostToDevice));
    ok = ok && check(cudaDeviceSynchronize());
    if (ok) state_ = State::kSafe;
    return ok;
  }

  bool arm(Profile profile) {
    if (state_ != State::kSafe) return false;
    if (!check(cudaStreamBeginCapture(pulse_, cudaStreamCaptureModeRelaxed))) return false;
    recordTick();
    if (profile == Profile::kDiagnostic) recordDiagnostics();
    cudaGraph_t graph = nullptr;
    if (!check(cudaStreamEndCapture(pulse_, &graph))) return false;
    const bool ok = check(cudaGraphInstantiate(&exec_, graph, 0));
    cudaGraphDestroy(graph);
    if (ok) state_ = State::kArmed;
    return ok;
  }

  // Operator acknowledge: leaves the fault state when the node is intact.
  bool acknowledge() {
    if (state_ != State::kFault) return false;
    cudaGetLastError();
    state_ = State::kSafe;
    return true;
  }

  bool tick(const std::int16_t (&frame)[kMonitors][kSamples]) {
    if (state_ != State::kArmed) return false;
    std::memcpy(frame_, frame, sizeof frame);
    ++tick_;
    if (!check(cudaGraphLaunch(exec_, pulse_)) || !check(cudaStreamSynchronize(pulse_))) return false;
    for (int m = 0; m < kMonitors; ++m)
      if (hostLatch_[m]) state_ = State::kTripped;
    return true;
  }

  void shutdown() {
    if (exec_) cudaGraphExecDestroy(exec_);
    cudaFree(adc_);
    cudaFree(words_);
    cudaFreeHost(frame_);
    cudaFreeHost(hostLatch_);
    cudaEventDestroy(fork_);
    cudaStreamDestroy(pulse_);
    cudaStreamDestroy(service_);
    cudaStreamDestroy(diag_);
    state_ = State::kInit;
  }

 private:
  bool check(cudaError_t e) {
    if (e == cudaSuccess) return true;
    lastError_ = e;
    state_ = State::kFault;
    return false;
  }

  static void onTickDone(void* arg) {
    auto* self = static_cast<InterlockNode*>(arg);
    Event e{self->tick_, 0};
    for (int m = 0; m < kMonitors; ++m) e.latched += self->hostLatch_[m];
    self->events_.post(e);
    // Bring the doses to the control-room panel.
    const std::size_t bytes = kMonitors * sizeof(int);
    const cudaError_t rc = cudaMemcpyAsync(self->panel_, self->dose_, bytes, cudaMemcpyDefault, self->service_);  // HAZARD callback
    self->panelError_.store(rc);
  }

  void recordTick() {
    cudaMemcpyAsync(adc_, frame_, kMonitors * kSamples * sizeof(std::int16_t), cudaMemcpyHostToDevice, pulse_);
    cudaMemsetAsync(dose_, 0, kMonitors * sizeof(int), service_);  // HAZARD escape
    integrateDose<<<kMonitors, kSamples, 0, pulse_>>>(adc_, dose_);
    judgeDose<<<1, kMonitors, 0, pulse_>>>(dose_, limit_, latch_);
    cudaMemcpyAsync(hostLatch_, latch_, kMonitors * sizeof(int), cudaMemcpyDeviceToHost, pulse_);
    cudaLaunchHostFunc(pulse_, &InterlockNode::onTickDone, this);
  }

  void recordDiagnostics() {
    cudaEventRecord(fork_, pulse_);
    cudaStreamWaitEvent(diag_, fork_, 0);
    noiseSpectrum<<<1, kMonitors, 0, diag_>>>(adc_, power_);  // HAZARD dependency
  }

  State state_ = State::kInit;
  cudaError_t lastError_ = cudaSuccess;
  std::atomic<cudaError_t> panelError_{cudaSuccess};
  EventRing events_;
  cudaStream_t pulse_ = nullptr, service_ = nullptr, diag_ = nullptr;
  cudaEvent_t fork_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
  std::int16_t *adc_ = nullptr, *frame_ = nullptr;
  int *words_ = nullptr, *dose_ = nullptr, *limit_ = nullptr, *latch_ = nullptr, *power_ = nullptr;
  int *hostLatch_ = nullptr, *panel_ = nullptr;
  std::uint32_t tick_ = 0;
};

}  // namespace blm

static blm::InterlockNode g_node;
static std::int16_t g_frame[blm::kMonitors][blm::kSamples];

int main() {
  using namespace blm;
  std::array<int, kMonitors> limits;
  limits.fill(1000);
  bool ok = g_node.init(limits);

  const bool diagnosticArmed = ok && g_node.arm(Profile::kDiagnostic);
  const cudaError_t diagnosticError = g_node.lastError();
  if (!diagnosticArmed) ok = ok && g_node.acknowledge();
  ok = ok && g_node.arm(Profile::kOperational);

  // Each pulse gives 320 counts, which is less than a third of the limit.
  for (auto& monitor : g_frame)
    for (auto& sample : monitor) sample = 10;
  int ticks = 0;
  while (ok && ticks < 6 && g_node.state() == State::kArmed) {
    ok = g_node.tick(g_frame);
    ++ticks;
  }
  int posted = 0, latched = 0;
  for (Event e; g_node.events().take(&e); ++posted) latched = e.latched;
  std::printf("diagnostic profile: %s\n", cudaGetErrorName(diagnosticError));
  std::printf("ok %d, tripped %d at tick %d, events %d, latched %d, panel: %s\n", ok, g_node.state() == State::kTripped,
              ticks, posted, latched, cudaGetErrorName(g_node.panelError()));
  const bool shown = ok && !diagnosticArmed && diagnosticError == cudaErrorStreamCaptureUnjoined && ticks == 4 &&
                     g_node.state() == State::kTripped && posted == 4 && latched == kMonitors &&
                     g_node.panelError() != cudaSuccess;
  g_node.shutdown();
  std::printf(shown ? "LABEL CONFIRMED\n" : "LABEL WRONG\n");
  return shown ? 0 : 1;
}
