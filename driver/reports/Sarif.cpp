//===- Sarif.cpp - SARIF 2.1.0, for code scanning -------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sarif.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace cudagraph::reports {

void writeSarif(raw_ostream &, const Report &, SourceText &) {}

} // namespace cudagraph::reports
