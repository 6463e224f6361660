//===- Variants.h - Variants in flow graphs ---------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parts of a std::variant in flow graphs: the place of an alternative is an
// Elem with its number, and a member has the number of the current one.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_IR_VARIANTS_H
#define CUDAGRAPH_ANALYSIS_IR_VARIANTS_H

namespace cudagraph {

/// Contains the number of the current alternative.
inline constexpr const char *AlternativeNumber = "alternative number";

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_IR_VARIANTS_H
