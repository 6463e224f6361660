//===- NodeTable.cpp - The retained values of a graph's nodes -------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See NodeTable.h.
//
//===----------------------------------------------------------------------===//

#include "NodeTable.h"
#include "analysis/program/CountedLoops.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

ValueId baseOf(const Domain &D, ValueId V) {
  for (unsigned Guard = 0; Guard < 16 && D[V].Kind == ValueKind::Addr;
       ++Guard) {
    const LocNode Root = D.at(D.root(D[V].A));
    if (Root.Kind != LocKind::Pointee)
      break;
    V = Root.A;
  }
  return V;
}

VaryingValue &becomeVarying(Fact &R, const Retained &K) {
  bool Branch = K.Use.As == RetainedAs::Branch;
  VaryingValue &Value = Branch ? R.become<FactKind::HostBranch>()
                               : R.become<FactKind::VaryingUse>();
  Value.Use = K.Use;
  Value.Part = K.Part;
  if (K.Use.As != RetainedAs::Size && K.Use.As != RetainedAs::Config && !Branch)
    Value.Argument = K.Text;
  return Value;
}

bool isChoice(const Retained &K) {
  return K.Use.As == RetainedAs::Branch &&
         (K.Part == "function" || K.Part == "kernel");
}

bool hasGraphInElement(const Walk &W, const State &S, CaptureId C) {
  const Domain &D = W.D;
  return llvm::any_of(S.Mem, [&](const Memory::Item &I) {
    bool Held = false;
    if (isOfElement(D, I.Key))
      eachGraph(D, I.Data, [&](CaptureId X) { Held |= W.sameCapture(X, C); });
    return Held;
  });
}

bool areElsewhere(const NodeTable &Nodes, const Frame &F, LocId Container) {
  auto It = Nodes.MovedGraphs.lower_bound({Container, 0});
  if (It == Nodes.MovedGraphs.end() || It->first != Container)
    return false;
  unsigned Block = F.Block;
  for (const Frame *A = &F; A; A = A->Parent) {
    if (Nodes.MovedGraphs.count({Container, A->Function}))
      return true;
    if (!loopsAround(*A->Graph, Block).empty())
      return false; // for each element
    Block = A->CallBlock;
  }
  return true;
}

bool isInputPlace(const Domain &D, const NodeTable &Nodes, LocId L) {
  if (Nodes.InputOwners.contains(L))
    return true;
  for (;; L = D.at(L).A) {
    if (Nodes.InputPlaces.contains(L))
      return true;
    if (D.at(L).Kind != LocKind::Field && D.at(L).Kind != LocKind::Elem)
      return false;
  }
}

bool isRenewed(const Domain &D, const State &S, LocId L) {
  if (S.Renewed.size() >= MaxStepped)
    return true;
  for (;; L = D.at(L).A) {
    if (S.Renewed.contains(L))
      return true;
    LocKind K = D.at(L).Kind;
    if (K != LocKind::Field && K != LocKind::Elem)
      return false;
  }
}

bool isInObject(const Walk &W, const State &S, CaptureId C) {
  const Domain &D = W.D;
  return llvm::any_of(S.Mem, [&](const Memory::Item &I) {
    bool Found = false;
    if (D.at(I.Key).Kind == LocKind::Elem || D.at(I.Key).Kind == LocKind::Field)
      eachGraph(D, I.Data, [&](CaptureId X) { Found |= W.sameCapture(X, C); });
    return Found;
  });
}

