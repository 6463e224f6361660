//===- Overlaps.cpp - Graphs that run at the same time --------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ReplayModel.h.
//
//===----------------------------------------------------------------------===//

#include "ElementChoice.h"
#include "ReplayModel.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

using catalogue::Effect;

ValueId ReplayModel::streamOf(const Call &C) const {
  return C.Stream != None && D[C.Stream].Kind == ValueKind::Stream &&
                 !Streams.areSeveral(C.Stream)
             ? C.Stream
             : None;
}

/// Records the memory that \p C, a kernel, uses if it becomes a node.
void ReplayModel::touched(const Call &C, const State &S) {
  if (!C.isKernel() || S.Active.empty() || C.Stream == None)
    return;
  std::optional<Member> M = Streams.memberOf(S, C.Stream, C.PerThread);
  if (!M || M->Maybe || M->Guess)
    return;
  Touch T;
  T.Call = C.O.Range;
  T.In = C.F.Function;
  T.Capture = M->Capture;
  T.Kernel = C.Callee;
  for (unsigned I = 0; I < C.Args.size() && I < C.O.Args.size(); ++I)
    if (C.O.Args[I].Sort != CallArg::Pointer)
      T.Numbers.push_back(D.asInt(held(S, C.Args[I])));
  std::vector<Touch> &All = Touches[M->Capture];
  for (unsigned I = 0; I < C.Args.size() && I < C.O.Args.size(); ++I) {
    const CallArg &Arg = C.O.Args[I];
    if (Arg.Sort != CallArg::Pointer || Arg.Written != Arg.Stored ||
        D[C.Args[I]].Kind != ValueKind::Memory)
      continue;
    T.Address = C.Args[I];
    T.Arg = I;
    T.Writes = Arg.Stored;
    T.Whole = Arg.Whole;
    T.Text = Arg.Range;
    if (llvm::none_of(All, [&](const Touch &Old) {
          return Old.Address == T.Address && Old.Arg == T.Arg &&
                 Old.Call.Begin == T.Call.Begin && Old.Numbers == T.Numbers;
        }))
      All.push_back(T);
  }
}

/// Handles \p C, which may order launches.
void ReplayModel::ordered(const Call &C, State &S) {
  if (S.Running.empty() && S.RunningEach.empty())
    return;
  auto Follows = [&](ValueId Key, ValueId By) {
    return D[Key].B == By || S.Precedes.contains(precedesKey(D, Key, By));
  };
  switch (C.Api.Does) {
  case Effect::EventRecord:
  case Effect::StreamWaitEvent: {
    ValueId Event = held(S, C.arg("event")), Stream = streamOf(C);
    bool Records = C.Api.Does == Effect::EventRecord;
    orderEach(S, Records ? C.Stream : Event, Records ? Event : C.Stream);
    if (Event == None || Stream == None || D[Event].Kind != ValueKind::Event ||
        Streams.areSeveral(Event)) {
      S.Running = FactMap();
      return;
    }
    for (const FactMap::Item &I : S.Running) {
      ValueId To = precedesKey(D, I.Key, Records ? Event : Stream);
      if (Follows(I.Key, Records ? Stream : Event))
        S.Precedes.set(To, 0);
      else if (Records)
        S.Precedes.erase(To);
    }
    return;
  }
  case Effect::SyncStream:
    for (const FactMap::Item &I : FactMap(S.RunningEach))
      S.RunningEach.set(I.Key, I.Data | 1);
    if (ValueId Stream = streamOf(C); Stream != None) {
      S.Running.eraseIf(
          [&](const FactMap::Item &I) { return Follows(I.Key, Stream); });
      return;
    }
    break;
  case Effect::CopyAsync:
  case Effect::SetAsync:
  case Effect::Launch:
  case Effect::StreamCreate:
  case Effect::EventCreate:
  case Effect::CaptureBegin:
  case Effect::CaptureEnd:
  case Effect::GraphInstantiate:
  case Effect::Neutral:
    return;
  default:
    break;
  }
  // It may wait for work on the device.
  waitForLaunches(S);
}

