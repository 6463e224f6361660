//===- RetainedValues.cpp - Records retained values -----------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The origin of a number or an address: see NodeTable.h.
//
//===----------------------------------------------------------------------===//

#include "NodeModel.h"
#include "Slots.h"
#include "TensorOwners.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

/// The variable, member, or global that \p E reads; a parameter is the value
/// that the caller passed. None if it is computed.
LocId NodeModel::placeOf(const Frame &F, ExprId Id, State &S) {
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
  // The targets of variables of callers are unknown here.
  for (ExprId Base = P;; Base = G.Exprs[Base].A) {
    const Expr &E = G.Exprs[Base];
    if (E.Kind == ExprKind::Field)
      continue;
    bool Named =
        E.Kind == ExprKind::Var || E.Kind == ExprKind::Global ||
        (E.Kind == ExprKind::Deref && G.Exprs[E.A].Kind == ExprKind::This);
    return Named ? Use.Calls.evalPlace(F, P, S) : None;
  }
}

/// The member or global whose contents met at the join \p Phi, or None.
LocId NodeModel::metAt(ValueId Phi) const {
  const ValueNode N = D[Phi];
  bool Selected = (N.N & 15) == 5; // ?: has a condition instead
  if (N.Kind != ValueKind::Phi || Selected || N.A == None)
    return None;
  LocKind K = D.at(N.A).Kind;
  return K == LocKind::Field || K == LocKind::Global ? N.A : None;
}

/// True if \p V is a constant, which does not depend on a parameter.
static bool isConstant(const Domain &D, ValueId V) {
  bool Constant = true;
  D.visitTree(V, [&](ValueId Part) {
    Constant &= D[Part].Kind == ValueKind::Op || D[Part].Kind == ValueKind::Int;
  });
  return Constant;
}

/// Finds the parameters, of the active functions, that determined \p K.
void NodeModel::findDependencies(const Frame &Innermost, Retained &K) {
  for (const Frame *A = &Innermost; A; A = A->Parent)
    for (unsigned I = 0; I < A->Params.size(); ++I) {
      ValueId P = A->Params[I];
      const LocalVar &Var = A->Graph->Vars[I];
      ValueKind Kind = D[P].Kind;
      if (Var.IsStream || Kind == ValueKind::Int ||
          Kind == ValueKind::Function || Kind == ValueKind::Closure ||
          Kind == ValueKind::Addr || Kind == ValueKind::Stream ||
          isConstant(D, P))
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
        K.Dependencies.push_back({A->Function, I, Part});
    }
}

/// The contents of \p Place, a member of a parameter. An outer function has
/// passed what an inner one has received.
ValueId NodeModel::passedValue(const State &S, const Retained &K,
                               LocId Place) const {
  ValueId V = read(D, S, Place);
  for (const Retained::Input &I : K.Inputs)
    if (!D.isNumbers(V) && nameOfPlace(D, I.Place) == nameOfPlace(D, Place))
      V = read(D, S, I.Place);
  return V;
}

/// The contents of \p Place, which is part of an object that the function of
/// \p Outer received. The state of a callee does not contain objects that the
/// callee cannot reach, but its parameters contain their numbers.
ValueId NodeModel::numberAt(const Node &N, const Frame &Outer, LocId Place) {
  ValueId V = read(D, N.S, Place);
  for (const Frame *B = &N.F; !D.isNumbers(V) && B && B != &Outer;
       B = B->Parent)
    for (unsigned I = 0; B->CallSite && B->Parent && I < B->Params.size() &&
                         I < B->CallSite->Args.size();
         ++I) {
      ExprId Arg = B->CallSite->Args[I].Value;
      if (!D.isNumbers(B->Params[I]) || Arg == None ||
          B->Parent->Graph->Exprs[Arg].Kind != ExprKind::Load)
        continue;
      if (llvm::any_of(
              Sources.of(*B->Parent, Arg, N.S),
              [&](const Inputs::Input &From) { return From.Place == Place; }))
        V = B->Params[I];
    }
  return V;
}

