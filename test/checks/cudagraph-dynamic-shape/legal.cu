// Sizes that a capture may retain. No check reports a finding.

// RUN: %check %s
// RUN: %if gxx %{ %check %s --real-std %}

#include <algorithm>
#include <vector>

__global__ void kernel(float *x, int n);
__global__ void bounded(float *x, const int *n);

// Arguments and constants; constructor arguments stored in members.
class Model {
public:
  Model(int batch, int hidden) : batch_(batch), hidden_(hidden) {}
  void capture(float *x, int n) {
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal);
    kernel<<<batch_, hidden_, 0, stream_>>>(x, n);
    kernel<<<(n + 255) / 256, 256, 0, stream_>>>(x, n);
    kernel<<<dim3(batch_, 2), dim3(32, 4), hidden_ * sizeof(float), stream_>>>(x, n);
    cudaMemsetAsync(x, 0, batch_ * hidden_ * sizeof(float), stream_);
    cudaStreamEndCapture(stream_, &graph);
  }
  void set_batch(int batch) { batch_ = batch; }

private:
  cudaStream_t stream_;
  int batch_, hidden_;
};

// The size stays on the device.
void on_device(float *x, int *n) {
  cudaStream_t s;
  cudaGraph_t graph;
  cudaStreamCreate(&s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  bounded<<<1024, 256, 0, s>>>(x, n);
  cudaStreamEndCapture(s, &graph);
}

// A size is read back and used outside the capture.
void outside(float *x, int *count) {
  cudaStream_t s;
  cudaGraph_t graph;
  int n;
  cudaStreamCreate(&s);
  cudaMemcpy(&n, count, sizeof(int), cudaMemcpyDeviceToHost);
  kernel<<<n, 256, 0, s>>>(x, n);
  n = 1024;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  kernel<<<n, 256, 0, s>>>(x, n);
  cudaStreamEndCapture(s, &graph);
}

// Loop counters, offsets, vectors of sizes, device properties, and occupancy.
void computed(float *x, const std::vector<int> &sizes) {
  cudaStream_t s;
  cudaGraph_t graph;
  int device, sms, grid, block;
  cudaStreamCreate(&s);
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
  cudaOccupancyMaxPotentialBlockSize(&grid, &block, kernel);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  int offset = 0;
  for (int n : sizes) {
    kernel<<<(n + 31) / 32, 32, 0, s>>>(x + offset, n);
    offset += n;
  }
  for (int stride = 1; stride < 1024; stride *= 2)
    kernel<<<stride, 32, 0, s>>>(x, stride);
  kernel<<<sms * 4, 128, 0, s>>>(x, 1);
  kernel<<<grid, block, 0, s>>>(x, 1);
  int blocks = 64;
  blocks /= 2;
  kernel<<<std::min(blocks, sms), 128, 0, s>>>(x, 1);
  kernel<<<(int)sizes.size(), 128, 0, s>>>(x, 1);
  cudaStreamEndCapture(s, &graph);
}

// A new size causes a new capture: there is one graph for each size.
struct Bucket {
  int size;
  cudaGraphExec_t exec;
};
class Cache {
public:
  cudaGraphExec_t get(int n, float *x) {
    for (auto &b : buckets_)
      if (b.size == n)
        return b.exec;
    cudaGraph_t graph;
    Bucket b{n, nullptr};
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal);
    kernel<<<b.size, 128, 0, stream_>>>(x, b.size);
    cudaStreamEndCapture(stream_, &graph);
    cudaGraphInstantiate(&b.exec, graph, 0);
    buckets_.push_back(b);
    return b.exec;
  }

private:
  cudaStream_t stream_;
  std::vector<Bucket> buckets_;
};

// The destination of a captured copy is a value of the graph.
void copied_back(float *x, float *h) {
  cudaStream_t s;
  cudaGraph_t graph;
  cudaStreamCreate(&s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  kernel<<<16, 128, 0, s>>>(x, 1);
  cudaMemcpyAsync(h, x, 64, cudaMemcpyDeviceToHost, s);
  cudaStreamEndCapture(s, &graph);
}
