//===- NodeModel.cpp - The arguments that nodes retain --------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See NodeTable.h.
//
//===----------------------------------------------------------------------===//

#include "NodeModel.h"

namespace cudagraph {

using catalogue::Effect;

/// The evidence that work on the stream of \p C becomes a node; nothing if it
/// does not. If \p C has no stream, its work is on the stream of an unknown
/// library handle.
std::optional<Evidence> NodeModel::streamOf(const Call &C,
                                            const State &S) const {
  if (!C.HasStream)
    return Evidence::LibraryStream;
  std::optional<Member> M = Streams.memberOf(S, C.Stream, C.PerThread);
  if (!M)
    return std::nullopt;
  return M->Guess   ? Evidence::GuessedStream
         : M->Maybe ? Evidence::JoinsOnSomePaths
                    : Evidence::KnownStream;
}

/// Handles \p C, which waits: copies on a stream that is not part of the
/// capture have ended.
void NodeModel::waited(const Call &C) {
  for (Retained &K : Nodes.Arguments)
    if (K.Use.Guessed && K.At.Function == C.F.Function) {
      K.Use.Guessed = false;
      K.At.restOn(Evidence::GuessedStream);
    }
}

void NodeModel::after(Call &C, State &S) {
  if (C.Api.Does == Effect::SyncStream || C.Api.Does == Effect::SyncDevice ||
      C.Api.Does == Effect::SyncEvent)
    waited(C);
  if (!becomesNode(C.Api.Does) || S.Active.empty())
    return;
  bool Counts = !S.OtherThread && !S.InCallback && !S.Failing;
  if (!Counts && !C.isKernel())
    return;
  std::optional<Evidence> Stream = streamOf(C, S);
  if (!Stream)
    return; // it is not in the graph
  Node N{C.F, C.O, S, C.isKernel() ? nullptr : &C.Api, *Stream, std::nullopt};
  if (C.isKernel())
    retainConfig(N, C);
  if (!Counts)
    return;
  renew(N, C);
  if (std::optional<unsigned> I = C.indexOf("size"))
    N.Bytes = D.asInt(C.Args[*I]);
  ValueId Kind = C.arg("kind");
  N.FromHost =
      C.Api.Direction == "h2d" ||
      (Kind != None &&
       W.Catalogue.isValue(catalogue::Role::CopiesFromHost, D.asInt(Kind)));
  retainArgs(N, C);
}

/// Records that the arguments of the node \p N exist: memory with the same name
/// whose lifetime has ended belongs to an earlier iteration.
void NodeModel::renew(const Node &N, const Call &C) {
  if (N.S.Gone.empty())
    return;
  for (ValueId V : C.Args) {
    if (V == None)
      continue;
    N.S.Gone.erase(keyOfValue(baseOf(D, V)));
    if (D[V].Kind == ValueKind::Addr)
      N.S.Gone.erase(keyOfObject(D.root(D[V].A)));
  }
}

/// Records the configuration of a kernel launch. A kernel with a grid-stride
/// loop computes the same results with any grid.
void NodeModel::retainConfig(const Node &N, const Call &C) {
  static const char *const Parts[] = {"grid", "block", "shared memory"};
  for (unsigned I = C.O.AnyGrid ? 1 : 0; I < 3 && I < C.Config.size(); ++I) {
    Origin From = originOf(N, C.O.Config[I].Value);
    From.Place = None;
    From.Part = Parts[I];
    keep(N, RetainedAs::Config, held(N.S, C.Config[I]), C.O.Config[I].Range,
         From, CallArg::Scalar);
  }
}

/// The number of elements on the path to the place with address \p Id, if all
/// of them are inside the objects that contain their arrays.
static unsigned elementsWithin(const Frame &F, ExprId Id) {
  const FlowGraph &G = *F.Graph;
  if (Id == None)
    return 0;
  const Expr &Given = G.Exprs[Id];
  if (Given.Kind == ExprKind::Load && G.Exprs[Given.A].Kind == ExprKind::Var &&
      F.Parent && F.CallSite) {
    unsigned Param = G.Exprs[Given.A].N;
    const CallArg *A = Param < G.NumParams ? F.CallSite->arg(Param) : nullptr;
    return A ? elementsWithin(*F.Parent, A->Value) : 0;
  }
  unsigned Count = 0;
  for (ExprId P = Given.Kind == ExprKind::AddrOf ? Given.A : None; P != None;) {
    const Expr &E = G.Exprs[P];
    if (E.Kind == ExprKind::Elem && E.N)
      ++Count;
    else if (E.Kind != ExprKind::Field)
      break;
    P = E.A;
  }
  return Count;
}

/// The inputs of the argument \p E.
NodeModel::Origin NodeModel::originOf(const Node &N, ExprId E, Inputs::As Is) {
  return {placeOf(N.F, E, N.S), Sources.of(N.F, E, N.S, Is), "",
          elementsWithin(N.F, E)};
}

void NodeModel::retainArgs(const Node &N, const Call &C) {
  const Op &O = C.O;
  auto Arg = [&](const char *Role, RetainedAs As, unsigned Sort) {
    std::optional<unsigned> I = C.indexOf(Role);
    if (!I)
      return;
    const CallArg *A = *I < O.Args.size() ? &O.Args[*I] : nullptr;
    keep(N, As, C.Args[*I], A ? A->Range : Span(),
         A ? originOf(N, A->Value) : Origin(), Sort);
  };
  if (C.isKernel()) {
    for (unsigned I = 0; I < C.Args.size(); ++I) {
      const CallArg &A = O.Args[I];
      if (A.Sort == CallArg::Class)
        retainStruct(N, held(N.S, C.Args[I]), A.Range,
                     originOf(N, A.Value, Inputs::Object));
      else if (A.Sort != CallArg::Other)
        keep(N, RetainedAs::Argument, C.Args[I], A.Range, originOf(N, A.Value),
             A.Sort);
    }
    return;
  }
  switch (C.Api.Does) {
  case Effect::CopyAsync:
    Arg("dst", RetainedAs::Destination, CallArg::Pointer);
    Arg("src", RetainedAs::Source, CallArg::Pointer);
    retainExtents(N, C);
    break;
  case Effect::SetAsync:
    Arg("dst", RetainedAs::Argument, CallArg::Pointer);
    Arg("value", RetainedAs::Argument, CallArg::Scalar);
    retainExtents(N, C);
    break;
  case Effect::HostFunction:
    Arg("data", RetainedAs::UserData, CallArg::Pointer);
    break;
  case Effect::Launch:
    if (std::optional<unsigned> I = C.indexOf("func"); I && C.O.arg(*I)) {
      ExprId Chosen = C.O.Args[*I].Value;
      keep(N, RetainedAs::Branch, C.Args[*I], C.O.Range,
           {None, Sources.of(N.F, Chosen, N.S, Inputs::Test), "kernel"},
           CallArg::Scalar);
    }
    if (retainLaunch(N, C))
      break;
    [[fallthrough]];
  case Effect::StreamWork:
  case Effect::LibraryCall:
    retainWork(N, C);
    break;
  default:
    break;
  }
}

/// Records the extent of a copy or a memset: its size, and numbers without a
/// role, such as pitches, widths, and heights.
void NodeModel::retainExtents(const Node &N, const Call &C) {
  for (unsigned I = 0; I < C.Args.size() && I < C.O.Args.size(); ++I) {
    const CallArg &A = C.O.Args[I];
    bool HasRole = llvm::any_of(C.Api.Args, [&](const auto &Each) {
      return Each.first != "size" &&
             C.Api.arg(Each.first, C.Args.size()) == static_cast<int>(I);
    });
    if (!HasRole && A.Sort == CallArg::Scalar)
      keep(N, RetainedAs::Size, C.Args[I], A.Range, originOf(N, A.Value),
           A.Sort);
  }
}

/// Records the arguments of a launch in a structure, and in an array of
/// addresses of arguments. \returns true if there is such an array.
bool NodeModel::retainLaunch(const Node &N, const Call &C) {
  State &S = N.S;
  // A structure with the configuration, and its array of attributes.
  if (std::optional<unsigned> I = C.indexOf("config");
      I && D[C.Args[*I]].Kind == ValueKind::Addr) {
    llvm::SmallVector<LocId, 2> Roots{D.root(D[C.Args[*I]].A)};
    Origin Made;
    if (const CallArg *A = C.O.arg(*I))
      Made.From = Sources.of(N.F, A->Value, S, Inputs::Object);
    for (unsigned R = 0; R < Roots.size() && R < 3; ++R)
      for (const Memory::Item &Each : Memory(S.Mem)) {
        if (D.root(Each.Key) != Roots[R])
          continue;
        if (D[Each.Data].Kind == ValueKind::Addr)
          Roots.push_back(D.root(D[Each.Data].A));
        std::string Member = W.nameOf(Each.Key);
        bool Shape = W.Catalogue.is(catalogue::Role::ConfigShape, Member);
        if (!Streams.isIdentity(Each.Data) ||
            D[Each.Data].Kind == ValueKind::Init)
          keep(N, Shape ? RetainedAs::Config : RetainedAs::Argument, Each.Data,
               C.O.argRange(*I), Shape ? Made : Origin(), CallArg::Scalar);
      }
  }
  // An array of the addresses of the arguments.
  std::optional<unsigned> I = C.indexOf("params");
  if (!I || D[C.Args[*I]].Kind != ValueKind::Addr)
    return false;
  LocId Array = D[C.Args[*I]].A;
  if (D.at(Array).Kind == LocKind::Elem)
    Array = D.at(Array).A;
  Span Text = C.O.argRange(*I);
  for (const Memory::Item &Each : Memory(S.Mem)) {
    if (D.at(Each.Key).Kind != LocKind::Elem || D.at(Each.Key).A != Array)
      continue;
    // In a container, they may be any of those that were added.
    llvm::SmallVector<ValueId, 6> Added(D.candidates(Each.Data));
    if (Added.empty())
      Added.push_back(Each.Data);
    for (ValueId One : Added) {
      if (D[One].Kind != ValueKind::Addr)
        continue;
      LocId Place = D[One].A;
      ValueId V = read(D, S, Place);
      bool Address = D[V].Kind == ValueKind::Memory;
      Inputs::Places From{{Place}};
      llvm::append_range(From, Sources.behind(N.F, Place, S));
      keep(N, RetainedAs::Argument, V, Text,
           {Place, From, "", 0, W.nameOf(Place)},
           Address ? CallArg::Pointer : CallArg::Scalar);
    }
  }
  return true;
}

/// Records the scalars and the arguments of a library call.
void NodeModel::retainWork(const Node &N, const Call &C) {
  const Op &O = C.O;
  for (const char *Role : {"alpha", "beta"}) {
    std::optional<unsigned> I = C.indexOf(Role);
    if (!I || D[C.Args[*I]].Kind != ValueKind::Addr ||
        Use.When.holds(C, N.S, catalogue::Condition::DeviceResult) == true)
      continue;
    LocId Place = D[C.Args[*I]].A;
    Origin From = originOf(N, O.Args[*I].Value, Inputs::Object);
    From.Place = Place;
    keep(N, RetainedAs::Scalar, read(D, N.S, Place), O.argRange(*I), From,
         CallArg::Scalar);
  }
  for (unsigned I = 0; I < C.Args.size() && I < O.Args.size(); ++I) {
    bool HasRole = false;
    for (const char *Role : {"alpha", "beta", "handle", "config", "func"})
      HasRole |= C.Api.arg(Role, C.Args.size()) == static_cast<int>(I);
    std::optional<unsigned> Value = C.indexOf("value");
    if (HasRole || (Value && I != *Value))
      continue;
    bool Number = O.Args[I].Sort == CallArg::Scalar;
    // Numeric arguments of a library call that have no role are counts.
    if (Number && C.Api.Does == Effect::LibraryCall && !C.indexOf("size"))
      Use.Varies.report(N.F, O, N.S, C.Args[I], "", &C.Api);
    if (Number || O.Args[I].Sort == CallArg::Pointer)
      keep(N,
           Number && C.Api.Does == Effect::LibraryCall ? RetainedAs::Size
                                                       : RetainedAs::Argument,
           C.Args[I], O.Args[I].Range, originOf(N, O.Args[I].Value),
           O.Args[I].Sort);
  }
}

void NodeModel::retainBranch(Frame &F, const Op &O, State &S, ValueId Cond,
                             ExprId Text, const char *Part) {
  if (S.OtherThread || S.InCallback)
    return;
  Node N{F, O, S, nullptr, Evidence::KnownStream, std::nullopt};
  Origin From{None, Sources.of(F, Text, S, Inputs::Test), Part};
  keep(N, RetainedAs::Branch, Cond, O.Range, From, CallArg::Scalar);
}

void NodeModel::retainChoice(Frame &F, const Op &O, State &S, ValueId Chosen,
                             const char *Part, const CallArg *By) {
  if (S.Active.empty() || S.OtherThread || S.InCallback || S.Failing)
    return;
  Origin From{None, Sources.ofCallee(F, O, S, By), Part};
  Node N{F, O, S, nullptr, Evidence::KnownStream, std::nullopt};
  if (!From.From.empty())
    keep(N, RetainedAs::Branch, Chosen, O.Range, From, CallArg::Scalar);
}

void NodeModel::retainTensors(Frame &F, const Op &O, State &S,
                              FunctionId Callee, ValueId This,
                              llvm::ArrayRef<ValueId> Args) {
  if (S.Active.empty() || S.OtherThread || S.InCallback || S.Failing)
    return;
  const catalogue::RoleSet Roles = Rel.rolesOf(Callee);
  if (!Roles.has(catalogue::Role::TensorUser))
    return;
  // Assigning to a variable only replaces a reference; `x[0] = y` copies.
  if (O.Object != None &&
      llvm::StringRef(Table.info(Callee).Name).ends_with("::operator=")) {
    ExprKind Target = F.Graph->Exprs[O.Object].Kind;
    if (Target == ExprKind::Var || Target == ExprKind::Field ||
        Target == ExprKind::Global)
      return;
  }
  auto Tensor = [&](ValueId V, Span Text) {
    if (V == None || D[V].Kind != ValueKind::Addr)
      return;
    LocId L = D[V].A;
    ValueId Held = read(D, S, L);
    if (D.at(L).Kind == LocKind::Field || D.at(L).Kind == LocKind::Global)
      keep({F, O, S, nullptr, Evidence::LibraryStream, std::nullopt},
           RetainedAs::Argument, Held, Text, {L, {}, ""}, CallArg::Tensor);
  };
  if (Roles.has(catalogue::Role::Tensor))
    Tensor(This, O.ObjectRange);
  RootKind Root = Result.Captures[S.Active.back()].Root;
  bool OfOperator = Root == RootKind::TorchOps || Root == RootKind::EntryPoints;
  for (unsigned I = 0; I < Args.size() && I < O.Args.size(); ++I) {
    if (OfOperator && O.Args[I].Sort != CallArg::Tensor && Args[I] != None) {
      Retained K;
      K.Value = held(S, Args[I]);
      findDependencies(F, K);
      noteFrozen(F, K);
    }
    if (O.Args[I].Sort == CallArg::Tensor)
      Tensor(Args[I], O.Args[I].Range);
    else if (O.Args[I].Sort == CallArg::Scalar && O.Args[I].Range.Begin)
      if (D.isMeasured(Args[I]))
        Use.Varies.report(F, O, S, Args[I], "size", nullptr);
  }
}

} // namespace cudagraph
