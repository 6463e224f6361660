// Greedy decoding with a key/value cache: the prompt is prefilled eagerly, then one captured decode step is
// replayed per generated token.
#include <cuda_runtime.h>

#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

void check(cudaError_t e, const char* what) {
  if (e != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(e));
}
#define CHECK(call) check((call), #call)

template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(size_t n) {
    CHECK(cudaMalloc(&ptr_, n * sizeof(T)));
    CHECK(cudaMemset(ptr_, 0, n * sizeof(T)));
  }
  ~DeviceArray() { cudaFree(ptr_); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  T* get() const { return ptr_; }

 private:
  T* ptr_ = nullptr;
};

struct ModelConfig {
  int vocab = 97;
  int max_len = 64;
};

__global__ void append_kv(int* keys, int* values, const int* token, int pos, int vocab) {
  if (threadIdx.x != 0) return;
  keys[pos] = (*token * 31 + 7) % vocab;
  values[pos] = (*token * 17 + pos) % vocab;
}

__global__ void attend(const int* keys, const int* values, int* token, int length, int vocab) {
  __shared__ int acc;
  if (threadIdx.x == 0) acc = 0;
  __syncthreads();
  const int query = *token;
  for (int i = threadIdx.x; i < length; i += blockDim.x) atomicAdd(&acc, (keys[i] * query + 1) * values[i] % vocab);
  __syncthreads();
  if (threadIdx.x == 0) *token = acc % vocab;
}

class Decoder {
 public:
  Decoder(const ModelConfig& cfg, const std::vector<int>& prompt)
      : cfg_(cfg), keys_(cfg.max_len), values_(cfg.max_len), token_(1) {
    CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    CHECK(cudaMallocHost(&picked_, sizeof(int)));
    CHECK(cudaDeviceSynchronize());
    prefill(prompt);
    capture_step();
  }

  ~Decoder() {
    if (exec_) cudaGraphExecDestroy(exec_);
    if (graph_) cudaGraphDestroy(graph_);
    if (picked_) cudaFreeHost(picked_);
    if (stream_) cudaStreamDestroy(stream_);
  }

  bool full() const { return length_ >= cfg_.max_len; }

  int next() {
    if (full()) throw std::runtime_error("cache full");
    CHECK(cudaGraphLaunch(exec_, stream_));
    CHECK(cudaStreamSynchronize(stream_));
    ++length_;
    return *picked_;
  }

 private:
  // All prompt tokens but the last enter the cache here; the last one is appended by the first decode step.
  void prefill(const std::vector<int>& prompt) {
    for (size_t i = 0; i < prompt.size(); ++i) {
      *picked_ = prompt[i];
      CHECK(cudaMemcpyAsync(token_.get(), picked_, sizeof(int), cudaMemcpyHostToDevice, stream_));
      if (i + 1 < prompt.size()) {
        append_kv<<<1, 32, 0, stream_>>>(keys_.get(), values_.get(), token_.get(), length_, cfg_.vocab);
        ++length_;
      }
      CHECK(cudaGetLastError());
      CHECK(cudaStreamSynchronize(stream_));
    }
  }

  void capture_step() {
    CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    append_kv<<<1, 32, 0, stream_>>>(keys_.get(), values_.get(), token_.get(), length_, cfg_.vocab);  // HAZARD frozen #pos
    attend<<<1, 64, 0, stream_>>>(keys_.get(), values_.get(), token_.get(), length_ + 1, cfg_.vocab);  // HAZARD frozen #pos
    const cudaError_t copied =
        cudaMemcpyAsync(picked_, token_.get(), sizeof(int), cudaMemcpyDeviceToHost, stream_);
    const cudaError_t ended = cudaStreamEndCapture(stream_, &graph_);
    CHECK(copied);
    CHECK(ended);
    CHECK(cudaGraphInstantiate(&exec_, graph_, 0));
  }

  ModelConfig cfg_;
  DeviceArray<int> keys_;
  DeviceArray<int> values_;
  DeviceArray<int> token_;
  int* picked_ = nullptr;
  int length_ = 0;
  cudaStream_t stream_ = nullptr;
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
};

std::vector<int> reference(const ModelConfig& cfg, const std::vector<int>& prompt, int count) {
  std::vector<int> keys, values, out;
  auto append = [&](int token) {
    keys.push_back((token * 31 + 7) % cfg.vocab);
    values.push_back((token * 17 + static_cast<int>(values.size())) % cfg.vocab);
  };
  for (size_t i = 0; i + 1 < prompt.size(); ++i) append(prompt[i]);
  int token = prompt.back();
  for (int n = 0; n < count; ++n) {
    append(token);
    int acc = 0;
    for (size_t i = 0; i < keys.size(); ++i) acc += (keys[i] * token + 1) * values[i] % cfg.vocab;
    token = acc % cfg.vocab;
    out.push_back(token);
  }
  return out;
}

}  // namespace

int main() {
  const ModelConfig cfg;
  const std::vector<int> prompt{5, 41, 12, 77, 30};
  const int count = 12;
  bool good = true;
  try {
    Decoder decoder(cfg, prompt);
    const std::vector<int> expected = reference(cfg, prompt, count);
    for (int n = 0; n < count; ++n) {
      const int token = decoder.next();
      std::printf("token %2d: %d (expected %d)\n", n, token, expected[n]);
      good = good && token == expected[n];
    }
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    good = false;
  }
  std::puts(good ? "LABEL UNOBSERVED" : "LABEL CONFIRMED");
  return 0;
}
