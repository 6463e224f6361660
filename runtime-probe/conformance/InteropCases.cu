//===- InteropCases.cu - Memory and semaphores of other APIs --------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// External memory is driver memory that is exported as a file descriptor.
// External semaphores come from APIs that are not available here; a graph's
// nodes can be created without one.
//
//===----------------------------------------------------------------------===//

#include "Scene.h"

#include <unistd.h>

namespace cudagraph::conformance {

constexpr size_t Granule = 2 << 20;

static cudaExternalMemory_t *memory(Scene &S) {
  return reinterpret_cast<cudaExternalMemory_t *>(&S.P);
}
static cudaMipmappedArray_t *levels(Scene &S) {
  return reinterpret_cast<cudaMipmappedArray_t *>(&S.Q);
}

/// Driver memory, as a file descriptor in Scene::I.
static int exportMemory(Scene &S) {
  CUmemAllocationProp P{};
  P.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  P.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  P.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  CUmemGenericAllocationHandle Handle;
  if (int E = cuMemCreate(&Handle, Granule, &P, 0))
    return E;
  int E = cuMemExportToShareableHandle(
      &S.I, Handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0);
  cuMemRelease(Handle); // the descriptor keeps the memory alive
  return E;
}

static cudaExternalMemoryHandleDesc exported(Scene &S) {
  cudaExternalMemoryHandleDesc D{};
  D.type = cudaExternalMemoryHandleTypeOpaqueFd;
  D.handle.fd = S.I;
  D.size = Granule;
  D.flags = S.N;
  return D;
}

/// Imports the memory. The flags that CUDA requires for it are in Scene::N.
static int importMemory(Scene &S) {
  int E = 0;
  for (unsigned Flags : {0, cudaExternalMemoryDedicated}) {
    S.N = Flags;
    if ((E = exportMemory(S)))
      return E;
    cudaExternalMemoryHandleDesc D = exported(S);
    if (!(E = cudaImportExternalMemory(memory(S), &D)))
      return 0;
    close(S.I);
  }
  return E;
}

static cudaExternalMemoryMipmappedArrayDesc arrayIn() {
  cudaExternalMemoryMipmappedArrayDesc D{};
  D.formatDesc = cudaCreateChannelDesc<float>();
  D.extent = make_cudaExtent(64, 64, 0);
  D.numLevels = 1;
  return D;
}

static int destroyMemory(Scene &S) {
  return S.P ? cudaDestroyExternalMemory(*memory(S)) : 0;
}

static void addMemory(Cases &C) {
  C.add("cudaImportExternalMemory", "",
        [](Scene &S) {
          cudaExternalMemoryHandleDesc D = exported(S);
          return cudaImportExternalMemory(memory(S), &D);
        })
      .before([](Scene &S) {
        int E = importMemory(S);
        E = E ? E : destroyMemory(S);
        S.P = nullptr;
        return E ? E : exportMemory(S);
      })
      .after([](Scene &S) { return S.P ? destroyMemory(S) : close(S.I); });
  C.add("cudaDestroyExternalMemory", "", [](Scene &S) {
     return cudaDestroyExternalMemory(*memory(S));
   }).before(importMemory);
  C.add("cudaExternalMemoryGetMappedBuffer", "",
        [](Scene &S) {
          cudaExternalMemoryBufferDesc D{};
          D.size = Granule;
          return cudaExternalMemoryGetMappedBuffer(&S.Q, *memory(S), &D);
        })
      .before(importMemory)
      .after([](Scene &S) {
        cudaFree(S.Q);
        return destroyMemory(S);
      });
  C.add("cudaExternalMemoryGetMappedMipmappedArray", "",
        [](Scene &S) {
          cudaExternalMemoryMipmappedArrayDesc D = arrayIn();
          return cudaExternalMemoryGetMappedMipmappedArray(levels(S),
                                                           *memory(S), &D);
        })
      .before([](Scene &S) {
        // Some memory cannot contain an array.
        cudaExternalMemoryMipmappedArrayDesc D = arrayIn();
        int E = importMemory(S);
        E = E ? E
              : cudaExternalMemoryGetMappedMipmappedArray(levels(S), *memory(S),
                                                          &D);
        E = E ? E : cudaFreeMipmappedArray(*levels(S));
        S.Q = nullptr;
        return E;
      })
      .after([](Scene &S) {
        if (S.Q)
          cudaFreeMipmappedArray(*levels(S));
        return destroyMemory(S);
      });
}

// Arrays whose elements are never read.
static cudaExternalSemaphore_t NoSemaphores[1];
static cudaExternalSemaphoreSignalParams NoSignals[1];
static cudaExternalSemaphoreWaitParams NoWaits[1];
static const cudaExternalSemaphoreSignalNodeParams Signal{NoSemaphores,
                                                          NoSignals, 0};
static const cudaExternalSemaphoreWaitNodeParams Wait{NoSemaphores, NoWaits, 0};

static int makeSignal(Scene &S) {
  int E = cudaGraphCreate(&S.Graph, 0);
  return E ? E
           : cudaGraphAddExternalSemaphoresSignalNode(&S.Node, S.Graph, nullptr,
                                                      0, &Signal);
}
static int makeWait(Scene &S) {
  int E = cudaGraphCreate(&S.Graph, 0);
  return E ? E
           : cudaGraphAddExternalSemaphoresWaitNode(&S.Node, S.Graph, nullptr,
                                                    0, &Wait);
}
static int instantiate(Scene &S, int Made) {
  return Made ? Made : cudaGraphInstantiate(&S.Exec, S.Graph, 0);
}
static int drop(Scene &S) {
  if (S.Exec)
    cudaGraphExecDestroy(S.Exec);
  return S.Graph ? cudaGraphDestroy(S.Graph) : 0;
}

static void addNodes(Cases &C) {
  C.add("cudaGraphAddExternalSemaphoresSignalNode", "no semaphores",
        [](Scene &S) {
          return cudaGraphAddExternalSemaphoresSignalNode(&S.Node, S.Graph,
                                                          nullptr, 0, &Signal);
        })
      .before(makeSignal)
      .after(drop);
  C.add("cudaGraphAddExternalSemaphoresWaitNode", "no semaphores",
        [](Scene &S) {
          return cudaGraphAddExternalSemaphoresWaitNode(&S.Node, S.Graph,
                                                        nullptr, 0, &Wait);
        })
      .before(makeWait)
      .after(drop);
  C.add("cudaGraphExternalSemaphoresSignalNodeGetParams", "no semaphores",
        [](Scene &S) {
          cudaExternalSemaphoreSignalNodeParams P;
          return cudaGraphExternalSemaphoresSignalNodeGetParams(S.Node, &P);
        })
      .before(makeSignal)
      .after(drop);
  C.add("cudaGraphExternalSemaphoresWaitNodeGetParams", "no semaphores",
        [](Scene &S) {
          cudaExternalSemaphoreWaitNodeParams P;
          return cudaGraphExternalSemaphoresWaitNodeGetParams(S.Node, &P);
        })
      .before(makeWait)
      .after(drop);
  C.add("cudaGraphExternalSemaphoresSignalNodeSetParams", "no semaphores",
        [](Scene &S) {
          return cudaGraphExternalSemaphoresSignalNodeSetParams(S.Node,
                                                                &Signal);
        })
      .before(makeSignal)
      .after(drop);
  C.add("cudaGraphExternalSemaphoresWaitNodeSetParams", "no semaphores",
        [](Scene &S) {
          return cudaGraphExternalSemaphoresWaitNodeSetParams(S.Node, &Wait);
        })
      .before(makeWait)
      .after(drop);
  C.add("cudaGraphExecExternalSemaphoresSignalNodeSetParams", "no semaphores",
        [](Scene &S) {
          return cudaGraphExecExternalSemaphoresSignalNodeSetParams(
              S.Exec, S.Node, &Signal);
        })
      .before([](Scene &S) { return instantiate(S, makeSignal(S)); })
      .after(drop);
  C.add("cudaGraphExecExternalSemaphoresWaitNodeSetParams", "no semaphores",
        [](Scene &S) {
          return cudaGraphExecExternalSemaphoresWaitNodeSetParams(
              S.Exec, S.Node, &Wait);
        })
      .before([](Scene &S) { return instantiate(S, makeWait(S)); })
      .after(drop);
}

void addInteropCases(Cases &C) {
  addMemory(C);
  addNodes(C);
}

} // namespace cudagraph::conformance
