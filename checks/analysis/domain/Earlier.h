//===- Earlier.h - Values from before a capture -----------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nothing is known about the result of an unknown function except its time: a
// result from outside captures is older than any capture that follows.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_DOMAIN_EARLIER_H
#define CUDAGRAPH_ANALYSIS_DOMAIN_EARLIER_H

#include "Domain.h"

namespace cudagraph {

/// The tags of Domain::site() for a result, outside captures and otherwise.
inline constexpr unsigned EarlierResult = 0, AnyResult = 2;

inline bool isEarlierResult(const ValueNode &N) {
  return N.Kind == ValueKind::Opaque && (N.N & 15) == EarlierResult;
}

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_DOMAIN_EARLIER_H
