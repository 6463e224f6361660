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
// EngineCondition.cpp what else decides; EngineKept.cpp knows what nodes keep,
// EngineStale.cpp what others do to that, EngineLife.cpp when it ends,
// EngineReplay.cpp launches, EngineArms.cpp what branches are for,
// EngineTensor.cpp what is known of tensors; EngineTimeline.cpp keeps the
// order; EngineReport.cpp and EngineFact.cpp make facts.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_ENGINE_H
#define CUDAGRAPH_ANALYSIS_ENGINE_H

#include "Domain.h"
#include "EngineLimits.h"
#include "Fact.h"
#include "GraphShapes.h"
#include "Program.h"
#include "Relevance.h"
#include "Roots.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

namespace cudagraph {

/// Keys of State::Gone: an object, and what a pointer points to.
inline unsigned keyOfObject(LocId L) { return L << 1; }
inline unsigned keyOfValue(ValueId V) { return V << 1 | 1; }

/// Calls \p Visit for each capture whose graph \p V may be.
template <typename Fn> void eachGraph(const Domain &D, ValueId V, Fn Visit) {
  auto One = [&](ValueId X) {
    if (D[X].Kind == ValueKind::Graph || D[X].Kind == ValueKind::Exec)
      Visit(static_cast<CaptureId>(D[X].A));
  };
  One(V);
  for (ValueId C : D.candidates(V))
    One(C);
}

/// What a node of a graph has kept, and where that came from.
struct Kept {
  Fact At;
  CaptureId Capture = 0;
  KeptAs As = KeptAs::Argument;
  bool Rebinds = false; ///< an object of a library that owns it
  ValueId Value = None; ///< the number, or what the address is computed from
  LocId Root = None;    ///< the object whose address it is
  LocId Holder = None;  ///< the container whose elements these are
  LocId Place = None;   ///< the variable that the number was read from
  std::vector<ValueId> AtEnd; ///< what Place held when the capture ended
  /// What of Value came from a parameter, and whose it was.
  struct Hit {
    FunctionId Of;
    unsigned Param;
    ValueId Part;
  };
  llvm::SmallVector<Hit, 2> Hits;
};

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

/// The location that says whether tensors were found to be on the host.
inline LocId hostPath(Domain &D) {
  return D.loc(LocKind::Global, 0, None, None, "host path");
}

/// The member of a library handle that holds its stream.
LocId handleStream(Domain &D, ValueId Handle);
/// The member of a library handle that says whether it was used.
inline LocId usedMark(Domain &D, ValueId Handle) {
  return D.loc(LocKind::Field, 0, D.pointee(Handle), None, "library used");
}
/// The member of a library handle that says what kind of generator it is.
inline LocId generatorKind(Domain &D, ValueId Handle) {
  return D.loc(LocKind::Field, 0, D.pointee(Handle), None, "generator kind");
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
  // The walk of this activation; see GraphShapes::capturingLoops().
  const std::set<unsigned> *Loops = nullptr;
  const std::vector<unsigned> *Visits = nullptr;
  LoopStates *Iterated = nullptr;
  std::vector<Fact> *OpenReturns =
      nullptr; ///< returns that leave a capture open
  std::set<unsigned> *ClosedReturns = nullptr; ///< and those that do not
  llvm::SmallVector<ValueId, 8> Params;        ///< what it was called with
  bool Released = false;
  bool Forced = false;  ///< conditions decide nothing any more
  bool Allowed = false; ///< under CUDAGRAPH_ALLOW, from the root on
  bool Once = false;    ///< at the first call only, from the root on
  /// See Engine::isFirmAbove(): for which capture it was asked last.
  mutable std::optional<CaptureId> FirmFor;
  mutable bool FirmAbove = false;
};

/// True for members and globals that live as long as a graph that is kept
/// beside them.
bool livesWithGraph(const Domain &D, LocId L);

class Engine {
public:
  /// \p Shapes serves all roots of a program.
  Engine(Program &Table, const Relevance &Rel,
         const catalogue::Catalogue &Catalogue, GraphShapes &Shapes,
         const WalkLimits &Limits = WalkLimits());

