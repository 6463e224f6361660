//===- ParseSupport.cpp - Syntax, places and suggestions ------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of the parser that knows JSON and error messages, but nothing about
// catalogues.
//
//===----------------------------------------------------------------------===//

#include "ParseSupport.h"
#include "support/Nesting.h"
#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

namespace cudagraph::catalogue {

using nlohmann::json;

//===----------------------------------------------------------------------===//
// Suggestions
//===----------------------------------------------------------------------===//

/// Number of insertions, deletions and replacements from \p A to \p B.
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
  // Nobody means a word that is mostly different; the cap also keeps a hostile
  // file from making this slow.
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
// Syntax: place of an error, repeated keys
//===----------------------------------------------------------------------===//

namespace {

/// Walks the text before it is parsed, for what the parser does not tell: where
/// the text is broken, and a key that appears twice in one object (the parser
/// silently keeps the last).
class SyntaxCheck : public nlohmann::json_sax<json> {
public:
  size_t ErrorOffset = 0;   ///< 1-based; 0 if there is no syntax error
  std::string ErrorText;    ///< what the parser says about it
  std::string RepeatedAt;   ///< JSON pointer of the object
  std::string RepeatedName; ///< the key that it repeats

  bool null() override { return value(); }
  bool boolean(bool) override { return value(); }
  bool number_integer(number_integer_t) override { return value(); }
  bool number_unsigned(number_unsigned_t) override { return value(); }
  bool number_float(number_float_t, const string_t &) override {
    return value();
  }
  bool string(string_t &) override { return value(); }
  bool binary(binary_t &) override { return value(); }
  bool start_object(size_t) override { return open(/*IsObject=*/true); }
  bool start_array(size_t) override { return open(/*IsObject=*/false); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t &Key) override;
  bool parse_error(size_t Offset, const std::string &,
                   const nlohmann::detail::exception &E) override {
    ErrorOffset = Offset;
    ErrorText = E.what();
    return false;
  }

private:
  struct Level {
    bool IsObject;
    std::set<std::string> Keys;
    std::string Current;
    size_t Index;
  };
  std::vector<Level> Levels;

  bool value() {
    if (!Levels.empty())
      ++Levels.back().Index;
    return true;
  }
  bool open(bool IsObject) {
    Levels.push_back({IsObject, {}, {}, 0});
    return true;
  }
  bool close() {
    Levels.pop_back();
    return value();
  }
};

} // namespace

void appendToken(std::string &Pointer, std::string_view Token) {
  Pointer += '/';
  for (char C : Token)
    if (C == '~')
      Pointer += "~0";
    else if (C == '/')
      Pointer += "~1";
    else
      Pointer += C;
}

bool SyntaxCheck::key(string_t &Key) {
  Level &Top = Levels.back();
  if (Top.Keys.insert(Key).second) {
    Top.Current = Key;
    return true;
  }
  RepeatedName = Key;
  for (const Level &L : Levels)
    if (&L != &Top)
      appendToken(RepeatedAt, L.IsObject ? L.Current : std::to_string(L.Index));
  return false;
}

/// Turns the parser's message about a broken text into ours.
static std::string syntaxError(std::string_view FileName, std::string_view Text,
                               const SyntaxCheck &Check) {
  std::string_view Before =
      Text.substr(0, std::min(Check.ErrorOffset - 1, Text.size()));
  size_t Line = 1 + std::count(Before.begin(), Before.end(), '\n');
  size_t Column = Before.size() - (Before.rfind('\n') + 1) + 1;
  // "[json.exception...] parse error at line 1, column 2: what is wrong"
  std::string_view What = Check.ErrorText;
  if (size_t At = What.find(", column "); At != What.npos)
    if (size_t Colon = What.find(": ", At); Colon != What.npos)
      What.remove_prefix(Colon + 2);
  return std::string(FileName) + ":" + std::to_string(Line) + ":" +
         std::to_string(Column) + ": " + std::string(What);
}

std::string checkSyntax(std::string_view Text, std::string_view FileName) {
  if (std::string Why = support::checkJsonNesting(Text); !Why.empty())
    return std::string(FileName) + ": " + Why;
  SyntaxCheck Check;
  if (json::sax_parse(Text, &Check))
    return {};
  if (Check.ErrorOffset)
    return syntaxError(FileName, Text, Check);
  return errorAt(FileName, Check.RepeatedAt,
                 "the field " + inQuotes(Check.RepeatedName) +
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
