//===- LeadingIncludes.cpp - The includes a source begins with ------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LeadingIncludes.h"

using namespace llvm;

namespace cudagraph::driver {
namespace {

/// Reads the beginning of a text. If a function does not find what it reads, it
/// returns false, and the rest of the text does not count.
class Reader {
public:
  explicit Reader(StringRef Text) : Text(Text), Rest(Text) {}

  size_t offset() const { return Text.size() - Rest.size(); }

  /// Skips white space and comments before a directive.
  bool skipToDirective() {
    while (true) {
      Rest = Rest.ltrim(" \t\r\n\f\v");
      if (Rest.starts_with("//") || Rest.starts_with("/*")) {
        if (!comment())
          return false;
        continue;
      }
      return Rest.starts_with("#");
    }
  }

  /// Reads `#pragma once` and the rest of its line, if it is next.
  void pragmaOnce() {
    StringRef Before = Rest;
    Rest = Rest.drop_front().ltrim(" \t");
    bool Found = Rest.consume_front("pragma");
    StringRef Word = Rest.ltrim(" \t");
    Found &= Word.size() < Rest.size() && Word.consume_front("once");
    Rest = Word;
    if (!Found || !endOfLine())
      Rest = Before;
  }

  /// Reads `#include NAME` and the rest of its line.
  bool include(StringRef &Name) {
    Rest = Rest.drop_front().ltrim(" \t");
    if (!Rest.consume_front("include"))
      return false;
    Rest = Rest.ltrim(" \t");
    bool Quoted = Rest.starts_with("\"");
    if (!Quoted && !Rest.starts_with("<"))
      return false; // a macro, or include_next
    size_t End = Rest.find(Quoted ? '"' : '>', 1);
    if (End == StringRef::npos)
      return false;
    Name = Rest.take_front(End + 1);
    if (Name.size() < 3 || Name.find_first_of("\n\r\\?") != StringRef::npos)
      return false;
    Rest = Rest.drop_front(End + 1);
    return endOfLine();
  }

private:
  bool endOfLine() {
    while (true) {
      Rest = Rest.ltrim(" \t\r\f\v");
      if (Rest.empty() || Rest.consume_front("\n"))
        return true;
      if (Rest.starts_with("//"))
        return comment();
      if (!Rest.starts_with("/*") || !comment())
        return false;
    }
  }

  /// A comment that ends with a line ends after its newline.
  bool comment() {
    bool OfLine = Rest.starts_with("//");
    size_t End = OfLine ? Rest.find('\n') : Rest.find("*/", 2);
    if (End == StringRef::npos && !OfLine)
      return false;
    StringRef All = Rest.take_front(End);
    // A comment may continue on the next line.
    StringRef Last = All.rtrim(" \t\r\f\v");
    if (OfLine && (Last.ends_with("\\") || Last.ends_with("?\?/")))
      return false;
    Rest =
        Rest.drop_front(std::min(Rest.size(), All.size() + (OfLine ? 1 : 2)));
    return true;
  }

  StringRef Text, Rest;
};

} // namespace

std::vector<LeadingInclude> leadingIncludes(StringRef Text, bool IsHeader) {
  constexpr size_t Most = 64;
  std::vector<LeadingInclude> Result;
  Reader In(Text);
  LeadingInclude Next;
  if (IsHeader && In.skipToDirective())
    In.pragmaOnce();
  while (Result.size() < Most && In.skipToDirective() &&
         In.include(Next.Name)) {
    Next.End = In.offset();
    Result.push_back(Next);
  }
  return Result;
}

} // namespace cudagraph::driver
