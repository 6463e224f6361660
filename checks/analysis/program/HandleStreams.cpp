//===- HandleStreams.cpp - The streams of library handles -----------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See HandleStreams.h.
//
//===----------------------------------------------------------------------===//

#include "HandleStreams.h"
#include "Relevance.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

using catalogue::Effect;

/// Maximum depth of functions that pass the address of a handle to others, and
/// maximum number of variables of one function that receive it.
static constexpr unsigned MaxPassed = 4;

/// The entry point of \p G through which \p Place was set: a parameter, or a
/// capture of a lambda.
static std::optional<HandlePath> entrance(FunctionId F, const FlowGraph &G,
                                          ExprId Place) {
  const Expr &E = G.Exprs[Place];
  if (E.Kind == ExprKind::Var && E.N < G.NumParams)
    return HandlePath{F, static_cast<unsigned>(E.N), "", false, false};
  if (E.Kind == ExprKind::Field && isSynthetic(E.S) &&
      G.Exprs[E.A].Kind == ExprKind::Deref &&
      G.Exprs[G.Exprs[E.A].A].Kind == ExprKind::This)
    return HandlePath{F, None, E.S, false, false};
  return std::nullopt;
}

/// Visits the lambdas that \p G creates from the captures \p Captures.
static void eachClosure(const FlowGraph &G, ExprId Captures,
                        llvm::function_ref<void(FunctionId)> Visit) {
  for (const Expr &E : G.Exprs)
    if (E.Kind == ExprKind::Closure && E.A == Captures &&
        static_cast<FunctionId>(E.N) != None)
      Visit(static_cast<FunctionId>(E.N));
}

/// True if \p F, or a callee, creates a handle at the address \p Is.
bool HandleStreams::makes(FunctionId F, llvm::function_ref<bool(ExprId)> Is,
                          unsigned Depth) const {
  const FlowGraph *G =
      F == None || Depth > MaxPassed ? nullptr : R.Table.graph(F);
  if (!G)
    return false;
  auto Inside = [&](FunctionId Callee, unsigned Param,
                    llvm::StringRef Capture) {
    const FlowGraph *Body = R.Table.graph(Callee);
    return Body && makes(
                       Callee,
                       [&](ExprId V) {
                         const Expr &E = Body->Exprs[V];
                         std::optional<HandlePath> Path =
                             E.Kind == ExprKind::Load
                                 ? entrance(Callee, *Body, E.A)
                                 : std::nullopt;
                         return Path && Path->Param == Param &&
                                Path->Capture == Capture;
                       },
                       Depth + 1);
  };
  bool Makes = false;
  for (const Block &B : G->Blocks)
    for (const Op &O : B.Ops) {
      if (O.Kind == OpKind::Assign && Is(O.Value) &&
          G->Exprs[O.Place].Kind == ExprKind::Field &&
          isSynthetic(G->Exprs[O.Place].S))
        eachClosure(*G, G->Exprs[O.Place].A, [&](FunctionId Lambda) {
          Makes |= Inside(Lambda, None, G->Exprs[O.Place].S);
        });
      if (O.Kind == OpKind::Assign && Is(O.Value) &&
          G->Exprs[O.Place].Kind == ExprKind::Var) // a reference to it
        Makes |= makes(
            F,
            [&](ExprId V) {
              return G->Exprs[V].Kind == ExprKind::Load &&
                     G->Exprs[V].A == O.Place;
            },
            Depth + 1);
      if (O.Kind != OpKind::Call || O.Callee == None)
        continue;
      const catalogue::Entry *E = R.entryFor(O.Callee);
      std::optional<int> Out =
          E && E->Does == Effect::LibraryHandle ? E->arg("out") : std::nullopt;
      for (unsigned I = 0; I < O.Args.size(); ++I)
        if (Is(O.Args[I].Value))
          Makes |= E ? Out && static_cast<unsigned>(*Out) == I
                     : Inside(O.Callee, I, "");
    }
  return Makes;
}

