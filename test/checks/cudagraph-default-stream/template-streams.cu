// A template drops its stream, which can be seen without an instantiation.

// RUN: %check %s cudagraph-default-stream --roots=stream-param

__global__ void k(float *x);
template <typename T> __global__ void work(T *x);

template <typename Kernel, bool Serial> class Multiply {
public:
  struct Arguments {
    int slices;
    typename Kernel::Scalar *x;
  };
  size_t bytes(const Arguments &args) { return args.slices; }

  int initialize(const Arguments &args, void *workspace,
                 cudaStream_t stream = nullptr) {
    if (Serial) {
      if (args.slices > 1)
        cudaMemsetAsync(workspace, 0, bytes(args), stream);
        // CHECK-MESSAGES: :[[@LINE-1]]:9: warning: 'cudaMemsetAsync' sets memory on the legacy default stream while 'stream' captures
    }
    return 0;
  }
  int run(cudaStream_t stream = nullptr) {
    work<<<1, 1, 0, stream>>>(this);
    return 0;
  }
  int operator()(const Arguments &args, void *workspace,
                 cudaStream_t stream = nullptr) {
    int status = initialize(args, workspace);
    if (status == 0)
      status = run(stream);
    return status;
  }
  // Null is explicit, but incorrect.
  int launch(const Arguments &args, cudaStream_t stream) {
    return fill(args, nullptr);
  }
  int fill(const Arguments &args, cudaStream_t stream) {
    work<<<1, 1, 0, stream>>>(args.x);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: {{.*}} is launched on the legacy default stream while 'stream' captures
    return 0;
  }
};

// The same, but the stream is passed on.
template <typename Kernel> class Forwards {
public:
  struct Arguments {
    int slices;
  };
  size_t bytes(const Arguments &args) { return args.slices; }

  int initialize(const Arguments &args, void *workspace,
                 cudaStream_t stream = nullptr) {
    if (args.slices > 1)
      cudaMemsetAsync(workspace, 0, bytes(args), stream);
    return 0;
  }
  // No stream is available.
  int operator()(const Arguments &args, void *workspace) {
    return initialize(args, workspace);
  }
  int operator()(const Arguments &args, void *workspace, cudaStream_t stream) {
    return initialize(args, workspace, stream);
  }
};

// The callee only stores the stream, or has a default that is not null.
cudaStream_t current();
template <typename Kernel> class Stores {
public:
  void store(Kernel value, cudaStream_t stream = nullptr) { kept = stream; }
  void zero(Kernel *value, cudaStream_t stream = current()) {
    cudaMemsetAsync(value, 0, sizeof(Kernel), stream);
  }
  void run(Kernel *value, cudaStream_t stream) {
    store(*value);
    zero(value);
    work<<<1, 1, 0, stream>>>(value);
  }
  cudaStream_t kept;
};

// A template that queries whether the stream is capturing.
template <typename Kernel> class Asks {
public:
  void zero(Kernel *value, cudaStream_t stream = nullptr) {
    cudaMemsetAsync(value, 0, sizeof(Kernel), stream);
  }
  void run(Kernel *value, cudaStream_t stream) {
    cudaStreamCaptureStatus status;
    cudaStreamIsCapturing(stream, &status);
    if (status == cudaStreamCaptureStatusNone)
      zero(value);
  }
};

// Several overloads: which of them is called depends on the arguments.
template <typename Kernel> class Overloaded {
public:
  void zero(Kernel *value, cudaStream_t stream = nullptr) {
    cudaMemsetAsync(value, 0, sizeof(Kernel), stream);
  }
  void zero(Kernel value, cudaStream_t stream = nullptr) {}
  void run(Kernel *value, cudaStream_t stream) { zero(*value); }
};
