//===- Variations.h - Values that differ between replays --------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A node repeats the numbers from its capture. This class finds the numbers
// that would differ in a later call: those read from the device, a clock, or a
// random number generator, and those that the program changes between replays.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_MODELS_VARIATIONS_H
#define CUDAGRAPH_ANALYSIS_MODELS_VARIATIONS_H

#include "Call.h"
#include "analysis/facts/Sink.h"

namespace cudagraph {

/// True for members and globals that live as long as a graph that is stored
/// next to them.
bool livesWithGraph(const Domain &D, LocId L);

class Variations : Part {
public:
  Variations(Walk &W, Sink &Facts) : Part(W), Facts(Facts) {}

  /// Where a value was read or set, and in which function.
  struct Source {
    Span Where;
    FunctionId In = None;
    Span Call; ///< see VaryingValue
    FunctionId CallIn = None;
    std::string Name; ///< of the member or global
    /// The object to which it belongs, if the change matters only while that
    /// object stores the graph; else None.
    LocId With = None;
    LocId At = None;     ///< the member or global
    bool ByPath = false; ///< the value itself does not show it
  };

  /// Returns whether \p V was read from the device, a clock, or a random number
  /// generator; \p From is changed only as far as that is known.
  std::optional<Variation> measured(ValueId V, Source &From) const;

  /// The same, but also for state that the program changes between replays.
  std::optional<Variation> of(ValueId V, Source &From) const;

  /// A change of state between replays.
  struct Changed {
    Variation Why;
    Source From;
  };

  /// Returns the functions that, between replays, change the state from which
  /// \p V was computed, or the contents of the places \p From.
  std::vector<Changed> states(ValueId V, llvm::ArrayRef<LocId> From) const;

  /// Reports \p V if it varies: a part of the configuration of a launch, or, if
  /// \p Part is empty, a size. \p From: its inputs.
  void report(Frame &F, const Op &O, State &S, ValueId V, const char *Part,
              const catalogue::Entry *E, llvm::ArrayRef<LocId> From = {});

  /// True if the size of the launch at \p Call varies with the value that was
  /// read or set at \p Where.
  bool sizeVaries(Span Call, Span Where) const {
    return Sizes.count({Call.Begin, Where.Begin});
  }

private:
  void changes(LocId L, std::vector<Changed> &Found, bool Copied = false) const;
  void findCall(LocId Member, Source &From) const;
  void partChanges(const Source &From, bool Local,
                   std::vector<Changed> &Found) const;
  bool isClosedRoot(LocId L) const;

  Sink &Facts;
  /// Launches, and where the value that determines their sizes was read or set.
  std::set<std::pair<unsigned, unsigned>> Sizes;
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_MODELS_VARIATIONS_H
