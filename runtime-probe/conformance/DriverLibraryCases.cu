//===- DriverLibraryCases.cu - Libraries of the driver and their kernels --===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Code is loaded lazily: a library is loaded into the context on first use. The
// forms distinguish the first use from later ones.
//
//===----------------------------------------------------------------------===//

#include "Scene.h"
#include <cstdio>
#include <unistd.h>

namespace cudagraph::conformance {

/// A kernel with parameters, and a variable.
static const char Image[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                            ".visible .global .align 4 .u32 v;\n"
                            ".visible .entry k(.param .u64 a, .param .f32 b)"
                            " { ret; }\n";
static const char ManagedImage[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .global .attribute(.managed) .align 4 .u32 v;\n"
    ".visible .entry k() { ret; }\n";

static CUlibrary libraryIn(void *Slot) { return static_cast<CUlibrary>(Slot); }
static CUkernel kernelIn(void *Slot) { return static_cast<CUkernel>(Slot); }

/// Runs \p First and, if it returns 0, \p Then.
static Action chain(Action First, Action Then) {
  return [=](Scene &S) {
    int E = First(S);
    return E ? E : Then(S);
  };
}

/// Writes the image to a file and stores its name in S.Host.
static int writeFile(Scene &S) {
  std::snprintf(S.Host, S.Bytes, "/tmp/capture_matrix.library.%d.ptx",
                getpid());
  std::FILE *F = std::fopen(S.Host, "w");
  if (!F)
    return CUDA_ERROR_FILE_NOT_FOUND;
  std::fputs(Image, F);
  return std::fclose(F);
}
static int unloadLibrary(Scene &S) {
  return S.P ? cuLibraryUnload(libraryIn(S.P)) : 0;
}
static int loadLibrary(Scene &S) {
  return cuLibraryLoadData(reinterpret_cast<CUlibrary *>(&S.P), Image, nullptr,
                           nullptr, 0, nullptr, nullptr, 0);
}
/// A library in S.P and its kernel in S.Q.
static int loadKernel(Scene &S) {
  int E = loadLibrary(S);
  return E ? E
           : cuLibraryGetKernel(reinterpret_cast<CUkernel *>(&S.Q),
                                libraryIn(S.P), "k");
}

static void addLibraries(Cases &C) {
  C.add("cuLibraryLoadFromFile", "",
        [](Scene &S) {
          return cuLibraryLoadFromFile(reinterpret_cast<CUlibrary *>(&S.P),
                                       S.Host, nullptr, nullptr, 0, nullptr,
                                       nullptr, 0);
        })
      .before(writeFile)
      .after([](Scene &S) {
        std::remove(S.Host);
        return unloadLibrary(S);
      });
  C.add("cuLibraryUnload", "never used", [](Scene &S) {
     return cuLibraryUnload(libraryIn(S.P));
   }).before(loadLibrary);
  C.add("cuLibraryGetKernel", "",
        [](Scene &S) {
          return cuLibraryGetKernel(reinterpret_cast<CUkernel *>(&S.Q),
                                    libraryIn(S.P), "k");
        })
      .before(loadLibrary)
      .after(unloadLibrary);
  C.add("cuLibraryGetKernelCount", "",
        [](Scene &S) {
          unsigned Count;
          return cuLibraryGetKernelCount(&Count, libraryIn(S.P));
        })
      .before(loadLibrary)
      .after(unloadLibrary);
  C.add("cuLibraryEnumerateKernels", "",
        [](Scene &S) {
          CUkernel Kernel;
          return cuLibraryEnumerateKernels(&Kernel, 1, libraryIn(S.P));
        })
      .before(loadLibrary)
      .after(unloadLibrary);
  auto Module = [](Scene &S) {
    CUmodule Module;
    return cuLibraryGetModule(&Module, libraryIn(S.P));
  };
  C.add("cuLibraryGetModule", "", Module)
      .before(chain(loadLibrary, Module))
      .after(unloadLibrary);
  C.add("cuLibraryGetModule", "first use of the library", Module)
      .before(loadLibrary)
      .after(unloadLibrary);
  C.add("cuLibraryUnload", "", [](Scene &S) {
     return cuLibraryUnload(libraryIn(S.P));
   }).before(chain(loadLibrary, Module));
  auto Global = [](Scene &S) {
    CUdeviceptr Address;
    return cuLibraryGetGlobal(&Address, &S.N, libraryIn(S.P), "v");
  };
  C.add("cuLibraryGetGlobal", "", Global)
      .before(chain(loadLibrary, Global))
      .after(unloadLibrary);
  C.add("cuLibraryGetGlobal", "first use of the library", Global)
      .before(loadLibrary)
      .after(unloadLibrary);
  auto Managed = [](Scene &S) {
    CUdeviceptr Address;
    return cuLibraryGetManaged(&Address, &S.N, libraryIn(S.P), "v");
  };
  auto LoadManaged = [](Scene &S) -> int {
    int E = cuLibraryLoadData(reinterpret_cast<CUlibrary *>(&S.P), ManagedImage,
                              nullptr, nullptr, 0, nullptr, nullptr, 0);
    CUmodule Module; // registered once the library is loaded into a context
    return E ? E : cuLibraryGetModule(&Module, libraryIn(S.P));
  };
  C.add("cuLibraryGetManaged", "", Managed)
      .before(chain(LoadManaged, Managed))
      .after(unloadLibrary);
}

static void addKernels(Cases &C) {
  auto Function = [](Scene &S) {
    CUfunction Function;
    return cuKernelGetFunction(&Function, kernelIn(S.Q));
  };
  C.add("cuKernelGetFunction", "", Function)
      .before(chain(loadKernel, Function))
      .after(unloadLibrary);
  C.add("cuKernelGetFunction", "first use of the library", Function)
      .before(loadKernel)
      .after(unloadLibrary);
  C.add("cuKernelGetLibrary", "",
        [](Scene &S) {
          CUlibrary Library;
          return cuKernelGetLibrary(&Library, kernelIn(S.Q));
        })
      .before(loadKernel)
      .after(unloadLibrary);
  C.add("cuKernelGetName", "",
        [](Scene &S) {
          const char *Name;
          return cuKernelGetName(&Name, kernelIn(S.Q));
        })
      .before(loadKernel)
      .after(unloadLibrary);
  auto ParamInfo = [](Scene &S) {
    size_t Offset;
    return cuKernelGetParamInfo(kernelIn(S.Q), 0, &Offset, &S.N);
  };
  C.add("cuKernelGetParamInfo", "", ParamInfo)
      .before(chain(loadKernel, ParamInfo))
      .after(unloadLibrary);
  auto GetAttribute = [](Scene &S) {
    return cuKernelGetAttribute(&S.I, CU_FUNC_ATTRIBUTE_NUM_REGS, kernelIn(S.Q),
                                0);
  };
  C.add("cuKernelGetAttribute", "", GetAttribute)
      .before(chain(loadKernel, GetAttribute))
      .after(unloadLibrary);
  C.add("cuKernelGetAttribute", "first use of the library", GetAttribute)
      .before(loadKernel)
      .after(unloadLibrary);
  C.add("cuKernelSetAttribute", "",
        [](Scene &S) {
          return cuKernelSetAttribute(
              CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1024,
              kernelIn(S.Q), 0);
        })
      .before(loadKernel)
      .after(unloadLibrary);
  C.add("cuKernelSetCacheConfig", "",
        [](Scene &S) {
          return cuKernelSetCacheConfig(kernelIn(S.Q), CU_FUNC_CACHE_PREFER_L1,
                                        0);
        })
      .before(loadKernel)
      .after(unloadLibrary);
}

void addDriverLibraryCases(Cases &C) {
  addLibraries(C);
  addKernels(C);
}

} // namespace cudagraph::conformance
