//===- BlasLtCases.cu - cuBLASLt ------------------------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The handle has no stream; the products have a stream argument.
//
//===----------------------------------------------------------------------===//

#include "Library.h"

#ifndef CUDAGRAPH_WITHOUT_LIBRARIES

#include <cublasLt.h>

namespace cudagraph::conformance {

namespace {
/// One product of 32 x 32 matrices in half precision.
struct Product {
  cublasLtMatmulDesc_t What = nullptr;
  cublasLtMatrixLayout_t Layout = nullptr;
  cublasLtMatmulPreference_t Preference = nullptr;
  cublasLtMatrixTransformDesc_t Transform = nullptr;
  cublasLtMatmulHeuristicResult_t Best{};
  size_t Bytes = 4 << 20;
  void *Workspace = nullptr;
};
} // namespace

static Product &product(Scene &S) { return kept<Product>(S); }

static int create(Scene &S) {
  return cublasLtCreate(&slot<cublasLtHandle_t>(S));
}
static int destroy(Scene &S) {
  return S.P ? emptied(S, cublasLtDestroy(slot<cublasLtHandle_t>(S))) : 0;
}
static int describe(Scene &S) {
  auto *New = new Product;
  S.Q = New;
  int E = cublasLtMatmulDescCreate(&New->What, CUBLAS_COMPUTE_32F, CUDA_R_32F);
  E = E ? E : cublasLtMatrixLayoutCreate(&New->Layout, CUDA_R_16F, 32, 32, 32);
  E = E ? E : cublasLtMatmulPreferenceCreate(&New->Preference);
  E = E ? E : cublasLtMatrixTransformDescCreate(&New->Transform, CUDA_R_32F);
  E = E ? E
        : cublasLtMatmulPreferenceSetAttribute(
              New->Preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
              &New->Bytes, sizeof(New->Bytes));
  return E ? E : cudaMalloc(&New->Workspace, New->Bytes);
}
static int choose(Scene &S) {
  Product &P = product(S);
  return cublasLtMatmulAlgoGetHeuristic(slot<cublasLtHandle_t>(S), P.What,
                                        P.Layout, P.Layout, P.Layout, P.Layout,
                                        P.Preference, 1, &P.Best, &S.I);
}
static int forget(Scene &S) {
  Product &P = product(S);
  cublasLtMatmulDescDestroy(P.What);
  cublasLtMatrixLayoutDestroy(P.Layout);
  cublasLtMatmulPreferenceDestroy(P.Preference);
  cublasLtMatrixTransformDescDestroy(P.Transform);
  cudaFree(P.Workspace);
  delete &P;
  return destroy(S);
}

static void addDescriptions(Cases &C) {
  Action Create = [](Scene &S) {
    return cublasLtCreate(&slot<cublasLtHandle_t>(S));
  };
  Action Destroy = [](Scene &S) {
    return S.P ? emptied(S, cublasLtDestroy(slot<cublasLtHandle_t>(S))) : 0;
  };
  library(C, "cublasLtCreate", "", Create)
      .before(chain(Create, Destroy))
      .after(Destroy);
  library(C, "cublasLtCreate", "first in the process", Create).fresh();
  library(C, "cublasLtDestroy", "", Destroy).before(Create);
  library(C, "cublasLtMatmulDescCreate", "", [](Scene &S) {
    return cublasLtMatmulDescCreate(&slot<cublasLtMatmulDesc_t>(S),
                                    CUBLAS_COMPUTE_32F, CUDA_R_32F);
  }).after([](Scene &S) {
    return cublasLtMatmulDescDestroy(slot<cublasLtMatmulDesc_t>(S));
  });
  library(C, "cublasLtMatmulDescSetAttribute", "",
          [](Scene &S) {
            cublasLtEpilogue_t Epilogue = CUBLASLT_EPILOGUE_RELU;
            return cublasLtMatmulDescSetAttribute(slot<cublasLtMatmulDesc_t>(S),
                                                  CUBLASLT_MATMUL_DESC_EPILOGUE,
                                                  &Epilogue, sizeof(Epilogue));
          })
      .before([](Scene &S) {
        return cublasLtMatmulDescCreate(&slot<cublasLtMatmulDesc_t>(S),
                                        CUBLAS_COMPUTE_32F, CUDA_R_32F);
      })
      .after([](Scene &S) {
        return cublasLtMatmulDescDestroy(slot<cublasLtMatmulDesc_t>(S));
      });
  library(C, "cublasLtMatrixLayoutCreate", "", [](Scene &S) {
    return cublasLtMatrixLayoutCreate(&slot<cublasLtMatrixLayout_t>(S),
                                      CUDA_R_16F, 32, 32, 32);
  }).after([](Scene &S) {
    return cublasLtMatrixLayoutDestroy(slot<cublasLtMatrixLayout_t>(S));
  });
  library(C, "cublasLtMatmulPreferenceCreate", "", [](Scene &S) {
    return cublasLtMatmulPreferenceCreate(&slot<cublasLtMatmulPreference_t>(S));
  }).after([](Scene &S) {
    return cublasLtMatmulPreferenceDestroy(slot<cublasLtMatmulPreference_t>(S));
  });
}

void addBlasLtCases(Cases &C) {
  addDescriptions(C);
  Action Ready = chain(create, describe);
  Action Chosen = chain(Ready, choose);
  Action Choose = [](Scene &S) {
    Product &P = product(S);
    return cublasLtMatmulAlgoGetHeuristic(
        slot<cublasLtHandle_t>(S), P.What, P.Layout, P.Layout, P.Layout,
        P.Layout, P.Preference, 1, &P.Best, &S.I);
  };
  Action Multiply = [](Scene &S) {
    Product &P = product(S);
    float One = 1, Zero = 0;
    return cublasLtMatmul(slot<cublasLtHandle_t>(S), P.What, &One, S.Device,
                          P.Layout, S.Device, P.Layout, &Zero, S.Device2,
                          P.Layout, S.Device2, P.Layout, &P.Best.algo,
                          P.Workspace, P.Bytes, S.Stream);
  };
  Action Unchosen = [](Scene &S) {
    Product &P = product(S);
    float One = 1, Zero = 0;
    return cublasLtMatmul(slot<cublasLtHandle_t>(S), P.What, &One, S.Device,
                          P.Layout, S.Device, P.Layout, &Zero, S.Device2,
                          P.Layout, S.Device2, P.Layout, nullptr, P.Workspace,
                          P.Bytes, S.Stream);
  };
  library(C, "cublasLtMatmulAlgoGetHeuristic", "", Choose)
      .before(Chosen)
      .after(forget);
  library(C, "cublasLtMatmulAlgoGetHeuristic", "first in the process", Choose)
      .before(Ready)
      .fresh();
  library(C, "cublasLtMatmulAlgoCheck", "",
          [](Scene &S) {
            Product &P = product(S);
            cublasLtMatmulHeuristicResult_t Result;
            return cublasLtMatmulAlgoCheck(slot<cublasLtHandle_t>(S), P.What,
                                           P.Layout, P.Layout, P.Layout,
                                           P.Layout, &P.Best.algo, &Result);
          })
      .before(Chosen)
      .after(forget);
  library(C, "cublasLtMatmul", "", Multiply)
      .streams()
      .before(chain(Chosen, Multiply))
      .after(forget);
  library(C, "cublasLtMatmul", "first use of the handle", Multiply)
      .on({Relation::Origin})
      .before(Chosen)
      .fresh();
  library(C, "cublasLtMatmul", "no algorithm given", Unchosen)
      .streams()
      .before(chain(Ready, Unchosen))
      .after(forget);
  Action Transform = [](Scene &S) {
    Product &P = product(S);
    float One = 1, Zero = 0;
    return cublasLtMatrixTransform(slot<cublasLtHandle_t>(S), P.Transform, &One,
                                   S.Device, P.Layout, &Zero, nullptr, nullptr,
                                   S.Device2, P.Layout, S.Stream);
  };
  library(C, "cublasLtMatrixTransform", "", Transform)
      .streams()
      .before(chain(Ready, Transform))
      .after(forget);
}

} // namespace cudagraph::conformance

#endif // CUDAGRAPH_WITHOUT_LIBRARIES
