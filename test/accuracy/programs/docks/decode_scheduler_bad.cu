// Batched decode: paged KV cache, graph cache keyed by batch size, split fallback when a bucket
// can't be served in one go.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace rt {

enum class Code { kOk, kOutOfBlocks, kInvalidArgument, kCuda };

class Status {
public:
  Status() = default;
  Status(Code C, std::string Msg) : C(C), Msg(std::move(Msg)) {}
  bool ok() const { return C == Code::kOk; }
  Code code() const { return C; }
  const std::string &message() const { return Msg; }

private:
  Code C = Code::kOk;
  std::string Msg;
};

inline Status fromCuda(cudaError_t E) {
  return E == cudaSuccess ? Status() : Status(Code::kCuda, cudaGetErrorName(E));
}

#define RETURN_IF_ERROR(Expr)                                                  \
  do {                                                                         \
    ::rt::Status S_ = (Expr);                                                  \
    if (!S_.ok())                                                              \
      return S_;                                                               \
  } while (0)

#define RETURN_IF_CUDA(Expr) RETURN_IF_ERROR(::rt::fromCuda(Expr))

constexpr int MaxSeqs = 16;
constexpr int HeadDim = 64;
constexpr int NumLayers = 3;

__global__ void appendKv(uint32_t *Cache, const uint32_t *Hidden, const int *Seqs, int Layer) {
  const int Seq = Seqs[blockIdx.x];
  Cache[(Layer * MaxSeqs + Seq) * HeadDim + threadIdx.x] += Hidden[Seq * HeadDim + threadIdx.x];
}

__global__ void attend(uint32_t *Hidden, const uint32_t *Cache, const int *Seqs, int Layer) {
  const int Seq = Seqs[blockIdx.x];
  const uint32_t K = Cache[(Layer * MaxSeqs + Seq) * HeadDim + threadIdx.x];
  Hidden[Seq * HeadDim + threadIdx.x] = Hidden[Seq * HeadDim + threadIdx.x] * 3u + K + Layer;
}

// Sequence-to-slot mappings live in a device table with one row per (batch, first) pair.
class KvCache {
public:
  Status init(int MaxRowsPerStep) {
    MaxRows = MaxRowsPerStep;
    RETURN_IF_CUDA(cudaMalloc(&Data, sizeof(uint32_t) * NumLayers * MaxSeqs * HeadDim));
    RETURN_IF_CUDA(cudaMemset(Data, 0, sizeof(uint32_t) * NumLayers * MaxSeqs * HeadDim));
    RETURN_IF_CUDA(cudaMalloc(&SeqIds, sizeof(int) * MaxSeqs));
    int Identity[MaxSeqs];
    for (int I = 0; I < MaxSeqs; ++I)
      Identity[I] = I;
    RETURN_IF_CUDA(cudaMemcpy(SeqIds, Identity, sizeof(Identity), cudaMemcpyHostToDevice));
    return fromCuda(cudaDeviceSynchronize());
  }
  void shutdown() {
    cudaFree(Data);
    cudaFree(SeqIds);
  }
  Status slotMapping(int First, int Batch, const int **Out) const {
    if (Batch > MaxRows)
      return Status(Code::kOutOfBlocks, "slot mapping exceeds the block table");
    *Out = SeqIds + First;
    return Status();
  }
  uint32_t *data() const { return Data; }

private:
  uint32_t *Data = nullptr;
  int *SeqIds = nullptr;
  int MaxRows = 0;
};

class Model {
public:
  Status init(int MaxRowsPerStep) {
    RETURN_IF_ERROR(Kv.init(MaxRowsPerStep));
    RETURN_IF_CUDA(cudaMalloc(&Hidden, sizeof(uint32_t) * MaxSeqs * HeadDim));
    std::vector<uint32_t> Init(MaxSeqs * HeadDim);
    for (size_t I = 0; I < Init.size(); ++I)
      Init[I] = uint32_t(I) + 1;
    RETURN_IF_CUDA(cudaMemcpy(Hidden, Init.data(), sizeof(uint32_t) * Init.size(), cudaMemcpyHostToDevice));
    return fromCuda(cudaDeviceSynchronize());
  }
  void shutdown() {
    Kv.shutdown();
    cudaFree(Hidden);
  }
  Status forward(int First, int Batch, cudaStream_t Stream) const {
    for (int Layer = 0; Layer < NumLayers; ++Layer)
      RETURN_IF_ERROR(decoderLayer(Layer, First, Batch, Stream));
    return Status();
  }
  const uint32_t *hidden() const { return Hidden; }

private:
  Status decoderLayer(int Layer, int First, int Batch, cudaStream_t Stream) const {
    const int *Seqs = nullptr;
    RETURN_IF_ERROR(Kv.slotMapping(First, Batch, &Seqs));
    appendKv<<<Batch, HeadDim, 0, Stream>>>(Kv.data(), Hidden, Seqs, Layer);
    attend<<<Batch, HeadDim, 0, Stream>>>(Hidden, Kv.data(), Seqs, Layer);
    return fromCuda(cudaGetLastError());
  }
  KvCache Kv;
  uint32_t *Hidden = nullptr;
};

