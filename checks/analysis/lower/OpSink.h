//===- OpSink.h - Adds operations to a block --------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All operations of expressions are added here, so that their order is the
// order of evaluation.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_LOWER_OPSINK_H
#define CUDAGRAPH_ANALYSIS_LOWER_OPSINK_H

#include "ExprBuilder.h"

namespace cudagraph {

/// Appends operations to one block.
class OpSink {
public:
  /// \p NumCalls counts the calls in the function.
  OpSink(std::vector<Op> &Ops, unsigned &NumCalls, ExprBuilder &Exprs)
      : Ops(Ops), NumCalls(NumCalls), Exprs(Exprs) {}

  void add(Op O) { Ops.push_back(std::move(O)); }
  /// Adds an implicit assignment.
  void assign(ExprId Place, ExprId Value, Span Where);
  /// Adds the deletion of the target of \p Pointer. \p Implicit: an owner
  /// deletes it, unless it has a deleter.
  void free(ExprId Pointer, Span Where, bool Implicit = false);
  /// Adds the end of the lifetime of \p Place.
  void endLife(ExprId Place, Span Where);
  /// Adds the call \p O and returns its result.
  ExprId call(Op O);
  /// Adds a condition to the calls from number \p First on: they happen only if
  /// \p Flag is not null.
  void guard(size_t First, ExprId Flag);

  size_t size() const { return Ops.size(); }
  /// True if operations are added to \p B.
  bool addsTo(const Block &B) const { return &B.Ops == &Ops; }

private:
  std::vector<Op> &Ops;
  unsigned &NumCalls;
  ExprBuilder &Exprs;
};

/// A call at \p Where, without further information.
Op callAt(Span Where);

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_LOWER_OPSINK_H
