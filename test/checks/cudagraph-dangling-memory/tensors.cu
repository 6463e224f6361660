// Tensors that one factory creates: each has its own storage, which may have
// several owners, and which returns to a pool.

// RUN: %check %s cudagraph-dangling-memory --real-std

#include <cuda_runtime.h>
#include <map>
#include <memory>
#include <vector>

__global__ void scale(const float *in, float *out) { *out = *in; }

struct Cache {
  std::multimap<size_t, void *> Free;
  void *take(size_t Bytes) {
    if (auto It = Free.find(Bytes); It != Free.end()) {
      void *P = It->second;
      Free.erase(It);
      return P;
    }
    void *P = nullptr;
    cudaMalloc(&P, Bytes);
    return P;
  }
  void give(void *P, size_t Bytes) { Free.emplace(Bytes, P); }
};

struct Storage {
  Storage(Cache &C, size_t Bytes) : From(C), Bytes(Bytes), P(C.take(Bytes)) {}
  ~Storage() { From.give(P, Bytes); }
  Storage(const Storage &) = delete;
  Cache &From;
  size_t Bytes;
  void *P;
};

class Tensor {
public:
  static Tensor empty(Cache &C, size_t N) {
    Tensor T;
    T.Owner = std::make_shared<Storage>(C, N * sizeof(float));
    T.Size = N;
    return T;
  }
  Tensor view(size_t First) const {
    Tensor T = *this;
    T.Offset += First;
    return T;
  }
  float *data() const { return static_cast<float *>(Owner->P) + Offset; }

private:
  std::shared_ptr<Storage> Owner;
  size_t Offset = 0, Size = 0;
};

struct Layer {
  Cache &C;
  cudaStream_t S;
  cudaGraphExec_t E = nullptr;
  Tensor Output;
  std::vector<Tensor> Kept;
  Layer(Cache &C, cudaStream_t S) : C(C), S(S) {}

  Tensor forward(const Tensor &In) {
    Tensor Hidden = Tensor::empty(C, 100);
    scale<<<1, 1, 0, S>>>(In.data(), Hidden.data());
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: kernel 'scale' uses 'Hidden.data()', which 'Cache::give' returns to a pool
    Tensor Tail = Hidden.view(10);
    Tensor Out = Tensor::empty(C, 100);
    scale<<<1, 1, 0, S>>>(Tail.data(), Out.data());
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: kernel 'scale' uses 'Tail.data()', which 'Cache::give' returns to a pool
    return Out;
  }

  // Legal: the intermediate result has an owner that lives as long as the
  // graph.
  Tensor forwardKept(const Tensor &In) {
    Tensor Hidden = Tensor::empty(C, 100);
    scale<<<1, 1, 0, S>>>(In.data(), Hidden.data());
    Kept.push_back(Hidden);
    Tensor Out = Tensor::empty(C, 100);
    scale<<<1, 1, 0, S>>>(Hidden.data(), Out.data());
    return Out;
  }

  void capture(const Tensor &In) {
    { Tensor WarmUp = forward(In); }
    cudaStreamSynchronize(S);
    cudaGraph_t G;
    cudaStreamBeginCapture(S, cudaStreamCaptureModeThreadLocal);
    Output = forward(In);
    cudaStreamEndCapture(S, &G);
    cudaGraphInstantiate(&E, G, 0);
  }

  void captureKept(const Tensor &In) {
    cudaGraph_t G;
    cudaStreamBeginCapture(S, cudaStreamCaptureModeThreadLocal);
    Output = forwardKept(In);
    cudaStreamEndCapture(S, &G);
    cudaGraphInstantiate(&E, G, 0);
  }
};

void run(cudaStream_t S) {
  Cache C;
  Tensor In = Tensor::empty(C, 100);
  Layer L(C, S), M(C, S);
  L.capture(In);
  M.captureKept(In);
  Tensor Other = Tensor::empty(C, 100);
  scale<<<1, 1, 0, S>>>(In.data(), Other.data());
  cudaGraphLaunch(L.E, S);
  cudaGraphLaunch(M.E, S);
}

// Storage that is freed with its last owner.
struct Block {
  Block() { cudaMalloc(&P, 100); }
  ~Block() { cudaFree(P); }
  Block(const Block &) = delete;
  float *P = nullptr;
};

struct Buffer {
  std::shared_ptr<Block> Owner;
  static Buffer make() {
    Buffer B;
    B.Owner = std::make_shared<Block>();
    return B;
  }
};

static cudaGraphExec_t finish(cudaStream_t S) {
  cudaGraph_t G;
  cudaGraphExec_t E;
  cudaStreamEndCapture(S, &G);
  cudaGraphInstantiate(&E, G, 0);
  return E;
}

void allOwnersEnd(cudaStream_t S) {
  cudaGraphExec_t E;
  Buffer Out = Buffer::make();
  {
    Buffer B = Buffer::make();
    Buffer Same = B;
    cudaStreamBeginCapture(S, cudaStreamCaptureModeGlobal);
    scale<<<1, 1, 0, S>>>(B.Owner->P, Out.Owner->P);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: kernel 'scale' uses 'B.Owner->P', which 'Block::~Block' frees
    E = finish(S);
  }
  cudaGraphLaunch(E, S);
}

// Legal: another buffer of the same factory ends.
void otherEnds(cudaStream_t S) {
  cudaGraphExec_t E;
  Buffer A = Buffer::make(), B = Buffer::make();
  {
    Buffer Temporary = Buffer::make();
    scale<<<1, 1, 0, S>>>(A.Owner->P, Temporary.Owner->P);
  }
  cudaStreamBeginCapture(S, cudaStreamCaptureModeGlobal);
  scale<<<1, 1, 0, S>>>(A.Owner->P, B.Owner->P);
  E = finish(S);
  {
    Buffer Temporary = Buffer::make();
    scale<<<1, 1, 0, S>>>(A.Owner->P, Temporary.Owner->P);
  }
  cudaGraphLaunch(E, S);
  cudaStreamSynchronize(S);
}

// Legal: one owner remains.
void oneOwnerEnds(cudaStream_t S) {
  cudaGraphExec_t E;
  Buffer Keeps;
  Buffer Out = Buffer::make();
  {
    Buffer B = Buffer::make();
    Keeps = B;
    cudaStreamBeginCapture(S, cudaStreamCaptureModeGlobal);
    scale<<<1, 1, 0, S>>>(B.Owner->P, Out.Owner->P);
    E = finish(S);
  }
  cudaGraphLaunch(E, S);
  cudaStreamSynchronize(S);
}

// Legal: each iteration has its own graph and its own buffers.
void eachIteration(cudaStream_t S, int N) {
  for (int I = 0; I < N; ++I) {
    Buffer A = Buffer::make(), B = Buffer::make();
    cudaStreamBeginCapture(S, cudaStreamCaptureModeGlobal);
    scale<<<1, 1, 0, S>>>(A.Owner->P, B.Owner->P);
    cudaGraphExec_t E = finish(S);
    cudaGraphLaunch(E, S);
    cudaStreamSynchronize(S);
    cudaGraphExecDestroy(E);
  }
}
