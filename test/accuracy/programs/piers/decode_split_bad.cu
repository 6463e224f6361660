//===- decode_split.cu - Token generation with split attention ------------===//
//
// One DecodeSession per model. The scheduler admits sequences, the session
// replays one graph per decode step. Long contexts are handled by splitting the
// key/value range of a sequence over several thread blocks.
//
//===----------------------------------------------------------------------===//

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <vector>

static void checkCuda(cudaError_t E, const char *What) {
  if (E == cudaSuccess)
    return;
  std::printf("%s: %s\nLABEL WRONG\n", What, cudaGetErrorString(E));
  std::exit(1);
}

namespace {

constexpr int MaxSlots = 4;
constexpr int MaxContext = 256;
constexpr int ChunkTokens = 16;
constexpr int MaxSplits = MaxContext / ChunkTokens;

__host__ __device__ inline float tokenWeight(int Pos) {
  return float(Pos % 3 + 1);
}

__host__ __device__ inline float nextToken(float Prev, int Pos) {
  return float((int(Prev) + Pos * 5) % 7);
}

__global__ void appendKV(float *KV, int *Len, float *Tok) {
  int Slot = threadIdx.x;
  int Pos = Len[Slot];
  if (Pos >= MaxContext)
    return;
  float T = nextToken(Tok[Slot], Pos);
  KV[Slot * MaxContext + Pos] = T;
  Tok[Slot] = T;
  Len[Slot] = Pos + 1;
}

__global__ void attendSplit(const float *KV, const int *Len, float *Partial) {
  int Split = blockIdx.x, Slot = blockIdx.y;
  int Begin = Split * ChunkTokens;
  int End = min(Begin + ChunkTokens, Len[Slot]);
  int Pos = Begin + threadIdx.x;
  float V = Pos < End ? KV[Slot * MaxContext + Pos] * tokenWeight(Pos) : 0.f;
  for (int Off = ChunkTokens / 2; Off > 0; Off /= 2)
    V += __shfl_down_sync(0xffffu, V, Off, ChunkTokens);
  if (threadIdx.x == 0)
    Partial[Slot * MaxSplits + Split] = V;
}

__global__ void combineSplits(const float *Partial, const int *Len, float *Out,
                              int NumSplits) {
  int Slot = threadIdx.x;
  float Sum = 0.f;
  for (int S = 0; S < NumSplits; ++S)
    Sum += Partial[Slot * MaxSplits + S];
  Out[Slot] = Sum + float(Len[Slot]);
}

/// Host mirror of one running sequence.
struct Sequence {
  int Len = 0;
  float Tok = 0.f;
  std::vector<float> Tokens;

  void step() {
    Tok = nextToken(Tok, Len);
    Tokens.push_back(Tok);
    ++Len;
  }
  float expected() const {
    float Sum = 0.f;
    for (int P = 0; P < Len; ++P)
      Sum += Tokens[P] * tokenWeight(P);
    return Sum + float(Len);
  }
};

struct DeviceState {
  float *KV = nullptr;
  float *Tok = nullptr;
  float *Partial = nullptr;
  float *Out = nullptr;
  int *Len = nullptr;

  DeviceState() {
    checkCuda(cudaMalloc(&KV, MaxSlots * MaxContext * sizeof(float)), "kv");
    checkCuda(cudaMalloc(&Tok, MaxSlots * sizeof(float)), "tok");
    checkCuda(cudaMalloc(&Partial, MaxSlots * MaxSplits * sizeof(float)),
              "partial");
    checkCuda(cudaMalloc(&Out, MaxSlots * sizeof(float)), "out");
    checkCuda(cudaMalloc(&Len, MaxSlots * sizeof(int)), "len");
  }
  ~DeviceState() {
    cudaFree(KV);
    cudaFree(Tok);
    cudaFree(Partial);
    cudaFree(Out);
    cudaFree(Len);
  }
  void clear() {
    checkCuda(cudaMemset(KV, 0, MaxSlots * MaxContext * sizeof(float)), "clr");
    checkCuda(cudaMemset(Tok, 0, MaxSlots * sizeof(float)), "clr");
    checkCuda(cudaMemset(Len, 0, MaxSlots * sizeof(int)), "clr");
    checkCuda(cudaDeviceSynchronize(), "clr");
  }
};

struct ExecDeleter {
  void operator()(cudaGraphExec_t E) const { cudaGraphExecDestroy(E); }
};
using ExecPtr =
    std::unique_ptr<std::remove_pointer_t<cudaGraphExec_t>, ExecDeleter>;

class DecodeSession {
public:
  DecodeSession() {
    checkCuda(cudaStreamCreateWithFlags(&Stream, cudaStreamNonBlocking),
              "stream");
    checkCuda(cudaMallocHost(&HostOut, MaxSlots * sizeof(float)), "pinned");
  }
  ~DecodeSession() {
    cudaFreeHost(HostOut);
    cudaStreamDestroy(Stream);
  }

