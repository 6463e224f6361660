//===- CallResolver.cpp - Finding callees ---------------------------------===//
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
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

CallResolver::CallResolver(Walk &W, Walker &Bodies)
    : Part(W), Models(W, *this), Values(W, Models.Graphs), Bodies(Bodies),
      Wide(W) {}

/// Handles lookups and predicates, which determine the graph that is captured
/// or launched.
void CallResolver::noteAsked(const Op &O, State &S, const Target &To) {
  W.Eager.insert(To.Callee);
  if (Rel.bits(To.Callee) & Relevance::Effects)
    W.noteRun(To.Callee, W.argumentsOf(O, S, To.This, To.Args));
  const FunctionInfo &Info = Table.info(To.Callee);
  bool Tests =
      Info.IsSystem
          ? O.Object != None
          : Info.ReturnsFlag &&
                !(Rel.bits(To.Callee) & (Relevance::Works | Relevance::Opens));
  for (ValueId A : To.Args)
    if (Tests)
      Models.Graphs.noteKeys(S, D.apply("library", A, None));
}

/// Reports a callee that is annotated as unsafe in captures.
void CallResolver::noteUnsafe(Frame &F, const Op &O, State &S,
                              const FunctionInfo &Info) {
  Fact R = Models.Use.Facts.at(F, O, S, S.Active.back());
  R.Callee = Info.Name;
  R.become<FactKind::UnsafeCall>().Text = Info.UnsafeReason;
  Models.Use.Facts.record(std::move(R));
}

States CallResolver::callCatalogued(Frame &F, const Op &O, State S,
                                    const Target &To,
                                    const catalogue::Entry &E) {
  const FunctionInfo &Info = Table.info(To.Callee);
  Call C(F, O, E, To.Callee, &Info);
  C.This = To.This;
  C.Args = To.Args;
  if (Rel.rolesOf(E).has(catalogue::Role::TensorOperator)) {
    llvm::SmallVector<ValueId, 4> Braces; // the tensors in its braced list
    for (const CallArg &A : O.Config)
      Braces.push_back(Values.eval(F, A.Value, S));
    return Models.applyOperator(C, std::move(S), Braces);
  }
  if (std::optional<unsigned> By = C.indexOf("choice"),
      Callee = C.indexOf("callable");
      By && Callee && !S.Active.empty() && O.arg(*By)) {
    ValueId Callable = C.Args[*Callee];
    if (D[Callable].Kind == ValueKind::Addr)
      Callable = read(D, S, D[Callable].A);
    if (enqueuesWork(*F.Graph, O, Callable))
      Models.Retained.retainChoice(F, O, S, C.Args[*By], "function",
                                   O.arg(*By));
  }
  // The calls that it may make follow.
  if (O.How == Dispatch::Direct && O.CalleeValue != None)
    return {std::move(S)};
  Models.Libraries.noteAge(C, S);
  if (catalogue::isHostEffect(E.Does) || E.Does == catalogue::Effect::Neutral)
    Values.Sharing.escape(S, O, C.Args);
  States After = Models.apply(C, std::move(S));
  if (E.has(catalogue::Trait::Tensors))
    for (State &Each : After)
      Models.Tensors.noteResult(F, O, Each, To.Callee, To.This, To.Args);
  return After;
}

/// Calls \p To: by its catalogue entry, by its body, or as unknown.
States CallResolver::dispatch(Frame &F, const Op &O, State S,
                              const Target &To) {
  const FunctionInfo &Info = Table.info(To.Callee);
  if (!S.Active.empty()) {
    W.InRegion.insert(Table.key(To.Callee));
    W.noteCall(S.Active.back(), O.Range, To.Callee);
  } else
    noteAsked(O, S, To);
  if (Info.RegionScope && (Info.IsConstructor || Info.IsDestructor)) {
    Models.Captures.regionScope(F, O, S, Info, To.Args);
    return {std::move(S)};
  }
  if (const catalogue::Entry *E = Rel.entryFor(To.Callee)) {
    if (E->has(catalogue::Trait::Wraps) && Table.hasGraph(To.Callee) &&
        worksInside(F, S, To, *E))
      return enter(F, O, std::move(S), To);
    return callCatalogued(F, O, std::move(S), To, *E);
  }
  if (!S.Active.empty() && Info.Unsafe)
    noteUnsafe(F, O, S, Info);
  if (Info.CaptureSafe) {
    setResult(D, F, O, S, unknownResult(F, O, S));
    return {std::move(S)};
  }
  if (Info.IsDestructor && To.This != None) {
    // Undoes the effect of a guard's constructor.
    bool Mode = Models.Captures.restoreMode(S, To.This);
    bool Stream = Models.Streams.restoreStream(S, To.This);
    if (Mode || Stream)
      return {std::move(S)};
  }
  if (Table.hasGraph(To.Callee))
    return callBody(F, O, std::move(S), To);
  if (Info.IsSystem)
    return callSystem(F, O, std::move(S), To);
  callOpaque(F, O, S, To.Callee, To.Args);
  return {std::move(S)};
}