/// Records that \p After, a stream or an event, follows \p Before, an event or
/// a stream, and thus its launches.
void ReplayModel::orderEach(State &S, ValueId Before, ValueId After) {
  auto IsKnown = [&](ValueId V) {
    if (V == None)
      return false;
    const ValueNode N = D[V];
    return N.Kind == ValueKind::Stream || N.Kind == ValueKind::Event ||
           (N.Kind == ValueKind::Init && isOfElement(D, N.A)) ||
           Streams.areSeveral(V);
  };
  if (!IsKnown(Before) || !IsKnown(After))
    return waitForLaunches(S);
  for (const FactMap::Item &I : S.RunningEach)
    if (D[I.Key].B == Before ||
        S.Precedes.contains(precedesKey(D, I.Key, Before)))
      S.Precedes.set(precedesKey(D, I.Key, After), 0);
}

/// True if the nodes of \p A and \p B use the same memory, and one of them
/// writes to it.
bool ReplayModel::isShared(const Touch &A, const Touch &B) const {
  if (A.Address != B.Address || (!A.Writes && !B.Writes))
    return false;
  // Different numbers select different parts of the memory.
  return A.Kernel != B.Kernel || A.Numbers == B.Numbers;
}

/// True if \p T always uses the same memory: the node was captured for one
/// object.
bool ReplayModel::isOneObject(CaptureId C, const Touch &T) const {
  auto It = Touches.find(C);
  return It != Touches.end() && llvm::all_of(It->second, [&](const Touch &X) {
           return X.Call.Begin != T.Call.Begin || X.Arg != T.Arg ||
                  X.Address == T.Address;
         });
}

/// Finds memory that the graphs \p Exec and \p Other both use and that one of
/// them writes. Returns an access to it, preferably a write of \p Exec, or null
/// if the graphs share no such memory.
const ReplayModel::Touch *
ReplayModel::shared(ValueId Exec, ValueId Other,
                    llvm::function_ref<bool(const Touch &)> Counts) const {
  CaptureId A = D[Exec].A, B = D[Other].A;
  auto Mine = Touches.find(A), Theirs = Touches.find(B);
  if (Mine == Touches.end() || Theirs == Touches.end())
    return nullptr;
  for (bool Writes : {true, false})
    for (const Touch &X : Mine->second)
      for (const Touch &Y : Theirs->second)
        if (X.Writes == Writes && isShared(X, Y) && isOneObject(A, X) &&
            isOneObject(B, Y) && Counts(X.Writes ? X : Y))
          return X.Writes ? &X : &Y;
  return nullptr;
}

unsigned ReplayModel::numberOf(const Launch &Mine) {
  auto It = llvm::find(Launches, Mine);
  if (It == Launches.end())
    It = Launches.insert(Launches.end(), Mine);
  return It - Launches.begin();
}

/// Records that the graph of capture \p Of runs while the one that \p By
/// launched may still run, which also uses the memory of \p T.
void ReplayModel::report(const Call &C, const State &S, CaptureId Of,
                         const Launch &By, const Touch &T,
                         llvm::ArrayRef<ValueId> Names) {
  Fact R = factOf(Use, C, S, Of);
  R.Firm = false;
  R.Weakest = Evidence::SomePaths;
  auto &Details = R.become<FactKind::Overlaps>();
  Details.Launch = By.Where;
  Details.In = By.In;
  Details.Writer = T.Call;
  Details.WriterIn = T.In;
  Details.Kernel = T.Kernel == None ? "" : Table.info(T.Kernel).Name;
  Details.Memory = Table.text(T.Text);
  R.restOn(Evidence::Unordered);
  Found.push_back({std::move(R), {Names.begin(), Names.end()}, {}});
}

