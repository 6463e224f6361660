//===- UnseenCallers.cpp - Captures that a function leaves to callers -----===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A library function that begins a capture and returns has no information about
// the other threads of its callers, which the mode of the capture restricts.
//
//===----------------------------------------------------------------------===//

#include "CaptureModel.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

/// Reports a function that begins a capture for its callers and ends none: it
/// selects the mode without information about their threads.
void CaptureModel::noteForCallers(const Call &C, const State &S) {
  ValueId Mode = C.arg("mode");
  const FunctionInfo &Info = Table.info(C.F.Function);
  if (Mode == None || D.asInt(Mode) != 0 || S.Active.empty() || C.F.Parent ||
      Info.IsStatic || Info.IsLambda || W.isWholeProgram(C.F.Function) ||
      Rel.bits(C.F.Function) &
          (Relevance::Ends | Relevance::Unknown | Relevance::Unparsed))
    return;
  // A lambda may end the capture, and another unit may call an inline function.
  auto Ends = [&](FunctionId F) { return Rel.bits(F) & Relevance::Ends; };
  auto IsCalled = [&](FunctionId F) { return !Rel.callersOf(F).empty(); };
  if (llvm::any_of(Rel.calleesOf(C.F.Function), Ends) ||
      llvm::any_of(Table.definitionsOf(C.F.Function), IsCalled))
    return;
  Fact Result = Facts.at(C.F, C.O, S, S.Active.back());
  Result.become<FactKind::ForCallers>();
  Result.Api = &C.Api;
  Result.Callee = C.Api.Name;
  Result.Advice = true;
  Result.restOn(Evidence::OtherThread);
  Facts.record(std::move(Result));
}

/// Calls that CUDA refuses in a thread while another thread captures in global
/// mode, and that invalidate the capture (measured: other-thread, mode
/// "global").
static bool isUnsafe(catalogue::Effect E) {
  switch (E) {
  case catalogue::Effect::SyncDevice:
  case catalogue::Effect::SyncStream:
  case catalogue::Effect::SyncEvent:
  case catalogue::Effect::AllocDevice:
  case catalogue::Effect::FreeDevice:
    return true;
  default:
    return false;
  }
}

/// The first unsafe call in \p Body or in the functions that it calls; none if
/// one of them changes the mode of the thread.
std::optional<ThreadCall> CaptureModel::unsafeCallIn(FunctionId Body) const {
  constexpr size_t MaxFunctions = 64;
  std::optional<ThreadCall> Result;
  llvm::SmallVector<FunctionId, 16> Reached{Body};
  for (size_t I = 0; I < Reached.size() && I < MaxFunctions; ++I) {
    const FlowGraph *G = Table.graph(Reached[I]);
    if (!G)
      continue;
    for (const Block &B : G->Blocks)
      for (const Op &O : B.Ops) {
        const catalogue::Entry *E = O.Kind == OpKind::Call && O.Callee != None
                                        ? Rel.entryFor(O.Callee)
                                        : nullptr;
        if (E && E->Does == catalogue::Effect::ModeExchange)
          return std::nullopt;
        if (E && isUnsafe(E->Does) && !Result)
          Result = ThreadCall{E->Name, O.Range, Reached[I], ""};
      }
    for (FunctionId Callee : Rel.calleesOf(Reached[I]))
      if (!llvm::is_contained(Reached, Callee))
        Reached.push_back(Callee);
  }
  return Result;
}

/// True if each call to the function with the body \p G creates a new object
/// with `new`. False if it stores the only one in a variable of static storage
/// duration.
static bool makesObjects(const FlowGraph &G) {
  auto IsNew = [&](ExprId E) {
    return E != None && G.Exprs[E].Kind == ExprKind::AddrOf &&
           G.Exprs[G.Exprs[E].A].Kind == ExprKind::Temp &&
           G.Exprs[G.Exprs[E].A].S == "heap";
  };
  bool Makes = llvm::any_of(G.Exprs, [](const Expr &E) {
    return E.Kind == ExprKind::Temp && E.S == "heap";
  });
  return Makes && llvm::none_of(G.Blocks, [&](const Block &B) {
           return llvm::any_of(B.Ops, [&](const Op &O) {
             return O.Kind == OpKind::Assign && O.Place != None &&
                    G.Exprs[O.Place].Kind == ExprKind::Global && IsNew(O.Value);
           });
         });
}

/// An unsafe call made by a thread that runs a method of \p Class: a function
/// of the class starts such a thread for each object that it creates, and does
/// not wait for the thread.
std::optional<ThreadCall>
CaptureModel::callOfThreads(const std::string &Class) const {
  for (FunctionId F = 0; F < Table.size(); ++F) {
    const FlowGraph *G =
        Table.info(F).Class == Class ? Table.graph(F) : nullptr;
    if (!G)
      continue;
    bool Starts = false, Waits = false;
    for (const Block &B : G->Blocks)
      for (const Op &O : B.Ops) {
        if (O.Kind != OpKind::Call || O.Callee == None)
          continue;
        const catalogue::Entry *E = Rel.entryFor(O.Callee);
        Starts |= E && E->Does == catalogue::Effect::HostThread;
        Waits |= llvm::StringRef(Table.info(O.Callee).Name).ends_with("::join");
      }
    if (!Starts || Waits || !makesObjects(*G))
      continue;
    for (const Expr &E : G->Exprs)
      if (E.Kind == ExprKind::Function &&
          Table.info(static_cast<FunctionId>(E.N)).Class == Class)
        if (std::optional<ThreadCall> Found =
                unsafeCallIn(static_cast<FunctionId>(E.N))) {
          Found->Class = Class;
          return Found;
        }
  }
  return std::nullopt;
}

/// True if the function with the body \p G takes a lock.
static bool locks(const Relevance &Rel, const FlowGraph &G) {
  return llvm::any_of(G.Blocks, [&](const Block &B) {
    return llvm::any_of(B.Ops, [&](const Op &O) {
      const catalogue::Entry *E = O.Kind == OpKind::Call && O.Callee != None
                                      ? Rel.entryFor(O.Callee)
                                      : nullptr;
      return E && E->Does == catalogue::Effect::HostLock;
    });
  });
}

/// Reports a capture in a class whose objects each have a thread, which waits
/// for the object's own work. The threads of the other objects have no
/// information about the capture.
void CaptureModel::noteOtherObjects(const Call &C, const State &S) {
  ValueId Mode = C.arg("mode");
  const std::string &Class = Table.info(C.F.Function).Class;
  if (Mode == None || D.asInt(Mode) != 0 || S.Active.empty() || Class.empty())
    return;
  // In a program with a main(), all objects are visible. A lock may separate
  // the threads.
  for (const Frame *A = &C.F; A; A = A->Parent)
    if (locks(Rel, *A->Graph))
      return;
  for (FunctionId F = 0; F < Table.size(); ++F)
    if (Table.info(F).HasBody && Table.info(F).Name == "main")
      return;
  std::optional<ThreadCall> Other = callOfThreads(Class);
  if (!Other)
    return;
  Fact Result = Facts.at(C.F, C.O, S, S.Active.back());
  Result.become<FactKind::OtherObjects>() = std::move(*Other);
  Result.Api = &C.Api;
  Result.Callee = C.Api.Name;
  Result.restOn(Evidence::OtherThread);
  Facts.record(std::move(Result));
}

} // namespace cudagraph
