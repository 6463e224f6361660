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

/// The object and the arguments of a call. The addresses of local variables are
/// excluded, because results are returned there.
Walk::Arguments Walk::keyOf(ValueId This, llvm::ArrayRef<ValueId> Args) const {
  Arguments Key{This};
  for (ValueId V : Args) {
    bool Local = V != None && D[V].Kind == ValueKind::Addr &&
                 (D.at(D.root(D[V].A)).Kind == LocKind::Var ||
                  D.at(D.root(D[V].A)).Kind == LocKind::Temp);
    Key.push_back(Local ? None : V);
  }
  return Key;
}

void Walk::noteRun(FunctionId F, ValueId This, llvm::ArrayRef<ValueId> Args) {
  constexpr size_t MaxRuns = 8;
  if (!(Rel.bits(F) & Relevance::Effects))
    return;
  std::vector<Arguments> &Known = Runs[F];
  Arguments Key = keyOf(This, Args);
  if (Known.size() < MaxRuns && !llvm::is_contained(Known, Key))
    Known.push_back(std::move(Key));
}

bool Walk::hasRun(FunctionId F, ValueId This,
                  llvm::ArrayRef<ValueId> Args) const {
  auto It = Runs.find(F);
  return It != Runs.end() && llvm::is_contained(It->second, keyOf(This, Args));
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
