//===- Variations.cpp - Values that differ between replays ----------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Variations.h.
//
//===----------------------------------------------------------------------===//

#include "Variations.h"
#include "analysis/program/Reached.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

using catalogue::Effect;

/// True if \p L is part of a global, or of the object of the current method:
/// such objects live as long as a graph that they store. Data that is passed
/// through by pointers belongs to other code.
bool livesWithGraph(const Domain &D, LocId L) {
  for (unsigned Hops = 0;; L = D.at(L).A) {
    const LocNode N = D.at(L);
    if (N.Kind == LocKind::Global)
      return true;
    if (N.Kind == LocKind::Field || N.Kind == LocKind::Elem)
      continue;
    if (N.Kind != LocKind::Pointee || D[N.A].Kind != ValueKind::Init)
      return false;
    const LocNode Holder = D.at(D[N.A].A);
    if (Holder.Kind == LocKind::Global)
      return true;
    if (Holder.Kind != LocKind::Field || ++Hops > 1)
      return false;
    L = D[N.A].A;
  }
}

/// True if \p Cond of \p G tests the global \p Name, and nothing else.
static bool asksOnlyFor(const FlowGraph &G, ExprId Cond, llvm::StringRef Name) {
  bool Tests = false;
  llvm::SmallVector<ExprId, 8> Work{Cond};
  while (!Work.empty()) {
    ExprId Id = Work.pop_back_val();
    if (Id == None)
      continue;
    const Expr &E = G.Exprs[Id];
    if (E.Kind == ExprKind::Global && E.S == Name)
      Tests = true;
    else if (E.Kind == ExprKind::Load || E.Kind == ExprKind::Op)
      Work.append({E.A, E.B});
    else if (E.Kind != ExprKind::Int)
      return false;
  }
  return Tests;
}

/// True if \p Only, the only change of the global \p Name in the program, is on
/// one side of a test of only that global. Such a static variable receives its
/// value on first use, and no code changes it afterwards.
static bool fillsOnce(Program &Table, const WriteSummary::Change &Only,
                      llvm::StringRef Name) {
  const FlowGraph *G = Table.graph(Only.In);
  if (!G)
    return false;
  unsigned To = 0;
  while (To < G->Blocks.size() && llvm::none_of(
                                      G->Blocks[To].Ops,
                                      [&](const Op &O) {
                                        return O.Kind == OpKind::Assign &&
                                               O.Range.Begin ==
                                                   Only.Where.Begin;
                                      }))
    ++To;
  for (unsigned P = 0; P < To && To < G->Blocks.size(); ++P) {
    const Block &B = G->Blocks[P];
    if (B.Cond == None || B.Succs.size() != 2 || !asksOnlyFor(*G, B.Cond, Name))
      continue;
    if (reachedFrom(*G, B.Succs[0].To, P).test(To) !=
        reachedFrom(*G, B.Succs[1].To, P).test(To))
      return true;
  }
  return false;
}

/// Finds a call, outside of captures, to the method that changes \p Member, for
/// the object that contains this member.
void Variations::findCall(LocId Member, Source &From) const {
  From.Call = {};
  From.CallIn = None;
  if (D.at(Member).Kind != LocKind::Field)
    return;
  const LocNode Object = D.at(D.at(Member).A);
  if (Object.Kind != LocKind::Field && Object.Kind != LocKind::Global)
    return;
  const WriteSummary *Of = Rel.writes(D.text(Object.S));
  if (!Of)
    return;
  for (const WriteSummary::Use &Each : Of->Calls)
    if (Each.Callee == From.In && !W.isInRegion(Each.In)) {
      From.Call = Each.Where;
      From.CallIn = Each.In;
      return;
    }
}

