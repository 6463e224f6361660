//===- OpaqueCalls.cpp - Calls without a walk -----------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See CallResolver.h.
//
//===----------------------------------------------------------------------===//

#include "CallResolver.h"
#include "TableQueries.h"
#include "analysis/domain/Keys.h"
#include "analysis/ir/ListSize.h"
#include "analysis/ir/TableMarks.h"

namespace cudagraph {

/// True if \p Callee, which is not walked, adds elements to tables or erases
/// them.
static bool changesTables(Program &Table, const Relevance &Rel,
                          FunctionId Callee) {
  return Table.info(Callee).HasBody &&
         (Rel.mentions(Callee, KnownKeys) || Rel.mentions(Callee, HasKey));
}

States CallResolver::call(Frame &F, const Op &O, State S) {
  if (!O.Implicit || O.Object == None || !Values.isPerhapsOwned(F, O.Object, S))
    return callSurely(F, O, std::move(S));
  // If there may be another owner, the object ends only on some paths.
  State Stays = S;
  setResult(D, F, O, Stays, D.integer(0));
  States After = callSurely(F, O, std::move(S));
  if (After.size() == 1 && After.front().sameKey(Stays))
    join(D, After.front(), Stays, Domain::site(F.Function, O.ResultIndex, 9),
         Widen::Nothing, W.Steps);
  return After;
}

/// True if \p To works on a capturing stream, according to its entry \p E,
/// or if the entry does not specify it: the call itself is then correct.
bool CallResolver::worksInside(const Frame &F, const State &S, const Target &To,
                               const catalogue::Entry &E) {
  if (S.Active.empty() || E.Outcomes.empty())
    return !S.Active.empty();
  std::optional<int> I = E.arg("stream", To.Args.size());
  if (!I || *I < 0 || static_cast<size_t>(*I) >= To.Args.size())
    return false;
  std::optional<Member> M = Models.Use.Streams.memberOf(
      S, To.Args[*I], Table.info(F.Function).PerThread);
  return M && !M->Maybe;
}

/// Records that \p Callee, which is not walked, may contain source that does
/// not parse.
void CallResolver::passUnparsed(State &S, FunctionId Callee) const {
  if (Rel.bits(Callee) & Relevance::Unparsed)
    S.passUnparsed();
}

/// Handles a call whose callee is not walked again: the callee may wait for
/// streams and record events, unless it only computes.
void CallResolver::skip(const Frame &F, const Op &O, State &S,
                        FunctionId Callee, llvm::ArrayRef<ValueId> Args) {
  constexpr uint16_t MayJoin = Relevance::Effects | Relevance::Unknown |
                               Relevance::Virtual | Relevance::Hides |
                               Relevance::Forks;
  passUnparsed(S, Callee);
  if (Rel.bits(Callee) & MayJoin)
    blurUnjoined(D, S, None);
  if (changesTables(Table, Rel, Callee))
    forgetKeys(D, S);
  for (ValueId A : Args)
    if (D[A].Kind == ValueKind::Event)
      S.Events.erase(A);
  setResult(D, F, O, S, unknownResult(F, O, S));
}

/// Handles the passing of argument \p I, with value \p V, to an unknown
/// function or, if \p Known, to a library or to the device.
void CallResolver::forgetArgument(const Frame &F, const Op &O, State &S,
                                  unsigned I, ValueId V, bool Known) {
  const CallArg *Arg = O.arg(I);
  bool Typed = Arg && Arg->IsStream;
  // A library does not write to constant arguments.
  bool MayFill = Known && (!Arg || Arg->Written);
  if (!Known)
    Models.Streams.suspect(S, V, Typed);
  const ValueNode N = D[V];
  if (N.Kind != ValueKind::Addr)
    return;
  // The target of the address may have been written.
  LocId Root = D.root(N.A);
  ValueId Filled =
      D.opaque(Domain::site(F.Function, O.ResultIndex * 16 + I, 11));
  // The call may write to a part of an object that was set to zero.
  if ((MayFill || !Known) && !S.Mem.contains(N.A) &&
      D.asInt(read(D, S, N.A)) == 0)
    S.Mem.set(N.A, Filled);
  for (const Memory::Item &Each : Memory(S.Mem)) {
    if (D.root(Each.Key) != Root)
      continue;
    bool Whole = Each.Key == N.A;
    bool Null = D.asInt(Each.Data) == 0;
    if (!Known)
      Models.Streams.suspect(S, Each.Data, Typed);
    ValueKind K = D[Each.Data].Kind;
    bool Scalar = K != ValueKind::Closure && K != ValueKind::CopyOf &&
                  K != ValueKind::Function;
    bool Size = D.text(D.at(Each.Key).S) == ListSize ||
                D.text(D.at(Each.Key).S) == KnownKeys;
    if (((Whole || Size) && Scalar && !Known) || (Null && !Known) ||
        (Whole && MayFill && Null) || (Size && MayFill))
      S.Mem.set(Each.Key, Filled);
  }
}

/// Records which streams the unknown function \p Info may store, and the fact
/// that its result, \p Returned, may be a separate stream.
void CallResolver::noteStreams(const Op &O, const State &S,
                               const FunctionInfo *Info,
                               llvm::ArrayRef<ValueId> Args, ValueId Returned) {
  bool Numbers = Info && !Info->HasBody && O.Object == None;
  for (unsigned I = 0; I < Args.size(); ++I) {
    const CallArg *A = O.arg(I);
    Numbers &= A && A->Sort == CallArg::Scalar && !A->IsStream;
    // During a capture, a function that takes a stream and several other
    // arguments enqueues work on the stream.
    if (S.Active.empty() || Args.size() <= 2 ||
        D[Args[I]].Kind == ValueKind::Addr)
      W.Handed.insert(Args[I]);
  }
  if (Numbers)
    W.Getters.insert(Returned);
}

/// Handles a method of a library class, such as a duration, that computes with
/// a value read from a clock, a random number generator, or the device.
void CallResolver::noteMeasured(const Frame &F, const Op &O, State &S,
                                const FunctionInfo &Info,
                                llvm::ArrayRef<ValueId> Args) {
  LocId Place = Values.evalPlace(F, O.Object, S);
  llvm::SmallVector<ValueId, 4> Operands(Args);
  if (std::optional<ValueId> Own = S.Mem.lookup(Place);
      Own && !Info.IsConstructor && D.isMeasured(*Own) &&
      D[*Own].Kind != ValueKind::Phi)
    Operands.push_back(*Own);
  ValueId V = libraryResult(D, S, O.Callee, Operands);
  if (V == None || !D.isMeasured(V) || D[D[V].A].Kind == ValueKind::Phi)
    return;
  if (Info.IsConstructor)
    S.Mem.set(Place, V);
  else
    setResult(D, F, O, S, V);
}

void CallResolver::callOpaque(Frame &F, const Op &O, State &S,
                              FunctionId Callee, llvm::ArrayRef<ValueId> Args) {
  const FunctionInfo *Info = Callee == None ? nullptr : &Table.info(Callee);
  bool Known = Info && (Info->IsSystem || Info->IsDevice);
  setResult(D, F, O, S, unknownResult(F, O, S));
  if (Known) {
    // Library code without an entry: records the operands, so that std::min(n,
    // 256) still depends on n.
    if (ValueId V = libraryResult(D, S, Callee, Args); V != None) {
      // The results of a method for different objects differ.
      if (O.Object != None && D[V].B == None)
        V = D.value(
            ValueKind::Op, Callee, D[V].A,
            D.opaque(Domain::site(0, Values.evalPlace(F, O.Object, S), 14)),
            "library");
      setResult(D, F, O, S, V);
      if (!S.Active.empty())
        Models.Nodes.Inside.insert(V);
    }
    if (O.Object != None)
      noteMeasured(F, O, S, *Info, Args);
    if (std::optional<bool> Has = asksForKey(W, Values, F, O, S, Callee, Args))
      setResult(D, F, O, S, D.integer(*Has));
  } else if (Callee != None && changesTables(Table, Rel, Callee)) {
    forgetKeys(D, S);
  }
  // A guard whose body is elsewhere is recognized by its name and trusted.
  if (Info && !Info->IsSystem && !Info->HasBody && !S.Active.empty() &&
      Info->ReturnsFlag &&
      W.Catalogue.is(catalogue::Role::CaptureGuard, Info->Name))
    setResult(D, F, O, S, D.integer(1));
  for (unsigned I = 0; I < Args.size(); ++I) {
    forgetArgument(F, O, S, I, Args[I], Known);
    Models.Lifetimes.escapes(S, Args[I]);
    // It may fill the object of a caller.
    if (const CallArg *A = O.arg(I);
        A && A->Written && !Known && D[Args[I]].Kind == ValueKind::Addr)
      Models.Changes.written(F, O, S, D[Args[I]].A, None,
                             unknownResult(F, O, S));
  }
  Values.Sharing.escape(S, O, Args);
  if (!Known) {
    blurUnjoined(D, S, None);
    noteStreams(O, S, Info, Args, unknownResult(F, O, S));
    if (O.Object != None)
      W.Handed.insert(
          D.value(ValueKind::Addr, 0, Values.evalPlace(F, O.Object, S)));
  }
  // Replays do not repeat an error report.
  bool IsKnown = Info && (Known || Info->Unsafe || Info->NoReturn ||
                          (Info->HasBody && Table.hasGraph(Callee)));
  if (!S.Active.empty() && !S.Failing && !IsKnown)
    noteOpaque(F, O, S, Callee, Args);
}

/// Reports a function without source that receives a default stream and data:
/// the work that it enqueues there is not in the graph.
void CallResolver::noteHidden(Frame &F, const Op &O, State &S,
                              FunctionId Callee, llvm::ArrayRef<ValueId> Args) {
  const catalogue::Entry *Work = W.Catalogue.lookup("<stream>");
  if (Callee == None || Args.size() < 2 || !Work)
    return;
  const FunctionInfo &Info = Table.info(Callee);
  llvm::StringRef Name = Info.Name;
  if (Info.IsConstructor || Info.IsDestructor ||
      W.Catalogue.is(catalogue::Role::Construction,
                     Name.substr(Name.rfind(':') + 1).str()))
    return;
  for (unsigned I = 0; I < Args.size() && I < O.Args.size(); ++I) {
    if (!O.Args[I].IsStream || D[Args[I]].Kind != ValueKind::Int)
      continue;
    Call C(F, O, *Work, Callee, &Info);
    C.Args = Args;
    C.HasStream = true;
    C.Stream = Args[I];
    C.StreamText = O.Args[I].Range;
    C.PerThread = Table.info(F.Function).PerThread;
    C.Operands = Evidence::HiddenWork;
    Models.Outcomes.after(C, S);
    return;
  }
}

/// Handles a call, in a capture, of \p Callee, about which nothing is known.
void CallResolver::noteOpaque(Frame &F, const Op &O, State &S,
                              FunctionId Callee, llvm::ArrayRef<ValueId> Args) {
  for (unsigned I = 0; I < Args.size() && I < O.Args.size(); ++I)
    if (O.Args[I].IsStream) {
      Happening H;
      H.Kind = TimelineKind::Opaque;
      H.Callee = Callee;
      H.Where = O.Range;
      H.StreamText = O.Args[I].Range;
      happen(Models.Use, F, S, std::move(H), Args[I],
             Table.info(F.Function).PerThread);
    }
  noteHidden(F, O, S, Callee, Args);
  Fact R = Models.Use.Facts.at(F, O, S, S.Active.back());
  R.become<FactKind::Opaque>();
  R.Callee = Callee == None ? "a function pointer" : Table.info(Callee).Name;
  Models.Use.Facts.record(std::move(R));
}

} // namespace cudagraph
