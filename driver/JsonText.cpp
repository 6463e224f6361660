//===- JsonText.cpp - JSON that anybody may have written ------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "JsonText.h"
#include "Options.h"
#include "llvm/ADT/Twine.h"

using namespace llvm;

namespace cudagraph::driver {

/// Far more than databases and baselines need, far less than a stack holds.
static constexpr unsigned MaxNesting = 200;

/// The number of brackets that are open at the same time, at most.
static unsigned nestingOf(StringRef Text) {
  unsigned Depth = 0, Deepest = 0;
  bool InString = false;
  for (size_t I = 0; I < Text.size(); ++I) {
    char C = Text[I];
    if (InString) {
      if (C == '\\')
        ++I;
      else if (C == '"')
        InString = false;
    } else if (C == '"') {
      InString = true;
    } else if (C == '[' || C == '{') {
      Deepest = std::max(Deepest, ++Depth);
    } else if ((C == ']' || C == '}') && Depth) {
      --Depth;
    }
  }
  return Deepest;
}

Expected<json::Value> parseJsonText(StringRef Text) {
  if (unsigned Depth = nestingOf(Text); Depth > MaxNesting)
    return makeError("it is nested " + Twine(Depth) + " levels deep, and " +
                     Twine(MaxNesting) + " are read");
  return json::parse(Text);
}

} // namespace cudagraph::driver
