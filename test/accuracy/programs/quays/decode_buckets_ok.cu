//===- decode_buckets.cu - Decode step with graphs bucketed by batch size -===//
//
// One CUDA graph per padded batch size. All device memory comes from a slab so
// that the allocator never talks to the driver while requests are served.
//===----------------------------------------------------------------------===//

#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

namespace serve {

static void checkImpl(cudaError_t Err, const char *Expr, int Line) {
  if (Err == cudaSuccess)
    return;
  std::fprintf(stderr, "%d: %s: %s\n", Line, Expr, cudaGetErrorString(Err));
  std::printf("LABEL WRONG\n");
  std::exit(1);
}
#define CHECK_CUDA(E) ::serve::checkImpl((E), #E, __LINE__)

constexpr int HiddenDim = 64;
constexpr int VocabSize = 128;
constexpr int PageTokens = 8;

/// First-fit suballocator over one device allocation.
class DeviceSlab {
public:
  explicit DeviceSlab(size_t Bytes) {
    CHECK_CUDA(cudaMalloc(&Base, Bytes));
    Free[0] = Bytes;
  }
  ~DeviceSlab() { cudaFree(Base); }
  DeviceSlab(const DeviceSlab &) = delete;
  DeviceSlab &operator=(const DeviceSlab &) = delete;

  char *allocate(size_t Bytes) {
    Bytes = (Bytes + 255) / 256 * 256;
    for (auto It = Free.begin(); It != Free.end(); ++It) {
      if (It->second < Bytes)
        continue;
      size_t Offset = It->first, Left = It->second - Bytes;
      Free.erase(It);
      if (Left)
        Free[Offset + Bytes] = Left;
      Used[Offset] = Bytes;
      return Base + Offset;
    }
    std::printf("slab exhausted\nLABEL WRONG\n");
    std::exit(1);
  }

  void release(char *Ptr) {
    auto It = Used.find(Ptr - Base);
    Free[It->first] = It->second;
    Used.erase(It);
  }

private:
  char *Base = nullptr;
  std::map<size_t, size_t> Free, Used;
};

/// Activations of one decode step, shared by all buckets.
class Workspace {
public:
  explicit Workspace(DeviceSlab &Slab) : Slab(Slab) {}

  void reserve(int Batch, cudaStream_t Stream) {
    if (Batch <= Capacity)
      return;
    CHECK_CUDA(cudaStreamSynchronize(Stream));
    if (Block)
      Slab.release(Block);
    Block = Slab.allocate(Batch * (HiddenDim + VocabSize) * sizeof(float));
    Capacity = Batch;
    ++Generation;
  }

  unsigned generation() const { return Generation; }

  float *hidden() const { return reinterpret_cast<float *>(Block); }
  float *logits() const { return hidden() + Capacity * HiddenDim; }

private:
  DeviceSlab &Slab;
  char *Block = nullptr;
  int Capacity = 0;
  unsigned Generation = 0;
};

/// Pages of cached keys; every sequence owns one page in this build.
class PagedCache {
public:
  explicit PagedCache(DeviceSlab &Slab) : Slab(Slab) {}

  float *pageFor(int SeqId) {
    auto [It, New] = Pages.try_emplace(SeqId, nullptr);
    if (New) {
      size_t Count = PageTokens * HiddenDim;
      It->second = reinterpret_cast<float *>(Slab.allocate(Count * sizeof(float)));
      std::vector<float> Init(Count);
      for (size_t I = 0; I < Count; ++I)
        Init[I] = value(SeqId, int(I));
      CHECK_CUDA(cudaMemcpy(It->second, Init.data(), Count * sizeof(float),
                            cudaMemcpyHostToDevice));
      CHECK_CUDA(cudaDeviceSynchronize());
    }
    return It->second;
  }

  void evict(int SeqId) {
    auto It = Pages.find(SeqId);
    if (It == Pages.end())
      return;
    Slab.release(reinterpret_cast<char *>(It->second));
    Pages.erase(It);
  }

  static float value(int SeqId, int I) { return float((SeqId * 3 + I) % 7 - 3); }

private:
  DeviceSlab &Slab;
  std::unordered_map<int, float *> Pages;
};

__host__ __device__ inline float embedding(int Token, int H) {
  return float((Token * 5 + H * 3) % 9 - 4);
}
__host__ __device__ inline float headWeight(int H, int V) {
  return float((H * 7 + V * 11) % 5 - 2);
}

__global__ void gatherKernel(const int *Tokens, float *const *Pages, float *Hidden) {
  int B = blockIdx.x, H = threadIdx.x;
  float Sum = embedding(Tokens[B], H);
  if (Pages[B])
    for (int T = 0; T < PageTokens; ++T)
      Sum += Pages[B][T * HiddenDim + H];
  Hidden[B * HiddenDim + H] = Sum;
}

__global__ void headKernel(const float *Hidden, float *Logits) {
  int B = blockIdx.x, V = threadIdx.x;
  float Sum = 0.0f;
  for (int H = 0; H < HiddenDim; ++H)
    Sum += Hidden[B * HiddenDim + H] * headWeight(H, V);
  Logits[B * VocabSize + V] = Sum;
}

struct Request {
  int SeqId;
  int Token;
};

struct BucketGraph {
  int Batch = 0;
  unsigned Generation = 0;
  cudaGraphExec_t Exec = nullptr;
  ~BucketGraph() {
    if (Exec)
      cudaGraphExecDestroy(Exec);
  }
};

class DecodeEngine {
public:
  explicit DecodeEngine(int MaxBatch)
      : MaxBatch(MaxBatch), Slab(1 << 20), Ws(Slab), Cache(Slab) {
    CHECK_CUDA(cudaStreamCreateWithFlags(&Stream, cudaStreamNonBlocking));
    Tokens = reinterpret_cast<int *>(Slab.allocate(MaxBatch * sizeof(int)));
    PageTable = reinterpret_cast<float **>(Slab.allocate(MaxBatch * sizeof(float *)));
  }
  ~DecodeEngine() {
    Buckets.clear();
    cudaStreamDestroy(Stream);
  }