/// True if \p Exec is the graph of one object, not of each element of a list.
static bool isOfOneObject(const Domain &D, const State &S, ValueId Exec) {
  bool Found = false;
  for (const Memory::Item &I : S.Mem) {
    if (I.Data != Exec && !llvm::is_contained(D.candidates(I.Data), Exec))
      continue;
    if (isOfElement(D, I.Key))
      return false;
    LocKind Root = D.at(D.root(I.Key)).Kind;
    Found |= I.Data == Exec && D.at(I.Key).Kind == LocKind::Field &&
             (Root == LocKind::Var || Root == LocKind::Global);
  }
  return Found;
}

/// Returns a write to memory that a graph of \p G and one of \p H share, two
/// elements; null if there is none for which \p Counts is true. Sets \p Each to
/// the name of both graphs, if they share it.
const ReplayModel::Touch *ReplayModel::sharedByElements(
    const State &S, ValueId G, ValueId H, ValueId &Each,
    llvm::function_ref<bool(const Touch &)> Counts) const {
  auto Execs = [&](ValueId V) {
    llvm::SmallVector<ValueId, 4> All;
    if (D[V].Kind == ValueKind::Exec)
      All.push_back(V);
    for (ValueId X : D.candidates(V))
      if (D[X].Kind == ValueKind::Exec && !D.overflowed(V))
        All.push_back(X);
    return All;
  };
  for (ValueId X : Execs(G))
    for (ValueId Y : Execs(H)) {
      if (X == Y && isOfOneObject(D, S, X))
        continue;
      const Touch *T = shared(X, Y, [&](const Touch &Each) {
        return Each.Writes && Each.Whole && Counts(Each);
      });
      if (!T)
        continue;
      Each = X == Y ? X : None;
      return T;
    }
  return nullptr;
}

/// True if \p L is in an element with a known index.
static bool isOneElement(const Domain &D, LocId L) {
  for (; L != None; L = D.at(L).A) {
    const LocNode N = D.at(L);
    if (N.Kind == LocKind::Elem)
      return N.B != None && D.asInt(N.B);
    if (N.Kind != LocKind::Field)
      break;
  }
  return false;
}

/// The place from which argument \p Arg of \p C was read; None if it is not
/// known.
LocId ReplayModel::sourceOf(const Call &C, State &S, unsigned Arg) const {
  ExprId E = C.O.Args[Arg].Value;
  return E == None || C.F.Graph->Exprs[E].Kind != ExprKind::Load
             ? None
             : Use.Calls.evalPlace(C.F, C.F.Graph->Exprs[E].A, S);
}

/// True if the same member of several objects contains \p Address: one name may
/// stand for the memory of each.
static bool isOfSeveralObjects(const Domain &D, const State &S,
                               ValueId Address) {
  llvm::DenseSet<unsigned> Names;
  for (const Memory::Item &I : S.Mem)
    if (I.Data == Address && D.at(I.Key).Kind == LocKind::Field &&
        !Names.insert(D.at(I.Key).S).second)
      return true;
  return false;
}

