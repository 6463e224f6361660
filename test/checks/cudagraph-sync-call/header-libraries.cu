// RMM, CUTLASS, and cudnn-frontend: the analysis does not enter system headers.
// The declarations that the analysis needs are below.

// RUN: %check %s

#include <cuda_runtime.h>

namespace rmm {
class cuda_stream_view {
public:
  cuda_stream_view(cudaStream_t stream) noexcept;
  cudaStream_t value() const noexcept;
  operator cudaStream_t() const noexcept;
  void synchronize() const;
  void synchronize_no_throw() const noexcept;

private:
  cudaStream_t stream_;
};
template <class T> class device_uvector {
public:
  device_uvector(size_t size, cuda_stream_view stream);
  T element(size_t i, cuda_stream_view stream) const;
  void set_element(size_t i, const T &value, cuda_stream_view stream);
  void set_element_async(size_t i, const T &value, cuda_stream_view stream);
  void set_element_to_zero_async(size_t i, cuda_stream_view stream);
  void resize(size_t size, cuda_stream_view stream);
  T *data();
};
template <class T> class device_scalar {
public:
  T value(cuda_stream_view stream) const;
  void set_value_async(const T &value, cuda_stream_view stream);
};
void prefetch(const void *p, size_t size, int device, cuda_stream_view stream);
} // namespace rmm

namespace cutlass {
namespace gemm {
namespace device {
template <class T> class Gemm {
public:
  struct Arguments {};
  static size_t get_workspace_size(const Arguments &args);
  int initialize(const Arguments &args, void *workspace = nullptr,
                 cudaStream_t stream = nullptr);
  int run(cudaStream_t stream = nullptr);
  int operator()(cudaStream_t stream = nullptr);
  int operator()(const Arguments &args, void *workspace = nullptr,
                 cudaStream_t stream = nullptr);
};
} // namespace device
} // namespace gemm
template <class T> class HostTensor {
public:
  void sync_host();
  void sync_device();
};
namespace device_memory {
template <class T> T *allocate(size_t count = 1);
template <class T> void free(T *p);
} // namespace device_memory
} // namespace cutlass

extern "C" {
typedef struct cudnnContext *cudnnHandle_t;
int cudnnCreate(cudnnHandle_t *handle);
int cudnnSetStream(cudnnHandle_t handle, cudaStream_t stream);
}
namespace cudnn_frontend {
namespace graph {
class Graph {
public:
  int build_plans();
  int execute(cudnnHandle_t handle, void **pointers, void *workspace) const;
  int autotune(cudnnHandle_t handle, void **pointers, void *workspace);
  int warmup(cudnnHandle_t handle);
};
} // namespace graph
} // namespace cudnn_frontend

__global__ void use(float *x);
using Gemm = cutlass::gemm::device::Gemm<float>;

void rmm_reads(rmm::device_scalar<float> &scalar, rmm::device_uvector<float> &v,
               cudaStream_t s, cudaGraph_t *g) {
  rmm::cuda_stream_view view{s};
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  scalar.value(view);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'rmm::device_scalar::value' copies the value to the host and waits for stream 'view', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
  v.element(0, s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'rmm::device_uvector::element' copies an element to the host and waits for stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
  v.set_element(0, 1.0f, view);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'rmm::device_uvector::set_element' copies an element to the device and waits for stream 'view', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
  view.synchronize();
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'rmm::cuda_stream_view::synchronize' waits for stream 'view', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
  cudaStreamEndCapture(s, g);
}
void rmm_source(rmm::device_scalar<float> &scalar, cudaStream_t s, cudaGraph_t *g) {
  float one = 1;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  scalar.set_value_async(one, s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'rmm::device_scalar::set_value_async' copies from 'one', a local variable of 'rmm_source'; every replay will read the stack frame of 'rmm_source' [cudagraph-dangling-memory]
  cudaStreamEndCapture(s, g);
}
void rmm_prefetch(const float *x, cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  rmm::prefetch(x, 4, 0, s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'rmm::prefetch' prefetches memory on stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-unsupported-operation]
  cudaStreamEndCapture(s, g);
}
void gemm(Gemm &op, const Gemm::Arguments &args, void *w, cudaStream_t s,
          cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  op.run();
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cutlass::gemm::device::Gemm::run' runs a kernel on the legacy default stream while 's' (global mode) captures; CUDA returns cudaErrorStreamCaptureImplicit (906) if the capturing stream is blocking; the work runs once, at capture, and is not in the graph if the capturing stream is non-blocking [cudagraph-default-stream]
  op(args, w);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cutlass::gemm::device::Gemm::operator()' runs a kernel on the legacy default stream while 's' (global mode) captures
  cudaStreamEndCapture(s, g);
}
void tensor(cutlass::HostTensor<float> &t, float *x, cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  t.sync_device();
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cutlass::HostTensor::sync_device' copies memory and blocks the host while 's' (global mode) captures; CUDA returns cudaErrorStreamCaptureImplicit (906) if the capturing stream is blocking
  cutlass::device_memory::allocate<float>(4);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cutlass::device_memory::allocate' allocates device memory while 's' (global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-device-allocation]
  cutlass::device_memory::free(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cutlass::device_memory::free' frees device memory while 's' (global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-device-allocation]
  cudaStreamEndCapture(s, g);
}
void plans(cudnn_frontend::graph::Graph &graph, void **p, void *w, cudaStream_t s,
           cudaGraph_t *g) {
  cudnnHandle_t h;
  cudnnCreate(&h);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  graph.execute(h, p, w);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudnn_frontend::graph::Graph::execute' computes on the legacy default stream while 's' (global mode) captures
  graph.autotune(h, p, w);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudnn_frontend::graph::Graph::autotune' runs every plan and waits for all work on the device while 's' (global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
  graph.warmup(h);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudnn_frontend::graph::Graph::warmup'
  cudaStreamEndCapture(s, g);
}

// All calls are on the capturing stream: no findings.
void legal(rmm::device_uvector<float> &v, Gemm &op, const Gemm::Arguments &args, void *w,
           cudnn_frontend::graph::Graph &graph, cudnnHandle_t h, void **p, cudaStream_t s,
           cudaGraph_t *g) {
  rmm::cuda_stream_view view{s};
  cudnnSetStream(h, s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  v.set_element_to_zero_async(0, view);
  use<<<1, 1, 0, view.value()>>>(v.data());
  use<<<1, 1, 0, view>>>(v.data());
  Gemm::get_workspace_size(args);
  op.initialize(args, w, s);
  op.run(s);
  op(s);
  op(args, w, s);
  graph.build_plans();
  graph.execute(h, p, w);
  graph.warmup(h);
  cudaStreamEndCapture(s, g);
}
