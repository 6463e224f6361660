//===- Statement.h - What a finding says, before it is text -----*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Findings of several regions at one call become one finding, and what they say
// is merged while it still has parts: "'cudaMalloc' allocates device memory
// while 's' (blocking, global mode) captures; CUDA returns ... (900)".
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

/// Returns "global", "thread-local" or "relaxed".
const char *inWords(catalogue::Mode M);

/// How a message names a capture.
struct CaptureText {
  std::string Stream; ///< "'s'", "the current stream"
  std::optional<catalogue::StreamKind> Kind;
  std::optional<catalogue::Mode> Mode;

  /// Returns "'s' (non-blocking, global mode)".
  std::string text() const;
};

class Statement {
public:
  /// Some words of what happens. Those that hold for one kind of capturing
  /// stream only are marked.
  struct Words {
    std::string Text;
    bool OfKind = false;
  };
  std::vector<Words> Event;
  std::string Consequence;

  Statement() = default;
  Statement(std::string Event) { with(std::move(Event)); }

  /// Appends to what happens.
  Statement &with(std::string Text);
  Statement &with(const CaptureText &Capture);

  /// Appends to what follows from it.
  Statement &then(const std::string &Text);

  /// Leaves out what holds for one kind of capturing stream only.
  void forBothKinds();

  /// Returns "EVENT; CONSEQUENCE".
  std::string text() const;
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_FINDINGS_STATEMENT_H
