//===- ParseSupport.cpp - Syntax errors and suggestions -------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of the parser that reports errors; it does not depend on catalogues.
//
//===----------------------------------------------------------------------===//

#include "ParseSupport.h"
#include "support/JsonSyntax.h"
#include <algorithm>

namespace cudagraph::catalogue {

//===----------------------------------------------------------------------===//
// Suggestions
//===----------------------------------------------------------------------===//

/// The number of insertions, deletions, and replacements that turn \p A into \p
/// B.
static size_t editDistance(std::string_view A, std::string_view B) {
  std::vector<size_t> Row(B.size() + 1);
  for (size_t J = 0; J <= B.size(); ++J)
    Row[J] = J;
  for (size_t I = 1; I <= A.size(); ++I) {
    size_t Diagonal = Row[0];
    Row[0] = I;
    for (size_t J = 1; J <= B.size(); ++J) {
      size_t Replaced = Diagonal + (A[I - 1] != B[J - 1]);
      Diagonal = Row[J];
      Row[J] = std::min({Row[J] + 1, Row[J - 1] + 1, Replaced});
    }
  }
  return Row[B.size()];
}

static std::string join(const std::vector<std::string_view> &Words) {
  std::string Result;
  for (std::string_view Word : Words) {
    if (!Result.empty())
      Result += ", ";
    Result += Word;
  }
  return Result;
}

std::string suggest(std::string_view Got,
                    const std::vector<std::string_view> &Words) {
  // A word that differs in most letters is not a misspelling; the cap also
  // prevents a hostile file from making the search slow.
  size_t Limit = std::max<size_t>(2, Got.size() / 3), Best = Limit + 1;
  std::string_view Nearest;
  if (Got.size() <= 64)
    for (std::string_view Word : Words)
      if (size_t Distance = editDistance(Got, Word); Distance < Best) {
        Best = Distance;
        Nearest = Word;
      }
  if (Best <= Limit)
    return "did you mean '" + std::string(Nearest) + "'?";
  return "use one of: " + join(Words);
}

//===----------------------------------------------------------------------===//
// Syntax: location of an error, repeated keys
//===----------------------------------------------------------------------===//

/// Converts the parser's message about invalid text to the format of this file.
static std::string syntaxError(std::string_view FileName, std::string_view Text,
                               const support::JsonProblem &Problem) {
  std::string_view Before =
      Text.substr(0, std::min(Problem.Offset - 1, Text.size()));
  size_t Line = 1 + std::count(Before.begin(), Before.end(), '\n');
  size_t Column = Before.size() - (Before.rfind('\n') + 1) + 1;
  // "parse error at line 1, column 2: description"
  std::string_view What = Problem.Text;
  if (size_t At = What.find(", column "); At != What.npos)
    if (size_t Colon = What.find(": ", At); Colon != What.npos)
      What.remove_prefix(Colon + 2);
  return std::string(FileName) + ":" + std::to_string(Line) + ":" +
         std::to_string(Column) + ": " + std::string(What);
}

std::string checkSyntax(std::string_view Text, std::string_view FileName) {
  std::optional<support::JsonProblem> Problem =
      support::checkJson(Text, support::JsonNames::Once);
  if (!Problem)
    return {};
  switch (Problem->Is) {
  case support::JsonProblem::Nesting:
    return std::string(FileName) + ": " + Problem->Text;
  case support::JsonProblem::Syntax:
    return syntaxError(FileName, Text, *Problem);
  case support::JsonProblem::Repeated:
    break;
  }
  return errorAt(FileName, Problem->Pointer,
                 "the field " + inQuotes(Problem->Name) +
                     " appears twice; keep one of the two");
}

std::string inQuotes(std::string_view Text) {
  constexpr size_t Limit = 80;
  std::string Result = "'";
  for (char C : Text.substr(0, Limit))
    Result += static_cast<unsigned char>(C) < ' ' ? '?' : C;
  if (Text.size() > Limit)
    Result += "...";
  return Result + "'";
}

std::string errorAt(std::string_view FileName, std::string_view Pointer,
                    const std::string &Problem) {
  return std::string(FileName) + ": " +
         (Pointer.empty() ? "/" : std::string(Pointer)) + ": " + Problem;
}

} // namespace cudagraph::catalogue
