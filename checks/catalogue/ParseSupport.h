//===- ParseSupport.h - Syntax errors and suggestions -----------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions with which CatalogueParse reports the exact problem in a file and
// its location. Internal to the parser.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_CATALOGUE_PARSESUPPORT_H
#define CUDAGRAPH_CATALOGUE_PARSESUPPORT_H

#include <string>
#include <string_view>
#include <vector>

namespace cudagraph::catalogue {

/// Returns an empty string if \p Text is JSON without repeated keys, or an
/// error message with line and column, or with the JSON pointer of the object
/// that repeats a key.
std::string checkSyntax(std::string_view Text, std::string_view FileName);

/// Returns "FILE: POINTER: PROBLEM".
std::string errorAt(std::string_view FileName, std::string_view Pointer,
                    const std::string &Problem);

/// Returns \p Text in quotes, on one line and short enough for a message.
std::string inQuotes(std::string_view Text);

/// Returns "did you mean 'X'?" if one of \p Words is close to \p Got, or the
/// list of \p Words otherwise.
std::string suggest(std::string_view Got,
                    const std::vector<std::string_view> &Words);

} // namespace cudagraph::catalogue

#endif // CUDAGRAPH_CATALOGUE_PARSESUPPORT_H
