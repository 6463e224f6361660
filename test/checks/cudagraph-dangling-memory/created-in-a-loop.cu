// A loop assigns a new object to each element of an array of owners. No iteration
// destroys the object that an earlier one created; the first time, it destroys the
// object that was in the element before the loop.

// RUN: %check %s cudagraph-dangling-memory --real-std

#include <array>
#include <memory>
#include <vector>

__global__ void k(float *p);

struct HostDeleter {
  void operator()(float *P) const { cudaFreeHost(P); }
};
using Pinned = std::unique_ptr<float[], HostDeleter>;
static Pinned makePinned(size_t N) {
  float *P = nullptr;
  cudaMallocHost(&P, N * sizeof(float));
  return Pinned(P);
}

class Slot {
public:
  explicit Slot(float *Device) : Device(Device), Input(makePinned(64)) {
    cudaStreamCreateWithFlags(&Stream, cudaStreamNonBlocking);
    cudaStreamBeginCapture(Stream, cudaStreamCaptureModeThreadLocal);
    cudaMemcpyAsync(Device, Input.get(), 256, cudaMemcpyHostToDevice, Stream);
    cudaGraph_t Graph = nullptr;
    cudaStreamEndCapture(Stream, &Graph);
    cudaGraphInstantiate(&Exec, Graph, 0);
    cudaGraphDestroy(Graph);
  }
  Slot(const Slot &) = delete;
  ~Slot() {
    cudaGraphExecDestroy(Exec);
    cudaStreamDestroy(Stream);
  }
  void launch() { cudaGraphLaunch(Exec, Stream); }

private:
  float *Device;
  Pinned Input;
  cudaStream_t Stream = nullptr;
  cudaGraphExec_t Exec = nullptr;
};

template <typename List> class Service {
public:
  explicit Service(float *Device) {
    for (auto &Each : Slots)
      Each = std::make_unique<Slot>(Device);
  }
  void run() {
    for (auto &Each : Slots)
      Each->launch();
  }

private:
  List Slots;
};

void legalArray(float *Device) {
  Service<std::array<std::unique_ptr<Slot>, 20>> All(Device);
  for (int I = 0; I < 4; ++I)
    All.run();
}

void legalIndexed(float *Device) {
  std::vector<std::unique_ptr<Slot>> Slots(20);
  for (size_t I = 0; I < Slots.size(); ++I)
    Slots[I] = std::make_unique<Slot>(Device);
  for (int Frame = 0; Frame < 4; ++Frame)
    for (auto &Each : Slots)
      Each->launch();
}

void legalShared(float *Device) {
  std::array<std::shared_ptr<Slot>, 20> Slots;
  for (auto &Each : Slots)
    Each = std::make_shared<Slot>(Device);
  for (int Frame = 0; Frame < 4; ++Frame)
    for (auto &Each : Slots)
      Each->launch();
}

class Engine {
public:
  explicit Engine(size_t N) { allocate(N); }
  void allocate(size_t N) {
    for (auto &Each : Buffers)
      Each = makePinned(N);
  }
  void record(cudaStream_t S, float *Device) {
    cudaStreamBeginCapture(S, cudaStreamCaptureModeThreadLocal);
    cudaMemcpyAsync(Device, Buffers[0].get(), 256, cudaMemcpyHostToDevice, S);
// CHECK-MESSAGES: [[@LINE-1]]:5: warning: 'cudaMemcpyAsync' copies from 'Buffers[0].get()', which 'HostDeleter::operator()' frees
    cudaGraph_t Graph = nullptr;
    cudaStreamEndCapture(S, &Graph);
    cudaGraphInstantiate(&Exec, Graph, 0);
    cudaGraphDestroy(Graph);
  }
  void launch(cudaStream_t S) { cudaGraphLaunch(Exec, S); }

private:
  std::array<Pinned, 4> Buffers;
  cudaGraphExec_t Exec = nullptr;
};

void replaced(cudaStream_t S, float *Device) {
  Engine E(64);
  E.record(S, Device);
  E.launch(S);
  E.allocate(128);
  E.launch(S);
}

void legalReplaced(cudaStream_t S, float *Device) {
  Engine E(64);
  E.record(S, Device);
  E.launch(S);
}
