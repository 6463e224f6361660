//===- DriverModuleCases.cu - Modules and the linker ----------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Modules are loaded from PTX, in the forms that the driver accepts.
//
//===----------------------------------------------------------------------===//

#include "Scene.h"
#include <cstdio>
#include <unistd.h>

namespace cudagraph::conformance {

/// A kernel with parameters, and a variable.
static char Image[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                      ".visible .global .align 4 .u32 v;\n"
                      ".visible .entry k(.param .u64 a, .param .f32 b)"
                      " { ret; }\n";
static const char ReferenceImage[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .global .texref t;\n.visible .global .surfref s;\n"
    ".visible .entry k() { ret; }\n";
/// The output of fatbinary for a file with one empty kernel.
static const struct {
  unsigned long long Header[12];
  char Text[80];
} FatBinary = {{0x100001ba55ed50, 0xa0, 0x5001010001, 0x50, 0x4000000000,
                0x5a00080000, 0, 0x11, 0, 0, 0x48, 0},
               ".version 8.0\n.target sm_90\n.address_size 64\n"
               ".visible .entry k() { ret; }\n"};

static CUmodule moduleIn(void *Slot) { return static_cast<CUmodule>(Slot); }
static CUlinkState linkIn(void *Slot) { return static_cast<CUlinkState>(Slot); }

/// Runs \p First and, if it returns 0, \p Then.
static Action chain(Action First, Action Then) {
  return [=](Scene &S) {
    int E = First(S);
    return E ? E : Then(S);
  };
}

/// Writes the image to a file and stores its name in S.Host.
static int writeFile(Scene &S) {
  std::snprintf(S.Host, S.Bytes, "/tmp/capture_matrix.%d.ptx", getpid());
  std::FILE *F = std::fopen(S.Host, "w");
  if (!F)
    return CUDA_ERROR_FILE_NOT_FOUND;
  std::fputs(Image, F);
  return std::fclose(F);
}
static int unload(Scene &S) { return S.P ? cuModuleUnload(moduleIn(S.P)) : 0; }
static int destroyLink(Scene &S) {
  return S.P ? cuLinkDestroy(linkIn(S.P)) : 0;
}

static void addModules(Cases &C) {
  auto Load = [](Scene &S) {
    return cuModuleLoadData(reinterpret_cast<CUmodule *>(&S.P), Image);
  };
  auto LoadReferences = [](Scene &S) {
    return cuModuleLoadData(reinterpret_cast<CUmodule *>(&S.P), ReferenceImage);
  };
  C.add("cuModuleLoad", "",
        [](Scene &S) {
          return cuModuleLoad(reinterpret_cast<CUmodule *>(&S.P), S.Host);
        })
      .before(writeFile)
      .after([](Scene &S) {
        std::remove(S.Host);
        return unload(S);
      });
  C.add("cuModuleLoadDataEx", "", [](Scene &S) {
     return cuModuleLoadDataEx(reinterpret_cast<CUmodule *>(&S.P), Image, 0,
                               nullptr, nullptr);
   }).after(unload);
  C.add("cuModuleLoadFatBinary", "", [](Scene &S) {
     return cuModuleLoadFatBinary(reinterpret_cast<CUmodule *>(&S.P),
                                  &FatBinary);
   }).after(unload);
  C.add("cuModuleGetLoadingMode", "", [](Scene &) {
    CUmoduleLoadingMode Mode;
    return cuModuleGetLoadingMode(&Mode);
  });
  C.add("cuModuleGetFunctionCount", "",
        [](Scene &S) {
          unsigned Count;
          return cuModuleGetFunctionCount(&Count, moduleIn(S.P));
        })
      .before(Load)
      .after(unload);
  C.add("cuModuleEnumerateFunctions", "",
        [](Scene &S) {
          CUfunction Function;
          return cuModuleEnumerateFunctions(&Function, 1, moduleIn(S.P));
        })
      .before(Load)
      .after(unload);
  C.add("cuModuleGetGlobal", "",
        [](Scene &S) {
          CUdeviceptr Address;
          return cuModuleGetGlobal(&Address, &S.N, moduleIn(S.P), "v");
        })
      .before(Load)
      .after(unload);
  auto TexRef = [](Scene &S) {
    CUtexref Reference;
    return cuModuleGetTexRef(&Reference, moduleIn(S.P), "t");
  };
  C.add("cuModuleGetTexRef", "", TexRef)
      .before(chain(LoadReferences, TexRef))
      .after(unload);
  auto SurfRef = [](Scene &S) {
    CUsurfref Reference;
    return cuModuleGetSurfRef(&Reference, moduleIn(S.P), "s");
  };
  C.add("cuModuleGetSurfRef", "", SurfRef)
      .before(chain(LoadReferences, SurfRef))
      .after(unload);
}

static void addLinker(Cases &C) {
  auto Create = [](Scene &S) {
    return cuLinkCreate(0, nullptr, nullptr,
                        reinterpret_cast<CUlinkState *>(&S.P));
  };
  auto Add = [](Scene &S) {
    return cuLinkAddData(linkIn(S.P), CU_JIT_INPUT_PTX, Image, sizeof(Image),
                         "k", 0, nullptr, nullptr);
  };
  C.add("cuLinkCreate", "", Create).after(destroyLink);
  C.add("cuLinkAddData", "", Add).before(Create).after(destroyLink);
  C.add("cuLinkAddFile", "",
        [](Scene &S) {
          return cuLinkAddFile(linkIn(S.P), CU_JIT_INPUT_PTX, S.Host, 0,
                               nullptr, nullptr);
        })
      .before(chain(writeFile, Create))
      .after([](Scene &S) {
        std::remove(S.Host);
        return destroyLink(S);
      });
  C.add("cuLinkComplete", "",
        [](Scene &S) { return cuLinkComplete(linkIn(S.P), &S.Q, &S.N); })
      .before(chain(Create, Add))
      .after(destroyLink);
  C.add("cuLinkDestroy", "", [](Scene &S) {
     return cuLinkDestroy(linkIn(S.P));
   }).before(Create);
}

void addDriverModuleCases(Cases &C) {
  addModules(C);
  addLinker(C);
}

} // namespace cudagraph::conformance