/// True if the callee may translate the success of a call, which it receives.
static bool translatesStatus(Program &Table, const Domain &D, FunctionId Callee,
                             llvm::ArrayRef<ValueId> Args) {
  return Table.blocksIn(Callee) <= SmallGraph &&
         llvm::any_of(
             Args, [&](ValueId A) { return D[A].Kind == ValueKind::Status; });
}

/// True if a walk of \p Callee can provide information.
bool CallResolver::isWorthEntering(const State &S, const Target &To) {
  FunctionId Callee = To.Callee;
  const FunctionInfo &Info = Table.info(Callee);
  uint16_t Bits = Rel.bits(Callee);
  // A constant expression cannot make a relevant call.
  if ((Info.ReturnsHandle && !Info.IsConstexpr) || Info.IsConstructor ||
      Info.IsDestructor)
    return true;
  if (S.Active.empty()
          ? Bits & (Relevance::Opens | Relevance::Defines | Relevance::Unknown)
          : Bits != 0)
    return true;
  // The body shows where an event is recorded, and whether it may still be
  // used.
  if (Bits & Relevance::Forks && !S.Events.empty())
    return true;
  // Predicates may be guards; accessors may return a size or a flag, and a
  // function with a status argument may translate the success of a call.
  // A predicate may compare a value with the copy from the last capture.
  unsigned Blocks = Table.blocksIn(Callee);
  return Bits & Relevance::Effects || Blocks <= 4 ||
         (Blocks <= SmallGraph && Info.ReturnsFlag && !S.Changes.empty()) ||
         translatesStatus(Table, D, Callee, To.Args);
}

/// True if a nearer root shows the effect of \p Callee, or if enough contexts
/// have already shown it.
bool CallResolver::isSeenElsewhere(const Frame &F, const State &S,
                                   FunctionId Callee) {
  if (S.Active.empty() || Rel.bits(Callee) & Relevance::Opens)
    return false;
  const llvm::BitVector *Elsewhere = W.Limits.Elsewhere;
  if (Elsewhere && F.Depth >= NearCalls && Callee < Elsewhere->size() &&
      Elsewhere->test(Callee))
    return true;
  if (W.Steps <= ManySteps)
    return false;
  // Accessors and similar functions matter because of their results.
  const FunctionInfo &Info = Table.info(Callee);
  bool ForResult = Info.ReturnsHandle || Info.IsConstructor ||
                   Info.IsDestructor || Table.blocksIn(Callee) <= 4;
  return Wide.walksAlike(Callee) >= Wide.enoughWalks() * (ForResult ? 10 : 1);
}

States CallResolver::callBody(Frame &F, const Op &O, State S,
                              const Target &To) {
  bool Opens = Rel.bits(To.Callee) & Relevance::Opens;
  if (Table.info(To.Callee).NoReturn && !Opens)
    return {std::move(S)}; // nothing follows it
  // Whole programs are also walked before a capture begins; their effects are
  // dropped there. In a large program, code after a failure is also dropped.
  bool Given = S.Active.empty() ? Rel.reachesMany(To.Callee)
                                : S.Failing && W.Steps > ManySteps;
  if (Given && !Opens) {
    passUnparsed(S, To.Callee);
    callOpaque(F, O, S, To.Callee, To.Args);
    return {std::move(S)};
  }
  // Without its result, a failed call would look like a successful one.
  if (isSeenElsewhere(F, S, To.Callee) &&
      !translatesStatus(Table, D, To.Callee, To.Args)) {
    skip(F, O, S, To.Callee, To.Args);
    return {std::move(S)};
  }
  if (isWorthEntering(S, To))
    return enter(F, O, std::move(S), To);
  passUnparsed(S, To.Callee);
  setResult(D, F, O, S, unknownResult(F, O, S));
  return {std::move(S)};
}

/// True if \p F writes the member or global \p Name after its construction, and
/// no other function does.
static bool isOnlyWriter(const Walk &W, FunctionId F, llvm::StringRef Name) {
  const WriteSummary *All = W.Rel.writes(Name);
  // Instances of one template have the same name.
  auto IsOther = [&](FunctionId Each) {
    return Each != F && W.Table.info(Each).Name != W.Table.info(F).Name;
  };
  return All && llvm::none_of(All->Writers, IsOther) &&
         llvm::none_of(All->Resets, IsOther) &&
         llvm::none_of(All->Steppers,
                       [&](const WriteSummary::Change &Each) {
                         return IsOther(Each.In);
                       }) &&
         !(All->Writers.empty() && All->Resets.empty() &&
           All->Steppers.empty());
}

