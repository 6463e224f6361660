//===- HtmlText.h - Text that is safe in an HTML page -----------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Text that a report quotes may contain anything: markup, control characters,
// right-to-left text, and bytes that are not valid UTF-8. All of it becomes
// visible text.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_REPORTS_HTMLTEXT_H
#define CUDAGRAPH_DRIVER_REPORTS_HTMLTEXT_H

#include "Report.h"
#include "SourceText.h"

namespace llvm {
class raw_ostream;
}

namespace cudagraph::reports::html {

/// Escapes \p Text for the content of an element, or between the quotes of an
/// attribute. Unprintable characters are spelled out: "<U+202E>".
std::string escaped(llvm::StringRef Text);

/// Escapes \p Text, and puts `code` around text in single quotes, as messages
/// quote names.
std::string message(llvm::StringRef Text);

/// The number of lines that are shown around a location.
struct Context {
  unsigned Before = 2, After = 2;
};

/// Writes the lines around \p L as a numbered list, with the range marked.
/// Returns false, and writes nothing, if they cannot be read.
bool writeExcerpt(llvm::raw_ostream &Out, SourceText &Sources,
                  const Location &L, Context Around);

/// Writes one line of a source, with the bytes [Begin, End) marked.
void writeLine(llvm::raw_ostream &Out, llvm::StringRef Line, size_t Begin,
               size_t End);

/// Writes the changes of \p Fixes, by file and line.
void writeDiff(llvm::raw_ostream &Out, SourceText &Sources,
               const std::vector<Fix> &Fixes);

/// Writes a page of docs/checks without its title: headings, paragraphs, lists,
/// tables, and code. Only absolute links are kept.
void writeMarkdown(llvm::raw_ostream &Out, llvm::StringRef Text);

} // namespace cudagraph::reports::html

#endif // CUDAGRAPH_DRIVER_REPORTS_HTMLTEXT_H
