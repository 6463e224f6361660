//===- Nesting.cpp - Limits the nesting of texts --------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Nesting.h"
#include <algorithm>

namespace cudagraph::support {

std::string checkJsonNesting(std::string_view Text) {
  unsigned Depth = 0;
  size_t Line = 1;
  bool InString = false;
  for (size_t I = 0; I < Text.size(); ++I) {
    switch (Text[I]) {
    case '\n':
      ++Line;
      break;
    case '"':
      InString = !InString;
      break;
    case '\\':
      I += InString;
      break;
    case '[':
    case '{':
      if (!InString && ++Depth > MaxNesting)
        return "line " + std::to_string(Line) +
               " nests lists and objects more than " +
               std::to_string(MaxNesting) + " levels deep; reduce the depth";
      break;
    case ']':
    case '}':
      if (!InString && Depth)
        --Depth;
      break;
    }
  }
  return {};
}

std::string checkRegexNesting(std::string_view Text) {
  if (std::count(Text.begin(), Text.end(), '(') <= MaxNesting)
    return {};
  return "it has more than " + std::to_string(MaxNesting) +
         " groups; use fewer parentheses";
}

} // namespace cudagraph::support
