//===- Lines.h - The lines of a trace, by name ------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lines.def as an enumeration. The library that observes a program includes
// this; it must not link other parts of the project.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_PROBE_FORMAT_LINES_H
#define CUDAGRAPH_PROBE_FORMAT_LINES_H

#include <optional>
#include <string_view>

namespace cudagraph::probe {

/// The member `e` of a line.
enum class Line {
#define LINE(ID, NAME) ID,
#include "Lines.def"
};

constexpr const char *nameOf(Line L) {
  switch (L) {
#define LINE(ID, NAME)                                                         \
  case Line::ID:                                                               \
    return NAME;
#include "Lines.def"
  }
  return "";
}

constexpr std::optional<Line> lineOf(std::string_view Name) {
#define LINE(ID, NAME)                                                         \
  if (Name == NAME)                                                            \
    return Line::ID;
#include "Lines.def"
  return std::nullopt;
}

} // namespace cudagraph::probe

#endif // CUDAGRAPH_PROBE_FORMAT_LINES_H
