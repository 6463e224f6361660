//===- BlasCases.cu - cuBLAS and cuSOLVER ---------------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Library.h"

#ifndef CUDAGRAPH_WITHOUT_LIBRARIES

#include <cublas_v2.h>
#include <cusolverDn.h>

namespace cudagraph::conformance {

void addBlasCases(Cases &C) {
  Action Create = [](Scene &S) {
    return cublasCreate(&slot<cublasHandle_t>(S));
  };
  Action Destroy = [](Scene &S) {
    return S.P ? emptied(S, cublasDestroy(slot<cublasHandle_t>(S))) : 0;
  };
  Action Set = [](Scene &S) {
    return cublasSetStream(slot<cublasHandle_t>(S), S.Stream);
  };
  Action Gemm = [](Scene &S) {
    float One = 1;
    return cublasSgemm(slot<cublasHandle_t>(S), CUBLAS_OP_N, CUBLAS_OP_N, 16,
                       16, 16, &One, floats(S.Device), 16, floats(S.Device2),
                       16, &One, floats(S.Device2), 16);
  };
  Action Dot = [](Scene &S) {
    return cublasSdot(slot<cublasHandle_t>(S), 16, floats(S.Device), 1,
                      floats(S.Device2), 1, floats(S.Host));
  };
  Action Axpy = [](Scene &S) {
    float One = 1;
    return cublasSaxpy(slot<cublasHandle_t>(S), 16, &One, floats(S.Device), 1,
                       floats(S.Device2), 1);
  };
  Action Ready = chain(Create, Set);
  library(C, "cublasCreate", "", Create)
      .before(chain(Create, Destroy))
      .after(Destroy);
  library(C, "cublasCreate", "first in the process", Create).fresh();
  library(C, "cublasDestroy", "", Destroy).before(Create);
  library(C, "cublasDestroy", "after use", Destroy).before(chain(Create, Gemm));
  library(C, "cublasSetStream", "", Set)
      .on(mainRelations())
      .before(Create)
      .after(Destroy);
  library(C, "cublasSetWorkspace", "",
          [](Scene &S) {
            return cublasSetWorkspace(slot<cublasHandle_t>(S), S.Device,
                                      S.Bytes);
          })
      .before(Create)
      .after(Destroy);
  library(C, "cublasSetPointerMode", "",
          [](Scene &S) {
            return cublasSetPointerMode(slot<cublasHandle_t>(S),
                                        CUBLAS_POINTER_MODE_DEVICE);
          })
      .before(Create)
      .after(Destroy);
  library(C, "cublasSgemm", "", Gemm)
      .on(mainRelations())
      .before(chain(Ready, Gemm))
      .after(Destroy);
  library(C, "cublasSgemm", "first use of the handle", Gemm)
      .on({Relation::Origin, Relation::Legacy})
      .before(Ready)
      .fresh();
  library(C, "cublasSaxpy", "", Axpy)
      .on(mainRelations())
      .before(chain(Ready, Axpy))
      .after(Destroy);
  library(C, "cublasSdot", "result on the host", Dot)
      .on(mainRelations())
      .before(chain(Ready, Dot))
      .after(Destroy);
  library(C, "cublasSdot", "result on the device",
          [](Scene &S) {
            return cublasSdot(slot<cublasHandle_t>(S), 16, floats(S.Device), 1,
                              floats(S.Device2), 1, floats(S.Device2));
          })
      .on(mainRelations())
      .before(chain(chain(Ready, Dot),
                    [](Scene &S) {
                      return cublasSetPointerMode(slot<cublasHandle_t>(S),
                                                  CUBLAS_POINTER_MODE_DEVICE);
                    }))
      .after(Destroy);
  library(C, "cublasSetVector", "", [](Scene &S) {
    return cublasSetVector(16, 4, S.Host, 1, S.Device, 1);
  });
  library(C, "cublasGetVector", "", [](Scene &S) {
    return cublasGetVector(16, 4, S.Device, 1, S.Host, 1);
  });
}

void addSolverCases(Cases &C) {
  Action Create = [](Scene &S) {
    return cusolverDnCreate(&slot<cusolverDnHandle_t>(S));
  };
  Action Destroy = [](Scene &S) {
    return S.P ? emptied(S, cusolverDnDestroy(slot<cusolverDnHandle_t>(S))) : 0;
  };
  Action Set = [](Scene &S) {
    return cusolverDnSetStream(slot<cusolverDnHandle_t>(S), S.Stream);
  };
  Action Size = [](Scene &S) {
    return cusolverDnSpotrf_bufferSize(slot<cusolverDnHandle_t>(S),
                                       CUBLAS_FILL_MODE_LOWER, 8,
                                       floats(S.Device), 8, &S.I);
  };
  Action Buffer = [](Scene &S) {
    return cudaMalloc(&S.Q, sizeof(float) * (S.I + 1));
  };
  Action Factor = [](Scene &S) {
    return cusolverDnSpotrf(slot<cusolverDnHandle_t>(S), CUBLAS_FILL_MODE_LOWER,
                            8, floats(S.Device), 8, floats(S.Q), S.I,
                            reinterpret_cast<int *>(S.Device2));
  };
  Action Ready = chain(chain(Create, Set), chain(Size, Buffer));
  library(C, "cusolverDnCreate", "", Create)
      .before(chain(Create, Destroy))
      .after(Destroy);
  library(C, "cusolverDnCreate", "first in the process", Create).fresh();
  library(C, "cusolverDnDestroy", "", Destroy).before(Create);
  library(C, "cusolverDnSetStream", "", Set)
      .on(mainRelations())
      .before(Create)
      .after(Destroy);
  library(C, "cusolverDnSpotrf_bufferSize", "", Size)
      .before(Create)
      .after(Destroy);
  library(C, "cusolverDnSpotrf", "", Factor)
      .on(mainRelations())
      .before(chain(Ready, Factor))
      .after(Destroy);
  library(C, "cusolverDnSpotrf", "first use of the handle", Factor)
      .on({Relation::Origin})
      .before(Ready)
      .fresh();
}

} // namespace cudagraph::conformance

#endif // CUDAGRAPH_WITHOUT_LIBRARIES
