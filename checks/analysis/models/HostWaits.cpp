//===- HostWaits.cpp - Polling loops and incomplete guards ----------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop that reads memory until the device has written to it waits as a call
// would, and captured work does not run. A guard that queries one stream does
// not cover the others, which a device-wide wait includes.
//
//===----------------------------------------------------------------------===//

#include "BranchModel.h"
#include "analysis/program/CountedLoops.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

namespace cudagraph {

using catalogue::Effect;

namespace {
/// One loop of a graph, and the places that the conditions of its exits read.
class LoopReads {
public:
  LoopReads(const FlowGraph &G, LoopRange L);

  bool has(unsigned B) const { return Blocks.count(B); }

  /// True if \p B leaves the loop, and the function continues.
  bool isLeftBy(const Block &B) const {
    return llvm::any_of(B.Succs, [&](const Edge &E) {
      return !has(E.To) && !G.Blocks[E.To].NeverReturns;
    });
  }

  /// Adds the places that \p Cond, a condition in the loop, reads; for local
  /// variables, the places that the values assigned in the loop read.
  void add(ExprId Cond);

  llvm::SmallSetVector<ExprId, 4> Places; ///< through pointers, or of objects
  /// The first statement in the loop that sets a variable of the condition from
  /// one of these places; empty if only the condition itself reads them.
  Span Read;
  bool Counts = false; ///< the loop ends without the device
  llvm::SmallDenseSet<unsigned, 16> Blocks;

private:
  bool steps(ExprId Place) const;
  void noteRead(const Op &O);

