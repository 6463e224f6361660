// Workspace that a factory allocates in advance: it returns the object in a
// pair, together with a status.

// RUN: %check %s cudagraph-device-allocation --real-std

#include <cuda_runtime.h>
#include <memory>
#include <utility>

__global__ void use(float *p) { *p = 1; }

struct Provider {
  virtual ~Provider() = default;
  virtual cudaError_t acquire(float **Out) = 0;
};

struct Growing final : Provider {
  float *Block = nullptr;
  cudaError_t acquire(float **Out) override {
    if (!Block)
      if (cudaError_t E = cudaMalloc(&Block, 4); E != cudaSuccess)
        // CHECK-MESSAGES: :[[@LINE-1]]:27: warning: 'cudaMalloc' allocates device memory while 'S' {{.*}} captures
        return E;
    *Out = Block;
    return cudaSuccess;
  }
};

struct Fixed final : Provider {
  float *Block = nullptr;
  cudaError_t acquire(float **Out) override {
    if (!Block)
      if (cudaError_t E = cudaMalloc(&Block, 4); E != cudaSuccess)
        return E;
    *Out = Block;
    return cudaSuccess;
  }
};

struct Engine {
  std::shared_ptr<Provider> From;
  cudaStream_t S;
  explicit Engine(std::shared_ptr<Provider> From) : From(std::move(From)) {
    cudaStreamCreate(&S);
  }
  cudaError_t open() {
    float *Reserved;
    return From->acquire(&Reserved);
  }
  void prepare() {
    cudaGraph_t G;
    cudaStreamBeginCapture(S, cudaStreamCaptureModeGlobal);
    float *P = nullptr;
    From->acquire(&P);
    use<<<1, 1, 0, S>>>(P);
    cudaStreamEndCapture(S, &G);
  }
};

static std::pair<std::unique_ptr<Engine>, cudaError_t>
create(std::shared_ptr<Provider> From) {
  auto E = std::make_unique<Engine>(std::move(From));
  cudaError_t Status = E->open();
  return {std::move(E), Status};
}

int main() {
  // Legal: allocated by create().
  auto [Opened, Status] = create(std::make_shared<Fixed>());
  if (Status == cudaSuccess)
    Opened->prepare();
  // Not opened.
  Engine Other(std::make_shared<Growing>());
  Other.prepare();
}