/// Records the number passed for \p From, if it is a parameter of an active
/// function, or a member of an object that is passed for one.
void NodeModel::notePassed(const Node &N, const Retained &K,
                           Retained::Input &From) {
  auto Note = [&](LocId Param, LocId At, ValueId V) {
    // A caller that is not visible passes it.
    if (D[V].Kind == ValueKind::Init && At != Param)
      return;
    auto &All = Nodes.Passed[At];
    if (All.empty())
      Nodes.PassedIn[Param].push_back(At);
    std::pair<CaptureId, ValueId> Given(K.Capture, V);
    if (!llvm::is_contained(All, Given))
      All.push_back(Given);
  };
  for (const Frame *A = &N.F; A; A = A->Parent)
    for (unsigned I = 0; I < A->Params.size(); ++I) {
      LocId Param = D.loc(LocKind::Var, I, A->Function);
      ValueId Given = A->Params[I];
      if (From.Place == Param) {
        Note(Param, Param, Given);
        continue;
      }
      if (D.root(From.Place) == Param) {
        Note(Param, From.Place, passedValue(N.S, K, From.Place));
        continue;
      }
      std::optional<LocId> Same =
          D[Given].Kind == ValueKind::Addr && A->Graph->Vars[I].ReadOnly
              ? samePartOf(D, From.Place, D[Given].A, Param)
              : std::nullopt;
      if (!Same || *Same == Param)
        continue;
      Note(Param, *Same, numberAt(N, *A, From.Place));
      From.Passed.push_back(*Same);
    }
}

/// Records the parameters of the root that determine the number \p K.
void NodeModel::noteFrozen(const Frame &Innermost, const Retained &K) {
  const Frame &Root = Innermost.root();
  auto Note = [&](FunctionId In, unsigned Param) {
    if (In == Root.Function && Param < Root.Graph->NumParams &&
        Root.Graph->Vars[Param].IsNumber)
      Result.Frozen.insert(Param);
  };
  for (const Retained::Dependency &Dependency : K.Dependencies)
    Note(Dependency.Of, Dependency.Param);
  for (const Retained::Input &Each : K.Inputs)
    if (Each.Place != None)
      if (const LocNode L = D.at(D.root(Each.Place)); L.Kind == LocKind::Var)
        Note(L.A, L.N);
}

/// Determines the target of the address \p V of \p K. \returns false if the
/// node retains nothing whose lifetime could end.
bool NodeModel::describe(Retained &K, ValueId V) {
  if (D[V].Kind != ValueKind::Addr) {
    K.Use.OnDevice = K.Use.As == RetainedAs::Argument;
    return !Nodes.Inside.contains(K.Value);
  }
  LocId L = D[V].A;
  while (D.at(L).Kind == LocKind::Field) // a member of an element
    L = D.at(L).A;
  while (D.at(L).Kind == LocKind::Elem) {
    L = D.at(L).A;
    K.Holder = L;
  }
  LocId Object = D.root(D[V].A);
  if (!K.Rebinds) // the memory of a tensor may have other references
    K.Root = Object;
  const LocNode Root = D.at(Object);
  bool Owner = false;
  if (Root.Kind == LocKind::Var)
    if (const FlowGraph *G = Table.graph(Root.A))
      Owner = static_cast<size_t>(Root.N) < G->Vars.size() &&
              G->Vars[Root.N].OwnsDevice;
  K.Use.OnDevice = Owner || K.Use.As == RetainedAs::Argument;
  // Passing an address of host memory to a kernel is a different problem.
  if (K.Use.As == RetainedAs::Argument && !Owner &&
      Root.Kind != LocKind::Pointee && D.text(Root.S) != "heap")
    return false;
  // Objects created during the capture belong to it.
  return !Owner || !Nodes.Inside.contains(D.value(ValueKind::Addr, 0, Object));
}

/// True if \p L is part of an object, and nothing shows that it is an element
/// that a container stores elsewhere. \p Elements: see Origin::Within.
bool NodeModel::isWithin(LocId L, unsigned Elements) const {
  for (; D.at(L).Kind == LocKind::Field || D.at(L).Kind == LocKind::Elem;
       L = D.at(L).A)
    if (D.at(L).Kind == LocKind::Elem && Elements-- == 0)
      return false;
  const LocNode Root = D.at(L);
  return (Root.Kind == LocKind::Var || Root.Kind == LocKind::Temp) &&
         D.text(Root.S) != "heap";
}

