//===- Escape.h - Escapes text for a format ---------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names and messages quote sources, which may contain any text: markup, control
// characters, and bytes that are not valid UTF-8. Reports must show all of it
// as plain text. catalogue/Printable.h does the same for output without
// markup.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_REPORTS_ESCAPE_H
#define CUDAGRAPH_DRIVER_REPORTS_ESCAPE_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace cudagraph::reports {

/// Returns \p Text with U+FFFD in place of invalid UTF-8.
std::string validUtf8(llvm::StringRef Text);

/// Returns \p Text, truncated with "..." if it is longer than \p Bytes.
std::string shortened(std::string Text, size_t Bytes);

/// Escapes \p Text for an element or a quoted attribute of XML 1.0 or HTML.
/// Characters that XML cannot represent become U+FFFD.
std::string xmlEscaped(llvm::StringRef Text);

/// Escapes \p Text for a paragraph, list, or table cell of GitHub's Markdown,
/// on one line.
std::string markdownEscaped(llvm::StringRef Text);

/// Escapes \p Path for a URI, except '/'.
std::string uriEscaped(llvm::StringRef Path);

} // namespace cudagraph::reports

#endif // CUDAGRAPH_DRIVER_REPORTS_ESCAPE_H
