//===- JsonSyntax.h - Finds JSON syntax errors ------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Without exceptions, the JSON parser does not report the location of an error,
// and it silently keeps the last of several values with the same name. The
// function below checks a text before it is parsed and reports both problems.
// This file does not use LLVM.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_SUPPORT_JSONSYNTAX_H
#define CUDAGRAPH_SUPPORT_JSONSYNTAX_H

#include <optional>
#include <string>
#include <string_view>

namespace cudagraph::support {

struct JsonProblem {
  enum Kind {
    Nesting,  ///< it is nested too deeply; see Nesting.h
    Syntax,   ///< it is not JSON
    Repeated, ///< an object repeats a name
  } Is = Syntax;
  /// For Nesting and Syntax, the error: "parse error at line 1, column 2: ...".
  std::string Text;
  size_t Offset = 0;   ///< for Syntax: counts from 1
  std::string Pointer; ///< for Repeated: JSON pointer of the object
  std::string Name;    ///< for Repeated: the name
};

enum class JsonNames { MayRepeat, Once };

/// Returns the first problem of \p Text, or nothing.
std::optional<JsonProblem> checkJson(std::string_view Text, JsonNames Names);

/// Appends a reference token to a JSON pointer (RFC 6901).
void appendToken(std::string &Pointer, std::string_view Token);

} // namespace cudagraph::support

#endif // CUDAGRAPH_SUPPORT_JSONSYNTAX_H
