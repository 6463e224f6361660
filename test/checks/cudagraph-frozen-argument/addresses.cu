// RUN: %check %s cudagraph-frozen-argument
//
// An address is computed from numbers: an offset in a buffer or an element. A
// node retains the address. New launch arguments and constant values have no
// findings.

#include <cuda_runtime.h>

__global__ void fill(float *in, float *row);

// The copy writes to the location of the head at the time of the capture.
class Head {
public:
  size_t offset() const { return static_cast<size_t>(slot_) * 64; }
  void advance() { slot_ = (slot_ + 1) % 8; }

private:
  int slot_ = 0;
};

class Tape {
public:
  Tape() {
    cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking);
    cudaMalloc(&in_, 64 * sizeof(float));
    cudaMalloc(&tape_, 512 * sizeof(float));
  }
  void prepare() {
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal);
    cudaMemcpyAsync(tape_ + head_.offset(), in_, 256, cudaMemcpyDeviceToDevice,
                    stream_);
    // CHECK-MESSAGES: :[[@LINE-2]]:5: warning: the address 'tape_ + head_.offset()' of 'cudaMemcpyAsync' is computed from host state that changes between replays; replays will use the value from the capture [cudagraph-frozen-argument]
    fill<<<1, 64, 0, stream_>>>(in_, &tape_[row_ * 64]);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: the address 'tape_[row_ * 64]' of kernel 'fill' is set by 'Tape::select' while the graph exists; every replay will use the value from the capture [cudagraph-frozen-argument]
    fill<<<1, 64, 0, stream_>>>(in_, tape_ + base_ * 64);
    cudaStreamEndCapture(stream_, &graph);
    cudaGraphInstantiate(&exec_, graph, 0);
  }
  void select(int row) { row_ = row; }
  void base(int row) { base_ = row; }
  void block() {
    cudaGraphLaunch(exec_, stream_);
    head_.advance();
  }

private:
  Head head_;
  int row_ = 0, base_ = 0;
  float *in_ = nullptr, *tape_ = nullptr;
  cudaStream_t stream_;
  cudaGraphExec_t exec_ = nullptr;
};

// The node receives the current location before each launch.
class Cued {
public:
  Cued() {
    cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking);
    cudaMalloc(&in_, 64 * sizeof(float));
    cudaMalloc(&tape_, 512 * sizeof(float));
  }
  void prepare() {
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal);
    cudaMemcpyAsync(tape_ + head_.offset(), in_, 256, cudaMemcpyDeviceToDevice,
                    stream_);
    cudaStreamEndCapture(stream_, &graph_);
    cudaGraphInstantiate(&exec_, graph_, 0);
    size_t one = 1;
    cudaGraphGetNodes(graph_, &node_, &one);
  }
  void block() {
    cudaGraphExecMemcpyNodeSetParams1D(exec_, node_, tape_ + head_.offset(),
                                       in_, 256, cudaMemcpyDeviceToDevice);
    cudaGraphLaunch(exec_, stream_);
    head_.advance();
  }

private:
  Head head_;
  float *in_ = nullptr, *tape_ = nullptr;
  cudaStream_t stream_;
  cudaGraph_t graph_ = nullptr;
  cudaGraphNode_t node_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
};

// One graph per row: the launched graph has the address of its row.
class Rows {
public:
  Rows() {
    cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking);
    cudaMalloc(&tape_, 512 * sizeof(float));
  }
  void prepare() {
    for (int i = 0; i < 8; ++i) {
      cudaGraph_t graph;
      cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal);
      fill<<<1, 64, 0, stream_>>>(tape_, tape_ + i * 64);
      cudaStreamEndCapture(stream_, &graph);
      cudaGraphInstantiate(&exec_[i], graph, 0);
    }
  }
  void block() {
    cudaGraphLaunch(exec_[row_], stream_);
    row_ = (row_ + 1) % 8;
  }

private:
  int row_ = 0;
  float *tape_ = nullptr;
  cudaStream_t stream_;
  cudaGraphExec_t exec_[8];
};

int main() {
  Tape tape;
  tape.base(3);
  tape.prepare();
  Cued cued;
  cued.prepare();
  Rows rows;
  rows.prepare();
  for (int i = 0; i < 5; ++i) {
    tape.select(i);
    tape.block();
    cued.block();
    rows.block();
  }
}
