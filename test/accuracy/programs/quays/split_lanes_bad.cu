//===- split_lanes.cu - Prefill and decode runners of the serving loop ----===//
//
// Each runner owns a stream and a graph. The scheduler decides per tick whether
// the runners go one after the other or side by side.
//
//===----------------------------------------------------------------------===//

#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

namespace llm {

static void require(cudaError_t Err, int Line) {
  if (Err == cudaSuccess)
    return;
  std::fprintf(stderr, "line %d: %s\n", Line, cudaGetErrorString(Err));
  std::printf("LABEL WRONG\n");
  std::exit(1);
}
#define REQUIRE(E) ::llm::require((E), __LINE__)

constexpr int NumTokens = 1024;
constexpr int BlockSize = 128;
constexpr int NumBlocks = NumTokens / BlockSize;

/// What the host writes for one tick.
struct TickInput {
  uint32_t Seed;
  uint32_t Tokens[NumTokens];
};

__host__ __device__ inline uint32_t mixRounds(uint32_t X, int Rounds) {
  for (int R = 0; R < Rounds; ++R) {
    X ^= X << 13;
    X ^= X >> 17;
    X ^= X << 5;
  }
  return X;
}

__host__ __device__ inline uint32_t scoreOf(uint32_t Token, uint32_t Salt) {
  return (Token ^ Salt) * 2654435761u + Salt;
}

__global__ void partialScores(const TickInput *In, uint32_t Salt, uint32_t *Scratch) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  Scratch[I] = scoreOf(In->Tokens[I], Salt);
}

__global__ void attendTiles(const TickInput *In, int Rounds, uint32_t *Tiles) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  Tiles[I] = mixRounds(In->Seed, Rounds) + I;
}

__global__ void combine(const uint32_t *Scratch, const uint32_t *Tiles,
                        uint32_t *Out, unsigned long long *Served) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  Out[I] = Scratch[I] + Tiles[I];
  if (I == 0)
    atomicAdd(Served, (unsigned long long)NumTokens);
}

/// Named device allocations with one owner.
class BufferRegistry {
public:
  ~BufferRegistry() {
    for (auto &Entry : Buffers)
      cudaFree(Entry.second.Ptr);
  }

  template <typename T> T *get(const std::string &Name, size_t Count) {
    auto [It, New] = Buffers.try_emplace(Name);
    if (New) {
      It->second.Bytes = Count * sizeof(T);
      REQUIRE(cudaMalloc(&It->second.Ptr, It->second.Bytes));
      REQUIRE(cudaMemset(It->second.Ptr, 0, It->second.Bytes));
    }
    if (It->second.Bytes < Count * sizeof(T)) {
      std::printf("%s is too small\nLABEL WRONG\n", Name.c_str());
      std::exit(1);
    }
    return static_cast<T *>(It->second.Ptr);
  }

private:
  struct Buffer {
    void *Ptr = nullptr;
    size_t Bytes = 0;
  };
  std::unordered_map<std::string, Buffer> Buffers;
};

struct RunnerOptions {
  std::string Name;
  uint32_t Salt;
  int Rounds;
};

class GraphRunner {
public:
  GraphRunner(BufferRegistry &Registry, RunnerOptions Options)
      : Opts(std::move(Options)) {
    REQUIRE(cudaStreamCreateWithFlags(&Stream, cudaStreamNonBlocking));
    REQUIRE(cudaMallocHost(&HostIn, sizeof(TickInput)));
    In = Registry.get<TickInput>(Opts.Name + ".in", 1);
    Tiles = Registry.get<uint32_t>(Opts.Name + ".tiles", NumTokens);
    Out = Registry.get<uint32_t>(Opts.Name + ".out", NumTokens);
    Scratch = Registry.get<uint32_t>("split_k.scratch", NumTokens); // HAZARD concurrent #scratch
    Served = Registry.get<unsigned long long>("stats.served", 1);
    REQUIRE(cudaDeviceSynchronize());
    record();
  }
  ~GraphRunner() {
    cudaGraphExecDestroy(Exec);
    cudaFreeHost(HostIn);
    cudaStreamDestroy(Stream);
  }
  GraphRunner(const GraphRunner &) = delete;
  GraphRunner &operator=(const GraphRunner &) = delete;

  /// The staging area; may be written while the runner is idle.
  TickInput &staging() { return *HostIn; }
  const RunnerOptions &options() const { return Opts; }

  void launch() { REQUIRE(cudaGraphLaunch(Exec, Stream)); }
  void wait() { REQUIRE(cudaStreamSynchronize(Stream)); }

