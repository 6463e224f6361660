//===- EngineValue.cpp - Expressions in a state ---------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Evaluation, reading memory through copies and captures, and what a state
// knows about the truth of a condition.
//
//===----------------------------------------------------------------------===//

#include "Engine.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

using catalogue::Effect;

ValueId Engine::eval(const Frame &F, ExprId Id, State &S) {
  if (Id == None)
    return D.opaque(Domain::site(F.Function, 0, 7));
  const Expr &E = F.Graph->Exprs[Id];
  switch (E.Kind) {
  case ExprKind::Unknown:
    return D.opaque(Domain::site(F.Function, E.N, 1));
  case ExprKind::Int:
    return D.integer(E.N);
  case ExprKind::Load:
    return read(S, evalPlace(F, E.A, S));
  case ExprKind::AddrOf:
    return D.value(ValueKind::Addr, 0, evalPlace(F, E.A, S));
  case ExprKind::This:
    return F.This == None ? D.opaque(Domain::site(F.Function, 0, 6)) : F.This;
  case ExprKind::Function:
    return D.value(ValueKind::Function, E.N);
  case ExprKind::Closure:
    return D.value(ValueKind::Closure, E.N, evalPlace(F, E.A, S));
  case ExprKind::Result: {
    LocId L = D.loc(LocKind::Result, E.N, F.Function);
    if (std::optional<unsigned> V = S.Mem.lookup(L))
      return *V;
    return D.opaque(Domain::site(F.Function, E.N, 2));
  }
  case ExprKind::Op: {
    ValueId A = eval(F, E.A, S);
    ValueId B = E.B == None ? None : eval(F, E.B, S);
    // Pointer arithmetic moves to some neighbouring element.
    if ((E.S == "+" || E.S == "-") && D[A].Kind == ValueKind::Addr)
      return D.value(ValueKind::Addr, 0,
                     D.element(D[A].A, B, /*IsPointer=*/true));
    return D.apply(E.S, A, B);
  }
  case ExprKind::Select: {
    ValueId C = eval(F, E.A, S);
    if (std::optional<bool> T = truth(S, C))
      return eval(F, *T ? E.B : E.C, S);
    ValueId A = eval(F, E.B, S), B = eval(F, E.C, S);
    if (A == B)
      return A;
    ValueId Phi = D.value(ValueKind::Phi, Domain::site(F.Function, Id, 5), C);
    D.addCandidate(Phi, A);
    D.addCandidate(Phi, B);
    return Phi;
  }
  default:
    return read(S, evalPlace(F, Id, S));
  }
}

LocId Engine::evalPlace(const Frame &F, ExprId Id, State &S) {
  const Expr &E = F.Graph->Exprs[Id];
  switch (E.Kind) {
  case ExprKind::Var:
    return D.loc(LocKind::Var, E.N, F.Function);
  case ExprKind::Global:
    return D.loc(LocKind::Global, 0, None, None, E.S);
  case ExprKind::Deref:
    return D.pointee(eval(F, E.A, S));
  case ExprKind::Field:
    return D.loc(LocKind::Field, 0, evalPlace(F, E.A, S), None, E.S);
  case ExprKind::Elem: {
    ValueId Index = eval(F, E.B, S);
    // Which of several graphs this is, perhaps.
    if (S.Active.empty() && D[Index].Kind != ValueKind::Int &&
        D[Index].Kind != ValueKind::Opaque)
      noteKeys(S, D.apply("library", Index, None));
    return D.element(evalPlace(F, E.A, S), Index, false);
  }
  case ExprKind::PtrElem:
    return D.element(D.pointee(eval(F, E.A, S)), eval(F, E.B, S), true);
  case ExprKind::Temp:
    return D.loc(LocKind::Temp, E.N, F.Function, None, E.S);
  default:
    return D.pointee(eval(F, Id, S));
  }
}

ValueId Engine::defaultContents(LocId L) {
  return D.value(ValueKind::Init, 0, L);
}

