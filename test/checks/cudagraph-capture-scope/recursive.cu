// RUN: %check %s cudagraph-capture-scope --real-std
// A group may contain a group. The return of an inner group without items does
// not leave the capture of the outer group open: the outer call ends it.
#include <memory>
#include <vector>

__global__ void work(float *data);

class Item {
public:
  virtual ~Item() = default;
  virtual void run(cudaStream_t stream, bool graph) = 0;
};

class Kernel : public Item {
public:
  void run(cudaStream_t stream, bool) override {
    work<<<1, 64, 0, stream>>>(data);
  }

private:
  float *data = nullptr;
};

class Group : public Item {
public:
  void run(cudaStream_t stream, bool graph) override {
    if (items.empty())
      return;
    if (graph && !exec)
      cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: 'cudaStreamBeginCapture' begins a capture on stream 'stream', which is capturing; CUDA returns cudaErrorIllegalState (401) in every capture mode, and the capture continues [cudagraph-capture-scope]
    if (!graph || !exec)
      for (auto &item : items)
        item->run(stream, graph);
    if (!graph)
      return;
    if (!exec) {
      cudaGraph_t captured = nullptr;
      cudaStreamEndCapture(stream, &captured);
      cudaGraphInstantiate(&exec, captured, 0);
      cudaGraphDestroy(captured);
    }
    cudaGraphLaunch(exec, stream);
  }

private:
  std::vector<std::unique_ptr<Item>> items;
  cudaGraphExec_t exec = nullptr;
};

void replay(Group &group, cudaStream_t stream) {
  group.run(stream, true);
  group.run(stream, true);
}
