//===- Scan.cpp - The effects of one function itself ----------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One pass over the operations of a function, regardless of flow: its calls,
// the names it mentions, its writes, and which of them matter to captures.
//
//===----------------------------------------------------------------------===//

#include "FreshObjects.h"
#include "Places.h"
#include "Relevance.h"
#include "WholeObjects.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

namespace cudagraph {

using catalogue::Effect;

class Relevance::Scan {
public:
  Scan(Relevance &R, FunctionId F, const FlowGraph &G,
       std::vector<FunctionId> &Work)
      : R(R), F(F), G(G), Work(Work), Constructs(R.Table.info(F).IsConstructor),
        Built(Constructs || R.isConstruction(F)), Fresh(R, G) {}

  void run();

private:
  void reach(FunctionId Callee, bool Calls = true);
  void noteNames();
  void noteMentioned();
  void noteWritten(const Op &O);
  void noteStored(const Op &O, const std::string &Key);
  void noteCallable(const std::string &Key, FunctionId Callable);
  void noteSize(const Op &O);
  void noteCalled(const Op &O);
  void noteObjectAssigned(const Op &O);
  void noteMemory(const Op &O, const catalogue::Entry &E);
  void noteEffect(const Op &O, const catalogue::Entry &E);
  void noteStreamMade(const Op &O, const catalogue::Entry &E);
  void noteFreed(ExprId Pointer, Span Where);
  FunctionId callableIn(ExprId V) const;

