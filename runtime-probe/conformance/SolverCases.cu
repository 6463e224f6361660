//===- SolverCases.cu - cuSOLVER: handles and classic routines ------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The matrix, in Device, is 8 x 8 and diagonal, so that every routine also
// succeeds on its own result.
//
//===----------------------------------------------------------------------===//

#include "Library.h"

#ifndef CUDAGRAPH_WITHOUT_LIBRARIES

#include <cusolverDn.h>

namespace cudagraph::conformance {

static int create(Scene &S) {
  return cusolverDnCreate(&slot<cusolverDnHandle_t>(S));
}
static int destroy(Scene &S) {
  cudaFree(S.Q);
  return S.P ? emptied(S, cusolverDnDestroy(slot<cusolverDnHandle_t>(S))) : 0;
}
static int setStream(Scene &S) {
  return cusolverDnSetStream(slot<cusolverDnHandle_t>(S), S.Stream);
}
static int fill(Scene &S) {
  float Values[64] = {};
  for (int I = 0; I < 64; I += 9)
    Values[I] = 1;
  return cudaMemcpy(S.Device, Values, sizeof(Values), cudaMemcpyHostToDevice);
}
/// Allocates the work area with the size S.I.
static int allocate(Scene &S) {
  return cudaMalloc(&S.Q, sizeof(float) * (S.I + 1));
}
static int *info(Scene &S) { return reinterpret_cast<int *>(S.Device2); }
static int *pivots(Scene &S) { return info(S) + 64; }
static float *vector(Scene &S) { return floats(S.Device2 + 1024); }
static float *left(Scene &S) { return floats(S.Device2 + 2048); }
static float *right(Scene &S) { return floats(S.Device2 + 3072); }

static void addHandles(Cases &C) {
  Action Create = [](Scene &S) {
    return cusolverDnCreate(&slot<cusolverDnHandle_t>(S));
  };
  Action Destroy = [](Scene &S) {
    return S.P ? emptied(S, cusolverDnDestroy(slot<cusolverDnHandle_t>(S))) : 0;
  };
  Action Set = [](Scene &S) {
    return cusolverDnSetStream(slot<cusolverDnHandle_t>(S), S.Stream);
  };
  library(C, "cusolverDnCreate", "", Create)
      .before(chain(Create, Destroy))
      .after(Destroy);
  library(C, "cusolverDnCreate", "first in the process", Create).fresh();
  library(C, "cusolverDnDestroy", "", Destroy).before(Create);
  library(C, "cusolverDnSetStream", "", Set)
      .on(mainRelations())
      .before(Create)
      .after(Destroy);
  library(C, "cusolverDnGetStream", "",
          [](Scene &S) {
            return cusolverDnGetStream(slot<cusolverDnHandle_t>(S),
                                       &S.NewStream);
          })
      .before(Create)
      .after(Destroy);
  library(C, "cusolverDnSetDeterministicMode", "",
          [](Scene &S) {
            return cusolverDnSetDeterministicMode(
                slot<cusolverDnHandle_t>(S),
                CUSOLVER_ALLOW_NON_DETERMINISTIC_RESULTS);
          })
      .before(Create)
      .after(Destroy);
}

static void addCholesky(Cases &C) {
  Action Size = [](Scene &S) {
    return cusolverDnSpotrf_bufferSize(slot<cusolverDnHandle_t>(S),
                                       CUBLAS_FILL_MODE_LOWER, 8,
                                       floats(S.Device), 8, &S.I);
  };
  Action Factor = [](Scene &S) {
    return cusolverDnSpotrf(slot<cusolverDnHandle_t>(S), CUBLAS_FILL_MODE_LOWER,
                            8, floats(S.Device), 8, floats(S.Q), S.I, info(S));
  };
  Action Filled = chain(create, fill);
  Action Sized = chain(chain(Filled, Size), allocate);
  Action Ready = chain(Sized, setStream);
  library(C, "cusolverDnSpotrf_bufferSize", "", Size)
      .before(create)
      .after(destroy);
  library(C, "cusolverDnSpotrf", "", Factor)
      .on(mainRelations())
      .before(chain(Ready, Factor))
      .after(destroy);
  library(C, "cusolverDnSpotrf", "no stream set", Factor)
      .on({Relation::Legacy})
      .before(chain(Sized, Factor))
      .after(destroy);
  library(C, "cusolverDnSpotrf", "first use of the handle", Factor)
      .on({Relation::Origin})
      .before(Ready)
      .fresh();
  Action Solve = [](Scene &S) {
    return cusolverDnSpotrs(slot<cusolverDnHandle_t>(S), CUBLAS_FILL_MODE_LOWER,
                            8, 1, floats(S.Device), 8, vector(S), 8, info(S));
  };
  library(C, "cusolverDnSpotrs", "", Solve)
      .on(mainRelations())
      .before(chain(chain(Filled, setStream), Solve))
      .after(destroy);
  Action InverseSize = [](Scene &S) {
    return cusolverDnSpotri_bufferSize(slot<cusolverDnHandle_t>(S),
                                       CUBLAS_FILL_MODE_LOWER, 8,
                                       floats(S.Device), 8, &S.I);
  };
  Action Invert = [](Scene &S) {
    return cusolverDnSpotri(slot<cusolverDnHandle_t>(S), CUBLAS_FILL_MODE_LOWER,
                            8, floats(S.Device), 8, floats(S.Q), S.I, info(S));
  };
  library(C, "cusolverDnSpotri", "", Invert)
      .on(fewRelations())
      .before(chain(chain(chain(Filled, InverseSize), allocate),
                    chain(setStream, Invert)))
      .after(destroy);
}

static void addLuAndQr(Cases &C) {
  Action Filled = chain(create, fill);
  Action Size = [](Scene &S) {
    return cusolverDnSgetrf_bufferSize(slot<cusolverDnHandle_t>(S), 8, 8,
                                       floats(S.Device), 8, &S.I);
  };
  Action Factor = [](Scene &S) {
    return cusolverDnSgetrf(slot<cusolverDnHandle_t>(S), 8, 8, floats(S.Device),
                            8, floats(S.Q), pivots(S), info(S));
  };
  Action Ready = chain(chain(Filled, Size), chain(allocate, setStream));
  Action Factored = chain(Ready, Factor);
  library(C, "cusolverDnSgetrf_bufferSize", "", Size)
      .before(create)
      .after(destroy);
  library(C, "cusolverDnSgetrf", "", Factor)
      .on(mainRelations())
      .before(Factored)
      .after(destroy);
  library(C, "cusolverDnSgetrf", "first use of the handle", Factor)
      .on({Relation::Origin})
      .before(Ready)
      .fresh();
  library(C, "cusolverDnSgetrf", "without pivots",
          [](Scene &S) {
            return cusolverDnSgetrf(slot<cusolverDnHandle_t>(S), 8, 8,
                                    floats(S.Device), 8, floats(S.Q), nullptr,
                                    info(S));
          })
      .on(fewRelations())
      .before(Factored)
      .after(destroy);
  Action Solve = [](Scene &S) {
    return cusolverDnSgetrs(slot<cusolverDnHandle_t>(S), CUBLAS_OP_N, 8, 1,
                            floats(S.Device), 8, pivots(S), vector(S), 8,
                            info(S));
  };
  library(C, "cusolverDnSgetrs", "", Solve)
      .on(mainRelations())
      .before(chain(Factored, Solve))
      .after(destroy);
  Action QrSize = [](Scene &S) {
    return cusolverDnSgeqrf_bufferSize(slot<cusolverDnHandle_t>(S), 8, 8,
                                       floats(S.Device), 8, &S.I);
  };
  Action Qr = [](Scene &S) {
    return cusolverDnSgeqrf(slot<cusolverDnHandle_t>(S), 8, 8, floats(S.Device),
                            8, vector(S), floats(S.Q), S.I, info(S));
  };
  Action ReadyQr = chain(chain(Filled, QrSize), chain(allocate, setStream));
  library(C, "cusolverDnSgeqrf_bufferSize", "", QrSize)
      .before(create)
      .after(destroy);
  library(C, "cusolverDnSgeqrf", "", Qr)
      .on(mainRelations())
      .before(chain(ReadyQr, Qr))
      .after(destroy);
  library(C, "cusolverDnSgeqrf", "first use of the handle", Qr)
      .on({Relation::Origin})
      .before(ReadyQr)
      .fresh();
}

static void addValues(Cases &C) {
  Action Filled = chain(create, fill);
  Action EigenSize = [](Scene &S) {
    return cusolverDnSsyevd_bufferSize(
        slot<cusolverDnHandle_t>(S), CUSOLVER_EIG_MODE_VECTOR,
        CUBLAS_FILL_MODE_LOWER, 8, floats(S.Device), 8, vector(S), &S.I);
  };
  Action Eigen = [](Scene &S) {
    return cusolverDnSsyevd(slot<cusolverDnHandle_t>(S),
                            CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, 8,
                            floats(S.Device), 8, vector(S), floats(S.Q), S.I,
                            info(S));
  };
  Action ReadyEigen =
      chain(chain(Filled, EigenSize), chain(allocate, setStream));
  library(C, "cusolverDnSsyevd_bufferSize", "", EigenSize)
      .before(create)
      .after(destroy);
  library(C, "cusolverDnSsyevd", "", Eigen)
      .on(mainRelations())
      .before(chain(ReadyEigen, Eigen))
      .after(destroy);
  library(C, "cusolverDnSsyevd", "first use of the handle", Eigen)
      .on({Relation::Origin})
      .before(ReadyEigen)
      .fresh();
  Action Size = [](Scene &S) {
    return cusolverDnSgesvd_bufferSize(slot<cusolverDnHandle_t>(S), 8, 8, &S.I);
  };
  Action Singular = [](Scene &S) {
    return cusolverDnSgesvd(slot<cusolverDnHandle_t>(S), 'A', 'A', 8, 8,
                            floats(S.Device), 8, vector(S), left(S), 8,
                            right(S), 8, floats(S.Q), S.I, nullptr, info(S));
  };
  Action ReadySingular = chain(chain(Filled, Size), chain(allocate, setStream));
  library(C, "cusolverDnSgesvd_bufferSize", "", Size)
      .before(create)
      .after(destroy);
  library(C, "cusolverDnSgesvd", "", Singular)
      .on(mainRelations())
      .before(chain(ReadySingular, Singular))
      .after(destroy);
  library(C, "cusolverDnSgesvd", "first use of the handle", Singular)
      .on({Relation::Origin})
      .before(ReadySingular)
      .fresh();
}

void addSolverCases(Cases &C) {
  addHandles(C);
  addCholesky(C);
  addLuAndQr(C);
  addValues(C);
}

} // namespace cudagraph::conformance

#endif // CUDAGRAPH_WITHOUT_LIBRARIES
