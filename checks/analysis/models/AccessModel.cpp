//===- AccessModel.cpp - The order of writes and reads --------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See AccessModel.h.
//
//===----------------------------------------------------------------------===//

#include "AccessModel.h"
#include "StreamLoops.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

using catalogue::Effect;

/// The maximum number of reads that are followed at a time.
static constexpr size_t MaxReaders = 24;

/// A value in State::Writers: several branches write to the memory, probably
/// each to a part of it.
static constexpr unsigned Divided = 0x7fffffff;

/// True if \p Stream, a name for several streams, or all of them, have joined a
/// capture.
static bool haveJoined(const Domain &D, const State &S, ValueId Stream) {
  return S.Streams.contains(Stream) ||
         (!D.candidates(Stream).empty() &&
          llvm::all_of(D.candidates(Stream),
                       [&](ValueId Each) { return S.Streams.contains(Each); }));
}

/// The stream of \p C, if it is known: one particular stream, or one name for
/// several streams that have joined the capture.
ValueId AccessModel::streamOf(const Call &C, const State &S) const {
  ValueId Stream = C.Stream;
  if (Stream == None ||
      (Streams.areSeveral(Stream) ? !haveJoined(D, S, Stream)
                                  : !Streams.isIdentity(Stream)))
    return None;
  return C.PerThread && D.asInt(Stream) == 0 ? D.integer(2) : Stream;
}

/// True if other streams take part in capture \p C, or may do so through an
/// event that it has recorded.
bool AccessModel::isForked(const State &S, CaptureId C) const {
  return llvm::any_of(S.Streams,
                      [&](const FactMap::Item &I) {
                        return Member::decode(I.Data).Capture == C &&
                               I.Key != Result.Captures[C].Origin;
                      }) ||
         llvm::any_of(S.Events, [&](const FactMap::Item &I) {
           Recorded R = Recorded::decode(I.Data);
           return R.Where == Recorded::Inside && R.Capture == C;
         });
}

/// Handles \p C, which may write to any of its arguments.
void AccessModel::forget(const Call &C, State &S) {
  if (S.Writers.empty() && S.Readers.empty())
    return;
  for (const Access &A : accessesOf(C, S))
    if (ValueId Place = placeOf(C, S, A); Place != None) {
      S.Writers.erase(Place);
      S.Readers.eraseIf(
          [&](const FactMap::Item &R) { return D[R.Key].A == Place; });
    }
}

void AccessModel::after(Call &C, State &S) {
  if (S.Active.empty() || S.OtherThread || S.InCallback || S.Failing)
    return;
  Effect Does = C.Api.Does;
  if (Does == Effect::EventRecord || Does == Effect::StreamWaitEvent) {
    ValueId Event = C.arg("event"), Stream = streamOf(C, S);
    note(C, S);
    if (S.Writers.empty() && S.Readers.empty())
      return;
    if (Event == None || Stream == None || Streams.areSeveral(Event) ||
        (Does == Effect::EventRecord && Streams.areSeveral(Stream)) ||
        !Streams.recordedAt(S, Event)) {
      S.Writers = FactMap();
      S.Readers = FactMap();
      return;
    }
    Event = Streams.recordedAs(S.Events, Event);
    if (Does == Effect::EventRecord)
      pass(S, Stream, Event, /*Replace=*/true);
    else
      pass(S, Event, Stream, /*Replace=*/false);
    return;
  }
  bool Transfers = isTransfer(Does) && becomesNode(Does);
  if (!C.isKernel() && !Transfers) {
    if (becomesNode(Does))
      forget(C, S);
    return;
  }
  ValueId Stream = streamOf(C, S);
  std::optional<Member> M =
      Stream == None ? std::nullopt : Streams.memberOf(S, Stream, C.PerThread);
  if (M && !M->Maybe && !M->Guess && isForked(S, M->Capture))
    return Transfers ? transfer(C, S, Stream, *M) : launch(C, S, Stream, *M);
  forget(C, S);
}

/// Notes the record, or the wait, \p C.
void AccessModel::note(const Call &C, const State &S) {
  constexpr size_t Most = 256;
  ValueId Event = C.arg("event"), Stream = streamOf(C, S);
  if (Event != None && Stream != None && Orders.size() < Most)
    Orders.push_back({Event, Stream, C.O.Range, C.F.Function,
                      C.Api.Does == Effect::StreamWaitEvent});
}

/// The record of an event on the stream of \p First for which the stream \p
/// Second waits, although it does not wait for \p First; nullptr if there is
/// none.
const AccessModel::Order *AccessModel::recordedBefore(const Work &First,
                                                      ValueId Second) const {
  for (size_t I = Orders.size(); I-- > 0;) {
    if (!Orders[I].Waits || Orders[I].Stream != Second)
      continue;
    for (size_t J = I; J-- > 0;)
      if (!Orders[J].Waits && Orders[J].Event == Orders[I].Event) {
        if (Orders[J].Stream == First.Stream)
          return &Orders[J];
        break;
      }
  }
  return nullptr;
}

