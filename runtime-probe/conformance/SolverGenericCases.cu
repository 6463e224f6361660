//===- SolverGenericCases.cu - cuSOLVER: other routines -------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The generic routines, which also have a work area on the host; the iterative
// and batched routines; and the handles of the sparse solvers.
//
//===----------------------------------------------------------------------===//

#include "Library.h"

#ifndef CUDAGRAPH_WITHOUT_LIBRARIES

#include <cusolverDn.h>
#include <cusolverRf.h>
#include <cusolverSp.h>
#include <cusparse.h>

namespace cudagraph::conformance {

namespace {
/// Parameters and work areas of one routine.
struct Work {
  cusolverDnParams_t Parameters = nullptr;
  gesvdjInfo_t Singular = nullptr;
  syevjInfo_t Eigen = nullptr;
  size_t DeviceBytes = 0, HostBytes = 0;
  int Floats = 0;
  void *Device = nullptr;
  std::vector<char> Host;
  float **Pointers = nullptr;
};
} // namespace

static Work &work(Scene &S) { return kept<Work>(S); }
static int *info(Scene &S) { return reinterpret_cast<int *>(S.Device2); }
static int64_t *pivots(Scene &S) {
  return reinterpret_cast<int64_t *>(S.Device2 + 256);
}
static float *vector(Scene &S) { return floats(S.Device2 + 1024); }
static float *left(Scene &S) { return floats(S.Device2 + 2048); }
static float *right(Scene &S) { return floats(S.Device2 + 3072); }

static int create(Scene &S) {
  auto *New = new Work;
  S.Q = New;
  float Values[64] = {};
  for (int I = 0; I < 64; I += 9)
    Values[I] = 1;
  float *Matrix = floats(S.Device);
  int E = cusolverDnCreate(&slot<cusolverDnHandle_t>(S));
  E = E ? E : cusolverDnCreateParams(&New->Parameters);
  E = E ? E : cusolverDnCreateGesvdjInfo(&New->Singular);
  E = E ? E : cusolverDnCreateSyevjInfo(&New->Eigen);
  E = E ? E : cudaMalloc(&New->Pointers, sizeof(float *));
  E = E ? E
        : cudaMemcpy(New->Pointers, &Matrix, sizeof(float *),
                     cudaMemcpyHostToDevice);
  return E ? E
           : cudaMemcpy(S.Device, Values, sizeof(Values),
                        cudaMemcpyHostToDevice);
}
static int allocate(Scene &S) {
  Work &W = work(S);
  W.Host.resize(W.HostBytes + 1);
  return cudaMalloc(&W.Device, W.DeviceBytes + sizeof(float) * W.Floats + 1);
}
static int setStream(Scene &S) {
  return cusolverDnSetStream(slot<cusolverDnHandle_t>(S), S.Stream);
}
static int destroy(Scene &S) {
  Work &W = work(S);
  cusolverDnDestroyParams(W.Parameters);
  cusolverDnDestroyGesvdjInfo(W.Singular);
  cusolverDnDestroySyevjInfo(W.Eigen);
  cudaFree(W.Device);
  cudaFree(W.Pointers);
  delete &W;
  return emptied(S, cusolverDnDestroy(slot<cusolverDnHandle_t>(S)));
}

static void addFactors(Cases &C) {
  Action Size = [](Scene &S) {
    Work &W = work(S);
    return cusolverDnXpotrf_bufferSize(
        slot<cusolverDnHandle_t>(S), W.Parameters, CUBLAS_FILL_MODE_LOWER, 8,
        CUDA_R_32F, S.Device, 8, CUDA_R_32F, &W.DeviceBytes, &W.HostBytes);
  };
  Action Factor = [](Scene &S) {
    Work &W = work(S);
    return cusolverDnXpotrf(slot<cusolverDnHandle_t>(S), W.Parameters,
                            CUBLAS_FILL_MODE_LOWER, 8, CUDA_R_32F, S.Device, 8,
                            CUDA_R_32F, W.Device, W.DeviceBytes, W.Host.data(),
                            W.HostBytes, info(S));
  };
  Action Ready = chain(chain(create, Size), chain(allocate, setStream));
  library(C, "cusolverDnXpotrf_bufferSize", "", Size)
      .before(create)
      .after(destroy);
  library(C, "cusolverDnXpotrf", "", Factor)
      .on(mainRelations())
      .before(chain(Ready, Factor))
      .after(destroy);
  library(C, "cusolverDnXpotrf", "first use of the handle", Factor)
      .on({Relation::Origin})
      .before(Ready)
      .fresh();
  Action LuSize = [](Scene &S) {
    Work &W = work(S);
    return cusolverDnXgetrf_bufferSize(
        slot<cusolverDnHandle_t>(S), W.Parameters, 8, 8, CUDA_R_32F, S.Device,
        8, CUDA_R_32F, &W.DeviceBytes, &W.HostBytes);
  };
  Action Lu = [](Scene &S) {
    Work &W = work(S);
    return cusolverDnXgetrf(slot<cusolverDnHandle_t>(S), W.Parameters, 8, 8,
                            CUDA_R_32F, S.Device, 8, pivots(S), CUDA_R_32F,
                            W.Device, W.DeviceBytes, W.Host.data(), W.HostBytes,
                            info(S));
  };
  Action ReadyLu = chain(chain(create, LuSize), chain(allocate, setStream));
  library(C, "cusolverDnXgetrf_bufferSize", "", LuSize)
      .before(create)
      .after(destroy);
  library(C, "cusolverDnXgetrf", "", Lu)
      .on(mainRelations())
      .before(chain(ReadyLu, Lu))
      .after(destroy);
  Action Solve = [](Scene &S) {
    Work &W = work(S);
    return cusolverDnXgetrs(slot<cusolverDnHandle_t>(S), W.Parameters,
                            CUBLAS_OP_N, 8, 1, CUDA_R_32F, S.Device, 8,
                            pivots(S), CUDA_R_32F, vector(S), 8, info(S));
  };
  library(C, "cusolverDnXgetrs", "", Solve)
      .on(fewRelations())
      .before(chain(chain(ReadyLu, Lu), Solve))
      .after(destroy);
  Action QrSize = [](Scene &S) {
    Work &W = work(S);
    return cusolverDnXgeqrf_bufferSize(
        slot<cusolverDnHandle_t>(S), W.Parameters, 8, 8, CUDA_R_32F, S.Device,
        8, CUDA_R_32F, vector(S), CUDA_R_32F, &W.DeviceBytes, &W.HostBytes);
  };
  Action Qr = [](Scene &S) {
    Work &W = work(S);
    return cusolverDnXgeqrf(slot<cusolverDnHandle_t>(S), W.Parameters, 8, 8,
                            CUDA_R_32F, S.Device, 8, CUDA_R_32F, vector(S),
                            CUDA_R_32F, W.Device, W.DeviceBytes, W.Host.data(),
                            W.HostBytes, info(S));
  };
  library(C, "cusolverDnXgeqrf", "", Qr)
      .on(fewRelations())
      .before(
          chain(chain(chain(create, QrSize), chain(allocate, setStream)), Qr))
      .after(destroy);
  Action Batch = [](Scene &S) {
    return cusolverDnSpotrfBatched(slot<cusolverDnHandle_t>(S),
                                   CUBLAS_FILL_MODE_LOWER, 8, work(S).Pointers,
                                   8, info(S), 1);
  };
  library(C, "cusolverDnSpotrfBatched", "", Batch)
      .on(fewRelations())
      .before(chain(chain(create, setStream), Batch))
      .after(destroy);
}

static void addValues(Cases &C) {
  Action EigenSize = [](Scene &S) {
    Work &W = work(S);
    return cusolverDnXsyevd_bufferSize(
        slot<cusolverDnHandle_t>(S), W.Parameters, CUSOLVER_EIG_MODE_VECTOR,
        CUBLAS_FILL_MODE_LOWER, 8, CUDA_R_32F, S.Device, 8, CUDA_R_32F,
        vector(S), CUDA_R_32F, &W.DeviceBytes, &W.HostBytes);
  };
  Action Eigen = [](Scene &S) {
    Work &W = work(S);
    return cusolverDnXsyevd(slot<cusolverDnHandle_t>(S), W.Parameters,
                            CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, 8,
                            CUDA_R_32F, S.Device, 8, CUDA_R_32F, vector(S),
                            CUDA_R_32F, W.Device, W.DeviceBytes, W.Host.data(),
                            W.HostBytes, info(S));
  };
  Action ReadyEigen =
      chain(chain(create, EigenSize), chain(allocate, setStream));
  library(C, "cusolverDnXsyevd_bufferSize", "", EigenSize)
      .before(create)
      .after(destroy);
  library(C, "cusolverDnXsyevd", "", Eigen)
      .on(mainRelations())
      .before(chain(ReadyEigen, Eigen))
      .after(destroy);
  library(C, "cusolverDnXsyevd", "first use of the handle", Eigen)
      .on({Relation::Origin})
      .before(ReadyEigen)
      .fresh();
  Action JacobiSize = [](Scene &S) {
    Work &W = work(S);
    return cusolverDnSgesvdj_bufferSize(slot<cusolverDnHandle_t>(S),
                                        CUSOLVER_EIG_MODE_VECTOR, 0, 8, 8,
                                        floats(S.Device), 8, vector(S), left(S),
                                        8, right(S), 8, &W.Floats, W.Singular);
  };
  Action Jacobi = [](Scene &S) {
    Work &W = work(S);
    return cusolverDnSgesvdj(
        slot<cusolverDnHandle_t>(S), CUSOLVER_EIG_MODE_VECTOR, 0, 8, 8,
        floats(S.Device), 8, vector(S), left(S), 8, right(S), 8,
        floats(W.Device), W.Floats, info(S), W.Singular);
  };
  Action ReadyJacobi =
      chain(chain(create, JacobiSize), chain(allocate, setStream));
  library(C, "cusolverDnSgesvdj_bufferSize", "", JacobiSize)
      .before(create)
      .after(destroy);
  library(C, "cusolverDnSgesvdj", "", Jacobi)
      .on(mainRelations())
      .before(chain(ReadyJacobi, Jacobi))
      .after(destroy);
  Action SymmetricSize = [](Scene &S) {
    Work &W = work(S);
    return cusolverDnSsyevj_bufferSize(
        slot<cusolverDnHandle_t>(S), CUSOLVER_EIG_MODE_VECTOR,
        CUBLAS_FILL_MODE_LOWER, 8, floats(S.Device), 8, vector(S), &W.Floats,
        W.Eigen);
  };
  Action Symmetric = [](Scene &S) {
    Work &W = work(S);
    return cusolverDnSsyevj(slot<cusolverDnHandle_t>(S),
                            CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, 8,
                            floats(S.Device), 8, vector(S), floats(W.Device),
                            W.Floats, info(S), W.Eigen);
  };
  library(C, "cusolverDnSsyevj", "", Symmetric)
      .on(fewRelations())
      .before(
          chain(chain(chain(create, SymmetricSize), chain(allocate, setStream)),
                Symmetric))
      .after(destroy);
}

static void addHandles(Cases &C) {
  library(C, "cusolverDnCreateParams", "", [](Scene &S) {
    return cusolverDnCreateParams(&slot<cusolverDnParams_t>(S));
  }).after([](Scene &S) {
    return cusolverDnDestroyParams(slot<cusolverDnParams_t>(S));
  });
  library(C, "cusolverDnCreateGesvdjInfo", "", [](Scene &S) {
    return cusolverDnCreateGesvdjInfo(&slot<gesvdjInfo_t>(S));
  }).after([](Scene &S) {
    return cusolverDnDestroyGesvdjInfo(slot<gesvdjInfo_t>(S));
  });
  Action Sparse = [](Scene &S) {
    return cusolverSpCreate(&slot<cusolverSpHandle_t>(S));
  };
  Action DestroySparse = [](Scene &S) {
    return S.P ? emptied(S, cusolverSpDestroy(slot<cusolverSpHandle_t>(S))) : 0;
  };
  library(C, "cusolverSpCreate", "", Sparse)
      .before(chain(Sparse, DestroySparse))
      .after(DestroySparse);
  library(C, "cusolverSpCreate", "first in the process", Sparse).fresh();
  library(C, "cusolverSpDestroy", "", DestroySparse).before(Sparse);
  library(C, "cusolverSpSetStream", "",
          [](Scene &S) {
            return cusolverSpSetStream(slot<cusolverSpHandle_t>(S), S.Stream);
          })
      .on(mainRelations())
      .before(Sparse)
      .after(DestroySparse);
  Action Refactor = [](Scene &S) {
    return cusolverRfCreate(&slot<cusolverRfHandle_t>(S));
  };
  Action DestroyRefactor = [](Scene &S) {
    return S.P ? emptied(S, cusolverRfDestroy(slot<cusolverRfHandle_t>(S))) : 0;
  };
  library(C, "cusolverRfCreate", "", Refactor)
      .before(chain(Refactor, DestroyRefactor))
      .after(DestroyRefactor);
  library(C, "cusolverRfDestroy", "", DestroyRefactor).before(Refactor);
}

void addSolverGenericCases(Cases &C) {
  addFactors(C);
  addValues(C);
  addHandles(C);
}

} // namespace cudagraph::conformance

#endif // CUDAGRAPH_WITHOUT_LIBRARIES
