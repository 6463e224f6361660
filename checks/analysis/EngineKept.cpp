//===- EngineKept.cpp - What the nodes of a graph keep --------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A node keeps the numbers and the addresses that it was captured with. Each is
// remembered with where it came from: the object whose address it is, the
// variable that it was read from, the parameter that decided it. Whether that
// ends or changes while the graph lives is found later (EngineLife.cpp), or is
// known from what other functions do (Relevance.h).
//
//===----------------------------------------------------------------------===//

#include "Engine.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

using catalogue::Effect;

/// The parameters of the function in which a walk starts.
void Engine::takeParams(Frame &F) {
  for (unsigned I = 0; I < F.Graph->NumParams; ++I)
    F.Params.push_back(defaultContents(D.loc(LocKind::Var, I, F.Function)));
}

/// What the address \p V is computed from: a pointer that somebody else made.
ValueId Engine::baseOf(ValueId V) const {
  for (unsigned Guard = 0; Guard < 16 && D[V].Kind == ValueKind::Addr;
       ++Guard) {
    const LocNode Root = D.at(D.root(D[V].A));
    if (Root.Kind != LocKind::Pointee)
      break;
    V = Root.A;
  }
  return V;
}

/// The variable, member or global that \p E reads; a parameter is what the
/// caller passed. None if it is computed.
LocId Engine::placeOf(const Frame &F, ExprId Id, State &S) {
  const FlowGraph &G = *F.Graph;
  if (Id == None || G.Exprs[Id].Kind != ExprKind::Load)
    return None;
  ExprId P = G.Exprs[Id].A;
  if (G.Exprs[P].Kind == ExprKind::Var && G.Exprs[P].N < G.NumParams &&
      F.Parent && F.CallSite &&
      static_cast<size_t>(G.Exprs[P].N) < F.CallSite->Args.size())
    if (LocId L = placeOf(*F.Parent, F.CallSite->Args[G.Exprs[P].N].Value, S);
        L != None)
      return L;
  // Nothing is known here of what the variables of callers point to.
  for (ExprId Base = P;; Base = G.Exprs[Base].A) {
    const Expr &E = G.Exprs[Base];
    if (E.Kind == ExprKind::Field)
      continue;
    bool Named =
        E.Kind == ExprKind::Var || E.Kind == ExprKind::Global ||
        (E.Kind == ExprKind::Deref && G.Exprs[E.A].Kind == ExprKind::This);
    return Named ? evalPlace(F, P, S) : None;
  }
}

/// The member or global whose contents met at the join \p Phi, or None.
LocId Engine::metAt(ValueId Phi) const {
  const ValueNode N = D[Phi];
  bool Selected = (N.N & 15) == 5; // ?: has a condition instead
  if (N.Kind != ValueKind::Phi || Selected || N.A == None)
    return None;
  LocKind K = D.at(N.A).Kind;
  return K == LocKind::Field || K == LocKind::Global ? N.A : None;
}

