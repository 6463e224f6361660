//===- EngineReport.cpp - From events in a region to facts ----------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decides what is known about a call at the moment it is met: which relations
// of its stream to the capture are possible, what CUDA does in each, and how
// sure that makes the fact. Harmless combinations lower the confidence; a call
// that is harmless in all of them leaves no fact.
//
//===----------------------------------------------------------------------===//

#include "Engine.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

using catalogue::Cell;
using catalogue::Effect;
using catalogue::StreamKind;
using catalogue::StreamRelation;
using catalogue::Trait;

/// Work of another thread is not meant for the graph: there, only what CUDA
/// refuses matters.
static bool isBad(const Cell &C, bool OtherThread) {
  return C.What == Cell::Error || (C.What == Cell::Escapes && !OtherThread);
}

static bool isHostEffect(Effect E) {
  switch (E) {
  case Effect::HostIO:
  case Effect::HostClock:
  case Effect::HostRandom:
  case Effect::HostEnvironment:
  case Effect::HostLock:
  case Effect::HostSleep:
  case Effect::HostThread:
  case Effect::HostMutate:
  case Effect::RandomState:
    return true;
  default:
    return false;
  }
}

/// True for calls that are made so that the graph does something.
static bool isForGraph(Effect E) {
  switch (E) {
  case Effect::CopyAsync:
  case Effect::SetAsync:
  case Effect::Launch:
  case Effect::HostFunction:
  case Effect::StreamWork:
  case Effect::AllocAsync:
  case Effect::FreeAsync:
  case Effect::LibraryCall:
  case Effect::GraphLaunch:
  case Effect::EventRecord:
    return true;
  default:
    return false;
  }
}

static bool isStreamOrdered(Effect E) {
  return E == Effect::CopyAsync || E == Effect::SetAsync ||
         E == Effect::AllocAsync || E == Effect::CopySync ||
         E == Effect::SetSync;
}

/// True in the function that begins capture \p R for others, and in the methods
/// of a class that does.
bool Engine::isOfWrapper(const Frame &F, const CaptureRecord &R) const {
  if (R.Home == R.BeginIn || R.BeginIn == None)
    return false;
  const std::string &Class = Table.info(R.BeginIn).Class;
  return F.Function == R.BeginIn ||
         (!Class.empty() && Table.info(F.Function).Class == Class &&
          Table.info(R.Home).Class != Class);
}

