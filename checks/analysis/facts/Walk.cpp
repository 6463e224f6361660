//===- Walk.cpp - The state that all parts of one walk share --------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Walk.h.
//
//===----------------------------------------------------------------------===//

#include "Walk.h"
#include "analysis/domain/Memory.h"
#include "llvm/ADT/BitVector.h"

namespace cudagraph {

bool Walk::isSpent() {
  if (Limits.OutOfTime && !Result.OutOfTime && Steps >= NextLook) {
    NextLook = Steps + 1000;
    Result.OutOfTime = Limits.OutOfTime();
  }
  bool Spent = Steps > Limits.Steps || Result.OutOfTime;
  Result.BudgetExceeded |= Spent;
  return Spent;
}

bool Walk::sameCapture(CaptureId A, CaptureId B) const {
  return A == B || (Result.Captures[A].BeginCall.Begin ==
                        Result.Captures[B].BeginCall.Begin &&
                    Result.Captures[A].BeginCall.Begin != 0);
}

/// True if \p F, which begins a capture, calls one of \p Callees in code that
/// does not follow the begin call: a warm-up.
bool Walk::callsWithoutCapture(
    FunctionId F, const llvm::DenseSet<FunctionId> &Callees) const {
  const FlowGraph *G = Table.graph(F);
  if (!G)
    return false;
  // Blocks are numbered in reverse post-order.
  llvm::BitVector Follows(G->Blocks.size());
  bool Warms = false;
  for (unsigned B = 0; B < G->Blocks.size(); ++B) {
    bool Begun = Follows.test(B);
    for (const Op &O : G->Blocks[B].Ops) {
      if (O.Kind != OpKind::Call || O.Callee == None)
        continue;
      bool Begins = Rel.begins(O);
      Warms |= !Begun && !Begins && Callees.contains(O.Callee);
      Begun |= Begins;
    }
    for (const Edge &E : G->Blocks[B].Succs)
      if (Begun)
        Follows.set(E.To);
  }
  return Warms;
}

bool Walk::isWarmedUp(FunctionId F) const {
  std::vector<FunctionId> Work{F};
  llvm::DenseSet<FunctionId> Seen{F};
  for (unsigned Guard = 0; !Work.empty() && Guard < 256; ++Guard) {
    FunctionId At = Work.back();
    Work.pop_back();
    if (Rel.bits(At) & Relevance::Begins) {
      if (callsWithoutCapture(At, Seen))
        return true;
      continue;
    }
    for (FunctionId Caller : Rel.callersOf(At))
      if (Seen.insert(Caller).second)
        Work.push_back(Caller);
  }
  return false;
}

bool Walk::mayRunBefore(FunctionId F, CaptureId C) const {
  std::vector<FunctionId> Work{F};
  llvm::DenseSet<FunctionId> Seen{F};
  for (unsigned Guard = 0; !Work.empty() && Guard < 256; ++Guard) {
    FunctionId At = Work.back();
    Work.pop_back();
    if (Rel.bits(At) & Relevance::Begins)
      continue;
    const std::vector<FunctionId> &Callers = Rel.callersOf(At);
    if (Eager.count(At) || (Callers.empty() && Result.Captures[C].Home != At))
      return true;
    for (FunctionId Caller : Callers)
      if (Seen.insert(Caller).second)
        Work.push_back(Caller);
  }
  return false;
}

/// A number that represents the numbers and texts in \p V, such as a key; None
/// if there are none, or if they are unknown.
static ValueId numbersIn(Domain &D, ValueId V) {
  std::optional<uint64_t> All;
  bool Known = true;
  D.visitTree(V, [&](ValueId Part) {
    Known &= D[Part].Kind != ValueKind::Phi && D[Part].Kind != ValueKind::Init;
    if (std::optional<int64_t> N = D.asInt(Part))
      All = All.value_or(0) * 31 + static_cast<uint64_t>(*N);
  });
  return All && Known ? D.integer(static_cast<int64_t>(*All)) : None;
}

Walk::Arguments Walk::argumentsOf(const Op &O, const State &S, ValueId This,
                                  llvm::ArrayRef<ValueId> Args) {
  Arguments Key{This};
  for (unsigned I = 0; I < Args.size(); ++I) {
    ValueId V = Args[I];
    if (V != None && D[V].Kind == ValueKind::Addr) {
      LocKind Root = D.at(D.root(D[V].A)).Kind;
      const CallArg *A = O.arg(I);
      ValueId Numbers =
          A && !A->Written ? numbersIn(D, read(D, S, D[V].A)) : None;
      if (Numbers != None || Root == LocKind::Var || Root == LocKind::Temp)
        V = Numbers;
    }
    Key.push_back(V);
  }
  return Key;
}

void Walk::noteRun(FunctionId F, Arguments Key) {
  constexpr size_t MaxRuns = 8;
  std::vector<Arguments> &Known = Runs[F];
  if (Known.size() < MaxRuns && !llvm::is_contained(Known, Key))
    Known.push_back(std::move(Key));
}

bool Walk::hasRun(FunctionId F, llvm::ArrayRef<ValueId> Key) const {
  auto It = Runs.find(F);
  // An unknown argument may be any argument.
  auto MayBeSame = [](auto Pair) {
    auto [X, Y] = Pair;
    return X == Y || X == None || Y == None;
  };
  return It != Runs.end() &&
         llvm::any_of(It->second, [&](const Arguments &Known) {
           return Known.size() == Key.size() &&
                  llvm::all_of(llvm::zip(Known, Key), MayBeSame);
         });
}

std::string Walk::nameOf(LocId L) const {
  if (D.slotAt(L) != Slot::None)
    return spelling(D.slotAt(L)).str();
  const LocNode N = D.at(L);
  switch (N.Kind) {
  case LocKind::Var:
    if (const FlowGraph *G = Table.graph(N.A))
      if (static_cast<size_t>(N.N) < G->Vars.size())
        return G->Vars[N.N].Name;
    return "";
  case LocKind::Field:
  case LocKind::Global: {
    llvm::StringRef Name = D.text(N.S);
    return Name.substr(Name.rfind(':') + 1).str();
  }
  case LocKind::Elem:
    return nameOf(N.A);
  default:
    return "";
  }
}

} // namespace cudagraph
