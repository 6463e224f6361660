//===- SourceText.cpp - Lines of source files for reports -----------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SourceText.h"
#include "catalogue/Printable.h"
#include "support/InputFile.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Unicode.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>

using namespace llvm;

namespace cudagraph::reports {
namespace {

constexpr unsigned TabStop = 8;
/// Lines longer than this many columns are cut.
constexpr size_t MaxColumns = 160;
/// The number of columns of a cut line that are shown before the mark.
constexpr size_t ColumnsBefore = 40;

/// One character of a line, in its displayed form.
struct Glyph {
  std::string Text;
  size_t Columns;
};

/// Reads the character at the front of \p Line. \p Bytes receives its length.
Glyph nextGlyph(StringRef Line, size_t &Bytes) {
  std::string Text;
  raw_string_ostream Out(Text);
  unsigned char First = Line.front();
  Bytes = 1;
  if (First < 0x80) {
    if (First >= 0x20 && First != 0x7f)
      return {std::string(1, First), 1};
    // A terminal would interpret control characters.
    Out << format("<U+%04X>", First);
    return {Text, Text.size()};
  }
  size_t Wanted = getNumBytesForUTF8(First);
  const auto *Begin = reinterpret_cast<const UTF8 *>(Line.data());
  if (Wanted <= Line.size() && isLegalUTF8Sequence(Begin, Begin + Wanted)) {
    StringRef Char = Line.take_front(Wanted);
    // The character may reorder the following text, or be invisible.
    if (std::string Shown = printable(Char); Shown != Char) {
      Bytes = Wanted;
      return {Shown, Shown.size()};
    }
    int Width = sys::unicode::columnWidthUTF8(Char);
    if (Width >= 0) {
      Bytes = Wanted;
      return {Char.str(), static_cast<size_t>(Width)};
    }
  }
  Out << format("<%02X>", First);
  return {Text, Text.size()};
}

} // namespace

void SourceText::fill(Lines &L, StringRef Bytes, StringRef File) {
  L.Buffer = MemoryBuffer::getMemBufferCopy(Bytes, File);
  StringRef Text = L.Buffer->getBuffer();
  L.Starts.push_back(0);
  for (size_t I = Text.find('\n'); I != StringRef::npos;
       I = Text.find('\n', I + 1))
    L.Starts.push_back(I + 1);
}

void SourceText::provide(StringRef File, StringRef Text) {
  if (auto [Slot, New] = Files.try_emplace(File); New)
    fill(Slot->second, Text, File);
}

const SourceText::Lines &SourceText::read(StringRef File) {
  auto [Slot, New] = Files.try_emplace(File);
  if (New) {
    // #line may name any file.
    std::string Bytes;
    if (!support::readInput(File.str(), support::Bound::Data, Bytes))
      fill(Slot->second, Bytes, File);
  }
  return Slot->second;
}

std::optional<StringRef> SourceText::text(StringRef File) {
  const Lines &L = read(File);
  if (!L.Buffer)
    return std::nullopt;
  return L.Buffer->getBuffer();
}

StringRef SourceText::line(StringRef File, unsigned Number) {
  const Lines &L = read(File);
  if (!L.Buffer || Number == 0 || Number > L.Starts.size())
    return "";
  StringRef Rest = L.Buffer->getBuffer().drop_front(L.Starts[Number - 1]);
  return Rest.take_until([](char C) { return C == '\n'; }).rtrim('\r');
}

unsigned SourceText::count(StringRef File) {
  (void)line(File, 1);
  const Lines &L = Files[File];
  if (!L.Buffer || L.Starts.empty())
    return 0;
  return L.Starts.size() - (L.Starts.back() == L.Buffer->getBufferSize());
}

Snippet makeSnippet(StringRef Line, size_t Begin, size_t End) {
  Begin = std::min(Begin, Line.size());
  End = std::max(std::min(End, Line.size()), Begin + 1);

  // Cut by bytes first, so that a line of ten megabytes is not processed in
  // full.
  bool CutFront = false, CutBack = false;
  if (Line.size() > MaxColumns && Begin > ColumnsBefore) {
    size_t Drop = Begin - ColumnsBefore;
    // Not within a character.
    while (Drop < Begin && (Line[Drop] & 0xC0) == 0x80)
      ++Drop;
    Line = Line.drop_front(Drop);
    Begin -= Drop;
    End -= Drop;
    CutFront = true;
  }

  Snippet Result;
  size_t Columns = 0, From = 0, To = 0;
  if (CutFront) {
    Result.Text = "...";
    Columns = 3;
  }
  for (size_t I = 0; I < Line.size();) {
    if (Columns >= MaxColumns) {
      CutBack = true;
      break;
    }
    if (I == Begin)
      From = Columns;
    size_t Bytes = 1;
    if (Line[I] == '\t') {
      size_t Width = TabStop - Columns % TabStop;
      Result.Text.append(Width, ' ');
      Columns += Width;
    } else {
      Glyph G = Line[I] == '[' && opensCommand(Result.Text)
                    ? Glyph{"\\x5b", 4}
                    : nextGlyph(Line.drop_front(I), Bytes);
      Result.Text += G.Text;
      Columns += G.Columns;
    }
    if (I < Begin && I + Bytes > Begin)
      From = Columns;
    I += Bytes;
    if (I <= End)
      To = Columns;
  }
  if (Begin >= Line.size())
    From = Columns;
  if (CutBack)
    Result.Text += "...";
  Result.Mark.assign(From, ' ');
  Result.Mark += '^';
  if (To > From + 1)
    Result.Mark.append(To - From - 1, '~');
  return Result;
}

} // namespace cudagraph::reports
