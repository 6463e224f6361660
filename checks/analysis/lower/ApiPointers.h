//===- ApiPointers.h - Pointers to functions of libraries -------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program that loads a library at run time calls it through pointers. Which
// function a pointer stands for, its declaration often says, and if not, the
// name under which it is looked up.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_LOWER_APIPOINTERS_H
#define CUDAGRAPH_ANALYSIS_LOWER_APIPOINTERS_H

#include "FunctionTable.h"

namespace cudagraph {

/// The catalogued function that the pointer \p Callee is declared to stand for,
/// by its type (`PFN_cuModuleUnload`, `decltype(&cuModuleUnload)`) or by its
/// own name and the type of the function; null if there is none.
const clang::FunctionDecl *apiOfPointer(const clang::Expr *Callee,
                                        FunctionTable &Table);

/// The catalogued function that \p Call is given the name of, as a string; null
/// if there is none. \p As: what the result is converted to, if that is known.
const clang::FunctionDecl *apiLookedUp(const clang::CallExpr *Call,
                                       FunctionTable &Table,
                                       clang::QualType As = {});

/// The variable of \p Call, which looks a function up, that takes the pointer,
/// or null: `(void **)&pointer`, or `pointer` by reference.
const clang::Expr *takerOfApi(const clang::CallExpr *Call);

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_LOWER_APIPOINTERS_H
