//===- SparseCases.cu - cuSPARSE: handles, descriptors, vectors -----------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Library.h"

#ifndef CUDAGRAPH_WITHOUT_LIBRARIES

#include "Sparse.h"

namespace cudagraph::conformance {

static void addHandles(Cases &C) {
  Action Create = [](Scene &S) {
    return cusparseCreate(&slot<cusparseHandle_t>(S));
  };
  Action Destroy = [](Scene &S) {
    return S.P ? emptied(S, cusparseDestroy(slot<cusparseHandle_t>(S))) : 0;
  };
  Action Set = [](Scene &S) {
    return cusparseSetStream(slot<cusparseHandle_t>(S), S.Stream);
  };
  library(C, "cusparseCreate", "", Create)
      .before(chain(Create, Destroy))
      .after(Destroy);
  library(C, "cusparseCreate", "first in the process", Create).fresh();
  library(C, "cusparseDestroy", "", Destroy).before(Create);
  library(C, "cusparseSetStream", "", Set)
      .on(mainRelations())
      .before(Create)
      .after(Destroy);
  library(C, "cusparseGetStream", "",
          [](Scene &S) {
            return cusparseGetStream(slot<cusparseHandle_t>(S), &S.NewStream);
          })
      .before(Create)
      .after(Destroy);
  library(C, "cusparseSetPointerMode", "",
          [](Scene &S) {
            return cusparseSetPointerMode(slot<cusparseHandle_t>(S),
                                          CUSPARSE_POINTER_MODE_DEVICE);
          })
      .before(Create)
      .after(Destroy);
}

static void addDescriptors(Cases &C) {
  Action DestroyMatrix = [](Scene &S) {
    return cusparseDestroySpMat(slot<cusparseSpMatDescr_t>(S));
  };
  Action Csr = [](Scene &S) {
    return cusparseCreateCsr(&slot<cusparseSpMatDescr_t>(S), 8, 8, 8, S.Device,
                             S.Device, S.Device2, CUSPARSE_INDEX_32I,
                             CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
                             CUDA_R_32F);
  };
  library(C, "cusparseCreateCsr", "", Csr).after(DestroyMatrix);
  library(C, "cusparseDestroySpMat", "", DestroyMatrix).before(Csr);
  library(C, "cusparseCreateCoo", "", [](Scene &S) {
    return cusparseCreateCoo(&slot<cusparseSpMatDescr_t>(S), 8, 8, 8, S.Device,
                             S.Device, S.Device2, CUSPARSE_INDEX_32I,
                             CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F);
  }).after(DestroyMatrix);
  library(C, "cusparseCsrSetPointers", "",
          [](Scene &S) {
            return cusparseCsrSetPointers(slot<cusparseSpMatDescr_t>(S),
                                          S.Device2, S.Device2, S.Device);
          })
      .before(Csr)
      .after(DestroyMatrix);
  library(C, "cusparseSpMatSetAttribute", "",
          [](Scene &S) {
            cusparseFillMode_t Lower = CUSPARSE_FILL_MODE_LOWER;
            return cusparseSpMatSetAttribute(slot<cusparseSpMatDescr_t>(S),
                                             CUSPARSE_SPMAT_FILL_MODE, &Lower,
                                             sizeof(Lower));
          })
      .before(Csr)
      .after(DestroyMatrix);
  library(C, "cusparseSpMatGetSize", "",
          [](Scene &S) {
            int64_t Rows, Columns, Count;
            return cusparseSpMatGetSize(slot<cusparseSpMatDescr_t>(S), &Rows,
                                        &Columns, &Count);
          })
      .before(Csr)
      .after(DestroyMatrix);
  library(C, "cusparseCreateDnVec", "", [](Scene &S) {
    return cusparseCreateDnVec(&slot<cusparseDnVecDescr_t>(S), 8, S.Device,
                               CUDA_R_32F);
  }).after([](Scene &S) {
    return cusparseDestroyDnVec(slot<cusparseDnVecDescr_t>(S));
  });
  library(C, "cusparseCreateDnMat", "", [](Scene &S) {
    return cusparseCreateDnMat(&slot<cusparseDnMatDescr_t>(S), 8, 8, 8,
                               S.Device, CUDA_R_32F, CUSPARSE_ORDER_COL);
  }).after([](Scene &S) {
    return cusparseDestroyDnMat(slot<cusparseDnMatDescr_t>(S));
  });
  library(C, "cusparseCreateSpVec", "", [](Scene &S) {
    return cusparseCreateSpVec(&slot<cusparseSpVecDescr_t>(S), 8, 8, S.Device,
                               S.Device2, CUSPARSE_INDEX_32I,
                               CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F);
  }).after([](Scene &S) {
    return cusparseDestroySpVec(slot<cusparseSpVecDescr_t>(S));
  });
  library(C, "cusparseSpSV_createDescr", "", [](Scene &S) {
    return cusparseSpSV_createDescr(&slot<cusparseSpSVDescr_t>(S));
  }).after([](Scene &S) {
    return cusparseSpSV_destroyDescr(slot<cusparseSpSVDescr_t>(S));
  });
  library(C, "cusparseSpGEMM_createDescr", "", [](Scene &S) {
    return cusparseSpGEMM_createDescr(&slot<cusparseSpGEMMDescr_t>(S));
  }).after([](Scene &S) {
    return cusparseSpGEMM_destroyDescr(slot<cusparseSpGEMMDescr_t>(S));
  });
}

static void addVectors(Cases &C) {
  Action Ready = chain(createSparse, setSparseStream);
  Action Axpby = [](Scene &S) {
    float One = 1;
    return cusparseAxpby(slot<cusparseHandle_t>(S), &One, sparse(S).Vector,
                         &One, sparse(S).Y);
  };
  library(C, "cusparseAxpby", "", Axpby)
      .on(fewRelations())
      .before(chain(Ready, Axpby))
      .after(destroySparse);
  Action Gather = [](Scene &S) {
    return cusparseGather(slot<cusparseHandle_t>(S), sparse(S).Y,
                          sparse(S).Vector);
  };
  library(C, "cusparseGather", "", Gather)
      .on(fewRelations())
      .before(chain(Ready, Gather))
      .after(destroySparse);
  Action Scatter = [](Scene &S) {
    return cusparseScatter(slot<cusparseHandle_t>(S), sparse(S).Vector,
                           sparse(S).Y);
  };
  library(C, "cusparseScatter", "", Scatter)
      .on(fewRelations())
      .before(chain(Ready, Scatter))
      .after(destroySparse);
  Action Rot = [](Scene &S) {
    float One = 1, Zero = 0;
    return cusparseRot(slot<cusparseHandle_t>(S), &One, &Zero, sparse(S).Vector,
                       sparse(S).Y);
  };
  library(C, "cusparseRot", "", Rot)
      .on(fewRelations())
      .before(chain(Ready, Rot))
      .after(destroySparse);
  Action DotSize = [](Scene &S) {
    Sparse &M = sparse(S);
    return cusparseSpVV_bufferSize(slot<cusparseHandle_t>(S),
                                   CUSPARSE_OPERATION_NON_TRANSPOSE, M.Vector,
                                   M.X, S.Host, CUDA_R_32F, &M.Bytes);
  };
  Action Dot = [](Scene &S) {
    Sparse &M = sparse(S);
    return cusparseSpVV(slot<cusparseHandle_t>(S),
                        CUSPARSE_OPERATION_NON_TRANSPOSE, M.Vector, M.X, S.Host,
                        CUDA_R_32F, M.Buffer);
  };
  Action Sized = chain(chain(Ready, DotSize), allocateSparse);
  library(C, "cusparseSpVV", "result on the host", Dot)
      .on(fewRelations())
      .before(chain(Sized, Dot))
      .after(destroySparse);
  library(C, "cusparseSpVV", "result on the device",
          [](Scene &S) {
            Sparse &M = sparse(S);
            return cusparseSpVV(slot<cusparseHandle_t>(S),
                                CUSPARSE_OPERATION_NON_TRANSPOSE, M.Vector, M.X,
                                S.Device2, CUDA_R_32F, M.Buffer);
          })
      .on(fewRelations())
      .before(chain(chain(Sized, Dot),
                    [](Scene &S) {
                      return cusparseSetPointerMode(
                          slot<cusparseHandle_t>(S),
                          CUSPARSE_POINTER_MODE_DEVICE);
                    }))
      .after(destroySparse);
}

void addSparseCases(Cases &C) {
  addHandles(C);
  addDescriptors(C);
  addVectors(C);
}

} // namespace cudagraph::conformance

#endif // CUDAGRAPH_WITHOUT_LIBRARIES
