// Drape simulation of woven panels. Each panel relaxes towards its rest shape; a weave routine drives it step by step,
// and instruments subscribe to the events of the panels. Notifications are handled on a worker thread.
#include <cuda_runtime.h>

#include <array>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace loom {

constexpr int kSide = 32;
constexpr int kKnots = kSide * kSide;
constexpr long long kSettleCycles = 30'000'000;
constexpr int kMaxObservers = 4;

// Pull of the four neighbours on each knot.
__global__ void tensionKernel(const float* height, float* tension) {
  const int x = threadIdx.x, y = blockIdx.x, i = y * kSide + x;
  const float l = height[x > 0 ? i - 1 : i], r = height[x < kSide - 1 ? i + 1 : i];
  const float u = height[y > 0 ? i - kSide : i], d = height[y < kSide - 1 ? i + kSide : i];
  tension[i] = ((l + r) + (u + d)) * 0.25f - height[i];
}

// The yarn settles for a while before the knots move.
__global__ void moveKernel(const float* height, const float* tension, float* next, long long settle) {
  const long long t0 = clock64();
  while (clock64() - t0 < settle) {
  }
  const int i = blockIdx.x * kSide + threadIdx.x;
  next[i] = height[i] + 0.5f * tension[i];
}

// -------------------------------------------------------------------------------------------------- queue and observers
class TaskQueue {
 public:
  TaskQueue() : worker_([this] { work(); }) {}
  ~TaskQueue() {
    { std::lock_guard<std::mutex> g(m_); quit_ = true; }
    cv_.notify_all();
    worker_.join();
  }
  void post(std::function<void()> task) {
    { std::lock_guard<std::mutex> g(m_); tasks_.push_back(std::move(task)); ++open_; }
    cv_.notify_all();
  }
  void drain() {
    std::unique_lock<std::mutex> g(m_);
    cv_.wait(g, [this] { return open_ == 0; });
  }

 private:
  void work() {
    std::unique_lock<std::mutex> g(m_);
    for (;;) {
      cv_.wait(g, [this] { return quit_ || !tasks_.empty(); });
      if (tasks_.empty()) return;
      auto task = std::move(tasks_.front());
      tasks_.pop_front();
      g.unlock();
      task();
      g.lock();
      --open_;
      cv_.notify_all();
    }
  }
  std::mutex m_;
  std::condition_variable cv_;
  std::deque<std::function<void()>> tasks_;
  int open_ = 0;
  bool quit_ = false;
  std::thread worker_;
};

enum class Topic { kNone, kTension, kDye };

struct Observer {
  Topic topic = Topic::kNone;
  std::function<void()> notify;
};

class ObserverTable {
 public:
  int subscribe(Topic topic, std::function<void()> notify) {
    for (int i = 0; i < kMaxObservers; ++i)
      if (slots_[i].topic == Topic::kNone) {
        slots_[i] = {topic, std::move(notify)};
        return i;
      }
    return -1;
  }
  void unsubscribe(int id) { slots_[id] = Observer{}; }
  Observer* find(Topic topic) {
    for (Observer& o : slots_) if (o.topic == topic) return &o;
    return nullptr;
  }

 private:
  std::array<Observer, kMaxObservers> slots_;
};

void CUDART_CB fireObserver(void* data) {
  auto* observer = static_cast<Observer*>(data);
  if (observer->notify) observer->notify();
}

// ---------------------------------------------------------------------------------------------------------------- panel
class Panel {
 public:
  Panel(ObserverTable* bus, float* tension) : bus_(bus), tension_(tension) {
    cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking);
    for (float*& b : height_) cudaMalloc(&b, kKnots * sizeof(float));
  }
  ~Panel() {
    if (exec_) cudaGraphExecDestroy(exec_);
    for (float* b : height_) cudaFree(b);
    cudaStreamDestroy(stream_);
  }

  bool load(const std::vector<float>& shape) {
    return cudaMemcpy(height_[cur_], shape.data(), kKnots * sizeof(float), cudaMemcpyHostToDevice) == cudaSuccess &&
           cudaMemset(height_[cur_ ^ 1], 0, kKnots * sizeof(float)) == cudaSuccess &&
           cudaDeviceSynchronize() == cudaSuccess;
  }

  bool record() {
    cudaGraph_t graph = nullptr;
    if (cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal) != cudaSuccess) return false;
    recordStep();
    bool ok = cudaStreamEndCapture(stream_, &graph) == cudaSuccess;
    ok = ok && cudaGraphInstantiate(&exec_, graph, 0) == cudaSuccess && cudaGraphUpload(exec_, stream_) == cudaSuccess;
    if (graph) cudaGraphDestroy(graph);
    return ok && cudaStreamSynchronize(stream_) == cudaSuccess;
  }

  bool launch() { return cudaGraphLaunch(exec_, stream_) == cudaSuccess; }
  bool settled() const { return cudaStreamSynchronize(stream_) == cudaSuccess; }

  std::vector<float> shape() const {
    std::vector<float> out(kKnots);
    cudaMemcpy(out.data(), height_[cur_], kKnots * sizeof(float), cudaMemcpyDeviceToHost);
    return out;
  }

 private:
  void recordStep() {
    const int next = cur_ ^ 1;
    tensionKernel<<<kSide, kSide, 0, stream_>>>(height_[cur_], tension_);  // HAZARD concurrent #a
    moveKernel<<<kSide, kSide, 0, stream_>>>(height_[cur_], tension_, height_[next], kSettleCycles);
    cur_ = next;  // HAZARD host_logic
    if (Observer* gauge = bus_->find(Topic::kTension)) cudaLaunchHostFunc(stream_, fireObserver, gauge);  // HAZARD callback
  }

  ObserverTable* bus_;
  float* tension_;
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
  std::array<float*, 2> height_{};
  int cur_ = 0;
};

