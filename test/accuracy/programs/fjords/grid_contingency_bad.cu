// N-1 contingency screening of a transmission grid.
//
// For every outage k the flow on line l becomes  f[l] + lodf[l][k] * f[k];  the screening counts the lines that would
// exceed their emergency rating.  Optionally the import corridor is checked against its transfer capability.
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace scada {

enum class Status { Ok, NoSuchProvider, CaptureFailed, LaunchFailed, InvalidInput };

constexpr int kLines = 96;

#define SCADA_TRY(expr, failure)                                                        \
  do {                                                                                  \
    cudaError_t e_ = (expr);                                                            \
    if (e_ != cudaSuccess) {                                                            \
      std::fprintf(stderr, "%s: %s\n", #expr, cudaGetErrorString(e_));                  \
      return failure;                                                                   \
    }                                                                                   \
  } while (0)

// ------------------------------------------------------------------------------------------------- injected components
class IOperatingLimits {
 public:
  virtual ~IOperatingLimits() = default;
  virtual float emergencyFactor() const = 0;
};

class SeasonalLimits final : public IOperatingLimits {
 public:
  SeasonalLimits() : season_("summer") { table_ = {{"summer", 1.00f}, {"shoulder", 1.10f}, {"winter", 1.30f}}; }
  bool select(const std::string& season) {
    if (!table_.count(season)) return false;
    season_ = season;
    return true;
  }
  float emergencyFactor() const override { return table_.at(season_); }

 private:
  std::unordered_map<std::string, float> table_;
  std::string season_;
};

class INetworkModel {
 public:
  virtual ~INetworkModel() = default;
  virtual const std::vector<float>& outageFactors() const = 0;
  virtual const std::vector<float>& ratings() const = 0;
  virtual bool corridorMonitored() const = 0;
};

class PlanningCase final : public INetworkModel {
 public:
  PlanningCase() : lodf_(kLines * kLines), rating_(kLines) {
    for (int l = 0; l < kLines; ++l) {
      rating_[l] = 100.0f + static_cast<float>((l * 7) % 40);
      for (int k = 0; k < kLines; ++k) lodf_[l * kLines + k] = l == k ? -1.0f : 0.0625f * ((l * 5 + k * 3) % 9);
    }
  }
  const std::vector<float>& outageFactors() const override { return lodf_; }
  const std::vector<float>& ratings() const override { return rating_; }
  bool corridorMonitored() const override { return corridor_; }
  void monitorCorridor(bool on) { corridor_ = on; }

 private:
  std::vector<float> lodf_, rating_;
  bool corridor_ = false;
};

class ComponentRegistry {
 public:
  using Maker = std::function<std::shared_ptr<void>()>;
  template <class T> void provide(const std::string& name) {
    makers_[name] = [] { return std::static_pointer_cast<void>(std::make_shared<T>()); };
  }
  template <class T> std::shared_ptr<T> resolve(const std::string& name) {
    auto hit = live_.find(name);
    if (hit == live_.end()) {
      auto maker = makers_.find(name);
      if (maker == makers_.end()) return nullptr;
      hit = live_.emplace(name, maker->second()).first;
    }
    return std::static_pointer_cast<T>(hit->second);
  }

 private:
  std::unordered_map<std::string, Maker> makers_;
  std::unordered_map<std::string, std::shared_ptr<void>> live_;
};

// -------------------------------------------------------------------------------------------------------------- kernels
__global__ void screenOutages(const float* flow, const float* lodf, const float* rating, float factor, int* violations) {
  const int k = blockIdx.x;
  for (int l = threadIdx.x; l < kLines; l += blockDim.x) {
    const float post = flow[l] + lodf[l * kLines + k] * flow[k];
    if (fabsf(post) > rating[l] * factor) atomicAdd(&violations[k], 1);
  }
}

__global__ void checkCorridor(const float* flow, int first, int last, float capability, int* flag) {
  float sum = 0.0f;
  for (int l = first; l < last; ++l) sum += flow[l];
  *flag = sum > capability ? 1 : 0;
}

// --------------------------------------------------------------------------------------------------------------- engine
class ScreeningEngine {
 public:
  static constexpr int kFirstTie = 8, kLastTie = 12;
  static constexpr float kCapability = 150.0f;

  ScreeningEngine(std::shared_ptr<IOperatingLimits> limits, std::shared_ptr<INetworkModel> network)
      : limits_(std::move(limits)), network_(std::move(network)) {}
  ~ScreeningEngine() {
    if (exec_) cudaGraphExecDestroy(exec_);
    cudaFree(flow_); cudaFree(lodf_); cudaFree(rating_); cudaFree(result_);
    cudaFreeHost(hostFlow_); cudaFreeHost(hostResult_);
    if (stream_) cudaStreamDestroy(stream_);
  }

  Status start() {
    SCADA_TRY(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), Status::LaunchFailed);
    SCADA_TRY(cudaMalloc(&flow_, kLines * sizeof(float)), Status::LaunchFailed);
    SCADA_TRY(cudaMalloc(&lodf_, kLines * kLines * sizeof(float)), Status::LaunchFailed);
    SCADA_TRY(cudaMalloc(&rating_, kLines * sizeof(float)), Status::LaunchFailed);
    SCADA_TRY(cudaMalloc(&result_, (kLines + 1) * sizeof(int)), Status::LaunchFailed);
    SCADA_TRY(cudaMallocHost(&hostFlow_, kLines * sizeof(float)), Status::LaunchFailed);
    SCADA_TRY(cudaMallocHost(&hostResult_, (kLines + 1) * sizeof(int)), Status::LaunchFailed);
    SCADA_TRY(cudaMemcpy(lodf_, network_->outageFactors().data(), kLines * kLines * sizeof(float),
                         cudaMemcpyHostToDevice), Status::LaunchFailed);
    SCADA_TRY(cudaMemcpy(rating_, network_->ratings().data(), kLines * sizeof(float), cudaMemcpyHostToDevice),
              Status::LaunchFailed);
    SCADA_TRY(cudaDeviceSynchronize(), Status::LaunchFailed);
    cudaGraph_t graph = nullptr;
    Status s = record(&graph);
    if (s != Status::Ok) return s;
    cudaError_t e = cudaGraphInstantiate(&exec_, graph, 0);
    cudaGraphDestroy(graph);
    return e == cudaSuccess ? Status::Ok : Status::CaptureFailed;
  }

  // Called by the model manager after the network model was edited.
  Status refresh() {
    cudaGraph_t graph = nullptr;
    Status s = record(&graph);
    if (s != Status::Ok) return s;
    cudaGraphExecUpdateResultInfo info{};
    cudaGraphExecUpdate(exec_, graph, &info);  // HAZARD ignored
    cudaGraphDestroy(graph);
    ++revision_;
    return Status::Ok;
  }

  Status screen(const std::vector<float>& flow, std::vector<int>* violations, bool* corridorAlarm) {
    if (flow.size() != kLines) return Status::InvalidInput;
    std::copy(flow.begin(), flow.end(), hostFlow_);
    SCADA_TRY(cudaGraphLaunch(exec_, stream_), Status::LaunchFailed);
    SCADA_TRY(cudaStreamSynchronize(stream_), Status::LaunchFailed);
    violations->assign(hostResult_, hostResult_ + kLines);
    *corridorAlarm = hostResult_[kLines] != 0;
    return Status::Ok;
  }

  int revision() const { return revision_; }

 private:
  Status record(cudaGraph_t* graph) {
    SCADA_TRY(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), Status::CaptureFailed);
    cudaMemcpyAsync(flow_, hostFlow_, kLines * sizeof(float), cudaMemcpyHostToDevice, stream_);
    cudaMemsetAsync(result_, 0, (kLines + 1) * sizeof(int), stream_);
    screenOutages<<<kLines, 32, 0, stream_>>>(flow_, lodf_, rating_, limits_->emergencyFactor(), result_);  // HAZARD frozen
    if (network_->corridorMonitored())
      checkCorridor<<<1, 1, 0, stream_>>>(flow_, kFirstTie, kLastTie, kCapability, result_ + kLines);
    cudaMemcpyAsync(hostResult_, result_, (kLines + 1) * sizeof(int), cudaMemcpyDeviceToHost, stream_);
    SCADA_TRY(cudaStreamEndCapture(stream_, graph), Status::CaptureFailed);
    return Status::Ok;
  }

  std::shared_ptr<IOperatingLimits> limits_;
  std::shared_ptr<INetworkModel> network_;
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
  float *flow_ = nullptr, *lodf_ = nullptr, *rating_ = nullptr, *hostFlow_ = nullptr;
  int *result_ = nullptr, *hostResult_ = nullptr;
  int revision_ = 0;
};

