//===- Marks.h - Facts of a state about streams and events ------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Small values that fit into the data of a FlatMap.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_DOMAIN_MARKS_H
#define CUDAGRAPH_ANALYSIS_DOMAIN_MARKS_H

#include "Domain.h"

namespace cudagraph {

/// How a stream takes part in a capture.
struct Member {
  CaptureId Capture = 0;
  bool Maybe = false; ///< on some paths only, or unknown
  bool Guess = false; ///< unknown
  unsigned encode() const { return Capture << 2 | Guess << 1 | Maybe; }
  static Member decode(unsigned Data) {
    return {Data >> 2, (Data & 1) != 0, (Data & 2) != 0};
  }
};

/// Where an event was last recorded.
struct Recorded {
  enum Place : uint8_t {
    Inside,  ///< in Capture, which is active
    Ended,   ///< in an earlier capture
    Outside, ///< on a stream that was not capturing, or as an external event
    Never,   ///< created in visible code, and not recorded since
  };
  Place Where = Outside;
  CaptureId Capture = 0;
  bool Maybe = false;
  unsigned encode() const { return Capture << 3 | Where << 1 | Maybe; }
  static Recorded decode(unsigned Data) {
    return {static_cast<Place>(Data >> 1 & 3), Data >> 3, (Data & 1) != 0};
  }
};

/// Whether a stream or event has waited for all work of another stream.
struct UnjoinedWork {
  enum Degree : uint8_t {
    None,   ///< it has
    Surely, ///< it has not
    Partly, ///< it has not, on the paths with such work, or on chosen paths
    Maybe,  ///< on some paths
  };
  Degree How = None;
  unsigned Site = 0; ///< the location of that work; see StreamModel
  unsigned encode() const { return Site << 2 | How; }
  static UnjoinedWork decode(unsigned Data) {
    return {static_cast<Degree>(Data & 3), Data >> 2};
  }
  /// The work of \p X or \p Y, from two paths. If an input of the program has
  /// selected the path (\p Chosen), one that joins the work does not weaken the
  /// other one.
  static UnjoinedWork either(UnjoinedWork X, UnjoinedWork Y, bool Chosen) {
    if (X.How == Y.How)
      return X.Site < Y.Site ? X : Y;
    bool OneJoined = X.How == None || Y.How == None;
    UnjoinedWork Behind = X.How == None ? Y : X;
    // A wait for other work is not a wait for this work.
    bool Both = X.How != Maybe && Y.How != Maybe;
    if (OneJoined)
      Both &= X.Site != Y.Site || (Chosen && Behind.How == Surely);
    else
      Behind.Site = X.Site < Y.Site ? X.Site : Y.Site;
    Behind.How = Both ? Partly : Maybe;
    return Behind;
  }
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_DOMAIN_MARKS_H
