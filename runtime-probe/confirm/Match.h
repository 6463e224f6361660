//===- Match.h - Whether a call of the run matches a finding ----*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Matches calls by function and location together, never only by the line. The
// location is a frame of the stack, including inlined ones; the call is the
// called CUDA function, or the library function that the frame has called.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_PROBE_CONFIRM_MATCH_H
#define CUDAGRAPH_PROBE_CONFIRM_MATCH_H

#include "Model.h"
#include <map>
#include <string>

namespace cudagraph::confirm {

/// The maximum number of lines by which edits since the run may move a source
/// line.
constexpr unsigned MostLinesOff = 8;

/// Tests whether paths denote one file. If both exist, they are compared
/// directly; otherwise, their last parts are compared, because the program may
/// have been built elsewhere.
class FileTable {
public:
  /// Returns the degree of agreement; 0: different files.
  unsigned agreement(const std::string &A, const std::string &B);

private:
  struct Path {
    std::string Real; ///< empty: unknown
    std::vector<std::string> Parts;
    bool Absolute = false;
  };
  std::map<std::string, Path> Known;
  const Path &find(const std::string &Name);
};

/// The agreement of a call with a finding.
struct Match {
  unsigned Frame = 0;    ///< in the stack
  unsigned LinesOff = 0; ///< 0: exactly there
  unsigned File = 0;     ///< agreement of the paths
};

/// Returns how well \p Api, called with \p Stack, agrees with the call of \p F,
/// if it may be that call.
std::optional<Match> match(const StaticFinding &F, const Event &E,
                           FileTable &Files);

/// Returns how well a call that recorded a node (a launch of \p Kernel, if that
/// is set) agrees with the call of \p F.
std::optional<Match> matchNode(const StaticFinding &F, const NodeCall &Call,
                               const std::string &Kernel, FileTable &Files);

/// The agreement of a frame with a location in a function.
std::optional<Match> matchPlace(const Position &At, const std::string &Function,
                                const Frame &Seen, FileTable &Files);

} // namespace cudagraph::confirm

#endif // CUDAGRAPH_PROBE_CONFIRM_MATCH_H
