// RUN: %check %s cudagraph-capture-scope --real-std
// A stage that is not allowed returns an error that a function creates from a
// text: the macro then leaves the capture open.
#include <memory>
#include <string>
#include <utility>
#include <vector>

class Status {
public:
  static Status ok() { return Status(); }
  static Status error(std::string message) { return Status(std::move(message)); }
  static Status of(cudaError_t error, const char *what) {
    return error == cudaSuccess ? ok()
                                : Status::error(std::string(what) + " failed");
  }
  bool isOk() const { return message.empty(); }

private:
  Status() = default;
  explicit Status(std::string given) : message(std::move(given)) {}
  std::string message;
};

#define RETURN_IF_ERROR(E)                                                     \
  do {                                                                         \
    Status status_ = (E);                                                      \
    if (!status_.isOk())                                                       \
      return status_;                                                          \
  } while (0)

__global__ void scale(float *data, float gain);

class Stage {
public:
  virtual ~Stage() = default;
  virtual Status enqueue(float *data, cudaStream_t stream) = 0;
};

class Gain : public Stage {
public:
  explicit Gain(float gain) : gain(gain) {}
  Status enqueue(float *data, cudaStream_t stream) override {
    scale<<<1, 64, 0, stream>>>(data, gain);
    return Status::of(cudaGetLastError(), "gain");
  }

private:
  const float gain;
};

class Limit : public Stage {
public:
  explicit Limit(float width) : width(width) {}
  Status enqueue(float *data, cudaStream_t stream) override {
    if (width <= 0)
      return Status::error("the limit is not licensed");
    scale<<<1, 64, 0, stream>>>(data, width);
    return Status::of(cudaGetLastError(), "limit");
  }

private:
  const float width;
};

Status capture(const std::vector<std::unique_ptr<Stage>> &stages, float *data,
               cudaStream_t stream, cudaGraph_t *graph) {
  if (cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal))
    return Status::error("begin");
  for (const auto &stage : stages) {
    RETURN_IF_ERROR(stage->enqueue(data, stream));
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: this return leaves 'stream' (global mode) capturing; later waits for it return cudaErrorStreamCaptureUnsupported (900) [cudagraph-capture-scope]
  }
  return Status::of(cudaStreamEndCapture(stream, graph), "end");
}

// All stages are examined after the capture has ended.
Status captureAll(const std::vector<std::unique_ptr<Stage>> &stages,
                  float *data, cudaStream_t stream, cudaGraph_t *graph) {
  if (cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal))
    return Status::error("begin");
  Status first = Status::ok();
  for (const auto &stage : stages) {
    Status status = stage->enqueue(data, stream);
    if (!status.isOk() && first.isOk())
      first = status;
  }
  Status ended = Status::of(cudaStreamEndCapture(stream, graph), "end");
  return first.isOk() ? ended : first;
}