void Engine::report(Frame &F, const Op &O, State &S, const catalogue::Entry &E,
                    FunctionId Callee, ValueId This,
                    llvm::ArrayRef<ValueId> Args, ValueId Stream,
                    bool HasStream, bool PerThread, Span StreamText) {
  if (S.Active.empty() || S.InCallback || E.Does == Effect::Neutral)
    return;
  if (S.OtherThread && isHostEffect(E.Does))
    return;
  if (std::optional<int> I = E.arg("size", Args.size());
      I && isStreamOrdered(E.Does) && *I >= 0 &&
      static_cast<size_t>(*I) < Args.size())
    reportVarying(F, O, S, Args[*I], "size", &E);
  if (E.Does == Effect::Launch && O.How != Dispatch::Kernel)
    for (ValueId A : Args) {
      // Dimensions, by value or in a configuration structure.
      if (D[A].Kind != ValueKind::Addr) {
        reportVarying(F, O, S, A, "grid", &E);
        continue;
      }
      LocId Root = D.root(D[A].A);
      for (const Memory::Item &I : S.Mem)
        if (D.isMeasured(I.Data) && D.root(I.Key) == Root &&
            D.at(I.Key).Kind == LocKind::Field) {
          reportVarying(F, O, S, I.Data, "grid", &E);
          break;
        }
    }

  // The capture that the stream belongs to, else the innermost.
  CaptureId C = S.Active.back();
  if (HasStream)
    if (std::optional<Member> M = memberOf(S, Stream, PerThread);
        M && !M->Maybe)
      C = M->Capture;
  const CaptureRecord &Record = Result.Captures[C];
  Fact R = factAt(F, O, S, C);
  R.Api = &E;
  R.Callee = Callee == None ? E.Name : Table.info(Callee).Name;
  R.Sure = std::min(R.Sure, OperatorSure);
  R.HasStream = HasStream;
  R.Discarded = O.Discarded;
  if (std::optional<int> I = E.arg("event", Args.size());
      I && *I >= 0 && static_cast<size_t>(*I) < O.Args.size())
    R.EventText = O.Args[*I].Range;
  R.StreamText = StreamText;
  R.NumConfigArgs = 0;
  for (const CallArg &A : O.Config)
    R.NumConfigArgs += A.Range.Begin != 0;
  if (O.How == Dispatch::Kernel) {
    R.Args.clear();
    for (const CallArg &A : O.Config)
      if (A.Range.Begin)
        R.Args.push_back(A.Range);
  }

  if (E.Does == Effect::CaptureEnd)
    R.Mode = Record.Mode; // the thread's own mode does not matter here

  if (isHostEffect(E.Does)) {
    // What happens once anyway, or reports a failure, is as it should be.
    if (S.Failing || R.Once)
      return;
    for (const FactMap::Item &I : S.Equal)
      if (D[I.Key].Kind == ValueKind::Status && D.asInt(I.Data) != 0)
        return; // code for one particular error
    if (Shapes.isErrorExit(F.Graph->Blocks[F.Block]))
      R.Sure = Confidence::Possible;
    // What is said to the error output on some paths only is said of a problem.
    auto IsError = [&](ValueId V) {
      if (V == None)
        return false;
      const ValueNode N = D[V];
      if (N.Kind != ValueKind::Init && N.Kind != ValueKind::Addr)
        return false;
      const LocNode L = D.at(N.A);
      llvm::StringRef Name = D.text(L.S);
      return L.Kind == LocKind::Global &&
             Catalogue.is(catalogue::Role::ErrorOutput, Name);
    };
    if (E.Does == Effect::HostIO && R.Sure != Confidence::Certain &&
        (IsError(This) || llvm::any_of(Args, IsError)))
      R.Sure = Confidence::Possible;
    // So is what is read or written on some paths only, calls away from the
    // region: settings, tuning results, what is printed for debugging.
    if (E.Does == Effect::HostIO && R.Sure != Confidence::Certain &&
        R.Chain.size() > 2)
      R.Sure = Confidence::Possible;
    // A warning is one on some paths only; and the locks of an operator guard
    // what its callers share, at capture as at any call.
    if ((E.has(Trait::Warns) && R.Sure != Confidence::Certain) ||
        (E.Does == Effect::HostLock && Record.Root == RootKind::TorchOps))
      R.Sure = Confidence::Possible;
    // A wrapper's own books about the capture it begins.
    bool OwnBooks = isOfWrapper(F, Record) && (E.Does == Effect::HostMutate ||
                                               E.Does == Effect::HostLock);
    if (OwnBooks)
      R.Sure = Confidence::Possible;
    // The farther from the region, the more it is somebody else's business.
    bool Near = R.Chain.empty() ||
                (R.Chain.size() == 1 && Table.info(F.Function).IsLambda);
    Confidence Limit = Confidence::Certain;
    if (E.Does == Effect::HostMutate) {
      if (This == None || D[This].Kind != ValueKind::Addr)
        return;
      LocId L = D[This].A;
      LocKind Root = D.at(D.root(L)).Kind;
      bool Mine = isRegionState(F, S, L) &&
                  (Root == LocKind::Global || D.at(L).Kind == LocKind::Field);
      if (!Mine && Root != LocKind::Pointee)
        return;
      // Tables that are looked up and filled are caches.
      Mine &= !E.has(Trait::Table);
      Limit = Mine && !Shapes.knowsOfCapture(F.Function, F.Block)
                  ? Confidence::Likely
                  : Confidence::Possible;
    } else if (E.Does == Effect::HostLock ||
               E.Does == Effect::HostEnvironment) {
      Limit = Near ? Confidence::Likely : Confidence::Possible;
      // What matters of a lock is that it is taken.
      if (E.has(Trait::Releases))
        Limit = Confidence::Possible;
    } else if (E.has(Trait::Yields)) {
      Limit = Confidence::Possible;
    }
    R.Sure = std::min(R.Sure, Limit);
    record(std::move(R));
    return;
  }
  if (E.Outcomes.empty() && E.Does != Effect::DynamicShape &&
      E.Does != Effect::AllocPinned)
    return;

  // The event of another capture that this call waits for, or None.
  auto ForeignEvent = [&]() -> ValueId {
    std::optional<int> I = E.arg("event", Args.size());
    if (E.Does != Effect::StreamWaitEvent || !I || *I < 0 ||
        holds(O, S, E, catalogue::Condition::EventForeign, This, Args,
              HasStream ? Stream : None, PerThread) != true)
      return None;
    ValueId V = Args[*I];
    return D[V].Kind == ValueKind::Addr ? read(S, D[V].A) : V;
  };
  llvm::SmallVector<StreamRelation, 6> Relations{StreamRelation::None};
  auto Holds = [&](catalogue::Condition X) {
    return holds(O, S, E, X, This, Args, HasStream ? Stream : None, PerThread);
  };
  // Which of several streams this is, nobody knows: the end is believed.
  if (E.Does == Effect::CaptureEnd && HasStream && !isIdentity(Stream))
    return;
  if (HasStream) {
    Relations = relations(S, C, Stream, PerThread);
    // Nobody forks to the legacy default stream.
    if (E.Does == Effect::StreamWaitEvent && Relations.size() > 1 &&
        Holds(catalogue::Condition::EventCaptured) != false)
      llvm::erase(Relations, StreamRelation::Legacy);
  } else if (std::optional<ValueId> Event = eventOf(S, E, Args, This)) {
    R.IsEvent = true;
    if (std::optional<int> I = E.arg("event", Args.size()); I && *I < 0)
      R.StreamText = O.ObjectRange;
    else if (I && static_cast<size_t>(*I) < O.Args.size())
      R.StreamText = O.Args[*I].Range;
    std::optional<Recorded> At = recordedAt(S, *Event);
    // What happened before an assumed capture is not known.
    bool Mine = !isAssumed(Record.Root);
    if (At && At->Where == Recorded::Inside && !At->Maybe)
      Relations = {StreamRelation::Origin};
    else if (At && At->Where == Recorded::Never &&
             llvm::any_of(E.Outcomes, [](const catalogue::OutcomeRow &Row) {
               return llvm::is_contained(Row.Streams, StreamRelation::None);
             }))
      Relations = {StreamRelation::None};
    else if (At ? At->Maybe : !Mine)
      Relations = {StreamRelation::Origin, StreamRelation::Other};
    else
      Relations = {StreamRelation::Other};
  } else if (PerThread &&
             (E.Does == Effect::CopySync || E.Does == Effect::SetSync))
    Relations = {StreamRelation::PerThread};
  bool AllBad = true, EachSometimesBad = true, AnyBad = false, Fatal = true;
  bool AnyLazy = false; ///< refused when it is the first of its kind
  bool Unused = E.Does == Effect::LibraryHandle;
  if (std::optional<int> I = E.arg("handle", Args.size()); I && *I >= 0) {
    std::optional<unsigned> Used = S.Mem.lookup(usedMark(D, Args[*I]));
    Unused |= Used && D.asInt(*Used) == 0;
  }
  for (StreamRelation Relation : Relations)
    for (StreamKind Kind : kindsOf(S, C)) {
      std::vector<const catalogue::OutcomeRow *> Rows;
      E.rows(Relation, Kind, Holds, Rows);
      if (Rows.empty()) // nothing is known of this combination
        AllBad = EachSometimesBad = Fatal = false;
      for (const catalogue::OutcomeRow *Row : Rows) {
        Situation Where;
        Where.Relation = Relation;
        Where.Capturing = Kind;
        Where.Row = Row;
        bool Always = true, Sometimes = false;
        bool Lazy =
            llvm::is_contained(Row->When, catalogue::Condition::FirstUse);
        for (unsigned M = 0; M < 3; ++M) {
          const Cell &X = Where.ByMode[M] = Row->ByMode[M];
          if (R.Mode && static_cast<unsigned>(*R.Mode) != M)
            continue;
          Always &= isBad(X, S.OtherThread);
          Sometimes |= isBad(X, S.OtherThread);
          Fatal &= X.What == Cell::Error && !X.Survives;
        }
        AllBad &= Always;
        EachSometimesBad &= Sometimes;
        AnyBad |= Sometimes;
        AnyLazy |= Sometimes && Lazy && Unused;
        R.Situations.push_back(Where);
      }
    }
  if (E.Does == Effect::StreamWaitEvent && HasStream)
    noteNoRecord(S, R, Relations, Holds);
  if (E.Outcomes.empty()) {
    R.Sure = std::min(R.Sure, Confidence::Likely);
    record(std::move(R));
    return;
  }
  if (!AnyBad || R.Situations.empty())
    return;
  // In a capture that is lost already, captured events are void, and what CUDA
  // says of them follows from the cause (measured: capture_matrix, "after a
  // refused call").
  if (std::optional<unsigned> Broken = S.Broken.lookup(C);
      Broken && *Broken == 0)
    if ((R.IsEvent && Relations.front() == StreamRelation::Origin) ||
        (E.Does == Effect::StreamWaitEvent && kindsOf(S, C).size() == 1 &&
         kindsOf(S, C).front() == StreamKind::NonBlocking &&
         Holds(catalogue::Condition::EventCaptured) == true))
      return;
  // What is wrong with the capture counts for more than the thread.
  if (E.Does == Effect::CaptureEnd && Relations.size() == 1 &&
      Relations.front() == StreamRelation::Origin &&
      (S.Broken.contains(C) || llvm::any_of(S.Lags, [&](FactMap::Item I) {
         return D[I.Key].A == Record.Origin &&
                Lag::decode(I.Data).How == Lag::Surely;
       })))
    return;
  // Another thread may have begun what ends here.
  if (E.Does == Effect::CaptureEnd && S.ForeignCaptures &&
      Relations.front() == StreamRelation::Other)
    return;
  if (!AllBad)
    R.Sure =
        std::min(R.Sure, EachSometimesBad || AnyLazy ? Confidence::Likely
                                                     : Confidence::Possible);
  else if (Fatal && !S.OtherThread) {
    S.Broken.set(C, 0); // whatever CUDA returns from here on is its wake
    if (std::optional<Recorded> At = recordedAt(S, ForeignEvent()))
      S.Broken.set(At->Capture, 0); // a merge costs both captures
  }
  if (R.Discarded && AllBad && isForGraph(E.Does) &&
      llvm::all_of(R.Situations, [&](const Situation &X) {
        return llvm::all_of(X.ByMode, [](const Cell &Y) { return Y.Survives; });
      })) {
    Fact Missing = R;
    Missing.Kind = FactKind::Dropped;
    record(std::move(Missing));
  }
  scopeHints(R, F, S, Record.Origin);
  if (llvm::all_of(Relations, [](StreamRelation X) {
        return X == StreamRelation::Legacy || X == StreamRelation::PerThread;
      }))
    for (unsigned I = 0; I < F.Graph->NumParams; ++I)
      if (F.Graph->Vars[I].IsStream) {
        R.UnusedStreamParam = F.Graph->Vars[I].Name;
        break;
      }
  record(std::move(R));
}

