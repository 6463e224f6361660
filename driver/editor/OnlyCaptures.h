//===- OnlyCaptures.h - Only features that concern captures -----*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An editor that also runs clangd or another C++ server would show everything
// twice. With the initialization option cudagraphOnly, messages to the client
// omit everything that does not concern captures.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_EDITOR_ONLYCAPTURES_H
#define CUDAGRAPH_DRIVER_EDITOR_ONLYCAPTURES_H

#include "llvm/Support/JSON.h"

namespace cudagraph::driver {

/// Reduces the server's \p Capabilities to those that findings and regions
/// need.
void keepOwnCapabilities(llvm::json::Object &Capabilities);

/// Reduces \p Diagnostics to those of this project's checks.
void keepOwnDiagnostics(llvm::json::Array &Diagnostics);

/// Reduces \p Actions to the fixes of such diagnostics.
void keepOwnActions(llvm::json::Array &Actions);

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_EDITOR_ONLYCAPTURES_H