std::vector<int> screenOnHost(const INetworkModel& net, const std::vector<float>& flow, float factor) {
  std::vector<int> v(kLines, 0);
  for (int k = 0; k < kLines; ++k)
    for (int l = 0; l < kLines; ++l)
      v[k] += std::fabs(flow[l] + net.outageFactors()[l * kLines + k] * flow[k]) > net.ratings()[l] * factor;
  return v;
}

}  // namespace scada

int main() {
  using namespace scada;
  ComponentRegistry registry;
  registry.provide<SeasonalLimits>("limits.seasonal");
  registry.provide<PlanningCase>("network.planning");
  auto limits = registry.resolve<SeasonalLimits>("limits.seasonal");
  auto network = registry.resolve<PlanningCase>("network.planning");
  ScreeningEngine engine(limits, network);
  if (engine.start() != Status::Ok) { std::printf("LABEL WRONG\n"); return 1; }

  std::vector<float> flow(kLines);
  for (int l = 0; l < kLines; ++l) flow[l] = 60.0f + static_cast<float>((l * 13) % 48);
  const auto summer = screenOnHost(*network, flow, 1.00f), winter = screenOnHost(*network, flow, 1.30f);

  std::vector<int> first, second, third;
  bool alarm = false, ok = true;
  ok &= engine.screen(flow, &first, &alarm) == Status::Ok && !alarm;
  ok &= limits->select("winter") && engine.screen(flow, &second, &alarm) == Status::Ok;
  const bool seasonKept = first == summer && second == summer && summer != winter;

  network->monitorCorridor(true);
  ok &= engine.refresh() == Status::Ok && engine.revision() == 1;
  ok &= engine.screen(flow, &third, &alarm) == Status::Ok;
  const bool corridorMissing = !alarm;  // the ties carry more than 150 MW

  std::printf("calls ok %d, season kept %d, corridor missing %d\n", ok, seasonKept, corridorMissing);
  const bool shown = ok && seasonKept && corridorMissing;
  std::printf(shown ? "LABEL CONFIRMED\n" : "LABEL WRONG\n");
  return shown ? 0 : 1;
}