  void reset(int Batch) {
    State.clear();
    Seqs.assign(Batch, Sequence());
  }

  /// Generates one token for each admitted sequence. Returns the number of
  /// sequences whose logits disagree with the host model.
  int decodeOne() {
    for (Sequence &S : Seqs)
      S.step();
    checkCuda(cudaGraphLaunch(lookup(), Stream), "launch");
    checkCuda(cudaStreamSynchronize(Stream), "sync");
    int Wrong = 0;
    for (size_t I = 0; I < Seqs.size(); ++I)
      Wrong += HostOut[I] != Seqs[I].expected();
    return Wrong;
  }

  size_t numGraphs() const { return Graphs.size(); }

private:
  int maxLength() const {
    int Max = 1;
    for (const Sequence &S : Seqs)
      Max = std::max(Max, S.Len);
    return Max;
  }

  cudaGraphExec_t lookup() {
    int Batch = int(Seqs.size());
    ExecPtr &Slot = Graphs[Batch];
    if (!Slot)
      Slot = build(Batch);
    return Slot.get();
  }

  ExecPtr build(int Batch) {
    cudaGraph_t G = nullptr;
    cudaGraphExec_t E = nullptr;
    checkCuda(cudaStreamBeginCapture(Stream, cudaStreamCaptureModeThreadLocal),
              "begin");
    emitLayer(Batch);
    emitLogits(Batch);
    checkCuda(cudaStreamEndCapture(Stream, &G), "end");
    checkCuda(cudaGraphInstantiate(&E, G, 0), "instantiate");
    checkCuda(cudaGraphDestroy(G), "destroy");
    return ExecPtr(E);
  }

  void emitLayer(int Batch) {
    int Splits = (maxLength() + ChunkTokens - 1) / ChunkTokens;
    dim3 Grid(Splits, Batch);
    appendKV<<<1, Batch, 0, Stream>>>(State.KV, State.Len, State.Tok);
    attendSplit<<<Grid, ChunkTokens, 0, Stream>>>(State.KV, State.Len, State.Partial);  // HAZARD dynamic_shape #splits
    combineSplits<<<1, Batch, 0, Stream>>>(State.Partial, State.Len, State.Out, Splits);  // HAZARD dynamic_shape #splits
  }

  void emitLogits(int Batch) {
    checkCuda(cudaMemcpyAsync(HostOut, State.Out, Batch * sizeof(float),
                              cudaMemcpyDeviceToHost, Stream),
              "logits");
  }

  DeviceState State;
  std::vector<Sequence> Seqs;
  std::map<int, ExecPtr> Graphs;
  cudaStream_t Stream = nullptr;
  float *HostOut = nullptr;
};

struct Phase {
  int Batch;
  int Steps;
};

} // namespace

int main() {
  DecodeSession Session;
  const Phase Phases[] = {{1, 12}, {2, 10}, {1, 40}, {2, 90}};
  int Total = 0, EarlyWrong = 0, Wrong = 0;
  for (const Phase &P : Phases) {
    Session.reset(P.Batch);
    for (int S = 0; S < P.Steps; ++S) {
      int W = Session.decodeOne();
      Total += P.Batch;
      Wrong += W;
      if (S < ChunkTokens)
        EarlyWrong += W;
    }
  }
  std::printf("tokens=%d wrong=%d early=%d graphs=%zu\n", Total, Wrong,
              EarlyWrong, Session.numGraphs());
  bool Confirmed = EarlyWrong == 0 && Wrong > 0;
  std::printf("%s\n", Confirmed ? "LABEL CONFIRMED" : "LABEL WRONG");
  return 0;
}
