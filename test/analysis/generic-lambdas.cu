// RUN: %check %s cudagraph-sync-call
//
// A library may call each instance of a generic lambda that it receives.

#include <cuda_runtime.h>
#include <variant>

struct Waits {
  void run(cudaStream_t s) {
    cudaStreamSynchronize(s);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamSynchronize' waits for stream 's', which is capturing
  }
};
struct Drains {
  void run(cudaStream_t) {
    cudaDeviceSynchronize();
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaDeviceSynchronize'
  }
};
struct Silent {
  void run(cudaStream_t) {}
};

void alternatives(std::variant<Waits, Drains> &v, cudaStream_t s) {
  cudaGraph_t g;
  if (cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal))
    return;
  std::visit([&](auto &each) { each.run(s); }, v);
  if (cudaStreamEndCapture(s, &g))
    return;
}

// Legal: a call that names its instance calls only that instance.
struct Later {
  void run(cudaStream_t s) { cudaStreamSynchronize(s); }
};
void named(Silent &silent, Later &later, cudaStream_t s) {
  auto run = [&](auto &each) { each.run(s); };
  cudaGraph_t g;
  if (cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal))
    return;
  run(silent);
  if (cudaStreamEndCapture(s, &g))
    return;
  run(later);
}
