//===- StreamView.cpp - Facts about streams and events --------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See StreamView.h.
//
//===----------------------------------------------------------------------===//

#include "StreamView.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

using catalogue::StreamKind;
using catalogue::StreamRelation;

static constexpr unsigned MaxCandidates = 16; // streams that a value may be

llvm::SmallVector<StreamRelation, 6>
StreamView::relations(const State &S, CaptureId C, ValueId Stream,
                      bool PerThread) const {
  using R = StreamRelation;
  const llvm::SmallVector<R, 6> Any{R::Origin, R::Joined, R::Other, R::Legacy,
                                    R::PerThread};
  ValueId Origin = Result.Captures[C].Origin;
  if (PerThread && D.asInt(Stream) == 0)
    Stream = D.integer(2); // the same stream with its other name
  const ValueNode N = D[Stream], From = D[Origin];
  if (Stream == Origin)
    return {R::Origin};
  bool In = false, Outside = false;
  for (ValueId Name : namesIn(S.Streams, Stream)) {
    std::optional<unsigned> Data = S.Streams.lookup(Name);
    Member M = Data ? Member::decode(*Data) : Member{};
    In |= Data.has_value();
    Outside |= Data && (M.Capture != C || M.Maybe);
    if (Data && M.Capture != C)
      return {R::Other};
  }
  if (In) {
    llvm::SmallVector<R, 6> May{R::Joined};
    if (Outside)
      May.push_back(R::Other);
    // An unspecified element of an array may be the origin itself.
    if (areSeveral(Stream) && mayBeOfOneArray(Stream, Origin))
      May.push_back(R::Origin);
    return May;
  }
  switch (N.Kind) {
  case ValueKind::Int:
    if (N.N == 0)
      return {PerThread ? R::PerThread : R::Legacy};
    return N.N == 1 ? llvm::SmallVector<R, 6>{R::Legacy}
                    : llvm::SmallVector<R, 6>{R::PerThread};
  case ValueKind::Phi: {
    llvm::SmallVector<ValueId, 8> Met{Stream};
    llvm::SmallVector<R, 6> Union;
    for (unsigned I = 0; I < Met.size(); ++I) {
      if (D[Met[I]].Kind == ValueKind::Phi) {
        llvm::ArrayRef<ValueId> All = D.candidates(Met[I]);
        if (All.empty() || D.overflowed(Met[I]) || Met.size() > MaxCandidates)
          return Any;
        for (ValueId V : All)
          if (!llvm::is_contained(Met, V))
            Met.push_back(V);
        continue;
      }
      for (R X : relations(S, C, Met[I], PerThread))
        if (!llvm::is_contained(Union, X))
          Union.push_back(X);
    }
    return Union;
  }
  case ValueKind::Stream:
    if (mayBeOfOneArray(Stream, Origin))
      return {R::Origin, R::Other}; // elements of one array
    if (hasUnknownMember(S, C))
      return {R::Joined, R::Other};
    if (From.Kind == ValueKind::Stream || From.Kind == ValueKind::Init ||
        From.Kind == ValueKind::Int)
      return {R::Other};
    return Any;
  case ValueKind::Init:
    // PyTorch captures on a separate stream.
    if (W.OperatorRoot != None && isOwnStream(N.A))
      return {R::Other};
    // A stream that the root received cannot be one that it created.
    if (From.Kind == ValueKind::Stream && D.at(N.A).Kind == LocKind::Var)
      return {R::Other};
    // A member that contains only streams created for it.
    if (From.Kind == ValueKind::Stream && isOwnStream(N.A) &&
        !isIn(S, Origin, memberOfPlace(N.A)))
      return {R::Other};
    if (From.Kind == ValueKind::Init && isOwnStream(N.A) &&
        isOwnStream(From.A) &&
        (memberOfPlace(N.A) != memberOfPlace(From.A) || areApart(N.A, From.A)))
      return {R::Other};
    return Any;
  default:
    return Any;
  }
}

/// True if a stream that is unknown, and may be any, has joined \p C: an
/// element of a container whose contents are not visible.
bool StreamView::hasUnknownMember(const State &S, CaptureId C) const {
  return llvm::any_of(S.Streams, [&](const FactMap::Item &I) {
    const ValueNode N = D[I.Key];
    bool Unknown = N.Kind == ValueKind::Op || N.Kind == ValueKind::Opaque ||
                   (N.Kind == ValueKind::Init && isOfSomeElement(D, N.A) &&
                    !isOwnStream(N.A));
    return Unknown && Member::decode(I.Data).Capture == C;
  });
}

