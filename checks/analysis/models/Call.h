//===- Call.h - One call to a catalogued function ---------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The description of a call that the models share: the function, its arguments,
// and its stream.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_MODELS_CALL_H
#define CUDAGRAPH_ANALYSIS_MODELS_CALL_H

#include "analysis/facts/Frame.h"
#include "catalogue/Catalogue.h"
#include "llvm/ADT/ArrayRef.h"

namespace cudagraph {

struct Call {
  /// \p Info, of \p Callee, may be null.
  Call(Frame &F, const Op &O, const catalogue::Entry &Api, FunctionId Callee,
       const FunctionInfo *Info)
      : F(F), O(O), Api(Api), Callee(Callee), Info(Info),
        Site(F.named(Domain::site(F.Function, O.ResultIndex, 12))) {}

  Frame &F;
  const Op &O;
  const catalogue::Entry &Api;
  FunctionId Callee;        ///< None: an unknown kernel
  const FunctionInfo *Info; ///< of Callee
  /// The kernel that the variable in a launch contains, if known.
  const FunctionInfo *Chosen = nullptr;
  ValueId This = None;
  llvm::ArrayRef<ValueId> Args;
  llvm::ArrayRef<ValueId> Config; ///< for the launch of a kernel

  ValueId Stream = None; ///< its stream, if HasStream
  bool HasStream = false;
  bool PerThread = false; ///< stream 0 is the per-thread default stream
  Span StreamText;        ///< as spelled; empty if it is not in the source
  int64_t Site;           ///< names the objects that it creates
  ValueId Returned = None;

  // Operators of a framework.
  /// Evidence that the operator works on the device.
  Evidence Operands = Evidence::DeviceTensor;
  llvm::ArrayRef<ValueId> Braces; ///< the tensors in its braced list
  unsigned Shift = 0;             ///< 1: argument 0 is the object of the method

  bool isKernel() const { return O.How == Dispatch::Kernel; }

  /// The index in Args of argument \p Role; nothing if it is missing.
  std::optional<unsigned> indexOf(const char *Role) const {
    std::optional<int> I = Api.arg(Role, Args.size());
    if (!I || *I < 0 || static_cast<size_t>(*I) >= Args.size())
      return std::nullopt;
    return *I;
  }

  /// Argument \p Role, or the object if that has the role; None if both are
  /// missing.
  ValueId arg(const char *Role) const {
    std::optional<int> I = Api.arg(Role, Args.size());
    if (I && *I < 0)
      return This;
    return I && static_cast<size_t>(*I) < Args.size() ? Args[*I] : None;
  }
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_MODELS_CALL_H
