//===- Engine.h - Interpretation of flow graphs -----------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The engine walks programs from where captures can begin. It carries states
// through flow graphs, enters callees with the state of the call, and records
// a fact for each event met while a capture is active.
//
// States are merged where paths join unless they differ in what captures are
// active; so "begin if (update)" and "end if (update)" stay correlated, and
// everything else costs one state a block (property simulation). A callee is
// walked once for each distinct state that it can observe, and its exits are
// remembered. Wrappers, RAII objects, callables, guards and their wrappers
// need no rules of their own: they are walked.
//
// Engine.cpp walks blocks, EngineState.cpp joins states, EngineValue.cpp
// evaluates expressions, EngineCall.cpp finds callees, EngineEnter.cpp walks
// them, EngineApi.cpp applies catalogue entries, EngineCapture.cpp knows
// captures, EngineStreams.cpp forks and joins, EngineThread.cpp other threads,
// EngineCondition.cpp what else decides; EngineReport.cpp and EngineFact.cpp
// make facts.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_ENGINE_H
#define CUDAGRAPH_ANALYSIS_ENGINE_H

#include "Domain.h"
#include "EngineLimits.h"
#include "Fact.h"
#include "Program.h"
#include "Relevance.h"
#include "Roots.h"
#include "llvm/ADT/BitVector.h"
#include <map>
#include <set>
#include <unordered_map>

namespace cudagraph {

/// By loop header, the captures of the states that came round.
using LoopStates =
    std::map<unsigned, std::set<llvm::SmallVector<CaptureId, 2>>>;

/// The location that stands for the stream a framework considers current.
inline LocId currentStream(Domain &D) {
  return D.loc(LocKind::Global, 0, None, None, "current stream");
}

/// The locations that stand for the current device, and the one that captures.
inline LocId currentDevice(Domain &D) {
  return D.loc(LocKind::Global, 0, None, None, "current device");
}
inline LocId capturingDevice(Domain &D) {
  return D.loc(LocKind::Global, 0, None, None, "capturing device");
}

/// The member of a library handle that holds its stream.
LocId handleStream(Domain &D, ValueId Handle);
/// The member of a library handle that says whether it was used.
inline LocId usedMark(Domain &D, ValueId Handle) {
  return D.loc(LocKind::Field, 0, D.pointee(Handle), None, "library used");
}
/// The member of a library handle that says where its scalars are.
LocId pointerMode(Domain &D, ValueId Handle);

/// One activation on the way from the root to the current call.
struct Frame {
  FunctionId Function = None;
  const FlowGraph *Graph = nullptr;
  const Frame *Parent = nullptr;
  const Op *CallSite = nullptr; ///< in Parent
  unsigned CallBlock = 0;       ///< in Parent
  unsigned Block = 0;           ///< current block
  ValueId This = None;
  unsigned Depth = 0;
  bool Uncertain = false; ///< one of several possible callees
  // The walk of this activation; see Engine::capturingLoops().
  const std::set<unsigned> *Loops = nullptr;
  const std::vector<unsigned> *Visits = nullptr;
  LoopStates *Iterated = nullptr;
  std::vector<Fact> *OpenReturns =
      nullptr; ///< returns that leave a capture open
  std::set<unsigned> *ClosedReturns = nullptr; ///< and those that do not
  bool Released = false;
  bool Forced = false; ///< conditions decide nothing any more
};

class Engine {
public:
  Engine(Program &Table, const Relevance &Rel,
         const catalogue::Catalogue &Catalogue);

  /// Walks the program from \p From and returns the facts. One engine serves
  /// one root: what it finds depends on nothing else.
  FactSet run(const Root &From);

private:
  using States = std::vector<State>;
  struct Exit {
    State S;
    ValueId Returned;
  };
  using Exits = std::vector<Exit>;

  // Engine.cpp
  void runAssumed(FunctionId F, RootKind Root);
  State freshState();
  Exits walk(const Frame &F, State Entry);
  void walkBlock(Frame &F, State S, std::vector<States> &In,
                 std::set<unsigned> &Work);
  void branch(Frame &F, State &S, const Block &B, std::vector<States> &In,
              std::set<unsigned> &Work);
  const std::set<unsigned> &capturingLoops(FunctionId F, const FlowGraph &G);
  void enqueue(const Frame &F, unsigned To, const State &S,
               std::vector<States> &In, std::set<unsigned> &Work);
  bool mergeInto(State &Into, const State &New, int64_t JoinSite, bool Widen);
  bool isErrorExit(const Block &B);
  bool mustReach(const FlowGraph *G, unsigned From, unsigned To);
  States exec(Frame &F, const Op &O, State S);
  void assign(State &S, LocId L, ValueId V);
  void copyMembers(State &S, LocId From, LocId To);
  bool isRegionState(const Frame &F, const State &S, LocId L);
  void noteWrite(Frame &F, const Op &O, const State &S, LocId L);

