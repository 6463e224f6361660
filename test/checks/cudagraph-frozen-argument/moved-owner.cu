// A smart pointer that moves into a result or an optional is the same object: a
// write to another member is not a write to the pointer.

// RUN: %check %s cudagraph-frozen-argument,cudagraph-dynamic-shape --real-std

#include <cuda_runtime.h>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

__global__ void scale(const float *x, float *y, float by);

struct Plan {
  int uses = 0;
  float by = 1;
  float *x = nullptr;
  cudaGraphExec_t exec = nullptr;
};

using Owner = std::unique_ptr<Plan>;

template <typename Result> Result build(cudaStream_t s, float *y) {
  auto plan = std::make_unique<Plan>();
  (void)cudaMalloc(&plan->x, 64);
  (void)cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  scale<<<1, 16, 0, s>>>(plan->x, y, plan->by);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: argument 'plan->by' of kernel 'scale' {{.*}} 'staleVariant'
  cudaGraph_t graph = nullptr;
  (void)cudaStreamEndCapture(s, &graph);
  (void)cudaGraphInstantiate(&plan->exec, graph, 0);
  return Result(std::move(plan));
}

void inVariant(cudaStream_t s, float *y) {
  auto result = build<std::variant<Owner, std::string>>(s, y);
  Owner &plan = std::get<Owner>(result);
  plan->uses = 1;
  (void)cudaGraphLaunch(plan->exec, s);
}

void inOptional(cudaStream_t s, float *y) {
  auto result = build<std::optional<Owner>>(s, y);
  Owner &plan = *result;
  plan->uses = 1;
  (void)cudaGraphLaunch(plan->exec, s);
}

void staleVariant(cudaStream_t s, float *y) {
  auto result = build<std::variant<Owner, int>>(s, y);
  Owner &plan = std::get<Owner>(result);
  plan->by = 2;
  (void)cudaGraphLaunch(plan->exec, s);
}