std::string Engine::nameOf(LocId L) const {
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

/// Finds the parameters, of the functions that are active, that decided \p K.
void Engine::findHits(const Frame &Innermost, Kept &K) {
  for (const Frame *A = &Innermost; A; A = A->Parent)
    for (unsigned I = 0; I < A->Params.size(); ++I) {
      ValueId P = A->Params[I];
      const LocalVar &Var = A->Graph->Vars[I];
      ValueKind Kind = D[P].Kind;
      if (Var.IsStream || Kind == ValueKind::Int ||
          Kind == ValueKind::Function || Kind == ValueKind::Closure ||
          Kind == ValueKind::Addr || Kind == ValueKind::Stream)
        continue;
      LocId Own = D.loc(LocKind::Var, I, A->Function);
      llvm::SmallVector<ValueId, 4> Found;
      D.visitTree(K.Value, [&](ValueId Part) {
        const ValueNode N = D[Part];
        LocId Root = N.Kind == ValueKind::Init ? D.root(N.A) : None;
        bool Member = Root == Own ||
                      (Root != None && Var.ReadOnly && Root == D.pointee(P));
        if ((Part == P || Member) && Found.size() < 4 &&
            !llvm::is_contained(Found, Part))
          Found.push_back(Part);
      });
      for (ValueId Part : Found)
        K.Hits.push_back({A->Function, I, Part});
    }
}

/// Remembers that the node made by \p O keeps \p V; \p Sort as in CallArg.
void Engine::keep(Frame &F, const Op &O, State &S, KeptAs As, ValueId V,
                  Span Text, LocId Place, unsigned Sort,
                  const catalogue::Entry *E) {
  if (V == None || Kepts.size() >= MaxKept)
    return;
  if (D[V].Kind == ValueKind::Phi && Sort == CallArg::Pointer) {
    for (ValueId C : llvm::SmallVector<ValueId, 6>(D.candidates(V)))
      if (D[C].Kind != ValueKind::Phi)
        keep(F, O, S, As, C, Text, Place == None ? metAt(V) : Place, Sort, E);
    return;
  }
  Kept K;
  K.Capture = S.Active.back();
  K.As = As;
  K.Place = Place;
  bool Address = Sort == CallArg::Pointer || Sort == CallArg::Tensor;
  K.Rebinds =
      Sort == CallArg::Tensor || (Address && D[V].Kind == ValueKind::Addr &&
                                  D.at(D[V].A).Kind == LocKind::Field &&
                                  D.text(D.at(D[V].A).S) == "device elements");
  K.Value = Address ? baseOf(V) : V;
  if (Address && D.asInt(K.Value))
    return;
  if (!Address && D.asInt(K.Value) && Place == None)
    return;
  if (!KeptIds
           .insert({O.Range.Begin, static_cast<unsigned>(As), K.Capture,
                    Text.Begin, K.Value, Place})
           .second)
    return;
  K.At = factAt(F, O, S, K.Capture);
  if (As != KeptAs::Branch)
    K.At.Sure = std::min(K.At.Sure, KeptSure);
  K.At.Kept = As;
  K.At.Api = E;
  K.At.Bytes = KeptBytes;
  K.At.IsPointer = Address;
  K.At.Callee = E && O.How != Dispatch::Kernel ? E->Name
                : O.Callee == None             ? ""
                                               : Table.info(O.Callee).Name;
  K.At.Object = llvm::StringRef(Table.text(Text)).ltrim('&').str();
  if (Address && D[V].Kind == ValueKind::Addr) {
    LocId L = D[V].A;
    while (D.at(L).Kind == LocKind::Elem) {
      L = D.at(L).A;
      K.Holder = L;
    }
    LocId Object = D.root(D[V].A);
    if (!K.Rebinds) // others may refer to the memory of a tensor
      K.Root = Object;
    const LocNode Root = D.at(Object);
    bool Owner = false;
    if (Root.Kind == LocKind::Var)
      if (const FlowGraph *G = Table.graph(Root.A))
        Owner = static_cast<size_t>(Root.N) < G->Vars.size() &&
                G->Vars[Root.N].OwnsDevice;
    K.At.OnDevice = Owner || As == KeptAs::Argument;
    // A kernel that is given the address of host memory is another matter.
    if (As == KeptAs::Argument && !Owner && Root.Kind != LocKind::Pointee &&
        D.text(Root.S) != "heap")
      return;
    // What was made during the capture belongs to it.
    if (Owner && Inside.contains(D.value(ValueKind::Addr, 0, Object)))
      return;
  } else if (Address) {
    K.At.OnDevice = As == KeptAs::Argument;
    if (Inside.contains(K.Value))
      return;
  }
  if (K.Holder != None) // where the elements are by now
    S.Gone.erase(keyOfObject(K.Holder));
  findHits(F, K);
  frozen(F, O, S, K);
  if (Address)
    grows(K, S);
  unsigned Index = Kepts.size();
  if (K.Root != None) {
    auto [It, New] = KeptIn.try_emplace(K.Root);
    It->second.push_back(Index);
    const LocNode Root = D.at(K.Root);
    if (New && (Root.Kind == LocKind::Var || Root.Kind == LocKind::Temp) &&
        D.text(Root.S) != "heap")
      EndingIn[Root.A].push_back(K.Root);
  }
  if (K.Holder != None)
    KeptHolders[K.Holder].push_back(Index);
  if (Address)
    KeptValues[K.Value].push_back(Index);
  Kepts.push_back(std::move(K));
}

/// A structure that is passed by value: its members are arguments.
void Engine::keepStruct(Frame &F, const Op &O, State &S, ValueId V, Span Text) {
  const ValueNode N = D[V];
  if (N.Kind != ValueKind::CopyOf && N.Kind != ValueKind::Init) {
    keep(F, O, S, KeptAs::Argument, V, Text, None, CallArg::Scalar);
    return;
  }
  LocId Root = N.A;
  unsigned Members = 0;
  for (const Memory::Item &I : Memory(S.Mem)) {
    LocId P = I.Key;
    while (P != Root &&
           (D.at(P).Kind == LocKind::Field || D.at(P).Kind == LocKind::Elem))
      P = D.at(P).A;
    if (P != Root || I.Key == Root || ++Members > 32)
      continue;
    bool Address = D[I.Data].Kind == ValueKind::Addr ||
                   D[I.Data].Kind == ValueKind::Memory;
    keep(F, O, S, KeptAs::Argument, I.Data, Text, None,
         Address ? CallArg::Pointer : CallArg::Scalar);
  }
  if (!Members)
    keep(F, O, S, KeptAs::Argument, V, Text, None, CallArg::Scalar);
}

/// Says whether work on \p Stream becomes a node, and how sure that is. Without
/// a stream, it is on that of a library handle that nobody here knows.
bool Engine::noteMember(const State &S, ValueId Stream, bool HasStream,
                        bool PerThread) {
  KeptSure = Confidence::Likely;
  if (!HasStream)
    return true;
  std::optional<Member> M = memberOf(S, Stream, PerThread);
  if (!M)
    return false;
  KeptSure = M->Guess   ? Confidence::Possible
             : M->Maybe ? Confidence::Likely
                        : Confidence::Certain;
  return true;
}

void Engine::keepArgs(Frame &F, const Op &O, State &S,
                      const catalogue::Entry *E, ValueId This,
                      llvm::ArrayRef<ValueId> Args, ValueId Stream,
                      bool HasStream, bool PerThread) {
  if (S.Active.empty() || S.OtherThread || S.InCallback || S.Failing)
    return;
  if (!noteMember(S, Stream, HasStream, PerThread))
    return; // it is not in the graph
  auto Arg = [&](const char *Role, KeptAs As, unsigned Sort) {
    std::optional<int> I = E->arg(Role, Args.size());
    if (!I || *I < 0 || static_cast<size_t>(*I) >= Args.size())
      return;
    const CallArg *A =
        static_cast<size_t>(*I) < O.Args.size() ? &O.Args[*I] : nullptr;
    keep(F, O, S, As, Args[*I], A ? A->Range : Span(),
         A ? placeOf(F, A->Value, S) : None, Sort, E);
  };
  KeptBytes.reset();
  if (std::optional<int> I = E ? E->arg("size", Args.size()) : std::nullopt;
      I && *I >= 0 && static_cast<size_t>(*I) < Args.size())
    KeptBytes = D.asInt(Args[*I]);
  if (O.How == Dispatch::Kernel) {
    for (unsigned I = 0; I < Args.size(); ++I) {
      const CallArg &A = O.Args[I];
      if (A.Sort == CallArg::Class) {
        ValueId V = D[Args[I]].Kind == ValueKind::Addr ? read(S, D[Args[I]].A)
                                                       : Args[I];
        keepStruct(F, O, S, V, A.Range);
      } else if (A.Sort != CallArg::Other) {
        keep(F, O, S, KeptAs::Argument, Args[I], A.Range,
             placeOf(F, A.Value, S), A.Sort);
      }
    }
    return;
  }
  switch (E->Does) {
  case Effect::CopyAsync:
    Arg("dst", KeptAs::Destination, CallArg::Pointer);
    Arg("src", KeptAs::Source, CallArg::Pointer);
    Arg("size", KeptAs::Size, CallArg::Scalar);
    break;
  case Effect::SetAsync:
    Arg("dst", KeptAs::Argument, CallArg::Pointer);
    Arg("size", KeptAs::Size, CallArg::Scalar);
    break;
  case Effect::HostFunction:
    Arg("data", KeptAs::UserData, CallArg::Pointer);
    break;
  case Effect::Launch:
    // A structure with the configuration, and its array of attributes.
    if (std::optional<int> I = E->arg("config", Args.size());
        I && *I >= 0 && static_cast<size_t>(*I) < Args.size() &&
        D[Args[*I]].Kind == ValueKind::Addr) {
      llvm::SmallVector<LocId, 2> Roots{D.root(D[Args[*I]].A)};
      for (unsigned R = 0; R < Roots.size() && R < 3; ++R)
        for (const Memory::Item &Each : Memory(S.Mem)) {
          if (D.root(Each.Key) != Roots[R])
            continue;
          if (D[Each.Data].Kind == ValueKind::Addr)
            Roots.push_back(D.root(D[Each.Data].A));
          std::string Member = nameOf(Each.Key);
          bool Shape = Catalogue.is(catalogue::Role::ConfigShape, Member);
          if (!isIdentity(Each.Data) || D[Each.Data].Kind == ValueKind::Init)
            keep(F, O, S, Shape ? KeptAs::Config : KeptAs::Argument, Each.Data,
                 O.argRange(*I), None, CallArg::Scalar, E);
        }
    }
    // An array of the addresses of the arguments.
    if (std::optional<int> I = E->arg("params", Args.size());
        I && *I >= 0 && static_cast<size_t>(*I) < Args.size() &&
        D[Args[*I]].Kind == ValueKind::Addr) {
      LocId Array = D[Args[*I]].A;
      if (D.at(Array).Kind == LocKind::Elem)
        Array = D.at(Array).A;
      Span Text = O.argRange(*I);
      for (const Memory::Item &Each : Memory(S.Mem))
        if (D.at(Each.Key).Kind == LocKind::Elem && D.at(Each.Key).A == Array &&
            D[Each.Data].Kind == ValueKind::Addr) {
          LocId Place = D[Each.Data].A;
          ValueId V = read(S, Place);
          bool Address = D[V].Kind == ValueKind::Memory;
          keep(F, O, S, KeptAs::Argument, V, Text, Place,
               Address ? CallArg::Pointer : CallArg::Scalar, E);
        }
      break;
    }
    [[fallthrough]];
  case Effect::StreamWork:
  case Effect::LibraryCall: {
    for (const char *Role : {"alpha", "beta"}) {
      std::optional<int> I = E->arg(Role, Args.size());
      if (!I || *I < 0 || static_cast<size_t>(*I) >= Args.size() ||
          D[Args[*I]].Kind != ValueKind::Addr ||
          holds(O, S, *E, catalogue::Condition::DeviceResult, This, Args,
                Stream, PerThread) == true)
        continue;
      LocId Place = D[Args[*I]].A;
      keep(F, O, S, KeptAs::Scalar, read(S, Place), O.argRange(*I), Place,
           CallArg::Scalar, E);
    }
    for (unsigned I = 0; I < Args.size() && I < O.Args.size(); ++I) {
      if (E->arg("alpha", Args.size()) == static_cast<int>(I) ||
          E->arg("beta", Args.size()) == static_cast<int>(I) ||
          E->arg("handle", Args.size()) == static_cast<int>(I) ||
          E->arg("config", Args.size()) == static_cast<int>(I) ||
          E->arg("func", Args.size()) == static_cast<int>(I))
        continue;
      bool Number = O.Args[I].Sort == CallArg::Scalar;
      if (Number || O.Args[I].Sort == CallArg::Pointer)
        keep(F, O, S,
             Number && E->Does == Effect::LibraryCall ? KeptAs::Size
                                                      : KeptAs::Argument,
             Args[I], O.Args[I].Range, placeOf(F, O.Args[I].Value, S),
             O.Args[I].Sort, E);
    }
    break;
  }
  default:
    break;
  }
}

void Engine::keepBranch(Frame &F, const Op &O, State &S, ValueId Cond) {
  if (S.OtherThread || S.InCallback)
    return;
  keep(F, O, S, KeptAs::Branch, Cond, O.Range, None, CallArg::Scalar);
}

/// Operators of a framework in a region: their tensors' memory is kept, and the
/// numbers that they are given.
void Engine::keepTensors(Frame &F, const Op &O, State &S, FunctionId Callee,
                         ValueId This, llvm::ArrayRef<ValueId> Args) {
  if (S.Active.empty() || S.OtherThread || S.InCallback || S.Failing)
    return;
  const catalogue::RoleSet Roles = Rel.rolesOf(Callee);
  if (!Roles.has(catalogue::Role::TensorUser))
    return;
  KeptSure = Confidence::Likely;
  auto Tensor = [&](ValueId V, Span Text) {
    if (V == None || D[V].Kind != ValueKind::Addr)
      return;
    LocId L = D[V].A;
    ValueId Held = read(S, L);
    if (D.at(L).Kind == LocKind::Field || D.at(L).Kind == LocKind::Global)
      keep(F, O, S, KeptAs::Argument, Held, Text, L, CallArg::Tensor);
  };
  if (Roles.has(catalogue::Role::Tensor))
    Tensor(This, O.ObjectRange);
  for (unsigned I = 0; I < Args.size() && I < O.Args.size(); ++I)
    if (O.Args[I].Sort == CallArg::Tensor)
      Tensor(Args[I], O.Args[I].Range);
    else if (O.Args[I].Sort == CallArg::Scalar && O.Args[I].Range.Begin)
      if (D.isMeasured(Args[I]))
        reportVarying(F, O, S, Args[I], "size", nullptr);
}

} // namespace cudagraph
