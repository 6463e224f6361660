//===- Earlier.h - Values from before a capture -----------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The only known fact about the result of an unknown function is when it was
// obtained: a result obtained outside captures is older than any capture that
// follows.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_DOMAIN_EARLIER_H
#define CUDAGRAPH_ANALYSIS_DOMAIN_EARLIER_H

#include "Domain.h"

namespace cudagraph {

/// The tags of Domain::site() for a result obtained outside captures, and for
/// any other result.
inline constexpr unsigned EarlierResult = 0, AnyResult = 2;

inline bool isEarlierResult(const ValueNode &N) {
  return N.Kind == ValueKind::Opaque && (N.N & 15) == EarlierResult;
}

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_DOMAIN_EARLIER_H