  /// Walks the program from \p From and returns the facts. One engine serves
  /// one root: what it finds depends on nothing else.
  FactSet run(const Root &From);

private:
  /// Most steps take one state and give one: it is moved, never copied.
  struct States : std::vector<State> {
    States() = default;
    States(State One) { push_back(std::move(One)); }
  };
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
  void enqueue(const Frame &F, unsigned To, const State &S,
               std::vector<States> &In, std::set<unsigned> &Work);
  bool mergeInto(State &Into, const State &New, int64_t JoinSite, bool Widen);
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
  using TruthMemo = llvm::SmallDenseMap<ValueId, std::optional<bool>, 8>;
  std::optional<bool> truth(const State &S, ValueId V, TruthMemo &Memo);
  std::optional<bool> truthOf(const State &S, ValueId V, TruthMemo &Memo);
  void assume(State &S, ValueId V, bool Truth);
  void assume(State &S, ValueId V, bool Truth,
              llvm::SmallDenseSet<ValueId, 8> &Done);
  std::optional<Variation> variation(const State &S, ValueId V, Span *Where,
                                     FunctionId *In = nullptr,
                                     std::string *Name = nullptr);

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
  void passUnparsed(State &S, FunctionId Callee) const;
  bool isDeepCapturing(const Frame &Innermost) const;
  void skip(const Frame &F, const Op &O, State &S, FunctionId Callee,
            llvm::ArrayRef<ValueId> Args);
  bool isSpent();
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
  void noteRepeats(Frame &F, const Op &O, State &S, const catalogue::Entry &E,
                   ValueId Handle);
  bool restoreGuard(State &S, const FunctionInfo &Dtor, ValueId This);
  void launch(Frame &F, const Op &O, State &S, llvm::ArrayRef<ValueId> Config,
              llvm::ArrayRef<ValueId> Args);
  void noteCallbackCall(Frame &F, const Op &O, const State &S,
                        llvm::StringRef Name);
  void beginCapture(Frame &F, const Op &O, State &S, CaptureRecord R);
  void addBegin(const Frame &F, CaptureId C);
  void addEnd(const Frame &F, CaptureId C, Span Where);
  CaptureId endCapture(Frame &F, const Op &O, State &S,
                       const catalogue::Entry &E, ValueId Stream,
                       bool PerThread);
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
                   const catalogue::Entry *E);

  // EngineTimeline.cpp
  void happen(const Frame &F, const State &S, Happening H, ValueId Stream,
              bool PerThread);
  void add(const Frame &F, CaptureId C, Happening H);
  void inherit(CaptureId Inner, CaptureId Outer);
  ValueId laneOf(ValueId V, Span Text, bool Guess = false);
  void finishTimelines();

  // EngineThread.cpp
  void startThread(Frame &F, const Op &O, State &S, const catalogue::Entry &E,
                   ValueId This, llvm::ArrayRef<ValueId> Args);
  States runThread(Frame &F, const Op &O, const State &S, ValueId Callable,
                   llvm::ArrayRef<ValueId> Args);
  void moveThread(State &S, ValueId From, ValueId To);
  void runThreads(Frame &F, const Op &O, const State &S);

  // EngineKept.cpp
  void takeParams(Frame &F);
  void keepArgs(Frame &F, const Op &O, State &S, const catalogue::Entry *E,
                ValueId This, llvm::ArrayRef<ValueId> Args, ValueId Stream,
                bool HasStream, bool PerThread);
  void keepTensors(Frame &F, const Op &O, State &S, FunctionId Callee,
                   ValueId This, llvm::ArrayRef<ValueId> Args);
  bool noteMember(const State &S, ValueId Stream, bool HasStream,
                  bool PerThread);
  void keepBranch(Frame &F, const Op &O, State &S, ValueId Cond);
  void keep(Frame &F, const Op &O, State &S, KeptAs As, ValueId V, Span Text,
            LocId Place, unsigned Sort, const catalogue::Entry *E = nullptr);
  void keepStruct(Frame &F, const Op &O, State &S, ValueId V, Span Text);
  void findHits(const Frame &F, Kept &K);
  LocId placeOf(const Frame &F, ExprId E, State &S);
  ValueId baseOf(ValueId V) const;
  LocId metAt(ValueId Phi) const;

