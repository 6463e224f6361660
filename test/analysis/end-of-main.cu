// At the end of main(), nothing can launch a graph in an object that the program has
// created, even if the program also calls functions without source.

// RUN: %check %s cudagraph-dangling-memory
// RUN: %check %s cudagraph-dangling-memory --real-std

#include <memory>
#include <vector>

__global__ void kernel(float *x);
void report(int code);

struct Recording {
  cudaGraphExec_t exec = nullptr;
  ~Recording() { cudaGraphExecDestroy(exec); }
};

class Service {
public:
  Service() {
    cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking);
    if (cudaMalloc(&data_, 4096) != cudaSuccess)
      report(1);
  }
  ~Service() { cudaFree(data_); }
  std::shared_ptr<Recording> session() {
    auto recording = std::make_shared<Recording>();
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal);
    kernel<<<1, 32, 0, stream_>>>(data_);
    cudaStreamEndCapture(stream_, &graph);
    cudaGraphInstantiate(&recording->exec, graph, 0);
    all_.push_back(recording);
    return recording;
  }

private:
  std::vector<std::shared_ptr<Recording>> all_;
  cudaStream_t stream_;
  float *data_ = nullptr;
};

struct Late {
  ~Late() { cudaFree(data); }
  void record(cudaStream_t s, Recording &to) {
    cudaGraph_t graph;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    kernel<<<1, 32, 0, s>>>(data);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: kernel 'kernel' uses 'data', which 'Late::~Late' frees
    cudaStreamEndCapture(s, &graph);
    cudaGraphInstantiate(&to.exec, graph, 0);
  }
  float *data = nullptr;
};

int main() {
  cudaStream_t s;
  cudaStreamCreate(&s);
  Service service;
  auto kept = service.session();
  cudaGraphLaunch(kept->exec, s);

  auto longer = std::make_shared<Recording>();
  {
    Late late;
    if (cudaMalloc(&late.data, 4096) != cudaSuccess)
      report(2);
    late.record(s, *longer);
    cudaGraphLaunch(longer->exec, s);
  }
  cudaGraphLaunch(longer->exec, s);
  cudaStreamSynchronize(s);
}