/// Finds a name at the call for the stream that captures.
void Engine::scopeHints(Fact &R, const Frame &F, State &S, ValueId Origin) {
  for (unsigned I = 0; I < F.Graph->Vars.size(); ++I) {
    if (F.Graph->Vars[I].Name.empty() || !F.Graph->Vars[I].IsStream)
      continue;
    if (read(S, D.loc(LocKind::Var, I, F.Function)) == Origin) {
      R.StreamInScope = F.Graph->Vars[I].Name;
      return;
    }
  }
  if (F.This == None || Table.info(F.Function).IsLambda)
    return;
  auto IsMember = [&](LocId L) {
    return D.at(L).Kind == LocKind::Field && D.at(L).A == D.pointee(F.This);
  };
  auto Name = [&](LocId L) {
    llvm::StringRef Text = D.text(D.at(L).S);
    return Text.substr(Text.rfind(':') + 1).str();
  };
  if (D[Origin].Kind == ValueKind::Init && IsMember(D[Origin].A))
    R.StreamInScope = Name(D[Origin].A);
  else
    for (auto It = S.Mem.begin(); It != S.Mem.end(); ++It)
      if (It->getData() == Origin && IsMember(It->getKey()))
        R.StreamInScope = Name(It->getKey());
}

void Engine::reportVarying(Frame &F, const Op &O, State &S, ValueId V,
                           const char *What, const catalogue::Entry *E) {
  if (S.Active.empty())
    return;
  Span At;
  FunctionId In = F.Function;
  std::optional<Variation> Var = variation(S, V, &At, &In);
  if (!Var || S.InCallback)
    return;
  Varying.insert({O.Range.Begin, At.Begin});
  Fact R = factAt(F, O, S, S.Active.back());
  R.Kind = FactKind::VaryingUse;
  R.Api = E;
  R.Callee = O.Callee == None ? "" : Table.info(O.Callee).Name;
  R.Varies = Var;
  R.Other = At;
  R.OtherIn = In;
  R.What = What;
  R.Kept = llvm::StringRef(What) == "size" ? KeptAs::Size : KeptAs::Config;
  R.Sure = std::min(R.Sure, Confidence::Likely);
  if (Var == Variation::Setter)
    Stepping.push_back({std::move(R), ""});
  else
    record(std::move(R));
}

