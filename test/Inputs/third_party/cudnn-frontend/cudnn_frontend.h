//===- cudnn_frontend.h - Mock: bodies in headers ---------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_CUDNN_FRONTEND_H
#define CUDAGRAPH_MOCK_CUDNN_FRONTEND_H

#include "cuda_runtime.h"

typedef struct cudnnContext *cudnnHandle_t;
extern "C" int cudnnSetStream(cudnnHandle_t handle, cudaStream_t stream);

namespace cudnn_frontend::graph {
class Graph {
public:
  int execute(cudnnHandle_t, void *workspace) const {
    if (!workspace)
      cudaMalloc(&workspace, 4);
    return 0;
  }
  int warmup() {
    cudaDeviceSynchronize();
    return 0;
  }
  int set_name(int name) {
    void *table;
    cudaMalloc(&table, name);
    return 0;
  }
};
} // namespace cudnn_frontend::graph

#endif // CUDAGRAPH_MOCK_CUDNN_FRONTEND_H