/// Records that all work for which \p From has waited also precedes the work
/// that follows on \p To; with \p Replace, only that work does.
void AccessModel::pass(State &S, ValueId From, ValueId To, bool Replace) {
  for (const FactMap &All : {S.Writers, S.Readers})
    for (const FactMap::Item &I : All) {
      ValueId Mine = reachedKey(D, I.Key, To);
      if (S.Reached.contains(reachedKey(D, I.Key, From)))
        S.Reached.set(Mine, 0);
      else if (Replace)
        S.Reached.erase(Mine);
    }
}

/// The number of elements in a grid or a block, \p V; 0 if it is unknown.
static uint64_t sizeOf(const Domain &D, ValueId V, unsigned Depth = 0) {
  if (V == None)
    return 1; // an omitted dimension
  if (std::optional<int64_t> N = D.asInt(V))
    return *N > 0 && *N <= UINT16_MAX ? *N : 0;
  const ValueNode N = D[V];
  return Depth < 4 && N.Kind == ValueKind::Op && D.text(N.S) == "aggregate"
             ? sizeOf(D, N.A, Depth + 1) * sizeOf(D, N.B, Depth + 1)
             : 0;
}

/// The number of threads of the kernel \p C that may write an element each; 0
/// if it is unknown. A number that the kernel receives may limit it.
static uint64_t threadsOf(const Domain &D, const Call &C) {
  if (C.Config.size() < 2)
    return 0;
  uint64_t Threads = sizeOf(D, C.Config[0]) * sizeOf(D, C.Config[1]);
  for (unsigned I = 0; I < C.Args.size() && I < C.O.Args.size(); ++I) {
    if (C.O.Args[I].Sort != CallArg::Scalar)
      continue;
    std::optional<int64_t> N = D.asInt(C.Args[I]);
    if (!N && !D.asNumber(C.Args[I]))
      return 0;
    if (N && *N > 0)
      Threads = std::min(Threads, static_cast<uint64_t>(*N));
  }
  return Threads;
}

void AccessModel::launch(const Call &C, State &S, ValueId Stream,
                         const Member &M) {
  Work Mine{C.O.Range,
            C.StreamText,
            C.F.Function,
            C.Callee == None ? "" : Table.info(C.Callee).Name,
            /*IsKernel=*/true,
            Stream,
            None,
            M.Capture};
  Mine.Threads = threadsOf(D, C);
  for (bool Writes : {false, true})
    for (const Access &A : accessesOf(C, S)) {
      if (A.Arg.Sort != CallArg::Pointer || A.Arg.Written != Writes)
        continue;
      if (!Writes)
        read(C, S, A, Mine);
      else if (A.Arg.Stored)
        write(C, S, A, Mine);
      else if (ValueId Place = placeOf(C, S, A); Place != None)
        S.Writers.erase(Place);
    }
}

/// Handles a copy, or a call that sets memory.
void AccessModel::transfer(const Call &C, State &S, ValueId Stream,
                           const Member &M) {
  Work Mine{C.O.Range,          C.StreamText, C.F.Function, C.Api.Name,
            /*IsKernel=*/false, Stream,       None,         M.Capture};
  if (std::optional<unsigned> From = C.indexOf("src"))
    read(C, S, {C.O.Args[*From], C.Args[*From]}, Mine);
  if (std::optional<unsigned> To = C.indexOf("dst"))
    write(C, S, {C.O.Args[*To], C.Args[*To]}, Mine);
}

unsigned AccessModel::numberOf(const Work &By) {
  auto It = llvm::find(Works, By);
  if (It == Works.end())
    It = Works.insert(Works.end(), By);
  return It - Works.begin();
}

/// True if \p A and \p B, one of several streams, may be the same.
bool AccessModel::mayBeSame(ValueId A, ValueId B) const {
  return A == B || Streams.mayBeOfOneArray(A, B) ||
         llvm::any_of(D.candidates(B), [&](ValueId Each) {
           return Each == A || Streams.mayBeOfOneArray(A, Each);
         });
}

/// True if \p Second does not wait for \p First, whose key in State::Reached is
/// \p Reached, although both use the same memory.
bool AccessModel::isUnordered(const State &S, const Work &First,
                              const Work &Second, ValueId Reached) {
  return First.Capture == Second.Capture &&
         !mayBeSame(First.Stream, Second.Stream) &&
         !mayBeSame(Second.Stream, First.Stream) &&
         !S.Reached.contains(reachedKey(D, Reached, Second.Stream)) &&
         (First.Address == Second.Address || overlap(First, Second.Address) ||
          overlap(Second, First.Address));
}