/// A copy from a local variable is an error on any stream for which the
/// function does not wait: the copy reads the variable on each replay, or is
/// not in the graph.
Evidence NodeModel::streamEvidence(Retained &K, const Node &N) const {
  if (N.Stream != Evidence::GuessedStream || K.Use.As != RetainedAs::Source ||
      !N.FromHost || K.Root == None)
    return N.Stream;
  const LocNode Root = D.at(K.Root);
  if ((Root.Kind != LocKind::Var && Root.Kind != LocKind::Temp) ||
      D.text(Root.S) == "heap")
    return N.Stream;
  K.Use.Guessed = true;
  return Evidence::GuessedCopy;
}

/// True if \p O, a kernel launch, may write to the memory of the argument at \p
/// Text, according to the body of the kernel or, without one, its parameter.
static bool mayWrite(Program &Table, const Op &O, Span Text) {
  auto It = llvm::find_if(
      O.Args, [&](const CallArg &A) { return A.Range.Begin == Text.Begin; });
  return It != O.Args.end() && It->Written &&
         (It->Stored || O.Callee == None || !Table.info(O.Callee).HasBody);
}

/// True if \p V is one of several allocations, or null.
static bool isAnyMemory(const Domain &D, ValueId V) {
  return !D.overflowed(V) && !D.candidates(V).empty() &&
         llvm::all_of(D.candidates(V), [&](ValueId Each) {
           return D[Each].Kind == ValueKind::Memory || D.asInt(Each) == 0;
         });
}

/// Records that the node \p N retains \p V; \p Sort as in CallArg.
void NodeModel::keep(const Node &N, RetainedAs As, ValueId V, Span Text,
                     Origin From, unsigned Sort) {
  if (V == None || Nodes.Arguments.size() >= MaxRetained)
    return;
  ValueId Several = D[V].Kind == ValueKind::Addr ? baseOf(D, V) : V;
  if (D[Several].Kind == ValueKind::Phi && Sort == CallArg::Pointer &&
      (Several == V || isAnyMemory(D, Several))) {
    for (ValueId Each : choicesOf(D, Several))
      keep(N, As, Each, Text,
           {From.Place == None ? metAt(Several) : From.Place, From.From,
            From.Part},
           Sort);
    return;
  }
  LocId Place = From.Place;
  const Op &O = N.O;
  Retained K;
  K.Capture = N.S.Active.back();
  K.Use.As = As;
  K.Place = Place;
  K.Part = From.Part;
  bool Address = Sort == CallArg::Pointer || Sort == CallArg::Tensor;
  K.Rebinds =
      Sort == CallArg::Tensor || (Address && D[V].Kind == ValueKind::Addr &&
                                  D.at(D[V].A).Kind == LocKind::Field &&
                                  D.text(D.at(D[V].A).S) == TensorMemory);
  K.Value = Address ? baseOf(D, V) : V;
  if (Address && D.asInt(K.Value))
    return;
  if (!Address && D.asInt(K.Value) && Place == None && From.From.empty())
    return;
  if (!Nodes.Ids
           .insert({O.Range.Begin, static_cast<unsigned>(As), K.Capture,
                    Text.Begin, K.Value, Place})
           .second)
    return;
  K.At = Facts.at(N.F, O, N.S, K.Capture);
  K.At.Api = N.Api;
  K.Use.Bytes = N.Bytes;
  K.Use.IsPointer = Address;
  K.At.Callee = N.Api && O.How != Dispatch::Kernel ? N.Api->Name
                : O.Callee == None || As == RetainedAs::Branch
                    ? ""
                    : Table.info(O.Callee).Name;
  K.Text = llvm::StringRef(Table.text(Text)).ltrim('&').str();
  K.MayWrite = As == RetainedAs::Destination ||
               (O.How == Dispatch::Kernel && mayWrite(Table, O, Text));
  if (Address && !describe(K, V))
    return;
  if (K.Rebinds && As == RetainedAs::Source && N.FromHost)
    K.Root = ownerOfTensor(D, N.F, N.S, D.root(D[V].A));
  if (As != RetainedAs::Branch)
    K.At.restOn(streamEvidence(K, N));
  if (Address)
    Slots(Use, Nodes).keep(K, V);
  K.Within = K.Root != None && isWithin(D[V].A, From.Within);
  // The current location of the elements.
  if (K.Holder != None && !areElsewhere(Nodes, N.F, K.Holder))
    N.S.Gone.erase(keyOfObject(K.Holder));
  if (Place != None && llvm::none_of(From.From, [&](const Inputs::Input &I) {
        return I.Place == Place;
      }))
    From.From.insert(From.From.begin(), {Place});
  if (auto It = Nodes.TakenFrom.find(K.Value);
      It != Nodes.TakenFrom.end() && It->second.second)
    From.From.push_back(
        {It->second.first, false, false, false, It->second.second});
  for (const Inputs::Input &I : From.From) {
    K.Inputs.push_back({I, {}, isRenewed(D, N.S, I.Place), {}});
    const LocNode Root = D.at(D.root(I.Place));
    if (Root.Kind == LocKind::Var) {
      auto &All = Nodes.InputsIn[Root.A];
      if (All.empty() || All.back() != Nodes.Arguments.size())
        All.push_back(Nodes.Arguments.size());
    }
    Nodes.InputRoots.insert(D.root(I.Place));
    Nodes.InputNames.insert(nameOfPlace(D, I.Place));
    Nodes.InputPlaces.insert(I.Place);
    for (LocId L = I.Place;
         D.at(L).Kind == LocKind::Field || D.at(L).Kind == LocKind::Elem;
         L = D.at(L).A)
      Nodes.InputOwners.insert(D.at(L).A);
    notePassed(N, K, K.Inputs.back());
  }
  findDependencies(N.F, K);
  if (!Address && As != RetainedAs::Branch)
    noteFrozen(N.F, K);
  if (As == RetainedAs::Config || As == RetainedAs::Size)
    for (const Retained::Dependency &Each : K.Dependencies)
      Nodes.Shapes.insert({Each.Of, Each.Param});
  if (!frozen(K))
    passed(K, N, From.Member);
  if (Address)
    grows(K, N.S);
  index(K, Address);
  Nodes.Arguments.push_back(std::move(K));
}

