// The driver skips the bodies of library functions, and the plugin does not;
// both report the same findings. User templates are instantiated through
// templates of the standard library, which therefore keep their bodies.

// RUN: %check %s --real-std

#include <functional>
#include <memory>
#include <vector>

struct Backend {
  virtual ~Backend() {}
  virtual void run(cudaStream_t s) = 0;
};

template <class T> struct Synchronising : Backend {
  void run(cudaStream_t s) override {
    cudaStreamSynchronize(s);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamSynchronize' waits for stream 's'
  }
};

template <class T> struct Scratch {
  T *data;
  Scratch() {
    cudaMalloc((void **)&data, sizeof(T));
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaMalloc' allocates device memory
  }
};

template <class T> struct Quiet {
  T *data;
  Quiet() : data(nullptr) {}
};

void region(cudaStream_t s, cudaGraph_t *graph, std::vector<int> values) {
  std::unique_ptr<Backend> backend = std::make_unique<Synchronising<int>>();
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  auto quiet = std::make_unique<Quiet<int>>();
  auto scratch = std::make_unique<Scratch<int>>();
  for (int value : values)
    backend->run(s);
  cudaStreamEndCapture(s, graph);
}
