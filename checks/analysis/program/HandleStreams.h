//===- HandleStreams.h - The streams of library handles ---------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The members and globals that contain library handles, and those whose stream
// is set. It is set by name, as an argument of a function that sets it, or
// through a function that returns the handle. If one handle cannot be named,
// the stream of any handle that reaches code that is not visible may be set.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_PROGRAM_HANDLESTREAMS_H
#define CUDAGRAPH_ANALYSIS_PROGRAM_HANDLESTREAMS_H

#include "analysis/ir/FlowGraph.h"
#include "catalogue/Catalogue.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace cudagraph {

class Relevance;

/// How a library handle reaches a function that creates it or sets its stream.
struct HandlePath {
  FunctionId In;
  unsigned Param;      ///< None: a lambda has captured it
  std::string Capture; ///< the member of the lambda
  bool Behind;         ///< its address is passed
  bool Makes;
  bool operator==(const HandlePath &O) const {
    return In == O.In && Param == O.Param && Capture == O.Capture &&
           Behind == O.Behind && Makes == O.Makes;
  }
};

class HandleStreams {
public:
  explicit HandleStreams(Relevance &R) : R(R) {}

  /// Handles \p O, a call to \p E in \p F, which may create a handle or set its
  /// stream.
  void note(FunctionId F, const FlowGraph &G, const Op &O,
            const catalogue::Entry &E);

  /// Finds the handles that reach functions that create them or set their
  /// streams.
  void resolve();

private:
  void given(FunctionId F, ExprId Value, const HandlePath &To,
             llvm::StringRef Stream, unsigned Depth = 0);
  bool makes(FunctionId F, llvm::function_ref<bool(ExprId)> Is,
             unsigned Depth = 0) const;
  bool leaves(FunctionId F, llvm::function_ref<bool(ExprId)> IsPlace,
              unsigned Depth = 0) const;
  void findLeaving();

  Relevance &R;
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_PROGRAM_HANDLESTREAMS_H
