// An option names captured code whose capture begins elsewhere.

// RUN: %check %s cudagraph-sync-call --roots=stream-param
// RUN: %check %s cudagraph-sync-call '--roots=function:^engine::' --suffix=FUNCTION
// RUN: %check %s cudagraph-sync-call --suffix=NONE

__global__ void kernel(float *x);

namespace engine {
// The stream's kind and the mode are unknown: both outcomes are reported.
void enqueue(float *x, const float *h, size_t n, cudaStream_t stream) {
  kernel<<<1, 32, 0, stream>>>(x);
  cudaStreamSynchronize(stream);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamSynchronize' waits for stream 'stream', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode
  // CHECK-MESSAGES-FUNCTION: :[[@LINE-2]]:3: warning: 'cudaStreamSynchronize' waits for stream 'stream'
  cudaMemcpy(x, h, n, cudaMemcpyHostToDevice);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemcpy' {{.*}}(906) if the capturing stream is blocking; {{.*}}not in the graph if the capturing stream is non-blocking
  // CHECK-MESSAGES-FUNCTION: :[[@LINE-2]]:3: warning: 'cudaMemcpy' {{.*}}(906) if the capturing stream is blocking
}

void no_stream() {
  cudaDeviceSynchronize();
  // CHECK-MESSAGES-FUNCTION: :[[@LINE-1]]:3: warning: 'cudaDeviceSynchronize' waits for all work on the device {{.*}}(900) in every capture mode
}

// Guarded: no findings.
void polite(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  cudaStreamIsCapturing(stream, &status);
  if (status == cudaStreamCaptureStatusNone)
    cudaStreamSynchronize(stream);
}
} // namespace engine

// Internal functions are not entry points, but are reached.
static void internal(cudaStream_t stream) {
  cudaStreamQuery(stream);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamQuery' queries stream 'stream', which is capturing
}
static void unused_internal(cudaStream_t stream) { cudaStreamSynchronize(stream); }

void external(cudaStream_t stream) { internal(stream); }
