// A thread that loads the data for a capture runs only at capture, like the
// code that records it. Other work of a thread is missing from the replays.

// RUN: %check %s cudagraph-host-logic --real-std --confidence=possible

#include <thread>
#include <vector>

__global__ void kernel(const float *w);

static void load(float *to, const float *from, cudaStream_t copy) {
  cudaMemcpyAsync(to, from, 4096, cudaMemcpyHostToDevice, copy);
  cudaStreamSynchronize(copy);
}

class Loader {
public:
  Loader(float *to, const float *from, cudaStream_t copy)
      : thread_([=] { load(to, from, copy); }) {}
  ~Loader() { thread_.join(); }

private:
  std::thread thread_;
};

void record(cudaStream_t s, cudaStream_t copy, float *w, const float *host) {
  cudaGraph_t graph;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
  {
    Loader loader(w, host, copy);
    kernel<<<1, 32, 0, s>>>(w);
  }
  std::thread t(load, w, host, copy);
  kernel<<<1, 32, 0, s>>>(w);
  t.join();
  cudaStreamEndCapture(s, &graph);
}

static void average(std::vector<float> &values) {
  for (float &v : values)
    v /= 2;
}

void host_work(cudaStream_t s, float *w, std::vector<float> &values) {
  cudaGraph_t graph;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
  std::thread t([&] { average(values); });
  // CHECK-MESSAGES: :[[@LINE-1]]:15: warning: 'std::thread::thread' starts a thread during the capture of 's' (thread-local mode); the thread is used once, at capture, and not on replay
  kernel<<<1, 32, 0, s>>>(w);
  t.join();
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'std::thread::join' waits for a thread during the capture of 's' (thread-local mode); the thread is used once, at capture, and not on replay
  cudaStreamEndCapture(s, &graph);
}