/// Compares the launch of \p G, the graph of an element, with the launches of
/// other elements on their streams.
void ReplayModel::overlapsEach(const Call &C, State &S, ValueId G) {
  std::optional<unsigned> I = C.indexOf("graph"), J = C.indexOf("stream");
  if (!I || !J || *I >= C.O.Args.size() || *J >= C.O.Args.size() ||
      C.Stream == None)
    return;
  ElementChoice Graph = choiceOf(D, C.F, C.O.Args[*I].Value);
  ElementChoice Stream = choiceOf(D, C.F, C.O.Args[*J].Value);
  if (!Graph.isKnown() || Graph.Visited != Stream.Visited ||
      Graph.Indexes != Stream.Indexes)
    return;
  // Elements may also share a stream, which orders their launches.
  LocId From = sourceOf(C, S, *J);
  if (From == None || !Streams.isOwnStream(From))
    return;
  // Each object that contains the stream also contains a graph of its own.
  const LocId Holder = sourceOf(C, S, *I);
  bool Own = Holder != None && D.at(Holder).Kind == LocKind::Field &&
             D.root(Holder) == D.root(From);
  if (Own)
    if (const WriteSummary *Writes = Rel.writes(stateName(D, Holder)))
      Own = !Writes->Other;
  // Another object has its own elements, and perhaps its own memory.
  const LocNode Owner = D.at(D.root(From));
  bool Known = Owner.Kind == LocKind::Var || Owner.Kind == LocKind::Global;
  const int64_t Container =
      static_cast<int64_t>(C.F.This) * 8191 + (Known ? D.root(From) : 0);
  const int64_t Mine = Container << 16 | Graph.number();
  ValueId Key = runningKey(D, G, C.Stream, Mine);
  for (const FactMap::Item &X : S.RunningEach) {
    const ValueNode Earlier = D[X.Key];
    // In a loop, one name may stand for all elements.
    bool SameContainer = Earlier.N >> 16 == Container;
    bool Loop = (Earlier.N & 0xffff) == 0;
    bool Other = Graph.Visited ? (X.Key == Key ? !isOneElement(D, From)
                                               : Loop && Earlier.A != G &&
                                                     Earlier.B != C.Stream)
                               : !Loop && Earlier.N != Mine;
    if ((X.Data & 1) || !SameContainer || !Other ||
        S.Precedes.contains(precedesKey(D, X.Key, C.Stream)))
      continue;
    // One name may stand for the memory of each object, even on the heap. This
    // is known after the walk: conclude() selects one of the shared addresses.
    llvm::SmallDenseSet<ValueId, 4> Tried;
    constexpr unsigned MaxTried = 4;
    while (Tried.size() < MaxTried) {
      ValueId Each = None;
      const Touch *T =
          sharedByElements(S, G, Earlier.A, Each, [&](const Touch &Of) {
            return !Tried.contains(Of.Address) &&
                   !isOfSeveralObjects(D, S, Of.Address) &&
                   !Nodes.Repeated.contains(Of.Address) &&
                   (isOfElement(D, From) || D.isOneObject(Of.Address));
          });
      if (!T)
        break;
      Tried.insert(T->Address);
      report(C, S, T->Capture, Launches[X.Data >> 1], *T, {T->Address});
      Found.back().Each = Own ? None : Each;
    }
    if (!Tried.empty())
      break;
  }
  S.Precedes.eraseIf([&](const FactMap::Item &X) { return D[X.Key].A == Key; });
  S.RunningEach.set(Key, numberOf({C.O.Range, C.F.Function}) << 1);
}

/// Compares the launch of \p Exec with the launches that may still run.
void ReplayModel::overlaps(const Call &C, State &S, ValueId Exec) {
  ValueId Stream = streamOf(C);
  if (Exec == None || D[Exec].Kind != ValueKind::Exec || Stream == None)
    return;
  for (const FactMap::Item &I : FactMap(S.Running)) {
    ValueId Other = D[I.Key].A, On = D[I.Key].B;
    if (Other == Exec || On == Stream || Streams.mayBeOfOneArray(On, Stream) ||
        S.Precedes.contains(precedesKey(D, I.Key, Stream)))
      continue;
    const Touch *T = shared(Exec, Other, [](const Touch &) { return true; });
    if (!T)
      continue;
    report(C, S, D[Exec].A, Launches[I.Data], *T, {Exec, Other, T->Address});
  }
  ValueId Key = runningKey(D, Exec, Stream);
  S.Precedes.eraseIf([&](const FactMap::Item &I) { return D[I.Key].A == Key; });
  S.Running.set(Key, numberOf({C.O.Range, C.F.Function}));
}

} // namespace cudagraph
