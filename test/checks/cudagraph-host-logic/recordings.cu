// State that a capture stores with its graph, or resets, is part of the
// recording; counters for other purposes are not.

// RUN: %check %s cudagraph-host-logic --real-std

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

__global__ void fill(float *x);

struct Lease {
  float *data = nullptr;
  Lease() { cudaMalloc(&data, 4); }
  Lease(Lease &&other) : data(std::exchange(other.data, nullptr)) {}
  ~Lease() { cudaFree(data); }
};
class Counters {
public:
  void add(const std::string &name, long n) {
    values_[name] += n;
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'values_' changes during the capture of 's_' (non-blocking, thread-local mode)
  }
  long value(const std::string &name) const {
    auto it = values_.find(name);
    return it == values_.end() ? 0 : it->second;
  }

private:
  std::map<std::string, long> values_;
};

class Engine {
public:
  explicit Engine(std::shared_ptr<Counters> counters) : counters_(std::move(counters)) {
    cudaStreamCreateWithFlags(&s_, cudaStreamNonBlocking);
  }
  void run() {
    auto it = graphs_.find(mode_);
    if (it == graphs_.end())
      it = graphs_.emplace(mode_, record()).first;
    cudaGraphLaunch(it->second, s_);
  }
  // Legal: the graphs no longer exist.
  void quicken() {
    quick_ = true;
    graphs_.clear();
  }
  size_t stages() const { return stages_.size(); }
  const std::vector<int> &order() const { return order_; }

private:
  cudaGraphExec_t record() {
    cudaGraph_t g;
    cudaGraphExec_t exec;
    stages_.clear();
    cudaStreamBeginCapture(s_, cudaStreamCaptureModeThreadLocal);
    // Legal: the lease lives as long as the graph.
    Lease lease;
    fill<<<1, 1, 0, s_>>>(lease.data);
    kept_.push_back(std::move(lease));
    // Legal: a record of the captured stages.
    stages_.push_back("fill");
    if (!quick_)
      fill<<<1, 1, 0, s_>>>(nullptr);
    order_.push_back(1);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'std::vector::push_back' changes the container on which it is called
    counters_->add("fill", 1);
    cudaStreamEndCapture(s_, &g);
    cudaGraphInstantiate(&exec, g, 0);
    return exec;
  }
  std::shared_ptr<Counters> counters_;
  std::map<int, cudaGraphExec_t> graphs_;
  int mode_ = 0;
  bool quick_ = false;
  std::vector<Lease> kept_;
  std::vector<std::string> stages_;
  std::vector<int> order_;
  cudaStream_t s_;
};
int main() {
  auto counters = std::make_shared<Counters>();
  Engine engine(counters);
  engine.run();
  engine.run();
  engine.quicken();
  engine.run();
  return counters->value("fill") != 3 || engine.stages() != 1 || engine.order().size() != 3;
}
