//===- cuda_runtime_templates.h - More of the API for C++ ----- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Overloads for typed pointers, kernels, and symbols that few programs use.
// Included by cuda_runtime.h.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_CUDA_RUNTIME_TEMPLATES_H
#define CUDAGRAPH_MOCK_CUDA_RUNTIME_TEMPLATES_H

#include "cuda_runtime_api.h"

// Occupancy.

template <typename UnaryFunction, class T>
static inline cudaError_t
cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(
    int *minGridSize, int *blockSize, T func,
    UnaryFunction blockSizeToDynamicSMemSize, int blockSizeLimit = 0,
    unsigned int flags = 0) {
  int blocks = 0;
  *blockSize = blockSizeLimit ? blockSizeLimit : 1024;
  cudaError_t error = ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
      &blocks, (const void *)func, *blockSize,
      blockSizeToDynamicSMemSize(*blockSize), flags);
  *minGridSize = blocks;
  return error;
}

template <typename UnaryFunction, class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(
    int *minGridSize, int *blockSize, T func,
    UnaryFunction blockSizeToDynamicSMemSize, int blockSizeLimit = 0) {
  return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(
      minGridSize, blockSize, func, blockSizeToDynamicSMemSize, blockSizeLimit,
      cudaOccupancyDefault);
}

template <class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeWithFlags(
    int *minGridSize, int *blockSize, T func, size_t dynamicSMemSize = 0,
    int blockSizeLimit = 0, unsigned int flags = 0) {
  int blocks = 0;
  *blockSize = blockSizeLimit ? blockSizeLimit : 1024;
  cudaError_t error = ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
      &blocks, (const void *)func, *blockSize, dynamicSMemSize, flags);
  *minGridSize = blocks;
  return error;
}

template <class T>
static inline cudaError_t
cudaOccupancyAvailableDynamicSMemPerBlock(size_t *dynamicSmemSize, T *func,
                                          int numBlocks, int blockSize) {
  return ::cudaOccupancyAvailableDynamicSMemPerBlock(
      dynamicSmemSize, (const void *)func, numBlocks, blockSize);
}

#if CUDAGRAPH_MOCK_CUDA_VERSION >= 11080
template <class T>
static inline cudaError_t
cudaOccupancyMaxPotentialClusterSize(int *clusterSize, T *func,
                                     const cudaLaunchConfig_t *config) {
  return ::cudaOccupancyMaxPotentialClusterSize(clusterSize, (const void *)func,
                                                config);
}

template <class T>
static inline cudaError_t
cudaOccupancyMaxActiveClusters(int *numClusters, T *func,
                               const cudaLaunchConfig_t *config) {
  return ::cudaOccupancyMaxActiveClusters(numClusters, (const void *)func,
                                          config);
}
#endif

// Kernels and libraries.

#if CUDAGRAPH_MOCK_CUDA_VERSION >= 12010
template <typename... ActTypes>
static inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config,
                                             const cudaKernel_t kernel,
                                             ActTypes &&...args) {
  void *pArgs[] = {(void *)&args..., nullptr};
  return ::cudaLaunchKernelExC(config, (const void *)kernel, pArgs);
}

template <class T>
static inline cudaError_t cudaGetKernel(cudaKernel_t *kernelPtr, T *func) {
  return ::cudaGetKernel(kernelPtr, (const void *)func);
}
#endif

#if CUDAGRAPH_MOCK_CUDA_VERSION >= 12030
template <class T>
static inline cudaError_t cudaFuncGetName(const char **name, T *func) {
  return ::cudaFuncGetName(name, (const void *)func);
}
#endif

template <class T>
static inline cudaError_t
cudaFuncSetSharedMemConfig(T *func, cudaSharedMemConfig config) {
  return ::cudaFuncSetSharedMemConfig((const void *)func, config);
}

#if CUDAGRAPH_MOCK_CUDA_VERSION >= 12080
template <class T>
static inline cudaError_t cudaLibraryGetGlobal(T **dptr, size_t *bytes,
                                               cudaLibrary_t library,
                                               const char *name) {
  return ::cudaLibraryGetGlobal((void **)(void *)dptr, bytes, library, name);
}

template <class T>
static inline cudaError_t cudaLibraryGetManaged(T **dptr, size_t *bytes,
                                                cudaLibrary_t library,
                                                const char *name) {
  return ::cudaLibraryGetManaged((void **)(void *)dptr, bytes, library, name);
}

template <class T>
static inline cudaError_t cudaLibraryGetUnifiedFunction(T **fptr,
                                                        cudaLibrary_t library,
                                                        const char *symbol) {
  return ::cudaLibraryGetUnifiedFunction((void **)(void *)fptr, library,
                                         symbol);
}
#endif

// Graphs.

template <class T>
static inline cudaError_t
cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                               const cudaGraphNode_t *pDependencies,
                               size_t numDependencies, const T &symbol,
                               const void *src, size_t count, size_t offset,
                               cudaMemcpyKind kind) {
  return ::cudaGraphAddMemcpyNodeToSymbol(
      pGraphNode, graph, pDependencies, numDependencies, (const void *)&symbol,
      src, count, offset, kind);
}

template <class T>
static inline cudaError_t cudaGraphAddMemcpyNodeFromSymbol(
    cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
    const cudaGraphNode_t *pDependencies, size_t numDependencies, void *dst,
    const T &symbol, size_t count, size_t offset, cudaMemcpyKind kind) {
  return ::cudaGraphAddMemcpyNodeFromSymbol(
      pGraphNode, graph, pDependencies, numDependencies, dst,
      (const void *)&symbol, count, offset, kind);
}

