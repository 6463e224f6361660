//===- Sparse.h - The matrices of the cuSPARSE cases ------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A handle in S.P and, in S.Q, 8 x 8 identity matrices in all formats that the
// routines accept. Routines with several steps store their state there.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_CONFORMANCE_SPARSE_H
#define CUDAGRAPH_CONFORMANCE_SPARSE_H

#include "Library.h"
#include <cusparse.h>

namespace cudagraph::conformance {

struct Sparse {
  char *Memory = nullptr;
  cusparseSpMatDescr_t A = nullptr;     ///< the identity
  cusparseSpMatDescr_t Lower = nullptr; ///< the same as a lower triangle
  cusparseSpMatDescr_t Result = nullptr;
  cusparseSpVecDescr_t Vector = nullptr;
  cusparseDnVecDescr_t X = nullptr, Y = nullptr;
  cusparseDnMatDescr_t Dense = nullptr, Dense2 = nullptr, Dense3 = nullptr;
  cusparseSpSVDescr_t Solve = nullptr;
  cusparseSpSMDescr_t SolveMany = nullptr;
  cusparseSpGEMMDescr_t Product = nullptr;
  size_t Bytes = 0, Bytes2 = 0;
  void *Buffer = nullptr, *Buffer2 = nullptr;

  int *rows() { return reinterpret_cast<int *>(Memory); }
  int *columns() { return rows() + 64; }
  float *values() { return floats(Memory + 512); }
  float *dense() { return floats(Memory + 1024); }
  float *dense2() { return floats(Memory + 2048); }
  float *dense3() { return floats(Memory + 3072); }
  int *resultRows() { return rows() + 1024; }
  int *resultColumns() { return rows() + 1088; }
  float *resultValues() { return floats(Memory + 4608); }
};

inline Sparse &sparse(Scene &S) { return kept<Sparse>(S); }

inline int createSparse(Scene &S) {
  auto *New = new Sparse;
  S.Q = New;
  struct {
    int Rows[64], Columns[64];
    float Values[128], Dense[64];
  } Host{};
  for (int I = 0; I < 8; ++I) {
    Host.Rows[I + 1] = I + 1;
    Host.Columns[I] = I;
    Host.Values[I] = Host.Dense[I * 9] = 1;
  }
  int E = 0;
  auto Try = [&](int Code) { E = E ? E : Code; };
  Try(cudaMalloc(&New->Memory, 8192));
  Try(cudaMemset(New->Memory, 0, 8192));
  Try(cudaMemcpy(New->Memory, &Host, sizeof(Host), cudaMemcpyHostToDevice));
  Try(cusparseCreate(&slot<cusparseHandle_t>(S)));
  for (cusparseSpMatDescr_t *Each : {&New->A, &New->Lower})
    Try(cusparseCreateCsr(Each, 8, 8, 8, New->rows(), New->columns(),
                          New->values(), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                          CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
  cusparseFillMode_t Lower = CUSPARSE_FILL_MODE_LOWER;
  cusparseDiagType_t Diagonal = CUSPARSE_DIAG_TYPE_NON_UNIT;
  Try(cusparseSpMatSetAttribute(New->Lower, CUSPARSE_SPMAT_FILL_MODE, &Lower,
                                sizeof(Lower)));
  Try(cusparseSpMatSetAttribute(New->Lower, CUSPARSE_SPMAT_DIAG_TYPE, &Diagonal,
                                sizeof(Diagonal)));
  Try(cusparseCreateCsr(&New->Result, 8, 8, 0, New->resultRows(), nullptr,
                        nullptr, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                        CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
  Try(cusparseCreateSpVec(&New->Vector, 8, 8, New->columns(), New->values(),
                          CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
                          CUDA_R_32F));
  Try(cusparseCreateDnVec(&New->X, 8, New->dense2(), CUDA_R_32F));
  Try(cusparseCreateDnVec(&New->Y, 8, New->dense3(), CUDA_R_32F));
  Try(cusparseCreateDnMat(&New->Dense, 8, 8, 8, New->dense(), CUDA_R_32F,
                          CUSPARSE_ORDER_COL));
  Try(cusparseCreateDnMat(&New->Dense2, 8, 8, 8, New->dense2(), CUDA_R_32F,
                          CUSPARSE_ORDER_COL));
  Try(cusparseCreateDnMat(&New->Dense3, 8, 8, 8, New->dense3(), CUDA_R_32F,
                          CUSPARSE_ORDER_COL));
  Try(cusparseSpSV_createDescr(&New->Solve));
  Try(cusparseSpSM_createDescr(&New->SolveMany));
  Try(cusparseSpGEMM_createDescr(&New->Product));
  return E;
}

inline int setSparseStream(Scene &S) {
  return cusparseSetStream(slot<cusparseHandle_t>(S), S.Stream);
}

/// Allocates the buffer with the computed size.
inline int allocateSparse(Scene &S) {
  Sparse &M = sparse(S);
  return cudaMalloc(&M.Buffer, M.Bytes + 1);
}

inline int destroySparse(Scene &S) {
  Sparse &M = sparse(S);
  cusparseSpSV_destroyDescr(M.Solve);
  cusparseSpSM_destroyDescr(M.SolveMany);
  cusparseSpGEMM_destroyDescr(M.Product);
  for (cusparseSpMatDescr_t Each : {M.A, M.Lower, M.Result})
    cusparseDestroySpMat(Each);
  for (cusparseDnMatDescr_t Each : {M.Dense, M.Dense2, M.Dense3})
    cusparseDestroyDnMat(Each);
  cusparseDestroySpVec(M.Vector);
  cusparseDestroyDnVec(M.X);
  cusparseDestroyDnVec(M.Y);
  for (void *Each : {static_cast<void *>(M.Memory), M.Buffer, M.Buffer2})
    cudaFree(Each);
  delete &M;
  return emptied(S, cusparseDestroy(slot<cusparseHandle_t>(S)));
}

} // namespace cudagraph::conformance

#endif // CUDAGRAPH_CONFORMANCE_SPARSE_H
