// Acoustic propagator for seismic shots. Two leapfrog steps make one graph; at checkpoint intervals the
// graph also packs the pressure field on a side branch and brings the snapshot to the host.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <system_error>
#include <vector>

namespace seis {

constexpr int kNodes = 4096;
constexpr int kThreads = 256;
constexpr int kBlocks = kNodes / kThreads;
constexpr int kSourceNode = kNodes / 3;
constexpr long long kTableCycles = 6000000;

class CudaCategory final : public std::error_category {
 public:
  const char* name() const noexcept override { return "cuda"; }
  std::string message(int code) const override { return cudaGetErrorString(static_cast<cudaError_t>(code)); }
};

void expect(cudaError_t status) {
  static const CudaCategory category;
  if (status != cudaSuccess) throw std::system_error(static_cast<int>(status), category);
}

__host__ __device__ inline int leapfrog(int left, int centre, int right, int before) {
  return 2 * centre - before + (left - 2 * centre + right) / 4;
}

__host__ __device__ inline int16_t encode(int pressure, int scale) { return static_cast<int16_t>(pressure / scale); }

// Writes the next field over the one before the current field.
__global__ void propagate(const int* current, int* other, const int* source) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int left = i > 0 ? current[i - 1] : 0;
  const int right = i < kNodes - 1 ? current[i + 1] : 0;
  int next = leapfrog(left, current[i], right, other[i]);
  if (i == kSourceNode) next += *source;
  other[i] = next;
}

// Builds the quantization table of the snapshot codec.
__global__ void build_table(int* scale, long long effort) {
  const long long start = clock64();
  while (clock64() - start < effort) {
  }
  *scale = 2;
}

__global__ void pack(const int* field, const int* scale, int16_t* packed) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  packed[i] = encode(field[i], *scale);
}

template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(int n) {
    expect(cudaMalloc(&data_, n * sizeof(T)));
    expect(cudaMemset(data_, 0, n * sizeof(T)));
    expect(cudaDeviceSynchronize());
  }
  ~DeviceArray() { cudaFree(data_); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  T* get() const { return data_; }

 private:
  T* data_ = nullptr;
};

template <class T>
class PinnedArray {
 public:
  explicit PinnedArray(int n) { expect(cudaMallocHost(&data_, n * sizeof(T))); }
  ~PinnedArray() { cudaFreeHost(data_); }
  PinnedArray(const PinnedArray&) = delete;
  PinnedArray& operator=(const PinnedArray&) = delete;
  T& operator[](int i) const { return data_[i]; }
  T* get() const { return data_; }

 private:
  T* data_ = nullptr;
};

struct Lanes {
  cudaStream_t compute = nullptr, snapshot = nullptr;
  cudaEvent_t fork = nullptr, packed = nullptr, done = nullptr;
  Lanes() {
    expect(cudaStreamCreateWithFlags(&compute, cudaStreamNonBlocking));
    expect(cudaStreamCreateWithFlags(&snapshot, cudaStreamNonBlocking));
    for (cudaEvent_t* event : {&fork, &packed, &done}) expect(cudaEventCreateWithFlags(event, cudaEventDisableTiming));
  }
  ~Lanes() {
    for (cudaEvent_t event : {fork, packed, done}) {
      if (event) cudaEventDestroy(event);
    }
    if (snapshot) cudaStreamDestroy(snapshot);
    if (compute) cudaStreamDestroy(compute);
  }
};

class Propagator {
 public:
  Propagator()
      : field_a_(kNodes), field_b_(kNodes), source_(2), scale_(1), packed_(kNodes), wavelet_(2), snapshot_(kNodes) {}
  ~Propagator() {
    if (plain_) cudaGraphExecDestroy(plain_);
    if (checkpointing_) cudaGraphExecDestroy(checkpointing_);
  }
  Propagator(const Propagator&) = delete;
  Propagator& operator=(const Propagator&) = delete;

  void advance(int first, int second, bool checkpoint) {
    wavelet_[0] = first;
    wavelet_[1] = second;
    cudaGraphExec_t& exec = checkpoint ? checkpointing_ : plain_;
    if (!exec) exec = checkpoint ? record<true>() : record<false>();
    expect(cudaGraphLaunch(exec, lanes_.compute));
    expect(cudaStreamSynchronize(lanes_.compute));
  }

  const int16_t* snapshot() const { return snapshot_.get(); }

  std::vector<int> pressure() const {
    std::vector<int> host(kNodes);
    expect(cudaMemcpy(host.data(), field_a_.get(), kNodes * sizeof(int), cudaMemcpyDeviceToHost));
    return host;
  }