/// Identifies \p K, the next entry of the table, by the retained value.
void NodeModel::index(const Retained &K, bool Address) {
  unsigned Index = Nodes.Arguments.size();
  if (K.Root != None) {
    auto [It, New] = Nodes.In.try_emplace(K.Root);
    It->second.push_back(Index);
    const LocNode Root = D.at(K.Root);
    if (New && (Root.Kind == LocKind::Var || Root.Kind == LocKind::Temp) &&
        D.text(Root.S) != "heap")
      Nodes.EndingIn[Root.A].push_back(K.Root);
  }
  if (K.Holder != None)
    Nodes.Holders[K.Holder].push_back(Index);
  if (Address)
    Nodes.Values[K.Value].push_back(Index);
}

/// Records a structure that is passed by value: its members are arguments.
void NodeModel::retainStruct(const Node &N, ValueId V, Span Text,
                             const Origin &From) {
  const ValueNode Whole = D[V];
  if (Whole.Kind != ValueKind::CopyOf && Whole.Kind != ValueKind::Init) {
    keep(N, RetainedAs::Argument, V, Text, {None, From.From, ""},
         CallArg::Scalar);
    return;
  }
  LocId Root = Whole.A;
  unsigned Members = 0;
  for (const Memory::Item &I : Memory(N.S.Mem)) {
    LocId P = I.Key;
    while (P != Root &&
           (D.at(P).Kind == LocKind::Field || D.at(P).Kind == LocKind::Elem))
      P = D.at(P).A;
    if (P != Root || I.Key == Root || ++Members > 32)
      continue;
    bool Address = D[I.Data].Kind == ValueKind::Addr ||
                   D[I.Data].Kind == ValueKind::Memory;
    keep(N, RetainedAs::Argument, I.Data, Text,
         {None, From.From, "", 0, W.nameOf(I.Key)},
         Address ? CallArg::Pointer : CallArg::Scalar);
  }
  if (!Members)
    keep(N, RetainedAs::Argument, V, Text, {None, From.From, ""},
         CallArg::Scalar);
}

} // namespace cudagraph
