// The program's own records of its captures guard calls: lists, sets, and
// atomic flags. If the value of a record is not known, nothing is reported.
// Changing a record during a capture is intentional.

// RUN: %check %s --real-std

#include <atomic>
#include <set>
#include <vector>
__global__ void k(float *x);
struct Manager {
  struct Entry {
    cudaStream_t s;
    int id;
  };
  std::vector<Entry> captures;
  std::set<cudaStream_t> active;
  std::atomic<bool> busy{false};
  int steps = 0;
  cudaGraph_t g;

  void begin(cudaStream_t s) {
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    captures.push_back({s, 1});
    active.insert(s);
    busy = true;
  }
  void end(cudaStream_t s) {
    cudaStreamEndCapture(s, &g);
    captures.pop_back();
    active.erase(s);
    busy = false;
  }
  Entry *current() { return captures.empty() ? nullptr : &captures.back(); }

  void wait_if_empty(cudaStream_t s) {
    if (captures.empty())
      cudaStreamSynchronize(s);
  }
  void wait_if_none(cudaStream_t s) {
    if (current() != nullptr)
      return;
    cudaStreamSynchronize(s);
  }
  void wait_if_absent(cudaStream_t s) {
    if (active.find(s) != active.end())
      return;
    cudaStreamSynchronize(s);
  }
  void wait_if_idle(cudaStream_t s) {
    if (busy.load())
      return;
    cudaStreamSynchronize(s);
  }
  void wait_if_even(cudaStream_t s) {
    if (steps % 2)
      return;
    cudaStreamSynchronize(s);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamSynchronize' waits for stream 's', which is capturing
  }
  void run(cudaStream_t s, float *x) {
    begin(s);
    k<<<1, 1, 0, s>>>(x);
    wait_if_empty(s);
    wait_if_none(s);
    wait_if_absent(s);
    wait_if_idle(s);
    wait_if_even(s);
    end(s);
    wait_if_empty(s);
  }
  // After the guard, no condition protects the call.
  void bad(cudaStream_t s, float *x) {
    begin(s);
    wait_if_empty(s);
    cudaStreamSynchronize(s);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamSynchronize' waits for stream 's', which is capturing
    end(s);
  }
};
