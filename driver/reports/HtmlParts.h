//===- HtmlParts.h - The parts of the HTML page -----------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_REPORTS_HTMLPARTS_H
#define CUDAGRAPH_DRIVER_REPORTS_HTMLPARTS_H

#include "HtmlText.h"

namespace cudagraph::reports::html {

/// The appearance of an outcome: a word, a symbol, and a class, never only a
/// color.
struct Look {
  const char *Word;   ///< "refused"
  const char *Symbol; ///< one character
  const char *Class;  ///< "error", the spelling of the OutcomeKind
};
Look lookOf(OutcomeKind K);

/// The state that the parts share.
struct Page {
  llvm::raw_ostream &Out;
  const Report &R;
  SourceText &Sources;
  /// For each index in R.Findings: the fragment of its link.
  std::vector<std::string> Ids;

  Page(llvm::raw_ostream &Out, const Report &R, SourceText &Sources);
  const confirm::Confirmation *inRun(size_t Index) const;
  /// True if there are so many findings that the page does not lay out
  /// invisible parts and shows less source around each step.
  bool many() const { return R.Findings.size() > 50; }
};

/// "src/a.cu:42:3".
std::string place(const Location &L);

/// "3 findings in 1 capture region".
std::string titleOf(const Report &R);

/// Everything before the findings: the head, the filters, and the contents.
void writeHead(Page &P);
void writeScript(llvm::raw_ostream &Out);
void writeCoverage(Page &P);
/// Calls that a run observed and that no finding covers.
void writeRunOnly(Page &P);
/// The documentation of the checks with findings.
void writeChecks(Page &P);

/// The streams of \p G as lanes, the events on them, and the same as a table.
void writePicture(Page &P, const Region &G);

/// One finding: its message and its expandable details.
void writeFinding(Page &P, size_t Index, bool Open);

} // namespace cudagraph::reports::html

#endif // CUDAGRAPH_DRIVER_REPORTS_HTMLPARTS_H
