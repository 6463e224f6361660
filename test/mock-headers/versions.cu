// The mock headers for older toolkits have the names and parameters of these.

// RUN: %clangxx -std=c++17 %mockflags -fsyntax-only -Wall -Werror -DCUDAGRAPH_MOCK_CUDA_VERSION=11040 %s
// RUN: %clangxx -std=c++17 %mockflags -fsyntax-only -Wall -Werror -DCUDAGRAPH_MOCK_CUDA_VERSION=11080 %s
// RUN: %clangxx -std=c++17 %mockflags -fsyntax-only -Wall -Werror -DCUDAGRAPH_MOCK_CUDA_VERSION=12000 %s
// RUN: %clangxx -std=c++17 %mockflags -fsyntax-only -Wall -Werror -DCUDAGRAPH_MOCK_CUDA_VERSION=12020 %s
// RUN: %clangxx -std=c++17 %mockflags -fsyntax-only -Wall -Werror -DCUDAGRAPH_MOCK_CUDA_VERSION=12030 %s
// RUN: %clangxx -std=c++17 %mockflags -fsyntax-only -Wall -Werror -DCUDAGRAPH_MOCK_CUDA_VERSION=12040 -DCUDA_API_PER_THREAD_DEFAULT_STREAM %s
// RUN: %clangxx -std=c++17 %mockflags -fsyntax-only -Wall -Werror -DCUDAGRAPH_MOCK_CUDA_VERSION=12080 %s
// RUN: %clangxx -std=c++17 %mockflags -fsyntax-only -Wall -Werror -DCUDAGRAPH_MOCK_CUDA_VERSION=13000 %s
// RUN: %clangxx -std=c++17 %mockflags -fsyntax-only -Wall -Werror %s
// RUN: %clangxx -std=c++17 -x c++ -isystem %mock -fsyntax-only -Wall -Werror -DCUDAGRAPH_MOCK_CUDA_VERSION=11080 %s
// RUN: echo '#include <cuda_runtime_api.h>' > %t.c
// RUN: echo '#include <cuda.h>' >> %t.c
// RUN: %clangxx -x c -std=c11 -isystem %mock -fsyntax-only -Wall -Werror -DCUDAGRAPH_MOCK_CUDA_VERSION=11080 %t.c
// RUN: %clangxx -x c -std=c11 -isystem %mock -fsyntax-only -Wall -Werror -DCUDAGRAPH_MOCK_CUDA_VERSION=12080 %t.c

// The names agree with the versions in the catalogue.
// RUN: %python %S/versions.py %clangxx %mock %root/checks/catalogue/versions.json

// Later names are missing, and removed ones stay removed.

// RUN: not %clangxx -std=c++17 %mockflags -fsyntax-only -ferror-limit=0 -DCUDAGRAPH_MOCK_CUDA_VERSION=11080 -DWRONG %s 2>&1 | %FileCheck %s --check-prefix=OLD
// OLD-DAG: undeclared identifier 'cudaGraphAddNode'
// OLD-DAG: undeclared identifier 'cudaStreamBeginCaptureToGraph'
// OLD-DAG: undeclared identifier 'cudaFuncGetParamInfo'
// OLD-DAG: undeclared identifier 'cudaMemcpyBatchAsync'
// OLD-DAG: undeclared identifier 'cuLibraryLoadData'
// OLD-NOT: undeclared identifier 'cudaThreadSynchronize'
// RUN: not %clangxx -std=c++17 %mockflags -fsyntax-only -ferror-limit=0 -DWRONG %s 2>&1 | %FileCheck %s --check-prefix=NEW
// NEW-NOT: undeclared identifier 'cudaGraphAddNode'
// NEW: undeclared identifier 'cudaThreadSynchronize'
// NEW-NOT: undeclared identifier

#include <cuda.h>
#include <cuda_runtime.h>
#include <type_traits>

template <class F, F *Function> struct Has {};
#define HAS(NAME, ...) using NAME##_is = Has<cudaError_t(__VA_ARGS__), NAME>
#define DRIVER_HAS(NAME, ...) CUresult (*NAME##_is)(__VA_ARGS__) = NAME

#if CUDART_VERSION >= 13000
HAS(cudaGraphAddDependencies, cudaGraph_t, const cudaGraphNode_t *,
    const cudaGraphNode_t *, const cudaGraphEdgeData *, size_t);
HAS(cudaGraphAddNode, cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *,
    const cudaGraphEdgeData *, size_t, cudaGraphNodeParams *);
HAS(cudaMemPrefetchAsync, const void *, size_t, cudaMemLocation, unsigned,
    cudaStream_t);
DRIVER_HAS(cuGraphAddNode, CUgraphNode *, CUgraph, const CUgraphNode *,
           const CUgraphEdgeData *, size_t, CUgraphNodeParams *);
#else
HAS(cudaGraphAddDependencies, cudaGraph_t, const cudaGraphNode_t *,
    const cudaGraphNode_t *, size_t);
HAS(cudaMemPrefetchAsync, const void *, size_t, int, cudaStream_t);
HAS(cudaMemAdvise, const void *, size_t, cudaMemoryAdvise, int);
HAS(cudaStreamGetCaptureInfo_v2, cudaStream_t, cudaStreamCaptureStatus *,
    unsigned long long *, cudaGraph_t *, const cudaGraphNode_t **, size_t *);
