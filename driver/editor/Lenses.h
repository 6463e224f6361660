//===- Lenses.h - Text shown at capture regions -----------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Provides a line above each region that counts its calls and outcomes; the
// same text at the end of the line, for editors that support hints but not
// lenses; and the page of a region. The counts match `cudagraph-tidy
// regions` for one translation unit.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_EDITOR_LENSES_H
#define CUDAGRAPH_DRIVER_EDITOR_LENSES_H

#include "Positions.h"
#include "Views.h"
#include "llvm/Support/JSON.h"

namespace cudagraph::driver {

/// The command that a lens runs. Its argument is a text document and a position
/// in it.
inline constexpr llvm::StringRef ShowRegion = "cudagraph-tidy.showRegion";

/// Returns an array of CodeLens.
llvm::json::Value lensesOf(const UnitView &View, llvm::StringRef Uri);

/// Appends an InlayHint for each region between the lines \p First and \p Last,
/// 0-based, to \p To.
void addHints(llvm::json::Array &To, const UnitView &View, Encoding Units,
              int64_t First, int64_t Last);

/// Returns Markdown about the code at this position, 0-based, or an empty
/// string.
std::string hoverAt(const UnitView &View, Encoding Units, int64_t Line,
                    int64_t Character);

/// Returns the region to which the 1-based \p Line belongs: one that is shown
/// there, has a call there, or encloses it. If there is no such region, returns
/// the first one, or null if there are no regions.
const Region *regionAt(const UnitView &View, unsigned Line);

/// Returns the "title" of \p G, its "text" of a few lines, and its "page" in
/// HTML.
llvm::json::Value pageOf(const UnitView &View, const Region &G);

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_EDITOR_LENSES_H
