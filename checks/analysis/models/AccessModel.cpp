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
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

using catalogue::Effect;

/// The stream of \p C, if it is one particular stream.
ValueId AccessModel::streamOf(const Call &C) const {
  ValueId Stream = C.Stream;
  if (Stream == None || !Streams.isIdentity(Stream) ||
      Streams.areSeveral(Stream))
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

/// The address of the place from which the address in argument \p Arg was read.
/// If a pointer led to that place: the address itself, if it has a name. None
/// if there is no such place, or if one of several elements contains it.
ValueId AccessModel::placeOf(const Call &C, State &S, unsigned Arg) {
  Inputs::Places From = Inputs(W, Use.Calls).of(C.F, C.O.Args[Arg].Value, S);
  if (From.empty() || llvm::any_of(From, [&](const Inputs::Input &I) {
        return isOfSomeElement(D, I.Place);
      }))
    return None;
  if (From.size() == 1)
    return D.value(ValueKind::Addr, 0, From.front().Place);
  ValueKind K = D[C.Args[Arg]].Kind;
  return K == ValueKind::Memory || K == ValueKind::Init ? C.Args[Arg] : None;
}

/// Handles \p C, which may write to any of its arguments.
void AccessModel::forget(const Call &C, State &S) {
  if (S.Writers.empty())
    return;
  for (unsigned I = 0; I < C.Args.size() && I < C.O.Args.size(); ++I)
    if (ValueId Place = placeOf(C, S, I); Place != None)
      S.Writers.erase(Place);
}

void AccessModel::after(Call &C, State &S) {
  if (S.Active.empty() || S.OtherThread || S.InCallback || S.Failing)
    return;
  Effect Does = C.Api.Does;
  if (Does == Effect::EventRecord || Does == Effect::StreamWaitEvent) {
    ValueId Event = C.arg("event"), Stream = streamOf(C);
    if (S.Writers.empty())
      return;
    if (Event == None || Stream == None || Streams.areSeveral(Event) ||
        !Streams.recordedAt(S, Event)) {
      S.Writers = FactMap();
      return;
    }
    Event = Streams.recordedAs(S.Events, Event);
    if (Does == Effect::EventRecord)
      pass(S, Stream, Event, /*Replace=*/true);
    else
      pass(S, Event, Stream, /*Replace=*/false);
    return;
  }
  if (!C.isKernel()) {
    if (becomesNode(Does))
      forget(C, S);
    return;
  }
  ValueId Stream = streamOf(C);
  std::optional<Member> M =
      Stream == None ? std::nullopt : Streams.memberOf(S, Stream, C.PerThread);
  if (M && !M->Maybe && !M->Guess && isForked(S, M->Capture))
    return launch(C, S, Stream, *M);
  forget(C, S);
}

/// Records that all writes for which \p From has waited also precede the work
/// that follows on \p To; with \p Replace, only these writes do.
void AccessModel::pass(State &S, ValueId From, ValueId To, bool Replace) {
  for (const FactMap::Item &I : FactMap(S.Writers)) {
    ValueId Mine = reachedKey(D, I.Key, To);
    if (S.Reached.contains(reachedKey(D, I.Key, From)))
      S.Reached.set(Mine, 0);
    else if (Replace)
      S.Reached.erase(Mine);
  }
}

void AccessModel::launch(const Call &C, State &S, ValueId Stream,
                         const Member &M) {
  Work Mine{C.O.Range, C.StreamText, C.F.Function, C.Callee,
            Stream,    None,         M.Capture};
  for (bool Writes : {false, true})
    for (unsigned I = 0; I < C.Args.size() && I < C.O.Args.size(); ++I) {
      const CallArg &Arg = C.O.Args[I];
      if (Arg.Sort != CallArg::Pointer || Arg.Written != Writes)
        continue;
      ValueId Place = placeOf(C, S, I);
      if (Place == None)
        continue;
      Mine.Address = C.Args[I];
      if (!Writes)
        read(C, S, Place, I, Stream, M);
      else if (Arg.Stored)
        write(S, Place, Mine);
      else
        S.Writers.erase(Place);
    }
}

void AccessModel::write(State &S, ValueId Place, const Work &By) {
  auto It = llvm::find(Works, By);
  unsigned Number = It - Works.begin();
  if (It == Works.end())
    Works.push_back(By);
  S.Writers.set(Place, Number);
  S.Reached.eraseIf(
      [&](const FactMap::Item &I) { return D[I.Key].A == Place; });
  S.Reached.set(reachedKey(D, Place, By.Stream), 0);
}

/// Handles the read by \p C, on \p Stream, of the memory whose address,
/// argument \p Arg, is at \p Place.
void AccessModel::read(const Call &C, State &S, ValueId Place, unsigned Arg,
                       ValueId Stream, const Member &M) {
  std::optional<unsigned> Writer = S.Writers.lookup(Place);
  if (!Writer)
    return;
  const Work &By = Works[*Writer];
  if (By.Capture != M.Capture || By.Stream == Stream ||
      Streams.mayBeOfOneArray(By.Stream, Stream) ||
      S.Reached.contains(reachedKey(D, Place, Stream)) ||
      By.Address != C.Args[Arg])
    return;
  Fact R = Facts.at(C.F, C.O, S, M.Capture);
  auto &Earlier = R.become<FactKind::Unordered>();
  R.Api = &C.Api;
  R.Callee = C.Callee == None ? "" : Table.info(C.Callee).Name;
  Earlier.Call = By.Call;
  Earlier.In = By.In;
  Earlier.StreamText = By.StreamText;
  Earlier.Kernel = By.Kernel == None ? "" : Table.info(By.Kernel).Name;
  Earlier.Memory = Table.text(C.O.Args[Arg].Range);
  R.restOn(Evidence::UnorderedRead);
  Facts.record(std::move(R));
}

void AccessModel::captureLeft(State &S, CaptureId) {
  S.Writers = FactMap();
  S.Reached = FactMap();
}

} // namespace cudagraph
