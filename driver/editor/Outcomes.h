//===- Outcomes.h - Descriptions of calls in captures -----------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_EDITOR_OUTCOMES_H
#define CUDAGRAPH_DRIVER_EDITOR_OUTCOMES_H

#include "catalogue/Catalogue.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace cudagraph::driver {

/// Returns the table of outcomes by mode, the meaning of its numbers, and the
/// remedy. The table is also readable as plain text.
std::string outcomesInMarkdown(const catalogue::Entry &E);

/// Returns \p Markdown, a text of this project, without its markup.
std::string plainText(llvm::StringRef Markdown);

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_EDITOR_OUTCOMES_H
