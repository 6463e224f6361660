// One loop uses the elements of a container by number, and another loop
// visits all of them.

// RUN: %check %s cudagraph-stream-dependency --real-std

#include <cuda_runtime.h>
#include <vector>

__global__ void k(float *p);

struct Lane {
  cudaStream_t stream;
  cudaEvent_t done;
  float *p;
};

class Lanes {
public:
  void joinedByWaits(cudaGraph_t *g) {
    begin();
    for (size_t i = 0; i < lanes.size(); ++i) {
      cudaStreamWaitEvent(lanes[i].stream, start, 0);
      k<<<1, 1, 0, lanes[i].stream>>>(lanes[i].p);
      cudaEventRecord(lanes[i].done, lanes[i].stream);
    }
    for (Lane &l : lanes)
      cudaStreamWaitEvent(origin, l.done, 0);
    cudaStreamEndCapture(origin, g);
  }

  void joinedByRecords(cudaGraph_t *g) {
    begin();
    for (size_t i = 0; i < lanes.size(); ++i) {
      cudaStreamWaitEvent(lanes[i].stream, start, 0);
      k<<<1, 1, 0, lanes[i].stream>>>(lanes[i].p);
    }
    for (Lane &l : lanes) {
      cudaEventRecord(l.done, l.stream);
      cudaStreamWaitEvent(origin, l.done, 0);
    }
    cudaStreamEndCapture(origin, g);
  }

  void joinedByOneEvent(cudaGraph_t *g) {
    begin();
    for (int i = 0; i < count; ++i) {
      cudaStreamWaitEvent(streams[i], start, 0);
      k<<<1, 1, 0, streams[i]>>>(nullptr);
    }
    for (cudaStream_t s : streams) {
      cudaEventRecord(last, s);
      cudaStreamWaitEvent(origin, last, 0);
    }
    cudaStreamEndCapture(origin, g);
  }

  // The first element is left out.
  void allButOne(cudaGraph_t *g) {
    begin();
    for (size_t i = 0; i < lanes.size(); ++i) {
      cudaStreamWaitEvent(lanes[i].stream, start, 0);
      k<<<1, 1, 0, lanes[i].stream>>>(lanes[i].p);
      cudaEventRecord(lanes[i].done, lanes[i].stream);
    }
    for (size_t i = 1; i < lanes.size(); ++i)
      cudaStreamWaitEvent(origin, lanes[i].done, 0);
    cudaStreamEndCapture(origin, g);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamEndCapture' ends the capture of 'origin' with unjoined work on stream 'lanes[i].stream'
  }

  // Work follows the records.
  void early(cudaGraph_t *g) {
    begin();
    for (size_t i = 0; i < lanes.size(); ++i) {
      cudaStreamWaitEvent(lanes[i].stream, start, 0);
      cudaEventRecord(lanes[i].done, lanes[i].stream);
    }
    for (Lane &l : lanes)
      k<<<1, 1, 0, l.stream>>>(l.p);
    for (Lane &l : lanes)
      cudaStreamWaitEvent(origin, l.done, 0);
    cudaStreamEndCapture(origin, g);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamEndCapture' ends the capture of 'origin' with unjoined work on stream 'l.stream'
  }

private:
  void begin() {
    cudaStreamBeginCapture(origin, cudaStreamCaptureModeGlobal);
    cudaEventRecord(start, origin);
  }

  cudaStream_t origin;
  cudaEvent_t start, last;
  std::vector<Lane> lanes;
  std::vector<cudaStream_t> streams;
  int count;
};
