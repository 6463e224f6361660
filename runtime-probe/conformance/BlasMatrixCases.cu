//===- BlasMatrixCases.cu - cuBLAS: products and solves of matrices -------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One matrix at a time, 16 x 16; BlasBatchCases.cu has the batches.
//
//===----------------------------------------------------------------------===//

#include "Library.h"

#ifndef CUDAGRAPH_WITHOUT_LIBRARIES

#include <cublas_v2.h>
#include <cuda_fp16.h>

namespace cudagraph::conformance {

static constexpr size_t Megabyte = 1 << 20;

static int create(Scene &S) { return cublasCreate(&slot<cublasHandle_t>(S)); }
static int destroy(Scene &S) {
  return S.P ? emptied(S, cublasDestroy(slot<cublasHandle_t>(S))) : 0;
}
static int setStream(Scene &S) {
  return cublasSetStream(slot<cublasHandle_t>(S), S.Stream);
}
static int toDevice(Scene &S) {
  return cublasSetPointerMode(slot<cublasHandle_t>(S),
                              CUBLAS_POINTER_MODE_DEVICE);
}
static int allocate(Scene &S) { return cudaMalloc(&S.Q, 4 * Megabyte); }
static int release(Scene &S) { return cudaFree(S.Q); }

static void addSingle(Cases &C) {
  Action Ready = chain(create, setStream);
  Action Own = chain(chain(Ready, allocate), [](Scene &S) {
    return cublasSetWorkspace(slot<cublasHandle_t>(S), S.Q, 4 * Megabyte);
  });
  Action Gemm = [](Scene &S) {
    float One = 1;
    return cublasSgemm(slot<cublasHandle_t>(S), CUBLAS_OP_N, CUBLAS_OP_N, 16,
                       16, 16, &One, floats(S.Device), 16, floats(S.Device2),
                       16, &One, floats(S.Device2), 16);
  };
  Action Long = [](Scene &S) {
    float One = 1, *A = floats(S.Q), *B = A + Megabyte / 4;
    return cublasSgemm(slot<cublasHandle_t>(S), CUBLAS_OP_T, CUBLAS_OP_N, 16,
                       16, 8192, &One, A, 8192, B, 8192, &One,
                       floats(S.Device2), 16);
  };
  library(C, "cublasSgemm", "", Gemm)
      .on(mainRelations())
      .before(chain(Ready, Gemm))
      .after(destroy);
  library(C, "cublasSgemm", "first use of the handle", Gemm)
      .on({Relation::Origin, Relation::Legacy})
      .before(Ready)
      .fresh();
  library(C, "cublasSgemm", "no stream set", Gemm)
      .on({Relation::Legacy})
      .before(chain(create, Gemm))
      .after(destroy);
  library(C, "cublasSgemm", "handle new, library used before", Gemm)
      .on(fewRelations())
      .before(chain(chain(chain(create, Gemm), destroy), Ready))
      .after(destroy);
  library(C, "cublasSgemm", "workspace of the caller", Gemm)
      .on(fewRelations())
      .before(chain(Own, Gemm))
      .after(chain(destroy, release));
  library(C, "cublasSgemm", "workspace of the caller, first use", Gemm)
      .on({Relation::Origin})
      .before(Own)
      .fresh();
  library(C, "cublasSgemm", "long sums", Long)
      .on(mainRelations())
      .before(chain(chain(Ready, allocate), Long))
      .after(chain(destroy, release));
  library(C, "cublasSgemm", "stream set in the capture", Gemm)
      .on(fewRelations())
      .before(chain(create, Gemm))
      .inside(setStream)
      .after(destroy);
  library(C, "cublasSgemm", "factors on the device",
          [](Scene &S) {
            return cublasSgemm(slot<cublasHandle_t>(S), CUBLAS_OP_N,
                               CUBLAS_OP_N, 16, 16, 16,
                               floats(S.Device2 + 2048), floats(S.Device), 16,
                               floats(S.Device2), 16, floats(S.Device2 + 2048),
                               floats(S.Device2), 16);
          })
      .on(fewRelations())
      .before(chain(chain(Ready, Gemm), toDevice))
      .after(destroy);
}

static void addOtherTypes(Cases &C) {
  Action Ready = chain(create, setStream);
  Action Double = [](Scene &S) {
    double One = 1;
    return cublasDgemm(slot<cublasHandle_t>(S), CUBLAS_OP_N, CUBLAS_OP_N, 16,
                       16, 16, &One, doubles(S.Device), 16, doubles(S.Device),
                       16, &One, doubles(S.Device2), 16);
  };
  library(C, "cublasDgemm", "", Double)
      .on(mainRelations())
      .before(chain(Ready, Double))
      .after(destroy);
  Action Half = [](Scene &S) {
    __half One = 1.0f, *A = reinterpret_cast<__half *>(S.Device),
           *B = reinterpret_cast<__half *>(S.Device2);
    return cublasHgemm(slot<cublasHandle_t>(S), CUBLAS_OP_N, CUBLAS_OP_N, 16,
                       16, 16, &One, A, 16, A, 16, &One, B, 16);
  };
  library(C, "cublasHgemm", "", Half)
      .on(mainRelations())
      .before(chain(Ready, Half))
      .after(destroy);
  Action Mixed = [](Scene &S) {
    float One = 1;
    return cublasGemmEx(slot<cublasHandle_t>(S), CUBLAS_OP_N, CUBLAS_OP_N, 16,
                        16, 16, &One, S.Device, CUDA_R_16F, 16, S.Device,
                        CUDA_R_16F, 16, &One, S.Device2, CUDA_R_16F, 16,
                        CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
  };
  library(C, "cublasGemmEx", "half precision", Mixed)
      .on(mainRelations())
      .before(chain(Ready, Mixed))
      .after(destroy);
  library(C, "cublasGemmEx", "half precision, first use of the handle", Mixed)
      .on({Relation::Origin})
      .before(Ready)
      .fresh();
  library(C, "cublasGemmEx", "half precision, no stream set", Mixed)
      .on({Relation::Legacy})
      .before(chain(create, Mixed))
      .after(destroy);
}

static void addVectorProducts(Cases &C) {
  Action Ready = chain(create, setStream);
  Action Gemv = [](Scene &S) {
    float One = 1;
    return cublasSgemv(slot<cublasHandle_t>(S), CUBLAS_OP_N, 16, 16, &One,
                       floats(S.Device), 16, floats(S.Device2), 1, &One,
                       floats(S.Device2) + 16, 1);
  };
  library(C, "cublasSgemv", "", Gemv)
      .on(mainRelations())
      .before(chain(Ready, Gemv))
      .after(destroy);
  Action Ger = [](Scene &S) {
    float One = 1;
    return cublasSger(slot<cublasHandle_t>(S), 16, 16, &One, floats(S.Device2),
                      1, floats(S.Device2), 1, floats(S.Device), 16);
  };
  library(C, "cublasSger", "", Ger)
      .on(fewRelations())
      .before(chain(Ready, Ger))
      .after(destroy);
  Action Trsv = [](Scene &S) {
    return cublasStrsv(slot<cublasHandle_t>(S), CUBLAS_FILL_MODE_LOWER,
                       CUBLAS_OP_N, CUBLAS_DIAG_UNIT, 16, floats(S.Device), 16,
                       floats(S.Device2), 1);
  };
  library(C, "cublasStrsv", "", Trsv)
      .on(fewRelations())
      .before(chain(Ready, Trsv))
      .after(destroy);
}

static void addOtherProducts(Cases &C) {
  Action Ready = chain(create, setStream);
  Action Geam = [](Scene &S) {
    float One = 1;
    return cublasSgeam(slot<cublasHandle_t>(S), CUBLAS_OP_T, CUBLAS_OP_N, 16,
                       16, &One, floats(S.Device), 16, &One, floats(S.Device2),
                       16, floats(S.Device2), 16);
  };
  library(C, "cublasSgeam", "", Geam)
      .on(fewRelations())
      .before(chain(Ready, Geam))
      .after(destroy);
  Action Dgmm = [](Scene &S) {
    return cublasSdgmm(slot<cublasHandle_t>(S), CUBLAS_SIDE_LEFT, 16, 16,
                       floats(S.Device), 16, floats(S.Device), 1,
                       floats(S.Device2), 16);
  };
  library(C, "cublasSdgmm", "", Dgmm)
      .on(fewRelations())
      .before(chain(Ready, Dgmm))
      .after(destroy);
  Action Trsm = [](Scene &S) {
    float One = 1;
    return cublasStrsm(slot<cublasHandle_t>(S), CUBLAS_SIDE_LEFT,
                       CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_UNIT,
                       16, 16, &One, floats(S.Device), 16, floats(S.Device2),
                       16);
  };
  library(C, "cublasStrsm", "", Trsm)
      .on(mainRelations())
      .before(chain(Ready, Trsm))
      .after(destroy);
  Action Trmm = [](Scene &S) {
    float One = 1;
    return cublasStrmm(slot<cublasHandle_t>(S), CUBLAS_SIDE_LEFT,
                       CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_UNIT,
                       16, 16, &One, floats(S.Device), 16, floats(S.Device2),
                       16, floats(S.Device2), 16);
  };
  library(C, "cublasStrmm", "", Trmm)
      .on(fewRelations())
      .before(chain(Ready, Trmm))
      .after(destroy);
  Action Syrk = [](Scene &S) {
    float One = 1;
    return cublasSsyrk(slot<cublasHandle_t>(S), CUBLAS_FILL_MODE_LOWER,
                       CUBLAS_OP_N, 16, 16, &One, floats(S.Device), 16, &One,
                       floats(S.Device2), 16);
  };
  library(C, "cublasSsyrk", "", Syrk)
      .on(fewRelations())
      .before(chain(Ready, Syrk))
      .after(destroy);
  Action Symm = [](Scene &S) {
    float One = 1;
    return cublasSsymm(slot<cublasHandle_t>(S), CUBLAS_SIDE_LEFT,
                       CUBLAS_FILL_MODE_LOWER, 16, 16, &One, floats(S.Device),
                       16, floats(S.Device), 16, &One, floats(S.Device2), 16);
  };
  library(C, "cublasSsymm", "", Symm)
      .on(fewRelations())
      .before(chain(Ready, Symm))
      .after(destroy);
}

void addBlasMatrixCases(Cases &C) {
  addSingle(C);
  addOtherTypes(C);
  addVectorProducts(C);
  addOtherProducts(C);
}

} // namespace cudagraph::conformance

#endif // CUDAGRAPH_WITHOUT_LIBRARIES
