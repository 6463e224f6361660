//===- RollupPipeline.cu - Device rollups for the ingest tier ------------===//
//
// Batches of latency samples are folded into per-endpoint rollups. The stages
// are built by a factory from the service configuration and are recorded into
// one executable graph per pipeline.
//
//===----------------------------------------------------------------------===//

#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace telemetry {

static void check(cudaError_t Err, const char *What) {
  if (Err != cudaSuccess)
    throw std::runtime_error(std::string(What) + ": " + cudaGetErrorName(Err));
}

struct RollupConfig {
  unsigned NumEndpoints = 512;
  unsigned BatchSize = 2048;
  unsigned DecayPeriod = 4;
  float DecayFactor = 0.5f;
};

__global__ void foldSamples(const float *Samples, float *Rollup,
                            unsigned NumEndpoints, unsigned BatchSize) {
  unsigned Endpoint = blockIdx.x * blockDim.x + threadIdx.x;
  if (Endpoint >= NumEndpoints)
    return;
  float Sum = 0.0f;
  for (unsigned I = Endpoint; I < BatchSize; I += NumEndpoints)
    Sum += Samples[I];
  Rollup[Endpoint] += Sum;
}

__global__ void decayRollup(float *Rollup, unsigned NumEndpoints,
                            float Factor) {
  unsigned Endpoint = blockIdx.x * blockDim.x + threadIdx.x;
  if (Endpoint < NumEndpoints)
    Rollup[Endpoint] *= Factor;
}

/// Sink of the service's own health counters.
class MetricSink {
public:
  virtual ~MetricSink() = default;
  virtual void add(const std::string &Name, uint64_t Delta) = 0;
};

class InMemorySink final : public MetricSink {
public:
  void add(const std::string &Name, uint64_t Delta) override {
    Counters[Name] += Delta;
  }
  uint64_t get(const std::string &Name) const {
    auto It = Counters.find(Name);
    return It == Counters.end() ? 0 : It->second;
  }

private:
  std::map<std::string, uint64_t> Counters;
};

/// Device and pinned memory of a pipeline.
class BatchBuffers {
public:
  explicit BatchBuffers(const RollupConfig &Cfg) {
    check(cudaMallocHost(&Staging, Cfg.BatchSize * sizeof(float)), "staging");
    check(cudaMalloc(&Samples, Cfg.BatchSize * sizeof(float)), "samples");
    check(cudaMalloc(&Rollup, Cfg.NumEndpoints * sizeof(float)), "rollup");
    check(cudaMemset(Rollup, 0, Cfg.NumEndpoints * sizeof(float)), "memset");
    check(cudaDeviceSynchronize(), "init");
  }
  ~BatchBuffers() {
    cudaFreeHost(Staging);
    cudaFree(Samples);
    cudaFree(Rollup);
  }
  BatchBuffers(const BatchBuffers &) = delete;
  BatchBuffers &operator=(const BatchBuffers &) = delete;

  float *Staging = nullptr;
  float *Samples = nullptr;
  float *Rollup = nullptr;
};

class Stage {
public:
  virtual ~Stage() = default;
  virtual void enqueue(BatchBuffers &Buffers, cudaStream_t Stream) = 0;
};

class UploadStage final : public Stage {
public:
  explicit UploadStage(const RollupConfig &Cfg) : Cfg(Cfg) {}
  void enqueue(BatchBuffers &Buffers, cudaStream_t Stream) override {
    check(cudaMemcpyAsync(Buffers.Samples, Buffers.Staging,
                          Cfg.BatchSize * sizeof(float),
                          cudaMemcpyHostToDevice, Stream),
          "upload");
  }

private:
  const RollupConfig &Cfg;
};

class FoldStage final : public Stage {
public:
  FoldStage(const RollupConfig &Cfg, MetricSink &Sink) : Cfg(Cfg), Sink(Sink) {}
  void enqueue(BatchBuffers &Buffers, cudaStream_t Stream) override {
    foldSamples<<<(Cfg.NumEndpoints + 127) / 128, 128, 0, Stream>>>(
        Buffers.Samples, Buffers.Rollup, Cfg.NumEndpoints, Cfg.BatchSize);
    check(cudaGetLastError(), "fold");
    Sink.add("rollup.samples", Cfg.BatchSize); // HAZARD host_logic #audit
  }

private:
  const RollupConfig &Cfg;
  MetricSink &Sink;
};

class DecayStage final : public Stage {
public:
  explicit DecayStage(const RollupConfig &Cfg) : Cfg(Cfg) {}
  void enqueue(BatchBuffers &Buffers, cudaStream_t Stream) override {
    if (++BatchesSeen % Cfg.DecayPeriod != 0) // HAZARD host_logic #decay
      return;
    decayRollup<<<(Cfg.NumEndpoints + 127) / 128, 128, 0, Stream>>>(
        Buffers.Rollup, Cfg.NumEndpoints, Cfg.DecayFactor);
    check(cudaGetLastError(), "decay");
  }

private:
  const RollupConfig &Cfg;
  uint64_t BatchesSeen = 0;
};

