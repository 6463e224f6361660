// Typed scalars read back from the device.

// RUN: %check %s cudagraph-dynamic-shape

template <typename T> __global__ void fill(T *x, int n);

template <typename T> T read_back(const T *device) {
  T value;
  cudaMemcpy(&value, device, sizeof(T), cudaMemcpyDeviceToHost);
  return value;
}

template <typename T> class DeviceScalar {
public:
  T value(cudaStream_t s) const {
    T v;
    cudaMemcpyAsync(&v, p_, sizeof(T), cudaMemcpyDeviceToHost, s);
    cudaStreamSynchronize(s);
    return v;
  }

private:
  T *p_;
};

template <typename T, int Block> void launch(T *x, int n, cudaStream_t s) {
  fill<T><<<(n + Block - 1) / Block, Block, 0, s>>>(x, n);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: the grid of kernel 'fill' is computed from a value read back from the device; replays keep the value from the capture [cudagraph-dynamic-shape]
}

template <typename T, int Block> void launch_fixed(T *x, int n, cudaStream_t s) {
  fill<T><<<(n + Block - 1) / Block, Block, Block * sizeof(T), s>>>(x, n);
}

void capture(float *x, double *y, const int *count, const DeviceScalar<int> &size) {
  cudaStream_t s;
  cudaGraph_t graph;
  cudaStreamCreate(&s);
  int n = read_back(count);
  int m = size.value(s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  launch<float, 128>(x, n, s);
  launch_fixed<double, 256>(y, 1 << 20, s);
  fill<double><<<m, 64, 0, s>>>(y, m);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: the grid of kernel 'fill' is computed from a value read back from the device; replays keep the value from the capture [cudagraph-dynamic-shape]
  cudaStreamEndCapture(s, &graph);
}
