//===- Model.cpp - The common part of all models --------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Model.h.
//
//===----------------------------------------------------------------------===//

#include "Model.h"
#include "analysis/program/Reached.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

using catalogue::Effect;

const JobQueue *jobQueueAt(const Domain &D, const Relevance &Rel, LocId L) {
  for (;; L = D.at(L).A) {
    const LocNode N = D.at(L);
    if (N.Kind == LocKind::Field || N.Kind == LocKind::Global)
      if (const JobQueue *Queue = Rel.Jobs->find(D.text(N.S)))
        return Queue;
    if (N.Kind != LocKind::Field && N.Kind != LocKind::Elem)
      return nullptr;
  }
}

void setResult(Domain &D, const Frame &F, const Op &O, State &S, ValueId V) {
  if (O.ResultIndex != None)
    S.Mem.set(D.loc(LocKind::Result, O.ResultIndex, F.Function), V);
}

void happen(Services &Use, const Frame &F, const State &S, Happening H,
            ValueId Stream, bool PerThread) {
  if (S.Active.empty() || S.InCallback || S.OtherThread || S.Failing ||
      !H.Where.Begin)
    return;
  if (PerThread && Stream != None && Use.W.D.asInt(Stream) == 0)
    Stream = Use.W.D.integer(2);
  std::optional<Member> In = Stream == None
                                 ? std::nullopt
                                 : Use.Streams.memberOf(S, Stream, PerThread);
  Use.Times.happen(F, S, std::move(H), Stream, In);
}

ValueId libraryResult(Domain &D, const State &S, FunctionId Callee,
                      llvm::ArrayRef<ValueId> Args) {
  ValueId Parts = None;
  for (ValueId A : Args) {
    ValueId V = D[A].Kind == ValueKind::Addr ? read(D, S, D[A].A) : A;
    if (D[V].Kind == ValueKind::CopyOf || D[V].Kind == ValueKind::Closure)
      continue;
    Parts = Parts == None ? V : D.apply("aggregate", Parts, V);
  }
  return Parts == None ? None
                       : D.value(ValueKind::Op, Callee, Parts, None, "library");
}

/// The block of \p G that begins \p R; None if there is none.
static unsigned beginsIn(const FlowGraph &G, const CaptureRecord &R) {
  for (unsigned B = 0; B < G.Blocks.size(); ++B)
    if (llvm::any_of(G.Blocks[B].Ops, [&](const Op &O) {
          return O.Kind == OpKind::Call &&
                 (O.Range.Begin == R.BeginCall.Begin ||
                  (O.Callee == R.BeginIn && R.BeginIn != None));
        }))
      return B;
  return None;
}

/// True if the function of \p F calls the steps of a state machine, other than
/// by \p Via.
static bool callsOtherSteps(const Relevance &Rel, const Frame &F,
                            const Op *Via) {
  constexpr uint16_t AnyCallee = Relevance::Unknown | Relevance::Virtual;
  if (!(Rel.bits(F.Function) & AnyCallee))
    return false;
  const FlowGraph &G = *F.Graph;
  bool Calls = false;
  for (const Block &B : G.Blocks)
    for (const Op &O : B.Ops)
      if (O.Kind == OpKind::Call &&
          (O.How == Dispatch::Indirect || O.How == Dispatch::Virtual) &&
          callsSteps(Rel, G, O)) {
        if (&O == Via)
          return false;
        Calls = true;
      }
  return Calls;
}

bool isLaterStep(Walk &W, const Frame &F, const CaptureRecord &R) {
  const Op *Via = nullptr; // the call that leads from A to F
  for (const Frame *A = &F; A; Via = A->CallSite, A = A->Parent) {
    if (callsOtherSteps(W.Rel, *A, Via))
      return true;
    if (A->Function == R.Home)
      return false;
    if (!(W.Rel.bits(A->Function) & Relevance::Opens))
      continue;
    unsigned Begin = beginsIn(*A->Graph, R);
    if (Begin != None && !reachedFrom(*A->Graph, Begin).test(A->Block))
      return true;
  }
  return false;
}

bool isStepApart(const Walk &W, const Frame &F) {
  auto IsApart = [&](const Op &O) {
    if (O.Kind != OpKind::Call || O.Callee == None)
      return false;
    const catalogue::Entry *E = W.Rel.entryFor(O.Callee);
    return E ? E->Does == catalogue::Effect::GraphLaunch
             : (W.Rel.bits(O.Callee) & Relevance::Begins) != 0;
  };
  for (const Frame *A = &F; A->Parent && A->CallSite; A = A->Parent)
    if (callsSteps(W.Rel, *A->Parent->Graph, *A->CallSite) &&
        llvm::any_of(A->Graph->Blocks, [&](const Block &B) {
          return llvm::any_of(B.Ops, IsApart);
        }))
      return true;
  return false;
}

bool isInAllocator(const Walk &W, const Frame &F, const CaptureRecord &R) {
  auto TakesNumber = [](const FlowGraph &G) {
    return llvm::any_of(llvm::ArrayRef(G.Vars).take_front(G.NumParams),
                        [](const LocalVar &P) { return P.IsNumber; });
  };
  for (const Frame *A = &F; A && A->Function != R.Home; A = A->Parent)
    if (W.Table.info(A->Function).ReturnsHandle &&
        !(W.Rel.bits(A->Function) & Relevance::Works) &&
        (A == &F || TakesNumber(*A->Graph)))
      return true;
  return false;
}

CaptureId captureOf(Services &Use, const Call &C, const State &S) {
  if (C.HasStream)
    if (std::optional<Member> M =
            Use.Streams.memberOf(S, C.Stream, C.PerThread);
        M && !M->Maybe)
      return M->Capture;
  return S.Active.back();
}

Fact factOf(Services &Use, const Call &C, const State &S, CaptureId Of) {
  const Op &O = C.O;
  Fact R = Use.Facts.at(C.F, O, S, Of);
  R.Api = &C.Api;
  R.Callee = C.Info ? C.Info->Name : C.Api.Name;
  R.restOn(C.Operands);
  auto &Call = R.become<FactKind::ApiCall>();
  Call.Name = O.Name;
  Call.CloseParen = O.CloseParen;
  Call.HasStream = C.HasStream;
  Call.Discarded = O.Discarded;
  if (std::optional<int> I = C.Api.arg("event", C.Args.size());
      I && *I >= 0 && static_cast<size_t>(*I) < O.Args.size())
    Call.EventText = O.Args[*I].Range;
  Call.StreamText = C.StreamText;
  for (const CallArg &A : O.Config)
    Call.NumConfigArgs += A.Range.Begin != 0;
  for (const CallArg &A : C.isKernel() ? O.Config : O.Args)
    if (A.Range.Begin)
      Call.Args.push_back(A.Range);
  if (C.Api.Does == Effect::CaptureEnd) // the thread's own mode does not matter
    R.Mode = Use.W.Result.Captures[Of].Mode;
  return R;
}

} // namespace cudagraph
