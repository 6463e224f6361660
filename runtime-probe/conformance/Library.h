//===- Library.h - The common part of library cases -------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A library returns its own status, which does not show CUDA's error; Trace
// does. Cases that measure the first use run in a separate process, because
// libraries load code and allocate on first use.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_CONFORMANCE_LIBRARY_H
#define CUDAGRAPH_CONFORMANCE_LIBRARY_H

#include "Scene.h"

namespace cudagraph::conformance {

// One file each.
void addBlasCases(Cases &C);
void addBlasMatrixCases(Cases &C);
void addBlasBatchCases(Cases &C);
void addBlasLtCases(Cases &C);
void addFftCases(Cases &C);
void addRandCases(Cases &C);
void addRandNumberCases(Cases &C);
void addSolverCases(Cases &C);
void addSolverGenericCases(Cases &C);
void addSparseCases(Cases &C);
void addSparseMatrixCases(Cases &C);
void addSparseSolveCases(Cases &C);
void addDnnCases(Cases &C);
void addDnnConvolutionCases(Cases &C);
void addDnnBackendCases(Cases &C);
void addNcclCases(Cases &C);
void addThrustCases(Cases &C);
void addThrustVectorCases(Cases &C);
void addCubCases(Cases &C);

/// The handle that the scene stores for the case.
template <typename Handle> Handle &slot(Scene &S) {
  static_assert(sizeof(Handle) == sizeof(S.P) || sizeof(Handle) == sizeof(int));
  return reinterpret_cast<Handle &>(S.P);
}
/// Empties the slot, so that nothing is destroyed twice.
inline int emptied(Scene &S, int E) {
  S.P = nullptr;
  return E;
}
/// Adds a case whose call returns a status of a library.
inline Case &library(Cases &C, const char *Call, const char *Form,
                     Action Made) {
  Case &Added = C.add(Call, Form, std::move(Made));
  Added.OfLibrary = true;
  return Added;
}
inline float *floats(void *P) { return static_cast<float *>(P); }
inline double *doubles(void *P) { return reinterpret_cast<double *>(P); }
/// The objects that the case stores in S.Q in addition to its handle.
template <typename Kept> Kept &kept(Scene &S) {
  return *static_cast<Kept *>(S.Q);
}

inline const std::vector<Relation> &mainRelations() {
  static const std::vector<Relation> R{
      Relation::Origin, Relation::Joined, Relation::OtherBlocking,
      Relation::OtherNonBlocking, Relation::Legacy};
  return R;
}
/// These relations are sufficient if many similar calls are measured.
inline const std::vector<Relation> &fewRelations() {
  static const std::vector<Relation> R{
      Relation::Origin, Relation::OtherNonBlocking, Relation::Legacy};
  return R;
}

/// Runs \p First and, if it returns 0, \p Then.
inline Action chain(Action First, Action Then) {
  return [=](Scene &S) {
    int E = First(S);
    return E ? E : Then(S);
  };
}

} // namespace cudagraph::conformance

#endif // CUDAGRAPH_CONFORMANCE_LIBRARY_H