ValueId Engine::read(const State &S, LocId L) {
  if (std::optional<unsigned> V = S.Mem.lookup(L))
    return *V;
  // What a library function made from its arguments, returned by reference.
  if (D.at(L).Kind == LocKind::Pointee)
    if (const ValueNode V = D[D.at(L).A];
        V.Kind == ValueKind::Op && D.text(V.S) == "library")
      return D.at(L).A;
  // A part of an object that was copied from, or is, another one.
  const LocNode N = D.at(L);
  // Of what was read from the device, each part was.
  if (N.Kind == LocKind::Elem || N.Kind == LocKind::Field)
    if (std::optional<unsigned> V = S.Mem.lookup(N.A);
        V && D[*V].Kind == ValueKind::DeviceRead)
      return *V;
  if (N.Kind == LocKind::Elem && N.B != None)
    if (std::optional<unsigned> V =
            S.Mem.lookup(D.loc(LocKind::Elem, 0, N.A, None))) {
      // Streams made in a loop differ from element to element.
      const ValueNode Any = D[*V];
      if (Any.Kind == ValueKind::Stream)
        return D.value(ValueKind::Stream, Any.N, L, Any.B);
      return *V;
    }
  if (N.Kind == LocKind::Field || N.Kind == LocKind::Elem) {
    std::optional<unsigned> Whole = S.Mem.lookup(N.A);
    ValueId W = Whole ? *Whole : None;
    if (!Whole &&
        (D.at(N.A).Kind == LocKind::Field || D.at(N.A).Kind == LocKind::Elem))
      W = read(S, N.A);
    if (W != None) {
      const ValueNode V = D[W];
      if ((V.Kind == ValueKind::CopyOf || V.Kind == ValueKind::Closure ||
           V.Kind == ValueKind::Init) &&
          V.A != N.A) {
        LocId Source = D.loc(N.Kind, 0, V.A, N.B, D.text(N.S));
        return read(S, Source);
      }
      if (V.Kind == ValueKind::Op && D.text(V.S) == "aggregate")
        return W; // made from these values; which one is which is not known
    }
  }
  // An object with members that have been written: a copy refers to it.
  if (N.Kind == LocKind::Var || N.Kind == LocKind::Temp ||
      N.Kind == LocKind::Pointee)
    for (auto It = S.Mem.begin(); It != S.Mem.end(); ++It) {
      const LocNode Other = D.at(It->getKey());
      if ((Other.Kind == LocKind::Field || Other.Kind == LocKind::Elem) &&
          D.root(It->getKey()) == L)
        return D.value(ValueKind::CopyOf, 0, L);
    }
  return defaultContents(L);
}

std::optional<bool> Engine::truth(const State &S, ValueId V) {
  TruthMemo Known;
  return truth(S, V, Known);
}

/// Values share their operands: each is asked once in a query.
std::optional<bool> Engine::truth(const State &S, ValueId V, TruthMemo &Memo) {
  if (D[V].Kind != ValueKind::Op && D[V].Kind != ValueKind::Phi)
    return truthOf(S, V, Memo);
  if (auto It = Memo.find(V); It != Memo.end())
    return It->second;
  std::optional<bool> Result = truthOf(S, V, Memo);
  Memo[V] = Result;
  return Result;
}

