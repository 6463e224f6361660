//===- ParamTests.cpp - Conditions on parameters --------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ParamTests.h"
#include "analysis/program/WholeObjects.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/StringSwitch.h"

namespace cudagraph {
namespace {

/// The maximum number of branches on parameters that are examined in one
/// function.
constexpr unsigned MaxTests = 32;

/// The index of the parameter that \p E reads, or compares with a number; else
/// None.
ExprId paramIn(const FlowGraph &G, ExprId E, unsigned Depth = 0) {
  if (E == None || Depth > 4)
    return None;
  const Expr &X = G.Exprs[E];
  if (X.Kind == ExprKind::Load)
    return G.Exprs[X.A].Kind == ExprKind::Var && G.Exprs[X.A].N >= 0 &&
                   static_cast<uint64_t>(G.Exprs[X.A].N) < G.NumParams
               ? X.A
               : None;
  bool Compares = X.Kind == ExprKind::Op &&
                  (X.B == None || G.Exprs[X.B].Kind == ExprKind::Int);
  return Compares ? paramIn(G, X.A, Depth + 1) : None;
}

/// True if \p G writes the variable at \p Place.
bool writes(const FlowGraph &G, ExprId Place) {
  for (const Block &B : G.Blocks)
    for (const Op &O : B.Ops)
      if (O.Place == Place)
        return true;
  return false;
}

/// True if every path of \p G to block \p To takes edge \p Taken of block \p
/// From.
bool needs(const FlowGraph &G, unsigned From, EdgeKind Taken, unsigned To) {
  llvm::BitVector Seen(G.Blocks.size());
  llvm::SmallVector<unsigned, 16> Work{0};
  while (!Work.empty()) {
    unsigned Block = Work.pop_back_val();
    if (Block == To)
      return false;
    if (Seen.test(Block))
      continue;
    Seen.set(Block);
    for (const Edge &E : G.Blocks[Block].Succs)
      if (E.To < G.Blocks.size() && !(Block == From && E.When == Taken))
        Work.push_back(E.To);
  }
  return true;
}

} // namespace

const std::vector<ParamTests::Test> &ParamTests::testsOf(const FlowGraph &G,
                                                         unsigned Block) {
  auto [It, New] = Known.try_emplace({&G, Block});
  if (!New)
    return It->second;
  unsigned Seen = 0;
  for (unsigned From = 0; From < G.Blocks.size() && Seen < MaxTests; ++From) {
    ExprId Cond = G.Blocks[From].Cond;
    ExprId Param = From == Block ? None : paramIn(G, Cond);
    if (Param == None || writes(G, Param))
      continue;
    ++Seen;
    for (EdgeKind Taken : {EdgeKind::True, EdgeKind::False})
      if (llvm::any_of(G.Blocks[From].Succs,
                       [&](const Edge &E) { return E.When == Taken; }) &&
          needs(G, From, Taken, Block))
        It->second.push_back({Cond, Taken == EdgeKind::True});
  }
  return It->second;
}

/// The name of the parameter of \p Root that \p E reads in \p F.
std::string ParamTests::nameIn(const Frame &F, const Frame &Root, ExprId E,
                               bool &IsBool) const {
  const FlowGraph &G = *F.Graph;
  if (E == None || G.Exprs[E].Kind != ExprKind::Load)
    return "";
  ExprId Place = G.Exprs[E].A;
  uint64_t Index = G.Exprs[Place].N;
  if (Index >= F.Params.size() || F.Params[Index] == None)
    return "";
  for (unsigned I = 0; I < Root.Params.size(); ++I) {
    const LocalVar &Var = Root.Graph->Vars[I];
    if (Root.Params[I] != F.Params[Index] || !Var.IsNumber || Var.Name.empty())
      continue;
    auto Types = paramTypes(Table.info(Root.Function).Signature);
    IsBool = I < Types.size() && Types[I] == "bool";
    return Var.Name;
  }
  return "";
}

/// The value for which \p T does not hold.
std::string ParamTests::opposite(const Frame &F, const Frame &Root,
                                 const Test &T) const {
  const FlowGraph &G = *F.Graph;
  ExprId E = T.Cond;
  bool Holds = T.Holds, IsBool = false;
  while (E != None && G.Exprs[E].Kind == ExprKind::Op &&
         (G.Exprs[E].S == "!" || G.Exprs[E].S == "bool")) {
    Holds ^= G.Exprs[E].S == "!";
    E = G.Exprs[E].A;
  }
  if (E == None)
    return "";
  const Expr &X = G.Exprs[E];
  if (X.Kind != ExprKind::Op || X.B == None) {
    std::string Name = nameIn(F, Root, E, IsBool);
    if (Name.empty())
      return "";
    return Name + (IsBool ? (Holds ? " is false" : " is true")
                          : (Holds ? " is 0" : " is not 0"));
  }
  std::string Name = nameIn(F, Root, X.A, IsBool);
  // The text for each comparison, and for its opposite.
  using Words = std::pair<const char *, const char *>;
  auto [Same, Other] = llvm::StringSwitch<Words>(X.S)
                           .Case("==", {"is ", "is not "})
                           .Case("!=", {"is not ", "is "})
                           .Case("<", {"< ", ">= "})
                           .Case("<=", {"<= ", "> "})
                           .Case(">", {"> ", "<= "})
                           .Case(">=", {">= ", "< "})
                           .Default({nullptr, nullptr});
  if (Name.empty() || !Same)
    return "";
  bool ToZero = IsBool && G.Exprs[X.B].N == 0;
  if (ToZero && (X.S == "==" || X.S == "!="))
    return Name + ((X.S == "==") == Holds ? " is true" : " is false");
  return Name + " " + (Holds ? Other : Same) + std::to_string(G.Exprs[X.B].N);
}

std::string ParamTests::unless(const Frame &F) {
  const Frame &Root = F.root();
  unsigned Block = F.Block;
  for (const Frame *A = &F; A; Block = A->CallBlock, A = A->Parent)
    for (const Test &T : testsOf(*A->Graph, Block))
      if (std::string Text = opposite(*A, Root, T); !Text.empty())
        return Text;
  return "";
}

} // namespace cudagraph
