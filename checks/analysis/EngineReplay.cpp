//===- EngineReplay.cpp - Launches of graphs, early and late --------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is different when a graph is launched, what decides which graph that is,
// and what can be said only when all has been walked: whether the graph is
// stored for later calls, whether somebody brings it up to date, whether
// first-call work has been done before.
//
//===----------------------------------------------------------------------===//

#include "Engine.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

/// Remembers what variables hold when capture \p C ends.
void Engine::endOfCapture(const State &S, CaptureId C) {
  for (Kept &K : Kepts)
    if (K.Place != None && sameCapture(K.Capture, C))
      if (ValueId V = read(S, K.Place); !llvm::is_contained(K.AtEnd, V))
        K.AtEnd.push_back(V);
}

void Engine::launchGraph(Frame &F, const Op &O, State &S, ValueId Exec) {
  if (Exec == None || S.Failing || !S.Active.empty())
    return;
  bool Old = D[Exec].Kind != ValueKind::Exec && !D.asInt(Exec);
  if (D[Exec].Kind == ValueKind::Phi && !D.candidates(Exec).empty())
    Old = llvm::any_of(D.candidates(Exec), [&](ValueId C) {
      return D[C].Kind != ValueKind::Exec && !D.asInt(C);
    });
  if (Old && !Updated.contains(Exec)) {
    llvm::DenseSet<FunctionId> Stack;
    for (const Frame *A = &F; A; A = A->Parent)
      Stack.insert(A->Function);
    OldLaunches.push_back(std::move(Stack));
  }
  eachGraph(D, Exec, [&](CaptureId C) {
    for (const Kept &K : Kepts) {
      if (!sameCapture(K.Capture, C))
        continue;
      std::optional<unsigned> Departed =
          K.Root == None ? std::nullopt : S.Gone.lookup(keyOfObject(K.Root));
      if (!Departed && K.Holder != None)
        Departed = S.Gone.lookup(keyOfObject(K.Holder));
      if (!Departed && K.At.IsPointer)
        Departed = S.Gone.lookup(keyOfValue(K.Value));
      if (Departed)
        dangles(K, S, *Departed, false, /*Launched=*/true);
      std::optional<unsigned> Now = K.Place == None || Updated.contains(Exec) ||
                                            D[Exec].Kind != ValueKind::Exec
                                        ? std::nullopt
                                        : S.Mem.lookup(K.Place);
      if (!Now || K.AtEnd.empty() || llvm::is_contained(K.AtEnd, *Now) ||
          K.As == KeptAs::Source || K.As == KeptAs::Destination ||
          K.As == KeptAs::UserData)
        continue;
      Fact R = K.At;
      R.Kind = FactKind::VaryingUse;
      R.Unparsed = std::max(R.Unparsed, S.Unparsed);
      R.Varies = Variation::Changed;
      R.Other = O.Range;
      R.OtherIn = F.Function;
      R.Object = nameOf(K.Place);
      R.What = K.As == KeptAs::Size ? "size" : "argument " + R.Object;
      R.Sure = std::min(R.Sure, Confidence::Likely);
      record(std::move(R));
    }
  });
}

/// What a test that nothing captures yet compares decides which graph is
/// captured, or launched.
void Engine::noteKeys(const State &S, ValueId V) {
  if (!S.Active.empty() || S.InCallback)
    return;
  auto All = [&](ValueId X) {
    llvm::SmallVector<LocId, 4> Objects;
    auto Add = [&](ValueId Part) {
      Keys.insert(Part);
      if (D[Part].Kind == ValueKind::Addr || D[Part].Kind == ValueKind::CopyOf)
        Objects.push_back(D.root(D[Part].A));
    };
    D.visitTree(X, Add);
    // What is passed by reference.
    llvm::SmallVector<LocId, 4> Places;
    D.visitTree(X, [&](ValueId Part) {
      if (D[Part].Kind == ValueKind::Addr)
        Places.push_back(D[Part].A);
    });
    for (LocId L : Places)
      D.visitTree(read(S, L), Add);
    // What is compared may be a structure, made from what counts.
    for (unsigned I = 0; I < Objects.size() && I < 4; ++I)
      for (const Memory::Item &Each : S.Mem)
        if (D.root(Each.Key) == Objects[I])
          D.visitTree(Each.Data, Add);
  };
  llvm::SmallVector<ValueId, 8> Work{V};
  for (unsigned Guard = 0; !Work.empty() && Guard < 64; ++Guard) {
    ValueId X = Work.pop_back_val();
    if (X == None)
      continue;
    const ValueNode N = D[X];
    llvm::StringRef Op =
        N.Kind == ValueKind::Op ? D.text(N.S) : llvm::StringRef();
    if (Op == "!" || Op == "bool" || Op == "&&" || Op == "||") {
      Work.push_back(N.A);
      Work.push_back(N.B);
    } else if (N.Kind != ValueKind::Op || Op == "==" || Op == "library" ||
               Op == "aggregate") {
      All(X);
    }
  }
}

