//===- Likeness.cpp - Functions that differ in template arguments ---------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The classes are refined until they are stable: first by location and form,
// then by the classes of the callees, as in the minimization of an automaton.
//
//===----------------------------------------------------------------------===//

#include "Likeness.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/xxhash.h"

namespace cudagraph {

namespace {

/// Differences in callees at a larger depth do not count: finding all of them
/// takes as many passes as the longest chain of calls has functions.
constexpr unsigned MaxRounds = 32;

/// Numbers, collected to be hashed.
class Digest {
public:
  void add(uint64_t N) { Words.push_back(N); }
  void add(llvm::StringRef Text) { add(llvm::xxh3_64bits(Text)); }
  uint64_t hash() const {
    return llvm::xxh3_64bits(
        llvm::ArrayRef(reinterpret_cast<const uint8_t *>(Words.data()),
                       Words.size() * sizeof(uint64_t)));
  }

private:
  llvm::SmallVector<uint64_t, 128> Words;
};

/// The form of one function itself, and the functions that it mentions.
struct Shape {
  FunctionId Of;
  uint64_t Hash;
  std::vector<FunctionId> Callees;
};

} // namespace

/// True for a function about which only the name is known.
static bool isLeaf(Program &Table, FunctionId F) {
  return F == None || Table.info(F).IsKernel || !Table.hasGraph(F);
}

static Shape shapeOf(Program &Table, FunctionId F, const FlowGraph &G,
                     llvm::function_ref<bool(FunctionId)> InCatalogue) {
  const FunctionInfo &Info = Table.info(F);
  Digest D;
  D.add(Info.Name);
  D.add(Info.Written);
  Shape Result{F, 0, {}};
  auto Mention = [&](FunctionId Callee) {
    if (!isLeaf(Table, Callee))
      Result.Callees.push_back(Callee);
    else if (Callee != None && !Table.info(Callee).IsKernel)
      D.add(Table.info(Callee).Name);
    else
      D.add(Callee == None);
  };
  // Expressions by their contents: equal ones are shared, so their numbers
  // depend on which constants are equal.
  std::vector<uint64_t> Said;
  auto Encode = [&](ExprId E) -> uint64_t {
    return E < Said.size() ? Said[E] : E == None;
  };
  for (const Expr &E : G.Exprs) {
    Digest Each;
    Each.add(static_cast<uint64_t>(E.Kind));
    for (ExprId Part : {E.A, E.B, E.C})
      Each.add(Encode(Part));
    Each.add(E.S);
    if (E.Kind == ExprKind::Function || E.Kind == ExprKind::Closure)
      Mention(static_cast<FunctionId>(E.N));
    else if (E.Kind != ExprKind::Int && E.Kind != ExprKind::Unknown)
      Each.add(static_cast<uint64_t>(E.N));
    Said.push_back(Each.hash());
  }
  for (const Block &B : G.Blocks) {
    D.add(B.Ops.size());
    D.add(Encode(B.Cond));
    for (const Edge &E : B.Succs)
      D.add(uint64_t(E.To) << 8 | static_cast<unsigned>(E.When) << 1 |
            E.Failure);
    for (const Op &O : B.Ops) {
      D.add(static_cast<uint64_t>(O.Kind) << 8 | static_cast<uint64_t>(O.How));
      for (ExprId Part : {O.Place, O.Value, O.Object, O.CalleeValue})
        D.add(Encode(Part));
      Mention(O.Callee);
      bool Numbers = O.Callee != None && InCatalogue(O.Callee);
      for (const std::vector<CallArg> *List : {&O.Args, &O.Config})
        for (const CallArg &A : *List) {
          D.add(Encode(A.Value));
          // A kind of copy, or a mode.
          if (Numbers && A.Value != None &&
              G.Exprs[A.Value].Kind == ExprKind::Int)
            D.add(static_cast<uint64_t>(G.Exprs[A.Value].N));
        }
    }
  }
  Result.Hash = D.hash();
  return Result;
}

Likeness::Likeness(Program &Table, llvm::ArrayRef<FunctionId> Functions,
                   llvm::function_ref<bool(FunctionId)> InCatalogue) {
  std::vector<Shape> Shapes;
  for (FunctionId F : Functions)
    if (!isLeaf(Table, F)) {
      Table.readGraph(F, [&](const FlowGraph &G) {
        Shapes.push_back(shapeOf(Table, F, G, InCatalogue));
      });
      Class[F] = Shapes.back().Hash;
    }
  auto Count = [&] {
    llvm::DenseSet<uint64_t> Distinct;
    for (const Shape &S : Shapes)
      Distinct.insert(Class[S.Of]);
    return Distinct.size();
  };
  unsigned Rounds = 0;
  for (size_t Before = 0, Now = Count(); Before != Now && Rounds < MaxRounds;
       ++Rounds) {
    llvm::DenseMap<FunctionId, uint64_t> Next;
    for (const Shape &S : Shapes) {
      Digest D;
      D.add(S.Hash);
      for (FunctionId C : S.Callees)
        D.add(of(C));
      Next[S.Of] = D.hash();
    }
    Class = std::move(Next);
    Before = Now;
    Now = Count();
  }
}

uint64_t Likeness::of(FunctionId F) const {
  auto It = Class.find(F);
  return It == Class.end() ? F : It->second;
}

} // namespace cudagraph
