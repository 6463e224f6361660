// Broadcast audio bus: a music bed is ducked under a voice channel. Each block is processed by a graph
// that spreads level detection, equalization and mixing over a small pool of streams.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

namespace audio {

constexpr int kBlock = 512;
constexpr int kThreads = 128;
constexpr long long kWindowCycles = 8000000;  // lookahead window of the detector

struct Report {
  cudaError_t status = cudaSuccess;
  std::string where;
  bool ok() const { return status == cudaSuccess; }
  void note(cudaError_t result, const char* what) {
    if (ok() && result != cudaSuccess) {
      status = result;
      where = what;
    }
  }
};

__host__ __device__ inline int gain_for(int peak) { return peak > 800 ? 64 : peak > 300 ? 128 : 256; }

__global__ void detect_level(const int* voice, int* gain, int n, long long window) {
  const long long start = clock64();
  while (clock64() - start < window) {
  }
  int peak = 0;
  for (int i = 0; i < n; ++i) peak = max(peak, abs(voice[i]));
  *gain = gain_for(peak);
}

__global__ void equalize(const int* music, int* shaped, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) shaped[i] = i == 0 ? music[0] : (3 * music[i] + music[i - 1]) / 4;
}

__global__ void duck_mix(const int* voice, const int* shaped, const int* gain, int* program, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) program[i] = voice[i] + shaped[i] * *gain / 256;
}

__global__ void write_meter(const int* gain, const int* program, int* meter) {
  meter[0] = *gain;
  meter[1] = program[0];
}

class StreamPool {
 public:
  StreamPool(int count, Report& report) : streams_(count, nullptr), events_(count, nullptr) {
    for (auto& stream : streams_) report.note(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
    for (auto& event : events_) report.note(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "event");
  }
  ~StreamPool() {
    for (auto event : events_) {
      if (event) cudaEventDestroy(event);
    }
    for (auto stream : streams_) {
      if (stream) cudaStreamDestroy(stream);
    }
  }
  StreamPool(const StreamPool&) = delete;
  StreamPool& operator=(const StreamPool&) = delete;

  cudaStream_t operator[](int i) const { return streams_[i]; }
  // Marks the work queued so far on `from`; `to` continues after it.
  void order(int from, int to, Report& report) const {
    report.note(cudaEventRecord(events_[from], streams_[from]), "record");
    report.note(cudaStreamWaitEvent(streams_[to], events_[from], 0), "wait");
  }

 private:
  std::vector<cudaStream_t> streams_;
  std::vector<cudaEvent_t> events_;
};

enum Lane { kProgram = 0, kDetector = 1, kMusic = 2, kLanes = 3 };

struct Buffers {
  int *voice = nullptr, *music = nullptr, *shaped = nullptr, *program = nullptr, *gain = nullptr, *meter = nullptr;
  int *host_voice = nullptr, *host_music = nullptr, *host_program = nullptr, *host_meter = nullptr;

  explicit Buffers(Report& report) {
    for (int** block : {&voice, &music, &shaped, &program}) report.note(cudaMalloc(block, kBlock * sizeof(int)), "malloc");
    report.note(cudaMalloc(&gain, sizeof(int)), "malloc");
    report.note(cudaMalloc(&meter, 2 * sizeof(int)), "malloc");
    for (int** block : {&host_voice, &host_music, &host_program}) {
      report.note(cudaMallocHost(block, kBlock * sizeof(int)), "malloc host");
    }
    report.note(cudaMallocHost(&host_meter, 2 * sizeof(int)), "malloc host");
    if (report.ok()) report.note(cudaMemset(gain, 0, sizeof(int)), "memset");
    if (report.ok()) report.note(cudaDeviceSynchronize(), "synchronize");
  }
  ~Buffers() {
    for (int* block : {voice, music, shaped, program, gain, meter}) cudaFree(block);
    for (int* block : {host_voice, host_music, host_program, host_meter}) cudaFreeHost(block);
  }
  Buffers(const Buffers&) = delete;
  Buffers& operator=(const Buffers&) = delete;
};

class Bus {
 public:
  explicit Bus(Report& report) : report_(report), pool_(kLanes, report), buffers_(report) {
    if (report_.ok()) capture([this] { enqueue_block(); });
  }
  ~Bus() {
    if (exec_) cudaGraphExecDestroy(exec_);
  }
  Bus(const Bus&) = delete;
  Bus& operator=(const Bus&) = delete;

  bool process(const std::vector<int>& voice, const std::vector<int>& music) {
    if (!report_.ok() || !exec_) return false;
    for (int i = 0; i < kBlock; ++i) {
      buffers_.host_voice[i] = voice[i];
      buffers_.host_music[i] = music[i];
    }
    report_.note(cudaGraphLaunch(exec_, pool_[kProgram]), "launch");
    report_.note(cudaStreamSynchronize(pool_[kProgram]), "synchronize");
    return report_.ok();
  }

