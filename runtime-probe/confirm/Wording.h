//===- Wording.h - Parts of the sentences of a result -----------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Spells numbers and locations, and finds the notes of a finding by their text.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_PROBE_CONFIRM_WORDING_H
#define CUDAGRAPH_PROBE_CONFIRM_WORDING_H

#include "Model.h"
#include <algorithm>
#include <string>
#include <string_view>

namespace cudagraph::confirm {

inline std::string counted(size_t Count, const char *Noun) {
  return std::to_string(Count) + " " + Noun +
         (Count == 1                              ? ""
          : std::string_view(Noun).ends_with("h") ? "es"
                                                  : "s");
}

inline std::string spelled(const std::string &File, unsigned Line) {
  return File + ":" + std::to_string(Line);
}

/// " at engine.cu:14", or nothing.
inline std::string atPlace(const std::optional<Frame> &At) {
  return At && At->Line ? " at " + spelled(At->File, At->Line) : "";
}

/// The note of \p F with one of the texts, or null.
inline const Note *noteOf(const StaticFinding &F,
                          std::initializer_list<std::string_view> Cues) {
  for (const Note &N : F.Notes)
    if (N.At.Line &&
        std::find(Cues.begin(), Cues.end(), N.Message) != Cues.end())
      return &N;
  return nullptr;
}

} // namespace cudagraph::confirm

#endif // CUDAGRAPH_PROBE_CONFIRM_WORDING_H
