//===- StaleValues.cpp - Changes of retained values by other code ---------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A node retains a number or an address. The effects of other code on the
// member or global that contains it are known without a walk: the code sets it,
// updates it as a counter, or frees and replaces its target (Relevance.h).
//
//===----------------------------------------------------------------------===//

#include "NodeModel.h"
#include "SeedOrigins.h"

namespace cudagraph {

/// True if \p L is a member that is set when its object is created, and never
/// again: without the graph, each call would use the same value.
bool NodeModel::isMadeOnce(LocId L) const {
  if (L == None || D.at(L).Kind != LocKind::Field ||
      D.slotAt(L) != Slot::None || isSynthetic(D.text(D.at(L).S)))
    return false;
  const WriteSummary *Writes = Rel.writes(D.text(D.at(L).S));
  return Writes && Writes->Setters.empty() && Writes->Steppers.empty() &&
         Writes->Parts.empty() && !Writes->DeviceCopy &&
         !Writes->DeviceTarget && !Writes->ReadModifyWrite;
}

/// Handles an argument that differs between replays for known reasons.
/// Variations::report() reports sizes and configurations. \returns true if
/// there are such reasons.
bool NodeModel::frozen(const Retained &K) {
  bool Decides = isChoice(K) || K.Part == "switch";
  if (K.Use.As != RetainedAs::Argument && K.Use.As != RetainedAs::Scalar &&
      K.Use.As != RetainedAs::Source && !Decides)
    return false;
  if (K.Rebinds)
    return false;
  auto Report = [&](Variation Why, const Variations::Source &From) {
    // The size of the launch, which comes from the same value, is reported
    // instead.
    if (!K.Use.IsPointer && Use.Varies.sizeVaries(K.At.Range, From.Where))
      return;
    // An address that is advanced step by step belongs to an allocator; one
    // that is swapped with another belongs to a pair of buffers.
    const WriteSummary *Writes = Rel.writes(From.Name);
    bool Turns = K.Use.IsPointer && Writes && Writes->TakesTurns;
    if (K.Use.IsPointer && Why != Variation::Setter && !Turns)
      return;
    Fact R = K.At;
    VaryingValue &Value = becomeVarying(R, K);
    Value.Why = Why;
    Value.Where = From.Where;
    Value.In = From.In;
    Value.Call = From.Call;
    Value.CallIn = From.CallIn;
    R.restOn(Decides ? Evidence::VaryingBranch : Evidence::VaryingValue);
    if (Why == Variation::Setter || Why == Variation::HostState)
      Facts.Later.Stepping.push_back(
          {std::move(R), From.Name, From.With, Turns, From.At, From.ByPath});
    else
      Facts.Later.Unupdated.push_back(std::move(R));
  };
  Variations::Source Read;
  Read.In = K.At.Function;
  if (std::optional<Variation> Why = Use.Varies.measured(K.Value, Read);
      Why && !isMadeOnce(K.Place)) {
    Report(*Why, Read);
    return true;
  }
  llvm::SmallVector<LocId, 4> Places;
  for (const Retained::Input &I : K.Inputs)
    Places.push_back(I.Place);
  if (isChecked(K))
    return false;
  std::vector<Variations::Changed> Changes = Use.Varies.states(K.Value, Places);
  for (const Variations::Changed &Each : Changes)
    Report(Each.Why, Each.From);
  return !Changes.empty();
}

/// True if the argument \p Name of \p N seeds a generator, according to its
/// name. The source of the kernel is elsewhere, and no other memory argument
/// may contain a state that advances.
bool NodeModel::seeds(const Node &N, llvm::StringRef Name) const {
  using catalogue::Role;
  if (N.O.How != Dispatch::Kernel || N.O.Callee == None ||
      Table.info(N.O.Callee).HasBody ||
      !W.Catalogue.is(Role::SeedName, Name.str()))
    return false;
  return llvm::none_of(N.O.Args, [&](const CallArg &A) {
    return A.Sort == CallArg::Pointer &&
           W.Catalogue.is(Role::SeedMemory, std::string(Table.text(A.Range)));
  });
}

/// Handles a number, or an address of host memory, from a parameter of captured
/// code with unseen callers, such as the operator of a framework or a library
/// function.
void NodeModel::passed(const Retained &K, const Node &N,
                       const std::string &Member) {
  const CaptureRecord &R = Result.Captures[K.Capture];
  bool Number = !K.Use.IsPointer && (K.Use.As == RetainedAs::Argument ||
                                     K.Use.As == RetainedAs::Scalar);
  bool Memory = K.Use.IsPointer && K.Use.As == RetainedAs::Source && N.FromHost;
  if ((!Number && !Memory) || !isAssumed(R.Root) ||
      R.Root == RootKind::Annotation)
    return;
  bool Computed = false; // from more than numbers
  D.visitTree(K.Value, [&](ValueId Part) {
    Computed |= D[Part].Kind == ValueKind::Op && D.text(D[Part].S) == "library";
  });
  if (Computed)
    return;
  for (const Retained::Dependency &Each : K.Dependencies) {
    bool Whole = D[Each.Part].Kind == ValueKind::Init &&
                 D.at(D[Each.Part].A).Kind == LocKind::Var;
    if (Each.Of != R.Home || !Whole ||
        Nodes.Shapes.count({Each.Of, Each.Param}))
      continue;
    const LocalVar &Var = Table.graph(R.Home)->Vars[Each.Param];
    if (Number && !Var.IsNumber)
      continue;
    Fact Found = K.At;
    if (Memory) {
      auto &Unseen = Found.become<FactKind::Dangles>();
      Unseen.Use = K.Use;
      Unseen.How = Ending::Unseen;
      Unseen.Object = Var.Name;
      Unseen.In = R.Home;
      Found.restOn(Evidence::CallersMemory);
      return Facts.record(std::move(Found));
    }
    VaryingValue &Value = becomeVarying(Found, K);
    Value.Why = Variation::Passed;
    Value.In = R.Home;
    Value.Name = Var.Name;
    if (!Member.empty())
      Value.Argument = Member;
    Value.Seeds = K.Use.As == RetainedAs::Argument && seeds(N, *Value.Argument);
    if (Value.Seeds)
      noteSeedOrigin(W, N.F, Found);
    Found.restOn(Value.Seeds ? Evidence::PassedSeed : Evidence::PassedNumber);
    return Facts.record(std::move(Found));
  }
}

/// The names of the member or global \p L, and of the objects that contain it,
/// from the inside out.
llvm::SmallVector<std::string, 3> NodeModel::pathOf(LocId L) const {
  llvm::SmallVector<std::string, 3> Path;
  for (LocId P = L; P != None && Path.size() < 3;) {
    const LocNode N = D.at(P);
    bool Object = D.slotAt(P) == Slot::This;
    if (!Object && (N.Kind == LocKind::Field || N.Kind == LocKind::Global))
      Path.push_back(D.text(N.S).str());
    if (N.Kind == LocKind::Field || N.Kind == LocKind::Elem)
      P = N.A;
    else if (N.Kind == LocKind::Pointee && D[N.A].Kind == ValueKind::Init)
      P = D[N.A].A; // a member may own its target
    else if (N.Kind == LocKind::Pointee)
      P = metAt(N.A);
    else
      break;
  }
  return Path;
}

/// True if the program compares the place from which it reads the address in \p
/// K before it begins a capture.
bool NodeModel::isChecked(const Retained &K) const {
  return K.Use.IsPointer &&
         llvm::any_of(K.Inputs, [&](const Retained::Input &I) {
           const WriteSummary *Writes =
               Rel.writes(D.text(nameOfPlace(D, I.Place)));
           return Writes && Writes->IsKey;
         });
}

/// True if \p Adds is in a lambda and returns memory to the pool \p Name, from
/// which the address in \p K was taken, and if no capture depends on the owner.
/// An owner that is a member, or a variable of a function around the capture,
/// keeps the memory.
bool NodeModel::isReturned(const Retained &K, const WriteSummary::Change &Adds,
                           llvm::StringRef Name) const {
  const WriteSummary *Pool = Rel.writes(Name);
  if (K.Place != None && !isOfSomeElement(D, K.Place)) {
    const LocNode Root = D.at(D.root(K.Place));
    if (Root.Kind != LocKind::Var || !W.isInRegion(Root.A))
      return false;
  }
  return Pool && Table.info(Adds.In).IsLambda &&
         llvm::any_of(Pool->Calls,
                      [&](const WriteSummary::Use &U) {
                        const catalogue::Entry *E = Rel.entryFor(U.Callee);
                        return E && E->arg("removes");
                      }) &&
         !isChecked(K);
}

/// Handles memory that another function frees and replaces during the lifetime
/// of the graph.
void NodeModel::grows(const Retained &K, const State &S) {
  // The container of the memory, which is part of a member.
  LocId L = K.Place;
  bool Container = K.Holder != None && (D.at(K.Holder).Kind == LocKind::Field ||
                                        D.at(K.Holder).Kind == LocKind::Global);
  if (Container)
    L = K.Holder;
  else if (D[K.Value].Kind == ValueKind::Init)
    L = D[K.Value].A;
  else if (auto From = Nodes.TakenFrom.find(K.Value);
           From != Nodes.TakenFrom.end())
    L = From->second.first;
  else if (D[K.Value].Kind == ValueKind::Memory)
    for (const Memory::Item &I : S.Mem)
      if (I.Data == K.Value && D.at(I.Key).Kind == LocKind::Field)
        L = I.Key;
  // An accessor returned it.
  if (L == None && D[K.Value].Kind == ValueKind::Memory)
    for (const Retained::Input &I : K.Inputs)
      if (D.at(I.Place).Kind == LocKind::Field && !I.ByKey) {
        L = I.Place;
        break;
      }
  // Captured code that allocates memory and frees it creates a node for each
  // operation.
  bool OfGraph = D[K.Value].Kind == ValueKind::Memory &&
                 (D[K.Value].A != None || D[K.Value].B == PerhapsOfGraph);
  bool IsElement =
      !Container && L != None && D.at(L).Kind == LocKind::Elem &&
      (D[K.Value].Kind == ValueKind::Init || Nodes.TakenFrom.count(K.Value));
  llvm::SmallVector<std::string, 3> Path = pathOf(L);
  auto Add = [&](const WriteSummary::Change &Each, llvm::StringRef Name,
                 bool Elsewhere, bool Rebinds) {
    Fact R = K.At;
    auto &Memory = R.become<FactKind::Grows>();
    Memory.Use = K.Use;
    Memory.How = Elsewhere     ? Ending::Moved
                 : Each.Pooled ? Ending::Recycled
                               : Ending::Replaced;
    Memory.Object = Name.substr(Name.rfind(':') + 1).str();
    Memory.Rebinds = Rebinds;
    Memory.Where = R.Range;
    Memory.In = R.Function;
    R.Range = Each.Where;
    R.Function = Each.In;
    R.restOn(Evidence::ReplacedMemory);
    Facts.Later.Growing.emplace_back(
        std::move(R), Nodes.Whole && isClosed(D, Nodes, L) ? L : None);
  };
  for (unsigned I = 0; I < Path.size(); ++I) {
    const WriteSummary *Writes = Rel.writes(Path[I]);
    if (!Writes)
      continue;
    // A whole container, or owner, that is assigned.
    if (I == 0 && (Container || K.Rebinds) && livesWithGraph(D, L))
      for (const WriteSummary::Change &Each : Writes->Setters)
        if (Rel.keepsGraphs(Each.In))
          Add(Each, Path[I], !K.Use.OnDevice, K.Use.OnDevice);
    for (const WriteSummary::Change &Each : Writes->Growers) {
      if (!Each.Part.empty() && (I == 0 || Path[I - 1] != Each.Part))
        continue;
      // If an element is, or contains, an address, the element moves, but its
      // target does not. However, the deleter of its owner returns the target
      // to a pool.
      bool Target = I > 0 ? K.Use.OnDevice || !Container
                          : IsElement && !isReturned(K, Each, Path[I]);
      if (Each.Stays || (Target && Each.Elsewhere) ||
          (OfGraph && W.isInRegion(Each.In)))
        continue;
      const FunctionInfo &Info = Table.info(Each.In);
      bool OfPart = I + 1 < Path.size() && !Info.Class.empty() &&
                    llvm::StringRef(Path[I]).starts_with(Info.Class + "::");
      if (!OfPart) {
        if (Rel.keepsGraphs(Each.In))
          Add(Each, Path[I], Each.Elsewhere, Each.Rebinds);
        continue;
      }
      // There is only one such object, for any caller of the method.
      if (!llvm::StringRef(Path[I + 1]).contains("::") ||
          D.at(D.root(L)).Kind == LocKind::Global) {
        if (Rel.keepsGraphs(Each.In))
          Add(Each, Path[I], Each.Elsewhere, Each.Rebinds);
        continue;
      }
      // A method of the part: finds its callers on this object.
      if (const WriteSummary *Outer = Rel.writes(Path[I + 1]))
        for (const WriteSummary::Use &Call : Outer->Calls)
          if (Call.Callee == Each.In && Rel.keepsGraphs(Call.In))
            Add(Each, Path[I + 1], Each.Elsewhere, Each.Rebinds);
    }
  }
}

} // namespace cudagraph