  const int* program() const { return buffers_.host_program; }
  const int* meter() const { return buffers_.host_meter; }

 private:
  void capture(const std::function<void()>& body) {
    report_.note(cudaStreamBeginCapture(pool_[kProgram], cudaStreamCaptureModeThreadLocal), "begin capture");
    if (!report_.ok()) return;
    body();
    cudaGraph_t graph = nullptr;
    report_.note(cudaStreamEndCapture(pool_[kProgram], &graph), "end capture");
    if (report_.ok()) report_.note(cudaGraphInstantiate(&exec_, graph, 0), "instantiate");
    if (graph) cudaGraphDestroy(graph);
  }

  void enqueue_block() {
    Buffers& b = buffers_;
    const size_t bytes = kBlock * sizeof(int);
    const int grid = (kBlock + kThreads - 1) / kThreads;
    report_.note(cudaMemcpyAsync(b.voice, b.host_voice, bytes, cudaMemcpyHostToDevice, pool_[kProgram]), "voice");
    report_.note(cudaMemcpyAsync(b.music, b.host_music, bytes, cudaMemcpyHostToDevice, pool_[kProgram]), "music");
    pool_.order(kProgram, kDetector, report_);
    pool_.order(kProgram, kMusic, report_);

    detect_level<<<1, 1, 0, pool_[kDetector]>>>(b.voice, b.gain, kBlock, kWindowCycles);
    report_.note(cudaGetLastError(), "detect_level");
    equalize<<<grid, kThreads, 0, pool_[kMusic]>>>(b.music, b.shaped, kBlock);
    report_.note(cudaGetLastError(), "equalize");

    pool_.order(kMusic, kProgram, report_);
    pool_.order(kDetector, kProgram, report_);
    duck_mix<<<grid, kThreads, 0, pool_[kProgram]>>>(b.voice, b.shaped, b.gain, b.program, kBlock);
    report_.note(cudaGetLastError(), "duck_mix");
    report_.note(cudaMemcpyAsync(b.host_program, b.program, bytes, cudaMemcpyDeviceToHost, pool_[kProgram]), "program");
    write_meter<<<1, 1, 0, pool_[kProgram]>>>(b.gain, b.program, b.meter);
    report_.note(cudaGetLastError(), "write_meter");
    report_.note(cudaMemcpyAsync(b.host_meter, b.meter, 2 * sizeof(int), cudaMemcpyDeviceToHost, pool_[kProgram]), "meter");
  }

  Report& report_;
  StreamPool pool_;
  Buffers buffers_;
  cudaGraphExec_t exec_ = nullptr;
};

std::vector<int> tone(int amplitude, int period, int phase) {
  std::vector<int> samples(kBlock);
  for (int i = 0; i < kBlock; ++i) samples[i] = amplitude * (((i + phase) % period) * 2 - period) / period;
  return samples;
}

struct Comparison {
  int program = 0;
  int meter = 0;
};

void compare(const Bus& bus, const std::vector<int>& voice, const std::vector<int>& music, Comparison& seen) {
  int peak = 0;
  for (int sample : voice) peak = peak < std::abs(sample) ? std::abs(sample) : peak;
  const int gain = gain_for(peak);
  for (int i = 0; i < kBlock; ++i) {
    const int shaped = i == 0 ? music[0] : (3 * music[i] + music[i - 1]) / 4;
    seen.program += bus.program()[i] != voice[i] + shaped * gain / 256;
  }
  seen.meter += bus.meter()[0] != gain;
}

}  // namespace audio

int main() {
  using namespace audio;
  Report report;
  Comparison seen;
  int blocks = 0;
  {
    Bus bus(report);
    const int amplitudes[] = {1000, 100, 500, 1000, 500, 100, 1000, 100};
    for (int amplitude : amplitudes) {
      const auto voice = tone(amplitude, 50, blocks * 3);
      const auto music = tone(4000, 96, blocks * 7);
      if (!bus.process(voice, music)) break;
      compare(bus, voice, music, seen);
      ++blocks;
    }
  }
  std::printf("%d blocks, %d wrong samples, %d wrong meters, status %s %s\n", blocks, seen.program, seen.meter,
              cudaGetErrorString(report.status), report.where.c_str());
  const bool confirmed = report.ok() && blocks == 8 && seen.program == 0 && seen.meter == 0;
  std::puts(confirmed ? "LABEL CONFIRMED" : "LABEL WRONG");
  return confirmed ? 0 : 1;
}
