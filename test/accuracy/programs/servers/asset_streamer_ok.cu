// Terrain renderer with streamed tiles. A loader thread uploads a tile when the renderer first asks for it; the
// renderer records the draw of a viewport into a graph and replays it while the sun moves.
#include <cuda_runtime.h>

#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <future>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

constexpr int kTileCells = 32 * 32;

struct Tile {
  float* heights = nullptr;
  cudaError_t error = cudaSuccess;
};

static float height_at(int tile, int cell) { return float((tile * 131 + cell * 7) % 251) * 0.5f; }

class LoaderThread {
 public:
  LoaderThread() : worker_([this] { run(); }) {}
  ~LoaderThread() {
    {
      std::lock_guard<std::mutex> l(m_);
      quit_ = true;
    }
    cv_.notify_one();
    worker_.join();
  }
  LoaderThread(const LoaderThread&) = delete;
  LoaderThread& operator=(const LoaderThread&) = delete;

  std::future<Tile> request(int id) {
    std::packaged_task<Tile(cudaStream_t)> job([id](cudaStream_t s) { return load(id, s); });
    std::future<Tile> f = job.get_future();
    {
      std::lock_guard<std::mutex> l(m_);
      jobs_.push_back(std::move(job));
    }
    cv_.notify_one();
    return f;
  }

 private:
  static Tile load(int id, cudaStream_t s) {
    std::vector<float> h(kTileCells);
    for (int c = 0; c < kTileCells; ++c) h[c] = height_at(id, c);
    Tile t;
    t.error = cudaMalloc(&t.heights, h.size() * sizeof(float));
    if (t.error == cudaSuccess)
      t.error = cudaMemcpyAsync(t.heights, h.data(), h.size() * sizeof(float), cudaMemcpyHostToDevice, s);
    if (t.error == cudaSuccess) t.error = cudaStreamSynchronize(s);
    return t;
  }

  void run() {
    cudaStream_t s = nullptr;
    cudaSetDevice(0);
    const cudaError_t up = cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    ready_.set_value(up);
    for (;;) {
      std::packaged_task<Tile(cudaStream_t)> job;
      {
        std::unique_lock<std::mutex> l(m_);
        cv_.wait(l, [this] { return quit_ || !jobs_.empty(); });
        if (jobs_.empty()) break;
        job = std::move(jobs_.front());
        jobs_.pop_front();
      }
      job(s);
    }
    if (s) cudaStreamDestroy(s);
  }

 public:
  cudaError_t wait_ready() { return ready_.get_future().get(); }

 private:
  std::mutex m_;
  std::condition_variable cv_;
  std::deque<std::packaged_task<Tile(cudaStream_t)>> jobs_;
  bool quit_ = false;
  std::promise<cudaError_t> ready_;
  std::thread worker_;  // last: starts when everything above exists
};

class TileCache {
 public:
  explicit TileCache(LoaderThread& l) : loader_(l) {}
  ~TileCache() {
    for (auto& t : tiles_) cudaFree(t.second.heights);
  }
  const Tile& resident(int id) {
    auto it = tiles_.find(id);
    if (it == tiles_.end()) it = tiles_.emplace(id, loader_.request(id).get()).first;
    return it->second;
  }

 private:
  LoaderThread& loader_;
  std::map<int, Tile> tiles_;
};

__global__ void shade(const float* heights, const float* sun, float* pixels) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  pixels[i] = heights[i] * sun[0] + sun[1];
}

struct Viewport {
  std::vector<int> tiles;
  cudaStream_t stream = nullptr;
  cudaGraphExec_t exec = nullptr;
  float* sun = nullptr;
  float* pixels = nullptr;
};

static cudaError_t record_draw(Viewport& v, TileCache& cache) {
  // the loader allocates and synchronizes on its own thread meanwhile: the capture must restrict this thread only
  cudaError_t e = cudaStreamBeginCapture(v.stream, cudaStreamCaptureModeThreadLocal);
  if (e != cudaSuccess) return e;
  for (size_t i = 0; i < v.tiles.size() && e == cudaSuccess; ++i) {
    const Tile& t = cache.resident(v.tiles[i]);
    e = t.error;
    if (e != cudaSuccess) break;
    shade<<<kTileCells / 128, 128, 0, v.stream>>>(t.heights, v.sun, v.pixels + i * kTileCells);
    e = cudaGetLastError();
  }
  cudaGraph_t g = nullptr;
  const cudaError_t closed = cudaStreamEndCapture(v.stream, &g);
  if (e == cudaSuccess) e = closed;
  if (e == cudaSuccess) e = cudaGraphInstantiate(&v.exec, g, 0);
  if (g) cudaGraphDestroy(g);
  return e;
}

static cudaError_t draw(Viewport& v, const float (&sun)[2], std::vector<float>& out) {
  out.resize(v.tiles.size() * kTileCells);
  cudaError_t e = cudaMemcpyAsync(v.sun, sun, sizeof sun, cudaMemcpyHostToDevice, v.stream);
  if (e == cudaSuccess) e = cudaGraphLaunch(v.exec, v.stream);
  if (e == cudaSuccess)
    e = cudaMemcpyAsync(out.data(), v.pixels, out.size() * sizeof(float), cudaMemcpyDeviceToHost, v.stream);
  const cudaError_t s = cudaStreamSynchronize(v.stream);
  return e == cudaSuccess ? s : e;
}

int main() {
  int wrong = 0, frames = 0;
  cudaError_t recorded = cudaSuccess;
  bool set_up = true;
  {
    LoaderThread loader;
    TileCache cache(loader);
    Viewport v;
    v.tiles = {3, 8, 4};
    set_up = loader.wait_ready() == cudaSuccess &&
             cudaStreamCreateWithFlags(&v.stream, cudaStreamNonBlocking) == cudaSuccess &&
             cudaMalloc(&v.sun, 2 * sizeof(float)) == cudaSuccess &&
             cudaMalloc(&v.pixels, v.tiles.size() * kTileCells * sizeof(float)) == cudaSuccess &&
             cache.resident(3).error == cudaSuccess;  // the home tile is always there
    if (set_up) recorded = record_draw(v, cache);
    for (; set_up && recorded == cudaSuccess && frames < 5; ++frames) {
      const float sun[2] = {1.0f - 0.1f * float(frames), 0.25f * float(frames)};
      std::vector<float> px;
      bool good = draw(v, sun, px) == cudaSuccess;
      for (size_t i = 0; good && i < px.size(); ++i)
        good = std::fabs(px[i] - (height_at(v.tiles[i / kTileCells], int(i % kTileCells)) * sun[0] + sun[1])) < 1e-3f;
      wrong += !good;
    }
    if (v.exec) cudaGraphExecDestroy(v.exec);
    cudaFree(v.pixels);
    cudaFree(v.sun);
    if (v.stream) cudaStreamDestroy(v.stream);
  }
  std::printf("record: %s, %d frames, %d wrong\n", cudaGetErrorString(recorded), frames, wrong);
  std::puts(set_up && recorded == cudaSuccess && frames == 5 && wrong == 0 ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
  return 0;
}