  // EngineStale.cpp
  void frozen(Frame &F, const Op &O, State &S, const Kept &K);
  void grows(const Kept &K, const State &S);
  std::string nameOf(LocId L) const;

  // EngineLife.cpp
  bool sameCapture(CaptureId A, CaptureId B) const;
  void endLife(Frame &F, State &S, LocId Var, Span Where);
  void endActivation(Frame &F, State &S);
  void freed(Frame &F, const Op &O, State &S, ValueId Pointer);
  void moved(Frame &F, const Op &O, State &S, ValueId Container);
  void noteGone(const Frame &F, State &S, unsigned Key, Span Where, Ending How);
  void dangles(const Kept &K, const State &S, unsigned Departure,
               bool Capturing, bool Launched);
  bool outlives(const Frame &F, const State &S, CaptureId C,
                bool *OnAllPaths = nullptr);
  bool handedOn(const Frame &F, const State &S, LocId Root);

  // EngineReplay.cpp
  void launchGraph(Frame &F, const Op &O, State &S, ValueId Exec);
  void endOfCapture(const State &S, CaptureId C);
  void noteKeys(const State &S, ValueId V);
  void conclude();
  bool mayRunBefore(FunctionId F, CaptureId C) const;

  // EngineTensor.cpp
  unsigned tensorTraits(const State &S, ValueId V, unsigned Depth = 0);
  unsigned tensorTraitsOf(const State &S, ValueId V, unsigned Depth);
  bool isHostPath(const State &S);
  ValueId passedStream(const State &S, ValueId Stream) const;
  bool isParameter(LocId L) const;
  ValueId madeTensor(const Frame &F, const Op &O, unsigned Traits);
  States applyOperator(Frame &F, const Op &O, State S,
                       const catalogue::Entry &E, FunctionId Callee,
                       ValueId This, llvm::ArrayRef<ValueId> Args);
  unsigned placeOf(int64_t Number) const;
  void noteTensor(Frame &F, const Op &O, State &S, FunctionId Callee,
                  ValueId This, llvm::ArrayRef<ValueId> Args);
  std::optional<bool> holdsOfTensor(const Op &O, const State &S,
                                    const catalogue::Entry &E,
                                    catalogue::Condition X,
                                    llvm::ArrayRef<ValueId> Args);

  // EngineArms.cpp
  void noteBranch(Frame &F, State &S, const Block &B, ValueId Cond);
  void noteAware(Frame &F, State &S, const Block &B, ValueId Cond,
                 const Arms &Two);
  void noteLazy(Frame &F, State &S, const Block &B, ValueId Cond,
                const Arms &Two);
  void runCallback(Frame &F, const Op &O, const State &S, ValueId Callable,
                   ValueId Data);

  // EngineReport.cpp
  void report(Frame &F, const Op &O, State &S, const catalogue::Entry &E,
              FunctionId Callee, ValueId This, llvm::ArrayRef<ValueId> Args,
              ValueId Stream, bool HasStream, bool PerThread, Span StreamText);
  bool isOfWrapper(const Frame &F, const CaptureRecord &R) const;
  void noteNoRecord(
      State &S, const Fact &At,
      llvm::ArrayRef<catalogue::StreamRelation> Relations,
      llvm::function_ref<std::optional<bool>(catalogue::Condition)> Holds);
  std::optional<ValueId> eventOf(const State &S, const catalogue::Entry &E,
                                 llvm::ArrayRef<ValueId> Args, ValueId This);
  void reportVarying(Frame &F, const Op &O, State &S, ValueId V,
                     const char *What, const catalogue::Entry *E);
  bool isFirm(const Frame &F, CaptureId C, std::vector<ChainStep> *Chain);
  bool isFirmAt(const Frame &F, CaptureId C, unsigned Block);
  bool isFirmAbove(const Frame &F, CaptureId C);
  Fact factAt(Frame &F, const Op &O, const State &S, CaptureId C);
  void record(Fact F);
  void scopeHints(Fact &Result, const Frame &F, State &S, ValueId Origin);
  CaptureId intern(CaptureRecord R);