  std::vector<float> decode(const std::vector<Request> &Reqs) {
    BucketGraph &Bucket = bucketFor(int(Reqs.size()));
    std::vector<int> HostTokens(Bucket.Batch, 0);
    std::vector<float *> HostPages(Bucket.Batch, nullptr);
    for (size_t I = 0; I < Reqs.size(); ++I) {
      HostTokens[I] = Reqs[I].Token;
      HostPages[I] = Cache.pageFor(Reqs[I].SeqId);
    }
    upload(Tokens, HostTokens);
    upload(PageTable, HostPages);
    CHECK_CUDA(cudaGraphLaunch(Bucket.Exec, Stream));

    std::vector<float> Out(Reqs.size() * VocabSize);
    CHECK_CUDA(cudaMemcpyAsync(Out.data(), Ws.logits(), Out.size() * sizeof(float),
                               cudaMemcpyDeviceToHost, Stream));
    CHECK_CUDA(cudaStreamSynchronize(Stream));
    return Out;
  }

  void finish(const std::vector<Request> &Reqs) {
    for (const Request &R : Reqs)
      Cache.evict(R.SeqId);
  }

  size_t numBuckets() const { return Buckets.size(); }
  int numCaptures() const { return NumCaptures; }

private:
  template <typename T> void upload(T *Dst, const std::vector<T> &Src) {
    CHECK_CUDA(cudaMemcpyAsync(Dst, Src.data(), Src.size() * sizeof(T),
                               cudaMemcpyHostToDevice, Stream));
  }

  BucketGraph &bucketFor(int Count) {
    int Batch = 1;
    while (Batch < Count && Batch < MaxBatch)
      Batch *= 2;
    std::unique_ptr<BucketGraph> &Slot = Buckets[Batch];
    Ws.reserve(Batch, Stream);
    if (!Slot || Slot->Generation != Ws.generation()) {
      CHECK_CUDA(cudaStreamSynchronize(Stream));
      Slot = capture(Batch);
      ++NumCaptures;
    }
    return *Slot;
  }

  std::unique_ptr<BucketGraph> capture(int Batch) {
    auto Result = std::make_unique<BucketGraph>();
    Result->Batch = Batch;
    Result->Generation = Ws.generation();
    cudaGraph_t Graph = nullptr;
    CHECK_CUDA(cudaStreamBeginCapture(Stream, cudaStreamCaptureModeThreadLocal));
    forward(Batch);
    CHECK_CUDA(cudaStreamEndCapture(Stream, &Graph));
    CHECK_CUDA(cudaGraphInstantiate(&Result->Exec, Graph, 0));
    CHECK_CUDA(cudaGraphDestroy(Graph));
    return Result;
  }

  void forward(int Batch) {
    gatherKernel<<<Batch, HiddenDim, 0, Stream>>>(Tokens, PageTable, Ws.hidden());
    headKernel<<<Batch, VocabSize, 0, Stream>>>(Ws.hidden(), Ws.logits());
    CHECK_CUDA(cudaGetLastError());
  }

  int MaxBatch;
  int NumCaptures = 0;
  DeviceSlab Slab;
  Workspace Ws;
  PagedCache Cache;
  cudaStream_t Stream = nullptr;
  int *Tokens = nullptr;
  float **PageTable = nullptr;
  std::unordered_map<int, std::unique_ptr<BucketGraph>> Buckets;
};

static bool matches(const std::vector<Request> &Reqs, const std::vector<float> &Got) {
  for (size_t B = 0; B < Reqs.size(); ++B)
    for (int V = 0; V < VocabSize; ++V) {
      float Want = 0.0f;
      for (int H = 0; H < HiddenDim; ++H) {
        float Sum = embedding(Reqs[B].Token, H);
        for (int T = 0; T < PageTokens; ++T)
          Sum += PagedCache::value(Reqs[B].SeqId, T * HiddenDim + H);
        Want += Sum * headWeight(H, V);
      }
      if (Got[B * VocabSize + V] != Want)
        return false;
    }
  return true;
}

static std::vector<Request> makeRequests(int Count, int FirstSeq) {
  std::vector<Request> Reqs;
  for (int I = 0; I < Count; ++I)
    Reqs.push_back({FirstSeq + I, (FirstSeq * 17 + I * 29) % 1000});
  return Reqs;
}

} // namespace serve

int main() {
  serve::DecodeEngine Engine(16);
  const int Sizes[] = {3, 4, 13, 3, 4, 16};
  int Good = 0;
  for (int Step = 0; Step < 6; ++Step) {
    auto Reqs = serve::makeRequests(Sizes[Step], 100 * Step + 1);
    bool Same = serve::matches(Reqs, Engine.decode(Reqs));
    Good += Same;
    Engine.finish(Reqs);
    std::printf("step %d batch %d: %s\n", Step, Sizes[Step], Same ? "ok" : "mismatch");
  }
  bool Confirmed = Good == 6 && Engine.numBuckets() == 2 && Engine.numCaptures() == 3;
  std::printf(Confirmed ? "LABEL CONFIRMED\n" : "LABEL WRONG\n");
  return Confirmed ? 0 : 1;
}
