//===- SparseMatrixCases.cu - cuSPARSE: products and conversions ----------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Library.h"

#ifndef CUDAGRAPH_WITHOUT_LIBRARIES

#include "Sparse.h"

namespace cudagraph::conformance {

static constexpr cusparseOperation_t Plain = CUSPARSE_OPERATION_NON_TRANSPOSE;

static void addVectorProduct(Cases &C) {
  Action Size = [](Scene &S) {
    Sparse &M = sparse(S);
    float One = 1;
    return cusparseSpMV_bufferSize(slot<cusparseHandle_t>(S), Plain, &One, M.A,
                                   M.X, &One, M.Y, CUDA_R_32F,
                                   CUSPARSE_SPMV_ALG_DEFAULT, &M.Bytes);
  };
  Action Prepare = [](Scene &S) {
    Sparse &M = sparse(S);
    float One = 1;
    return cusparseSpMV_preprocess(slot<cusparseHandle_t>(S), Plain, &One, M.A,
                                   M.X, &One, M.Y, CUDA_R_32F,
                                   CUSPARSE_SPMV_ALG_DEFAULT, M.Buffer);
  };
  Action Multiply = [](Scene &S) {
    Sparse &M = sparse(S);
    float One = 1;
    return cusparseSpMV(slot<cusparseHandle_t>(S), Plain, &One, M.A, M.X, &One,
                        M.Y, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, M.Buffer);
  };
  Action Sized = chain(chain(createSparse, Size), allocateSparse);
  Action Ready = chain(Sized, setSparseStream);
  Action Warm = chain(chain(Ready, Prepare), destroySparse);
  library(C, "cusparseSpMV_bufferSize", "", Size)
      .on(fewRelations())
      .before(chain(createSparse, setSparseStream))
      .after(destroySparse);
  library(C, "cusparseSpMV_preprocess", "", Prepare)
      .on(mainRelations())
      .before(chain(Warm, Ready))
      .after(destroySparse);
  library(C, "cusparseSpMV", "", Multiply)
      .on(mainRelations())
      .before(chain(Ready, Multiply))
      .after(destroySparse);
  library(C, "cusparseSpMV", "no stream set", Multiply)
      .on({Relation::Legacy})
      .before(chain(Sized, Multiply))
      .after(destroySparse);
  library(C, "cusparseSpMV", "preprocessed", Multiply)
      .on(fewRelations())
      .before(chain(chain(Ready, Prepare), Multiply))
      .after(destroySparse);
  library(C, "cusparseSpMV", "first use of the handle", Multiply)
      .on({Relation::Origin})
      .before(Ready)
      .fresh();
}

static void addMatrixProduct(Cases &C) {
  Action Size = [](Scene &S) {
    Sparse &M = sparse(S);
    float One = 1;
    return cusparseSpMM_bufferSize(
        slot<cusparseHandle_t>(S), Plain, Plain, &One, M.A, M.Dense, &One,
        M.Dense2, CUDA_R_32F, CUSPARSE_SPMM_ALG_DEFAULT, &M.Bytes);
  };
  Action Prepare = [](Scene &S) {
    Sparse &M = sparse(S);
    float One = 1;
    return cusparseSpMM_preprocess(
        slot<cusparseHandle_t>(S), Plain, Plain, &One, M.A, M.Dense, &One,
        M.Dense2, CUDA_R_32F, CUSPARSE_SPMM_ALG_DEFAULT, M.Buffer);
  };
  Action Multiply = [](Scene &S) {
    Sparse &M = sparse(S);
    float One = 1;
    return cusparseSpMM(slot<cusparseHandle_t>(S), Plain, Plain, &One, M.A,
                        M.Dense, &One, M.Dense2, CUDA_R_32F,
                        CUSPARSE_SPMM_ALG_DEFAULT, M.Buffer);
  };
  Action Ready =
      chain(chain(createSparse, setSparseStream), chain(Size, allocateSparse));
  library(C, "cusparseSpMM_bufferSize", "", Size)
      .on(fewRelations())
      .before(chain(createSparse, setSparseStream))
      .after(destroySparse);
  library(C, "cusparseSpMM_preprocess", "", Prepare)
      .on(fewRelations())
      .before(chain(chain(chain(Ready, Prepare), destroySparse), Ready))
      .after(destroySparse);
  library(C, "cusparseSpMM", "", Multiply)
      .on(mainRelations())
      .before(chain(Ready, Multiply))
      .after(destroySparse);
  library(C, "cusparseSpMM", "first use of the handle", Multiply)
      .on({Relation::Origin})
      .before(Ready)
      .fresh();
  Action SampledSize = [](Scene &S) {
    Sparse &M = sparse(S);
    float One = 1;
    return cusparseSDDMM_bufferSize(
        slot<cusparseHandle_t>(S), Plain, Plain, &One, M.Dense, M.Dense2, &One,
        M.A, CUDA_R_32F, CUSPARSE_SDDMM_ALG_DEFAULT, &M.Bytes);
  };
  Action SampledPrepare = [](Scene &S) {
    Sparse &M = sparse(S);
    float One = 1;
    return cusparseSDDMM_preprocess(
        slot<cusparseHandle_t>(S), Plain, Plain, &One, M.Dense, M.Dense2, &One,
        M.A, CUDA_R_32F, CUSPARSE_SDDMM_ALG_DEFAULT, M.Buffer);
  };
  Action Sampled = [](Scene &S) {
    Sparse &M = sparse(S);
    float One = 1;
    return cusparseSDDMM(slot<cusparseHandle_t>(S), Plain, Plain, &One, M.Dense,
                         M.Dense2, &One, M.A, CUDA_R_32F,
                         CUSPARSE_SDDMM_ALG_DEFAULT, M.Buffer);
  };
  Action ReadySampled = chain(chain(createSparse, setSparseStream),
                              chain(SampledSize, allocateSparse));
  library(C, "cusparseSDDMM_preprocess", "", SampledPrepare)
      .on(fewRelations())
      .before(chain(chain(chain(ReadySampled, SampledPrepare), destroySparse),
                    ReadySampled))
      .after(destroySparse);
  library(C, "cusparseSDDMM", "", Sampled)
      .on(fewRelations())
      .before(chain(ReadySampled, Sampled))
      .after(destroySparse);
}

static void addConversions(Cases &C) {
  Action ToDenseSize = [](Scene &S) {
    Sparse &M = sparse(S);
    return cusparseSparseToDense_bufferSize(
        slot<cusparseHandle_t>(S), M.A, M.Dense2,
        CUSPARSE_SPARSETODENSE_ALG_DEFAULT, &M.Bytes);
  };
  Action ToDense = [](Scene &S) {
    Sparse &M = sparse(S);
    return cusparseSparseToDense(slot<cusparseHandle_t>(S), M.A, M.Dense2,
                                 CUSPARSE_SPARSETODENSE_ALG_DEFAULT, M.Buffer);
  };
  library(C, "cusparseSparseToDense", "", ToDense)
      .on(fewRelations())
      .before(chain(chain(chain(createSparse, setSparseStream),
                          chain(ToDenseSize, allocateSparse)),
                    ToDense))
      .after(destroySparse);
  Action Size = [](Scene &S) {
    Sparse &M = sparse(S);
    return cusparseDenseToSparse_bufferSize(
        slot<cusparseHandle_t>(S), M.Dense, M.Result,
        CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, &M.Bytes);
  };
  Action Analyze = [](Scene &S) {
    Sparse &M = sparse(S);
    return cusparseDenseToSparse_analysis(
        slot<cusparseHandle_t>(S), M.Dense, M.Result,
        CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, M.Buffer);
  };
  Action Convert = [](Scene &S) {
    Sparse &M = sparse(S);
    return cusparseDenseToSparse_convert(
        slot<cusparseHandle_t>(S), M.Dense, M.Result,
        CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, M.Buffer);
  };
  Action Point = [](Scene &S) {
    Sparse &M = sparse(S);
    return cusparseCsrSetPointers(M.Result, M.resultRows(), M.resultColumns(),
                                  M.resultValues());
  };
  Action Ready =
      chain(chain(createSparse, setSparseStream), chain(Size, allocateSparse));
  Action Analyzed = chain(chain(Ready, Analyze), Point);
  library(C, "cusparseDenseToSparse_bufferSize", "", Size)
      .before(createSparse)
      .after(destroySparse);
  library(C, "cusparseDenseToSparse_analysis", "", Analyze)
      .on(mainRelations())
      .before(chain(Ready, Analyze))
      .after(destroySparse);
  library(C, "cusparseDenseToSparse_convert", "", Convert)
      .on(mainRelations())
      .before(chain(Analyzed, Convert))
      .after(destroySparse);
}

void addSparseMatrixCases(Cases &C) {
  addVectorProduct(C);
  addMatrixProduct(C);
  addConversions(C);
}

} // namespace cudagraph::conformance

#endif // CUDAGRAPH_WITHOUT_LIBRARIES
