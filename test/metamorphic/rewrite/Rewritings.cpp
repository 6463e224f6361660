//===- Rewritings.cpp - The table of rewritings ---------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rewriting.h"

using namespace cudagraph::rewrite;

llvm::ArrayRef<Rewriting> cudagraph::rewrite::rewritings() {
  static const Rewriting Table[] = {
#define REWRITING(NAME, FUNCTION, LAW, WITHOUT, SUMMARY)                       \
  {NAME, LAW, WITHOUT, SUMMARY, FUNCTION},
#include "Rewritings.def"
  };
  return Table;
}
