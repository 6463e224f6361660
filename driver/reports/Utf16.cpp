//===- Utf16.cpp - Lines and columns in other units -----------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Utf16.h"
#include "Escape.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include <unordered_map>

using namespace llvm;

namespace cudagraph::reports {
namespace {

SmallVector<UTF16, 0> unitsOf(StringRef Text) {
  SmallVector<UTF16, 0> Result;
  (void)convertUTF8ToUTF16String(validUtf8(Text), Result);
  return Result;
}

/// The column after the first \p Bytes of \p Line.
unsigned columnAfter(StringRef Line, size_t Bytes) {
  // If the line cannot be read, the byte is the best approximation.
  if (Line.empty())
    return Bytes + 1;
  StringRef Before = Line.take_front(Bytes);
  // Editors do not show a byte order mark.
  Before.consume_front("\xEF\xBB\xBF");
  return unitsOf(Before).size() + 1;
}

std::vector<std::string> hashLines(StringRef Text) {
  constexpr size_t Window = 100;
  std::vector<UTF16> Units;
  std::vector<size_t> Starts;
  bool AtStart = true, AfterReturn = false;
  auto Add = [&](UTF16 Unit) {
    if (AtStart)
      Starts.push_back(Units.size());
    AtStart = Unit == '\n';
    Units.push_back(Unit);
  };
  for (UTF16 Unit : unitsOf(Text)) {
    bool SecondOfTwo = AfterReturn && Unit == '\n';
    AfterReturn = Unit == '\r';
    if (Unit != ' ' && Unit != '\t' && !SecondOfTwo)
      Add(AfterReturn ? '\n' : Unit);
  }
  Add(65535);
  Units.resize(Units.size() + Window);

  std::vector<std::string> Result;
  std::unordered_map<uint64_t, unsigned> Seen;
  for (size_t Start : Starts) {
    uint64_t Hash = 0;
    for (size_t I = 0; I < Window; ++I)
      Hash = Hash * 37 + Units[Start + I];
    Result.push_back(utohexstr(Hash, /*LowerCase=*/true) + ":" +
                     std::to_string(++Seen[Hash]));
  }
  return Result;
}

} // namespace

Span spanOf(const Location &L, SourceText &Sources, bool OneLine) {
  Span Result;
  Result.Line = std::max(L.Line, 1u);
  Result.EndLine = std::max(L.EndLine, Result.Line);
  StringRef First = Sources.line(L.File, Result.Line);
  Result.Column = L.Column ? columnAfter(First, L.Column - 1) : 1;
  if ((OneLine && Result.EndLine > Result.Line) || !L.EndColumn) {
    Result.EndLine = Result.Line;
    Result.EndColumn = columnAfter(First, First.size());
  } else {
    Result.EndColumn =
        columnAfter(Sources.line(L.File, Result.EndLine), L.EndColumn - 1);
  }
  if (Result.EndLine == Result.Line)
    Result.EndColumn = std::max(Result.EndColumn, Result.Column + OneLine);
  return Result;
}

std::string LineHashes::of(StringRef File, unsigned Line) {
  auto [Slot, New] = Files.try_emplace(File);
  if (New)
    if (auto Text = Sources.text(File))
      Slot->second = hashLines(*Text);
  const std::vector<std::string> &Lines = Slot->second;
  return Line && Line <= Lines.size() ? Lines[Line - 1] : "";
}

} // namespace cudagraph::reports
