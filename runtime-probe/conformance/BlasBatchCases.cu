//===- BlasBatchCases.cu - cuBLAS: batches of matrices --------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two 8 x 8 matrices, at a fixed stride or referenced by an array of pointers
// in device memory.
//
//===----------------------------------------------------------------------===//

#include "Library.h"

#ifndef CUDAGRAPH_WITHOUT_LIBRARIES

#include <cublas_v2.h>

namespace cudagraph::conformance {

static int create(Scene &S) { return cublasCreate(&slot<cublasHandle_t>(S)); }
static int destroy(Scene &S) {
  cudaFree(S.Q);
  S.Q = nullptr;
  return S.P ? emptied(S, cublasDestroy(slot<cublasHandle_t>(S))) : 0;
}
static int setStream(Scene &S) {
  return cublasSetStream(slot<cublasHandle_t>(S), S.Stream);
}
/// Sets both matrices in Device to the identity matrix, and S.Q to two arrays
/// of two pointers: to the matrices in Device, and to those in Device2. The
/// copies may return before they complete, and a stream need not wait for them.
static int fill(Scene &S) {
  float Units[128] = {};
  for (int I = 0; I < 128; I += I % 64 == 63 ? 1 : 9)
    Units[I] = 1;
  int E = cudaMemcpy(S.Device, Units, sizeof(Units), cudaMemcpyHostToDevice);
  float *Pointers[] = {floats(S.Device), floats(S.Device) + 64,
                       floats(S.Device2), floats(S.Device2) + 64};
  E = E ? E : cudaMalloc(&S.Q, sizeof(Pointers));
  E = E ? E
        : cudaMemcpy(S.Q, Pointers, sizeof(Pointers), cudaMemcpyHostToDevice);
  return E ? E : cudaDeviceSynchronize();
}
static float **first(Scene &S) { return static_cast<float **>(S.Q); }
static float **second(Scene &S) { return first(S) + 2; }
/// Where pivots and states are stored.
static int *numbers(Scene &S) {
  return reinterpret_cast<int *>(S.Device2 + 2048);
}

static void addStrided(Cases &C) {
  Action Ready = chain(create, setStream);
  Action Single = [](Scene &S) {
    float One = 1;
    return cublasSgemmStridedBatched(slot<cublasHandle_t>(S), CUBLAS_OP_N,
                                     CUBLAS_OP_N, 8, 8, 8, &One,
                                     floats(S.Device), 8, 64, floats(S.Device),
                                     8, 64, &One, floats(S.Device2), 8, 64, 2);
  };
  library(C, "cublasSgemmStridedBatched", "", Single)
      .on(mainRelations())
      .before(chain(Ready, Single))
      .after(destroy);
  Action Mixed = [](Scene &S) {
    float One = 1;
    return cublasGemmStridedBatchedEx(
        slot<cublasHandle_t>(S), CUBLAS_OP_N, CUBLAS_OP_N, 8, 8, 8, &One,
        S.Device, CUDA_R_16F, 8, 64, S.Device, CUDA_R_16F, 8, 64, &One,
        S.Device2, CUDA_R_16F, 8, 64, 2, CUBLAS_COMPUTE_32F,
        CUBLAS_GEMM_DEFAULT);
  };
  library(C, "cublasGemmStridedBatchedEx", "half precision", Mixed)
      .on(mainRelations())
      .before(chain(Ready, Mixed))
      .after(destroy);
  Action Gemv = [](Scene &S) {
    float One = 1;
    return cublasSgemvStridedBatched(
        slot<cublasHandle_t>(S), CUBLAS_OP_N, 8, 8, &One, floats(S.Device), 8,
        64, floats(S.Device), 1, 8, &One, floats(S.Device2), 1, 8, 2);
  };
  library(C, "cublasSgemvStridedBatched", "", Gemv)
      .on(fewRelations())
      .before(chain(Ready, Gemv))
      .after(destroy);
}

static void addPointers(Cases &C) {
  Action Ready = chain(chain(create, setStream), fill);
  Action Single = [](Scene &S) {
    float One = 1;
    return cublasSgemmBatched(slot<cublasHandle_t>(S), CUBLAS_OP_N, CUBLAS_OP_N,
                              8, 8, 8, &One, first(S), 8, first(S), 8, &One,
                              second(S), 8, 2);
  };
  library(C, "cublasSgemmBatched", "", Single)
      .on(mainRelations())
      .before(chain(Ready, Single))
      .after(destroy);
  library(C, "cublasSgemmBatched", "first use of the handle", Single)
      .on({Relation::Origin})
      .before(Ready)
      .fresh();
  Action Mixed = [](Scene &S) {
    float One = 1;
    auto **A = reinterpret_cast<void **>(first(S));
    auto **B = reinterpret_cast<void **>(second(S));
    return cublasGemmBatchedEx(slot<cublasHandle_t>(S), CUBLAS_OP_N,
                               CUBLAS_OP_N, 8, 8, 8, &One, A, CUDA_R_16F, 8, A,
                               CUDA_R_16F, 8, &One, B, CUDA_R_16F, 8, 2,
                               CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
  };
  library(C, "cublasGemmBatchedEx", "half precision", Mixed)
      .on(fewRelations())
      .before(chain(Ready, Mixed))
      .after(destroy);
  Action Grouped = [](Scene &S) {
    cublasOperation_t Plain = CUBLAS_OP_N;
    int Eight = 8, Two = 2;
    float One = 1;
    return cublasSgemmGroupedBatched(
        slot<cublasHandle_t>(S), &Plain, &Plain, &Eight, &Eight, &Eight, &One,
        first(S), &Eight, first(S), &Eight, &One, second(S), &Eight, 1, &Two);
  };
  library(C, "cublasSgemmGroupedBatched", "", Grouped)
      .on(mainRelations())
      .before(chain(Ready, Grouped))
      .after(destroy);
  Action Trsm = [](Scene &S) {
    float One = 1;
    return cublasStrsmBatched(slot<cublasHandle_t>(S), CUBLAS_SIDE_LEFT,
                              CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N,
                              CUBLAS_DIAG_NON_UNIT, 8, 8, &One, first(S), 8,
                              second(S), 8, 2);
  };
  library(C, "cublasStrsmBatched", "", Trsm)
      .on(fewRelations())
      .before(chain(Ready, Trsm))
      .after(destroy);
}

static void addFactors(Cases &C) {
  Action Ready = chain(chain(create, setStream), fill);
  Action Factor = [](Scene &S) {
    return cublasSgetrfBatched(slot<cublasHandle_t>(S), 8, first(S), 8,
                               numbers(S), numbers(S) + 16, 2);
  };
  Action Factored = chain(Ready, Factor);
  library(C, "cublasSgetrfBatched", "", Factor)
      .on(fewRelations())
      .before(Factored)
      .after(destroy);
  Action Invert = [](Scene &S) {
    return cublasSgetriBatched(slot<cublasHandle_t>(S), 8, first(S), 8,
                               numbers(S), second(S), 8, numbers(S) + 16, 2);
  };
  library(C, "cublasSgetriBatched", "", Invert)
      .on(fewRelations())
      .before(chain(Factored, Invert))
      .after(destroy);
  Action Solve = [](Scene &S) {
    return cublasSgetrsBatched(slot<cublasHandle_t>(S), CUBLAS_OP_N, 8, 1,
                               first(S), 8, numbers(S), second(S), 8, &S.I, 2);
  };
  library(C, "cublasSgetrsBatched", "", Solve)
      .on(fewRelations())
      .before(chain(Factored, Solve))
      .after(destroy);
  Action Matinv = [](Scene &S) {
    return cublasSmatinvBatched(slot<cublasHandle_t>(S), 8, first(S), 8,
                                second(S), 8, numbers(S), 2);
  };
  library(C, "cublasSmatinvBatched", "", Matinv)
      .on(fewRelations())
      .before(chain(Ready, Matinv))
      .after(destroy);
}

void addBlasBatchCases(Cases &C) {
  addStrided(C);
  addPointers(C);
  addFactors(C);
}

} // namespace cudagraph::conformance

#endif // CUDAGRAPH_WITHOUT_LIBRARIES
