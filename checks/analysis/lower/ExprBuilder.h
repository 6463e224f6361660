//===- ExprBuilder.h - The expressions of a flow graph ----------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Creates each expression only once: equal expressions have the same number, so
// that comparing numbers compares expressions. Expressions beyond the bounds of
// FlowGraph.h become Unknown.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_LOWER_EXPRBUILDER_H
#define CUDAGRAPH_ANALYSIS_LOWER_EXPRBUILDER_H

#include "analysis/ir/FlowGraph.h"
#include "llvm/ADT/APSInt.h"
#include "llvm/ADT/DenseMap.h"
#include <map>
#include <tuple>

namespace cudagraph {

class ExprBuilder {
public:
  /// \p Exprs, which is empty, must outlive this object, and must not be
  /// changed elsewhere.
  explicit ExprBuilder(std::vector<Expr> &Exprs) : Exprs(Exprs) {}

  const Expr &operator[](ExprId Id) const { return Exprs[Id]; }

  // Values.
  /// A unique value.
  ExprId unknown();
  ExprId integer(int64_t N);
  /// The constant \p N; one that does not fit into int64_t equals only itself.
  ExprId number(const llvm::APSInt &N);
  ExprId load(ExprId Place);
  ExprId addrOf(ExprId Place);
  /// The implicit object pointer of the function.
  ExprId self();
  ExprId function(FunctionId F);
  ExprId closure(ExprId Captures, FunctionId CallOperator);
  ExprId result(unsigned Call);
  ExprId unary(std::string Op, ExprId A);
  ExprId binary(std::string Op, ExprId A, ExprId B);
  ExprId select(ExprId Cond, ExprId True, ExprId False);

  // Places.
  ExprId variable(unsigned Number);
  ExprId global(std::string Name);
  ExprId deref(ExprId Value);
  ExprId field(ExprId Place, std::string Name);
  /// \p Within: the object at \p Place contains its elements, so that they move
  /// with it. Otherwise, their location is unknown.
  ExprId element(ExprId Place, ExprId Index, bool Within = false);
  ExprId pointerElement(ExprId Pointer, ExprId Index);
  /// The temporary that \p Site, a node of the syntax tree, creates.
  ExprId temporary(const void *Site, bool OnHeap = false);

  /// True if \p Value consists only of integers and functions.
  bool isConstant(ExprId Value) const;
  /// True if \p Whole, which may be None, is arithmetic on \p Part.
  bool isComputedFrom(ExprId Whole, ExprId Part) const;

private:
  ExprId make(Expr E);

  struct Size {
    unsigned Depth, Nodes;
  };

  std::vector<Expr> &Exprs;
  std::vector<Size> Sizes; ///< of Exprs
  std::map<std::tuple<unsigned, ExprId, ExprId, ExprId, int64_t, std::string>,
           ExprId>
      Interned;
  llvm::DenseMap<const void *, unsigned> Temporaries; ///< numbers, by site
  unsigned NumUnknown = 0;
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_LOWER_EXPRBUILDER_H