/// Handles \p By, the call \p C, which writes to the target of \p A.
void AccessModel::write(const Call &C, State &S, const Access &A, Work By) {
  ValueId Place = placeOf(C, S, A);
  if (Place == None)
    return;
  By.Address = A.Address;
  By.Whole = A.Arg.Whole;
  By.Edges = A.Arg.Edges;
  if (Streams.areSeveral(By.Stream)) {
    // Each stream may write to a part. To set the same memory again makes no
    // difference.
    if ((By.Whole || C.indexOf("src")) &&
        sharesMemory(W, C.F, C.O, A.Arg.Value, oneObject(By.Address) != None))
      report(C, S, A.Arg, By, /*Wrote=*/true, /*Writes=*/true);
    S.Writers.erase(Place);
    return;
  }
  std::optional<unsigned> Writer = S.Writers.lookup(Place);
  bool Apart = Writer == Divided;
  if (Writer && !Apart && isUnordered(S, Works[*Writer], By, Place)) {
    Apart = !By.Whole || !Works[*Writer].Whole;
    if (!Apart)
      report(C, S, A.Arg, Works[*Writer], /*Wrote=*/true, /*Writes=*/true);
  }
  for (const FactMap::Item &I : S.Readers)
    if (!Apart && D[I.Key].A == Place &&
        isUnordered(S, Works[I.Data], By, I.Key)) {
      report(C, S, A.Arg, Works[I.Data], /*Wrote=*/false, /*Writes=*/true);
      break;
    }
  S.Readers.eraseIf(
      [&](const FactMap::Item &I) { return D[I.Key].A == Place; });
  S.Writers.set(Place, Apart ? Divided : numberOf(By));
  S.Reached.eraseIf([&](const FactMap::Item &I) {
    ValueId Of = D[I.Key].A;
    return Of == Place || (D[Of].Kind == ValueKind::Op && D[Of].A == Place);
  });
  S.Reached.set(reachedKey(D, Place, By.Stream), 0);
}

/// Handles \p By, the call \p C, which reads the target of \p A.
void AccessModel::read(const Call &C, State &S, const Access &A, Work By) {
  ValueId Place = placeOf(C, S, A);
  if (Place == None)
    return;
  By.Address = A.Address;
  if (std::optional<unsigned> Writer = S.Writers.lookup(Place);
      Writer && Writer != Divided && isUnordered(S, Works[*Writer], By, Place))
    report(C, S, A.Arg, Works[*Writer], /*Wrote=*/true, /*Writes=*/false);
  if (S.Readers.size() >= MaxReaders)
    return;
  unsigned Number = numberOf(By);
  ValueId Key = readerKey(D, Place, Number);
  S.Readers.set(Key, Number);
  S.Reached.set(reachedKey(D, Key, By.Stream), 0);
}

void AccessModel::report(const Call &C, const State &S, const CallArg &Arg,
                         const Work &First, bool Wrote, bool Writes) {
  Fact R = Facts.at(C.F, C.O, S, First.Capture);
  auto &Earlier = R.become<FactKind::Unordered>();
  R.Api = &C.Api;
  R.Callee = !C.isKernel()      ? C.Api.Name
             : C.Callee == None ? ""
                                : Table.info(C.Callee).Name;
  Earlier.Call = First.Call;
  Earlier.In = First.In;
  // In a loop, one spelling may denote both streams.
  if (Table.text(First.StreamText) != Table.text(C.StreamText))
    Earlier.StreamText = First.StreamText;
  Earlier.Name = First.Name;
  Earlier.IsKernel = First.IsKernel;
  Earlier.Wrote = Wrote;
  Earlier.Writes = Writes;
  Earlier.Memory = Table.text(Arg.Range);
  const Order *Early = recordedBefore(First, streamOf(C, S));
  if (Early) {
    Earlier.Recorded = Early->Call;
    Earlier.RecordedIn = Early->In;
  }
  R.restOn(Evidence::Unordered);
  // Two kernels, one of which exchanges the edges of an array, may use
  // different elements. However, a wait for the stream shows that the order
  // matters.
  bool Edges = Wrote ? First.Edges : Arg.Edges;
  if (Edges && !Early && First.IsKernel && C.isKernel())
    R.restOn(Evidence::OnlyEdges);
  Facts.record(std::move(R));
}

void AccessModel::captureLeft(State &S, CaptureId) {
  S.Writers = FactMap();
  S.Readers = FactMap();
  S.Reached = FactMap();
  Orders.clear();
}

} // namespace cudagraph