  const FlowGraph &G;
};
} // namespace

/// Some blocks after a loop have numbers between those of its own blocks.
LoopReads::LoopReads(const FlowGraph &G, LoopRange L) : G(G) {
  Blocks.insert(L.Head);
  for (bool More = true; More;) {
    More = false;
    for (unsigned B = L.Last; B > L.Head; --B)
      if (!has(B) && llvm::any_of(G.Blocks[B].Succs,
                                  [&](const Edge &E) { return has(E.To); }))
        More |= Blocks.insert(B).second;
  }
}

/// True if the loop changes the local variable at \p Place step by step.
bool LoopReads::steps(ExprId Place) const {
  return llvm::any_of(Blocks, [&](unsigned B) {
    return llvm::any_of(G.Blocks[B].Ops, [&](const Op &O) {
      if (O.Kind != OpKind::Modify || O.Place != Place || O.Value == None)
        return false;
      const Expr &By = G.Exprs[O.Value];
      return By.Kind == ExprKind::Op && (By.S == "+" || By.S == "-");
    });
  });
}

/// Handles \p O, which sets a variable on which the condition depends.
void LoopReads::noteRead(const Op &O) {
  if (O.Value == None || !O.Range.Begin)
    return;
  llvm::SmallVector<ExprId, 8> Work{O.Value};
  for (unsigned Looks = 0; !Work.empty() && Looks < 32; ++Looks) {
    ExprId Id = Work.pop_back_val();
    if (Id == None)
      continue;
    const Expr &E = G.Exprs[Id];
    if (E.Kind == ExprKind::Load && G.Exprs[E.A].Kind != ExprKind::Var) {
      if (!Read.Begin || O.Range.Begin < Read.Begin)
        Read = O.Range;
      return;
    }
    Work.append({E.A, E.B, E.C});
  }
}

void LoopReads::add(ExprId Cond) {
  constexpr unsigned MaxLooks = 64;
  llvm::SmallVector<ExprId, 8> Work{Cond};
  llvm::SmallDenseSet<ExprId, 16> Seen;
  for (unsigned Looks = 0; !Work.empty() && Looks < MaxLooks; ++Looks) {
    ExprId Id = Work.pop_back_val();
    if (Id == None || !Seen.insert(Id).second)
      continue;
    const Expr &E = G.Exprs[Id];
    bool IsLoad = E.Kind == ExprKind::Load;
    if (!IsLoad && E.Kind != ExprKind::Result) {
      Work.append({E.A, E.B, E.C});
      continue;
    }
    if (IsLoad && G.Exprs[E.A].Kind != ExprKind::Var) {
      Places.insert(E.A);
      continue;
    }
    if (IsLoad)
      Counts |= steps(E.A);
    for (unsigned B : Blocks)
      for (const Op &O : G.Blocks[B].Ops) {
        if (IsLoad && O.Place == E.A &&
            (O.Kind == OpKind::Assign || O.Kind == OpKind::Modify)) {
          Work.push_back(O.Value);
          noteRead(O);
        }
        // An object of the standard library whose contents are queried.
        if (!IsLoad && O.Kind == OpKind::Call && O.ResultIndex == E.N &&
            O.Object != None && G.Exprs[O.Object].Kind != ExprKind::Var)
          Places.insert(O.Object);
      }
  }
}

/// True if the function that \p O calls may write to memory of the caller.
static bool mayWriteMemory(const Op &O) {
  return O.Object != None || O.IsLambda ||
         llvm::any_of(O.Args, [](const CallArg &A) {
           return A.Sort != CallArg::Scalar;
         });
}

/// The memory for which block \p At of \p G waits, if it leaves a loop that
/// cannot end through its own effects, and the location of the read.
BranchModel::WaitedFor BranchModel::waitedFor(const FlowGraph &G,
                                              unsigned At) const {
  llvm::SmallVector<LoopRange, 2> Loops = loopsAround(G, At);
  if (Loops.empty())
    return {};
  LoopReads Loop(G, Loops.front());
  if (!Loop.has(At) || !Loop.isLeftBy(G.Blocks[At]))
    return {};
  Loop.add(G.Blocks[At].Cond);
  bool Plain = true;
  for (unsigned I : Loop.Blocks) {
    const Block &Each = G.Blocks[I];
    // A different exit, which the loop reaches without the device.
    if (I != At && Each.Cond != None && Loop.isLeftBy(Each)) {
      LoopReads Other(G, Loops.front());
      Other.add(Each.Cond);
      Loop.Counts |= Other.Counts;
    }
    for (const Op &O : Each.Ops) {
      // The host writes there, or waits through a call, which is reported
      // separately.
      Loop.Counts |= (O.Kind == OpKind::Assign || O.Kind == OpKind::Modify) &&
                     Loop.Places.contains(O.Place);
      const catalogue::Entry *E = O.Kind == OpKind::Call && O.Callee != None
                                      ? Rel.entryFor(O.Callee)
                                      : nullptr;
      Plain &= O.Kind != OpKind::Call || E || !mayWriteMemory(O);
      Loop.Counts |=
          E &&
          (E->Does == Effect::SyncDevice || E->Does == Effect::SyncStream ||
           E->Does == Effect::SyncEvent || E->Does == Effect::QueryStream ||
           E->Does == Effect::QueryEvent || E->Does == Effect::CopySync ||
           E->Does == Effect::DeviceRead);
    }
  }
  if (Loop.Counts)
    return {};
  return {llvm::SmallVector<ExprId, 4>(Loop.Places.getArrayRef()), Loop.Read,
          Plain};
}

/// True if both the host and the device write to the memory at \p L, or if a
/// captured copy does.
bool BranchModel::isOfDevice(LocId L, State &S) {
  Variations::Source From;
  if (Use.Varies.measured(read(D, S, L), From) == Variation::DeviceRead)
    return true;
  // Values that the host wrote there before it waits do not count.
  ValueId Before = defaultContents(D, L);
  return llvm::any_of(Use.Varies.states(Before, {}),
                      [](const Variations::Changed &Each) {
                        return Each.Why == Variation::DeviceRead;
                      });
}

/// True if captured work may write to the memory at \p L.
bool BranchModel::isWrittenByNodes(LocId L, const State &S) const {
  LocId Root = D.root(L);
  const llvm::SmallVector<unsigned, 2> *Uses = nullptr;
  if (auto It = Nodes.In.find(Root); It != Nodes.In.end())
    Uses = &It->second;
  else if (D.at(Root).Kind == LocKind::Pointee)
    if (auto V = Nodes.Values.find(baseOf(D, D.at(Root).A));
        V != Nodes.Values.end())
      Uses = &V->second;
  return Uses && llvm::any_of(*Uses, [&](unsigned I) {
           const Retained &K = Nodes.Arguments[I];
           return K.MayWrite && llvm::is_contained(S.Active, K.Capture);
         });
}

bool BranchModel::noteWait(Frame &F, State &S, const Block &B) {
  if (S.Failing || S.OtherThread || S.InCallback)
    return false;
  auto [It, New] = Waits.try_emplace({F.Graph, F.Block});
  if (New)
    It->second = waitedFor(*F.Graph, F.Block);
  const WaitedFor &Wait = It->second;
  if (llvm::none_of(Wait.Places, [&](ExprId P) {
        LocId L = Use.Calls.evalPlace(F, P, S);
        return isOfDevice(L, S) || (Wait.Plain && isWrittenByNodes(L, S));
      }))
    return false;
  Op Where;
  Where.Range = Wait.Read.Begin ? Wait.Read : B.CondRange;
  Fact R = Facts.at(F, Where, S, S.Active.back());
  R.become<FactKind::HostWait>();
  R.restOn(Evidence::HostWaits);
  Facts.record(std::move(R));
  return true;
}

/// Reports a guard that queries whether one stream is capturing, before a wait
/// for the whole device: CUDA also refuses that wait while any other stream
/// captures.
void BranchModel::noteOneStream(Frame &F, State &S, const Block &B,
                                ValueId Cond, const BranchPair &Two) {
  CaptureId C = S.Active.back();
  RootKind Root = Result.Captures[C].Root;
  if ((Root != RootKind::Function && Root != RootKind::EntryPoints) ||
      !Shapes.asksForCapture(F.Function, B.Cond))
    return;
  const FlowGraph &G = *F.Graph;
  bool TestsOne = llvm::any_of(G.Blocks, [&](const Block &Each) {
    return llvm::any_of(Each.Ops, [&](const Op &O) {
      if (O.Kind != OpKind::Call || O.Callee == None)
        return false;
      if (const catalogue::Entry *E = Rel.entryFor(O.Callee))
        return E->Does == Effect::CaptureQuery &&
               E->arg("stream", O.Args.size()).has_value();
      // A function of the program that queries the stream that it receives.
      return Table.info(O.Callee).ReturnsFlag &&
             (Rel.bits(O.Callee) & Relevance::Tests) &&
             llvm::any_of(O.Args, [](const CallArg &A) { return A.IsStream; });
    });
  });
  std::optional<bool> Known = truth(D, S, Cond);
  if (!TestsOne || !Known)
    return;
  for (unsigned Each : Two.Blocks[!*Known])
    for (const Op &O : G.Blocks[Each].Ops) {
      const catalogue::Entry *E = O.Kind == OpKind::Call && O.Callee != None
                                      ? Rel.entryFor(O.Callee)
                                      : nullptr;
      if (!E || E->Does != Effect::SyncDevice)
        continue;
      Fact R = Facts.at(F, O, S, C);
      R.Api = E;
      R.Callee = E->Name;
      auto &Wait = R.become<FactKind::ApiCall>();
      for (catalogue::StreamKind Kind : Streams.kindsOf(S, C)) {
        std::vector<const catalogue::OutcomeRow *> Rows;
        E->rows(
            catalogue::StreamRelation::None, Kind,
            [](catalogue::Condition) { return std::optional(false); }, Rows);
        for (const catalogue::OutcomeRow *Row : Rows) {
          Situation Where;
          Where.Capturing = Kind;
          Where.Row = Row;
          for (unsigned M = 0; M < 3; ++M)
            Where.ByMode[M] = Row->ByMode[M];
          Wait.Situations.push_back(Where);
        }
      }
      R.restOn(Evidence::AskedOneStream);
      if (!Wait.Situations.empty())
        Facts.record(std::move(R));
    }
}

} // namespace cudagraph