HAS(cudaStreamUpdateCaptureDependencies, cudaStream_t, cudaGraphNode_t *,
    size_t, unsigned);
HAS(cudaThreadSynchronize, void);
DRIVER_HAS(cuMemPrefetchAsync, CUdeviceptr, size_t, CUdevice, CUstream);
DRIVER_HAS(cuStreamGetCaptureInfo_v2, CUstream, CUstreamCaptureStatus *,
           cuuint64_t *, CUgraph *, const CUgraphNode **, size_t *);
DRIVER_HAS(cuCtxCreate, CUcontext *, unsigned, CUdevice);
#endif

#if CUDART_VERSION < 12000
HAS(cudaStreamGetCaptureInfo, cudaStream_t, cudaStreamCaptureStatus *,
    unsigned long long *);
HAS(cudaGraphInstantiate, cudaGraphExec_t *, cudaGraph_t, cudaGraphNode_t *,
    char *, size_t);
HAS(cudaGraphExecUpdate, cudaGraphExec_t, cudaGraph_t, cudaGraphNode_t *,
    cudaGraphExecUpdateResult *);
DRIVER_HAS(cuGraphInstantiate, CUgraphExec *, CUgraph, CUgraphNode *, char *,
           size_t);
DRIVER_HAS(cuGraphExecUpdate, CUgraphExec, CUgraph, CUgraphNode *,
           CUgraphExecUpdateResult *);
DRIVER_HAS(cuStreamGetCaptureInfo, CUstream, CUstreamCaptureStatus *,
           cuuint64_t *);
#else
cudaError_t (*instantiate)(cudaGraphExec_t *, cudaGraph_t,
                           unsigned long long) = cudaGraphInstantiate;
HAS(cudaGraphExecUpdate, cudaGraphExec_t, cudaGraph_t,
    cudaGraphExecUpdateResultInfo *);
HAS(cudaGraphInstantiateWithParams, cudaGraphExec_t *, cudaGraph_t,
    cudaGraphInstantiateParams *);
DRIVER_HAS(cuGraphInstantiate, CUgraphExec *, CUgraph, unsigned long long);
DRIVER_HAS(cuGraphExecUpdate, CUgraphExec, CUgraph,
           CUgraphExecUpdateResultInfo *);
#if CUDART_VERSION < 13000
HAS(cudaStreamGetCaptureInfo, cudaStream_t, cudaStreamCaptureStatus *,
    unsigned long long *, cudaGraph_t *, const cudaGraphNode_t **, size_t *);
DRIVER_HAS(cuStreamGetCaptureInfo, CUstream, CUstreamCaptureStatus *,
           cuuint64_t *, CUgraph *, const CUgraphNode **, size_t *);
#endif
#endif

#if CUDART_VERSION >= 12020 && CUDART_VERSION < 13000
HAS(cudaGraphAddNode, cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *,
    size_t, cudaGraphNodeParams *);
#endif
#if CUDART_VERSION >= 12030
HAS(cudaStreamBeginCaptureToGraph, cudaStream_t, cudaGraph_t,
    const cudaGraphNode_t *, const cudaGraphEdgeData *, size_t,
    cudaStreamCaptureMode);
HAS(cudaGraphConditionalHandleCreate, cudaGraphConditionalHandle *,
    cudaGraph_t, unsigned, unsigned);
#if CUDART_VERSION < 13000
HAS(cudaStreamGetCaptureInfo_v3, cudaStream_t, cudaStreamCaptureStatus *,
    unsigned long long *, cudaGraph_t *, const cudaGraphNode_t **,
    const cudaGraphEdgeData **, size_t *);
HAS(cudaGraphAddNode_v2, cudaGraphNode_t *, cudaGraph_t,
    const cudaGraphNode_t *, const cudaGraphEdgeData *, size_t,
    cudaGraphNodeParams *);
#endif
#endif
#if CUDART_VERSION >= 12080 && CUDART_VERSION < 13000
HAS(cudaMemcpyBatchAsync, void **, void **, size_t *, size_t,
    cudaMemcpyAttributes *, size_t *, size_t, size_t *, cudaStream_t);
#endif

// In all versions.
cudaError_t capture(cudaStream_t stream, cudaGraph_t *graph) {
  if (cudaError_t e =
          cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal))
    return e;
  cudaStreamCaptureStatus status;
  unsigned long long id;
  if (cudaError_t e = cudaStreamGetCaptureInfo(stream, &status, &id))
    return e;
  return cudaStreamEndCapture(stream, graph);
}

cudaError_t build(cudaGraph_t graph, cudaGraphExec_t *exec) {
  cudaDeviceProp properties;
#if CUDART_VERSION < 13000
  properties.clockRate = 1;
  (void)properties.clockRate;
#endif
  (void)properties;
  return cudaGraphInstantiate(exec, graph, nullptr, nullptr, 0);
}

#ifdef WRONG
void *names[] = {
    (void *)cudaGraphAddNode,      (void *)cudaStreamBeginCaptureToGraph,
    (void *)cudaFuncGetParamInfo,  (void *)cudaMemcpyBatchAsync,
    (void *)cudaThreadSynchronize, (void *)cuLibraryLoadData};
#endif
