//===- Match.h - Whether a call of the run is a finding ---------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// By call and place together, never by the line alone. The place is a frame of
// the stack, inlined ones included; the call is the function of CUDA that was
// called, or the library's that the frame has called.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_PROBE_CONFIRM_MATCH_H
#define CUDAGRAPH_PROBE_CONFIRM_MATCH_H

#include "Model.h"
#include <map>
#include <string>

namespace cudagraph::confirm {

/// A source that was edited since moves its lines at most so far.
constexpr unsigned MostLinesOff = 8;

/// Which paths are one file. Where both exist they are compared as such; else,
/// as the program may be built elsewhere, by how they end.
class FileTable {
public:
  /// Returns how well they agree; 0: they are two files.
  unsigned agreement(const std::string &A, const std::string &B);

private:
  struct Path {
    std::string Real; ///< empty: there is none
    std::vector<std::string> Parts;
    bool Absolute = false;
  };
  std::map<std::string, Path> Known;
  const Path &find(const std::string &Name);
};

/// How a call agrees with a finding.
struct Match {
  unsigned Frame = 0;    ///< of the stack
  unsigned LinesOff = 0; ///< 0: exactly there
  unsigned File = 0;     ///< agreement of the paths
};

/// Returns how \p Api, called with \p Stack, is the call of \p F, if it may be.
std::optional<Match> match(const StaticFinding &F, const Event &E,
                           FileTable &Files);

/// How a frame agrees with a place in a function.
std::optional<Match> matchPlace(const Position &At, const std::string &Function,
                                const Frame &Seen, FileTable &Files);

} // namespace cudagraph::confirm

#endif // CUDAGRAPH_PROBE_CONFIRM_MATCH_H
