//===- RuntimeCodeCases.cu - Kernels and libraries of the runtime ---------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Code is loaded on first use; the forms named "first use" measure this.
//
//===----------------------------------------------------------------------===//

#include "Scene.h"

#include <cstdio>
#include <cstdlib>
#include <unistd.h>

namespace cudagraph::conformance {

static __global__ void codeWork(int *P) { P[threadIdx.x] += 1; }
static __global__ void codeNeverBefore(int *P) { P[threadIdx.x] += 2; }

static int warm(Scene &) {
  cudaFuncAttributes A;
  return cudaFuncGetAttributes(&A, codeWork);
}

static void addKernels(Cases &C) {
  auto Kernel = [](Scene &S) {
    return cudaGetKernel(reinterpret_cast<cudaKernel_t *>(&S.P),
                         reinterpret_cast<const void *>(codeWork));
  };
  C.add("cudaGetKernel", "", Kernel).before(warm);
  C.add("cudaGetKernel", "first use of the kernel", Kernel).fresh();
  auto Param = [](Scene &S) {
    return cudaFuncGetParamInfo(reinterpret_cast<const void *>(codeWork), 0,
                                &S.N, nullptr);
  };
  C.add("cudaFuncGetParamInfo", "", Param).before(warm);
  C.add("cudaFuncGetParamInfo", "first use of the kernel", Param).fresh();
  C.add("cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags", "",
        [](Scene &S) {
          return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
              &S.I, codeWork, 32, 0, cudaOccupancyDefault);
        })
      .before(warm);
  C.add("cudaOccupancyMaxPotentialClusterSize", "", [](Scene &S) {
     cudaLaunchConfig_t Config{};
     Config.gridDim = dim3(8);
     Config.blockDim = dim3(32);
     return cudaOccupancyMaxPotentialClusterSize(&S.I, codeWork, &Config);
   }).before(warm);
  C.add("cudaLaunchKernel", "first use of the kernel",
        [](Scene &S) {
          void *Args[] = {&S.Device};
          return cudaLaunchKernel(
              reinterpret_cast<const void *>(codeNeverBefore), dim3(1),
              dim3(32), Args, 0, S.Stream);
        })
      .on({Relation::Origin, Relation::OtherNonBlocking})
      .fresh();
}

/// Device code with a kernel, a variable, and a managed variable.
static const char Image[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .global .align 4 .u32 g;\n"
    ".visible .global .attribute(.managed) .align 4 .u32 m;\n"
    ".visible .entry k() { ret; }\n";

static cudaLibrary_t *library(Scene &S) {
  return reinterpret_cast<cudaLibrary_t *>(&S.P);
}
static cudaKernel_t *kernel(Scene &S) {
  return reinterpret_cast<cudaKernel_t *>(&S.Q);
}
static int load(Scene &S) {
  return cudaLibraryLoadData(library(S), Image, nullptr, nullptr, 0, nullptr,
                             nullptr, 0);
}
static int loadWithKernel(Scene &S) {
  int E = load(S);
  return E ? E : cudaLibraryGetKernel(kernel(S), *library(S), "k");
}
/// Afterwards, the code is also on the device.
static int loadWithUse(Scene &S) {
  cudaFuncAttributes A;
  int E = loadWithKernel(S);
  return E ? E : cudaFuncGetAttributes(&A, static_cast<const void *>(S.Q));
}
static int unload(Scene &S) { return S.P ? cudaLibraryUnload(*library(S)) : 0; }

static void addLibraries(Cases &C) {
  C.add("cudaLibraryLoadData", "", [](Scene &S) {
     return cudaLibraryLoadData(library(S), Image, nullptr, nullptr, 0, nullptr,
                                nullptr, 0);
   }).after(unload);
  C.add("cudaLibraryLoadFromFile", "",
        [](Scene &S) {
          return cudaLibraryLoadFromFile(library(S), S.Host, nullptr, nullptr,
                                         0, nullptr, nullptr, 0);
        })
      .before([](Scene &S) {
        std::snprintf(S.Host, S.Bytes, "/tmp/capture-matrix-XXXXXX");
        int File = mkstemp(S.Host);
        bool Written = write(File, Image, sizeof(Image)) == sizeof(Image);
        return close(File) || !Written ? cudaErrorOperatingSystem : cudaSuccess;
      })
      .after([](Scene &S) {
        std::remove(S.Host);
        return unload(S);
      });
  C.add("cudaLibraryUnload", "", [](Scene &S) {
     return cudaLibraryUnload(*library(S));
   }).before(load);
  C.add("cudaLibraryUnload", "with a loaded kernel", [](Scene &S) {
     return cudaLibraryUnload(*library(S));
   }).before(loadWithUse);
  C.add("cudaLibraryGetKernel", "",
        [](Scene &S) {
          return cudaLibraryGetKernel(kernel(S), *library(S), "k");
        })
      .before(load)
      .after(unload);
  C.add("cudaLibraryGetKernelCount", "",
        [](Scene &S) {
          unsigned Count;
          return cudaLibraryGetKernelCount(&Count, *library(S));
        })
      .before(load)
      .after(unload);
  C.add("cudaLibraryEnumerateKernels", "",
        [](Scene &S) {
          return cudaLibraryEnumerateKernels(kernel(S), 1, *library(S));
        })
      .before(load)
      .after(unload);
  auto Global = [](Scene &S) {
    return cudaLibraryGetGlobal(&S.Q, &S.N, *library(S), "g");
  };
  C.add("cudaLibraryGetGlobal", "", Global).before(loadWithUse).after(unload);
  C.add("cudaLibraryGetGlobal", "first use of the library", Global)
      .before(load)
      .after(unload);
  auto Managed = [](Scene &S) {
    return cudaLibraryGetManaged(&S.Q, &S.N, *library(S), "m");
  };
  C.add("cudaLibraryGetManaged", "", Managed).before(loadWithUse).after(unload);
  C.add("cudaLibraryGetManaged", "first use of the library", Managed)
      .before(load)
      .after(unload);
  auto Set = [](Scene &S) {
    return cudaKernelSetAttributeForDevice(
        *kernel(S), cudaFuncAttributeMaxDynamicSharedMemorySize, 65536, 0);
  };
  C.add("cudaKernelSetAttributeForDevice", "", Set)
      .before(loadWithUse)
      .after(unload);
  C.add("cudaKernelSetAttributeForDevice", "first use of the kernel", Set)
      .before(loadWithKernel)
      .after(unload);
  C.add("cudaLaunchKernel", "first use of a kernel of a library",
        [](Scene &S) {
          return cudaLaunchKernel(static_cast<const void *>(S.Q), dim3(1),
                                  dim3(1), nullptr, 0, S.Stream);
        })
      .on({Relation::Origin, Relation::OtherNonBlocking})
      .before(loadWithKernel)
      .after(unload);
}

void addRuntimeCodeCases(Cases &C) {
  addKernels(C);
  addLibraries(C);
}

} // namespace cudagraph::conformance