/// What can be said only when all has been walked.
void Engine::conclude() {
  auto Stored = [&](CaptureId C) {
    const CaptureRecord &R = Result.Captures[C];
    bool Seen = R.Root == RootKind::ApiPair || R.Root == RootKind::Wrapper ||
                R.Root == RootKind::Libtorch;
    return !Seen || R.Ends.empty() || llvm::any_of(Outliving, [&](CaptureId X) {
      return sameCapture(X, C);
    });
  };
  auto Known = [&](const std::set<CaptureId> &Set, CaptureId C) {
    return llvm::any_of(Set, [&](CaptureId X) { return sameCapture(X, C); });
  };
  // Said once, however many nodes keep the address.
  std::set<std::tuple<unsigned, CaptureId, std::string>> Said;
  for (Fact &R : Growing)
    if (Stored(R.Capture) && !Known(Fresh, R.Capture) &&
        (!R.OnDevice || R.Rebinds ||
         Said.insert({R.Range.Begin, R.Capture, R.Object}).second))
      record(std::move(R));
  for (auto &[R, Name] : Stepping) {
    // What the captured code itself counts would count on each replay.
    const WriteSummary *W = Rel.writes(Name);
    bool Counts = W && llvm::any_of(W->Steppers, [&](FunctionId X) {
                    return InRegion.count(X);
                  });
    // What captured code sets once, such as a setting, stays.
    if (R.Varies == Variation::Setter && InRegion.count(R.OtherIn))
      continue;
    if (!Known(Fresh, R.Capture) &&
        (Counts || Known(Outliving, R.Capture) || !Known(LocalOnly, R.Capture)))
      record(std::move(R));
  }
  // Changes of state that somebody reads who is not captured.
  for (Fact &R : Counting) {
    if (const WriteSummary *W = Rel.writes(R.Object))
      if (llvm::any_of(W->Readers, [&](FunctionId X) {
            return X != R.Function && !InRegion.count(X);
          }))
        R.Sure = Confidence::Likely;
    R.Object.clear();
    record(std::move(R));
  }
  // Parameters of the function that keeps a graph for later calls; the
  // configuration of a launch comes before its arguments.
  std::set<std::tuple<unsigned, CaptureId, FunctionId, std::string>> Shapes;
  for (const Kept &K : Kepts)
    for (const Kept::Hit &Hit : K.Hits) {
      if (Keys.contains(Hit.Part) || Known(Fresh, K.Capture) ||
          llvm::none_of(OldLaunches, [&](const llvm::DenseSet<FunctionId> &L) {
            return L.contains(Hit.Of);
          }))
        continue;
      Fact R = K.At;
      R.Kind =
          K.As == KeptAs::Branch ? FactKind::HostBranch : FactKind::VaryingUse;
      R.Varies = Variation::Parameter;
      R.OtherIn = Hit.Of;
      R.Other = Table.info(Hit.Of).Where;
      const FlowGraph *G = Table.graph(Hit.Of);
      std::string Param = G ? G->Vars[Hit.Param].Name : "";
      bool Size = K.As == KeptAs::Size || K.As == KeptAs::Config;
      R.What = Size ? "size" : "argument " + R.Object;
      R.Object = Param;
      // Callers that pass the same buffer each time are the rule.
      R.Sure = std::min(R.Sure, R.IsPointer || K.As == KeptAs::Branch
                                    ? Confidence::Possible
                                    : Confidence::Likely);
      auto Shape = std::tuple(R.Range.Begin, R.Capture, R.OtherIn, R.Object);
      if (Size)
        Shapes.insert(Shape);
      else if (!R.IsPointer && K.As != KeptAs::Branch && Shapes.count(Shape))
        break; // the size says it
      record(std::move(R));
      break;
    }
  // Work for the first call, where nobody calls before the capture.
  for (Fact &R : Lazy) {
    if (mayRunBefore(R.Function, R.Capture))
      R.Sure = Confidence::Possible;
    record(std::move(R));
  }
}

/// True if somebody may call \p F before capture \p C begins: here, or from
/// code that does not capture.
bool Engine::mayRunBefore(FunctionId F, CaptureId C) const {
  std::vector<FunctionId> Work{F};
  llvm::DenseSet<FunctionId> Seen{F};
  for (unsigned Guard = 0; !Work.empty() && Guard < 256; ++Guard) {
    FunctionId At = Work.back();
    Work.pop_back();
    if (Rel.bits(At) & Relevance::Begins)
      continue;
    const std::vector<FunctionId> &Callers = Rel.callersOf(At);
    if (Eager.count(At) || (Callers.empty() && Result.Captures[C].Home != At))
      return true;
    for (FunctionId Caller : Callers)
      if (Seen.insert(Caller).second)
        Work.push_back(Caller);
  }
  return false;
}

} // namespace cudagraph
