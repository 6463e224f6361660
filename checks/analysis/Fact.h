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

#ifndef CUDAGRAPH_ANALYSIS_FACT_H
#define CUDAGRAPH_ANALYSIS_FACT_H

#include "../catalogue/Catalogue.h"
#include "Domain.h"
#include "Finding.h"
#include "FlowGraph.h"
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace cudagraph {

/// A capture as the engine tracks it; becomes a Region.
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
  Opaque,     ///< nothing is known of the callee
  Unjoined,   ///< the capture ends before the work in Left was waited for
  NoRecord,   ///< waits for an event that was never recorded
  OpenEnd,    ///< this return leaves the capture open; others end it
  Dropped,    ///< the call is refused without ending the capture, and nobody
              ///< looks at its result
  Unchecked,  ///< nobody looks at the result of a begin or an end
};

/// Why a value is not the same on every replay.
enum class Variation : uint8_t { DeviceRead, Clock, HostState };

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
  Confidence Sure = Confidence::Likely;
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
  Span VariesAt;                   ///< where the varying value was read
  std::string What; ///< HostWrite: the variable; VaryingUse: "grid", "size"
  /// Name, valid at the call, of a variable that holds the origin stream.
  std::string StreamInScope;
  /// Stream parameter of the enclosing function that the call ignores.
  std::string UnusedStreamParam;
  unsigned NumConfigArgs = 0; ///< launches: explicit <<<>>> arguments
  std::vector<Span> Args;     ///< explicit arguments, for fix-its
};

/// The result of one analysis.
struct FactSet {
  std::vector<CaptureRecord> Captures; ///< indexed by CaptureId
  /// A capture that a wrapper opened, and the same one seen from its caller.
  std::vector<std::pair<CaptureId, CaptureId>> Superseded;
  std::vector<Fact> Facts;
  bool BudgetExceeded = false;
  std::set<FunctionId> Visited; ///< functions that were walked
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_FACT_H
