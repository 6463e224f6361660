//===- Nesting.h - How deep a text may nest ---------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parsers of JSON, YAML, and regular expressions that this program uses
// call themselves for each level, and some destructors do. A text that nests
// too deep overflows the stack, so it is refused before it is parsed. Needs no
// LLVM; driver/support/InputBuffer.h does the same for YAML.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_SUPPORT_NESTING_H
#define CUDAGRAPH_SUPPORT_NESTING_H

#include <string>
#include <string_view>

namespace cudagraph::support {

/// How many levels of lists, objects, or groups a text may have.
inline constexpr unsigned MaxNesting = 256;

/// Says at which line the JSON in \p Text nests deeper than MaxNesting, or
/// nothing. Exact up to the first syntax error, where parsers stop.
std::string checkJsonNesting(std::string_view Text);

/// Says that the regular expression \p Text has more than MaxNesting groups, or
/// nothing.
std::string checkRegexNesting(std::string_view Text);

} // namespace cudagraph::support

#endif // CUDAGRAPH_SUPPORT_NESTING_H
