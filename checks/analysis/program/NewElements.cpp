//===- NewElements.cpp - Code that fills a new element of a table ---------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tests for whether a table already contains a key: `find(key) == end()`,
// `count(key) == 0`, `!contains(key)`, and the second member of the result of
// an insertion.
//
//===----------------------------------------------------------------------===//

#include "Alternation.h"
#include "GraphShapes.h"
#include "KeyShapes.h"
#include "analysis/ir/TableMarks.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

namespace {
/// The tests in one graph. The answer is true if the key is new, false if the
/// table contains it, and nothing for other conditions.
class KeyTests {
public:
  KeyTests(Program &Table, const FlowGraph &G) : Table(Table), G(G) {
    for (const Block &B : G.Blocks)
      for (const Op &O : B.Ops)
        if (O.Kind == OpKind::Assign && O.Place != None)
          Assigned[O.Place].push_back(O.Value);
        else if (O.Kind == OpKind::Call && O.ResultIndex != None)
          Calls[O.ResultIndex] = &O;
  }

  std::optional<bool> isNew(ExprId Cond) const;

private:
  llvm::StringRef nameOf(const Op &Call) const {
    return Call.Callee == None || !Table.info(Call.Callee).IsSystem
               ? llvm::StringRef()
               : llvm::StringRef(Table.info(Call.Callee).Name)
                     .rsplit(':')
                     .second;
  }
  const Op *callOf(ExprId Result) const {
    if (G.Exprs[Result].Kind != ExprKind::Result)
      return nullptr;
    auto It = Calls.find(G.Exprs[Result].N);
    return It == Calls.end() ? nullptr : It->second;
  }
  /// The only value that is assigned to \p Place, or None.
  ExprId valueOf(ExprId Place) const {
    auto It = Assigned.find(Place);
    return It == Assigned.end() || !llvm::all_equal(It->second)
               ? None
               : It->second.front();
  }
  bool isEnd(ExprId Place) const;
  bool isElement(ExprId Place) const;
  bool isInserted(ExprId Place) const;

  Program &Table;
  const FlowGraph &G;
  std::map<ExprId, llvm::SmallVector<ExprId, 2>> Assigned;
  std::map<int64_t, const Op *> Calls;
};
} // namespace

/// True if \p Place, an iterator, is the end of a table.
bool KeyTests::isEnd(ExprId Place) const {
  ExprId V = valueOf(Place);
  const Op *Call = V == None ? nullptr : callOf(V);
  return Call && (nameOf(*Call) == "end" || nameOf(*Call) == "cend");
}

/// True if \p Place, an iterator, is the result of a search for a key, not the
/// variable of a loop.
bool KeyTests::isElement(ExprId Place) const {
  auto It = Assigned.find(Place);
  return It != Assigned.end() && llvm::any_of(It->second, [&](ExprId V) {
           if (V == None || G.Exprs[V].Kind != ExprKind::AddrOf)
             return false;
           const Expr &Element = G.Exprs[G.Exprs[V].A];
           if (Element.Kind != ExprKind::Elem || Element.B == None)
             return false;
           ExprKind Key = G.Exprs[Element.B].Kind;
           return Key != ExprKind::Unknown && Key != ExprKind::Int;
         });
}

/// True if \p E is the second member of a pair.
static bool isSecond(const Expr &E) {
  return llvm::StringRef(E.S).ends_with("::second");
}

/// True if \p Place is the second member of the result of an insertion.
bool KeyTests::isInserted(ExprId Place) const {
  // A structured binding refers to it.
  if (G.Exprs[Place].Kind == ExprKind::Deref &&
      G.Exprs[G.Exprs[Place].A].Kind == ExprKind::Load) {
    ExprId To = valueOf(G.Exprs[G.Exprs[Place].A].A);
    if (To == None || G.Exprs[To].Kind != ExprKind::AddrOf)
      return false;
    Place = G.Exprs[To].A;
  }
  if (G.Exprs[Place].Kind != ExprKind::Field || !isSecond(G.Exprs[Place]))
    return false;
  ExprId Pair = G.Exprs[Place].A;
  for (unsigned Copies = 0; Copies < 3; ++Copies) {
    // The lowering of insertions: the iterator, and whether the key is new.
    for (const auto &[P, Values] : Assigned)
      if (G.Exprs[P].Kind == ExprKind::Field && G.Exprs[P].A == Pair &&
          isSecond(G.Exprs[P]))
        return llvm::all_of(Values, [&](ExprId V) {
          return V != None && (G.Exprs[V].Kind == ExprKind::Unknown ||
                               G.Exprs[V].S == NewKeyOp);
        });
    ExprId From = valueOf(Pair);
    if (From == None || G.Exprs[From].Kind != ExprKind::Load)
      return false;
    Pair = G.Exprs[From].A;
  }
  return false;
}