std::set<CaptureId>
graphsOnlyIn(const Walk &W, const NodeTable &Nodes, const State &S,
             llvm::function_ref<bool(const Memory::Item &)> IsHere,
             const Frame *F) {
  const Domain &D = W.D;
  // A temporary that is passed ends with the statement, and a variable ends
  // with its function.
  auto HasEnded = [&](LocId L) {
    return D.at(L).Kind == LocKind::Temp ||
           D.at(D.root(L)).Kind == LocKind::Result || (F && isOver(D, *F, L));
  };
  // A graph that was instantiated is launched through executable graphs.
  auto EachIn = [&](const Memory::Item &I, auto Visit) {
    if (!HasEnded(I.Key))
      D.visitTree(I.Data, [&](ValueId V) {
        ValueKind K = D[V].Kind;
        if (K == ValueKind::Exec ||
            (K == ValueKind::Graph && !Nodes.Instantiated.count(D[V].A)))
          Visit(static_cast<CaptureId>(D[V].A));
      });
  };
  std::set<CaptureId> Result, Elsewhere;
  for (const Memory::Item &I : S.Mem)
    EachIn(I, [&, Set = IsHere(I) ? &Result : &Elsewhere](CaptureId C) {
      Set->insert(C);
    });
  for (auto It = Result.begin(); It != Result.end();) {
    // A table may contain it in a way that the analysis does not know.
    bool Remains = (Nodes.InTables.count(*It) && !Nodes.InMemory.count(*It)) ||
                   llvm::any_of(Elsewhere, [&](CaptureId C) {
                     return W.sameCapture(C, *It);
                   });
    It = Remains ? Result.erase(It) : std::next(It);
  }
  return Result;
}

bool isOneOfGraphs(const Domain &D, const State &S, LocId Element) {
  const LocNode N = D.at(Element);
  if (N.B == None || !D.asInt(N.B))
    return true;
  return llvm::any_of(S.Mem, [&](const Memory::Item &I) {
    LocId L = I.Key;
    while (D.at(L).Kind == LocKind::Field)
      L = D.at(L).A;
    const LocNode Other = D.at(L);
    if (Other.Kind != LocKind::Elem || Other.A != N.A || L == Element)
      return false;
    bool Holds = Other.B == None || !D.asInt(Other.B);
    eachGraph(D, I.Data, [&](CaptureId) { Holds = true; });
    return Holds;
  });
}

bool isGraph(const Domain &D, ValueId V) {
  constexpr unsigned MaxValues = 16;
  llvm::SmallVector<ValueId, 8> Work{V};
  for (unsigned I = 0; I < Work.size(); ++I) {
    ValueKind K = D[Work[I]].Kind;
    if (K == ValueKind::Graph || K == ValueKind::Exec || D.asInt(Work[I]) == 0)
      continue;
    if (I >= MaxValues || K != ValueKind::Phi || D.overflowed(Work[I]) ||
        D.candidates(Work[I]).empty())
      return false;
    for (ValueId Each : D.candidates(Work[I]))
      if (!llvm::is_contained(Work, Each))
        Work.push_back(Each);
  }
  return true;
}

bool isFresh(const Walk &W, const NodeTable &Nodes, CaptureId C) {
  auto In = [&](const std::set<CaptureId> &Set) {
    return llvm::any_of(Set, [&](CaptureId X) { return W.sameCapture(X, C); });
  };
  return In(Nodes.Fresh) && !In(Nodes.Replayed);
}

bool isClosed(const Domain &D, const NodeTable &Nodes, LocId L) {
  LocKind Root = D.at(D.root(L)).Kind;
  return Root == LocKind::Var || Root == LocKind::Temp ||
         (Nodes.Closed && Root == LocKind::Global);
}

llvm::SmallVector<ValueId, 6> choicesOf(const Domain &D, ValueId Phi) {
  llvm::SmallVector<ValueId, 6> Found, Work{Phi};
  llvm::SmallDenseSet<ValueId, 8> Seen{Phi};
  while (!Work.empty()) {
    ValueId From = Work.pop_back_val();
    for (ValueId Each : D.candidates(From)) {
      if (!Seen.insert(Each).second)
        continue;
      const ValueNode N = D[Each];
      if (N.Kind == ValueKind::Phi)
        Work.push_back(Each);
      else if (From == Phi ||
               (N.Kind == ValueKind::Memory && N.B != TakenMemory))
        Found.push_back(Each);
    }
  }
  return Found;
}

bool isElementOf(const Domain &D, LocId L, LocId Owner, bool Perhaps) {
  for (; D.at(L).Kind == LocKind::Field || D.at(L).Kind == LocKind::Elem;
       L = D.at(L).A) {
    if (D.at(L).Kind != LocKind::Elem)
      continue;
    LocId Container = D.at(L).A;
    if (Container == Owner ||
        (Perhaps && nameOfPlace(D, Container) == nameOfPlace(D, Owner) &&
         overlap(D, Container, Owner)))
      return true;
  }
  return false;
}

} // namespace cudagraph
