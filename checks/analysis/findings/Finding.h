//===- Finding.h - The results that the tool reports ------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plain values, without Clang types, that every host and every report reads.
// The analysis produces facts (Fact.h); a rule turns a fact into a Finding. The
// only reference to the AST is Location::Raw, which a host that still has the
// source manager uses for NOLINT and for diagnostics; it is never serialized.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_FINDINGS_FINDING_H
#define CUDAGRAPH_ANALYSIS_FINDINGS_FINDING_H

#include "Statement.h"
#include "analysis/ir/Location.h"
#include "catalogue/Catalogue.h"
#include <optional>
#include <string>
#include <vector>

namespace cudagraph {

/// The confidence of the analysis.
enum class Confidence {
  Possible, ///< a path may exist; not reported by default
  Likely,   ///< some path of the region reaches it
  Certain,  ///< every path of the region reaches it; stream and mode known
};

/// The outcome in CUDA. The spellings in JSON are those in the comments.
enum class OutcomeKind {
  Error,    ///< "error": CUDA returns Code
  Escapes,  ///< "escapes": success, but the work is not in the graph
  Stale,    ///< "stale": success, and replays use values from the capture
  Dangling, ///< "dangling": success, and replays use freed memory
  Depends,  ///< "depends": depends on unknown facts; see Alternatives
  Unknown,  ///< "unknown": the call has an unknown effect
};

/// One of several possible outcomes and the condition for it.
struct Alternative {
  std::string When; ///< "the capturing stream is blocking"
  OutcomeKind Kind = OutcomeKind::Error;
  int Code = 0; ///< 0 if CUDA returns success
};

struct Outcome {
  OutcomeKind Kind = OutcomeKind::Error;
  std::optional<int> Code; ///< none if CUDA returns success
  std::string Name;        ///< "cudaErrorStreamCaptureUnsupported" or empty
  /// The error that CUDA returns in each mode, indexed by catalogue::Mode (0:
  /// success); empty if the mode has no influence on a stale outcome.
  std::vector<int> ByMode;
  std::vector<Alternative> Alternatives;
  std::string Evidence; ///< one line: the source of the fact
};

/// How a region was recognized. The spellings in JSON, in the order of
/// RootKinds.def: "api-pair", "wrapper", "libtorch", "annotation", "comment",
/// "function", "stream-param", "torch-ops", "entry-points".
enum class RootKind {
  ApiPair,
  Wrapper,
  Libtorch,
  Annotation,
  Comment,
  Function,
  StreamParam,
  TorchOps,    ///< registered with PyTorch, Python, or tvm-ffi
  EntryPoints, ///< exported to a different runtime
};
/// True for roots without a visible begin call: earlier code is unknown.
inline bool isAssumed(RootKind K) {
  return K == RootKind::Annotation || K >= RootKind::Function;
}
/// Returns the spelling of \p K in JSON and on the command line.
const char *spelling(RootKind K);
const char *spelling(Confidence C);
const char *spelling(OutcomeKind K);
/// Returns "global", "thread_local", or "relaxed" (JSON spelling).
const char *spelling(catalogue::Mode M);

/// The kind of an entry of a region's timeline. The spellings in JSON are those
/// in the comments.
enum class TimelineKind {
  Begin,  ///< "begin": the capture begins
  Work,   ///< "work": a kernel, a copy, or work of a library
  Record, ///< "record": an event is recorded on the stream
  Fork,   ///< "fork": the stream enters the capture by waiting for an event
  Wait,   ///< "wait": the stream waits for an event; on the origin, a join
  Call,   ///< "call": another relevant host call
  Opaque, ///< "opaque": a call that receives the stream, and has an unknown
          ///< effect
  End,    ///< "end": the capture ends
};
const char *spelling(TimelineKind K);

/// The relation of a stream to the capture, at an entry of its timeline.
enum class StreamPart {
  Host,    ///< null: there is no stream
  Origin,  ///< "origin"
  Joined,  ///< "joined": forked from the capture
  Unsure,  ///< "unsure": on some paths, or unknown
  Outside, ///< "outside": its work is not captured
};
const char *spelling(StreamPart P);

/// An event while a capture is active.
struct TimelineEntry {
  TimelineKind Kind = TimelineKind::Work;
  StreamPart Part = StreamPart::Host;
  std::string
      Stream; ///< as spelled in the source; each spelling counts as one stream
  std::string Label;    ///< "scale", "cudaMemcpyAsync"
  std::string Event;    ///< Record, Fork, Wait: as spelled in the source
  std::string Function; ///< the function that executes it
  unsigned Depth =
      0; ///< number of calls between the region's function and that one
  bool Always = false; ///< on every path of the region
  Location Loc;
};

/// Code that executes while one capture is active.
struct Region {
  unsigned Id = 0; ///< 1-based, in order of location within a translation unit
  RootKind Root = RootKind::ApiPair;
  std::string Name;                    ///< function in which it starts
  std::optional<catalogue::Mode> Mode; ///< none: unknown
  std::string Stream;                  ///< source text of the origin stream
  std::optional<catalogue::StreamKind> Kind; ///< of the origin; none: unknown
  Location Begin;
  std::vector<Location> Ends; ///< the visible ends
  /// The events in the region. Those of callees appear at the calls, and each
  /// location appears once for each stream.
  std::vector<TimelineEntry> Timeline;
  bool Truncated = false; ///< the region has more events than Timeline
  /// The added arguments with which it exists; see Finding.
  std::vector<std::string> Variants;
};

/// A step on the path from the root to the finding, or an explanation.
struct Step {
  Location Loc;
  std::string Function;
  std::string Message;
};

/// A replacement of the text in Range (may be empty: insertion).
struct Fix {
  Location Range;
  std::string Text;
};

struct Finding {
  std::string Check;    ///< "cudagraph-sync-call"
  std::string Severity; ///< always "warning" today
  Confidence Sure = Confidence::Likely;
  /// The value of Sure if everything on the path parsed.
  std::optional<Confidence> IfParsed;
  Statement Sentence;
  std::string Message; ///< The text of Sentence, after findings are merged
  Location Loc;
  std::string Function;          ///< signature of the enclosing function
  std::string Callee;            ///< canonical name
  std::vector<unsigned> Regions; ///< Region::Id; the first is the primary one
  cudagraph::Outcome Outcome;
  std::vector<Step> Chain; ///< the begin call, then each call, in order
  std::vector<Step> Notes; ///< advice and further explanation, after the chain
  std::vector<Fix> Fixes;
  /// The kind of the primary region's stream, if known.
  std::optional<catalogue::StreamKind> CapturingKind;
  bool Advice = false; ///< reported on request only; see Rule.h
  bool Always = false; ///< every path of the region reaches it
  /// For an operator: the value of a parameter for which this does not happen,
  /// such as "checkErrors is false"; empty if none is known.
  std::string Unless;
  /// If units are also analyzed with added arguments: the arguments with which
  /// it is found; an empty text stands for none. Otherwise empty.
  std::vector<std::string> Variants;
  bool OfEvent = false;  ///< the state of an event determines the outcome
  bool TwoKinds = false; ///< contains the outcomes of both kinds of capture
  /// If only changed lines count: the step of the chain that changed, if the
  /// call itself did not.
  std::optional<Location> ChangedAt;
  std::string Fingerprint; ///< stable over unrelated edits; see Fingerprint.h
};

/// An opaque call in a region.
struct OpaqueCall {
  Location Loc;
  std::string Callee;
  std::string Function;
};

/// Whether an operator can be captured.
enum class Verdict {
  Safe,    ///< no findings on any of its paths
  Unsafe,  ///< see Cause
  Unknown, ///< it has an opaque call, or only possible findings
};
const char *spelling(Verdict V);

/// A function that is registered by name with another runtime.
struct Operator {
  std::string Library;     ///< "mylib"; for pybind11, the module
  std::string Name;        ///< "mylib::add"; for pybind11 "add"
  std::string Schema;      ///< as spelled, or empty
  std::string How;         ///< "torch", "pybind11", "tvm-ffi", "xla-ffi", "c"
  std::string DispatchKey; ///< of the implementation; empty: any
  std::string Function;    ///< signature; empty: not visible
  Location Loc;            ///< of the function, or else of the registration
  Verdict Is = Verdict::Unknown;
  std::optional<Finding>
      Cause;           ///< the first finding that makes it unsafe or unknown
  unsigned Causes = 0; ///< the number of such findings
  std::string Opaque;  ///< the first callee that is not visible
  std::string Why;     ///< the reason for Unknown, if neither of these applies
  /// The parameters, numbers passed by value, that a graph retains from the
  /// capture, in order.
  std::vector<std::string> Freezes;
  std::vector<std::string> Variants; ///< with this result; see Finding
};

/// The results of one translation unit, or of several together.
struct UnitResult {
  std::string MainFile;
  std::vector<Region> Regions;
  std::vector<Finding> Findings; ///< sorted by file, line, column, check
  std::vector<OpaqueCall> OpaqueCalls;
  std::vector<Operator> Operators; ///< sorted by name
  /// Findings that are held back because source on the path to them does not
  /// parse; otherwise, their confidence would be higher.
  unsigned HeldBack = 0;
  unsigned Advice = 0; ///< findings that are omitted because they are advice
  bool BudgetExceeded = false; ///< the analysis stopped early
  /// A root whose walk is incomplete.
  struct Cut {
    unsigned Unit;          ///< the number of its unit in the Program
    std::string Root;       ///< the name of the function
    uint64_t Steps = 0;     ///< after which it stopped
    bool OutOfTime = false; ///< the time limit of the run was reached
  };
  std::vector<Cut> Cuts; ///< in the order of the walks
  /// A root, and the key under which its result is stored.
  struct Walk {
    uint64_t Key = 0;
    unsigned Unit = 0; ///< as in Cut
    std::string Root;
  };
  std::vector<Walk> Walks; ///< in their order
  bool AllStored = false;  ///< the results of all of them are stored
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_FINDINGS_FINDING_H
