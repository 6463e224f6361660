//===- Sarif.h - A run's findings for code scanning -------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_PROBE_SARIF_H
#define CUDAGRAPH_PROBE_SARIF_H

#include "format/Report.h"
#include "llvm/Support/raw_ostream.h"

namespace cudagraph::probe {

/// Writes SARIF 2.1.0. Paths below \p Root are relative to it.
void writeSarif(llvm::raw_ostream &Out, const Report &R, llvm::StringRef Root);

} // namespace cudagraph::probe

#endif // CUDAGRAPH_PROBE_SARIF_H