class GraphCache {
public:
  explicit GraphCache(const Model &M) : M(M) {}
  ~GraphCache() {
    for (auto &Entry : Execs)
      cudaGraphExecDestroy(Entry.second);
  }
  Status get(int Batch, cudaStream_t Stream, cudaGraphExec_t *Out) {
    auto It = Execs.find(Batch);
    if (It == Execs.end()) {
      cudaGraphExec_t Exec = nullptr;
      RETURN_IF_ERROR(capture(Batch, Stream, &Exec));
      It = Execs.emplace(Batch, Exec).first;
    }
    *Out = It->second;
    return Status();
  }

private:
  Status capture(int Batch, cudaStream_t Stream, cudaGraphExec_t *Exec) const {
    cudaGraph_t Graph = nullptr;
    RETURN_IF_CUDA(cudaStreamBeginCapture(Stream, cudaStreamCaptureModeThreadLocal));
    RETURN_IF_ERROR(M.forward(0, Batch, Stream)); // HAZARD scope
    RETURN_IF_CUDA(cudaStreamEndCapture(Stream, &Graph));
    cudaError_t E = cudaGraphInstantiate(Exec, Graph, 0);
    cudaGraphDestroy(Graph);
    return fromCuda(E);
  }
  const Model &M;
  std::unordered_map<int, cudaGraphExec_t> Execs;
};

class Scheduler {
public:
  explicit Scheduler(const Model &M) : M(M), Graphs(M) {}
  Status init() { return fromCuda(cudaStreamCreateWithFlags(&Stream, cudaStreamNonBlocking)); }
  void shutdown() { cudaStreamDestroy(Stream); }

  Status step(int Batch) {
    cudaGraphExec_t Exec = nullptr;
    Status S = Graphs.get(Batch, Stream, &Exec);
    if (S.ok())
      S = fromCuda(cudaGraphLaunch(Exec, Stream));
    else if (S.code() == Code::kOutOfBlocks)
      S = runSplit(Batch);
    RETURN_IF_ERROR(S);
    return fromCuda(cudaStreamSynchronize(Stream));
  }
  cudaStream_t stream() const { return Stream; }
  int splitSteps() const { return SplitSteps; }

private:
  Status runSplit(int Batch) {
    const int Half = (Batch + 1) / 2;
    ++SplitSteps;
    RETURN_IF_ERROR(M.forward(0, Half, Stream));
    return M.forward(Half, Batch - Half, Stream);
  }
  const Model &M;
  GraphCache Graphs;
  cudaStream_t Stream = nullptr;
  int SplitSteps = 0;
};

struct HostModel {
  std::vector<uint32_t> Hidden, Cache;
  HostModel() : Hidden(MaxSeqs * HeadDim), Cache(NumLayers * MaxSeqs * HeadDim, 0) {
    for (size_t I = 0; I < Hidden.size(); ++I)
      Hidden[I] = uint32_t(I) + 1;
  }
  void step(int Batch) {
    for (int L = 0; L < NumLayers; ++L)
      for (int I = 0; I < Batch * HeadDim; ++I) {
        uint32_t &K = Cache[L * MaxSeqs * HeadDim + I];
        K += Hidden[I];
        Hidden[I] = Hidden[I] * 3u + K + L;
      }
  }
};

} // namespace rt

int main() {
  using namespace rt;
  Model M;
  if (!M.init(/*MaxRowsPerStep=*/6).ok()) {
    std::puts("LABEL WRONG");
    return 1;
  }
  Scheduler Sched(M);
  HostModel Ref;
  bool Good = Sched.init().ok();
  bool EarlyOk = Good, LateOk = true;
  const int Batches[] = {1, 2, 4, 2, 6, 4, 10, 4};
  for (int I = 0; I < 8; ++I) {
    Status S = Sched.step(Batches[I]);
    Ref.step(Batches[I]);
    std::vector<uint32_t> Got(MaxSeqs * HeadDim);
    bool Same = S.ok() && cudaMemcpy(Got.data(), M.hidden(), Got.size() * sizeof(uint32_t),
                                     cudaMemcpyDeviceToHost) == cudaSuccess && Got == Ref.Hidden;
    std::printf("step %d batch %d: %s %s\n", I, Batches[I], S.ok() ? "ok" : S.message().c_str(),
                Same ? "match" : "differs");
    (I < 6 ? EarlyOk : LateOk) &= Same;
  }
  cudaStreamCaptureStatus Capture = cudaStreamCaptureStatusNone;
  cudaStreamIsCapturing(Sched.stream(), &Capture);
  const bool Idle = Capture == cudaStreamCaptureStatusNone;
  std::printf("split steps %d, stream %s\n", Sched.splitSteps(), Idle ? "idle" : "capturing");
  if (!Idle) {
    cudaGraph_t Leftover = nullptr;
    cudaStreamEndCapture(Sched.stream(), &Leftover);
    if (Leftover)
      cudaGraphDestroy(Leftover);
  }
  std::puts(EarlyOk && !LateOk && !Idle ? "LABEL CONFIRMED" : "LABEL WRONG");
  Sched.shutdown();
  M.shutdown();
  return 0;
}