template <class T>
static inline cudaError_t
cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const T &symbol,
                                     const void *src, size_t count,
                                     size_t offset, cudaMemcpyKind kind) {
  return ::cudaGraphMemcpyNodeSetParamsToSymbol(node, (const void *)&symbol,
                                                src, count, offset, kind);
}

template <class T>
static inline cudaError_t
cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void *dst,
                                       const T &symbol, size_t count,
                                       size_t offset, cudaMemcpyKind kind) {
  return ::cudaGraphMemcpyNodeSetParamsFromSymbol(
      node, dst, (const void *)&symbol, count, offset, kind);
}

template <class T>
static inline cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(
    cudaGraphExec_t hGraphExec, cudaGraphNode_t node, const T &symbol,
    const void *src, size_t count, size_t offset, cudaMemcpyKind kind) {
  return ::cudaGraphExecMemcpyNodeSetParamsToSymbol(
      hGraphExec, node, (const void *)&symbol, src, count, offset, kind);
}

template <class T>
static inline cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(
    cudaGraphExec_t hGraphExec, cudaGraphNode_t node, void *dst,
    const T &symbol, size_t count, size_t offset, cudaMemcpyKind kind) {
  return ::cudaGraphExecMemcpyNodeSetParamsFromSymbol(
      hGraphExec, node, dst, (const void *)&symbol, count, offset, kind);
}

#if defined(__CUDACC__) && CUDAGRAPH_MOCK_CUDA_VERSION >= 12000
static inline cudaError_t
cudaGraphExecUpdate(cudaGraphExec_t hGraphExec, cudaGraph_t hGraph,
                    cudaGraphNode_t *hErrorNode_out,
                    cudaGraphExecUpdateResult *updateResult_out) {
  cudaGraphExecUpdateResultInfo info;
  cudaError_t error = ::cudaGraphExecUpdate(hGraphExec, hGraph, &info);
  if (hErrorNode_out)
    *hErrorNode_out = info.errorNode;
  if (updateResult_out)
    *updateResult_out = info.result;
  return error;
}
#endif

template <class T>
static inline cudaError_t
cudaUserObjectCreate(cudaUserObject_t *object_out, T *objectToWrap,
                     unsigned int initialRefcount, unsigned int flags) {
  return ::cudaUserObjectCreate(
      object_out, objectToWrap, [](void *object) { delete (T *)object; },
      initialRefcount, flags);
}

template <class T>
static inline cudaError_t
cudaUserObjectCreate(cudaUserObject_t *object_out, T *objectToWrap,
                     unsigned int initialRefcount, cudaUserObjectFlags flags) {
  return cudaUserObjectCreate(object_out, objectToWrap, initialRefcount,
                              (unsigned int)flags);
}

// Batches.

#if CUDAGRAPH_MOCK_CUDA_VERSION >= 13000
template <typename T, typename U>
static inline cudaError_t
cudaMemcpyBatchAsync(T *const *dsts, U *const *srcs, const size_t *sizes,
                     size_t count, cudaMemcpyAttributes *attrs,
                     size_t *attrsIdxs, size_t numAttrs, cudaStream_t hStream) {
  return ::cudaMemcpyBatchAsync((void *const *)dsts, (const void *const *)srcs,
                                sizes, count, attrs, attrsIdxs, numAttrs,
                                hStream);
}

template <typename T, typename U>
static inline cudaError_t
cudaMemcpyBatchAsync(T *const *dsts, U *const *srcs, const size_t *sizes,
                     size_t count, cudaMemcpyAttributes attr,
                     cudaStream_t hStream) {
  size_t index = 0;
  return ::cudaMemcpyBatchAsync((void *const *)dsts, (const void *const *)srcs,
                                sizes, count, &attr, &index, 1, hStream);
}

template <typename T>
static inline cudaError_t
cudaMemPrefetchBatchAsync(T **dptrs, size_t *sizes, size_t count,
                          cudaMemLocation *prefetchLocs,
                          size_t *prefetchLocIdxs, size_t numPrefetchLocs,
                          unsigned long long flags, cudaStream_t stream) {
  return ::cudaMemPrefetchBatchAsync((void **)dptrs, sizes, count, prefetchLocs,
                                     prefetchLocIdxs, numPrefetchLocs, flags,
                                     stream);
}

template <typename T>
static inline cudaError_t
cudaMemPrefetchBatchAsync(T **dptrs, size_t *sizes, size_t count,
                          cudaMemLocation prefetchLocs,
                          unsigned long long flags, cudaStream_t stream) {
  size_t index = 0;
  return ::cudaMemPrefetchBatchAsync((void **)dptrs, sizes, count,
                                     &prefetchLocs, &index, 1, flags, stream);
}

template <typename T>
static inline cudaError_t cudaMemDiscardAndPrefetchBatchAsync(
    T **dptrs, size_t *sizes, size_t count, cudaMemLocation *prefetchLocs,
    size_t *prefetchLocIdxs, size_t numPrefetchLocs, unsigned long long flags,
    cudaStream_t stream) {
  return ::cudaMemDiscardAndPrefetchBatchAsync((void **)dptrs, sizes, count,
                                               prefetchLocs, prefetchLocIdxs,
                                               numPrefetchLocs, flags, stream);
}

template <typename T>
static inline cudaError_t cudaMemDiscardAndPrefetchBatchAsync(
    T **dptrs, size_t *sizes, size_t count, cudaMemLocation prefetchLocs,
    unsigned long long flags, cudaStream_t stream) {
  size_t index = 0;
  return ::cudaMemDiscardAndPrefetchBatchAsync(
      (void **)dptrs, sizes, count, &prefetchLocs, &index, 1, flags, stream);
}
#endif

#endif // CUDAGRAPH_MOCK_CUDA_RUNTIME_TEMPLATES_H
