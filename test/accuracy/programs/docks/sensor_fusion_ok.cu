// Camera / lidar fusion: nodes exchange device buffers over topics, the executor gives each node a stream
// and runs the whole cycle as one recorded graph.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace perception
{

inline void check(cudaError_t code, const char * where)
{
  if (code != cudaSuccess) {
    std::fprintf(stderr, "[perception] %s: %s\n", where, cudaGetErrorString(code));
    std::puts("LABEL WRONG");
    std::exit(1);
  }
}

constexpr int kPoints = 256;
constexpr uint32_t kCameraRounds = 20000;

__host__ __device__ inline uint32_t scramble(uint32_t v, uint32_t rounds)
{
  v |= 1u;
  for (uint32_t r = 0; r < rounds; ++r) {
    v ^= v << 13;
    v ^= v >> 17;
    v ^= v << 5;
  }
  return v;
}

struct SensorFrame
{
  uint32_t image[kPoints];
  uint32_t ranges[kPoints];
  uint32_t motion_steps;  // ego motion samples within the sweep
  uint32_t stamp;
};

__global__ void rectifyImage(uint32_t * out, const SensorFrame * frame, uint32_t rounds)
{
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = scramble(frame->image[i], rounds);
}

__global__ void decodeRanges(uint32_t * cloud, const SensorFrame * frame)
{
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  cloud[i] = frame->ranges[i] * 2u + 1u;
}

__global__ void deskewCloud(uint32_t * cloud, const uint32_t * raw, const SensorFrame * frame)
{
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  cloud[i] = scramble(raw[i], frame->motion_steps);
}

// Low bits of all points, for the health monitor.
__global__ void cloudHealth(uint32_t * health, const uint32_t * cloud)
{
  uint32_t acc = 0;
  for (int i = 0; i < kPoints; ++i) {
    acc += cloud[i] & 0xffu;
  }
  *health = acc;
}

__global__ void fuse(uint32_t * fused, const uint32_t * image, const uint32_t * cloud)
{
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  fused[i] = image[i] ^ (cloud[i] * 5u);
}

class Topic
{
public:
  explicit Topic(std::string name) : name_(std::move(name))
  {
    check(cudaMalloc(&data_, sizeof(uint32_t) * kPoints), "topic buffer");
    check(cudaMemset(data_, 0, sizeof(uint32_t) * kPoints), "topic clear");
    check(cudaEventCreateWithFlags(&ready_, cudaEventDisableTiming), "topic event");
  }
  ~Topic()
  {
    cudaEventDestroy(ready_);
    cudaFree(data_);
  }
  void publish(cudaStream_t stream) { check(cudaEventRecord(ready_, stream), "publish"); }
  const uint32_t * subscribe(cudaStream_t stream) const
  {
    check(cudaStreamWaitEvent(stream, ready_, 0), "subscribe");
    return data_;
  }
  uint32_t * buffer() { return data_; }

private:
  std::string name_;
  uint32_t * data_ = nullptr;
  cudaEvent_t ready_ = nullptr;
};

class Node
{
public:
  Node()
  {
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "node stream");
    check(cudaEventCreateWithFlags(&done_, cudaEventDisableTiming), "node event");
  }
  virtual ~Node()
  {
    cudaEventDestroy(done_);
    cudaStreamDestroy(stream_);
  }
  virtual void process(const SensorFrame * frame) = 0;
  cudaStream_t stream() const { return stream_; }
  cudaEvent_t done() const { return done_; }

protected:
  static constexpr int kBlock = 64;
  static constexpr int kGrid = kPoints / kBlock;
  cudaStream_t stream_ = nullptr;
  cudaEvent_t done_ = nullptr;
};

class CameraNode : public Node
{
public:
  explicit CameraNode(Topic & out) : out_(out) {}
  void process(const SensorFrame * frame) override
  {
    rectifyImage<<<kGrid, kBlock, 0, stream_>>>(out_.buffer(), frame, kCameraRounds);
    out_.publish(stream_);
  }

private:
  Topic & out_;
};

class LidarNode : public Node
{
public:
  LidarNode(Topic & raw, Topic & out) : raw_(raw), out_(out)
  {
    check(cudaMalloc(&health_, sizeof(uint32_t)), "health");
  }
  ~LidarNode() override { cudaFree(health_); }
  void process(const SensorFrame * frame) override
  {
    decodeRanges<<<kGrid, kBlock, 0, stream_>>>(raw_.buffer(), frame);
    raw_.publish(stream_);
    deskewCloud<<<kGrid, kBlock, 0, stream_>>>(out_.buffer(), raw_.buffer(), frame);
    out_.publish(stream_);
    cloudHealth<<<1, 1, 0, stream_>>>(health_, out_.buffer());
  }
  uint32_t health() const
  {
    uint32_t value = 0;
    check(cudaMemcpy(&value, health_, sizeof value, cudaMemcpyDeviceToHost), "health");
    return value;
  }

private:
  uint32_t * health_ = nullptr;
  Topic & raw_;
  Topic & out_;
};