void HandleStreams::note(FunctionId F, const FlowGraph &G, const Op &O,
                         const catalogue::Entry &E) {
  bool Makes = E.Does == Effect::LibraryHandle;
  if (!Makes && E.Does != Effect::LibraryStream)
    return;
  std::optional<int> At = E.arg(Makes ? "out" : "handle");
  const CallArg *Handle = At ? O.arg(*At) : nullptr;
  if (!Handle) {
    R.AnyHandleGiven |= !Makes;
    return;
  }
  const Expr &V = G.Exprs[Handle->Value];
  // A member next to the handle.
  llvm::StringRef Stream;
  std::optional<int> Where = E.arg("stream", O.Args.size());
  if (const CallArg *A = Where && !Makes ? O.arg(*Where) : nullptr) {
    const Expr &From = G.Exprs[A->Value];
    if (From.Kind == ExprKind::Load && V.Kind == ExprKind::Load) {
      const Expr &Mine = G.Exprs[V.A], &Other = G.Exprs[From.A];
      if (Mine.Kind == ExprKind::Field && Other.Kind == ExprKind::Field &&
          Mine.A == Other.A)
        Stream = Other.S;
    }
  }
  given(F, Handle->Value, {F, None, "", Makes, Makes}, Stream);
}

/// Records that the handle \p Value in the function \p F or, if \p To is set,
/// the handle at that address is created, or set to the stream of the member \p
/// Stream; empty: a different stream.
void HandleStreams::given(FunctionId F, ExprId Value, const HandlePath &To,
                          llvm::StringRef Stream, unsigned Depth) {
  const FlowGraph &G = *R.Table.graph(F);
  auto Unknown = [&] { R.AnyHandleGiven |= !To.Makes; };
  const Expr &V = G.Exprs[Value];
  bool Behind = To.Behind;
  ExprId Place = None;
  if (V.Kind == (Behind ? ExprKind::AddrOf : ExprKind::Load)) {
    Place = V.A;
    Behind = false;
    if (G.Exprs[Place].Kind == ExprKind::Deref) {
      const Expr &Pointer = G.Exprs[G.Exprs[Place].A];
      if (Pointer.Kind != ExprKind::Load)
        return Unknown();
      Place = Pointer.A;
      Behind = true;
    }
  } else if (V.Kind == ExprKind::Load) {
    Place = V.A;
  } else {
    return Unknown();
  }
  if (std::optional<HandlePath> Path = entrance(F, G, Place)) {
    Path->Behind = Behind;
    Path->Makes = To.Makes;
    if (!llvm::is_contained(R.HandlePaths, *Path))
      R.HandlePaths.push_back(*Path);
    return;
  }
  if (const std::string *Key = Behind ? nullptr : writeKey(G, Place)) {
    WriteSummary &W = R.Writes[*Key];
    (To.Makes ? W.HandleMade : W.HandleGiven) = true;
    if (!To.Makes && !llvm::is_contained(W.HandleStreams, Stream))
      W.HandleStreams.push_back(Stream.str());
    return;
  }
  if (G.Exprs[Place].Kind != ExprKind::Var || Depth > MaxPassed)
    return Unknown();
  // A handle that is created in a local variable here has no other users yet.
  bool Known = !Behind && makes(F, [&](ExprId V) {
    return G.Exprs[V].Kind == ExprKind::AddrOf && G.Exprs[V].A == Place;
  });
  HandlePath Held = To;
  Held.Behind = Behind;
  for (const Block &B : G.Blocks)
    for (const Op &O : B.Ops)
      if (O.Kind == OpKind::Assign && O.Place == Place &&
          G.Exprs[O.Value].Kind != ExprKind::Int) {
        Known = true;
        given(F, O.Value, Held, Stream, Depth + 1);
      }
  if (!Known)
    Unknown();
}

void HandleStreams::resolve() {
  for (unsigned I = 0; I < R.HandlePaths.size(); ++I) {
    const HandlePath Path = R.HandlePaths[I];
    bool Found = false;
    auto Passes = [&](FunctionId Caller, ExprId Value) {
      Found = true;
      given(Caller, Value, Path, "");
    };
    auto Look = [&](FunctionId Caller, const FlowGraph &G, const Op &O) {
      if (Path.Param != None) {
        if (O.Kind == OpKind::Call && O.Callee == Path.In && O.arg(Path.Param))
          Passes(Caller, O.arg(Path.Param)->Value);
        return;
      }
      if (O.Kind == OpKind::Assign &&
          G.Exprs[O.Place].Kind == ExprKind::Field &&
          G.Exprs[O.Place].S == Path.Capture)
        eachClosure(G, G.Exprs[O.Place].A, [&](FunctionId Lambda) {
          if (Lambda == Path.In ||
              llvm::is_contained(R.Table.info(Lambda).Overrides, Path.In))
            Passes(Caller, O.Value);
        });
    };
    for (FunctionId Caller : R.callersOf(Path.In))
      if (const FlowGraph *G = R.Table.graph(Caller))
        for (const Block &B : G->Blocks)
          for (const Op &O : B.Ops)
            Look(Caller, *G, O);
    // The code that sets the stream is unknown, unless there can be none.
    bool Unused =
        R.Table.info(Path.In).IsStatic && R.callersOf(Path.In).empty();
    R.AnyHandleGiven |= !Found && !Path.Makes && !Unused;
  }
  if (R.AnyHandleGiven)
    findLeaving();
}

