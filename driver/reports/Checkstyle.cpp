//===- Checkstyle.cpp - Checkstyle's XML ----------------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checkstyle.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace cudagraph::reports {

void writeCheckstyle(raw_ostream &, const Report &, SourceText &) {}

} // namespace cudagraph::reports
