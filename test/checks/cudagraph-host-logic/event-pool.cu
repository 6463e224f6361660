// A pool lends and reclaims events: its list is not state of the captured work.

// RUN: %check %s cudagraph-host-logic,cudagraph-stream-dependency --real-std

#include <vector>

__global__ void k(float *x);
struct EventPool {
  std::vector<cudaEvent_t> free;
  cudaEvent_t get() {
    if (free.empty()) {
      cudaEvent_t e;
      cudaEventCreateWithFlags(&e, cudaEventDisableTiming);
      return e;
    }
    cudaEvent_t e = free.back();
    free.pop_back();
    return e;
  }
  void put(cudaEvent_t e) { free.push_back(e); }
};
struct Lanes {
  EventPool pool;
  cudaStream_t main, side;
  float *x;
  std::vector<int> order;
  void fork() {
    cudaEvent_t e = pool.get();
    cudaEventRecord(e, main);
    cudaStreamWaitEvent(side, e, 0);
    pool.put(e);
  }
  void join() {
    cudaEvent_t e = pool.get();
    cudaEventRecord(e, side);
    cudaStreamWaitEvent(main, e, 0);
    pool.put(e);
  }
  void joined(cudaGraph_t *g) {
    cudaStreamBeginCapture(main, cudaStreamCaptureModeGlobal);
    fork();
    k<<<1, 1, 0, side>>>(x);
    join();
    cudaStreamEndCapture(main, g);
  }
  void works_on(cudaGraph_t *g) {
    cudaStreamBeginCapture(main, cudaStreamCaptureModeGlobal);
    fork();
    k<<<1, 1, 0, side>>>(x);
    join();
    k<<<1, 1, 0, side>>>(x);
    order.push_back(1);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'std::vector::push_back' changes the container on which it is called during the capture of 'main'
    cudaStreamEndCapture(main, g);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamEndCapture' ends the capture of 'main' with unjoined work on stream 'side'
  }
};