std::optional<bool> KeyTests::isNew(ExprId Cond) const {
  const Expr &E = G.Exprs[Cond];
  if (E.Kind == ExprKind::Op && (E.S == "!" || E.S == "bool")) {
    std::optional<bool> Inner = isNew(E.A);
    return Inner && E.S == "!" ? !*Inner : Inner;
  }
  // count(key) == 0
  if (E.Kind == ExprKind::Op && E.B != None &&
      G.Exprs[E.B].Kind == ExprKind::Int && G.Exprs[E.B].N == 0 &&
      (E.S == "==" || E.S == "!=" || E.S == ">")) {
    const Op *Call = callOf(E.A);
    return Call && nameOf(*Call) == "count" ? std::optional(E.S == "==")
                                            : std::nullopt;
  }
  if (E.Kind == ExprKind::Load)
    return isInserted(E.A) ? std::optional(true) : std::nullopt;
  const Op *Call = callOf(Cond);
  if (!Call)
    return std::nullopt;
  llvm::StringRef Name = nameOf(*Call);
  if (Name == "count" || Name == "contains")
    return false;
  if (!isComparison(Name))
    return std::nullopt;
  llvm::SmallVector<ExprId, 2> Sides;
  if (Call->Object != None)
    Sides.push_back(Call->Object);
  for (const CallArg &A : Call->Args)
    if (A.Value != None && G.Exprs[A.Value].Kind == ExprKind::AddrOf)
      Sides.push_back(G.Exprs[A.Value].A);
  if (Sides.size() != 2 || !((isEnd(Sides[1]) && isElement(Sides[0])) ||
                             (isEnd(Sides[0]) && isElement(Sides[1]))))
    return std::nullopt;
  return Name.ends_with("==");
}

/// The member or global that contains the number \p Key, or from which \p Key
/// is computed by adding to it, or as the number before the last step; None if
/// there is none.
static ExprId counterBehind(const FlowGraph &G, ExprId Key) {
  constexpr unsigned MaxCopies = 4; // of the number
  for (unsigned Copies = 0; Copies < MaxCopies && Key != None; ++Copies) {
    const Expr &E = G.Exprs[Key];
    if (isSum(G, Key)) {
      const Expr &By = G.Exprs[E.B];
      if (E.S == "-" && (By.Kind != ExprKind::Int || By.N != 1))
        return None;
      Key = E.A;
      continue;
    }
    // A key may be passed by reference.
    if (E.Kind != ExprKind::Load && E.Kind != ExprKind::AddrOf)
      return None;
    if (ExprKind K = G.Exprs[E.A].Kind;
        K != ExprKind::Var && K != ExprKind::Temp)
      return E.A;
    ExprId Only = None;
    for (const Block &B : G.Blocks)
      for (const Op &O : B.Ops)
        if ((O.Kind == OpKind::Assign || O.Kind == OpKind::Modify) &&
            O.Place == E.A) {
          if ((Only != None && Only != O.Value) || O.Kind == OpKind::Modify)
            return None;
          Only = O.Value;
        }
    Key = Only;
  }
  return None;
}

bool GraphShapes::hasNewKey(FunctionId F, ExprId Place) const {
  const FlowGraph &G = *Table.graph(F);
  auto IsCounter = [&](ExprId Counter) {
    const std::string *Name = writeKey(G, Counter);
    const WriteSummary *Writes = Name ? Rel.writes(*Name) : nullptr;
    return Writes && Writes->Setters.empty() && Writes->Resets.empty() &&
           llvm::any_of(G.Blocks, [&](const Block &B) {
             return llvm::any_of(B.Ops, [&](const Op &O) {
               return O.Kind == OpKind::Modify && O.Place == Counter &&
                      isSum(G, O.Value) && G.Exprs[O.Value].S == "+";
             });
           });
  };
  for (; G.Exprs[Place].Kind == ExprKind::Field ||
         G.Exprs[Place].Kind == ExprKind::Elem;
       Place = G.Exprs[Place].A)
    if (G.Exprs[Place].Kind == ExprKind::Elem)
      if (ExprId Counter = counterBehind(G, G.Exprs[Place].B);
          Counter != None && IsCounter(Counter))
        return true;
  return false;
}

bool GraphShapes::fillsNewElement(FunctionId F, unsigned Block) {
  auto [It, New] = Filling.try_emplace(F);
  llvm::BitVector &Result = It->second;
  if (New) {
    const FlowGraph &G = *Table.graph(F);
    Result.resize(G.Blocks.size());
    KeyTests Tests(Table, G);
    for (unsigned B = 0; B < G.Blocks.size(); ++B)
      if (G.Blocks[B].Cond != None)
        if (std::optional<bool> WhenTrue = Tests.isNew(G.Blocks[B].Cond))
          for (unsigned Each : branchesOf(G, B).Blocks[*WhenTrue ? 1 : 0])
            Result.set(Each);
  }
  return Result.test(Block);
}

} // namespace cudagraph
