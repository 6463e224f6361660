//===- DriverLaunchCases.cu - Functions, launches, and occupancy ----------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A deprecated call is made once before the capture, so that a driver without
// it is detected.
//
//===----------------------------------------------------------------------===//

#include "Scene.h"

namespace cudagraph::conformance {

/// A kernel without and one with parameters.
static const char Image[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                            ".visible .entry k() { ret; }\n"
                            ".visible .entry p(.param .u64 a, .param .f32 b)"
                            " { ret; }\n";
static const char TextureImage[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .global .texref t;\n.visible .entry k() { ret; }\n";

static CUmodule moduleIn(void *Slot) { return static_cast<CUmodule>(Slot); }
static CUfunction kernelIn(void *Slot) { return static_cast<CUfunction>(Slot); }

/// Runs \p First and, if it returns 0, \p Then.
static Action chain(Action First, Action Then) {
  return [=](Scene &S) {
    int E = First(S);
    return E ? E : Then(S);
  };
}

/// A module in S.P and its kernel \p Name in S.Q.
static int loadFrom(Scene &S, const char *Text, const char *Name) {
  int E = cuModuleLoadData(reinterpret_cast<CUmodule *>(&S.P), Text);
  return E ? E
           : cuModuleGetFunction(reinterpret_cast<CUfunction *>(&S.Q),
                                 moduleIn(S.P), Name);
}
static int load(Scene &S) { return loadFrom(S, Image, "k"); }
static int loadWithParams(Scene &S) { return loadFrom(S, Image, "p"); }
static int loadUnfinished(Scene &S) {
  int E = cuModuleLoadData(reinterpret_cast<CUmodule *>(&S.P), Image);
  return E ? E
           : cuModuleEnumerateFunctions(reinterpret_cast<CUfunction *>(&S.Q), 1,
                                        moduleIn(S.P));
}
static int unload(Scene &S) { return S.P ? cuModuleUnload(moduleIn(S.P)) : 0; }

/// One kernel for the old launches without a configuration.
static int shape(Scene &S) {
  int E = load(S);
  E = E ? E : cuFuncSetBlockShape(kernelIn(S.Q), 1, 1, 1);
  return E ? E : cuParamSetSize(kernelIn(S.Q), 0);
}
static int reserve(Scene &S) {
  int E = loadWithParams(S);
  return E ? E : cuParamSetSize(kernelIn(S.Q), 12);
}

static void addFunctions(Cases &C) {
  C.add("cuFuncGetAttribute", "",
        [](Scene &S) {
          return cuFuncGetAttribute(&S.I, CU_FUNC_ATTRIBUTE_NUM_REGS,
                                    kernelIn(S.Q));
        })
      .before(load)
      .after(unload);
  C.add("cuFuncSetAttribute", "",
        [](Scene &S) {
          return cuFuncSetAttribute(
              kernelIn(S.Q), CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
              1024);
        })
      .before(load)
      .after(unload);
  C.add("cuFuncSetCacheConfig", "",
        [](Scene &S) {
          return cuFuncSetCacheConfig(kernelIn(S.Q), CU_FUNC_CACHE_PREFER_L1);
        })
      .before(load)
      .after(unload);
  C.add("cuFuncSetSharedMemConfig", "",
        [](Scene &S) {
          return cuFuncSetSharedMemConfig(
              kernelIn(S.Q), CU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE);
        })
      .before(load)
      .after(unload);
  C.add("cuFuncGetModule", "",
        [](Scene &S) {
          CUmodule Module;
          return cuFuncGetModule(&Module, kernelIn(S.Q));
        })
      .before(load)
      .after(unload);
  C.add("cuFuncGetName", "",
        [](Scene &S) {
          const char *Name;
          return cuFuncGetName(&Name, kernelIn(S.Q));
        })
      .before(load)
      .after(unload);
  C.add("cuFuncGetParamInfo", "",
        [](Scene &S) {
          size_t Offset;
          return cuFuncGetParamInfo(kernelIn(S.Q), 0, &Offset, &S.N);
        })
      .before(loadWithParams)
      .after(unload);
  C.add("cuFuncIsLoaded", "",
        [](Scene &S) {
          CUfunctionLoadingState State;
          return cuFuncIsLoaded(&State, kernelIn(S.Q));
        })
      .before(loadUnfinished)
      .after(unload);
  auto Load = [](Scene &S) { return cuFuncLoad(kernelIn(S.Q)); };
  C.add("cuFuncLoad", "", Load).before(loadUnfinished).after(unload);
  C.add("cuFuncLoad", "loaded before", Load)
      .before(chain(loadUnfinished, Load))
      .after(unload);
}

static void addLaunches(Cases &C) {
  C.add("cuLaunchCooperativeKernel", "",
        [](Scene &S) {
          return cuLaunchCooperativeKernel(kernelIn(S.Q), 1, 1, 1, 1, 1, 1, 0,
                                           S.Stream, nullptr);
        })
      .streams()
      .before(load)
      .after(unload);
  auto Together = [](Scene &S) {
    CUDA_LAUNCH_PARAMS P{};
    P.function = kernelIn(S.Q);
    P.gridDimX = P.gridDimY = P.gridDimZ = 1;
    P.blockDimX = P.blockDimY = P.blockDimZ = 1;
    P.hStream = S.Stream;
    return cuLaunchCooperativeKernelMultiDevice(&P, 1, 0);
  };
  C.add("cuLaunchCooperativeKernelMultiDevice", "", Together)
      .on({Relation::Origin, Relation::Joined, Relation::OtherBlocking,
           Relation::OtherNonBlocking})
      .before(chain(load, Together))
      .after(unload);
  auto Launch = [](Scene &S) { return cuLaunch(kernelIn(S.Q)); };
  C.add("cuLaunch", "", Launch).before(chain(shape, Launch)).after(unload);
  auto Grid = [](Scene &S) { return cuLaunchGrid(kernelIn(S.Q), 1, 1); };
  C.add("cuLaunchGrid", "", Grid).before(chain(shape, Grid)).after(unload);
  auto GridAsync = [](Scene &S) {
    return cuLaunchGridAsync(kernelIn(S.Q), 1, 1, S.Stream);
  };
  C.add("cuLaunchGridAsync", "", GridAsync)
      .streams()
      .before(chain(shape, GridAsync))
      .after(unload);
}

static void addParams(Cases &C) {
  auto Block = [](Scene &S) {
    return cuFuncSetBlockShape(kernelIn(S.Q), 1, 1, 1);
  };
  C.add("cuFuncSetBlockShape", "", Block)
      .before(chain(load, Block))
      .after(unload);
  auto Shared = [](Scene &S) {
    return cuFuncSetSharedSize(kernelIn(S.Q), 1024);
  };
  C.add("cuFuncSetSharedSize", "", Shared)
      .before(chain(load, Shared))
      .after(unload);
  auto Size = [](Scene &S) { return cuParamSetSize(kernelIn(S.Q), 12); };
  C.add("cuParamSetSize", "", Size)
      .before(chain(loadWithParams, Size))
      .after(unload);
  auto Integer = [](Scene &S) { return cuParamSeti(kernelIn(S.Q), 0, 1); };
  C.add("cuParamSeti", "", Integer)
      .before(chain(reserve, Integer))
      .after(unload);
  auto Float = [](Scene &S) { return cuParamSetf(kernelIn(S.Q), 8, 1.0f); };
  C.add("cuParamSetf", "", Float).before(chain(reserve, Float)).after(unload);
  auto Bytes = [](Scene &S) {
    return cuParamSetv(kernelIn(S.Q), 0, S.Host, 8);
  };
  C.add("cuParamSetv", "", Bytes).before(chain(reserve, Bytes)).after(unload);
  auto Texture = [](Scene &S) {
    return cuParamSetTexRef(kernelIn(S.Q), CU_PARAM_TR_DEFAULT,
                            reinterpret_cast<CUtexref>(S.N));
  };
  auto LoadTexture = [](Scene &S) -> int {
    int E = loadFrom(S, TextureImage, "k");
    E = E ? E
          : cuModuleGetTexRef(reinterpret_cast<CUtexref *>(&S.N), moduleIn(S.P),
                              "t");
    if (E)
      return E;
    auto Reference = reinterpret_cast<CUtexref>(S.N);
    size_t Offset;
    E = cuTexRefSetFormat(Reference, CU_AD_FORMAT_FLOAT, 1);
    return E ? E
             : cuTexRefSetAddress(&Offset, Reference,
                                  reinterpret_cast<CUdeviceptr>(S.Device),
                                  S.Bytes);
  };
  C.add("cuParamSetTexRef", "", Texture)
      .before(chain(LoadTexture, Texture))
      .after(unload);
}

static void addOccupancy(Cases &C) {
  C.add("cuOccupancyMaxActiveBlocksPerMultiprocessor", "",
        [](Scene &S) {
          return cuOccupancyMaxActiveBlocksPerMultiprocessor(
              &S.I, kernelIn(S.Q), 64, 0);
        })
      .before(load)
      .after(unload);
  C.add("cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags", "",
        [](Scene &S) {
          return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
              &S.I, kernelIn(S.Q), 64, 0, CU_OCCUPANCY_DEFAULT);
        })
      .before(load)
      .after(unload);
  C.add("cuOccupancyMaxPotentialBlockSize", "",
        [](Scene &S) {
          int Block;
          return cuOccupancyMaxPotentialBlockSize(&S.I, &Block, kernelIn(S.Q),
                                                  nullptr, 0, 0);
        })
      .before(load)
      .after(unload);
  C.add("cuOccupancyMaxPotentialBlockSizeWithFlags", "",
        [](Scene &S) {
          int Block;
          return cuOccupancyMaxPotentialBlockSizeWithFlags(
              &S.I, &Block, kernelIn(S.Q), nullptr, 0, 0, CU_OCCUPANCY_DEFAULT);
        })
      .before(load)
      .after(unload);
  C.add("cuOccupancyAvailableDynamicSMemPerBlock", "",
        [](Scene &S) {
          return cuOccupancyAvailableDynamicSMemPerBlock(&S.N, kernelIn(S.Q), 1,
                                                         64);
        })
      .before(load)
      .after(unload);
  C.add("cuOccupancyMaxPotentialClusterSize", "",
        [](Scene &S) {
          CUlaunchConfig Config{};
          Config.gridDimX = 8;
          Config.gridDimY = Config.gridDimZ = 1;
          Config.blockDimX = 64;
          Config.blockDimY = Config.blockDimZ = 1;
          return cuOccupancyMaxPotentialClusterSize(&S.I, kernelIn(S.Q),
                                                    &Config);
        })
      .before(load)
      .after(unload);
  C.add("cuOccupancyMaxActiveClusters", "",
        [](Scene &S) {
          CUlaunchAttribute Cluster{};
          Cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
          Cluster.value.clusterDim = {2, 1, 1};
          CUlaunchConfig Config{};
          Config.gridDimX = 8;
          Config.gridDimY = Config.gridDimZ = 1;
          Config.blockDimX = 64;
          Config.blockDimY = Config.blockDimZ = 1;
          Config.attrs = &Cluster;
          Config.numAttrs = 1;
          return cuOccupancyMaxActiveClusters(&S.I, kernelIn(S.Q), &Config);
        })
      .before(load)
      .after(unload);
}

void addDriverLaunchCases(Cases &C) {
  addFunctions(C);
  addLaunches(C);
  addParams(C);
  addOccupancy(C);
}

} // namespace cudagraph::conformance