/// Adds to \p Found the code that changes the member or global, at \p L or
/// above, between replays. \p Copied: an object that is copied as a whole.
void Variations::changes(LocId L, std::vector<Changed> &Found,
                         bool Copied) const {
  // The targets of pointers, and elements of arrays, count if the device writes
  // to them.
  bool Through = false;
  // An element with a known number stays the same when others are added.
  bool Fixed = false;
  for (unsigned Guard = 0; Guard < 4; ++Guard) {
    const LocNode N = D.at(L);
    if (N.Kind == LocKind::Elem) {
      Fixed |= N.B != None;
      L = N.A;
    } else if (N.Kind == LocKind::Pointee && D[N.A].Kind == ValueKind::Memory &&
               D[N.A].B == SharedMemory) {
      Found.push_back({Variation::DeviceRead, {}}); // both write there
      return;
    } else if (N.Kind == LocKind::Pointee && D[N.A].Kind == ValueKind::Init) {
      L = D[N.A].A;
      Through = true;
    } else {
      break;
    }
  }
  Source From;
  From.At = L;
  LocId P = L;
  auto Report = [&](Variation Why, const WriteSummary::Change &C) {
    From.Where = C.Where;
    From.In = C.In;
    findCall(P, From);
    Found.push_back({Why, From});
  };
  // The member, and the structures that contain it.
  for (;; P = D.at(P).A) {
    const LocNode N = D.at(P);
    if (N.Kind != LocKind::Global && N.Kind != LocKind::Field)
      return;
    const WriteSummary *Writes = Rel.writes(D.text(N.S));
    if (Writes && !Writes->Updated) {
      From.Name = D.text(N.S).str();
      if (const std::optional<WriteSummary::Change> &C =
              Through ? Writes->DeviceTarget : Writes->DeviceCopy)
        return Report(Variation::DeviceRead, *C);
      if (Through)
        return;
      bool Steps = Writes->ReadModifyWrite && P == L;
      auto ReportAll = [&](auto MayWrite) {
        for (const WriteSummary::Change &C : Writes->Steppers)
          if (MayWrite(C) && !(Rel.bits(C.In) & Relevance::SetsRecord))
            Report(Variation::HostState, C);
      };
      bool Local = isClosedRoot(P);
      // Counts of captured code itself, wherever they are stored.
      if (Steps && !Local &&
          llvm::any_of(Writes->Steppers, [&](const WriteSummary::Change &X) {
            return W.isInRegion(X.In);
          }))
        return ReportAll([](const WriteSummary::Change &) { return true; });
      if (!livesWithGraph(D, P)) {
        // A parameter's object, or a local one, may be the one that stores the
        // graph.
        if (!Local && D.at(D.root(P)).Kind != LocKind::Pointee)
          return;
        From.With = D.root(P);
      }
      // Other functions that write to such members concern different objects.
      auto MayWrite = [&](const WriteSummary::Change &C) {
        const std::string &Class = Table.info(C.In).Class;
        return !Local || (!Class.empty() &&
                          llvm::StringRef(From.Name).starts_with(Class + "::"));
      };
      if (Steps && !Writes->IsCompared)
        return ReportAll(MayWrite);
      if (N.Kind == LocKind::Global && Writes->Setters.size() == 1 &&
          Writes->Growers.empty() && Writes->Resets.empty() &&
          fillsOnce(Table, Writes->Setters.front(), D.text(N.S)))
        return;
      if (P == L && Copied)
        partChanges(From, Local, Found);
      // Storing a function that does work is not itself work.
      auto Works = [&](FunctionId X) {
        return Writes->Callables.empty() && Rel.bits(X) & Relevance::Works;
      };
      for (const auto *List : {&Writes->Setters, &Writes->Growers})
        for (const WriteSummary::Change &C : *List)
          if (!Writes->IsKey &&
              (List == &Writes->Setters || (C.Elsewhere && !Fixed)) &&
              MayWrite(C) && Rel.keepsGraphs(C.In) && !Works(C.In))
            Report(Variation::Setter, C);
    }
    if (N.Kind != LocKind::Field)
      return;
  }
}

/// Finds the functions that change a part of the member or global \p From
/// between replays, directly or by a method of the part, and adds them to \p
/// Found. \p Local is true if the walk has seen the creation of its object.
void Variations::partChanges(const Source &From, bool Local,
                             std::vector<Changed> &Found) const {
  const WriteSummary *Writes = Rel.writes(From.Name);
  if (!Writes || Writes->IsKey || Writes->Updated)
    return;
  auto Report = [&](FunctionId By, FunctionId In, Span Where, Span Call) {
    const std::string &Class = Table.info(By).Class;
    bool Mine =
        !Local || (!Class.empty() &&
                   llvm::StringRef(From.Name).starts_with(Class + "::"));
    if (!Mine || !Rel.keepsGraphs(By) || Rel.bits(By) & Relevance::Works)
      return;
    Changed C{Variation::Setter, From};
    C.From.Where = Where;
    C.From.In = In;
    C.From.Call = Call;
    C.From.CallIn = Call.Begin ? By : None;
    Found.push_back(std::move(C));
  };
  for (const WriteSummary::Change &C : Writes->Parts)
    Report(C.In, C.In, C.Where, {});
  for (const WriteSummary::Use &U : Writes->Calls)
    if (std::optional<Span> Where = Rel.setsOwn(U.Callee))
      Report(U.In, U.Callee, *Where, U.Where);
}

