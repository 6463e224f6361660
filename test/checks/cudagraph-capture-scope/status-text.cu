// A status that is a string: a function that creates one from its own text
// fails independently of CUDA; one that converts CUDA's status does not.

// RUN: %check %s cudagraph-capture-scope

#include <memory>
#include <string>
#include <vector>

__global__ void work(float *x);

class Status {
public:
  Status() = default;
  explicit Status(std::string text) : text_(std::move(text)) {}
  static Status from(cudaError_t e) {
    return e == cudaSuccess ? Status() : Status(cudaGetErrorString(e));
  }
  bool ok() const { return text_.empty(); }

private:
  std::string text_;
};

#define RETURN_IF_ERROR(x)                                                     \
  do {                                                                         \
    Status status_ = (x);                                                      \
    if (!status_.ok())                                                         \
      return status_;                                                          \
  } while (0)

struct Stage {
  virtual ~Stage() = default;
  virtual Status enqueue(float *x, int n, cudaStream_t s) const = 0;
};
struct Smooth : Stage {
  Status enqueue(float *x, int n, cudaStream_t s) const override {
    if (n % 2 == 0)
      return Status("the window has to be odd");
    work<<<n, 32, 0, s>>>(x);
    return Status::from(cudaGetLastError());
  }
};

class Left {
public:
  Status record(float *x, int n) {
    cudaGraph_t graph = nullptr;
    RETURN_IF_ERROR(Status::from(cudaStreamBeginCapture(s_, cudaStreamCaptureModeThreadLocal)));
    for (const auto &stage : stages_)
      RETURN_IF_ERROR(stage->enqueue(x, n, s_));
    // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: this return leaves 's_' (thread-local mode) capturing; later waits for it return cudaErrorStreamCaptureUnsupported (900) [cudagraph-capture-scope]
    RETURN_IF_ERROR(Status::from(cudaStreamEndCapture(s_, &graph)));
    return {};
  }

private:
  cudaStream_t s_;
  std::vector<std::unique_ptr<Stage>> stages_;
};

// The capture ends, regardless of what the stages return.
class Ended {
public:
  Status record(float *x, int n) {
    cudaGraph_t graph = nullptr;
    RETURN_IF_ERROR(Status::from(cudaStreamBeginCapture(s_, cudaStreamCaptureModeThreadLocal)));
    Status body = enqueueAll(x, n);
    Status end = Status::from(cudaStreamEndCapture(s_, &graph));
    RETURN_IF_ERROR(body);
    return end;
  }

private:
  Status enqueueAll(float *x, int n) {
    for (const auto &stage : stages_)
      RETURN_IF_ERROR(stage->enqueue(x, n, s_));
    return {};
  }
  cudaStream_t s_;
  std::vector<std::unique_ptr<Stage>> stages_;
};
