//===- SparseSolveCases.cu - cuSPARSE: solves and sparse products ---------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// These routines have several steps. Each step is measured after the steps that
// precede it, in a process in which all of them have run before.
//
//===----------------------------------------------------------------------===//

#include "Library.h"

#ifndef CUDAGRAPH_WITHOUT_LIBRARIES

#include "Sparse.h"

namespace cudagraph::conformance {

static constexpr cusparseOperation_t Plain = CUSPARSE_OPERATION_NON_TRANSPOSE;

static void addSolve(Cases &C) {
  Action Size = [](Scene &S) {
    Sparse &M = sparse(S);
    float One = 1;
    return cusparseSpSV_bufferSize(
        slot<cusparseHandle_t>(S), Plain, &One, M.Lower, M.X, M.Y, CUDA_R_32F,
        CUSPARSE_SPSV_ALG_DEFAULT, M.Solve, &M.Bytes);
  };
  Action Analyze = [](Scene &S) {
    Sparse &M = sparse(S);
    float One = 1;
    return cusparseSpSV_analysis(slot<cusparseHandle_t>(S), Plain, &One,
                                 M.Lower, M.X, M.Y, CUDA_R_32F,
                                 CUSPARSE_SPSV_ALG_DEFAULT, M.Solve, M.Buffer);
  };
  Action Solve = [](Scene &S) {
    Sparse &M = sparse(S);
    float One = 1;
    return cusparseSpSV_solve(slot<cusparseHandle_t>(S), Plain, &One, M.Lower,
                              M.X, M.Y, CUDA_R_32F, CUSPARSE_SPSV_ALG_DEFAULT,
                              M.Solve);
  };
  Action Update = [](Scene &S) {
    Sparse &M = sparse(S);
    return cusparseSpSV_updateMatrix(slot<cusparseHandle_t>(S), M.Solve,
                                     M.values(), CUSPARSE_SPSV_UPDATE_GENERAL);
  };
  Action Ready =
      chain(chain(createSparse, setSparseStream), chain(Size, allocateSparse));
  Action Analyzed = chain(Ready, Analyze);
  Action Warm = chain(chain(Analyzed, Solve), destroySparse);
  library(C, "cusparseSpSV_bufferSize", "", Size)
      .on(fewRelations())
      .before(chain(createSparse, setSparseStream))
      .after(destroySparse);
  library(C, "cusparseSpSV_analysis", "", Analyze)
      .on(mainRelations())
      .before(chain(Warm, Ready))
      .after(destroySparse);
  library(C, "cusparseSpSV_solve", "", Solve)
      .on(mainRelations())
      .before(chain(Analyzed, Solve))
      .after(destroySparse);
  library(C, "cusparseSpSV_solve", "first use after the analysis", Solve)
      .on({Relation::Origin})
      .before(Analyzed)
      .fresh();
  library(C, "cusparseSpSV_updateMatrix", "", Update)
      .on(fewRelations())
      .before(chain(chain(Analyzed, Solve), Update))
      .after(destroySparse);
}

static void addSolveMany(Cases &C) {
  Action Size = [](Scene &S) {
    Sparse &M = sparse(S);
    float One = 1;
    return cusparseSpSM_bufferSize(
        slot<cusparseHandle_t>(S), Plain, Plain, &One, M.Lower, M.Dense,
        M.Dense2, CUDA_R_32F, CUSPARSE_SPSM_ALG_DEFAULT, M.SolveMany, &M.Bytes);
  };
  Action Analyze = [](Scene &S) {
    Sparse &M = sparse(S);
    float One = 1;
    return cusparseSpSM_analysis(
        slot<cusparseHandle_t>(S), Plain, Plain, &One, M.Lower, M.Dense,
        M.Dense2, CUDA_R_32F, CUSPARSE_SPSM_ALG_DEFAULT, M.SolveMany, M.Buffer);
  };
  Action Solve = [](Scene &S) {
    Sparse &M = sparse(S);
    float One = 1;
    return cusparseSpSM_solve(slot<cusparseHandle_t>(S), Plain, Plain, &One,
                              M.Lower, M.Dense, M.Dense2, CUDA_R_32F,
                              CUSPARSE_SPSM_ALG_DEFAULT, M.SolveMany);
  };
  Action Ready =
      chain(chain(createSparse, setSparseStream), chain(Size, allocateSparse));
  Action Warm = chain(chain(chain(Ready, Analyze), Solve), destroySparse);
  library(C, "cusparseSpSM_analysis", "", Analyze)
      .on(fewRelations())
      .before(chain(Warm, Ready))
      .after(destroySparse);
  library(C, "cusparseSpSM_solve", "", Solve)
      .on(fewRelations())
      .before(chain(chain(Ready, Analyze), Solve))
      .after(destroySparse);
}

static void addProduct(Cases &C) {
  Action EstimateSize = [](Scene &S) {
    Sparse &M = sparse(S);
    float One = 1, Zero = 0;
    return cusparseSpGEMM_workEstimation(slot<cusparseHandle_t>(S), Plain,
                                         Plain, &One, M.A, M.A, &Zero, M.Result,
                                         CUDA_R_32F, CUSPARSE_SPGEMM_DEFAULT,
                                         M.Product, &M.Bytes, nullptr);
  };
  Action Estimate = [](Scene &S) {
    Sparse &M = sparse(S);
    float One = 1, Zero = 0;
    return cusparseSpGEMM_workEstimation(slot<cusparseHandle_t>(S), Plain,
                                         Plain, &One, M.A, M.A, &Zero, M.Result,
                                         CUDA_R_32F, CUSPARSE_SPGEMM_DEFAULT,
                                         M.Product, &M.Bytes, M.Buffer);
  };
  Action ComputeSize = [](Scene &S) {
    Sparse &M = sparse(S);
    float One = 1, Zero = 0;
    return cusparseSpGEMM_compute(slot<cusparseHandle_t>(S), Plain, Plain, &One,
                                  M.A, M.A, &Zero, M.Result, CUDA_R_32F,
                                  CUSPARSE_SPGEMM_DEFAULT, M.Product, &M.Bytes2,
                                  nullptr);
  };
  Action Compute = [](Scene &S) {
    Sparse &M = sparse(S);
    float One = 1, Zero = 0;
    return cusparseSpGEMM_compute(slot<cusparseHandle_t>(S), Plain, Plain, &One,
                                  M.A, M.A, &Zero, M.Result, CUDA_R_32F,
                                  CUSPARSE_SPGEMM_DEFAULT, M.Product, &M.Bytes2,
                                  M.Buffer2);
  };
  Action Copy = [](Scene &S) {
    Sparse &M = sparse(S);
    float One = 1, Zero = 0;
    return cusparseSpGEMM_copy(slot<cusparseHandle_t>(S), Plain, Plain, &One,
                               M.A, M.A, &Zero, M.Result, CUDA_R_32F,
                               CUSPARSE_SPGEMM_DEFAULT, M.Product);
  };
  Action Allocate = [](Scene &S) {
    Sparse &M = sparse(S);
    return cudaMalloc(&M.Buffer2, M.Bytes2 + 1);
  };
  Action Point = [](Scene &S) {
    Sparse &M = sparse(S);
    return cusparseCsrSetPointers(M.Result, M.resultRows(), M.resultColumns(),
                                  M.resultValues());
  };
  Action Ready = chain(createSparse, setSparseStream);
  Action Sized = chain(Ready, chain(EstimateSize, allocateSparse));
  Action Estimated = chain(Sized, Estimate);
  Action SizedTwice = chain(Estimated, chain(ComputeSize, Allocate));
  Action Computed = chain(chain(SizedTwice, Compute), Point);
  Action Warm = chain(chain(Computed, Copy), destroySparse);
  library(C, "cusparseSpGEMM_workEstimation", "size query", EstimateSize)
      .on(fewRelations())
      .before(chain(Warm, Ready))
      .after(destroySparse);
  library(C, "cusparseSpGEMM_workEstimation", "", Estimate)
      .on(fewRelations())
      .before(chain(Warm, Sized))
      .after(destroySparse);
  library(C, "cusparseSpGEMM_compute", "size query", ComputeSize)
      .on(fewRelations())
      .before(chain(Warm, Estimated))
      .after(destroySparse);
  library(C, "cusparseSpGEMM_compute", "", Compute)
      .on(fewRelations())
      .before(chain(Warm, SizedTwice))
      .after(destroySparse);
  library(C, "cusparseSpGEMM_copy", "", Copy)
      .on(fewRelations())
      .before(chain(Warm, Computed))
      .after(destroySparse);
}

static void addTridiagonal(Cases &C) {
  Action Size = [](Scene &S) {
    Sparse &M = sparse(S);
    return cusparseSgtsv2_bufferSizeExt(slot<cusparseHandle_t>(S), 8, 1,
                                        M.dense2(), M.values(), M.dense2(),
                                        M.dense3(), 8, &M.Bytes);
  };
  Action Solve = [](Scene &S) {
    Sparse &M = sparse(S);
    return cusparseSgtsv2(slot<cusparseHandle_t>(S), 8, 1, M.dense2(),
                          M.values(), M.dense2(), M.dense3(), 8, M.Buffer);
  };
  Action Ready =
      chain(chain(createSparse, setSparseStream), chain(Size, allocateSparse));
  library(C, "cusparseSgtsv2_bufferSizeExt", "", Size)
      .before(createSparse)
      .after(destroySparse);
  library(C, "cusparseSgtsv2", "", Solve)
      .on(mainRelations())
      .before(chain(Ready, Solve))
      .after(destroySparse);
  Action UnpivotedSize = [](Scene &S) {
    Sparse &M = sparse(S);
    return cusparseSgtsv2_nopivot_bufferSizeExt(
        slot<cusparseHandle_t>(S), 8, 1, M.dense2(), M.values(), M.dense2(),
        M.dense3(), 8, &M.Bytes);
  };
  Action Unpivoted = [](Scene &S) {
    Sparse &M = sparse(S);
    return cusparseSgtsv2_nopivot(slot<cusparseHandle_t>(S), 8, 1, M.dense2(),
                                  M.values(), M.dense2(), M.dense3(), 8,
                                  M.Buffer);
  };
  library(C, "cusparseSgtsv2_nopivot", "", Unpivoted)
      .on(fewRelations())
      .before(chain(chain(chain(createSparse, setSparseStream),
                          chain(UnpivotedSize, allocateSparse)),
                    Unpivoted))
      .after(destroySparse);
}

void addSparseSolveCases(Cases &C) {
  addSolve(C);
  addSolveMany(C);
  addProduct(C);
  addTridiagonal(C);
}

} // namespace cudagraph::conformance

#endif // CUDAGRAPH_WITHOUT_LIBRARIES
