//===- cuda_runtime_older.h - Functions that 13.0 lacks ---------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runtime functions that only older toolkits have, or that have different
// parameters there. Included by cuda_runtime_api.h inside its extern "C" block.
//
//===----------------------------------------------------------------------===//

#if CUDAGRAPH_MOCK_CUDA_VERSION < 12000
struct textureReference {
  int normalized;
  int filterMode;
  int addressMode[3];
  struct cudaChannelFormatDesc channelDesc;
  int sRGB;
};
struct surfaceReference {
  struct cudaChannelFormatDesc channelDesc;
};
#endif

#if CUDAGRAPH_MOCK_CUDA_VERSION < 13000
struct cudaLaunchParams {
  void *func;
  dim3 gridDim;
  dim3 blockDim;
  void **args;
  size_t sharedMem;
  cudaStream_t stream;
};

#if CUDAGRAPH_MOCK_CUDA_VERSION >= 12000
#undef cudaStreamGetCaptureInfo
#define cudaStreamGetCaptureInfo __CUDART_API_PTSZ(cudaStreamGetCaptureInfo_v2)
#endif
#define cudaStreamGetCaptureInfo_v2                                            \
  __CUDART_API_PTSZ(cudaStreamGetCaptureInfo_v2)
#define cudaStreamGetCaptureInfo_v3                                            \
  __CUDART_API_PTSZ(cudaStreamGetCaptureInfo_v3)
#define cudaStreamUpdateCaptureDependencies_v2                                 \
  __CUDART_API_PTSZ(cudaStreamUpdateCaptureDependencies_v2)
#define cudaMemPrefetchAsync_v2 __CUDART_API_PTSZ(cudaMemPrefetchAsync_v2)
#endif

#if CUDAGRAPH_MOCK_CUDA_VERSION < 12000
cudaError_t cudaBindSurfaceToArray(const struct surfaceReference *surfref,
                                   cudaArray_const_t array,
                                   const struct cudaChannelFormatDesc *desc);
cudaError_t cudaBindTexture(size_t *offset,
                            const struct textureReference *texref,
                            const void *devPtr,
                            const struct cudaChannelFormatDesc *desc,
                            size_t size CUDAGRAPH_MOCK_DEFAULT(0xffffffff));
cudaError_t cudaBindTexture2D(size_t *offset,
                              const struct textureReference *texref,
                              const void *devPtr,
                              const struct cudaChannelFormatDesc *desc,
                              size_t width, size_t height, size_t pitch);
cudaError_t cudaBindTextureToArray(const struct textureReference *texref,
                                   cudaArray_const_t array,
                                   const struct cudaChannelFormatDesc *desc);
cudaError_t
cudaBindTextureToMipmappedArray(const struct textureReference *texref,
                                cudaMipmappedArray_const_t mipmappedArray,
                                const struct cudaChannelFormatDesc *desc);
cudaError_t cudaGetSurfaceReference(const struct surfaceReference **surfref,
                                    const void *symbol);
cudaError_t
cudaGetTextureAlignmentOffset(size_t *offset,
                              const struct textureReference *texref);
cudaError_t cudaGetTextureReference(const struct textureReference **texref,
                                    const void *symbol);
cudaError_t
cudaGraphExecUpdate(cudaGraphExec_t hGraphExec, cudaGraph_t hGraph,
                    cudaGraphNode_t *hErrorNode_out,
                    enum cudaGraphExecUpdateResult *updateResult_out);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *pGraphExec, cudaGraph_t graph,
                                 cudaGraphNode_t *pErrorNode, char *pLogBuffer,
                                 size_t bufferSize);
cudaError_t
cudaStreamGetCaptureInfo(cudaStream_t stream,
                         enum cudaStreamCaptureStatus *pCaptureStatus,
                         unsigned long long *pId CUDAGRAPH_MOCK_DEFAULT(0));
cudaError_t cudaUnbindTexture(const struct textureReference *texref);
#endif

#if CUDAGRAPH_MOCK_CUDA_VERSION < 13000
cudaError_t cudaGraphAddDependencies(cudaGraph_t graph,
                                     const cudaGraphNode_t *from,
                                     const cudaGraphNode_t *to,
                                     size_t numDependencies);
cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from,
                              cudaGraphNode_t *to, size_t *numEdges);
cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node,
                                         cudaGraphNode_t *pDependencies,
                                         size_t *pNumDependencies);
cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node,
                                           cudaGraphNode_t *pDependentNodes,
                                           size_t *pNumDependentNodes);
cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph,
                                        const cudaGraphNode_t *from,
                                        const cudaGraphNode_t *to,
                                        size_t numDependencies);
cudaError_t cudaLaunchCooperativeKernelMultiDevice(
    struct cudaLaunchParams *launchParamsList, unsigned int numDevices,
    unsigned int flags CUDAGRAPH_MOCK_DEFAULT(0));
cudaError_t cudaMemAdvise(const void *devPtr, size_t count,
                          enum cudaMemoryAdvise advice, int device);
cudaError_t cudaMemPrefetchAsync(const void *devPtr, size_t count,
                                 int dstDevice,
                                 cudaStream_t stream CUDAGRAPH_MOCK_DEFAULT(0));
