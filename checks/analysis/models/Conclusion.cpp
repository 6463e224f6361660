//===- Conclusion.cpp - Conclusions after the whole walk ------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See GraphModel.h.
//
//===----------------------------------------------------------------------===//

#include "GraphModel.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

/// True if \p Set contains the capture \p C, in any view.
bool GraphModel::isIn(const std::set<CaptureId> &Set, CaptureId C) const {
  return llvm::any_of(Set, [&](CaptureId X) { return W.sameCapture(X, C); });
}

/// True if the graph of \p C outlives the capturing function.
bool GraphModel::isStored(CaptureId C) const {
  const CaptureRecord &R = Result.Captures[C];
  bool Seen = R.Root == RootKind::ApiPair || R.Root == RootKind::Wrapper ||
              R.Root == RootKind::Libtorch;
  return !Seen || R.Ends.empty() || isIn(Nodes.Outliving, C);
}

void GraphModel::conclude() {
  concludeState();
  concludeParameters();
  // Reports work for the first call, if no call precedes the capture.
  for (Fact &R : Facts.Later.Lazy) {
    if (W.mayRunBefore(R.Function, R.Capture))
      R.restOn(Evidence::WarmUpPossible);
    Facts.record(std::move(R));
  }
}

/// True if the graph of \p C is stored in the object \p Root, or in an object
/// connected to it by a pointer.
bool GraphModel::keeps(LocId Root, CaptureId C) const {
  auto Holder = [&](LocId L) {
    const LocNode N = D.at(L);
    if (N.Kind != LocKind::Pointee || D[N.A].Kind != ValueKind::Init)
      return L;
    LocId Outer = D.root(D[N.A].A);
    return D.at(Outer).Kind == LocKind::Pointee ? Outer : L;
  };
  return llvm::any_of(Nodes.RetainedIn, [&](const auto &Each) {
    return W.sameCapture(Each.first, C) && Holder(Each.second) == Holder(Root);
  });
}

/// True if the graph of \p C, which uses the buffer \p Name, is launched after
/// this buffer was swapped with another. Captured code that swaps buffers uses
/// both of them, and if there are several graphs, each may be for one of the
/// buffers.
bool GraphModel::outlivesTurn(llvm::StringRef Name, CaptureId C) const {
  const WriteSummary *Writes = Rel.writes(Name);
  if (!Writes || W.SteppedInside.count(Name.str()) || isIn(Nodes.InTables, C))
    return false;
  return !OldLaunches.empty() ||
         llvm::any_of(Writes->Steppers, [&](const WriteSummary::Change &Step) {
           return Rel.keepsGraphs(Step.In);
         });
}

