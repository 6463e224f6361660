// FX forward pricing service: market data behind an interface, service behind a pimpl, ticks through a bus.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace desk {

void throwOnError(cudaError_t status, const char* where) {
  if (status != cudaSuccess) throw std::runtime_error(std::string(where) + " failed: " + cudaGetErrorString(status));
}

struct Tick {
  enum class Kind { Spot, Rate } kind;
  double value;
};

class TickBus {
 public:
  using Handler = std::function<void(const Tick&)>;
  void subscribe(Handler handler) { handlers_.push_back(std::move(handler)); }
  void publish(const Tick& tick) const {
    for (const Handler& handler : handlers_) handler(tick);
  }

 private:
  std::vector<Handler> handlers_;
};

class IMarketData {
 public:
  virtual ~IMarketData() = default;
  virtual double spot() const = 0;
  virtual double rateDifferential() const = 0;
};

class LiveMarketData final : public IMarketData {
 public:
  LiveMarketData(TickBus& bus, double spot, double rate) : spot_(spot), rate_(rate) {
    bus.subscribe([this](const Tick& t) { (t.kind == Tick::Kind::Spot ? spot_ : rate_) = t.value; });
  }
  double spot() const override { return spot_; }
  double rateDifferential() const override { return override_.value_or(rate_); }

 private:
  double spot_;
  double rate_;
  std::optional<double> override_;
};

__global__ void forwardKernel(const double* tenor, double* price, int n, const double* spot, double rate) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) price[i] = *spot * exp(rate * tenor[i]);
}

class ForwardPricer {
 public:
  ForwardPricer(std::shared_ptr<const IMarketData> market, TickBus& bus, std::vector<double> tenors);
  ~ForwardPricer();
  std::vector<double> price();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

struct StreamCloser { void operator()(cudaStream_t s) const { cudaStreamDestroy(s); } };
struct GraphCloser { void operator()(cudaGraph_t g) const { cudaGraphDestroy(g); } };
struct ExecCloser { void operator()(cudaGraphExec_t x) const { cudaGraphExecDestroy(x); } };
using StreamPtr = std::unique_ptr<std::remove_pointer_t<cudaStream_t>, StreamCloser>;
using GraphPtr = std::unique_ptr<std::remove_pointer_t<cudaGraph_t>, GraphCloser>;
using ExecPtr = std::unique_ptr<std::remove_pointer_t<cudaGraphExec_t>, ExecCloser>;

struct DeviceFree { void operator()(double* p) const { cudaFree(p); } };
using DoubleBuffer = std::unique_ptr<double, DeviceFree>;

DoubleBuffer makeDoubles(std::size_t n) {
  double* raw = nullptr;
  throwOnError(cudaMalloc(&raw, n * sizeof(double)), "cudaMalloc");
  return DoubleBuffer(raw);
}

struct ForwardPricer::Impl {
  std::shared_ptr<const IMarketData> market;
  int count;
  StreamPtr stream;
  DoubleBuffer tenor, value, spot;
  ExecPtr exec;

  void onTick(const Tick& tick) {
    if (tick.kind == Tick::Kind::Spot) uploadSpot(tick.value);
    if (tick.kind == Tick::Kind::Rate) exec.reset();
  }

  void uploadSpot(double v) {
    throwOnError(cudaMemcpyAsync(spot.get(), &v, sizeof v, cudaMemcpyHostToDevice, stream.get()), "upload spot");
  }

  cudaError_t enqueue() const noexcept {
    forwardKernel<<<(count + 127) / 128, 128, 0, stream.get()>>>(tenor.get(), value.get(), count, spot.get(),
                                                                 market->rateDifferential());
    return cudaGetLastError();
  }

  void ensureGraph() {
    if (exec) return;
    throwOnError(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal), "begin capture");
    const cudaError_t launched = enqueue();
    cudaGraph_t rawGraph = nullptr;
    const cudaError_t ended = cudaStreamEndCapture(stream.get(), &rawGraph);
    GraphPtr graph(rawGraph);
    throwOnError(launched, "enqueue");
    throwOnError(ended, "end capture");
    cudaGraphExec_t rawExec = nullptr;
    throwOnError(cudaGraphInstantiate(&rawExec, graph.get(), 0), "instantiate");
    exec.reset(rawExec);
  }
};

ForwardPricer::ForwardPricer(std::shared_ptr<const IMarketData> market, TickBus& bus, std::vector<double> tenors)
    : impl_(std::make_unique<Impl>()) {
  impl_->market = std::move(market);
  impl_->count = static_cast<int>(tenors.size());
  cudaStream_t raw = nullptr;
  throwOnError(cudaStreamCreateWithFlags(&raw, cudaStreamNonBlocking), "stream");
  impl_->stream.reset(raw);
  impl_->tenor = makeDoubles(tenors.size());
  impl_->value = makeDoubles(tenors.size());
  impl_->spot = makeDoubles(1);
  throwOnError(cudaMemcpyAsync(impl_->tenor.get(), tenors.data(), tenors.size() * sizeof(double),
                               cudaMemcpyHostToDevice, raw), "upload tenors");
  impl_->uploadSpot(impl_->market->spot());
  bus.subscribe([impl = impl_.get()](const Tick& tick) { impl->onTick(tick); });
}

ForwardPricer::~ForwardPricer() = default;

std::vector<double> ForwardPricer::price() {
  impl_->ensureGraph();
  std::vector<double> result(impl_->count);
  throwOnError(cudaGraphLaunch(impl_->exec.get(), impl_->stream.get()), "graph launch");
  throwOnError(cudaMemcpyAsync(result.data(), impl_->value.get(), result.size() * sizeof(double),
                               cudaMemcpyDeviceToHost, impl_->stream.get()), "download");
  throwOnError(cudaStreamSynchronize(impl_->stream.get()), "synchronize");
  return result;
}

}  // namespace desk

int main() {
  using namespace desk;
  bool right = true;
  try {
    TickBus bus;
    auto market = std::make_shared<LiveMarketData>(bus, 1.10, 0.02);
    const std::vector<double> tenors = {0.25, 0.5, 1.0, 2.0, 5.0};
    ForwardPricer pricer(market, bus, tenors);
    const auto verify = [&](double spot, double rate) {
      const std::vector<double> got = pricer.price();
      for (std::size_t i = 0; i < got.size(); ++i)
        right = right && std::fabs(got[i] - spot * std::exp(rate * tenors[i])) < 1e-9;
    };
    verify(1.10, 0.02);
    bus.publish({Tick::Kind::Spot, 1.12});
    verify(1.12, 0.02);
    bus.publish({Tick::Kind::Rate, 0.035});
    verify(1.12, 0.035);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    std::puts("LABEL REFUTED");
    return 0;
  }
  std::puts(right ? "LABEL CONFIRMED" : "LABEL REFUTED");
  return 0;
}