  Relevance &R;
  const FunctionId F;
  const FlowGraph &G;
  std::vector<FunctionId> &Work;
  const bool Constructs, Built;
  uint16_t Bits = 0;
  llvm::DenseMap<ExprId, FunctionId> Held; ///< lambdas in temporaries
  /// Memory that is freed here, and members that receive new memory.
  llvm::StringMap<Span> Freed;
  llvm::StringSet<> Given;
  llvm::DenseSet<int64_t> Pooled; ///< results that are streams of a pool
  /// Results that are the size of a member or global.
  llvm::DenseMap<int64_t, std::string> Sizes;
  const FreshObjects Fresh;
};

void Relevance::scan(FunctionId F, const FlowGraph &G,
                     std::vector<FunctionId> &Work) {
  Scan(*this, F, G, Work).run();
}

/// \p Calls: the callee is called, not only mentioned.
void Relevance::Scan::reach(FunctionId Callee, bool Calls) {
  R.connect(F, Callee, Calls);
  Work.push_back(Callee);
}

/// Records the members and globals that the function mentions or reads.
void Relevance::Scan::noteNames() {
  auto Note = [&](llvm::StringRef Name) {
    if (auto [It, New] = R.NameIds.try_emplace(Name, R.NameIds.size()); New)
      R.NameTexts.push_back(It->getKey());
    R.Names[F].set(R.NameIds.lookup(Name));
  };
  for (const Expr &E : G.Exprs)
    if (E.Kind == ExprKind::Field || E.Kind == ExprKind::Global ||
        (E.Kind == ExprKind::Op && E.S == LastOwnerOp))
      Note(E.S);
  eachWholeObject(R.Table, G, Note);
  for (unsigned Name : R.Names[F])
    R.OwnNames[F].push_back(Name);
  if (!Constructs && !R.Table.info(F).IsDestructor)
    R.scanReaders(F, G);
}

/// Records the mentioned functions and lambdas, which other code may call.
void Relevance::Scan::noteMentioned() {
  for (const Expr &E : G.Exprs) {
    auto Mentioned = static_cast<FunctionId>(E.N);
    if ((E.Kind != ExprKind::Function && E.Kind != ExprKind::Closure) ||
        Mentioned == None)
      continue;
    reach(Mentioned, /*Calls=*/false);
    if (E.Kind == ExprKind::Closure)
      for (FunctionId Instance : R.overridersOf(Mentioned))
        reach(Instance, /*Calls=*/false);
    const catalogue::Entry *Api = R.entryFor(Mentioned);
    if (Api && boundsCapture(Api->Does))
      Bits |= Opens | Unknown;
  }
}

FunctionId Relevance::Scan::callableIn(ExprId V) const {
  const Expr &E = G.Exprs[V];
  if (E.Kind == ExprKind::Function || E.Kind == ExprKind::Closure)
    return static_cast<FunctionId>(E.N);
  if (E.Kind == ExprKind::Load)
    if (auto It = Held.find(E.A); It != Held.end())
      return It->second;
  return None;
}

void Relevance::Scan::noteFreed(ExprId Pointer, Span Where) {
  if (unsigned Param = paramIn(G, Pointer); Param != None)
    R.FreedParams.push_back({F, Param});
  bool Through = false;
  if (const std::string *Key = namedBy(G, Pointer, Through);
      Key && Through && !Fresh.has(G.Exprs[Pointer].A))
    Freed.try_emplace(*Key, Where);
}

void Relevance::Scan::noteWritten(const Op &O) {
  FunctionId Callable = callableIn(O.Value);
  if (isCallableType(G.Exprs[O.Place])) {
    if (Callable != None)
      noteCallable(G.Exprs[O.Place].S, Callable);
    return;
  }
  if (Callable != None)
    Held[O.Place] = Callable;
  if (isLocalPlace(G, O.Place)) {
    // The object that contains it may be copied anywhere.
    const Expr &To = G.Exprs[O.Place];
    if (Callable != None && To.Kind == ExprKind::Field && !isSynthetic(To.S) &&
        !catalogue::Catalogue::builtin().is(
            catalogue::Role::StandardNamespace,
            llvm::StringRef(To.S).take_front(To.S.find("::"))))
      noteCallable(To.S, Callable);
    return;
  }
  Bits |= Defines;
  if (O.Kind == OpKind::Modify)
    Bits |= Effects;
  StateOf{R, F, G}.noteParts(O, Built || Fresh.has(O.Place));
  if (const std::string *Key = writeKey(G, O.Place))
    noteStored(O, *Key);
}

/// Records that \p Callable is stored in the member or global \p Key.
void Relevance::Scan::noteCallable(const std::string &Key,
                                   FunctionId Callable) {
  std::vector<FunctionId> &All = R.Writes[Key].Callables;
  if (!llvm::is_contained(All, Callable))
    All.push_back(Callable);
}

/// Records the contents of the member or global \p Key.
void Relevance::Scan::noteStored(const Op &O, const std::string &Key) {
  WriteSummary &W = R.Writes[Key];
  const Expr &V = G.Exprs[O.Value];
  bool Null = V.Kind == ExprKind::Int && V.N == 0;
  bool OneOfMany = false, Fixed = false; // functions
  constexpr unsigned MaxStored = 16;     // parts to search for callables
  llvm::SmallVector<ExprId, 4> Stored{O.Value};
  for (unsigned I = 0; I < Stored.size() && I < MaxStored; ++I) {
    const Expr &E = G.Exprs[Stored[I]];
    if (E.Kind == ExprKind::Select)
      Stored.append({E.B, E.C});
    if (FunctionId C = callableIn(Stored[I]); C != None) {
      OneOfMany |= Stored.size() > 1;
      Fixed |= Stored.size() == 1 && !G.NumParams;
      noteCallable(Key, C);
    }
  }
  if (Null) {
    W.Null = true;
  } else if (V.Kind == ExprKind::Result && Pooled.contains(V.N)) {
    W.CreatedNonBlocking = true;
  } else if (!O.ConstValue && !(Constructs && copiesMember(G, O))) {
    if (auto Size = Sizes.find(V.N);
        V.Kind == ExprKind::Result && Size != Sizes.end())
      R.SizesStored.push_back({F, Size->second});
    W.Other = true;
    if (!Constructs && !Fresh.has(O.Place) && !llvm::is_contained(W.Writers, F))
      W.Writers.push_back(F);
  }
  if (O.Kind == OpKind::Assign && O.ConstValue && !Constructs && !O.Once)
    W.Resets.push_back(F);
  W.ReadModifyWrite |= O.Kind == OpKind::Modify;
  W.TakesTurns |= O.Kind == OpKind::Modify && V.Kind == ExprKind::Load;
  if (O.Kind == OpKind::Modify)
    W.Steppers.push_back({F, O.Range});
  if (!Null)
    Given.insert(Key);
  if ((!O.ConstValue || OneOfMany) && !Fixed && !Built && O.Range.Begin &&
      !O.Once && !Fresh.has(O.Place) &&
      G.Exprs[O.Place].Kind != ExprKind::Elem && V.Kind != ExprKind::Int)
    W.Setters.push_back({F, O.Range});
}

/// Handles the assignment of a library object.
void Relevance::Scan::noteObjectAssigned(const Op &O) {
  if (Built || O.Callee == None || O.Object == None ||
      !R.Table.info(O.Callee).IsSystem ||
      !llvm::StringRef(R.Table.info(O.Callee).Name).ends_with("::operator="))
    return;
  if (const std::string *Key = writeKey(G, O.Object))
    R.Writes[*Key].Setters.push_back({F, O.Range});
}

void Relevance::Scan::noteSize(const Op &O) {
  if (O.Callee != None && R.entryFor(O.Callee) &&
      R.entryFor(O.Callee)->Does == Effect::PoolStream)
    Pooled.insert(O.ResultIndex);
  if (O.Object == None || O.Callee == None || !O.Args.empty() ||
      !llvm::StringRef(R.Table.info(O.Callee).Name).ends_with("::size"))
    return;
  if (const std::string *Key = writeKey(G, O.Object))
    Sizes.try_emplace(O.ResultIndex, *Key);
}

void Relevance::Scan::noteCalled(const Op &O) {
  if (O.How == Dispatch::Kernel) {
    Bits |= Effects | Works;
    return;
  }
  if (O.Callee != None && !R.entryFor(O.Callee) &&
      !R.Table.hasGraph(O.Callee)) {
    const FunctionInfo &Info = R.Table.info(O.Callee);
    // A pure virtual method has no body; its overriders have.
    bool Overridden = O.How == Dispatch::Virtual && !Info.Overrides.empty();
    bool Harmless = Info.IsSystem || Info.IsDevice || Info.NoReturn;
    Bits |= Harmless || Info.CaptureSafe || Overridden ? 0 : Hides;
  }
  StateOf{R, F, G}.noteChange(O);
  noteObjectAssigned(O);
  if (O.How == Dispatch::Indirect) {
    Bits |= Unknown;
    if (!O.Text.empty())
      R.Through.push_back({F, O.Text});
    if (const std::string *Key = R.Tables.noteCall(G, O))
      R.Through.push_back({F, *Key});
  }
  if (O.Callee == None)
    return;
  const FunctionInfo &Info = R.Table.info(O.Callee);
  if (Info.Unsafe)
    Bits |= Effects;
  if (Info.RegionScope)
    Bits |= Opens | Begins | Ends;
  reach(O.Callee);
  bool Ends = Info.IsDestructor && !R.Table.info(F).IsDestructor &&
              O.Object != None && endsForGood(G, O.Object);
  if (Ends)
    R.Ended.insert({F, O.Callee});
  if (O.How == Dispatch::Virtual) {
    Bits |= Virtual;
    for (FunctionId Over : R.overridersOf(O.Callee)) {
      reach(Over);
      if (Ends)
        R.Ended.insert({F, Over});
    }
  }
  if (const catalogue::Entry *E = R.entryFor(O.Callee)) {
    noteMemory(O, *E);
    HandleStreams(R).note(F, G, O, *E);
    noteEffect(O, *E);
  }
}

/// Records memory that \p O frees, and places whose contents it replaces.
void Relevance::Scan::noteMemory(const Op &O, const catalogue::Entry &E) {
  auto Arg = [&](const char *Role) {
    std::optional<int> I = E.arg(Role, O.Args.size());
    return I ? O.arg(*I) : nullptr;
  };
  bool Through = false;
  const CallArg *Out = Arg("out"), *Pointer = Arg("ptr");
  if (const std::string *Key = Out ? namedBy(G, Out->Value, Through) : nullptr;
      Key && !Through)
    Given.insert(*Key);
  if (Pointer && freesMemory(E.Does))
    noteFreed(Pointer->Value, O.Range);
  R.noteAdded(F, G, O, E, Fresh);
}

/// Handles the creation of a stream that is stored in a member or global.
void Relevance::Scan::noteStreamMade(const Op &O, const catalogue::Entry &E) {
  std::optional<int> Out = E.arg("out");
  const CallArg *To = Out ? O.arg(*Out) : nullptr;
  bool Known = To && G.Exprs[To->Value].Kind == ExprKind::AddrOf;
  const std::string *Key = Known ? writeKey(G, G.Exprs[To->Value].A) : nullptr;
  if (!Key)
    return;
  WriteSummary &W = R.Writes[*Key];
  std::optional<int> Flags = E.arg("flags");
  if (!Flags)
    W.CreatedBlocking = true;
  else if (const CallArg *A = O.arg(*Flags);
           A && G.Exprs[A->Value].Kind == ExprKind::Int)
    (G.Exprs[A->Value].N & 1 ? W.CreatedNonBlocking : W.CreatedBlocking) = true;
  else
    W.CreatedUnknown = true;
}

void Relevance::Scan::noteEffect(const Op &O, const catalogue::Entry &E) {
  switch (E.Does) {
  case Effect::CaptureQuery:
    Bits |= Effects | Tests;
    break;
  case Effect::GraphUpdate:
    Bits |= Effects | Drops;
    if (E.arg("node")) // a new capture updates all nodes
      StateOf{R, F, G}.noteUpdated();
    break;
  case Effect::GraphDestroy:
    Bits |= isOwnGraph(R, G, O, E) ? Effects : Effects | Drops;
    break;
  case Effect::CaptureBegin:
    Bits |= Opens | Begins;
    break;
  case Effect::CaptureEnd:
    Bits |= Opens | Ends;
    break;
  case Effect::ModeExchange:
    Bits |= Opens;
    break;
  case Effect::Neutral:
  case Effect::StreamAccessor:
    break;
  case Effect::StreamCreate:
    Bits |= Effects | Defines;
    noteStreamMade(O, E);
    break;
  case Effect::EventRecord:
  case Effect::StreamWaitEvent:
  case Effect::SyncEvent:
  case Effect::QueryEvent:
  case Effect::EventElapsed:
    Bits |= Forks;
    [[fallthrough]];
  default:
    Bits |= isDeviceWork(E.Does) ? Effects | Works : Effects;
    Bits |= E.Does == Effect::GraphLaunch ? Launches : 0;
    break;
  }
}

void Relevance::Scan::run() {
  noteNames();
  noteMentioned();
  for (const std::vector<FunctionId> &Each : G.Handlers)
    for (FunctionId Callee : Each)
      if (Callee != None)
        reach(Callee, /*Calls=*/false);
  for (const Block &B : G.Blocks)
    for (const Op &O : B.Ops)
      switch (O.Kind) {
      case OpKind::Unparsed:
        Bits |= Unparsed;
        break;
      case OpKind::Free:
        noteFreed(O.Value, O.Range);
        break;
      case OpKind::MarkerBegin:
      case OpKind::MarkerEnd:
        Bits |= Opens | Begins | Ends;
        break;
      case OpKind::Assign:
      case OpKind::Modify:
        noteWritten(O);
        break;
      case OpKind::Call:
        noteCalled(O);
        noteSize(O);
        break;
      case OpKind::Clear:
        Bits |= isLocalPlace(G, O.Place) ? 0 : Defines;
        break;
      case OpKind::Return:
      case OpKind::EndLife:
        break;
      }
  for (const auto &[Name, Where] : Freed)
    if (!Given.contains(Name))
      R.FreedApart.push_back({F, Where, Name.str()});
    else if (!Built)
      R.Writes[Name].Growers.push_back({F, Where});
  R.Of[F] = Bits;
}

} // namespace cudagraph