/// True if \p F passes the contents of a place for which \p IsPlace holds, or
/// its address, to code that is not visible. The function may return the value,
/// store it elsewhere, or call a function that is not a library function and
/// has no body.
bool HandleStreams::leaves(FunctionId F,
                           llvm::function_ref<bool(ExprId)> IsPlace,
                           unsigned Depth) const {
  const FlowGraph *G = R.Table.graph(F);
  if (!G || Depth > MaxPassed)
    return true;
  auto Element = [&](ExprId Place) {
    while (G->Exprs[Place].Kind == ExprKind::Elem)
      Place = G->Exprs[Place].A;
    return IsPlace(Place);
  };
  auto Is = [&](ExprId V) {
    if (V == None || (G->Exprs[V].Kind != ExprKind::Load &&
                      G->Exprs[V].Kind != ExprKind::AddrOf))
      return false;
    const Expr &Place = G->Exprs[G->Exprs[V].A];
    if (Place.Kind == ExprKind::Deref)
      return G->Exprs[Place.A].Kind == ExprKind::Load &&
             Element(G->Exprs[Place.A].A);
    return Element(G->Exprs[V].A);
  };
  // The counterpart of the capture in \p Inner.
  auto Follow = [&](FunctionId Inner, unsigned Param, llvm::StringRef Capture) {
    const FlowGraph *Body = R.Table.graph(Inner);
    return !Body || leaves(
                        Inner,
                        [&](ExprId Place) {
                          auto Path = entrance(Inner, *Body, Place);
                          return Path && Path->Param == Param &&
                                 Path->Capture == Capture;
                        },
                        Depth + 1);
  };
  auto Assigned = [&](const Op &O) {
    const Expr &To = G->Exprs[O.Place];
    if (Element(O.Place))
      return false;
    if (To.Kind == ExprKind::Var)
      return leaves(
          F, [&](ExprId Place) { return Place == O.Place; }, Depth + 1);
    if (To.Kind != ExprKind::Field || !isSynthetic(To.S))
      return true;
    bool Leaves = false;
    eachClosure(*G, To.A, [&](FunctionId Lambda) {
      Leaves |= Follow(Lambda, None, To.S);
    });
    return Leaves;
  };
  auto Called = [&](const Op &O) {
    if (O.Object != None && Element(O.Object))
      return true;
    if (O.Callee != None && R.entryFor(O.Callee))
      return false;
    bool Known = O.Callee != None && O.How == Dispatch::Direct;
    for (unsigned I = 0; I < O.Args.size(); ++I)
      if (Is(O.Args[I].Value) && (!Known || Follow(O.Callee, I, "")))
        return true;
    return false;
  };
  return llvm::any_of(G->Blocks, [&](const Block &B) {
    return llvm::any_of(B.Ops, [&](const Op &O) {
      if (O.Kind == OpKind::Call)
        return Called(O);
      if (O.Value == None || !Is(O.Value))
        return false;
      return O.Kind == OpKind::Return || (O.Place != None && Assigned(O));
    });
  });
}

/// Finds the members and globals whose handles reach code that is not visible.
void HandleStreams::findLeaving() {
  llvm::SparseBitVector<> Made;
  for (const auto &Each : R.Writes)
    if (Each.second.HandleMade)
      if (auto It = R.NameIds.find(Each.first()); It != R.NameIds.end())
        Made.set(It->second);
  for (FunctionId F : R.Scanned) {
    const FlowGraph &G = *R.Table.graph(F);
    for (unsigned Name : R.OwnNames[F]) {
      if (!Made.test(Name))
        continue;
      llvm::StringRef Key = R.NameTexts[Name];
      WriteSummary &W = R.Writes[Key];
      W.HandleLeaves = W.HandleLeaves || leaves(F, [&](ExprId Place) {
                         const std::string *Of = writeKey(G, Place);
                         return Of && *Of == Key;
                       });
    }
  }
}

} // namespace cudagraph
