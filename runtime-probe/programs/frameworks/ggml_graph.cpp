//===- ggml_graph.cpp - A ggml graph on its CUDA backend ------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// usage: ggml_graph weights wrong|right. ggml captures the second computation
// of a graph and replays it from the third on. It compares the addresses of the
// tensors with those at the capture, unless the scheduler computes the graph
// that it has allocated. In that case, the weights must remain at the same
// addresses.
//
//===----------------------------------------------------------------------===//

#include "ggml-alloc.h"
#include "ggml-backend.h"
#include "ggml-cpu.h"
#include "ggml-cuda.h"
#include "ggml.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

static constexpr int Size = 64;

static void require(bool Holds, const char *What) {
  if (Holds)
    return;
  std::fprintf(stderr, "ggml_graph: %s failed\n", What);
  std::exit(1);
}

static ggml_context *context() {
  return ggml_init({64 * ggml_tensor_overhead() + ggml_graph_overhead(),
                    nullptr, /*no_alloc=*/true});
}

/// A layer: x = silu(W * x) + b.
struct Layer {
  ggml_tensor *Weights, *Bias;
};

struct Model {
  ggml_context *Memory = context();
  ggml_backend_buffer_t Buffer = nullptr;
  std::vector<Layer> Layers;

  explicit Model(int Count) {
    for (int I = 0; I != Count; ++I)
      Layers.push_back({ggml_new_tensor_2d(Memory, GGML_TYPE_F32, Size, Size),
                        ggml_new_tensor_1d(Memory, GGML_TYPE_F32, Size)});
  }

  /// New weights, in new memory: all elements are \p Value.
  void load(ggml_backend_t Gpu, float Value) {
    for (const Layer &L : Layers)
      for (ggml_tensor *T : {L.Weights, L.Bias})
        T->data = nullptr, T->buffer = nullptr;
    Buffer = ggml_backend_alloc_ctx_tensors(Memory, Gpu);
    require(Buffer, "ggml_backend_alloc_ctx_tensors");
    std::vector<float> Values(Size * Size, Value);
    for (const Layer &L : Layers)
      for (ggml_tensor *T : {L.Weights, L.Bias})
        ggml_backend_tensor_set(T, Values.data(), 0, ggml_nbytes(T));
  }
};

/// A graph that computes with the model, and its scheduler.
struct Computation {
  ggml_backend_sched_t Scheduler;
  ggml_context *Memory = nullptr;
  ggml_cgraph *Graph = nullptr;
  ggml_tensor *Input = nullptr, *Output = nullptr;

  void build(const Model &M) {
    ggml_free(Memory);
    Memory = context();
    Graph = ggml_new_graph(Memory);
    Input = ggml_new_tensor_1d(Memory, GGML_TYPE_F32, Size);
    ggml_set_input(Input);
    Output = Input;
    for (const Layer &L : M.Layers)
      Output = ggml_add(
          Memory, ggml_silu(Memory, ggml_mul_mat(Memory, L.Weights, Output)),
          L.Bias);
    ggml_set_output(Output);
    ggml_build_forward_expand(Graph, Output);
    ggml_backend_sched_reset(Scheduler);
    require(ggml_backend_sched_alloc_graph(Scheduler, Graph), "the allocation");
  }

  float operator()() {
    std::vector<float> Values(Size, 1);
    ggml_backend_tensor_set(Input, Values.data(), 0, ggml_nbytes(Input));
    require(ggml_backend_sched_graph_compute(Scheduler, Graph) ==
                GGML_STATUS_SUCCESS,
            "the computation");
    ggml_backend_tensor_get(Output, Values.data(), 0, ggml_nbytes(Output));
    return Values[0];
  }
};

static void quiet(ggml_log_level, const char *, void *) {}

int main(int Count, char **Args) {
  require(Count == 3 && !std::strcmp(Args[1], "weights"), "the command line");
  bool Right = !std::strcmp(Args[2], "right");
  ggml_log_set(quiet, nullptr);
  ggml_backend_t Gpu = ggml_backend_cuda_init(0);
  ggml_backend_t Host = ggml_backend_cpu_init();
  require(Gpu && Host, "the backends");
  Model M(2);
  M.load(Gpu, 0.01f);
  ggml_backend_t Backends[] = {Gpu, Host};
  Computation Compute{ggml_backend_sched_new(
      Backends, nullptr, 2, GGML_DEFAULT_GRAPH_SIZE, false, false)};
  Compute.build(M);
  for (int Turn = 0; Turn != 4; ++Turn)
    std::printf("first weights: %.4f\n", Compute());

  ggml_backend_buffer_t Before = M.Buffer;
  M.load(Gpu, 0.02f);
  if (Right)
    Compute.build(M);
  ggml_backend_buffer_free(Before); // FINDS freed-memory weights-wrong
  for (int Turn = 0; Turn != 4; ++Turn)
    std::printf("second weights: %.4f\n", Compute());

  ggml_backend_sched_free(Compute.Scheduler);
  ggml_backend_free(Gpu);
  ggml_backend_free(Host);
  ggml_backend_buffer_free(M.Buffer);
  ggml_free(Compute.Memory);
  ggml_free(M.Memory);
}
