//===- HtmlParts.h - What the HTML page is put together from ----*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_REPORTS_HTMLPARTS_H
#define CUDAGRAPH_DRIVER_REPORTS_HTMLPARTS_H

#include "HtmlText.h"

namespace cudagraph::reports::html {

/// How an outcome looks: a word, a symbol and a class, never colour alone.
struct Look {
  const char *Word;   ///< "refused"
  const char *Symbol; ///< one character
  const char *Class;  ///< "error", as OutcomeKind is spelled
};
Look lookOf(OutcomeKind K);

/// What the parts share.
struct Page {
  llvm::raw_ostream &Out;
  const Report &R;
  SourceText &Sources;
  /// By index in R.Findings: the fragment that leads there.
  std::vector<std::string> Ids;

  Page(llvm::raw_ostream &Out, const Report &R, SourceText &Sources);
  const confirm::Confirmation *inRun(size_t Index) const;
  /// So many that what is out of sight is not laid out, and that less of the
  /// source is shown around each step.
  bool many() const { return R.Findings.size() > 50; }
};

/// "src/a.cu:42:3".
std::string place(const Location &L);

/// "3 findings in 1 capture region".
std::string titleOf(const Report &R);

/// Everything up to the findings: the head, the filters, the contents.
void writeHead(Page &P);
void writeScript(llvm::raw_ostream &Out);
void writeCoverage(Page &P);
/// What a run saw, and no finding tells.
void writeRunOnly(Page &P);
/// The documentation of the checks that found something.
void writeChecks(Page &P);

/// The streams of \p G as lanes, what happens on them, and the same as a table.
void writePicture(Page &P, const Region &G);

/// One finding: its message, and what opens below it.
void writeFinding(Page &P, size_t Index, bool Open);

} // namespace cudagraph::reports::html

#endif // CUDAGRAPH_DRIVER_REPORTS_HTMLPARTS_H
