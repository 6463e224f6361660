//===- Statement.h - The parts of a message ---------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Findings of several regions at one call become one finding, and their
// messages are merged while they still consist of parts: "'cudaMalloc'
// allocates device memory while 's' (blocking, global mode) captures; CUDA
// returns ... (900)".
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_FINDINGS_STATEMENT_H
#define CUDAGRAPH_ANALYSIS_FINDINGS_STATEMENT_H

#include "catalogue/Catalogue.h"
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cudagraph {

/// Returns "global", "thread-local", or "relaxed".
const char *inWords(catalogue::Mode M);

/// The name of a capture in a message.
struct CaptureText {
  std::string Stream; ///< "'s'", "the current stream"
  std::optional<catalogue::StreamKind> Kind;
  std::optional<catalogue::Mode> Mode;

  /// Returns "'s' (non-blocking, global mode)".
  std::string text() const;
};

class Statement {
public:
  /// A part of the event. Parts that apply to only one kind of capturing stream
  /// are marked.
  struct Words {
    std::string Text;
    bool OfKind = false;
  };
  std::vector<Words> Event;
  std::string Consequence;

  Statement() = default;
  Statement(std::string Event) { with(std::move(Event)); }

  /// Appends to the event.
  Statement &with(std::string Text);
  Statement &with(const CaptureText &Capture);

  /// Appends to the consequence.
  Statement &then(const std::string &Text);

  /// Removes the parts that apply to only one kind of capturing stream.
  void forBothKinds();

  /// Returns "EVENT; CONSEQUENCE".
  std::string text() const;
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_FINDINGS_STATEMENT_H