std::optional<bool> Engine::truthOf(const State &S, ValueId V,
                                    TruthMemo &Memo) {
  const ValueNode N = D[V];
  if (std::optional<unsigned> Known = S.Facts.lookup(V))
    return *Known != 0;
  if (std::optional<unsigned> Known = S.Equal.lookup(V))
    return D.asInt(*Known).value_or(1) != 0;
  switch (N.Kind) {
  case ValueKind::Int:
    return N.N != 0;
  case ValueKind::Addr:
  case ValueKind::Closure:
  case ValueKind::Function:
  case ValueKind::Stream:
  case ValueKind::Event:
  case ValueKind::Handle:
  case ValueKind::Memory:
  case ValueKind::Graph:
  case ValueKind::Exec:
    return true;
  case ValueKind::Status:
    return false; // calls succeed; what a failure leads to is not replayed
  case ValueKind::Phi: {
    llvm::ArrayRef<ValueId> All = D.candidates(V);
    if (All.empty())
      return std::nullopt;
    std::optional<bool> First;
    for (ValueId C : All) {
      if (D[C].Kind == ValueKind::Phi)
        return std::nullopt;
      std::optional<bool> T = truth(S, C, Memo);
      if (!T || (First && *First != *T))
        return std::nullopt;
      First = T;
    }
    return First;
  }
  case ValueKind::Op: {
    llvm::StringRef Op = D.text(N.S);
    if (Op == "!") {
      std::optional<bool> T = truth(S, N.A, Memo);
      return T ? std::optional(!*T) : std::nullopt;
    }
    if (Op == "bool")
      return truth(S, N.A, Memo);
    std::optional<int64_t> C = N.B == None ? std::nullopt : D.asInt(N.B);
    if (!C && Op != "&&" && Op != "||")
      return std::nullopt;
    if (std::optional<unsigned> Known = S.Equal.lookup(N.A); Known && C) {
      ValueId Folded = D.apply(Op, *Known, N.B);
      if (std::optional<int64_t> R = D.asInt(Folded))
        return *R != 0;
    }
    if (Op == "==") {
      std::optional<bool> T = truth(S, N.A, Memo);
      if (*C == 0)
        return T ? std::optional(!*T) : std::nullopt;
      // Code for one particular error is there to recover from it.
      if (D[N.A].Kind == ValueKind::Status)
        return std::nullopt;
      if (T && !*T)
        return false; // zero is not C
      // A phi of constants, none of which is C.
      if (D[N.A].Kind == ValueKind::Phi) {
        bool Differ = !D.candidates(N.A).empty();
        for (ValueId X : D.candidates(N.A))
          Differ &= D.asInt(X).has_value() && D.asInt(X) != C;
        if (Differ)
          return false;
      }
      return std::nullopt;
    }
    if (Op == "&&" || Op == "||") {
      std::optional<bool> A = truth(S, N.A, Memo), B = truth(S, N.B, Memo);
      bool And = Op == "&&";
      if ((A && *A != And) || (B && *B != And))
        return !And;
      if (A && B)
        return And;
    }
    return std::nullopt;
  }
  default:
    return std::nullopt;
  }
}

void Engine::assume(State &S, ValueId V, bool Truth) {
  llvm::SmallDenseSet<ValueId, 8> Done;
  assume(S, V, Truth, Done);
}

/// \p Done: values that share operands are asked for them once.
void Engine::assume(State &S, ValueId V, bool Truth,
                    llvm::SmallDenseSet<ValueId, 8> &Done) {
  if (!Done.insert(V).second)
    return;
  const ValueNode N = D[V];
  if (N.Kind == ValueKind::Int)
    return;
  S.Facts.set(V, Truth);
  if (N.Kind != ValueKind::Op)
    return;
  llvm::StringRef Op = D.text(N.S);
  if (Op == "!")
    assume(S, N.A, !Truth, Done);
  else if (Op == "is on device" && !Truth)
    S.Mem.set(hostPath(D), D.integer(1));
  else if (Op == "bool")
    assume(S, N.A, Truth, Done);
  else if (Op == "==" && D.asInt(N.B)) {
    if (Truth)
      S.Equal.set(N.A, N.B);
    // It is of the host, or of no device that runs CUDA.
    if (D[N.A].Kind == ValueKind::Op && D.text(D[N.A].S) == "device type of" &&
        llvm::is_contained(Truth ? HostDevices : CudaDevices, *D.asInt(N.B)))
      S.Mem.set(hostPath(D), D.integer(1));
    if (D.asInt(N.B) == 0)
      assume(S, N.A, !Truth, Done);
    else if (Truth)
      assume(S, N.A, true, Done);
  } else if (Op == "&&" || Op == "||") {
    bool And = Op == "&&";
    if (Truth == And) {
      assume(S, N.A, Truth, Done);
      assume(S, N.B, Truth, Done);
    } else if (truth(S, N.A) == And) {
      assume(S, N.B, Truth, Done);
    } else if (truth(S, N.B) == And) {
      assume(S, N.A, Truth, Done);
    }
  }
}

