//===- PeerCases.cu - Cases that need two GPUs ----------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The capture is on the first device. Without a second one, the preparation
// fails, and the rows are omitted.
//
//===----------------------------------------------------------------------===//

#include "Scene.h"

namespace cudagraph::conformance {

static CUcontext context(Scene &S) { return static_cast<CUcontext>(S.Q); }

/// Memory of the second device in Scene::P.
static int onSecondDevice(Scene &S) {
  int E = cudaSetDevice(1);
  E = E ? E : cudaMalloc(&S.P, S.Bytes);
  int Back = cudaSetDevice(0);
  return E ? E : Back;
}
static int release(Scene &S) { return S.P ? cudaFree(S.P) : 0; }

static void addCopies(Cases &C) {
  C.add("cudaMemcpyPeer", "to another device",
        [](Scene &S) { return cudaMemcpyPeer(S.P, 1, S.Device, 0, S.Bytes); })
      .before(onSecondDevice)
      .after(release);
  C.add("cudaMemcpyPeerAsync", "to another device",
        [](Scene &S) {
          return cudaMemcpyPeerAsync(S.P, 1, S.Device, 0, S.Bytes, S.Stream);
        })
      .streams()
      .before(onSecondDevice)
      .after(release);
  C.add("cudaMemcpyAsync", "to another device",
        [](Scene &S) {
          return cudaMemcpyAsync(S.P, S.Device, S.Bytes, cudaMemcpyDefault,
                                 S.Stream);
        })
      .streams()
      .before(onSecondDevice)
      .after(release);
  C.add("cudaMemcpy3DPeerAsync", "to another device",
        [](Scene &S) {
          cudaMemcpy3DPeerParms P{};
          P.srcPtr = make_cudaPitchedPtr(S.Device2, 64, 64, 4);
          P.dstPtr = make_cudaPitchedPtr(S.P, 64, 64, 4);
          P.dstDevice = 1;
          P.extent = make_cudaExtent(32, 4, 2);
          return cudaMemcpy3DPeerAsync(&P, S.Stream);
        })
      .streams()
      .before(onSecondDevice)
      .after(release);
  C.add("cudaDeviceSynchronize", "of another device",
        [](Scene &) {
          cudaSetDevice(1);
          int E = cudaDeviceSynchronize();
          cudaSetDevice(0);
          return E;
        })
      .before(onSecondDevice)
      .after(release);
  C.add("cudaMalloc", "on another device",
        [](Scene &S) {
          cudaSetDevice(1);
          int E = cudaMalloc(&S.Q, S.Bytes);
          cudaSetDevice(0);
          return E;
        })
      .before(onSecondDevice)
      .after([](Scene &S) {
        if (S.Q)
          cudaFree(S.Q);
        return release(S);
      });
}

static int enable(Scene &S) {
  int E = onSecondDevice(S);
  return E ? E : cudaDeviceEnablePeerAccess(1, 0);
}
/// Not every pair of devices supports peer access.
static int tryAccess(Scene &S) {
  int E = enable(S);
  return E ? E : cudaDeviceDisablePeerAccess(1);
}
static int disable(Scene &S) {
  cudaDeviceDisablePeerAccess(1);
  return release(S);
}

/// The second device's context in Scene::Q.
static int withContext(Scene &S, int Prepared) {
  return Prepared
             ? Prepared
             : cuDevicePrimaryCtxRetain(reinterpret_cast<CUcontext *>(&S.Q), 1);
}
static int dropContext(Scene &S) {
  disable(S);
  return S.Q ? cuDevicePrimaryCtxRelease(1) : 0;
}

static void addAccess(Cases &C) {
  C.add("cudaDeviceEnablePeerAccess", "",
        [](Scene &) { return cudaDeviceEnablePeerAccess(1, 0); })
      .before(tryAccess)
      .after(disable);
  C.add("cudaDeviceDisablePeerAccess", "",
        [](Scene &) { return cudaDeviceDisablePeerAccess(1); })
      .before(enable)
      .after(disable);
  C.add("cuCtxEnablePeerAccess", "",
        [](Scene &S) { return cuCtxEnablePeerAccess(context(S), 0); })
      .before([](Scene &S) { return withContext(S, tryAccess(S)); })
      .after(dropContext);
  C.add("cuCtxDisablePeerAccess", "",
        [](Scene &S) { return cuCtxDisablePeerAccess(context(S)); })
      .before([](Scene &S) { return withContext(S, enable(S)); })
      .after(dropContext);
}

static void addQueries(Cases &C) {
  C.add("cudaDeviceGetP2PAttribute", "",
        [](Scene &S) {
          return cudaDeviceGetP2PAttribute(&S.I, cudaDevP2PAttrAccessSupported,
                                           0, 1);
        })
      .before(onSecondDevice)
      .after(release);
  C.add("cudaDeviceGetP2PAtomicCapabilities", "",
        [](Scene &) {
          cudaAtomicOperation Add = cudaAtomicOperationIntegerAdd;
          unsigned Able;
          return cudaDeviceGetP2PAtomicCapabilities(&Able, &Add, 1, 0, 1);
        })
      .before(onSecondDevice)
      .after(release);
  C.add("cuDeviceGetP2PAttribute", "",
        [](Scene &S) {
          return cuDeviceGetP2PAttribute(
              &S.I, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, 0, 1);
        })
      .before(onSecondDevice)
      .after(release);
  C.add("cuDeviceGetP2PAtomicCapabilities", "",
        [](Scene &) {
          CUatomicOperation Add = CU_ATOMIC_OPERATION_INTEGER_ADD;
          unsigned Able;
          return cuDeviceGetP2PAtomicCapabilities(&Able, &Add, 1, 0, 1);
        })
      .before(onSecondDevice)
      .after(release);
}

void addPeerCases(Cases &C) {
  addCopies(C);
  addAccess(C);
  addQueries(C);
}

} // namespace cudagraph::conformance
