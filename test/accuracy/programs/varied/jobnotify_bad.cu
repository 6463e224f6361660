// Render farm node: tile jobs are replayed, and whoever waits for a tile is told when it is done.
#include <cuda_runtime.h>

#include <cstdio>
#include <functional>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

namespace farm {

struct Result {
  cudaError_t rc = cudaSuccess;
  bool ok() const { return rc == cudaSuccess; }
};
#define FARM_RETURN(x)                                      \
  do {                                                      \
    const cudaError_t rc_ = (x);                            \
    if (rc_ != cudaSuccess) return ::farm::Result{rc_};     \
  } while (0)

constexpr int kTile = 64 * 64;

__global__ void shadeTile(unsigned* samples, float* tile) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  samples[i] += 1;
  tile[i] = float(samples[i]);
}

// Completion handlers by tile. Graphs refer to entries, so entries never move.
class Completions {
 public:
  using Handler = std::function<void(int)>;
  struct Entry {
    Completions* owner;
    int tile;
    Handler handler;
  };
  Entry* add(int tile, Handler handler) {
    std::lock_guard<std::mutex> lock(m_);
    auto& slot = entries_[tile];
    slot = std::make_unique<Entry>(Entry{this, tile, std::move(handler)});
    return slot.get();
  }
  void complete(Entry& entry) {
    Handler handler;
    {
      std::lock_guard<std::mutex> lock(m_);
      handler = std::exchange(entry.handler, nullptr);  // HAZARD callback #1
    }
    if (handler) handler(entry.tile);
  }

 private:
  std::mutex m_;
  std::unordered_map<int, std::unique_ptr<Entry>> entries_;
};

class TileJob {
 public:
  Result open(int tile, Completions& completions, Completions::Handler handler) {
    done_ = completions.add(tile, std::move(handler));
    FARM_RETURN(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    FARM_RETURN(cudaMalloc(&samples_, kTile * sizeof(unsigned)));
    FARM_RETURN(cudaMalloc(&pixels_, kTile * sizeof(float)));
    FARM_RETURN(cudaMemset(samples_, 0, kTile * sizeof(unsigned)));
    FARM_RETURN(cudaDeviceSynchronize());
    FARM_RETURN(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    const Result recorded = record();
    cudaGraph_t graph = nullptr;
    FARM_RETURN(cudaStreamEndCapture(stream_, &graph));
    if (recorded.ok()) FARM_RETURN(cudaGraphInstantiate(&exec_, graph, 0));
    FARM_RETURN(cudaGraphDestroy(graph));
    return recorded;
  }
  Result pass() {
    FARM_RETURN(cudaGraphLaunch(exec_, stream_));
    FARM_RETURN(cudaStreamSynchronize(stream_));
    return {};
  }
  void close() {
    if (exec_) cudaGraphExecDestroy(exec_);
    cudaFree(samples_);
    cudaFree(pixels_);
    if (stream_) cudaStreamDestroy(stream_);
  }

 private:
  Result record() {
    shadeTile<<<kTile / 256, 256, 0, stream_>>>(samples_, pixels_);
    FARM_RETURN(cudaGetLastError());
    const auto finished = [](void* p) {
      auto* entry = static_cast<Completions::Entry*>(p);
      entry->owner->complete(*entry);
    };
    FARM_RETURN(cudaLaunchHostFunc(stream_, finished, done_));  // HAZARD callback #1
    return {};
  }

  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
  unsigned* samples_ = nullptr;
  float* pixels_ = nullptr;
  Completions::Entry* done_ = nullptr;
};

}  // namespace farm

int main() {
  farm::Completions completions;
  farm::TileJob jobs[2];
  int told[2] = {0, 0};
  bool ran = true;
  for (int t = 0; t < 2; ++t) ran = ran && jobs[t].open(t, completions, [&told](int tile) { ++told[tile]; }).ok();
  for (int pass = 0; pass < 3; ++pass)
    for (auto& job : jobs) ran = ran && job.pass().ok();
  for (auto& job : jobs) job.close();
  std::puts(ran && told[0] == 1 && told[1] == 1 ? "LABEL CONFIRMED" : "LABEL REFUTED");
  return 0;
}