/// A property of the member or global whose method \p To is called, such as the
/// size of a container, or the value of an atomic object; None if it has none.
ValueId CallResolver::propertyOf(const Frame &F, const Op &O, const State &S,
                                 const Target &To) {
  if (To.This == None || D[To.This].Kind != ValueKind::Addr ||
      O.ResultIndex == None)
    return None;
  const LocNode N = D.at(D[To.This].A);
  // The object of a caller that is not visible, passed by reference.
  bool Passed = N.Kind == LocKind::Pointee && D[N.A].Kind == ValueKind::Init;
  if (N.Kind != LocKind::Field && N.Kind != LocKind::Global && !Passed)
    return None;
  llvm::StringRef Name = Table.info(To.Callee).Name;
  bool Atomic = Rel.rolesOf(To.Callee).has(catalogue::Role::Atomic);
  // `operator T`, but not `operator++`.
  bool Loads =
      Atomic && (Name.ends_with("::load") || Name.contains("::operator "));
  // No other function can have changed the value.
  if (Loads && !Passed && isOnlyWriter(W, F.Function, D.text(N.S)))
    return read(D, S, D[To.This].A);
  return Loads || To.Args.empty()
             ? D.value(ValueKind::Op, To.Callee, read(D, S, D[To.This].A), None,
                       "library")
             : None;
}

/// Calls a library function without a catalogue entry.
States CallResolver::callSystem(Frame &F, const Op &O, State S,
                                const Target &To) {
  bool Moves = Rel.rolesOf(To.Callee).has(catalogue::Role::MovesThread);
  Models.Threads.move(S, To.Args, Moves ? To.This : None);
  Models.Retained.retainTensors(F, O, S, To.Callee, To.This, To.Args);
  // An algorithm calls its arguments; an object only stores them.
  States After = Table.info(To.Callee).IsConstructor
                     ? States(std::move(S))
                     : invokeCallables(F, O, std::move(S), To.Args);
  for (State &Each : After) {
    callOpaque(F, O, Each, To.Callee, To.Args);
    if (ValueId V = propertyOf(F, O, Each, To); V != None)
      setResult(D, F, O, Each, V);
    Models.Tensors.noteResult(F, O, Each, To.Callee, To.This, To.Args);
  }
  return After;
}

/// True for a function or a lambda, and for one of several.
static bool isCallable(const Domain &D, ValueId V) {
  auto Is = [&](ValueId Each) {
    return D[Each].Kind == ValueKind::Closure ||
           D[Each].Kind == ValueKind::Function;
  };
  return Is(V) || llvm::any_of(D.candidates(V), Is);
}

States CallResolver::callSurely(Frame &F, const Op &O, State S) {
  llvm::SmallVector<ValueId, 8> Args, Config;
  for (const CallArg &A : O.Args)
    Args.push_back(Values.eval(F, A.Value, S));
  if (O.How == Dispatch::Kernel) {
    for (const CallArg &A : O.Config)
      Config.push_back(Values.eval(F, A.Value, S));
    ValueId Kernel = Values.eval(F, O.CalleeValue, S);
    Models.launch(F, O, S, Kernel, Config, Args);
    return {std::move(S)};
  }
  if (O.Value != None && truth(D, S, Values.eval(F, O.Value, S)) == false) {
    // The elements that a container may drop; see DestroyLowering::mayDrop().
    if (F.Graph->Exprs[O.Value].Kind == ExprKind::Int &&
        Rel.bits(O.Callee) & Relevance::Drops)
      Models.Changes.gaveUp(S);
    setResult(D, F, O, S, D.integer(0));
    return {std::move(S)}; // there is no object to destroy
  }
  Target To{O.Callee, None, Args, /*Uncertain=*/false};
  if (O.Object != None)
    To.This = D.value(ValueKind::Addr, 0, Values.evalPlace(F, O.Object, S));
  if (O.How == Dispatch::Indirect) {
    ValueId Callable = Values.eval(F, O.CalleeValue, S);
    if (O.Implicit && O.Callee == None && !isCallable(D, Callable)) {
      setResult(D, F, O, S, D.integer(0));
      return {std::move(S)}; // the object has no deleter of its own
    }
    if (!S.Active.empty() && enqueuesWork(*F.Graph, O, Callable))
      Models.Retained.retainChoice(F, O, S, Callable, "function");
    return callValue(F, O, std::move(S), Callable, Args, O.Callee, To.This);
  }
  // The constructed class of an object determines its virtual calls.
  if (Table.info(O.Callee).IsConstructor && To.This != None) {
    LocId ClassOf = D.slotOf(Slot::DynamicClass, D.pointee(To.This));
    States After = dispatch(F, O, std::move(S), To);
    for (State &Each : After)
      Each.Mem.set(ClassOf, D.value(ValueKind::Function, O.Callee));
    return After;
  }
  if (O.How == Dispatch::Virtual)
    return callVirtual(F, O, std::move(S), To);
  return dispatch(F, O, std::move(S), To);
}

} // namespace cudagraph
