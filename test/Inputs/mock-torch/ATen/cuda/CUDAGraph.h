//===- CUDAGraph.h - Mock: CUDAGraph -------------------------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_ATEN_CUDA_CUDAGRAPH_H
#define CUDAGRAPH_MOCK_ATEN_CUDA_CUDAGRAPH_H

#include <c10/cuda/CUDAGraphsC10Utils.h>

namespace at {
using MempoolId_t = c10::MempoolId_t;
class Tensor;
struct Generator {
  uint64_t current_seed() const;
  uint64_t seed();
  void set_current_seed(uint64_t seed);
  Tensor get_state() const;
  void set_state(const Tensor &state);
};

namespace cuda {
MempoolId_t graph_pool_handle();

struct CUDAGraph {
  CUDAGraph(bool keep_graph = false);
  ~CUDAGraph();
  void register_generator_state(const at::Generator &generator);
  void capture_begin(
      MempoolId_t pool = {0, 0},
      cudaStreamCaptureMode capture_mode = cudaStreamCaptureModeGlobal);
  void capture_end();
  void instantiate();
  void replay();
  void reset();
  MempoolId_t pool();
  void enable_debug_mode();
  void debug_dump(const std::string &debug_path);
  cudaGraph_t raw_cuda_graph();
  cudaGraphExec_t raw_cuda_graph_exec();
};
} // namespace cuda
} // namespace at

#endif // CUDAGRAPH_MOCK_ATEN_CUDA_CUDAGRAPH_H
