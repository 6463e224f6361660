//===- ElementLoops.cpp - Loops over the elements of a container ----------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ElementLoops.h.
//
//===----------------------------------------------------------------------===//

#include "ElementLoops.h"
#include "CountedLoops.h"
#include "KeyShapes.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

namespace {
class ElementLoop {
public:
  ElementLoop(const FlowGraph &G, const LoopRange &Loop) : G(G), Loop(Loop) {
    const ExprId Cond = G.Blocks[Loop.Head].Cond;
    if (Cond == None)
      return;
    Ends = variablesIn(G, Cond);
    // A comparison of iterators is a call.
    if (G.Exprs[Cond].Kind != ExprKind::Result)
      return;
    for (const Op &Each : G.Blocks[Loop.Head].Ops) {
      if (Each.Kind != OpKind::Call || Each.ResultIndex != G.Exprs[Cond].N ||
          Each.Args.size() + (Each.Object != None) != 2)
        continue;
      Iterators.append(variablesIn(G, Each.Object));
      for (const CallArg &Arg : Each.Args)
        Iterators.append(variablesIn(G, Arg.Value));
    }
  }

  /// True if \p E leads through the variable that ends the loop. \p Through: to
  /// the target of the variable, or what it selects.
  bool visits(ExprId E, bool Through = false, unsigned Depth = 0) const {
    if (E == None || Depth > MaxDepth)
      return false;
    const Expr &X = G.Exprs[E];
    switch (X.Kind) {
    case ExprKind::Elem:
      // The container itself is not an iterator.
      return isCounter(X.B) ||
             (G.Exprs[X.A].Kind == ExprKind::Var
                  ? isFromElement(G.Exprs[X.A].N, false, Depth)
                  : visits(X.A, Through, Depth + 1));
    case ExprKind::PtrElem:
      return isCounter(X.B) || visits(X.A, true, Depth + 1);
    case ExprKind::Deref:
      return visits(X.A, true, Depth + 1);
    case ExprKind::Load:
    case ExprKind::AddrOf:
    case ExprKind::Field:
      return visits(X.A, Through, Depth + 1);
    case ExprKind::Var:
      return (Through && isIterator(X.N)) || isFromElement(X.N, Through, Depth);
    case ExprKind::Result:
      return isReadFromElement(X.N, Depth);
    default:
      return false;
    }
  }

  /// True for the variable that each iteration changes and that ends the loop.
  bool isCounter(ExprId E) const {
    if (E == None || G.Exprs[E].Kind != ExprKind::Load)
      return false;
    const Expr &X = G.Exprs[G.Exprs[E].A];
    return X.Kind == ExprKind::Var && isStepped(X.N);
  }

private:
  static constexpr unsigned MaxDepth = 8;

  static bool isOneOf(llvm::ArrayRef<unsigned> Set, int64_t Var) {
    return llvm::is_contained(Set, static_cast<unsigned>(Var));
  }

  /// True if each iteration changes the variable that ends the loop.
  bool isStepped(int64_t Var) const {
    return isOneOf(Ends, Var) && anyOp([&](const Op &Each) {
             return Each.Kind == OpKind::Modify && isVar(Each.Place, Var);
           });
  }

  bool isIterator(int64_t Var) const {
    return isOneOf(Iterators, Var) || isStepped(Var);
  }

  bool isVar(ExprId E, int64_t Var) const {
    return E != None && G.Exprs[E].Kind == ExprKind::Var && G.Exprs[E].N == Var;
  }

  /// The variable of a range-based `for`, or a reference to the element.
  bool isFromElement(int64_t Var, bool Through, unsigned Depth) const {
    return anyOp([&](const Op &Each) {
      return Each.Kind == OpKind::Assign && isVar(Each.Place, Var) &&
             visits(Each.Value, Through, Depth + 1);
    });
  }

  /// `*it`, `it->`, or `v[i]` of a class.
  bool isReadFromElement(int64_t Index, unsigned Depth) const {
    return anyOp([&](const Op &Each) {
      return Each.Kind == OpKind::Call && Each.ResultIndex == Index &&
             (visits(Each.Object, true, Depth + 1) ||
              llvm::any_of(Each.Args, [&](const CallArg &Arg) {
                return isCounter(Arg.Value);
              }));
    });
  }

  bool anyOp(llvm::function_ref<bool(const Op &)> Fits) const {
    for (unsigned B = Loop.Head; B <= Loop.Last; ++B)
      if (llvm::any_of(G.Blocks[B].Ops, Fits))
        return true;
    return false;
  }

  const FlowGraph &G;
  LoopRange Loop;
  llvm::SmallVector<unsigned, 4> Ends;      ///< variables of the condition
  llvm::SmallVector<unsigned, 2> Iterators; ///< of a class
};
} // namespace

bool isOfVisitedElement(const FlowGraph &G, unsigned Block, ExprId E,
                        bool Target) {
  llvm::SmallVector<LoopRange, 2> Loops = loopsAround(G, Block);
  return !Loops.empty() && ElementLoop(G, Loops.front()).visits(E, Target);
}

bool isVisitedIndex(const FlowGraph &G, unsigned Block, ExprId E) {
  llvm::SmallVector<LoopRange, 2> Loops = loopsAround(G, Block);
  return !Loops.empty() && ElementLoop(G, Loops.front()).isCounter(E);
}

bool visitsElements(const FlowGraph &G, unsigned Head) {
  for (const LoopRange &Range : loopsAround(G, Head)) {
    if (Range.Head != Head)
      continue;
    ElementLoop Loop(G, Range);
    for (unsigned B = Range.Head; B <= Range.Last; ++B)
      if (llvm::any_of(G.Blocks[B].Ops, [&](const Op &Each) {
            return Loop.visits(Each.Kind == OpKind::Call ? Each.Object
                                                         : Each.Place);
          }))
        return true;
  }
  return false;
}

} // namespace cudagraph
