//===- LibraryCases.cu - Libraries built on CUDA --------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Adds the cases of all libraries; those of NVRTC are here. measure.sh excludes
// libraries that are not installed.
//
//===----------------------------------------------------------------------===//

#include "Library.h"

#ifdef CUDAGRAPH_WITHOUT_LIBRARIES
void cudagraph::conformance::addLibraryCases(Cases &C) {
  addThrustCases(C);
  addThrustVectorCases(C);
  addCubCases(C);
}
#else

#include <nvrtc.h>

namespace cudagraph::conformance {

static const char Source[] =
    "template <typename T> __global__ void k(T *P) { *P += 1; }\n"
    "extern \"C\" __global__ void f(float *P) { *P *= 2; }\n";

static void addCompilation(Cases &C) {
  Action Create = [](Scene &S) {
    return nvrtcCreateProgram(&slot<nvrtcProgram>(S), Source, "k.cu", 0,
                              nullptr, nullptr);
  };
  Action Destroy = [](Scene &S) {
    return S.P ? nvrtcDestroyProgram(&slot<nvrtcProgram>(S)) : NVRTC_SUCCESS;
  };
  Action Compile = [](Scene &S) {
    const char *Options[] = {"--gpu-architecture=sm_90"};
    return nvrtcCompileProgram(slot<nvrtcProgram>(S), 1, Options);
  };
  Action Name = [](Scene &S) {
    return nvrtcAddNameExpression(slot<nvrtcProgram>(S), "k<int>");
  };
  Action Compiled = chain(chain(Create, Name), Compile);
  Action Again = chain(chain(Compiled, Destroy), Create);
  library(C, "nvrtcVersion", "", [](Scene &S) {
    int Minor;
    return nvrtcVersion(&S.I, &Minor);
  });
  library(C, "nvrtcGetNumSupportedArchs", "",
          [](Scene &S) { return nvrtcGetNumSupportedArchs(&S.I); });
  library(C, "nvrtcCreateProgram", "", Create)
      .before(chain(Create, Destroy))
      .after(Destroy);
  library(C, "nvrtcCreateProgram", "first use in the process", Create)
      .after(Destroy)
      .fresh();
  library(C, "nvrtcDestroyProgram", "", Destroy).before(Compiled);
  library(C, "nvrtcAddNameExpression", "", Name).before(Create).after(Destroy);
  library(C, "nvrtcCompileProgram", "", Compile).before(Again).after(Destroy);
  library(C, "nvrtcCompileProgram", "first use in the process", Compile)
      .before(Create)
      .after(Destroy)
      .fresh();
  library(C, "nvrtcGetLoweredName", "",
          [](Scene &S) {
            const char *Lowered;
            return nvrtcGetLoweredName(slot<nvrtcProgram>(S), "k<int>",
                                       &Lowered);
          })
      .before(Compiled)
      .after(Destroy);
  library(C, "nvrtcGetProgramLogSize", "",
          [](Scene &S) {
            return nvrtcGetProgramLogSize(slot<nvrtcProgram>(S), &S.N);
          })
      .before(Compiled)
      .after(Destroy);
  library(
      C, "nvrtcGetCUBINSize", "",
      [](Scene &S) { return nvrtcGetCUBINSize(slot<nvrtcProgram>(S), &S.N); })
      .before(Compiled)
      .after(Destroy);
  library(C, "nvrtcGetCUBIN", "",
          [](Scene &S) {
            std::vector<char> Image(S.N);
            return nvrtcGetCUBIN(slot<nvrtcProgram>(S), Image.data());
          })
      .before(chain(Compiled,
                    [](Scene &S) {
                      return nvrtcGetCUBINSize(slot<nvrtcProgram>(S), &S.N);
                    }))
      .after(Destroy);
  library(C, "nvrtcGetPTXSize", "",
          [](Scene &S) { return nvrtcGetPTXSize(slot<nvrtcProgram>(S), &S.N); })
      .before(Compiled)
      .after(Destroy);
}

void addLibraryCases(Cases &C) {
  addBlasCases(C);
  addBlasMatrixCases(C);
  addBlasBatchCases(C);
  addBlasLtCases(C);
  addFftCases(C);
  addRandCases(C);
  addRandNumberCases(C);
  addSolverCases(C);
  addSolverGenericCases(C);
  addSparseCases(C);
  addSparseMatrixCases(C);
  addSparseSolveCases(C);
  addDnnCases(C);
  addDnnConvolutionCases(C);
  addDnnBackendCases(C);
  addNcclCases(C);
  addCompilation(C);
  addThrustCases(C);
  addThrustVectorCases(C);
  addCubCases(C);
}

} // namespace cudagraph::conformance

#endif // CUDAGRAPH_WITHOUT_LIBRARIES
