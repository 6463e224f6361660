//===- Escape.h - Text made fit for a format --------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names and messages quote sources, and these may hold anything: markup,
// control characters, bytes that are no UTF-8. Nothing of it may reach a
// report as more than text. catalogue/Printable.h has what people read without
// a format.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_REPORTS_ESCAPE_H
#define CUDAGRAPH_DRIVER_REPORTS_ESCAPE_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace cudagraph::reports {

/// Returns \p Text with U+FFFD for what is no UTF-8.
std::string validUtf8(llvm::StringRef Text);

/// Returns \p Text, cut with "..." if it is longer than \p Bytes.
std::string shortened(std::string Text, size_t Bytes);

/// Returns \p Text for an element or a quoted attribute of XML 1.0 or HTML.
/// What XML cannot hold at all becomes U+FFFD.
std::string xmlEscaped(llvm::StringRef Text);

/// Returns \p Text for a paragraph, list or table cell of GitHub's Markdown, on
/// one line.
std::string markdownEscaped(llvm::StringRef Text);

/// Returns \p Path for a URI, '/' left as it is.
std::string uriEscaped(llvm::StringRef Path);

} // namespace cudagraph::reports

#endif // CUDAGRAPH_DRIVER_REPORTS_ESCAPE_H