 private:
  template <bool WithSnapshot>
  cudaGraphExec_t record() {
    cudaGraph_t graph = nullptr;
    expect(cudaStreamBeginCapture(lanes_.compute, cudaStreamCaptureModeThreadLocal));
    try {
      steps<WithSnapshot>();
    } catch (...) {
      if (cudaStreamEndCapture(lanes_.compute, &graph) == cudaSuccess) cudaGraphDestroy(graph);
      throw;
    }
    expect(cudaStreamEndCapture(lanes_.compute, &graph));
    cudaGraphExec_t exec = nullptr;
    const cudaError_t status = cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphDestroy(graph);
    expect(status);
    return exec;
  }

  // Field a holds the pressure at the start and, two steps later, at the end.
  template <bool WithSnapshot>
  void steps() {
    expect(cudaMemcpyAsync(source_.get(), wavelet_.get(), 2 * sizeof(int), cudaMemcpyHostToDevice, lanes_.compute));
    if constexpr (WithSnapshot) start_snapshot();
    propagate<<<kBlocks, kThreads, 0, lanes_.compute>>>(field_a_.get(), field_b_.get(), source_.get());
    expect(cudaGetLastError());
    propagate<<<kBlocks, kThreads, 0, lanes_.compute>>>(field_b_.get(), field_a_.get(), source_.get() + 1);  // HAZARD concurrent #field
    expect(cudaGetLastError());
    if constexpr (WithSnapshot) finish_snapshot();
  }

  void start_snapshot() {
    expect(cudaEventRecord(lanes_.fork, lanes_.compute));
    expect(cudaStreamWaitEvent(lanes_.snapshot, lanes_.fork, 0));
    build_table<<<1, 1, 0, lanes_.snapshot>>>(scale_.get(), kTableCycles);
    expect(cudaGetLastError());
    pack<<<kBlocks, kThreads, 0, lanes_.snapshot>>>(field_a_.get(), scale_.get(), packed_.get());  // HAZARD concurrent #field
    expect(cudaGetLastError());
    expect(cudaMemcpyAsync(snapshot_.get(), packed_.get(), kNodes * sizeof(int16_t), cudaMemcpyDeviceToHost, lanes_.snapshot));
  }

  void finish_snapshot() {
    expect(cudaEventRecord(lanes_.done, lanes_.snapshot));
    expect(cudaStreamWaitEvent(lanes_.compute, lanes_.done, 0));
  }

  Lanes lanes_;
  DeviceArray<int> field_a_, field_b_, source_, scale_;
  DeviceArray<int16_t> packed_;
  PinnedArray<int> wavelet_;
  PinnedArray<int16_t> snapshot_;
  cudaGraphExec_t plain_ = nullptr;
  cudaGraphExec_t checkpointing_ = nullptr;
};

int wavelet(int sample) { return sample < 12 ? 600 - 90 * sample : 0; }

struct Model {
  std::vector<int> a = std::vector<int>(kNodes, 0), b = std::vector<int>(kNodes, 0);

  static void step(const std::vector<int>& current, std::vector<int>& other, int source) {
    std::vector<int> next(kNodes);
    for (int i = 0; i < kNodes; ++i) {
      const int left = i > 0 ? current[i - 1] : 0;
      const int right = i < kNodes - 1 ? current[i + 1] : 0;
      next[i] = leapfrog(left, current[i], right, other[i]) + (i == kSourceNode ? source : 0);
    }
    other = next;
  }
};

struct Tally {
  int snapshots = 0;
  int wrong_snapshot = 0;
  int wrong_pressure = 0;
};

Tally shoot(int rounds) {
  Propagator propagator;
  Model model;
  Tally tally;
  int interval = 2, next_checkpoint = 2;
  for (int round = 0; round < rounds; ++round) {
    const bool checkpoint = round == next_checkpoint;
    propagator.advance(wavelet(2 * round), wavelet(2 * round + 1), checkpoint);
    if (checkpoint) {
      for (int i = 0; i < kNodes; ++i) tally.wrong_snapshot += propagator.snapshot()[i] != encode(model.a[i], 2);
      ++tally.snapshots;
      interval += 1;  // the field becomes smoother with time
      next_checkpoint = round + interval;
    }
    Model::step(model.a, model.b, wavelet(2 * round));
    Model::step(model.b, model.a, wavelet(2 * round + 1));
  }
  const std::vector<int> pressure = propagator.pressure();
  for (int i = 0; i < kNodes; ++i) tally.wrong_pressure += pressure[i] != model.a[i];
  return tally;
}

}  // namespace seis

int main() {
  bool confirmed = false;
  try {
    const seis::Tally tally = seis::shoot(20);
    std::printf("%d snapshots, %d wrong samples, %d wrong pressures\n", tally.snapshots, tally.wrong_snapshot,
                tally.wrong_pressure);
    confirmed = tally.snapshots > 1 && tally.wrong_snapshot > 0 && tally.wrong_pressure == 0;
  } catch (const std::system_error& error) {
    std::printf("error %d: %s\n", error.code().value(), error.what());
  }
  std::puts(confirmed ? "LABEL CONFIRMED" : "LABEL WRONG");
  return confirmed ? 0 : 1;
}
