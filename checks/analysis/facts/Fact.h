//===- Fact.h - What the engine found, before a rule speaks -----*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A fact is an event in a capture region: a catalogued call, a write to host
// state, a size that varies. It carries what a rule needs to decide and to
// explain, and no text of its own.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_FACTS_FACT_H
#define CUDAGRAPH_ANALYSIS_FACTS_FACT_H

#include "analysis/confidence/Evidence.h"
#include "analysis/domain/State.h"
#include "analysis/findings/Finding.h"
#include "analysis/ir/FlowGraph.h"
#include "catalogue/Catalogue.h"
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace cudagraph {

/// An entry of a timeline while a walk is under way.
struct Happening {
  TimelineKind Kind = TimelineKind::Work;
  StreamPart Part = StreamPart::Host;
  bool Always = false;
  unsigned Depth = 0;
  unsigned Order = 0;       ///< in the walk
  ValueId Lane = None;      ///< stands for the stream; None: the host
  ValueId Event = None;     ///< stands for the event
  FunctionId Callee = None; ///< names it, if Label does not
  FunctionId In = None;
  Span Where, StreamText, EventText;
  std::string Label;
  std::string Stream, Named; ///< how Lane and Event are called, in the end
};

/// A capture as a walk tracks it; becomes a Region.
struct CaptureRecord {
  FunctionId Home = None;    ///< function in which the region starts
  unsigned HomeBlock = 0;    ///< block of Home in which it starts
  Span Site;                 ///< where the region starts in Home
  Span BeginCall;            ///< the call that begins the capture
  FunctionId BeginIn = None; ///< the function that holds BeginCall
  std::string BeginName;     ///< "cudaStreamBeginCapture"
  RootKind Root = RootKind::ApiPair;
  ValueId Origin = None;
  Span StreamText;        ///< the stream argument of BeginCall
  std::string StreamName; ///< used when StreamText is empty
  std::optional<catalogue::Mode> Mode;
  std::optional<catalogue::StreamKind> Kind;
  std::vector<Span> Ends;
  int64_t BeginResult = 0; ///< N of the Status that the begin returned
  bool Refused = false;    ///< CUDA never begins it
  std::vector<Happening> Timeline;
  bool Truncated = false; ///< see Region
};

/// One step of the way from a region's start to a fact.
struct ChainStep {
  Span Where;
  FunctionId Caller = None;
  FunctionId Callee = None;
};

enum class FactKind : uint8_t {
  ApiCall,    ///< a catalogued call
  HostWrite,  ///< host state that outlives the region is modified
  VaryingUse, ///< a size or launch configuration varies between replays
  HostBranch, ///< control flow depends on a value that varies
  UnsafeCall, ///< the callee is annotated CUDAGRAPH_CAPTURE_UNSAFE
  OldLibrary, ///< the library is too old for captures; What says so
  Opaque,     ///< nothing is known of the callee
  Unjoined,   ///< the capture ends before the work in Left was waited for
  NoRecord,   ///< waits for an event that was never recorded
  OpenEnd,    ///< this return leaves the capture open; others end it
  Dropped,    ///< the call is refused without ending the capture, and nobody
              ///< looks at its result
  Unchecked,  ///< nobody looks at the result of a begin or an end
  Dangles,    ///< a node keeps the address of memory that ends before it does
  Grows,      ///< memory that a node uses is freed and replaced at Range
  CallbackFrees, ///< a host node deletes what it needs again on next replay
  CallbackCalls, ///< a host node calls CUDA
  AwareBranch,   ///< the arms of an is-capturing test do different work
  LazyWork,      ///< work that happens on the first call only is captured
  Seeds,         ///< a kernel seeds its generators anew on every replay
  Repeats,       ///< a library draws the same numbers on every replay
};

/// Why a value is not the same on every replay.
enum class Variation : uint8_t {
  DeviceRead, ///< read back from the device
  Clock,      ///< differs from call to call
  Random,     ///< drawn by a generator on the host
  HostState,  ///< a member or global that somebody changes step by step
  Setter,     ///< a member or global that somebody sets between replays
  Changed,    ///< assigned between the capture and a launch of the graph
  Parameter,  ///< a parameter of the function that keeps the graph
};

/// How memory that a node uses comes to its end.
enum class Ending : uint8_t {
  Scope,     ///< the variable goes out of scope
  Statement, ///< a temporary
  Freed,     ///< freed or deleted
  Moved,     ///< the container has put its elements elsewhere
  Replaced,  ///< freed, and another buffer takes its place
};

/// What a node does with a value it has kept.
enum class KeptAs : uint8_t {
  Source,
  Destination,
  UserData,
  Argument,
  Scalar, ///< a number given by address: alpha, beta
  Size,
  Config,
  Branch, ///< the condition of a branch
};

/// One combination of what is not known, and what CUDA then does.
struct Situation {
  catalogue::StreamRelation Relation = catalogue::StreamRelation::None;
  catalogue::StreamKind Capturing = catalogue::StreamKind::Blocking;
  catalogue::Cell ByMode[3];
  const catalogue::OutcomeRow *Row = nullptr; ///< null: not of the catalogue
};

struct Fact {
  FactKind Kind = FactKind::ApiCall;
  const catalogue::Entry *Api = nullptr; ///< ApiCall; may be null otherwise
  std::string Callee;                    ///< name as the user sees it
  FunctionId Function = None;            ///< encloses the call
  CaptureId Capture = 0;
  Span Range, Name, CloseParen;
  unsigned Order = 0; ///< in the walk
  bool Firm = false;  ///< every path of the region reaches it
  Evidence Weakest = Evidence::SomePaths; ///< of all that it rests on
  uint8_t Unparsed = State::AllParsed;    ///< of the state; see Evaluate.cpp
  bool Allowed = false; ///< under CUDAGRAPH_ALLOW, here or along the chain
  bool Once = false;    ///< in the initialiser of a static local variable
  std::vector<ChainStep> Chain; ///< calls below the region's home
  /// ApiCall: every combination of relation and kind that is possible.
  std::vector<Situation> Situations;
  bool HasStream = false;   ///< the call takes a stream, given or defaulted
  bool IsEvent = false;     ///< the relation is that of an event
  bool OtherThread = false; ///< made by a thread that did not begin to capture
  bool Unwalked = false;    ///< OpenEnd: on a path that only failures take
  bool Discarded = false;   ///< nobody looks at what the call returns
  Span StreamText; ///< the stream or event argument as written; may be empty
  Span EventText;  ///< the event argument as written, beside a stream
  /// Unjoined: work that the origin has not waited for.
  struct Work {
    Span Call, StreamText;
    FunctionId In = None;
  };
  std::vector<Work> Left;
  /// Effective mode of this call: the region's, or what the thread exchanged.
  std::optional<catalogue::Mode> Mode;
  std::optional<Variation> Varies; ///< VaryingUse, HostBranch
  Ending End = Ending::Scope;      ///< Dangles, Grows
  KeptAs Kept = KeptAs::Argument;  ///< Dangles, Grows, VaryingUse
  bool OnDevice = false;           ///< Dangles: device memory
  bool IsParam = false;            ///< Dangles: a parameter
  bool Rebinds = false;            ///< Grows: an owner is assigned anew
  bool OwnsElements = false;       ///< Dangles: memory of a container
  int64_t Number = 0;              ///< Repeats: the kind of the generator
  std::optional<int64_t> Bytes;    ///< Dangles: how much of it is used
  Span StaticFix;            ///< Dangles: a variable that may as well be static
  bool Capturing = false;    ///< Dangles: it ends before the capture
  bool Launched = false;     ///< Dangles: a launch after it was seen
  bool IsPointer = false;    ///< VaryingUse: a pointer
  Span Other;                ///< the other end: where it ends, is set
  FunctionId OtherIn = None; ///< function of Other
  std::string Object;        ///< name of the memory or variable
  std::string What; ///< HostWrite: the variable; VaryingUse: "grid", "size"
  /// Name, valid at the call, of a variable that holds the origin stream.
  std::string StreamInScope;
  /// Stream parameter of the enclosing function that the call ignores.
  std::string UnusedStreamParam;
  unsigned NumConfigArgs = 0; ///< launches: explicit <<<>>> arguments
  std::vector<Span> Args;     ///< explicit arguments, for fix-its

  Confidence sure() const { return levelOf(Weakest); }

  /// The fact rests on \p E as well.
  void restOn(Evidence E) { Weakest = weaker(Weakest, E); }
};

/// The result of one analysis.
struct FactSet {
  // References to elements survive growth.
  std::deque<CaptureRecord> Captures; ///< indexed by CaptureId
  /// A capture that a wrapper opened, and the same one seen from its caller.
  std::vector<std::pair<CaptureId, CaptureId>> Superseded;
  std::deque<Fact> Facts;
  bool BudgetExceeded = false;
  bool OutOfTime = false; ///< it was exceeded because the run had no more time
  uint64_t Steps = 0;     ///< that were taken
  uint64_t Work = 0;      ///< see MaxRunWork
  std::set<FunctionId> Visited; ///< functions that were walked
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_FACTS_FACT_H
