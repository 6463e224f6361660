// Camera recorder: each captured pass uploads a frame, measures its brightness, and reports it from a host node. The
// levels are also kept in a device-side archive for later analysis.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

constexpr int kPixels = 64 * 1024;
constexpr int kArchive = 32;

static void verify(cudaError_t e, int line) {
  if (e != cudaSuccess) throw std::runtime_error("line " + std::to_string(line) + ": " + cudaGetErrorString(e));
}
#define VERIFY(x) verify((x), __LINE__)

__global__ void clear_level(unsigned* level) { *level = 0; }

__global__ void brightness(const uint8_t* frame, unsigned* level) {
  unsigned sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < kPixels; i += gridDim.x * blockDim.x) sum += frame[i];
  atomicAdd(level, sum);
}

class Recorder {
 public:
  Recorder() {
    VERIFY(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    VERIFY(cudaStreamCreateWithFlags(&copy_stream_, cudaStreamNonBlocking));
    VERIFY(cudaStreamCreateWithFlags(&archive_stream_, cudaStreamNonBlocking));
    VERIFY(cudaMallocHost(&frame_host_, kPixels));
    VERIFY(cudaMallocHost(&levels_host_, (kArchive + 1) * sizeof(unsigned)));
    VERIFY(cudaMalloc(&frame_, kPixels));
    VERIFY(cudaMalloc(&level_, sizeof(unsigned)));
    VERIFY(cudaMalloc(&archive_, kArchive * sizeof(unsigned)));
    VERIFY(cudaMemset(archive_, 0, kArchive * sizeof(unsigned)));
    VERIFY(cudaDeviceSynchronize());
    for (int i = 0; i < kPixels; ++i) frame_host_[i] = 0;
    build();
  }

  ~Recorder() {
    cudaStreamSynchronize(stream_);
    cudaStreamSynchronize(archive_stream_);
    if (exec_) cudaGraphExecDestroy(exec_);
    cudaFree(frame_);
    cudaFree(level_);
    cudaFree(archive_);
    cudaFreeHost(frame_host_);
    cudaFreeHost(levels_host_);
    for (cudaStream_t s : {stream_, copy_stream_, archive_stream_}) cudaStreamDestroy(s);
  }

  uint8_t* frame_buffer() { return frame_host_; }

  void record() {
    VERIFY(cudaGraphLaunch(exec_, stream_));
    VERIFY(cudaStreamSynchronize(stream_));
  }

  std::vector<unsigned> levels() {
    std::lock_guard<std::mutex> lock(mutex_);
    return std::vector<unsigned>(levels_host_ + 1, levels_host_ + 1 + count_);
  }

  std::vector<unsigned> archive() {
    std::vector<unsigned> out(count_);
    VERIFY(cudaMemcpyAsync(out.data(), archive_, out.size() * sizeof(unsigned), cudaMemcpyDeviceToHost, archive_stream_));
    VERIFY(cudaStreamSynchronize(archive_stream_));
    return out;
  }

 private:
  void build() {
    cudaGraph_t graph = nullptr;
    VERIFY(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    const cudaError_t recorded = enqueue();
    const cudaError_t ended = cudaStreamEndCapture(stream_, &graph);
    VERIFY(recorded);
    VERIFY(ended);
    const cudaError_t made = cudaGraphInstantiate(&exec_, graph, 0);
    cudaGraphDestroy(graph);
    VERIFY(made);
  }

  // Every step is enqueued even after an error; the first error is returned.
  cudaError_t enqueue() {
    cudaError_t first = cudaSuccess;
    auto note = [&first](cudaError_t e) {
      if (first == cudaSuccess) first = e;
    };
    clear_level<<<1, 1, 0, stream_>>>(level_);
    note(cudaMemcpyAsync(frame_, frame_host_, kPixels, cudaMemcpyHostToDevice, copy_stream_));  // HAZARD escape
    brightness<<<32, 128, 0, stream_>>>(frame_, level_);
    note(cudaMemcpyAsync(levels_host_, level_, sizeof(unsigned), cudaMemcpyDeviceToHost, stream_));
    note(cudaLaunchHostFunc(stream_, &Recorder::on_frame, this));
    return first;
  }

  // Runs on a driver thread in every replay. The newest level is in word 0, the history follows it.
  static void CUDART_CB on_frame(void* user) {
    auto* self = static_cast<Recorder*>(user);
    std::lock_guard<std::mutex> lock(self->mutex_);
    if (self->count_ == kArchive) return;
    const int slot = self->count_++;
    unsigned* kept = self->levels_host_ + 1 + slot;
    *kept = self->levels_host_[0];
    self->archive_status_ = cudaMemcpyAsync(self->archive_ + slot, kept, sizeof(unsigned), cudaMemcpyHostToDevice,  // HAZARD callback #archive
                                            self->archive_stream_);  // HAZARD callback #archive
  }

  cudaStream_t stream_ = nullptr, copy_stream_ = nullptr, archive_stream_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
  uint8_t *frame_ = nullptr, *frame_host_ = nullptr;
  unsigned *level_ = nullptr, *archive_ = nullptr, *levels_host_ = nullptr;
  std::mutex mutex_;
  int count_ = 0;
  cudaError_t archive_status_ = cudaSuccess;

 public:
  cudaError_t archive_status() const { return archive_status_; }
};

int main() {
  constexpr int kFrames = 6;
  bool good = true;
  try {
    Recorder recorder;
    std::vector<unsigned> expected;
    for (int f = 0; f < kFrames; ++f) {
      unsigned sum = 0;
      uint8_t* pixels = recorder.frame_buffer();
      for (int i = 0; i < kPixels; ++i) {
        pixels[i] = static_cast<uint8_t>((i + 17 * f) % 200 + f);
        sum += pixels[i];
      }
      expected.push_back(sum);
      recorder.record();
    }
    const auto levels = recorder.levels();
    const auto archive = recorder.archive();
    for (size_t f = 0; f < levels.size(); ++f)
      std::printf("frame %zu: level %u, archived %u, expected %u\n", f, levels[f], archive[f], expected[f]);
    good = levels == expected && archive == expected;
    std::printf("archive status: %s\n", cudaGetErrorName(recorder.archive_status()));
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    good = false;
  }
  std::puts(good ? "LABEL UNOBSERVED" : "LABEL CONFIRMED");
  return 0;
}