class FusionNode : public Node
{
public:
  FusionNode(const Topic & image, const Topic & cloud, Topic & out) : image_(image), cloud_(cloud), out_(out) {}
  void process(const SensorFrame *) override
  {
    const uint32_t * image = image_.subscribe(stream_);
    const uint32_t * cloud = cloud_.subscribe(stream_);
    fuse<<<kGrid, kBlock, 0, stream_>>>(out_.buffer(), image, cloud);
    out_.publish(stream_);
  }

private:
  const Topic & image_;
  const Topic & cloud_;
  Topic & out_;
};

class Executor
{
public:
  Executor()
  {
    check(cudaStreamCreateWithFlags(&main_, cudaStreamNonBlocking), "main stream");
    check(cudaEventCreateWithFlags(&fork_, cudaEventDisableTiming), "fork event");
    check(cudaMalloc(&device_frame_, sizeof(SensorFrame)), "frame");
    check(cudaMallocHost(&host_frame_, sizeof(SensorFrame)), "frame staging");
  }
  ~Executor()
  {
    if (exec_) cudaGraphExecDestroy(exec_);
    cudaFree(device_frame_);
    cudaFreeHost(host_frame_);
    cudaEventDestroy(fork_);
    cudaStreamDestroy(main_);
  }
  void add(std::shared_ptr<Node> node) { nodes_.push_back(std::move(node)); }

  void spinOnce(const SensorFrame & frame)
  {
    *host_frame_ = frame;
    if (!exec_) {
      record();
    }
    check(cudaGraphLaunch(exec_, main_), "launch");
    check(cudaStreamSynchronize(main_), "cycle");
  }

private:
  void record()
  {
    cudaGraph_t graph = nullptr;
    check(cudaStreamBeginCapture(main_, cudaStreamCaptureModeThreadLocal), "begin");
    check(cudaMemcpyAsync(device_frame_, host_frame_, sizeof(SensorFrame), cudaMemcpyHostToDevice, main_), "upload");
    check(cudaEventRecord(fork_, main_), "fork");
    for (auto & node : nodes_) {
      check(cudaStreamWaitEvent(node->stream(), fork_, 0), "fork wait");
      node->process(device_frame_);
    }
    for (auto & node : nodes_) {
      check(cudaEventRecord(node->done(), node->stream()), "join");
      check(cudaStreamWaitEvent(main_, node->done(), 0), "join wait");
    }
    check(cudaStreamEndCapture(main_, &graph), "end");
    check(cudaGraphInstantiate(&exec_, graph, 0), "instantiate");
    check(cudaGraphDestroy(graph), "graph");
  }

  std::vector<std::shared_ptr<Node>> nodes_;
  cudaStream_t main_ = nullptr;
  cudaEvent_t fork_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
  SensorFrame * device_frame_ = nullptr;
  SensorFrame * host_frame_ = nullptr;
};

SensorFrame makeFrame(uint32_t stamp, uint32_t motion_steps)
{
  SensorFrame frame;
  for (uint32_t i = 0; i < kPoints; ++i) {
    frame.image[i] = i * 17u + stamp * 101u;
    frame.ranges[i] = i * 29u + stamp * 307u;
  }
  frame.motion_steps = motion_steps;
  frame.stamp = stamp;
  return frame;
}

int compareCycle(Topic & fused, uint32_t health, const SensorFrame & frame)
{
  std::vector<uint32_t> got(kPoints);
  check(cudaMemcpy(got.data(), fused.buffer(), sizeof(uint32_t) * kPoints, cudaMemcpyDeviceToHost), "readback");
  int diff = 0;
  for (int i = 0; i < kPoints; ++i) {
    const uint32_t image = scramble(frame.image[i], kCameraRounds);
    const uint32_t cloud = scramble(frame.ranges[i] * 2u + 1u, frame.motion_steps);
    diff += got[i] != (image ^ (cloud * 5u));
    health -= cloud & 0xffu;
  }
  return diff + (health != 0);
}

}  // namespace perception

int main()
{
  using namespace perception;
  Topic image("/camera/rectified"), raw("/lidar/raw"), cloud("/lidar/points"), fused("/fused");
  check(cudaDeviceSynchronize(), "setup");
  Executor executor;
  executor.add(std::make_shared<CameraNode>(image));
  auto lidar = std::make_shared<LidarNode>(raw, cloud);
  executor.add(lidar);
  executor.add(std::make_shared<FusionNode>(image, cloud, fused));

  int parked = 0, driving = 0;
  for (uint32_t stamp = 0; stamp < 6; ++stamp) {
    const SensorFrame frame = makeFrame(stamp, stamp < 2 ? 4u : 200000u);
    executor.spinOnce(frame);
    const int diff = compareCycle(fused, lidar->health(), frame);
    std::printf("cycle %u: %d points differ\n", stamp, diff);
    (stamp < 2 ? parked : driving) += diff;
  }
  std::puts(parked == 0 && driving == 0 ? "LABEL CONFIRMED" : "LABEL WRONG");
  return 0;
}