  Program &Table;
  const catalogue::Catalogue &Catalogue;
  /// Numbers of the enumerators of tensor libraries, as the catalogue has them.
  const std::vector<int64_t> HostDevices, CudaDevices, BooleanScalars;
  Domain D;
  const Relevance &Rel;
  GraphShapes &Shapes;
  const WalkLimits Limits;
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
  uint64_t Steps = 0;
  uint64_t NextLook = 0; ///< at the clock, in steps
  unsigned Order = 0;
  /// By capture, place and Happening::Lane: what is in the timeline.
  std::map<std::tuple<CaptureId, unsigned, ValueId>, unsigned> Happened;
  /// By the array and the spelling of an element.
  std::map<std::pair<ValueId, std::string>, ValueId> LanesByName;
  llvm::DenseMap<ValueId, ValueId> LaneOf;
  std::deque<Kept> Kepts; ///< references survive growth
  std::set<std::tuple<unsigned, unsigned, CaptureId, unsigned, ValueId, LocId>>
      KeptIds; ///< by call, KeptAs, ...
  llvm::DenseMap<LocId, llvm::SmallVector<unsigned, 2>> KeptIn, KeptHolders;
  llvm::DenseMap<ValueId, llvm::SmallVector<unsigned, 2>> KeptValues;
  /// Where memory came to its end.
  struct Departure {
    Span Where;
    FunctionId In;
    Ending How;
  };
  std::vector<Departure> Departures;
  std::map<std::pair<unsigned, unsigned>, unsigned> DepartureIds;
  llvm::DenseSet<ValueId> Keys; ///< that decide about a capture or a graph
  /// By user object: the memory that it looks after.
  std::map<ValueId, std::vector<unsigned>> UserObjects;
  llvm::DenseSet<ValueId> Retained; ///< what a user object looks after
  llvm::DenseSet<ValueId> Inside;   ///< what a library made during a capture
  std::set<CaptureId> Outliving;    ///< captures whose graph is stored
  /// A launch of a graph that an earlier call may have captured: the functions
  /// that were active.
  std::vector<llvm::DenseSet<FunctionId>> OldLaunches;
  std::set<FunctionId> Eager; ///< walked while nothing captured
  /// See conclude().
  std::vector<Fact> Lazy, Growing, Counting;
  std::vector<std::pair<Fact, std::string>> Stepping; ///< and what varies
  /// Launches, and where the value was read or set that their sizes vary with.
  std::set<std::pair<unsigned, unsigned>> Varying;
  std::set<CaptureId> LocalOnly;   ///< whose graph nobody else can launch
  std::set<CaptureId> Fresh;       ///< whose graph is brought up to date
  std::set<FunctionId> InRegion;   ///< walked while something captured
  llvm::DenseSet<ValueId> Updated; ///< graphs whose nodes are set anew
  llvm::DenseMap<FunctionId, llvm::SmallVector<LocId, 4>> EndingIn;
  Confidence KeptSure = Confidence::Likely; ///< that the call at hand is a node
  std::optional<int64_t> KeptBytes;         ///< that the call at hand copies
  ValueId CallbackData = None;
  FunctionId OperatorRoot = None; ///< whose parameters are tensors of a device
  /// That the operator at hand works on the device at all.
  Confidence OperatorSure = Confidence::Certain;
  std::vector<ValueId> InBraces; ///< the tensors in its braces
  unsigned OperatorShift = 0;    ///< 1: argument 0 is the object of the method
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_ENGINE_H