/// Creates stages by name, so that deployments can reorder them.
class StageFactory {
public:
  StageFactory(const RollupConfig &Cfg, MetricSink &Sink) {
    Makers["upload"] = [&Cfg] { return std::make_unique<UploadStage>(Cfg); };
    Makers["fold"] = [&Cfg, &Sink] {
      return std::make_unique<FoldStage>(Cfg, Sink);
    };
    Makers["decay"] = [&Cfg] { return std::make_unique<DecayStage>(Cfg); };
  }
  std::unique_ptr<Stage> create(const std::string &Name) const {
    return Makers.at(Name)();
  }

private:
  std::map<std::string, std::function<std::unique_ptr<Stage>()>> Makers;
};

class RollupPipeline {
public:
  RollupPipeline(const RollupConfig &Cfg, const StageFactory &Factory,
                 const std::vector<std::string> &Names, MetricSink &Sink)
      : Cfg(Cfg), Sink(Sink), Buffers(Cfg) {
    for (const std::string &Name : Names)
      Stages.push_back(Factory.create(Name));
    check(cudaStreamCreateWithFlags(&Stream, cudaStreamNonBlocking), "stream");
  }
  ~RollupPipeline() {
    if (Exec)
      cudaGraphExecDestroy(Exec);
    cudaStreamDestroy(Stream);
  }

  void submit(const std::vector<float> &Batch) {
    std::copy(Batch.begin(), Batch.end(), Buffers.Staging);
    if (!Exec)
      record();
    check(cudaGraphLaunch(Exec, Stream), "launch");
    check(cudaStreamSynchronize(Stream), "sync");
  }

  std::vector<float> snapshot() const {
    std::vector<float> Out(Cfg.NumEndpoints);
    check(cudaMemcpy(Out.data(), Buffers.Rollup, Out.size() * sizeof(float),
                     cudaMemcpyDeviceToHost),
          "snapshot");
    return Out;
  }

private:
  void record() {
    cudaGraph_t Graph = nullptr;
    check(cudaStreamBeginCapture(Stream, cudaStreamCaptureModeThreadLocal),
          "begin");
    for (const auto &S : Stages)
      S->enqueue(Buffers, Stream);
    check(cudaStreamEndCapture(Stream, &Graph), "end");
    check(cudaGraphInstantiate(&Exec, Graph, 0), "instantiate");
    check(cudaGraphDestroy(Graph), "destroy");
    Sink.add("rollup.recordings", 1);
  }

  const RollupConfig &Cfg;
  MetricSink &Sink;
  BatchBuffers Buffers;
  std::vector<std::unique_ptr<Stage>> Stages;
  cudaStream_t Stream = nullptr;
  cudaGraphExec_t Exec = nullptr;
};

} // namespace telemetry

using namespace telemetry;

static int run() {
  RollupConfig Cfg;
  InMemorySink Sink;
  StageFactory Factory(Cfg, Sink);
  RollupPipeline Pipeline(Cfg, Factory, {"upload", "fold", "decay"}, Sink);

  std::vector<float> Expected(Cfg.NumEndpoints, 0.0f);
  std::vector<bool> Match;
  std::vector<bool> Counted;
  for (unsigned Seq = 1; Seq <= 9; ++Seq) {
    std::vector<float> Batch(Cfg.BatchSize);
    for (unsigned I = 0; I < Cfg.BatchSize; ++I)
      Batch[I] = static_cast<float>((I * 7 + Seq * 13) % 64);
    Pipeline.submit(Batch);

    for (unsigned I = 0; I < Cfg.BatchSize; ++I)
      Expected[I % Cfg.NumEndpoints] += Batch[I];
    if (Seq % Cfg.DecayPeriod == 0)
      for (float &E : Expected)
        E *= Cfg.DecayFactor;

    std::vector<float> Got = Pipeline.snapshot();
    bool Same = true;
    for (unsigned E = 0; E < Cfg.NumEndpoints; ++E)
      Same &= std::fabs(Got[E] - Expected[E]) < 1e-2f;
    Match.push_back(Same);
    Counted.push_back(Sink.get("rollup.samples") ==
                      uint64_t(Seq) * Cfg.BatchSize);
    std::printf("batch %u: rollup %s, audit %s\n", Seq, Same ? "ok" : "off",
                Counted.back() ? "ok" : "off");
  }

  bool First = Match[0] && Match[1] && Match[2] && Counted[0];
  bool Confirmed = First && !Match[3] && !Match[8] && !Counted[1] &&
                   !Counted[8] && Sink.get("rollup.recordings") == 1;
  std::printf("%s\n", Confirmed ? "LABEL CONFIRMED" : "LABEL WRONG");
  return Confirmed ? 0 : 1;
}

int main() {
  try {
    return run();
  } catch (const std::exception &E) {
    std::printf("error: %s\nLABEL WRONG\n", E.what());
    return 1;
  }
}
