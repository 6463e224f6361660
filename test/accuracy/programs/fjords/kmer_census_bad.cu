// Streaming 4-mer census of sequencing reads. Chunks of bases arrive as events on the conductor loop; a finisher loop
// takes the slow parts of the set-up away from it. Pages with patient data are scrubbed as soon as a chunk is done.
#include <cuda_runtime.h>

#include <array>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace seq {

constexpr int kPageBases = 4096;
constexpr int kWord = 4;
constexpr int kBins = 256;
constexpr int kPages = 8;

using Histogram = std::array<unsigned, kBins>;

__host__ __device__ inline int baseCode(char b) {
  switch (b) {
    case 'A': return 0;
    case 'C': return 1;
    case 'G': return 2;
    case 'T': return 3;
    default: return -1;
  }
}

__global__ void countWords(const char* bases, int n, unsigned* histogram) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + kWord > n) return;
  int word = 0;
  for (int j = 0; j < kWord; ++j) {
    const int code = baseCode(bases[i + j]);
    if (code < 0) return;
    word = word * 4 + code;
  }
  atomicAdd(&histogram[word], 1u);
}

// ---------------------------------------------------------------------------------------------------------- event loop
class EventLoop {
 public:
  EventLoop() : worker_([this] { run(); }) {}
  ~EventLoop() {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      stopping_ = true;
    }
    wake_.notify_all();
    worker_.join();
  }
  void post(std::function<void()> task) {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      tasks_.push_back(std::move(task));
    }
    wake_.notify_one();
  }
  template <class F> auto ask(F f) -> std::future<decltype(f())> {
    auto job = std::make_shared<std::packaged_task<decltype(f())()>>(std::move(f));
    post([job] { (*job)(); });
    return job->get_future();
  }

 private:
  void run() {
    for (;;) {
      std::function<void()> task;
      {
        std::unique_lock<std::mutex> lock(mutex_);
        wake_.wait(lock, [this] { return stopping_ || !tasks_.empty(); });
        if (tasks_.empty()) return;
        task = std::move(tasks_.front());
        tasks_.pop_front();
      }
      task();
    }
  }
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> tasks_;
  bool stopping_ = false;
  std::thread worker_;
};

// ---------------------------------------------------------------------------------------------------------------- pages
struct Page {
  char bases[kPageBases];
};

class PagePool {
 public:
  PagePool() {
    if (cudaMallocHost(&storage_, kPages * sizeof(Page)) != cudaSuccess) return;
    for (int i = 0; i < kPages; ++i) free_.push_back(storage_ + i);
  }
  ~PagePool() { cudaFreeHost(storage_); }
  std::shared_ptr<Page> lease() {
    std::lock_guard<std::mutex> lock(mutex_);
    if (free_.empty()) return nullptr;
    Page* page = free_.front();
    free_.pop_front();
    return std::shared_ptr<Page>(page, [this](Page* p) { recycle(p); });
  }

 private:
  void recycle(Page* page) {
    std::memset(page->bases, 'N', kPageBases);
    std::lock_guard<std::mutex> lock(mutex_);
    free_.push_back(page);
  }
  Page* storage_ = nullptr;
  std::deque<Page*> free_;
  std::mutex mutex_;
};

struct ChunkEvent {
  int id;
  std::shared_ptr<Page> page;
};

// --------------------------------------------------------------------------------------------------------------- census
class Census {
 public:
  using Observer = std::function<void(int chunk, const Histogram&)>;

