//===- Rule.h - A check decides from facts ----------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A rule is a function from a fact to a finding, or to nothing. It sees no AST:
// text, places and outcomes come from RuleContext, which holds what all rules
// say in the same words.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_RULES_RULE_H
#define CUDAGRAPH_RULES_RULE_H

#include "analysis/facts/Fact.h"
#include "analysis/findings/Finding.h"
#include "analysis/program/Program.h"
#include <optional>
#include <string>

namespace cudagraph {

/// What rules may ask about the program.
class RuleContext {
public:
  RuleContext(Program &Table, const FactSet &Facts,
              const catalogue::Catalogue &Catalogue);

  const CaptureRecord &capture(const Fact &F) const {
    return Facts.Captures[F.Capture];
  }
  const FunctionInfo &function(FunctionId F) const { return Table.info(F); }
  /// The name of \p F in quotes; of a lambda, that of the function around it.
  std::string called(FunctionId F) const;
  bool inMacro(Span S) const { return Table.site(S).InMacro; }
  const catalogue::Catalogue &catalogue() const { return Catalogue; }

  /// See Program.
  const std::string &text(Span S) const { return Table.text(S); }
  const Location &location(Span S) const { return Table.location(S); }

  /// Name of the stream that captures: "s", "ctx->stream()".
  std::string originName(const CaptureRecord &R) const;
  /// The same, quoted unless it is a description.
  std::string quoted(const CaptureRecord &R) const;
  /// "'s' (non-blocking, global mode)".
  CaptureText captureText(const CaptureRecord &R) const;
  CaptureText captureText(const Fact &F) const {
    return captureText(capture(F));
  }
  /// \p Event, and during which capture: "EVENT while 's' (global mode)
  /// captures".
  Statement during(const Fact &F, std::string Event) const;
  /// "in every capture mode", "in global mode"; leading space.
  std::string modePhrase(const Fact &F) const;
  /// Appends to \p Says how the stream of the call relates to the capture: "
  /// 's', which is capturing", " on the legacy default stream while ...".
  void addStream(Statement &Says, const Fact &F, bool OnStream) const;

  /// A finding with place, chain, region, confidence and evidence filled in.
  Finding start(const Fact &F, const char *Check) const;
  /// Fills Outcome from the catalogue's cells.
  cudagraph::Outcome outcome(const Fact &F) const;
  /// The consequence in words: "CUDA returns cudaError... (900) in every
  /// capture mode", "it runs once, now, and is not in the graph".
  std::string consequence(const Fact &F, const cudagraph::Outcome &O) const;
  /// The same where \p O depends on what is not known. \p OfEvent: on the state
  /// of an event.
  static std::string dependence(const cudagraph::Outcome &O, bool OfEvent);
  /// The whole sentence for a catalogued call. \p OnStream: the call's action
  /// happens on its stream ("copies memory on stream 's'") instead of to it.
  Statement sentence(const Fact &F, const cudagraph::Outcome &O,
                     bool OnStream) const;
  /// Appends a note at the call.
  void advise(Finding &Result, const Fact &F, const std::string &Text) const;

  /// Adds the edit that moves a launch or call to the capturing stream, if a
  /// name for that stream is visible at the call.
  void fixStream(Finding &Result, const Fact &F) const;

private:
  Program &Table;
  const FactSet &Facts;
  const catalogue::Catalogue &Catalogue;
};

/// True for a catalogued call by the thread that captures; those of other
/// threads are cudagraph-concurrent-work's.
inline bool isApiCall(const Fact &F) {
  return F.Kind == FactKind::ApiCall && F.Api && !F.OtherThread;
}

/// Declares one function a check: `check<Class>`.
#define CHECK(CLASS, ID, SEVERITY, SUMMARY)                                    \
  std::optional<Finding> check##CLASS(const Fact &F, const RuleContext &C);
#include "../Checks.def"

} // namespace cudagraph

#endif // CUDAGRAPH_RULES_RULE_H