// Drives a set of panels; every resume() goes on to the next suspension point.
class WeaveRoutine {
 public:
  WeaveRoutine(std::vector<Panel*> panels, int steps) : panels_(std::move(panels)), left_(steps) {}
  bool resume() {
    switch (point_) {
      case Point::kLaunch:
        if (left_-- == 0) { point_ = Point::kDone; return true; }
        for (Panel* p : panels_) good_ = good_ && p->launch();  // HAZARD concurrent #a
        point_ = Point::kAwait;
        return true;
      case Point::kAwait:
        for (Panel* p : panels_) good_ = good_ && p->settled();
        point_ = Point::kLaunch;
        return true;
      case Point::kDone:
        break;
    }
    return false;
  }
  bool good() const { return good_; }

 private:
  enum class Point { kLaunch, kAwait, kDone } point_ = Point::kLaunch;
  std::vector<Panel*> panels_;
  int left_;
  bool good_ = true;
};

bool weave(std::vector<Panel*> panels, int steps) {
  WeaveRoutine routine(std::move(panels), steps);
  while (routine.resume()) {
  }
  return routine.good();
}

std::vector<float> drape(std::vector<float> h, int steps) {
  std::vector<float> n(kKnots);
  for (; steps > 0; --steps, h.swap(n))
    for (int i = 0; i < kKnots; ++i) {
      const int x = i % kSide, y = i / kSide;
      const float l = h[x > 0 ? i - 1 : i], r = h[x < kSide - 1 ? i + 1 : i];
      const float u = h[y > 0 ? i - kSide : i], d = h[y < kSide - 1 ? i + kSide : i];
      n[i] = h[i] + 0.5f * (((l + r) + (u + d)) * 0.25f - h[i]);
    }
  return h;
}

std::vector<float> rawPanel(int seed) {
  std::vector<float> h(kKnots);
  for (int i = 0; i < kKnots; ++i) h[i] = static_cast<float>((i * 29 + seed * 53) % 64);
  return h;
}

}  // namespace loom

int main() {
  using namespace loom;
  TaskQueue queue;
  ObserverTable bus;
  int gaugeEvents = 0, dyeEvents = 0;  // touched on the worker only
  const int gauge = bus.subscribe(Topic::kTension, [&] { queue.post([&] { ++gaugeEvents; }); });

  float* tension = nullptr;
  bool ok = cudaMalloc(&tension, kKnots * sizeof(float)) == cudaSuccess;
  bool stuck = false, crossed = false;
  {
    Panel warp(&bus, tension), weft(&bus, tension);
    ok = ok && warp.load(rawPanel(1)) && weft.load(rawPanel(2)) && warp.record() && weft.record();

    // One panel after the other, three steps each.
    ok = ok && weave({&warp}, 3) && weave({&weft}, 3);
    stuck = warp.shape() == drape(rawPanel(1), 1) && weft.shape() == drape(rawPanel(2), 1) &&
            warp.shape() != drape(rawPanel(1), 3);
    queue.drain();

    // The gauge is taken off, the dye meter comes in; then both panels move.
    bus.unsubscribe(gauge);
    bus.subscribe(Topic::kDye, [&] { queue.post([&] { ++dyeEvents; }); });
    ok = ok && weave({&warp, &weft}, 1);
    crossed = warp.shape() != drape(rawPanel(1), 1) || weft.shape() != drape(rawPanel(2), 1);
    queue.drain();
  }
  cudaFree(tension);
  std::printf("ok %d, stuck %d, crossed %d, gauge events %d, dye events %d\n", ok, stuck, crossed, gaugeEvents, dyeEvents);
  const bool shown = ok && stuck && crossed && gaugeEvents == 6 && dyeEvents == 2;
  std::printf(shown ? "LABEL CONFIRMED\n" : "LABEL WRONG\n");
  return shown ? 0 : 1;
}
