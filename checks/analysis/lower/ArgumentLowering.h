//===- ArgumentLowering.h - The arguments of calls --------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The arguments of a call: their values, and properties of their types for the
// models of streams, tensors, and algorithms.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_LOWER_ARGUMENTLOWERING_H
#define CUDAGRAPH_ANALYSIS_LOWER_ARGUMENTLOWERING_H

#include "ExprLowering.h"

namespace cudagraph {

class ArgumentLowering {
public:
  explicit ArgumentLowering(ExprLowering &L) : L(L), Names(L.Names) {}

  /// Adds \p Args to \p O, a call to \p Callee. If that is null, the call goes
  /// through a pointer to a function of type \p Type, if known.
  void add(Op &O, llvm::ArrayRef<const clang::Expr *> Args,
           const clang::FunctionDecl *Callee, clang::QualType Type = {});

private:
  ExprId callablesOf(const clang::Expr *E);
  CallArg lower(const clang::Expr *E, clang::QualType Param);
  uint8_t policyTraits(clang::QualType T) const;
  bool isTensor(clang::QualType T) const;
  const char *tensorEnum(clang::QualType T) const;
  ExprId enumerator(const clang::Expr *E);
  void addTensors(Op &O, const clang::Expr *E);
  void addPointers(Op &O, const clang::Expr *E, const CallArg &Whole,
                   const clang::FunctionDecl *Kernel);

  ExprLowering &L;
  LibraryNames &Names;
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_LOWER_ARGUMENTLOWERING_H