  std::vector<uint32_t> results() {
    std::vector<uint32_t> Host(NumTokens);
    REQUIRE(cudaMemcpyAsync(Host.data(), Out, NumTokens * sizeof(uint32_t),
                            cudaMemcpyDeviceToHost, Stream));
    wait();
    return Host;
  }

private:
  void record() {
    cudaGraph_t Graph = nullptr;
    REQUIRE(cudaStreamBeginCapture(Stream, cudaStreamCaptureModeThreadLocal));
    forward();
    REQUIRE(cudaStreamEndCapture(Stream, &Graph));
    REQUIRE(cudaGraphInstantiate(&Exec, Graph, 0));
    REQUIRE(cudaGraphDestroy(Graph));
  }

  void forward() {
    REQUIRE(cudaMemcpyAsync(In, HostIn, sizeof(TickInput),
                            cudaMemcpyHostToDevice, Stream));
    partialScores<<<NumBlocks, BlockSize, 0, Stream>>>(In, Opts.Salt, Scratch);
    attendTiles<<<NumBlocks, BlockSize, 0, Stream>>>(In, Opts.Rounds, Tiles);
    combine<<<NumBlocks, BlockSize, 0, Stream>>>(Scratch, Tiles, Out, Served);
    REQUIRE(cudaGetLastError());
  }

  RunnerOptions Opts;
  cudaStream_t Stream = nullptr;
  cudaGraphExec_t Exec = nullptr;
  TickInput *HostIn = nullptr;
  TickInput *In = nullptr;
  uint32_t *Tiles = nullptr;
  uint32_t *Out = nullptr;
  uint32_t *Scratch = nullptr;
  unsigned long long *Served = nullptr;
};

enum class TickPolicy { InOrder, SideBySide };

class TickScheduler {
public:
  TickScheduler(GraphRunner &Prefill, GraphRunner &Decode)
      : Prefill(Prefill), Decode(Decode) {}

  /// Short queues are not worth two streams.
  TickPolicy policyFor(int QueueDepth) const {
    return QueueDepth > 4 ? TickPolicy::SideBySide : TickPolicy::InOrder;
  }

  void run(int QueueDepth) {
    Prefill.launch();
    if (policyFor(QueueDepth) == TickPolicy::InOrder)
      Prefill.wait();
    Decode.launch(); // HAZARD concurrent #scratch
    Prefill.wait();
    Decode.wait();
    ++Ticks;
  }

  int ticks() const { return Ticks; }

private:
  GraphRunner &Prefill;
  GraphRunner &Decode;
  int Ticks = 0;
};

static void fillInput(TickInput &In, int Tick, uint32_t Base) {
  In.Seed = Base + 77u * uint32_t(Tick) + 1u;
  for (int I = 0; I < NumTokens; ++I)
    In.Tokens[I] = Base + uint32_t(Tick * 4099 + I * 31);
}

static int countWrong(GraphRunner &Runner) {
  const RunnerOptions &Opts = Runner.options();
  const TickInput &In = Runner.staging();
  uint32_t Tile = mixRounds(In.Seed, Opts.Rounds);
  std::vector<uint32_t> Got = Runner.results();
  int Wrong = 0;
  for (int I = 0; I < NumTokens; ++I)
    Wrong += Got[I] != scoreOf(In.Tokens[I], Opts.Salt) + Tile + uint32_t(I);
  return Wrong;
}

static unsigned long long servedTokens(BufferRegistry &Registry) {
  unsigned long long Host = 0;
  REQUIRE(cudaMemcpy(&Host, Registry.get<unsigned long long>("stats.served", 1),
                     sizeof(Host), cudaMemcpyDeviceToHost));
  return Host;
}

} // namespace llm

int main() {
  llm::BufferRegistry Registry;
  llm::GraphRunner Prefill(Registry, {"prefill", 0x51edu, 2000000});
  llm::GraphRunner Decode(Registry, {"decode", 0xa7b3u, 5000});
  llm::TickScheduler Scheduler(Prefill, Decode);

  const int QueueDepths[] = {1, 3, 2, 9, 12, 6};
  int QuietWrong = 0, BusyTicksWrong = 0, BusyTicks = 0;
  for (int Depth : QueueDepths) {
    llm::fillInput(Prefill.staging(), Scheduler.ticks(), 1000u);
    llm::fillInput(Decode.staging(), Scheduler.ticks(), 900000u);
    Scheduler.run(Depth);
    int Wrong = llm::countWrong(Prefill) + llm::countWrong(Decode);
    std::printf("tick %d depth %d: %d wrong\n", Scheduler.ticks(), Depth, Wrong);
    if (Scheduler.policyFor(Depth) == llm::TickPolicy::InOrder) {
      QuietWrong += Wrong;
    } else {
      ++BusyTicks;
      BusyTicksWrong += Wrong > 0;
    }
  }
  bool CountOk = llm::servedTokens(Registry) == 2ull * llm::NumTokens * Scheduler.ticks();
  bool Confirmed = CountOk && QuietWrong == 0 && BusyTicks == 3 && BusyTicksWrong > 0;
  std::printf(Confirmed ? "LABEL CONFIRMED\n" : "LABEL WRONG\n");
  return Confirmed ? 0 : 1;
}