void Engine::launch(Frame &F, const Op &O, State &S,
                    llvm::ArrayRef<ValueId> Config,
                    llvm::ArrayRef<ValueId> Args) {
  setResult(F, O, S, D.opaque(Domain::site(F.Function, O.ResultIndex, 2)));
  if (S.InCallback)
    return noteCallbackCall(F, O, S, "<<<>>>");
  if (S.Active.empty())
    return;
  static const char *const Parts[] = {"grid", "block", "shared memory"};
  for (unsigned I = 0; I < 3 && I < Config.size(); ++I) {
    ValueId V = Config[I];
    if (D[V].Kind == ValueKind::Addr)
      V = read(S, D[V].A);
    reportVarying(F, O, S, V, Parts[I], nullptr);
  }
  const catalogue::Entry *E = Catalogue.lookup("<<<>>>");
  if (!E)
    return;
  ValueId Stream = Config.size() > 3 ? Config[3] : D.integer(0);
  if (D[Stream].Kind == ValueKind::Addr)
    Stream = read(S, D[Stream].A);
  Stream = passedStream(S, Stream);
  Span Text = O.Config.size() > 3 ? O.Config[3].Range : Span{};
  bool PerThread = Table.info(F.Function).PerThread;
  Happening H;
  H.Callee = O.Callee;
  H.Where = O.Range;
  H.StreamText = Text;
  happen(F, S, std::move(H), Stream, PerThread);
  report(F, O, S, *E, O.Callee, None, {}, Stream, true, PerThread, Text);
  if (noteMember(S, Stream, /*HasStream=*/true, PerThread)) {
    KeptBytes.reset();
    for (unsigned I = 0; I < 3 && I < Config.size(); ++I)
      keep(F, O, S, KeptAs::Config,
           D[Config[I]].Kind == ValueKind::Addr ? read(S, D[Config[I]].A)
                                                : Config[I],
           O.Config[I].Range, None, CallArg::Scalar);
    keepArgs(F, O, S, E, None, Args, Stream, true, PerThread);
    if (O.Callee != None && Table.info(O.Callee).SeedsGenerator &&
        !S.OtherThread) {
      Fact R = factAt(F, O, S, S.Active.back());
      R.Kind = FactKind::Seeds;
      R.Callee = Table.info(O.Callee).Name;
      R.Sure = std::min(R.Sure, Confidence::Likely);
      record(std::move(R));
    }
  }
  noteWork(F, O, S, Stream, PerThread, Text);
}

} // namespace cudagraph