/// True if the streams or events \p A and \p B may be the same: the same call
/// created them, and one of them stands for several.
bool StreamView::mayBeOfOneArray(ValueId A, ValueId B) const {
  const ValueNode M = D[A], N = D[B];
  if (M.Kind != N.Kind)
    return false;
  if (M.Kind == ValueKind::Init)
    return someHandle(D, A) == someHandle(D, B) &&
           (areSeveral(A) || areSeveral(B));
  if (M.Kind != ValueKind::Stream && M.Kind != ValueKind::Event)
    return false;
  return M.N == N.N && (M.A == None || N.A == None ||
                        (someHandle(D, A) == someHandle(D, B) &&
                         (areSeveral(A) || areSeveral(B))));
}

bool StreamView::areSeveral(ValueId V) const {
  const ValueNode N = D[V];
  switch (N.Kind) {
  case ValueKind::Stream:
  case ValueKind::Event:
  case ValueKind::Init:
    return N.A != None && isOfSomeElement(D, N.A);
  default:
    return N.Kind == ValueKind::Phi && N.N == SeveralElements;
  }
}

bool StreamView::isOneObject(LocId L) const {
  for (;; L = D.at(L).A) {
    const LocNode N = D.at(L);
    switch (N.Kind) {
    case LocKind::Var: {
      const FlowGraph *G = Table.graph(N.A);
      return G && static_cast<unsigned>(N.N) < G->NumParams;
    }
    case LocKind::Global:
      return true;
    case LocKind::Pointee:
      return D[N.A].Kind == ValueKind::Init && isOneObject(D[N.A].A);
    case LocKind::Elem:
      if (N.B == None || !D.asInt(N.B))
        return false;
      break;
    case LocKind::Field:
      break;
    default:
      return false;
    }
  }
}

bool StreamView::staysSame(const State &S, ValueId Stream) const {
  const ValueNode N = D[Stream];
  if (N.Kind == ValueKind::Init)
    return isOneObject(N.A);
  return N.Kind == ValueKind::Stream && !areSeveral(Stream) &&
         !S.Mem.contains(D.slotOf(Slot::CreatedAgain, D.pointee(Stream)));
}

/// The member or global that \p L is, or that contains \p L as an element.
LocId StreamView::holderOf(LocId L) const {
  while (D.at(L).Kind == LocKind::Elem)
    L = D.at(L).A;
  return L;
}

/// The name of holderOf().
unsigned StreamView::memberOfPlace(LocId L) const {
  return D.at(holderOf(L)).S;
}

/// True if \p A and \p B are different parts of one object: different members,
/// or elements with different numbers.
bool StreamView::areApart(LocId A, LocId B) const {
  if (D.root(A) != D.root(B))
    return false;
  auto Path = [&](LocId L) {
    llvm::SmallVector<LocId, 8> Steps;
    for (; D.at(L).Kind == LocKind::Field || D.at(L).Kind == LocKind::Elem;
         L = D.at(L).A)
      Steps.push_back(L);
    std::reverse(Steps.begin(), Steps.end());
    return Steps;
  };
  auto X = Path(A), Y = Path(B);
  for (size_t I = 0; I < X.size() && I < Y.size(); ++I) {
    if (X[I] == Y[I])
      continue;
    const LocNode M = D.at(X[I]), N = D.at(Y[I]);
    if (M.Kind != N.Kind)
      return false;
    if (M.Kind == LocKind::Field)
      return M.S != N.S;
    return M.B != None && N.B != None;
  }
  return false;
}

/// True for a member or global that contains a stream created for it alone, or
/// for each of its elements.
bool StreamView::isOwnStream(LocId L) const {
  LocId Holder = holderOf(L);
  LocKind K = D.at(Holder).Kind;
  if (K != LocKind::Field && K != LocKind::Global)
    return false;
  const WriteSummary *Writes = Rel.writes(D.text(D.at(Holder).S));
  return Writes && !Writes->Other &&
         (Writes->CreatedBlocking || Writes->CreatedNonBlocking ||
          Writes->CreatedUnknown);
}

/// True if a member \p Name of any object contains \p Stream, or contained it
/// when the capture began. Calls without source may have changed the object.
bool StreamView::isIn(const State &S, ValueId Stream, unsigned Name) const {
  return W.OriginMembers.count({Stream, Name}) ||
         llvm::any_of(S.Mem, [&](const Memory::Item &I) {
           return I.Data == Stream && memberOfPlace(I.Key) == Name;
         });
}

void StreamView::noteOrigin(const State &S, ValueId Origin) const {
  if (D[Origin].Kind != ValueKind::Stream)
    return;
  for (const Memory::Item &I : S.Mem)
    if (I.Data == Origin)
      W.OriginMembers.insert({Origin, memberOfPlace(I.Key)});
}

