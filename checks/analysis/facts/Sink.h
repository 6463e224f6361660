//===- Sink.h - Collects facts ----------------------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A fact contains the calls that lead from the region to it, the confidence of
// that path, and the mode there. If two facts are equal, the sink keeps the
// one with the higher confidence.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_FACTS_SINK_H
#define CUDAGRAPH_ANALYSIS_FACTS_SINK_H

#include "Frame.h"
#include "ParamTests.h"
#include "Walk.h"
#include <map>
#include <tuple>

namespace cudagraph {

class Sink : Part {
public:
  explicit Sink(Walk &W) : Part(W), Tests(Table) {}

  /// Returns the common fields of any fact about \p O in capture \p C.
  Fact at(const Frame &F, const Op &O, const State &S, CaptureId C);

  /// Adds \p F to the result, unless the user allowed it, or it already exists.
  void record(Fact F);

  /// True if every path from the start of capture \p C passes the current block
  /// of \p F; fills \p Chain, which may be null, with the calls between them,
  /// outermost first.
  bool isFirm(const Frame &F, CaptureId C, std::vector<ChainStep> *Chain);

  /// True if the current block of \p F is only reached if a container lacks an
  /// element, and an earlier run of the same call, before capture \p Of, may
  /// have stored it. \p OnSamePath: only if the function stores elements on the
  /// path through the block.
  bool mayBeStored(const Frame &F, CaptureId Of, bool OnSamePath);

  /// Fact::Unless for the current block of \p F, if capture \p C is that of a
  /// function whose caller selects the parameters.
  std::string unless(const Frame &F, CaptureId C);

  /// Records that capture \p C may be over after \p O, which \p F executes.
  void noteEnded(const Frame &F, const Op &O, CaptureId C);

  /// Returns the number of the capture that \p R describes.
  CaptureId intern(CaptureRecord R);

  /// Facts that can be judged only after the whole walk: see
  /// Replays::conclude().
  struct Pending {
    std::vector<Fact> Lazy; ///< work for the first call
    /// Memory that is freed and replaced, and the place that contains its
    /// address, if only walked code can change that.
    std::vector<std::pair<Fact, LocId>> Growing;
    std::vector<Fact> Counting; ///< changes of host state that is a counter
    std::vector<Fact> Called;   ///< effects of callees that may be intentional
    /// Values that differ between replays; harmless if each launch follows an
    /// update of the executable graph.
    std::vector<Fact> Unupdated;
    /// Members that switch between two values, and the facts about them.
    std::vector<std::pair<LocId, Fact>> Turning;
    /// State that changes.
    struct Step {
      Fact Found;
      std::string Name;    ///< of the state
      LocId With = None;   ///< the object that stores the graph, or None
      bool Turns = false;  ///< two buffers alternate
      LocId At = None;     ///< the state
      bool ByPath = false; ///< the value itself does not show the change
    };
    std::vector<Step> Stepping;
  };
  Pending Later;

private:
  /// The position of the walk in its function, relative to the start of a
  /// capture.
  struct Place {
    unsigned From = 0;  ///< the block in which the region starts
    size_t Begin = 0;   ///< the index in From of the call that starts it
    size_t At = 0;      ///< the index in the current block
    bool Again = false; ///< the current operation precedes the start
  };
  Place placeOf(const Frame &F, const Op &Current, CaptureId C) const;
  bool startsAgain(const Frame &F, const Op &Current, CaptureId C) const;
  bool mayHaveEnded(const Frame &F, const Op &Current, CaptureId C);
  bool isFirmAt(const Frame &F, CaptureId C, unsigned Block);
  bool isFirmAbove(const Frame &F, CaptureId C);
  bool isExcluded(const Frame &F, CaptureId C);

  ParamTests Tests;
  /// Where captures have ended: by capture and function, block, and index.
  std::map<std::pair<CaptureId, FunctionId>,
           std::set<std::pair<unsigned, size_t>>>
      Ends;
  std::map<std::tuple<unsigned, unsigned, unsigned, std::string>, unsigned>
      FactIndex;
  std::map<std::tuple<unsigned, unsigned, unsigned, unsigned, unsigned>,
           CaptureId>
      CaptureIds;
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_FACTS_SINK_H
