// Long-running scoring service: sessions live in a fixed pool, each open session has a refresh graph,
// and the service handles a queue of commands.
#include <cuda_runtime.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <map>
#include <vector>

#define CUDA_OK(expr) cuda_ok((expr), #expr, __LINE__)
static void cuda_ok(cudaError_t e, const char* expr, int line) {
  if (e == cudaSuccess) return;
  std::printf("[fatal] %d: %s -> %s\nLABEL UNOBSERVED\n", line, expr, cudaGetErrorString(e));
  std::exit(0);
}

struct Session {
  int id = 0;
  std::atomic<int> completed{0};
  float* score = nullptr;  // device
};

class SessionPool {
 public:
  SessionPool() {
    for (Session& s : slots_) {
      CUDA_OK(cudaMalloc(&s.score, sizeof(float)));
      free_.push_front(&s);
    }
  }
  ~SessionPool() {
    for (Session& s : slots_) cudaFree(s.score);
  }
  Session* acquire(int id, cudaStream_t stream) {
    if (free_.empty()) return nullptr;
    Session* s = free_.front();
    free_.pop_front();
    s->id = id;
    s->completed = 0;
    CUDA_OK(cudaMemsetAsync(s->score, 0, sizeof(float), stream));
    return s;
  }
  void release(Session* s) {
    s->id = 0;
    free_.push_front(s);
  }

 private:
  std::array<Session, 4> slots_;
  std::deque<Session*> free_;
};

struct ServiceStats {
  long opened = 0, closed = 0, refreshes = 0;
};

__global__ void rescore(float* score, float delta) { *score += delta; }

// Runs on a driver thread after a session's kernels; host bookkeeping only.
static void CUDART_CB on_refreshed(void* user) { static_cast<Session*>(user)->completed.fetch_add(1); }

class Service {
 public:
  Service() { CUDA_OK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  ~Service() {
    cudaStreamSynchronize(stream_);
    for (Live& l : live_) cudaGraphExecDestroy(l.exec);
    cudaStreamDestroy(stream_);
  }

  bool open(int id) {
    Session* s = pool_.acquire(id, stream_);
    if (!s) return false;
    sessions_[id] = s;
    live_.push_back({s, record_refresh(s)});
    ++stats_.opened;
    return true;
  }

  bool close(int id) {
    auto it = sessions_.find(id);
    if (it == sessions_.end()) return false;
    CUDA_OK(cudaStreamSynchronize(stream_));
    pool_.release(it->second);  // HAZARD dangling #slot
    sessions_.erase(it);
    ++stats_.closed;
    return true;
  }

  void refresh_all() {
    for (Live& l : live_) CUDA_OK(cudaGraphLaunch(l.exec, stream_));
    CUDA_OK(cudaStreamSynchronize(stream_));
  }

  int completed(int id) const { return sessions_.at(id)->completed.load(); }
  float score(int id) const {
    float v = 0.f;
    CUDA_OK(cudaMemcpyAsync(&v, sessions_.at(id)->score, sizeof v, cudaMemcpyDeviceToHost, stream_));
    CUDA_OK(cudaStreamSynchronize(stream_));
    return v;
  }
  const ServiceStats& stats() const { return stats_; }

 private:
  struct Live {
    Session* session;
    cudaGraphExec_t exec;
  };

  cudaGraphExec_t record_refresh(Session* s) {
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CUDA_OK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    rescore<<<1, 1, 0, stream_>>>(s->score, 1.f);  // HAZARD dangling #slot
    CUDA_OK(cudaGetLastError());
    CUDA_OK(cudaLaunchHostFunc(stream_, on_refreshed, s));  // HAZARD dangling #slot
    ++stats_.refreshes;  // HAZARD host_logic
    CUDA_OK(cudaStreamEndCapture(stream_, &graph));
    CUDA_OK(cudaGraphInstantiate(&exec, graph, 0));
    CUDA_OK(cudaGraphDestroy(graph));
    return exec;
  }

  SessionPool pool_;
  cudaStream_t stream_ = nullptr;
  std::map<int, Session*> sessions_;
  std::vector<Live> live_;
  ServiceStats stats_;
};

struct Command {
  enum Kind { kOpen, kClose, kRefresh } kind;
  int arg;
};

static bool serve(Service& service, std::deque<Command> queue) {
  bool ok = true;
  for (; !queue.empty(); queue.pop_front()) {
    const Command& c = queue.front();
    switch (c.kind) {
      case Command::kOpen: ok &= service.open(c.arg); break;
      case Command::kClose: ok &= service.close(c.arg); break;
      case Command::kRefresh:
        for (int i = 0; i < c.arg; ++i) service.refresh_all();
        break;
    }
  }
  return ok;
}

int main() {
  bool handled, sessions_ok, stats_ok;
  {
    Service service;
    handled = serve(service, {{Command::kOpen, 11},
                              {Command::kOpen, 12},
                              {Command::kRefresh, 3},
                              {Command::kClose, 11},
                              {Command::kOpen, 13},
                              {Command::kRefresh, 3}});
    std::printf("session 12: %d refreshes, score %g\n", service.completed(12), service.score(12));
    std::printf("session 13: %d refreshes, score %g\n", service.completed(13), service.score(13));
    std::printf("stats: %ld opened, %ld closed, %ld refreshes\n", service.stats().opened, service.stats().closed,
                service.stats().refreshes);
    sessions_ok = service.completed(12) == 6 && service.score(12) == 6.f && service.completed(13) == 3 && service.score(13) == 3.f;
    stats_ok = service.stats().refreshes == 12;
  }
  std::puts(handled && !sessions_ok && !stats_ok ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
  return 0;
}
