//===- HtmlText.h - Text that is safe in an HTML page -----------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a report quotes may hold anything: markup, control characters, text that
// runs the other way, bytes that are no UTF-8. All of it becomes visible text.
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

/// \p Text for the content of an element, or between the quotes of an
/// attribute. What cannot be printed is spelled out: "<U+202E>".
std::string escaped(llvm::StringRef Text);

/// The same with `code` around what stands between single quotes, as messages
/// name things.
std::string message(llvm::StringRef Text);

/// Which lines around a location are shown.
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

/// Writes what \p Fixes change, file by file and line by line.
void writeDiff(llvm::raw_ostream &Out, SourceText &Sources,
               const std::vector<Fix> &Fixes);

/// Writes a page of docs/checks without its title: headings, paragraphs, lists,
/// tables and code. Links lead out of the page only where they are absolute.
void writeMarkdown(llvm::raw_ostream &Out, llvm::StringRef Text);

} // namespace cudagraph::reports::html

#endif // CUDAGRAPH_DRIVER_REPORTS_HTMLTEXT_H
