//===- driver_api.cu - The same through the driver API --------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Uses only functions of cuda.h, linked with -lcuda.
//
//===----------------------------------------------------------------------===//

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>

static void must(CUresult Code) {
  if (Code == CUDA_SUCCESS)
    return;
  std::fprintf(stderr, "preparation failed: %d\n", int(Code));
  std::exit(99);
}

static void finish(CUstream S) {
  CUgraph Graph = nullptr;
  if (cuStreamEndCapture(S, &Graph) == CUDA_SUCCESS && Graph)
    must(cuGraphDestroy(Graph));
}

static void grow(CUdeviceptr *P) {
  cuMemAlloc(P, 1 << 20); // BREAKS 900 allocate
}
static void allocate(CUstream S, CUevent) {
  CUdeviceptr P;
  must(cuStreamBeginCapture(S, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
  grow(&P);
  finish(S);
}

static bool done(CUevent E) {
  return cuEventQuery(E) == CUDA_SUCCESS; // BREAKS 907 captured-event
}
static void capturedEvent(CUstream S, CUevent E) {
  must(cuStreamBeginCapture(S, CU_STREAM_CAPTURE_MODE_RELAXED));
  must(cuEventRecord(E, S));
  done(E);
  finish(S);
}

static void clean(CUstream S, CUevent) {
  CUdeviceptr P;
  must(cuMemAlloc(&P, 256));
  must(cuStreamBeginCapture(S, CU_STREAM_CAPTURE_MODE_GLOBAL));
  must(cuMemsetD8Async(P, 0, 256, S));
  finish(S);
  must(cuMemFree(P));
}

int main(int Count, char **Args) {
  CUdevice Device;
  CUcontext Context;
  CUstream S;
  CUevent E;
  must(cuInit(0));
  must(cuDeviceGet(&Device, 0));
  must(cuDevicePrimaryCtxRetain(&Context, Device));
  must(cuCtxSetCurrent(Context));
  must(cuStreamCreate(&S, CU_STREAM_NON_BLOCKING));
  must(cuEventCreate(&E, CU_EVENT_DEFAULT));
  const char *Name = Count == 2 ? Args[1] : "";
  if (!std::strcmp(Name, "allocate"))
    allocate(S, E);
  else if (!std::strcmp(Name, "captured-event"))
    capturedEvent(S, E);
  else if (!std::strcmp(Name, "clean"))
    clean(S, E);
  else
    return 2;
  return 0;
}
