//===- Rule.h - The interface of rules --------------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A rule is a function from a fact to a finding, or to nothing. It does not use
// the AST: text, locations, and outcomes come from RuleContext, which contains
// the common wording of all rules.
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

/// The program information that rules may use.
class RuleContext {
public:
  RuleContext(Program &Table, const FactSet &Facts,
              const catalogue::Catalogue &Catalogue);

  const CaptureRecord &capture(const Fact &F) const {
    return Facts.Captures[F.Capture];
  }
  const FunctionInfo &function(FunctionId F) const { return Table.info(F); }
  /// The name of \p F in quotes; for a lambda, that of the enclosing function.
  std::string called(FunctionId F) const;
  bool inMacro(Span S) const { return Table.site(S).InMacro; }
  const catalogue::Catalogue &catalogue() const { return Catalogue; }

  /// See Program.
  const std::string &text(Span S) const { return Table.text(S); }
  const Location &location(Span S) const { return Table.location(S); }

  /// The name of the capturing stream: "s", "ctx->stream()".
  std::string originName(const CaptureRecord &R) const;
  /// The name of the capturing stream in quotes, unless it is a description.
  std::string quoted(const CaptureRecord &R) const;
  /// "'s' (non-blocking, global mode)".
  CaptureText captureText(const CaptureRecord &R) const;
  CaptureText captureText(const Fact &F) const {
    return captureText(capture(F));
  }
  /// \p Event and the capture: "EVENT while 's' (global mode) captures".
  Statement during(const Fact &F, std::string Event) const;
  /// "in every capture mode", "in global mode"; leading space.
  std::string modePhrase(const Fact &F) const;
  /// Appends to \p Sentence the relation of the call's stream to the capture: "
  /// 's', which is capturing", " on the legacy default stream while ...".
  void addStream(Statement &Sentence, const Fact &F, bool OnStream) const;

  /// A finding with location, chain, region, confidence, and evidence.
  Finding start(const Fact &F, const char *Check) const;
  /// Computes the outcome from the catalogue's cells.
  cudagraph::Outcome outcome(const Fact &F) const;
  /// The consequence in words: "CUDA returns cudaError... (900) in every
  /// capture mode", "it runs once, at capture, and is not in the graph".
  std::string consequence(const Fact &F, const cudagraph::Outcome &O) const;
  /// The consequence in words if \p O depends on unknowns. If \p OfEvent is
  /// true, the outcome depends on the state of an event.
  static std::string dependence(const cudagraph::Outcome &O, bool OfEvent);
  /// "CUDA returns cudaError... (900)".
  static std::string errorText(int Code);
  /// The whole sentence for a catalogued call. If \p OnStream is true, the
  /// action happens on the call's stream ("copies memory on stream 's'"), not
  /// to it.
  Statement sentence(const Fact &F, const cudagraph::Outcome &O,
                     bool OnStream) const;
  /// Appends a note where the value is read, set, or changed, unless \p Text is
  /// empty, and another at the launch that still uses the old value, if known.
  void pointAt(Finding &Result, const VaryingValue &Value,
               const std::string &Text) const;
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

/// True for a catalogued call by the capturing thread;
/// cudagraph-concurrent-work reports those of other threads.
inline bool isApiCall(const Fact &F) {
  return F.Kind == FactKind::ApiCall && F.Api && !F.OtherThread;
}

/// Declares one function for each check: `check<Class>`.
#define CHECK(CLASS, ID, SEVERITY, SUMMARY)                                    \
  std::optional<Finding> check##CLASS(const Fact &F, const RuleContext &C);
#include "../Checks.def"

} // namespace cudagraph

#endif // CUDAGRAPH_RULES_RULE_H
