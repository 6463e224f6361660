// Intraday revaluation of a trading book. The pricing pass is recorded once and replayed per tick.
#include <cuda_runtime.h>
#include <cstdio>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace desk {

struct Error {
  cudaError_t code;
  std::string where;
};

template <class T>
class Result {
 public:
  Result(T v) : v_(std::move(v)) {}
  Result(Error e) : v_(std::move(e)) {}
  explicit operator bool() const { return v_.index() == 0; }
  const T& operator*() const { return std::get<0>(v_); }
  const Error& error() const { return std::get<1>(v_); }

 private:
  std::variant<T, Error> v_;
};

#define DESK_TRY(expr) \
  do { cudaError_t rc_ = (expr); if (rc_ != cudaSuccess) return ::desk::Error{rc_, #expr}; } while (0)

__global__ void discount(const float* notional, float* pv, int n, const float* rate) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) pv[i] = notional[i] * (1.0f - *rate);
}

__global__ void aggregate(const float* pv, float* total, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(total, pv[i]);
}

class Book {
 public:
  explicit Book(int capacity) : capacity_(capacity) {
    cudaMalloc(&notional_, capacity * sizeof(float));
    cudaMalloc(&pv_, capacity * sizeof(float));
    cudaMemset(notional_, 0, capacity * sizeof(float));
    cudaMemset(pv_, 0, capacity * sizeof(float));
  }
  ~Book() { cudaFree(notional_); cudaFree(pv_); }
  void add(float amount, int copies) {
    std::vector<float> rows(copies, amount);
    cudaMemcpy(notional_ + size_, rows.data(), copies * sizeof(float), cudaMemcpyHostToDevice);
    cudaDeviceSynchronize();
    size_ += copies;
  }
  int size() const { return size_; }
  int capacity() const { return capacity_; }
  float* notional() const { return notional_; }
  float* pv() const { return pv_; }

 private:
  float *notional_ = nullptr, *pv_ = nullptr;
  int capacity_, size_ = 0;
};

struct IRateListener {
  virtual ~IRateListener() = default;
  virtual void onRate(float rate) = 0;
};

class ConfigHub {
 public:
  void subscribe(IRateListener* l) { listeners_.push_back(l); }
  void publish(float rate) { for (auto* l : listeners_) l->onRate(rate); }

 private:
  std::vector<IRateListener*> listeners_;
};

struct Audit { int revaluations = 0; };

class Revaluer : public IRateListener {
 public:
  Revaluer(Book& book, Audit& audit) : book_(book), audit_(audit) {
    cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking);
    cudaMalloc(&total_, sizeof(float));
    cudaMalloc(&deviceRate_, sizeof(float));
  }
  ~Revaluer() override {
    cudaGraphExecDestroy(exec_);
    cudaFree(total_);
    cudaFree(deviceRate_);
    cudaStreamDestroy(stream_);
  }
  void onRate(float rate) override {
    cudaMemcpyAsync(deviceRate_, &rate, sizeof(float), cudaMemcpyHostToDevice, stream_);
    cudaStreamSynchronize(stream_);
  }

  Result<float> revalue() {
    if (!exec_ || recordedRows_ != book_.size()) {
      auto made = record();
      if (!made) return made.error();
    }
    DESK_TRY(cudaGraphLaunch(exec_, stream_));
    ++audit_.revaluations;
    float total = 0;
    DESK_TRY(cudaMemcpyAsync(&total, total_, sizeof total, cudaMemcpyDeviceToHost, stream_));
    DESK_TRY(cudaStreamSynchronize(stream_));
    return total;
  }

 private:
  Result<bool> record() {
    if (exec_) DESK_TRY(cudaGraphExecDestroy(std::exchange(exec_, nullptr)));
    DESK_TRY(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    enqueue();
    cudaGraph_t graph = nullptr;
    DESK_TRY(cudaStreamEndCapture(stream_, &graph));
    cudaError_t rc = cudaGraphInstantiate(&exec_, graph, 0);
    cudaGraphDestroy(graph);
    DESK_TRY(rc);
    recordedRows_ = book_.size();
    return true;
  }
  void enqueue() {
    const int all = book_.capacity(), rows = book_.size();
    cudaMemsetAsync(total_, 0, sizeof(float), stream_);
    discount<<<(all + 127) / 128, 128, 0, stream_>>>(book_.notional(), book_.pv(), all, deviceRate_);
    aggregate<<<(rows + 127) / 128, 128, 0, stream_>>>(book_.pv(), total_, rows);
  }
  Book& book_;
  Audit& audit_;
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
  float* total_ = nullptr;
  float* deviceRate_ = nullptr;
  int recordedRows_ = -1;
};
}  // namespace desk
int main() {
  desk::Book book(512);
  desk::Audit audit;
  desk::Revaluer revaluer(book, audit);
  desk::ConfigHub hub;
  hub.subscribe(&revaluer);
  hub.publish(0.25f);
  book.add(100.0f, 100);
  auto first = revaluer.revalue();
  hub.publish(0.5f);
  auto second = revaluer.revalue();
  book.add(100.0f, 156);
  auto third = revaluer.revalue();
  if (!first || !second || !third) { std::printf("LABEL REFUTED api error\n"); return 0; }
  bool hit = *first == 7500.0f && *second == 5000.0f && *third == 12800.0f && audit.revaluations == 3;
  if (hit) std::printf("LABEL CONFIRMED\n");
  else std::printf("LABEL REFUTED totals %g %g %g audit %d\n", *first, *second, *third, audit.revaluations);
  return 0;
}