/// True if \p L is part of a global, or of the object whose method is running:
/// what lives as long as a graph that it keeps. Data that is passed through, by
/// pointers of its own, is somebody else's.
bool livesWithGraph(const Domain &D, LocId L) {
  for (unsigned Hops = 0;; L = D.at(L).A) {
    const LocNode N = D.at(L);
    if (N.Kind == LocKind::Global)
      return true;
    if (N.Kind == LocKind::Field || N.Kind == LocKind::Elem)
      continue;
    if (N.Kind != LocKind::Pointee || D[N.A].Kind != ValueKind::Init)
      return false;
    const LocNode Holder = D.at(D[N.A].A);
    if (Holder.Kind == LocKind::Global)
      return true;
    if (Holder.Kind != LocKind::Field || ++Hops > 1)
      return false;
    L = D[N.A].A;
  }
}

/// What is known of the member or global, at \p L or above, that changes
/// between replays.
static std::optional<Variation> changes(const Domain &D, const Relevance &Rel,
                                        LocId L, Span *Where, FunctionId *In,
                                        std::string *Name,
                                        const std::set<FunctionId> &InRegion) {
  // What a pointer points to, and elements of arrays, count if the device
  // writes them.
  bool Through = false;
  for (unsigned Guard = 0; Guard < 4; ++Guard) {
    const LocNode N = D.at(L);
    if (N.Kind == LocKind::Elem) {
      L = N.A;
    } else if (N.Kind == LocKind::Pointee && D[N.A].Kind == ValueKind::Memory &&
               D[N.A].B == 1) {
      return Variation::DeviceRead; // both write there
    } else if (N.Kind == LocKind::Pointee && D[N.A].Kind == ValueKind::Init) {
      L = D[N.A].A;
      Through = true;
    } else {
      break;
    }
  }
  auto Say = [&](const WriteSummary::Change &C) {
    if (Where)
      *Where = C.Where;
    if (In)
      *In = C.In;
  };
  // The member, and the structures that it is a part of.
  for (LocId P = L;; P = D.at(P).A) {
    const LocNode N = D.at(P);
    if (N.Kind != LocKind::Global && N.Kind != LocKind::Field)
      return std::nullopt;
    const WriteSummary *W = Rel.writes(D.text(N.S));
    if (W && !W->Updated) {
      if (Name)
        *Name = D.text(N.S).str();
      if (const std::optional<WriteSummary::Change> &C =
              Through ? W->DeviceTarget : W->DeviceCopy) {
        Say(*C);
        return Variation::DeviceRead;
      }
      if (Through)
        return std::nullopt;
      // What captured code counts by itself, wherever that is kept.
      if (W->ReadModifyWrite && P == L &&
          llvm::any_of(W->Steppers,
                       [&](FunctionId X) { return InRegion.count(X) != 0; }))
        return Variation::HostState;
      if (!livesWithGraph(D, P))
        return std::nullopt;
      if (W->ReadModifyWrite && P == L)
        return Variation::HostState;
      for (const auto *List : {&W->Setters, &W->Growers})
        for (const WriteSummary::Change &C : *List)
          if (!W->IsKey && (List == &W->Setters || C.Elsewhere) &&
              Rel.keepsGraphs(C.In) && !(Rel.bits(C.In) & Relevance::Works)) {
            Say(C);
            return Variation::Setter;
          }
    }
    if (N.Kind != LocKind::Field)
      return std::nullopt;
  }
}

/// Says whether \p V differs between replays, where it was read or set, and by
/// whom if that is another function.
std::optional<Variation> Engine::variation(const State &, ValueId V,
                                           Span *Where, FunctionId *In,
                                           std::string *Name) {
  std::optional<Variation> Found;
  if (!D.mayVary(V))
    return Found;
  D.visitTree(V, [&](ValueId Part) {
    const ValueNode N = D[Part];
    if (N.Kind == ValueKind::DeviceRead || N.Kind == ValueKind::Varying) {
      if (Found == Variation::DeviceRead)
        return;
      bool Random = N.B == static_cast<unsigned>(Effect::HostRandom) ||
                    N.B == static_cast<unsigned>(Effect::RandomState);
      Found = N.Kind == ValueKind::DeviceRead ? Variation::DeviceRead
              : Random                        ? Variation::Random
                                              : Variation::Clock;
      if (Where)
        *Where = {N.A, N.A};
    } else if (N.Kind == ValueKind::Init && !Found) {
      Found = changes(D, Rel, N.A, Where, In, Name, InRegion);
    }
  });
  return Found;
}

} // namespace cudagraph
