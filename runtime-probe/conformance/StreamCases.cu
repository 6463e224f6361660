//===- StreamCases.cu - Streams and captures ------------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scene.h"

namespace cudagraph::conformance {

static void CUDART_CB hostFunction(void *) {}
static void CUDART_CB callback(cudaStream_t, cudaError_t, void *) {}

static void addWaits(Cases &C) {
  C.add("cudaDeviceSynchronize", "",
        [](Scene &) { return cudaDeviceSynchronize(); });
  C.add("cudaCtxResetPersistingL2Cache", "",
        [](Scene &) { return cudaCtxResetPersistingL2Cache(); });
  C.add("cudaStreamSynchronize", "", [](Scene &S) {
     return cudaStreamSynchronize(S.Stream);
   }).streams();
  C.add("cudaStreamQuery", "", [](Scene &S) {
     return cudaStreamQuery(S.Stream);
   }).streams();
}

static void addWaitEvent(Cases &C) {
  C.add("cudaStreamWaitEvent", "captured event", [](Scene &S) {
     return cudaStreamWaitEvent(S.Stream, S.Captured, 0);
   }).streams();
  C.add("cudaStreamWaitEvent", "event recorded before the capture",
        [](Scene &S) { return cudaStreamWaitEvent(S.Stream, S.Outside, 0); })
      .streams();
  C.add("cudaStreamWaitEvent", "event recorded on another stream in between",
        [](Scene &S) { return cudaStreamWaitEvent(S.Stream, S.Fresh, 0); })
      .streams()
      .inside([](Scene &S) {
        return cudaEventRecord(S.Fresh, S.OtherNonBlocking);
      });
  C.add("cudaStreamWaitEvent", "event never recorded", [](Scene &S) {
     return cudaStreamWaitEvent(S.Stream, S.Fresh, 0);
   }).streams();
  C.add("cudaStreamWaitEvent", "external wait", [](Scene &S) {
     return cudaStreamWaitEvent(S.Stream, S.Outside, cudaEventWaitExternal);
   }).streams();
}

static void addProperties(Cases &C) {
  C.add("cudaStreamIsCapturing", "", [](Scene &S) {
     cudaStreamCaptureStatus Status;
     return cudaStreamIsCapturing(S.Stream, &Status);
   }).streams();
  C.add("cudaStreamGetCaptureInfo", "", [](Scene &S) {
     cudaStreamCaptureStatus Status;
     unsigned long long Id;
     return cudaStreamGetCaptureInfo(S.Stream, &Status, &Id);
   }).streams();
  C.add("cudaStreamGetFlags", "", [](Scene &S) {
     unsigned Flags;
     return cudaStreamGetFlags(S.Stream, &Flags);
   }).streams();
  C.add("cudaStreamGetPriority", "", [](Scene &S) {
     return cudaStreamGetPriority(S.Stream, &S.I);
   }).streams();
  C.add("cudaStreamGetId", "", [](Scene &S) {
     unsigned long long Id;
     return cudaStreamGetId(S.Stream, &Id);
   }).streams();
  C.add("cudaStreamGetDevice", "", [](Scene &S) {
     return cudaStreamGetDevice(S.Stream, &S.I);
   }).streams();
  C.add("cudaStreamGetAttribute", "", [](Scene &S) {
     cudaStreamAttrValue Value;
     return cudaStreamGetAttribute(
         S.Stream, cudaStreamAttributeSynchronizationPolicy, &Value);
   }).streams();
  C.add("cudaStreamSetAttribute", "", [](Scene &S) {
     cudaStreamAttrValue Value{};
     Value.syncPolicy = cudaSyncPolicyAuto;
     return cudaStreamSetAttribute(
         S.Stream, cudaStreamAttributeSynchronizationPolicy, &Value);
   }).streams();
  C.add("cudaStreamCopyAttributes", "", [](Scene &S) {
     return cudaStreamCopyAttributes(S.Stream, S.OtherNonBlocking);
   }).streams();
}

static void addLifetimes(Cases &C) {
  auto Destroy = [](Scene &S) {
    return S.NewStream ? cudaStreamDestroy(S.NewStream) : cudaSuccess;
  };
  C.add("cudaStreamCreate", "", [](Scene &S) {
     return cudaStreamCreate(&S.NewStream);
   }).after(Destroy);
  C.add("cudaStreamCreateWithFlags", "", [](Scene &S) {
     return cudaStreamCreateWithFlags(&S.NewStream, cudaStreamNonBlocking);
   }).after(Destroy);
  C.add("cudaStreamCreateWithPriority", "", [](Scene &S) {
     return cudaStreamCreateWithPriority(&S.NewStream, cudaStreamNonBlocking,
                                         0);
   }).after(Destroy);
  C.add("cudaStreamDestroy", "",
        [](Scene &S) {
          int E = cudaStreamDestroy(S.Stream);
          S.OriginGone = S.Where == Relation::Origin && E == cudaSuccess;
          S.JoinedGone = S.Where == Relation::Joined && E == cudaSuccess;
          return E;
        })
      .on({Relation::Origin, Relation::Joined, Relation::OtherBlocking,
           Relation::OtherNonBlocking});
}

static void addCaptures(Cases &C) {
  auto End = [](Scene &S) {
    cudaGraph_t Graph = nullptr;
    if (S.Where != Relation::Origin)
      cudaStreamEndCapture(S.Stream, &Graph);
    return 0;
  };
  C.add("cudaStreamBeginCapture", "",
        [](Scene &S) { return cudaStreamBeginCapture(S.Stream, S.Mode); })
      .streams()
      .after(End);
  C.add("cudaStreamBeginCaptureToGraph", "",
        [](Scene &S) {
          return cudaStreamBeginCaptureToGraph(S.Stream, S.Graph, nullptr,
                                               nullptr, 0, S.Mode);
        })
      .streams()
      .before([](Scene &S) { return cudaGraphCreate(&S.Graph, 0); })
      .after(End);
  C.add("cudaStreamEndCapture", "", [](Scene &S) {
     cudaGraph_t Graph = nullptr;
     return cudaStreamEndCapture(S.Stream, &Graph);
   }).streams();
  C.add("cudaStreamUpdateCaptureDependencies", "", [](Scene &S) {
     return cudaStreamUpdateCaptureDependencies(
         S.Stream, nullptr, nullptr, 0, cudaStreamAddCaptureDependencies);
   }).streams();
  C.add("cudaThreadExchangeStreamCaptureMode", "", [](Scene &) {
    cudaStreamCaptureMode Mode = cudaStreamCaptureModeRelaxed;
    int E = cudaThreadExchangeStreamCaptureMode(&Mode);
    cudaThreadExchangeStreamCaptureMode(&Mode);
    return E;
  });
}

void addStreamCases(Cases &C) {
  addWaits(C);
  addWaitEvent(C);
  addProperties(C);
  addLifetimes(C);
  addCaptures(C);
  C.add("cudaLaunchHostFunc", "", [](Scene &S) {
     return cudaLaunchHostFunc(S.Stream, hostFunction, nullptr);
   }).streams();
  C.add("cudaStreamAddCallback", "", [](Scene &S) {
     return cudaStreamAddCallback(S.Stream, callback, nullptr, 0);
   }).streams();
  C.add("cudaStreamAttachMemAsync", "",
        [](Scene &S) { return cudaStreamAttachMemAsync(S.Stream, S.P); })
      .streams()
      .before([](Scene &S) { return cudaMallocManaged(&S.P, S.Bytes); });
}

} // namespace cudagraph::conformance
