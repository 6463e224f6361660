//===- Fact.h - The observations of the engine ------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A fact is an event in a capture region: a catalogued call, a write to host
// state, or a varying size. It contains everything that a rule needs for a
// decision and an explanation, but no message text: the fields that all facts
// have, and the details of its kind.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_FACTS_FACT_H
#define CUDAGRAPH_ANALYSIS_FACTS_FACT_H

#include "Details.h"
#include "analysis/confidence/Evidence.h"
#include "analysis/domain/State.h"
#include "analysis/findings/Finding.h"
#include "llvm/ADT/ArrayRef.h"
#include <cassert>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace cudagraph {

/// An entry of a timeline during a walk.
struct Happening {
  TimelineKind Kind = TimelineKind::Work;
  StreamPart Part = StreamPart::Host;
  bool Always = false;
  unsigned Depth = 0;
  unsigned Order = 0;       ///< in the walk
  ValueId Lane = None;      ///< stands for the stream; None: the host
  ValueId Event = None;     ///< stands for the event
  FunctionId Callee = None; ///< its name, if different from Label
  FunctionId In = None;
  Span Where, StreamText, EventText;
  std::string Label;
  std::string Stream, Named; ///< the names of Lane and Event in the result
};

/// A capture as a walk tracks it; becomes a Region.
struct CaptureRecord {
  FunctionId Home = None;    ///< function in which the region starts
  unsigned HomeBlock = 0;    ///< block of Home in which it starts
  Span Site;                 ///< where the region starts in Home
  Span BeginCall;            ///< the call that begins the capture
  FunctionId BeginIn = None; ///< the function that contains BeginCall
  std::string BeginName;     ///< "cudaStreamBeginCapture"
  RootKind Root = RootKind::ApiPair;
  ValueId Origin = None;
  Span StreamText;        ///< the stream argument of BeginCall
  std::string StreamName; ///< used when StreamText is empty
  std::optional<catalogue::Mode> Mode;
  std::optional<catalogue::StreamKind> Kind;
  std::vector<Span> Ends;
  int64_t BeginResult = 0; ///< N of the Status that the begin call returned
  bool Refused = false;    ///< CUDA never begins it
  std::vector<Happening> Timeline;
  bool Truncated = false; ///< see Region
};

/// One step of the path from the start of a region to a fact.
struct ChainStep {
  Span Where;
  FunctionId Caller = None;
  FunctionId Callee = None; ///< None: a seed is stored or passed on there
};

enum class FactKind : uint8_t {
#define FACT(KIND, DETAILS, WHAT) KIND,
#include "Facts.def"
#undef FACT
};

/// Returns the type of the details of facts of kind \p Kind.
template <FactKind Kind> struct DetailsOf;
#define FACT(KIND, DETAILS, WHAT)                                              \
  template <> struct DetailsOf<FactKind::KIND> {                               \
    using Type = DETAILS;                                                      \
  };
#include "Facts.def"
#undef FACT

struct Fact {
  FactKind Kind = FactKind::Opaque;
  const catalogue::Entry *Api = nullptr; ///< may be null
  std::string Callee;                    ///< name in reports
  FunctionId Function = None;            ///< encloses the call
  CaptureId Capture = 0;
  Span Range;
  unsigned Order = 0; ///< in the walk
  bool Firm = false;  ///< every path of the region reaches it
  Evidence Weakest = Evidence::SomePaths; ///< all its evidence
  uint8_t Unparsed = State::AllParsed;    ///< of the state; see Evaluate.cpp
  bool Allowed = false;     ///< under CUDAGRAPH_ALLOW, here or along the chain
  bool Advice = false;      ///< advice: it may be intentional
  bool OtherThread = false; ///< made by a thread that did not begin the capture
  std::vector<ChainStep>
      Chain; ///< number of calls below the function of the region
  /// For a region that is a function: the value of a parameter for which this
  /// does not happen, such as "checkErrors is false"; empty if none is known.
  std::string Unless;
  /// The effective mode of this call: that of the region, or the one that the
  /// thread has set by an exchange.
  std::optional<catalogue::Mode> Mode;

  Confidence sure() const { return levelOf(Weakest); }

  /// Adds the evidence \p E.
  void restOn(Evidence E) { Weakest = weaker(Weakest, E); }

  /// Changes the kind of the fact to \p K. The details stay if that kind has
  /// details of the same type.
  template <FactKind K> typename DetailsOf<K>::Type &become() {
    using Type = typename DetailsOf<K>::Type;
    Kind = K;
    if (!std::holds_alternative<Type>(Details))
      Details.emplace<Type>();
    return *std::get_if<Type>(&Details);
  }

  /// The details of a fact of kind \p K; null for another kind.
  template <FactKind K> const typename DetailsOf<K>::Type *as() const {
    using Type = typename DetailsOf<K>::Type;
    return Kind == K ? std::get_if<Type>(&Details) : nullptr;
  }

  /// The details \p T; null if facts of this kind have details of a different
  /// type.
  template <typename T> const T *details() const {
    return std::get_if<T>(&Details);
  }
  template <typename T> T *details() { return std::get_if<T>(&Details); }

  /// The details of a fact that is about a catalogued call.
  const CallDetails &call() const {
    assert(details<CallDetails>() && "not a call");
    return *details<CallDetails>();
  }
  CallDetails &call() {
    return const_cast<CallDetails &>(std::as_const(*this).call());
  }

  /// True if the state of an event determines the outcome.
  bool isOfEvent() const {
    const auto *Call = details<CallDetails>();
    return Call && Call->IsEvent;
  }

  /// The outcomes in CUDA in every possible situation; empty if they do not
  /// matter for facts of this kind.
  llvm::ArrayRef<Situation> situations() const;

  /// The subject of the fact other than its callee: a variable or an argument.
  /// Facts with the same location and kind are equal if both agree.
  std::string subject() const;

private:
  std::variant<NoDetails, CallDetails, LeftWork, OpenReturn, HostChange,
               OtherMode, VaryingValue, MemoryEnd, BranchWork, FirstWork,
               Reason, Generator, EarlierWork, ThreadCall, GraphEnd,
               OtherLaunch, LaterLaunch>
      Details;
};

/// The result of one analysis.
struct FactSet {
  // In a deque, references to elements stay valid when elements are added.
  std::deque<CaptureRecord> Captures; ///< indexed by CaptureId
  /// A capture that a wrapper opened, and the same capture as seen from its
  /// caller.
  std::vector<std::pair<CaptureId, CaptureId>> Superseded;
  std::deque<Fact> Facts;
  bool BudgetExceeded = false;
  bool OutOfTime = false;       ///< the time limit of the run was reached
  uint64_t Steps = 0;           ///< the number of steps taken
  uint64_t Work = 0;            ///< see MaxRunWork
  std::set<FunctionId> Visited; ///< functions that were walked
  /// Parameters of the root that nodes retain: numbers passed by value.
  std::set<unsigned> Frozen;
  bool Refuted = false; ///< the root begins the assumed capture itself

  /// Removes everything that is based on the assumed capture.
  void refute();
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_FACTS_FACT_H