  explicit Census(EventLoop* finisher) : finisher_(finisher) {
    cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking);
    cudaMalloc(&bases_, kPageBases);
    cudaMalloc(&histogram_, sizeof(Histogram));
    cudaMallocHost(&result_, sizeof(Histogram));
  }
  ~Census() {
    if (exec_) cudaGraphExecDestroy(exec_);
    cudaFree(bases_);
    cudaFree(histogram_);
    cudaFreeHost(result_);
    cudaStreamDestroy(stream_);
  }

  void observe(Observer o) { observers_.push_back(std::move(o)); }

  // Handler of the chunk events; runs on the conductor loop.
  void onChunk(const ChunkEvent& chunk) {
    if (!exec_) status_ = prepare(chunk);
    if (status_ == cudaSuccess) status_ = cudaGraphLaunch(exec_, stream_);
    if (status_ == cudaSuccess) status_ = cudaStreamSynchronize(stream_);
    if (status_ != cudaSuccess) return;
    for (const Observer& o : observers_) o(chunk.id, *result_);
  }

  cudaError_t status() const { return status_; }
  cudaError_t offloaded() const { return offloaded_; }

 private:
  cudaError_t prepare(const ChunkEvent& chunk) {
    cudaGraph_t graph = nullptr;
    cudaError_t e = cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal);
    if (e != cudaSuccess) return e;
    record(chunk);
    offloaded_ = finisher_->ask([this, &graph] { return finish(&graph); }).get();
    if (offloaded_ != cudaSuccess) {
      // The finisher is unavailable; do it here.
      graph = nullptr;
      cudaStreamEndCapture(stream_, &graph);
      if (graph) cudaGraphDestroy(graph);
      cudaGetLastError();
      graph = nullptr;
      if ((e = cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal)) != cudaSuccess) return e;
      record(chunk);
      if ((e = cudaStreamEndCapture(stream_, &graph)) != cudaSuccess) return e;
      e = cudaGraphInstantiate(&exec_, graph, 0);
    }
    if (graph) cudaGraphDestroy(graph);
    return e;
  }

  void record(const ChunkEvent& chunk) {
    cudaMemcpyAsync(bases_, chunk.page->bases, kPageBases, cudaMemcpyHostToDevice, stream_);  // HAZARD dangling
    cudaMemsetAsync(histogram_, 0, sizeof(Histogram), stream_);
    countWords<<<kPageBases / 256, 256, 0, stream_>>>(bases_, kPageBases, histogram_);
    cudaMemcpyAsync(result_, histogram_, sizeof(Histogram), cudaMemcpyDeviceToHost, stream_);
  }

  // Closes the recording and builds the executable; runs on the finisher loop.
  cudaError_t finish(cudaGraph_t* graph) {
    cudaError_t e = cudaStreamEndCapture(stream_, graph);  // HAZARD mode
    if (e != cudaSuccess) return e;
    return cudaGraphInstantiate(&exec_, *graph, 0);
  }

  EventLoop* finisher_;
  std::vector<Observer> observers_;
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
  char* bases_ = nullptr;
  unsigned* histogram_ = nullptr;
  Histogram* result_ = nullptr;
  cudaError_t status_ = cudaSuccess, offloaded_ = cudaSuccess;
};

Histogram countOnHost(const char* bases, int n) {
  Histogram h{};
  for (int i = 0; i + kWord <= n; ++i) {
    int word = 0;
    bool valid = true;
    for (int j = 0; j < kWord && valid; ++j) {
      const int code = baseCode(bases[i + j]);
      valid = code >= 0;
      word = word * 4 + code;
    }
    if (valid) ++h[word];
  }
  return h;
}

void sequence(int chunk, char* bases) {
  unsigned state = 12345u + 977u * chunk;
  for (int i = 0; i < kPageBases; ++i) {
    state = state * 1664525u + 1013904223u;
    bases[i] = "ACGT"[state >> 30];
    if ((state >> 8) % 97 == 0) bases[i] = 'N';
  }
}

}  // namespace seq

int main() {
  using namespace seq;
  PagePool pool;
  bool ok = true;
  const int chunks = 4;
  std::vector<Histogram> truth(chunks);
  int matched = 0, empty = 0, firstMatched = 0;
  cudaError_t status, offloaded;
  {
    EventLoop finisher;
    Census census(&finisher);
    census.observe([&](int id, const Histogram& h) {
      matched += h == truth[id];
      firstMatched += id == 0 && h == truth[id];
      empty += h == Histogram{};
    });
    EventLoop conductor;
    for (int id = 0; id < chunks && ok; ++id) {
      ChunkEvent event{id, pool.lease()};
      ok = event.page != nullptr;
      if (!ok) break;
      sequence(id, event.page->bases);
      truth[id] = countOnHost(event.page->bases, kPageBases);
      conductor.ask([&census, e = std::move(event)]() mutable { census.onChunk(e); e.page.reset(); }).get();
    }
    status = census.status();
    offloaded = census.offloaded();
  }
  std::printf("status %s, offloaded %s, matched %d, empty %d\n", cudaGetErrorName(status), cudaGetErrorName(offloaded),
              matched, empty);
  const bool shown = ok && status == cudaSuccess && offloaded == cudaErrorStreamCaptureWrongThread && matched == 1 &&
                     firstMatched == 1 && empty == chunks - 1;
  std::printf(shown ? "LABEL CONFIRMED\n" : "LABEL WRONG\n");
  return shown ? 0 : 1;
}
