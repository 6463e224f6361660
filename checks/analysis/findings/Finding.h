//===- Finding.h - What the tool tells its user -----------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plain values, free of Clang types, that every host and every report reads.
// The analysis produces facts (Fact.h), a rule turns a fact into a Finding.
// The only trace of the AST is Location::Raw, which a host that still has the
// source manager uses for NOLINT and for diagnostics; it is never written out.
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

/// How sure the analysis is.
enum class Confidence {
  Possible, ///< a path may exist; not shown by default
  Likely,   ///< some path of the region reaches it
  Certain,  ///< every path of the region reaches it; stream and mode known
};

/// What CUDA then does. Spelled in JSON as in the comments.
enum class OutcomeKind {
  Error,    ///< "error": CUDA returns Code
  Escapes,  ///< "escapes": success, but the work is not in the graph
  Stale,    ///< "stale": success, and replay uses values from the capture
  Dangling, ///< "dangling": success, and replay uses freed memory
  Depends,  ///< "depends": depends on an unknown; see Alternatives
  Unknown,  ///< "unknown": the analysis cannot see through the call
};

/// One of several possible outcomes and the condition for it.
struct Alternative {
  std::string When; ///< "the capturing stream is blocking"
  OutcomeKind Kind = OutcomeKind::Error;
  int Code = 0; ///< 0 when CUDA returns success
};

struct Outcome {
  OutcomeKind Kind = OutcomeKind::Error;
  std::optional<int> Code; ///< none when CUDA returns success
  std::string Name;        ///< "cudaErrorStreamCaptureUnsupported" or empty
  /// What CUDA returns in each mode, indexed by catalogue::Mode (0: success);
  /// empty where the mode has no influence on a stale outcome.
  std::vector<int> ByMode;
  std::vector<Alternative> Alternatives;
  std::string Evidence; ///< one line: where the fact comes from
};

/// How a region was recognised. Spelled in JSON as in RootKinds.def order:
/// "api-pair", "wrapper", "libtorch", "annotation", "comment", "function",
/// "stream-param", "torch-ops", "entry-points".
enum class RootKind {
  ApiPair,
  Wrapper,
  Libtorch,
  Annotation,
  Comment,
  Function,
  StreamParam,
  TorchOps,    ///< registered with PyTorch, Python or tvm-ffi
  EntryPoints, ///< exported to another runtime
};
/// True for roots without a visible begin: what happened before is not known.
inline bool isAssumed(RootKind K) {
  return K == RootKind::Annotation || K >= RootKind::Function;
}
/// Returns the spelling of \p K in JSON and on the command line.
const char *spelling(RootKind K);
const char *spelling(Confidence C);
const char *spelling(OutcomeKind K);
/// Returns "global", "thread_local" or "relaxed" (JSON spelling).
const char *spelling(catalogue::Mode M);

/// What an entry of a region's timeline is. Spelled in JSON as in the comments.
enum class TimelineKind {
  Begin,  ///< "begin": the capture begins
  Work,   ///< "work": a kernel, a copy, work of a library
  Record, ///< "record": an event is recorded on the stream
  Fork,   ///< "fork": the stream enters the capture by waiting for an event
  Wait,   ///< "wait": the stream waits for an event; on the origin, a join
  Call,   ///< "call": something else that the host does, and that matters
  Opaque, ///< "opaque": is given the stream, and has an unknown effect
  End,    ///< "end": the capture ends
};
const char *spelling(TimelineKind K);

/// What a stream has to do with the capture, at some entry of its timeline.
enum class StreamPart {
  Host,    ///< null: there is no stream
  Origin,  ///< "origin"
  Joined,  ///< "joined": forked from the capture
  Unsure,  ///< "unsure": on some paths, or nobody can tell
  Outside, ///< "outside": what is put there is not captured
};
const char *spelling(StreamPart P);

/// Something that happens while a capture is active.
struct TimelineEntry {
  TimelineKind Kind = TimelineKind::Work;
  StreamPart Part = StreamPart::Host;
  std::string Stream;   ///< as the source spells it; one spelling, one stream
  std::string Label;    ///< "scale", "cudaMemcpyAsync"
  std::string Event;    ///< Record, Fork, Wait: as the source spells it
  std::string Function; ///< the function that does it
  unsigned Depth = 0;   ///< calls between the region's function and that one
  bool Always = false;  ///< on every path of the region
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
  std::vector<Location> Ends; ///< where it ends, as far as seen
  /// What happens in it, callees in place; each place once a stream.
  std::vector<TimelineEntry> Timeline;
  bool Truncated = false; ///< more happens than Timeline holds
  /// The arguments with which it is there; see Finding.
  std::vector<std::string> Variants;
};

