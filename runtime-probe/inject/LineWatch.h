//===- LineWatch.h - Observes which lines have run --------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sets a breakpoint at each line that a finding names, as a debugger does, when
// the first capture begins. The first thread that runs the line removes the
// breakpoint and continues; it is set again at the next event of a graph.
// Therefore, a line causes at most one trap between two events; the trap shows
// that the line ran between them. If the program handles SIGTRAP itself, no
// breakpoints are set. Only x86-64 on Linux is supported.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_PROBE_LINEWATCH_H
#define CUDAGRAPH_PROBE_LINEWATCH_H

#include <cstdint>
#include <string>
#include <vector>

namespace cudagraph::probe {

class LineWatch {
public:
  /// A line, and the locations in the program's files at which its code begins.
  struct Line {
    std::string File;
    unsigned Number = 0;
    std::string Problem; ///< why it cannot be watched; or empty
    struct Place {
      std::string Module;
      uint64_t Offset = 0;
    };
    std::vector<Place> Places;
  };
  /// A line that ran, and the first thread that ran it.
  struct Run {
    unsigned Line = 0; ///< index
    long Thread = 0;
  };

  /// Prepares a breakpoint at each location of \p Wanted, and sets the Problem
  /// of a line without locations. May be called only once in a process.
  static void start(std::vector<Line> &Wanted);
  /// Starts to watch the lines.
  static void arm();
  /// The lines that have run since the last call; they are watched again.
  static std::vector<Run> take();
  /// True, but only once, if lines are no longer watched because the program
  /// has installed its own handler for SIGTRAP.
  static bool isLost();
  /// Removes all breakpoints, in a child of fork.
  static void stop();
};

} // namespace cudagraph::probe

#endif // CUDAGRAPH_PROBE_LINEWATCH_H