  // EngineValue.cpp
  ValueId eval(const Frame &F, ExprId E, State &S);
  LocId evalPlace(const Frame &F, ExprId E, State &S);
  ValueId read(const State &S, LocId L);
  ValueId defaultContents(LocId L);
  std::optional<bool> truth(const State &S, ValueId V);
  void assume(State &S, ValueId V, bool Truth);
  std::optional<Variation> variation(const State &S, ValueId V, Span *Where);

  // EngineCall.cpp
  States call(Frame &F, const Op &O, State S);
  States enter(Frame &F, const Op &O, State S, FunctionId Callee, ValueId This,
               llvm::ArrayRef<ValueId> Args, bool Uncertain, ValueId *Returned);
  States dispatch(Frame &F, const Op &O, State S, FunctionId Callee,
                  ValueId This, llvm::ArrayRef<ValueId> Args, bool Uncertain);
  ValueId libraryResult(const State &S, llvm::ArrayRef<ValueId> Args);
  void callOpaque(Frame &F, const Op &O, State &S, FunctionId Callee,
                  llvm::ArrayRef<ValueId> Args);
  States invokeCallables(Frame &F, const Op &O, State S,
                         llvm::ArrayRef<ValueId> Args);
  States callValue(Frame &F, const Op &O, State S, ValueId Callable,
                   llvm::ArrayRef<ValueId> Args, FunctionId Fallback,
                   ValueId FallbackThis);
  void setResult(const Frame &F, const Op &O, State &S, ValueId V);
  std::vector<std::pair<LocId, ValueId>>
  reachable(const State &S, llvm::ArrayRef<ValueId> Roots);
  void dropUnread(FunctionId Callee, llvm::ArrayRef<ValueId> Roots,
                  const State &S,
                  std::vector<std::pair<LocId, ValueId>> &Visible);
  void freshStreams(const Frame &F, const Op &O, const State &Before,
                    llvm::ArrayRef<ValueId> Roots, State &After,
                    ValueId &Returned);
  unsigned timesWalked(FunctionId Callee) const;
  unsigned &walksAlike(FunctionId Callee);
  bool isDeepRecursion(const Frame &Innermost) const;
  void generalise(FunctionId Callee, const FlowGraph &G, const State &S,
                  llvm::SmallVectorImpl<ValueId> &Args, ValueId &This,
                  std::vector<std::pair<LocId, ValueId>> &Visible);
  void reroot(const Frame &F, const Op &O, const State &Before, State &After);

  // EngineApi.cpp
  States applyApi(Frame &F, const Op &O, State S, const catalogue::Entry &E,
                  FunctionId Callee, ValueId This,
                  llvm::ArrayRef<ValueId> Args);
  States regionScope(Frame &F, const Op &O, State S, const FunctionInfo &Info,
                     llvm::ArrayRef<ValueId> Args);
  bool restoreGuard(State &S, const FunctionInfo &Dtor, ValueId This);
  void launch(Frame &F, const Op &O, State &S, llvm::ArrayRef<ValueId> Config);
  void beginCapture(Frame &F, const Op &O, State &S, CaptureRecord R);
  void addEnd(CaptureId C, Span Where);
  void endCapture(Frame &F, const Op &O, State &S, const catalogue::Entry &E,
                  ValueId Stream, bool PerThread);
  void refuseBegin(Frame &F, const Op &O, State &S, const catalogue::Entry &E,
                   CaptureRecord R);
  void noteOpenReturn(Frame &F, const Op &O, const State &S,
                      bool Unwalked = false);
  void noteFailureExit(Frame &F, const State &S, ValueId Cond, unsigned Block);
  void noteUnchecked(Frame &F, const Op &O, State &S,
                     const catalogue::Entry &E);
  std::optional<bool> holds(const Op &O, const State &S,
                            const catalogue::Entry &E, catalogue::Condition X,
                            ValueId This, llvm::ArrayRef<ValueId> Args,
                            ValueId Stream, bool PerThread);
  llvm::SmallVector<catalogue::StreamKind, 2> kindsOf(const State &S,
                                                      CaptureId C);
  ValueId captureStatus(State &S, ValueId Stream, bool HasStream,
                        bool PerThread);
  llvm::SmallVector<catalogue::StreamRelation, 6>
  relations(const State &S, CaptureId C, ValueId Stream, bool PerThread);
  bool isOwnStream(LocId L) const;
  bool isIdentity(ValueId Stream) const {
    ValueKind K = D[Stream].Kind;
    return K == ValueKind::Stream || K == ValueKind::Init ||
           K == ValueKind::Int;
  }
  std::optional<catalogue::StreamKind> kindOf(const State &S, ValueId Stream);

