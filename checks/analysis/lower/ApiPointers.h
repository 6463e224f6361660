//===- ApiPointers.h - Pointers to functions of libraries -------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program that loads a library at run time calls it through pointers. The
// declaration of a pointer often shows which function it calls; otherwise, the
// name that is looked up does.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_LOWER_APIPOINTERS_H
#define CUDAGRAPH_ANALYSIS_LOWER_APIPOINTERS_H

#include "FunctionTable.h"

namespace cudagraph {

/// The catalogued function that the pointer \p Callee is declared to hold; null
/// if there is none. The type of the pointer determines the function
/// (`PFN_cuModuleUnload`, `decltype(&cuModuleUnload)`). If it does not, the
/// name of the pointer and the type of the function determine it.
const clang::FunctionDecl *apiOfPointer(const clang::Expr *Callee,
                                        FunctionTable &Table);

/// The catalogued function that \p FD calls through a pointer, according to its
/// name and its type: `cuModuleUnload_f`. \p FD is a function of the project
/// that another unit defines. Null if there is none.
const clang::FunctionDecl *apiOfWrapper(const clang::FunctionDecl *FD,
                                        FunctionTable &Table);

/// The catalogued function whose name \p Call receives as a string; null if
/// there is none. \p As: the type to which the result is converted, if known.
const clang::FunctionDecl *apiLookedUp(const clang::CallExpr *Call,
                                       FunctionTable &Table,
                                       clang::QualType As = {});

/// The variable that receives the pointer from \p Call, which looks up a
/// function: `(void **)&pointer`, or `pointer` by reference. Null if there is
/// none. A catalogued function may also store it in a `void *`.
const clang::Expr *takerOfApi(const clang::CallExpr *Call,
                              FunctionTable &Table);

/// A row of a table for lookups: `{"cuModuleUnload", (void **)&pointer}`.
struct LookupRow {
  const clang::Expr *Pointer = nullptr; ///< null: not such a row
  const clang::FunctionDecl *Api = nullptr;
};

/// Reads \p List as a row of a table for lookups.
LookupRow lookupRow(const clang::InitListExpr *List, FunctionTable &Table);

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_LOWER_APIPOINTERS_H
