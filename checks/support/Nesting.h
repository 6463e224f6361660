//===- Nesting.h - Limits the nesting of texts ------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parsers for JSON, YAML, and regular expressions are recursive, as are
// some destructors. A deeply nested text overflows the stack, so it is rejected
// before it is parsed. This file does not use LLVM;
// driver/support/InputBuffer.h does the same for YAML.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_SUPPORT_NESTING_H
#define CUDAGRAPH_SUPPORT_NESTING_H

#include <string>
#include <string_view>

namespace cudagraph::support {

/// The maximum number of nested lists, objects, or groups in a text.
inline constexpr unsigned MaxNesting = 256;

/// Returns the line at which the JSON in \p Text is nested deeper than
/// MaxNesting, or nothing. The result is exact up to the first syntax error,
/// where parsers stop.
std::string checkJsonNesting(std::string_view Text);

/// Returns an error if the regular expression \p Text has more than MaxNesting
/// groups, or nothing.
std::string checkRegexNesting(std::string_view Text);

} // namespace cudagraph::support

#endif // CUDAGRAPH_SUPPORT_NESTING_H