std::optional<Member> StreamView::memberOf(const State &S, ValueId Stream,
                                           bool PerThread) const {
  std::optional<Member> Result;
  for (CaptureId C : S.Active) {
    auto All = relations(S, C, Stream, PerThread);
    auto Inside = [](StreamRelation R) {
      return R == StreamRelation::Origin || R == StreamRelation::Joined;
    };
    std::optional<unsigned> In =
        S.Streams.lookup(recordedAs(S.Streams, Stream));
    if (All.size() == 1 && Inside(All.front()))
      return Member{C, false, In && Member::decode(*In).Guess};
    if (llvm::any_of(All, Inside))
      Result = Member{C, true, !In || Member::decode(*In).Guess};
  }
  return Result;
}

std::optional<Recorded> StreamView::recordedAt(const State &S,
                                               ValueId Event) const {
  if (Event == None)
    return std::nullopt;
  std::optional<Recorded> All;
  for (ValueId Name : namesIn(S.Events, Event)) {
    std::optional<unsigned> Data = S.Events.lookup(Name);
    if (!Data)
      return std::nullopt;
    Recorded R = Recorded::decode(*Data);
    if (All && (All->Where != R.Where || All->Capture != R.Capture))
      return std::nullopt;
    R.Maybe |= All && All->Maybe;
    All = R;
  }
  return All;
}

std::optional<StreamKind> StreamView::kindOf(const State &S,
                                             ValueId Stream) const {
  const ValueNode N = D[Stream];
  switch (N.Kind) {
  case ValueKind::Stream:
    if (N.B == None)
      return std::nullopt;
    return static_cast<StreamKind>(N.B);
  case ValueKind::Int:
    return StreamKind::Blocking; // the per-thread default stream
  case ValueKind::Phi: {
    std::optional<StreamKind> All;
    for (ValueId C : D.candidates(Stream)) {
      std::optional<StreamKind> K =
          D[C].Kind == ValueKind::Phi ? std::nullopt : kindOf(S, C);
      if (!K || (All && *All != *K))
        return std::nullopt;
      All = K;
    }
    return All;
  }
  case ValueKind::Init: {
    if (N.A == D.slot(Slot::CurrentStream))
      return StreamKind::NonBlocking; // frameworks capture on pool streams
    const LocNode L = D.at(N.A);
    LocId Named = L.Kind == LocKind::Elem ? L.A : N.A;
    if (D.at(Named).Kind != LocKind::Field &&
        D.at(Named).Kind != LocKind::Global)
      return std::nullopt;
    const WriteSummary *Writes = Rel.writes(D.text(D.at(Named).S));
    if (!Writes || Writes->Other || Writes->CreatedUnknown ||
        Writes->CreatedBlocking == Writes->CreatedNonBlocking)
      return std::nullopt;
    return Writes->CreatedBlocking ? StreamKind::Blocking
                                   : StreamKind::NonBlocking;
  }
  default:
    return std::nullopt;
  }
}

/// The kind of a capture: one blocking stream in it makes it blocking
/// (measured: capture_matrix, kind "mixed").
llvm::SmallVector<StreamKind, 2> StreamView::kindsOf(const State &S,
                                                     CaptureId C) const {
  const llvm::SmallVector<StreamKind, 2> Both{StreamKind::Blocking,
                                              StreamKind::NonBlocking};
  std::optional<StreamKind> Own = Result.Captures[C].Kind;
  if (!Own)
    return Both;
  bool Open = false;
  for (const FactMap::Item &I : S.Streams) {
    Member M = Member::decode(I.Data);
    std::optional<StreamKind> K = kindOf(S, I.Key);
    if (*Own == StreamKind::Blocking || K == StreamKind::NonBlocking)
      continue;
    if (K && !M.Maybe)
      return {StreamKind::Blocking};
    Open |= K.has_value();
  }
  if (Open)
    return Both;
  return {*Own};
}

ValueId StreamView::passed(const State &S, ValueId Stream) const {
  if (Stream == None || W.OperatorRoot == None || S.Active.empty() ||
      D[Stream].Kind != ValueKind::Init || !isParameter(D[Stream].A))
    return Stream;
  return Result.Captures[S.Active.front()].Origin;
}

bool StreamView::isParameter(LocId L) const {
  for (unsigned Guard = 0; Guard < 8 && W.OperatorRoot != None; ++Guard) {
    const LocNode Root = D.at(D.root(L));
    if (Root.Kind == LocKind::Var)
      return Root.A == W.OperatorRoot;
    if (Root.Kind != LocKind::Pointee || D[Root.A].Kind != ValueKind::Init)
      return false;
    L = D[Root.A].A;
  }
  return false;
}

} // namespace cudagraph
