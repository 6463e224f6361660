// Temporal denoiser of the streaming encoder: an exponential average over frames, with a double-buffered history.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <functional>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#define CHECK_CUDA(expr)                                                                 \
  do {                                                                                   \
    const cudaError_t status_ = (expr);                                                  \
    if (status_ != cudaSuccess) {                                                        \
      std::printf("%s failed: %s\nLABEL WRONG\n", #expr, cudaGetErrorString(status_));   \
      std::exit(1);                                                                      \
    }                                                                                    \
  } while (false)

namespace encoder {

constexpr int kPixels = 64 * 1024;

struct DenoiseParams {
  float alpha;
  float bias;
};

__global__ void BlendKernel(const float* input, const float* previous, float* current, const DenoiseParams* params,
                            int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) current[i] = params->alpha * input[i] + (1.0f - params->alpha) * previous[i] + params->bias;
}

// A frame in device memory, shared between stages.
class Frame {
 public:
  explicit Frame(int64_t index) : index_(index) { CHECK_CUDA(cudaMalloc(&data_, kPixels * sizeof(float))); }
  ~Frame() { cudaFree(data_); }
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;

  float* data() const { return data_; }
  int64_t index() const { return index_; }

 private:
  int64_t index_;
  float* data_ = nullptr;
};

struct FrameMessage {
  std::shared_ptr<const Frame> frame;
};
struct StrengthMessage {
  float alpha;
};
struct SceneCut {};
struct EndOfStream {};
using Message = std::variant<FrameMessage, StrengthMessage, SceneCut, EndOfStream>;

using FrameCallback = std::function<void(int64_t index, const float* device_pixels)>;

class TemporalDenoiser {
 public:
  TemporalDenoiser(float alpha, FrameCallback on_frame) : on_frame_(std::move(on_frame)) {
    CHECK_CUDA(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    CHECK_CUDA(cudaMalloc(&input_, kPixels * sizeof(float)));
    for (float*& plane : history_) {
      CHECK_CUDA(cudaMalloc(&plane, kPixels * sizeof(float)));
      CHECK_CUDA(cudaMemset(plane, 0, kPixels * sizeof(float)));
    }
    CHECK_CUDA(cudaMalloc(&device_params_, sizeof(DenoiseParams)));
    CHECK_CUDA(cudaDeviceSynchronize());
    SetStrength(alpha);
  }

  ~TemporalDenoiser() {
    CHECK_CUDA(cudaStreamSynchronize(stream_));
    for (cudaGraphExec_t exec : exec_) {
      if (exec != nullptr) cudaGraphExecDestroy(exec);
    }
    for (float* plane : history_) cudaFree(plane);
    cudaFree(input_);
    cudaFree(device_params_);
    cudaStreamDestroy(stream_);
  }

  void SetStrength(float alpha) {
    const DenoiseParams params{alpha, 0.0f};
    CHECK_CUDA(cudaMemcpyAsync(device_params_, &params, sizeof(params), cudaMemcpyHostToDevice, stream_));
    CHECK_CUDA(cudaStreamSynchronize(stream_));
  }

  void Process(const Frame& frame) {
    CHECK_CUDA(cudaMemcpyAsync(input_, frame.data(), kPixels * sizeof(float), cudaMemcpyDeviceToDevice, stream_));
    if (exec_[parity_] == nullptr) Capture();
    CHECK_CUDA(cudaGraphLaunch(exec_[parity_], stream_));
    CHECK_CUDA(cudaStreamSynchronize(stream_));
    on_frame_(frame.index(), history_[1]);
    std::swap(history_[0], history_[1]);
    parity_ ^= 1;
  }

  // Drops the history at a scene cut.
  void Reset() {
    for (float* plane : history_) CHECK_CUDA(cudaMemsetAsync(plane, 0, kPixels * sizeof(float), stream_));
    CHECK_CUDA(cudaStreamSynchronize(stream_));
  }

 private:
  void Capture() {
    cudaGraph_t graph = nullptr;
    CHECK_CUDA(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    Enqueue();
    CHECK_CUDA(cudaStreamEndCapture(stream_, &graph));
    CHECK_CUDA(cudaGraphInstantiate(&exec_[parity_], graph, 0));
    CHECK_CUDA(cudaGraphDestroy(graph));
  }

  void Enqueue() {
    constexpr int kThreads = 256;
    BlendKernel<<<(kPixels + kThreads - 1) / kThreads, kThreads, 0, stream_>>>(
        input_, history_[0], history_[1], device_params_, kPixels);
    CHECK_CUDA(cudaGetLastError());
  }

  FrameCallback on_frame_;
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t exec_[2] = {nullptr, nullptr};  // one for each role of the history planes
  int parity_ = 0;
  float* input_ = nullptr;
  float* history_[2] = {nullptr, nullptr};  // [0] the previous result, [1] the one being written
  DenoiseParams* device_params_ = nullptr;
};

// Feeds the stages from a queue of messages.
class Pipeline {
 public:
  explicit Pipeline(TemporalDenoiser* denoiser) : denoiser_(denoiser) {}

  void Post(Message message) { queue_.push_back(std::move(message)); }

  void RunUntilIdle() {
    while (!queue_.empty()) {
      Message message = std::move(queue_.front());
      queue_.pop_front();
      std::visit([this](const auto& m) { Handle(m); }, message);
    }
  }

  bool finished() const { return finished_; }

 private:
  void Handle(const FrameMessage& message) { denoiser_->Process(*message.frame); }
  void Handle(const StrengthMessage& message) { denoiser_->SetStrength(message.alpha); }
  void Handle(const SceneCut&) { denoiser_->Reset(); }
  void Handle(const EndOfStream&) { finished_ = true; }

  TemporalDenoiser* denoiser_;
  std::deque<Message> queue_;
  bool finished_ = false;
};

}  // namespace encoder

namespace {

float SourcePixel(int64_t frame, int i) { return static_cast<float>((i + frame * 29) % 255); }

std::shared_ptr<const encoder::Frame> MakeFrame(int64_t index) {
  auto frame = std::make_shared<encoder::Frame>(index);
  std::vector<float> host(encoder::kPixels);
  for (int i = 0; i < encoder::kPixels; ++i) host[i] = SourcePixel(index, i);
  CHECK_CUDA(cudaMemcpy(frame->data(), host.data(), host.size() * sizeof(float), cudaMemcpyHostToDevice));
  CHECK_CUDA(cudaDeviceSynchronize());
  return frame;
}

}  // namespace

int main() {
  std::vector<std::vector<float>> results;
  encoder::TemporalDenoiser denoiser(0.5f, [&results](int64_t, const float* pixels) {
    std::vector<float> host(encoder::kPixels);
    CHECK_CUDA(cudaMemcpy(host.data(), pixels, host.size() * sizeof(float), cudaMemcpyDeviceToHost));
    results.push_back(std::move(host));
  });

  encoder::Pipeline pipeline(&denoiser);
  constexpr size_t kCutFrame = 4;
  const std::vector<float> alpha_of_frame = {0.5f, 0.5f, 0.5f, 0.25f, 0.25f, 0.75f, 0.75f};
  for (size_t f = 0; f < alpha_of_frame.size(); ++f) {
    if (f > 0 && alpha_of_frame[f] != alpha_of_frame[f - 1]) {
      pipeline.Post(encoder::StrengthMessage{alpha_of_frame[f]});
    }
    if (f == kCutFrame) pipeline.Post(encoder::SceneCut{});
    pipeline.Post(encoder::FrameMessage{MakeFrame(static_cast<int64_t>(f))});
  }
  pipeline.Post(encoder::EndOfStream{});
  pipeline.RunUntilIdle();

  std::vector<float> expected(encoder::kPixels, 0.0f);
  std::vector<int> wrong(alpha_of_frame.size(), 0);
  for (size_t f = 0; f < alpha_of_frame.size(); ++f) {
    if (f == kCutFrame) expected.assign(encoder::kPixels, 0.0f);
    for (int i = 0; i < encoder::kPixels; ++i) {
      const float alpha = alpha_of_frame[f];
      expected[i] = alpha * SourcePixel(static_cast<int64_t>(f), i) + (1.0f - alpha) * expected[i];
      if (std::fabs(results[f][i] - expected[i]) > 1e-2f) ++wrong[f];
    }
    std::printf("frame %zu: %d wrong pixels\n", f, wrong[f]);
  }

  bool confirmed = pipeline.finished();
  for (int count : wrong) confirmed = confirmed && count == 0;
  std::printf("%s\n", confirmed ? "LABEL CONFIRMED" : "LABEL WRONG");
  return confirmed ? 0 : 1;
}
