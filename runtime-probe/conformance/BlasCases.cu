//===- BlasCases.cu - cuBLAS: handles, vectors, and transfers -------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A scalar result goes to the host, and the library waits for it; in device
// pointer mode, it goes to the device.
//
//===----------------------------------------------------------------------===//

#include "Library.h"

#ifndef CUDAGRAPH_WITHOUT_LIBRARIES

#include <cublas_v2.h>

namespace cudagraph::conformance {

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

static void addHandles(Cases &C) {
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
  library(C, "cublasGetStream", "",
          [](Scene &S) {
            return cublasGetStream(slot<cublasHandle_t>(S), &S.NewStream);
          })
      .on({Relation::Origin})
      .before(chain(Create, Set))
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
  library(C, "cublasSetMathMode", "",
          [](Scene &S) {
            return cublasSetMathMode(slot<cublasHandle_t>(S),
                                     CUBLAS_TF32_TENSOR_OP_MATH);
          })
      .before(Create)
      .after(Destroy);
  library(C, "cublasSetAtomicsMode", "",
          [](Scene &S) {
            return cublasSetAtomicsMode(slot<cublasHandle_t>(S),
                                        CUBLAS_ATOMICS_ALLOWED);
          })
      .before(Create)
      .after(Destroy);
  library(C, "cublasSetSmCountTarget", "",
          [](Scene &S) {
            return cublasSetSmCountTarget(slot<cublasHandle_t>(S), 8);
          })
      .before(Create)
      .after(Destroy);
  library(
      C, "cublasGetVersion", "",
      [](Scene &S) { return cublasGetVersion(slot<cublasHandle_t>(S), &S.I); })
      .before(Create)
      .after(Destroy);
}

static void addVectors(Cases &C) {
  Action Ready = chain(create, setStream);
  Action Axpy = [](Scene &S) {
    float One = 1;
    return cublasSaxpy(slot<cublasHandle_t>(S), 16, &One, floats(S.Device), 1,
                       floats(S.Device2), 1);
  };
  library(C, "cublasSaxpy", "", Axpy)
      .on(mainRelations())
      .before(chain(Ready, Axpy))
      .after(destroy);
  library(C, "cublasSaxpy", "no stream set", Axpy)
      .on({Relation::Legacy})
      .before(chain(create, Axpy))
      .after(destroy);
  library(C, "cublasSaxpy", "factor on the device",
          [](Scene &S) {
            return cublasSaxpy(slot<cublasHandle_t>(S), 16, floats(S.Device2),
                               floats(S.Device), 1, floats(S.Device2), 1);
          })
      .on(fewRelations())
      .before(chain(chain(Ready, Axpy), toDevice))
      .after(destroy);
  Action Scal = [](Scene &S) {
    float One = 1;
    return cublasSscal(slot<cublasHandle_t>(S), 16, &One, floats(S.Device), 1);
  };
  library(C, "cublasSscal", "", Scal)
      .on(fewRelations())
      .before(chain(Ready, Scal))
      .after(destroy);
  Action Copy = [](Scene &S) {
    return cublasScopy(slot<cublasHandle_t>(S), 16, floats(S.Device), 1,
                       floats(S.Device2), 1);
  };
  library(C, "cublasScopy", "", Copy)
      .on(fewRelations())
      .before(chain(Ready, Copy))
      .after(destroy);
  Action Swap = [](Scene &S) {
    return cublasSswap(slot<cublasHandle_t>(S), 16, floats(S.Device), 1,
                       floats(S.Device2), 1);
  };
  library(C, "cublasSswap", "", Swap)
      .on(fewRelations())
      .before(chain(Ready, Swap))
      .after(destroy);
  Action Rot = [](Scene &S) {
    float Cosine = 1, Sine = 0;
    return cublasSrot(slot<cublasHandle_t>(S), 16, floats(S.Device), 1,
                      floats(S.Device2), 1, &Cosine, &Sine);
  };
  library(C, "cublasSrot", "", Rot)
      .on(fewRelations())
      .before(chain(Ready, Rot))
      .after(destroy);
}

static void addResults(Cases &C) {
  Action Ready = chain(create, setStream);
  Action Dot = [](Scene &S) {
    return cublasSdot(slot<cublasHandle_t>(S), 16, floats(S.Device), 1,
                      floats(S.Device2), 1, floats(S.Host));
  };
  library(C, "cublasSdot", "result on the host", Dot)
      .on(mainRelations())
      .before(chain(Ready, Dot))
      .after(destroy);
  library(C, "cublasSdot", "result on the device",
          [](Scene &S) {
            return cublasSdot(slot<cublasHandle_t>(S), 16, floats(S.Device), 1,
                              floats(S.Device2), 1, floats(S.Device2));
          })
      .on(mainRelations())
      .before(chain(chain(Ready, Dot), toDevice))
      .after(destroy);
  Action Asum = [](Scene &S) {
    return cublasSasum(slot<cublasHandle_t>(S), 16, floats(S.Device), 1,
                       floats(S.Host));
  };
  library(C, "cublasSasum", "result on the host", Asum)
      .on(fewRelations())
      .before(chain(Ready, Asum))
      .after(destroy);
  library(C, "cublasSasum", "result on the device",
          [](Scene &S) {
            return cublasSasum(slot<cublasHandle_t>(S), 16, floats(S.Device), 1,
                               floats(S.Device2));
          })
      .on(fewRelations())
      .before(chain(chain(Ready, Asum), toDevice))
      .after(destroy);
  Action Norm = [](Scene &S) {
    return cublasSnrm2(slot<cublasHandle_t>(S), 16, floats(S.Device), 1,
                       floats(S.Host));
  };
  library(C, "cublasSnrm2", "result on the host", Norm)
      .on(fewRelations())
      .before(chain(Ready, Norm))
      .after(destroy);
  library(C, "cublasSnrm2", "result on the device",
          [](Scene &S) {
            return cublasSnrm2(slot<cublasHandle_t>(S), 16, floats(S.Device), 1,
                               floats(S.Device2));
          })
      .on(fewRelations())
      .before(chain(chain(Ready, Norm), toDevice))
      .after(destroy);
  Action Largest = [](Scene &S) {
    return cublasIsamax(slot<cublasHandle_t>(S), 16, floats(S.Device), 1, &S.I);
  };
  library(C, "cublasIsamax", "result on the host", Largest)
      .on(fewRelations())
      .before(chain(Ready, Largest))
      .after(destroy);
  library(C, "cublasIsamax", "result on the device",
          [](Scene &S) {
            return cublasIsamax(slot<cublasHandle_t>(S), 16, floats(S.Device),
                                1, reinterpret_cast<int *>(S.Device2));
          })
      .on(fewRelations())
      .before(chain(chain(Ready, Largest), toDevice))
      .after(destroy);
  Action Rotation = [](Scene &S) {
    float *H = floats(S.Host);
    return cublasSrotg(slot<cublasHandle_t>(S), H, H + 1, H + 2, H + 3);
  };
  library(C, "cublasSrotg", "values on the host", Rotation)
      .on(fewRelations())
      .before(chain(Ready, Rotation))
      .after(destroy);
  library(C, "cublasSrotg", "values on the device",
          [](Scene &S) {
            float *D = floats(S.Device);
            return cublasSrotg(slot<cublasHandle_t>(S), D, D + 1, D + 2, D + 3);
          })
      .on(fewRelations())
      .before(chain(chain(Ready, Rotation), toDevice))
      .after(destroy);
}

static void addTransfers(Cases &C) {
  library(C, "cublasSetVector", "", [](Scene &S) {
    return cublasSetVector(16, 4, S.Host, 1, S.Device, 1);
  });
  library(C, "cublasGetVector", "", [](Scene &S) {
    return cublasGetVector(16, 4, S.Device, 1, S.Host, 1);
  });
  library(C, "cublasSetMatrix", "", [](Scene &S) {
    return cublasSetMatrix(4, 4, 4, S.Host, 8, S.Device, 8);
  });
  library(C, "cublasGetMatrix", "", [](Scene &S) {
    return cublasGetMatrix(4, 4, 4, S.Device, 8, S.Host, 8);
  });
  library(C, "cublasSetVectorAsync", "pageable host memory", [](Scene &S) {
    return cublasSetVectorAsync(16, 4, S.Host, 1, S.Device, 1, S.Stream);
  }).streams();
  library(C, "cublasSetVectorAsync", "pinned host memory", [](Scene &S) {
    return cublasSetVectorAsync(16, 4, S.Pinned, 1, S.Device, 1, S.Stream);
  }).streams();
  library(C, "cublasGetVectorAsync", "pinned host memory", [](Scene &S) {
    return cublasGetVectorAsync(16, 4, S.Device, 1, S.Pinned, 1, S.Stream);
  }).streams();
  library(C, "cublasSetMatrixAsync", "pinned host memory", [](Scene &S) {
    return cublasSetMatrixAsync(4, 4, 4, S.Pinned, 8, S.Device, 8, S.Stream);
  }).streams();
  library(C, "cublasGetMatrixAsync", "pageable host memory", [](Scene &S) {
    return cublasGetMatrixAsync(4, 4, 4, S.Device, 8, S.Host, 8, S.Stream);
  }).streams();
  library(C, "cublasGetMatrixAsync", "pinned host memory", [](Scene &S) {
    return cublasGetMatrixAsync(4, 4, 4, S.Device, 8, S.Pinned, 8, S.Stream);
  }).streams();
}

void addBlasCases(Cases &C) {
  addHandles(C);
  addVectors(C);
  addResults(C);
  addTransfers(C);
}

} // namespace cudagraph::conformance

#endif // CUDAGRAPH_WITHOUT_LIBRARIES
