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

#include "ReplayModel.h"
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
  if (S.Running.empty())
    return;
  auto Follows = [&](ValueId Key, ValueId By) {
    return D[Key].B == By || S.Precedes.contains(precedesKey(D, Key, By));
  };
  switch (C.Api.Does) {
  case Effect::EventRecord:
  case Effect::StreamWaitEvent: {
    ValueId Event = held(S, C.arg("event")), Stream = streamOf(C);
    if (Event == None || Stream == None || D[Event].Kind != ValueKind::Event ||
        Streams.areSeveral(Event)) {
      S.Running = FactMap();
      return;
    }
    bool Records = C.Api.Does == Effect::EventRecord;
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
  S.Running = FactMap();
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
const ReplayModel::Touch *ReplayModel::shared(ValueId Exec,
                                              ValueId Other) const {
  CaptureId A = D[Exec].A, B = D[Other].A;
  auto Mine = Touches.find(A), Theirs = Touches.find(B);
  if (Mine == Touches.end() || Theirs == Touches.end())
    return nullptr;
  for (bool Writes : {true, false})
    for (const Touch &X : Mine->second)
      for (const Touch &Y : Theirs->second)
        if (X.Writes == Writes && isShared(X, Y) && isOneObject(A, X) &&
            isOneObject(B, Y))
          return X.Writes ? &X : &Y;
  return nullptr;
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
    const Touch *T = shared(Exec, Other);
    if (!T)
      continue;
    Fact R = factOf(Use, C, S, D[Exec].A);
    R.Firm = false;
    R.Weakest = Evidence::SomePaths;
    auto &Details = R.become<FactKind::Overlaps>();
    Details.Launch = Launches[I.Data].Where;
    Details.In = Launches[I.Data].In;
    Details.Writer = T->Call;
    Details.WriterIn = T->In;
    Details.Kernel = T->Kernel == None ? "" : Table.info(T->Kernel).Name;
    Details.Memory = Table.text(T->Text);
    R.restOn(Evidence::Unordered);
    Found.push_back({std::move(R), {Exec, Other, T->Address}, {}});
  }
  Launch Mine{C.O.Range, C.F.Function};
  auto It = llvm::find(Launches, Mine);
  unsigned Number = It - Launches.begin();
  if (It == Launches.end())
    Launches.push_back(Mine);
  ValueId Key = runningKey(D, Exec, Stream);
  S.Precedes.eraseIf([&](const FactMap::Item &I) { return D[I.Key].A == Key; });
  S.Running.set(Key, Number);
}

} // namespace cudagraph