cudaError_t cudaSetDoubleForDevice(double *d);
cudaError_t cudaSetDoubleForHost(double *d);
cudaError_t cudaStreamGetCaptureInfo_v2(
    cudaStream_t stream, enum cudaStreamCaptureStatus *captureStatus_out,
    unsigned long long *id_out CUDAGRAPH_MOCK_DEFAULT(0),
    cudaGraph_t *graph_out CUDAGRAPH_MOCK_DEFAULT(0),
    const cudaGraphNode_t **dependencies_out CUDAGRAPH_MOCK_DEFAULT(0),
    size_t *numDependencies_out CUDAGRAPH_MOCK_DEFAULT(0));
cudaError_t cudaStreamUpdateCaptureDependencies(
    cudaStream_t stream, cudaGraphNode_t *dependencies, size_t numDependencies,
    unsigned int flags CUDAGRAPH_MOCK_DEFAULT(0));
cudaError_t cudaThreadExit(void);
cudaError_t cudaThreadGetCacheConfig(enum cudaFuncCache *pCacheConfig);
cudaError_t cudaThreadGetLimit(size_t *pValue, enum cudaLimit limit);
cudaError_t cudaThreadSetCacheConfig(enum cudaFuncCache cacheConfig);
cudaError_t cudaThreadSetLimit(enum cudaLimit limit, size_t value);
cudaError_t cudaThreadSynchronize(void);
#endif

#if CUDAGRAPH_MOCK_CUDA_VERSION >= 12020 && CUDAGRAPH_MOCK_CUDA_VERSION < 13000
cudaError_t cudaGraphAddNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                             const cudaGraphNode_t *pDependencies,
                             size_t numDependencies,
                             struct cudaGraphNodeParams *nodeParams);
cudaError_t cudaMemAdvise_v2(const void *devPtr, size_t count,
                             enum cudaMemoryAdvise advice,
                             struct cudaMemLocation location);
cudaError_t
cudaMemPrefetchAsync_v2(const void *devPtr, size_t count,
                        struct cudaMemLocation location, unsigned int flags,
                        cudaStream_t stream CUDAGRAPH_MOCK_DEFAULT(0));
#endif

#if CUDAGRAPH_MOCK_CUDA_VERSION >= 12030 && CUDAGRAPH_MOCK_CUDA_VERSION < 13000
cudaError_t cudaGraphAddDependencies_v2(cudaGraph_t graph,
                                        const cudaGraphNode_t *from,
                                        const cudaGraphNode_t *to,
                                        const cudaGraphEdgeData *edgeData,
                                        size_t numDependencies);
cudaError_t cudaGraphAddNode_v2(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                const cudaGraphNode_t *pDependencies,
                                const cudaGraphEdgeData *dependencyData,
                                size_t numDependencies,
                                struct cudaGraphNodeParams *nodeParams);
cudaError_t cudaGraphGetEdges_v2(cudaGraph_t graph, cudaGraphNode_t *from,
                                 cudaGraphNode_t *to,
                                 cudaGraphEdgeData *edgeData, size_t *numEdges);
cudaError_t cudaGraphNodeGetDependencies_v2(cudaGraphNode_t node,
                                            cudaGraphNode_t *pDependencies,
                                            cudaGraphEdgeData *edgeData,
                                            size_t *pNumDependencies);
cudaError_t cudaGraphNodeGetDependentNodes_v2(cudaGraphNode_t node,
                                              cudaGraphNode_t *pDependentNodes,
                                              cudaGraphEdgeData *edgeData,
                                              size_t *pNumDependentNodes);
cudaError_t cudaGraphRemoveDependencies_v2(cudaGraph_t graph,
                                           const cudaGraphNode_t *from,
                                           const cudaGraphNode_t *to,
                                           const cudaGraphEdgeData *edgeData,
                                           size_t numDependencies);
cudaError_t cudaStreamGetCaptureInfo_v3(
    cudaStream_t stream, enum cudaStreamCaptureStatus *captureStatus_out,
    unsigned long long *id_out CUDAGRAPH_MOCK_DEFAULT(0),
    cudaGraph_t *graph_out CUDAGRAPH_MOCK_DEFAULT(0),
    const cudaGraphNode_t **dependencies_out CUDAGRAPH_MOCK_DEFAULT(0),
    const cudaGraphEdgeData **edgeData_out CUDAGRAPH_MOCK_DEFAULT(0),
    size_t *numDependencies_out CUDAGRAPH_MOCK_DEFAULT(0));
cudaError_t cudaStreamUpdateCaptureDependencies_v2(
    cudaStream_t stream, cudaGraphNode_t *dependencies,
    const cudaGraphEdgeData *dependencyData, size_t numDependencies,
    unsigned int flags CUDAGRAPH_MOCK_DEFAULT(0));
#endif

#if CUDAGRAPH_MOCK_CUDA_VERSION >= 12080 && CUDAGRAPH_MOCK_CUDA_VERSION < 13000
cudaError_t cudaEventElapsedTime_v2(float *ms, cudaEvent_t start,
                                    cudaEvent_t end);
cudaError_t cudaMemcpy3DBatchAsync(size_t numOps,
                                   struct cudaMemcpy3DBatchOp *opList,
                                   size_t *failIdx, unsigned long long flags,
                                   cudaStream_t stream);
cudaError_t cudaMemcpyBatchAsync(void **dsts, void **srcs, size_t *sizes,
                                 size_t count,
                                 struct cudaMemcpyAttributes *attrs,
                                 size_t *attrsIdxs, size_t numAttrs,
                                 size_t *failIdx, cudaStream_t stream);
#endif
