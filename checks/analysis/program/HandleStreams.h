//===- HandleStreams.h - Streams that library handles are given -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which members and globals hold library handles, and which of those are given
// a stream: by name, as an argument of a function that does it, or by way of a
// function that returns the handle. If one handle cannot be named, any that
// leaves what is in view may be given a stream.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_PROGRAM_HANDLESTREAMS_H
#define CUDAGRAPH_ANALYSIS_PROGRAM_HANDLESTREAMS_H

#include "analysis/ir/FlowGraph.h"
#include "catalogue/Catalogue.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace cudagraph {

class Relevance;

/// How a library handle comes into a function that makes it or gives it a
/// stream.
struct HandleWay {
  FunctionId In;
  unsigned Param;      ///< None: a lambda has captured it
  std::string Capture; ///< the member of the lambda
  bool Behind;         ///< its address comes in
  bool Makes;
  bool operator==(const HandleWay &O) const {
    return In == O.In && Param == O.Param && Capture == O.Capture &&
           Behind == O.Behind && Makes == O.Makes;
  }
};

class HandleStreams {
public:
  explicit HandleStreams(Relevance &R) : R(R) {}

  /// \p O, a call of \p E in \p F, may make a handle or give it a stream.
  void note(FunctionId F, const FlowGraph &G, const Op &O,
            const catalogue::Entry &E);

  /// Finds the handles that come into functions which make them, or give them a
  /// stream.
  void resolve();

private:
  void given(FunctionId F, ExprId Value, const HandleWay &To,
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