/// A step on the way from the root to the finding, or an explanation.
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
  /// What Sure would be if everything on the way here parsed.
  std::optional<Confidence> IfParsed;
  Statement Says;
  std::string Message; ///< Says as text, once findings are merged
  Location Loc;
  std::string Function;          ///< signature of the enclosing function
  std::string Callee;            ///< canonical name
  std::vector<unsigned> Regions; ///< Region::Id; the first is the primary one
  cudagraph::Outcome Outcome;
  std::vector<Step> Chain; ///< begin of the capture, then each call, in order
  std::vector<Step> Notes; ///< advice and further explanation, after the chain
  std::vector<Fix> Fixes;
  /// Kind of the primary region's stream, where it is known.
  std::optional<catalogue::StreamKind> CapturingKind;
  bool Advice = false; ///< shown on request only; see Rule.h
  bool Always = false; ///< every path of the region reaches it
  /// Of an operator: the value of a parameter without which nothing happens,
  /// "checkErrors is false"; empty if none is known.
  std::string Unless;
  /// Where units are analysed with more arguments, too: those with which it is
  /// found; an empty text stands for none. Empty where they are not.
  std::vector<std::string> Variants;
  bool OfEvent = false;  ///< what decides is the state of an event
  bool TwoKinds = false; ///< says the outcomes of both kinds of capture
  /// Where only changed lines count: the step of the chain that changed, if the
  /// call itself did not.
  std::optional<Location> ChangedAt;
  std::string Fingerprint; ///< stable over unrelated edits; see Fingerprint.h
};

/// A call that the analysis could not see through, in a region.
struct OpaqueCall {
  Location Loc;
  std::string Callee;
  std::string Function;
};

/// Whether an operator can be captured.
enum class Verdict {
  Safe,    ///< nothing on any path of it
  Unsafe,  ///< see Cause
  Unknown, ///< it calls what cannot be seen, or only some findings are possible
};
const char *spelling(Verdict V);

/// A function that is registered by name with another runtime.
struct Operator {
  std::string Library;     ///< "mylib"; of pybind11, the module
  std::string Name;        ///< "mylib::add", of pybind11 "add"
  std::string Schema;      ///< as written, or empty
  std::string How;         ///< "torch", "pybind11", "tvm-ffi", "xla-ffi", "c"
  std::string DispatchKey; ///< of the implementation; empty: any
  std::string Function;    ///< signature; empty: none was seen
  Location Loc;            ///< of the function, or else of the registration
  Verdict Is = Verdict::Unknown;
  std::optional<Finding> Cause; ///< the first that makes it unsafe or unknown
  unsigned Causes = 0;          ///< how many findings do
  std::string Opaque;           ///< the first callee that cannot be seen
  std::string Why;              ///< of Unknown, where neither says so
  /// The parameters, numbers passed by value, that a graph keeps as they were
  /// at capture, in order.
  std::vector<std::string> Freezes;
  std::vector<std::string> Variants; ///< that say so; see Finding
};

/// Everything one translation unit yields, or several together.
struct UnitResult {
  std::string MainFile;
  std::vector<Region> Regions;
  std::vector<Finding> Findings; ///< sorted by file, line, column, check
  std::vector<OpaqueCall> OpaqueCalls;
  std::vector<Operator> Operators; ///< sorted by name
  /// Findings that are left out because source on the way to them does not
  /// parse: they are surer than that otherwise.
  unsigned HeldBack = 0;
  unsigned Advice = 0;         ///< findings that are left out for being advice
  bool BudgetExceeded = false; ///< the analysis stopped before it was done
  /// A root whose walk left something out.
  struct Cut {
    unsigned Unit;          ///< the number of its unit in the Program
    std::string Root;       ///< the name of the function
    uint64_t Steps = 0;     ///< after which it stopped
    bool OutOfTime = false; ///< the run had no more time
  };
  std::vector<Cut> Cuts; ///< in the order of the walks
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_FINDINGS_FINDING_H
