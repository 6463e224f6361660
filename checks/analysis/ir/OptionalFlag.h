//===- OptionalFlag.h - Whether an optional has a value ---------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The member that an optional has in flow graphs.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_IR_OPTIONALFLAG_H
#define CUDAGRAPH_ANALYSIS_IR_OPTIONALFLAG_H

namespace cudagraph {

/// Contains 1 if the optional has a value, else 0.
inline constexpr const char *EngagedFlag = "engaged flag";

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_IR_OPTIONALFLAG_H
