// Image change detection node: frame callback -> graph replay -> score published from a host function.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#define CUDA_OK(x)                                                                      \
  do {                                                                                  \
    const cudaError_t e = (x);                                                          \
    if (e != cudaSuccess) {                                                             \
      std::fprintf(stderr, "%s failed: %s\n", #x, cudaGetErrorString(e));               \
      std::puts("LABEL WRONG");                                                         \
      std::exit(1);                                                                     \
    }                                                                                   \
  } while (0)

namespace change_detection
{

constexpr int kPixels = 2048;
constexpr int kThreads = 256;

struct ImageMsg
{
  uint32_t seq;
  std::vector<int32_t> data;
};

struct ScoreMsg
{
  uint32_t seq;
  int64_t score;
};

class Publisher
{
public:
  explicit Publisher(std::string topic) : topic_(std::move(topic)) {}
  void publish(int64_t score)
  {
    std::lock_guard<std::mutex> lock(mutex_);
    messages_.push_back({static_cast<uint32_t>(messages_.size()), score});
  }
  std::vector<ScoreMsg> messages() const
  {
    std::lock_guard<std::mutex> lock(mutex_);
    return messages_;
  }
  const std::string & topic() const { return topic_; }

private:
  std::string topic_;
  mutable std::mutex mutex_;
  std::vector<ScoreMsg> messages_;
};

struct PublishContext
{
  Publisher * publisher = nullptr;
  const int64_t * value = nullptr;
};

// Recycles contexts, because publishing at frame rate must not allocate.
class ContextPool
{
public:
  PublishContext * acquire(Publisher & publisher, const int64_t * value)
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (free_.empty()) {
      storage_.emplace_back();
      free_.push_back(&storage_.back());
    }
    PublishContext * ctx = free_.back();
    free_.pop_back();
    *ctx = {&publisher, value};
    return ctx;
  }
  void release(PublishContext * ctx)
  {
    std::lock_guard<std::mutex> lock(mutex_);
    free_.push_back(ctx);
  }
  static ContextPool & instance()
  {
    static ContextPool pool;
    return pool;
  }

private:
  std::mutex mutex_;
  std::deque<PublishContext> storage_;
  std::vector<PublishContext *> free_;
};

void CUDART_CB publishAndRelease(void * user)
{
  auto * ctx = static_cast<PublishContext *>(user);
  ctx->publisher->publish(*ctx->value);
  ContextPool::instance().release(ctx);
}

// For owners that keep the context for the whole life of the node.
void CUDART_CB publishOwned(void * user)
{
  const auto * ctx = static_cast<const PublishContext *>(user);
  ctx->publisher->publish(*ctx->value);
}

__global__ void scoreChange(unsigned long long * score, const int32_t * image, const int32_t * reference)
{
  __shared__ long long partial[kThreads];
  long long acc = 0;
  for (int i = threadIdx.x; i < kPixels; i += kThreads) {
    const int32_t d = image[i] - reference[i];
    acc += d < 0 ? -d : d;
  }
  partial[threadIdx.x] = acc;
  __syncthreads();
  for (int s = kThreads / 2; s > 0; s >>= 1) {
    if (threadIdx.x < s) {
      partial[threadIdx.x] += partial[threadIdx.x + s];
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    *score = static_cast<unsigned long long>(partial[0]);
  }
}

__global__ void updateReference(int32_t * reference, const int32_t * image, const uint32_t * frame, uint32_t interval)
{
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (*frame % interval == 0) {
    reference[i] = image[i];
  }
}

__global__ void nextFrame(uint32_t * frame) { *frame += 1; }

class ChangeNode
{
public:
  explicit ChangeNode(uint32_t keyframe_interval) : keyframe_interval_(keyframe_interval), pub_("/change/score")
  {
    CUDA_OK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    CUDA_OK(cudaMallocHost(&staging_, sizeof(int32_t) * kPixels));
    CUDA_OK(cudaMallocHost(&host_score_, sizeof(int64_t)));
    CUDA_OK(cudaMalloc(&image_, sizeof(int32_t) * kPixels));
    CUDA_OK(cudaMalloc(&reference_, sizeof(int32_t) * kPixels));
    CUDA_OK(cudaMalloc(&score_, sizeof(unsigned long long)));
    CUDA_OK(cudaMemset(reference_, 0, sizeof(int32_t) * kPixels));
    CUDA_OK(cudaMalloc(&frame_, sizeof(uint32_t)));
    CUDA_OK(cudaMemset(frame_, 0, sizeof(uint32_t)));
    CUDA_OK(cudaDeviceSynchronize());
    publish_context_ = {&pub_, host_score_};
  }
  ChangeNode(const ChangeNode &) = delete;
  ChangeNode & operator=(const ChangeNode &) = delete;
  ~ChangeNode()
  {
    if (exec_) {
      cudaGraphExecDestroy(exec_);
    }
    cudaFreeHost(staging_);
    cudaFreeHost(host_score_);
    cudaFree(image_);
    cudaFree(reference_);
    cudaFree(score_);
    cudaFree(frame_);
    cudaStreamDestroy(stream_);
  }

  void onImage(const ImageMsg & msg)
  {
    std::memcpy(staging_, msg.data.data(), sizeof(int32_t) * kPixels);
    if (!exec_) {
      prepare();
    }
    CUDA_OK(cudaGraphLaunch(exec_, stream_));
    CUDA_OK(cudaStreamSynchronize(stream_));
  }
  const Publisher & publisher() const { return pub_; }
  int64_t lastScore() const { return *host_score_; }

private:
  void prepare()
  {
    cudaGraph_t graph = nullptr;
    CUDA_OK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    enqueueFrame();
    CUDA_OK(cudaStreamEndCapture(stream_, &graph));
    CUDA_OK(cudaGraphInstantiate(&exec_, graph, 0));
    CUDA_OK(cudaGraphDestroy(graph));
  }

  void enqueueFrame()
  {
    CUDA_OK(cudaMemcpyAsync(image_, staging_, sizeof(int32_t) * kPixels, cudaMemcpyHostToDevice, stream_));
    scoreChange<<<1, kThreads, 0, stream_>>>(score_, image_, reference_);
    CUDA_OK(cudaMemcpyAsync(host_score_, score_, sizeof(int64_t), cudaMemcpyDeviceToHost, stream_));
    enqueuePublish();
    updateReference<<<kPixels / kThreads, kThreads, 0, stream_>>>(reference_, image_, frame_, keyframe_interval_);
    nextFrame<<<1, 1, 0, stream_>>>(frame_);
  }

  void enqueuePublish()
  {
    CUDA_OK(cudaLaunchHostFunc(stream_, publishOwned, &publish_context_));
  }

  const uint32_t keyframe_interval_;
  Publisher pub_;
  PublishContext publish_context_;
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
  int32_t * staging_ = nullptr;
  int64_t * host_score_ = nullptr;
  int32_t * image_ = nullptr;
  int32_t * reference_ = nullptr;
  unsigned long long * score_ = nullptr;
  uint32_t * frame_ = nullptr;
};

// Heartbeat from the GPU side: tells the watchdog that the device still makes progress.
class DiagnosticsNode
{
public:
  DiagnosticsNode() : pub_("/diagnostics") { CUDA_OK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  ~DiagnosticsNode() { cudaStreamDestroy(stream_); }
  void onTimer()
  {
    ++beat_;
    PublishContext * ctx = ContextPool::instance().acquire(pub_, &beat_);
    CUDA_OK(cudaLaunchHostFunc(stream_, publishAndRelease, ctx));
    CUDA_OK(cudaStreamSynchronize(stream_));
  }
  const Publisher & publisher() const { return pub_; }

private:
  Publisher pub_;
  cudaStream_t stream_ = nullptr;
  int64_t beat_ = 0;
};

}  // namespace change_detection

int main()
{
  using namespace change_detection;
  constexpr uint32_t kInterval = 3, kFrames = 7;
  ChangeNode node(kInterval);
  DiagnosticsNode diagnostics;
  std::function<void(const ImageMsg &)> subscription = [&node](const ImageMsg & m) { node.onImage(m); };

  std::vector<int32_t> reference(kPixels, 0);
  std::vector<int64_t> expected;
  int wrong_scores = 0;
  for (uint32_t seq = 0; seq < kFrames; ++seq) {
    ImageMsg msg{seq, std::vector<int32_t>(kPixels)};
    int64_t score = 0;
    for (int i = 0; i < kPixels; ++i) {
      msg.data[i] = static_cast<int32_t>((i * 31 + seq * seq * 977) % 251);
      score += std::abs(msg.data[i] - reference[i]);
    }
    expected.push_back(score);
    if (seq % kInterval == 0) {
      reference = msg.data;
    }
    subscription(msg);
    wrong_scores += node.lastScore() != expected.back();
    diagnostics.onTimer();
  }

  const std::vector<ScoreMsg> scores = node.publisher().messages();
  const std::vector<ScoreMsg> beats = diagnostics.publisher().messages();
  bool values = scores.size() == kFrames;
  for (uint32_t i = 0; i < scores.size() && i < kFrames; ++i) {
    values &= scores[i].score == expected[i];
  }
  std::printf("%s: %zu messages, %s: %zu messages\n", node.publisher().topic().c_str(), scores.size(),
              diagnostics.publisher().topic().c_str(), beats.size());
  const bool first = !scores.empty() && scores[0].score == expected[0];
  std::printf("wrong scores: %d\n", wrong_scores);
  std::puts(first && values && wrong_scores == 0 && beats.size() == kFrames ? "LABEL CONFIRMED" : "LABEL WRONG");
  return 0;
}
