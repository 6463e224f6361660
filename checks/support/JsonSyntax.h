//===- JsonSyntax.h - What is wrong with a text as JSON ---------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parser of JSON does not say where a text is broken unless it may throw,
// and silently keeps the last of several values of one name. This walks a text
// before it is parsed and says both. Needs no LLVM.
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
    Nesting,  ///< it nests too deep; see Nesting.h
    Syntax,   ///< it is no JSON
    Repeated, ///< an object has a name twice
  } Is = Syntax;
  /// Of Nesting and Syntax, what is wrong: "parse error at line 1, column 2:
  /// ...".
  std::string Text;
  size_t Offset = 0;   ///< of Syntax: counts from 1
  std::string Pointer; ///< of Repeated: JSON pointer of the object
  std::string Name;    ///< of Repeated: the name
};

enum class JsonNames { MayRepeat, Once };

/// Returns the first problem of \p Text, or nothing.
std::optional<JsonProblem> checkJson(std::string_view Text, JsonNames Names);

/// Appends a reference token to a JSON pointer (RFC 6901).
void appendToken(std::string &Pointer, std::string_view Token);

} // namespace cudagraph::support

#endif // CUDAGRAPH_SUPPORT_JSONSYNTAX_H