/// Reports memory and state that change between replays.
void GraphModel::concludeState() {
  // A table still contains the graphs for other keys, which use the memory.
  auto FreedEarly = [&](CaptureId C, FunctionId In) {
    return llvm::any_of(Nodes.FreedEarly, [&](const auto &Each) {
      return Each.second == In && W.sameCapture(Each.first, C);
    });
  };
  auto OtherKeys = [&](CaptureId C, FunctionId In) {
    return isIn(Nodes.InTables, C) && FreedEarly(C, In);
  };
  // One location stands for all objects that the same code creates.
  auto OtherObjects = [&](LocId L, CaptureId C, FunctionId In) {
    const LocNode Root = D.at(D.root(L));
    return Root.Kind == LocKind::Temp && D.text(Root.S) == "heap" &&
           FreedEarly(C, In);
  };
  // Nodes whose memory the walk has followed to its end.
  llvm::DenseMap<unsigned, llvm::SmallVector<CaptureId, 2>> Followed;
  for (const Fact &F : Result.Facts)
    if (F.Kind == FactKind::Dangles)
      Followed[F.Range.Begin].push_back(F.Capture);
  // Reported once for all nodes that retain the address.
  std::set<std::tuple<unsigned, CaptureId, std::string>> Said;
  for (auto &[R, Closed] : Facts.Later.Growing) {
    const MemoryEnd &Memory = *R.as<FactKind::Grows>();
    // Each call has been followed, with the sizes that it passes. Deleters are
    // called only for owners with known contents.
    bool AllVisible =
        Closed != None && !Table.info(R.Function).IsLambda &&
        llvm::none_of(W.Handed, [&, Root = D.root(Closed)](ValueId V) {
          return D[V].Kind == ValueKind::Addr && D.root(D[V].A) == Root;
        });
    if (AllVisible && W.Eager.count(R.Function) &&
        !OtherKeys(R.Capture, R.Function) &&
        !OtherObjects(Closed, R.Capture, R.Function))
      continue;
    if (auto It = Followed.find(Memory.Where.Begin);
        It != Followed.end() &&
        llvm::any_of(It->second, [&, C = R.Capture](CaptureId X) {
          return W.sameCapture(X, C);
        }))
      continue;
    if (isStored(R.Capture) && !isFresh(W, Nodes, R.Capture) &&
        (!Memory.Use.OnDevice || Memory.Rebinds ||
         Said.insert({R.Range.Begin, R.Capture, Memory.Object}).second))
      Facts.record(std::move(R));
  }
  for (auto &[R, Name, With, Turns, At, ByPath] : Facts.Later.Stepping) {
    const VaryingValue &Value = *R.details<VaryingValue>();
    bool Freed = Value.Use.IsPointer && OtherKeys(R.Capture, Value.In);
    if (Freed && llvm::any_of(Result.Facts, [&, C = R.Capture](const Fact &F) {
          return F.Capture == C &&
                 (F.Kind == FactKind::Dangles || F.Kind == FactKind::Grows);
        }))
      continue; // the end of the memory is reported
    if (With != None && !Freed && !keeps(With, R.Capture))
      continue;
    // A counter in the captured code itself would be updated on each replay.
    const WriteSummary *Writes = Rel.writes(Name);
    bool Counts = Writes && llvm::any_of(Writes->Steppers,
                                         [&](const WriteSummary::Change &X) {
                                           return W.isInRegion(X.In);
                                         });
    // If all writes are visible, they have been followed individually.
    if (!Counts && At != None && (Nodes.Closed || isClosed(D, Nodes, At)) &&
        !Freed && Nodes.Executed.contains(Value.Where.Begin))
      continue;
    // The change itself is reported.
    if (Counts && ByPath)
      continue;
    auto Has = [&, At = At, C = R.Capture](const auto &Places) {
      return llvm::any_of(Places, [&](const auto &P) {
        return P.second == At && W.sameCapture(P.first, C);
      });
    };
    if (Counts && Has(Nodes.Restored))
      continue;
    if (Counts && Has(Nodes.PerhapsRestored))
      R.restOn(Evidence::PerhapsRestored);
    if (Turns && !outlivesTurn(Name, R.Capture))
      continue;
    // A value that captured code sets once, such as a setting, does not change.
    if (Value.Why == Variation::Setter && W.isInRegion(Value.In))
      continue;
    if (!isFresh(W, Nodes, R.Capture) &&
        (Counts || isIn(Nodes.Outliving, R.Capture) ||
         !isIn(Nodes.LocalOnly, R.Capture)))
      Facts.record(std::move(R));
  }
  for (Fact &R : Facts.Later.Unupdated)
    if (!isFresh(W, Nodes, R.Capture))
      Facts.record(std::move(R));
  // Changes of state that uncaptured code reads.
  for (Fact &R : Facts.Later.Counting) {
    const HostChange &Change = *R.as<FactKind::HostWrite>();
    // A destructor releases the recorded objects, and makes no decision.
    auto Elsewhere = [&](FunctionId X) {
      return Table.key(X) != Table.key(R.Function) && !W.isInRegion(X) &&
             !Table.info(X).IsDestructor;
    };
    if (const WriteSummary *Writes = Rel.writes(Change.Counter))
      if (llvm::any_of(Writes->Readers, Elsewhere) ||
          llvm::any_of(Writes->Calls, [&](const WriteSummary::Use &U) {
            const catalogue::Entry *E = Rel.entryFor(U.Callee);
            return Elsewhere(U.In) && Table.info(U.Callee).IsSystem &&
                   !(E && E->Does == catalogue::Effect::HostMutate);
          }))
        R.Weakest = Evidence::ReadElsewhere;
    Facts.record(std::move(R));
  }
}

/// Reports parameters of the function that stores a graph for later calls. The
/// configuration of a launch precedes its arguments, so a parameter that is
/// used in both is reported once, as a size.
void GraphModel::concludeParameters() {
  std::set<std::tuple<unsigned, CaptureId, FunctionId, std::string>> Shapes;
  for (const Retained &K : Nodes.Arguments)
    for (const Retained::Dependency &Dependency : K.Dependencies) {
      if (Keys.contains(Dependency.Part) || isFresh(W, Nodes, K.Capture) ||
          llvm::none_of(OldLaunches, [&](const llvm::DenseSet<FunctionId> &L) {
            return L.contains(Dependency.Of);
          }))
        continue;
      Fact R = K.At;
      bool Branch = K.Use.As == RetainedAs::Branch;
      VaryingValue &Value = becomeVarying(R, K);
      Value.Why = Variation::Parameter;
      Value.In = Dependency.Of;
      Value.Where = Table.info(Dependency.Of).Where;
      const FlowGraph *G = Table.graph(Dependency.Of);
      Value.Name = G ? G->Vars[Dependency.Param].Name : "";
      bool Size =
          K.Use.As == RetainedAs::Size || K.Use.As == RetainedAs::Config;
      // Callers usually pass the same buffer each time.
      R.restOn(K.Use.IsPointer || Branch ? Evidence::ParameterAddress
                                         : Evidence::ParameterNumber);
      auto Shape = std::tuple(R.Range.Begin, R.Capture, Value.In, Value.Name);
      if (Size)
        Shapes.insert(Shape);
      else if (!K.Use.IsPointer && !Branch && Shapes.count(Shape))
        break; // the size is reported
      Facts.record(std::move(R));
      break;
    }
}

} // namespace cudagraph