  // EngineStreams.cpp
  ValueId lagKey(ValueId Of, ValueId Stream);
  std::optional<Member> memberOf(const State &S, ValueId Stream,
                                 bool PerThread);
  std::optional<Recorded> recordedAt(const State &S, ValueId Event);
  void setRecorded(State &S, ValueId Event, Recorded R);
  void noteWork(const Frame &F, const Op &O, State &S, ValueId Stream,
                bool PerThread, Span StreamText);
  void recordEvent(State &S, ValueId Event, ValueId Stream, bool PerThread,
                   bool External);
  void waitForEvent(State &S, ValueId Stream, ValueId Event, bool PerThread);
  void blurLags(State &S, ValueId Stream);
  void leaveCapture(State &S, CaptureId C);
  void checkJoined(Frame &F, const Op &O, State &S, CaptureId C,
                   const catalogue::Entry &E);

  // EngineThread.cpp
  void startThread(Frame &F, const Op &O, State &S, const catalogue::Entry &E,
                   ValueId This, llvm::ArrayRef<ValueId> Args);
  States runThread(Frame &F, const Op &O, const State &S, ValueId Callable,
                   llvm::ArrayRef<ValueId> Args);
  void moveThread(State &S, ValueId From, ValueId To);
  void runThreads(Frame &F, const Op &O, const State &S);

  // EngineReport.cpp
  void report(Frame &F, const Op &O, State &S, const catalogue::Entry &E,
              FunctionId Callee, ValueId This, llvm::ArrayRef<ValueId> Args,
              ValueId Stream, bool HasStream, bool PerThread, Span StreamText);
  void noteNoRecord(
      State &S, const Fact &At,
      llvm::ArrayRef<catalogue::StreamRelation> Relations,
      llvm::function_ref<std::optional<bool>(catalogue::Condition)> Holds);
  std::optional<ValueId> eventOf(const State &S, const catalogue::Entry &E,
                                 llvm::ArrayRef<ValueId> Args, ValueId This);
  void reportVarying(Frame &F, const Op &O, State &S, ValueId V,
                     const char *What, const catalogue::Entry *E);
  bool isFirm(const Frame &F, CaptureId C, std::vector<ChainStep> *Chain);
  Fact factAt(Frame &F, const Op &O, const State &S, CaptureId C);
  void record(Fact F);
  void scopeHints(Fact &Result, const Frame &F, State &S, ValueId Origin);
  CaptureId intern(CaptureRecord R);

  Program &Table;
  const catalogue::Catalogue &Catalogue;
  Domain D;
  const Relevance &Rel;
  FactSet Result;
  /// Where work was enqueued on a stream that the origin may not wait for.
  struct LagSite {
    Span Call, StreamText;
    FunctionId In;
  };
  std::vector<LagSite> LagSites;
  std::unordered_map<unsigned, unsigned> LagSiteIds; ///< by begin of Call
  std::map<std::tuple<unsigned, unsigned, unsigned, unsigned, unsigned>,
           CaptureId>
      CaptureIds;
  std::map<std::tuple<unsigned, unsigned, unsigned, std::string>, unsigned>
      FactIndex;
  std::map<std::pair<uint64_t, uint64_t>, Exits> Memo; ///< by digest of the key
  std::set<std::pair<uint64_t, uint64_t>> InProgress;
  std::unordered_map<FunctionId, unsigned> Walks;
  std::unordered_map<uint64_t, unsigned> WalksAlike; ///< by likeness
  std::unordered_map<const FlowGraph *, std::vector<llvm::BitVector>> PostDom;
  std::map<const FlowGraph *, std::set<unsigned>> LoopHeaders;
  std::unordered_map<const Block *, bool> ErrorExits;
  uint64_t Steps = 0;
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_ENGINE_H