/// True for members of an object whose creation the walk has seen: a variable,
/// or memory of new or malloc().
bool Variations::isClosedRoot(LocId L) const {
  const LocNode Root = D.at(D.root(L));
  if (Root.Kind == LocKind::Pointee)
    return D[Root.A].Kind == ValueKind::Memory && D[Root.A].B == PerhapsNull;
  return Root.Kind == LocKind::Var || Root.Kind == LocKind::Temp;
}

std::optional<Variation> Variations::measured(ValueId V, Source &From) const {
  std::optional<Variation> Found;
  if (!D.isMeasured(V))
    return Found;
  D.visitTree(V, [&](ValueId Part) {
    const ValueNode N = D[Part];
    if ((N.Kind != ValueKind::DeviceRead && N.Kind != ValueKind::Varying) ||
        Found == Variation::DeviceRead)
      return;
    bool Random = N.B == static_cast<unsigned>(Effect::HostRandom) ||
                  N.B == static_cast<unsigned>(Effect::RandomState);
    Found = N.Kind == ValueKind::DeviceRead ? Variation::DeviceRead
            : Random                        ? Variation::Random
                                            : Variation::Clock;
    From.Where = {N.A, N.A};
  });
  return Found;
}

std::optional<Variation> Variations::of(ValueId V, Source &From) const {
  if (std::optional<Variation> Why = measured(V, From))
    return Why;
  std::vector<Changed> Found = states(V, {});
  if (Found.empty())
    return std::nullopt;
  From = Found.front().From;
  return Found.front().Why;
}

std::vector<Variations::Changed>
Variations::states(ValueId V, llvm::ArrayRef<LocId> From) const {
  std::vector<Changed> Found;
  llvm::SmallVector<LocId, 8> Seen;
  if (D.mayVary(V))
    D.visitTree(V, [&](ValueId Part) {
      if ((D[Part].Kind == ValueKind::Init ||
           D[Part].Kind == ValueKind::CopyOf) &&
          Seen.size() < 32) {
        Seen.push_back(D[Part].A);
        changes(D[Part].A, Found, /*Copied=*/Part == V);
      }
    });
  size_t Shown = Found.size();
  for (LocId L : From)
    if (!llvm::is_contained(Seen, L))
      changes(L, Found);
  for (size_t I = Shown; I < Found.size(); ++I)
    Found[I].From.ByPath = true;
  return Found;
}

void Variations::report(Frame &F, const Op &O, State &S, ValueId V,
                        const char *Part, const catalogue::Entry *E,
                        llvm::ArrayRef<LocId> From) {
  if (S.Active.empty() || S.InCallback)
    return;
  auto Report = [&](Variation Why, const Source &At) {
    Sizes.insert({O.Range.Begin, At.Where.Begin});
    Fact R = Facts.at(F, O, S, S.Active.back());
    auto &Value = R.become<FactKind::VaryingUse>();
    R.Api = E;
    R.Callee = O.Callee == None ? "" : Table.info(O.Callee).Name;
    Value.Why = Why;
    Value.Where = At.Where;
    Value.In = At.In;
    Value.Call = At.Call;
    Value.CallIn = At.CallIn;
    Value.Part = Part;
    Value.Use.As = *Part ? RetainedAs::Config : RetainedAs::Size;
    R.restOn(Evidence::VaryingValue);
    bool Now = Why != Variation::Setter && At.With == None &&
               (At.At == None || !isClosedRoot(At.At));
    if (Now)
      return Facts.Later.Unupdated.push_back(std::move(R));
    Facts.Later.Stepping.push_back(
        {std::move(R), "", At.With, false, At.At, At.ByPath});
  };
  Source Read;
  Read.In = F.Function;
  if (std::optional<Variation> Why = measured(V, Read))
    return Report(*Why, Read);
  for (const Changed &Each : states(V, From))
    Report(Each.Why, Each.From);
}

} // namespace cudagraph
