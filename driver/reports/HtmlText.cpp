//===- HtmlText.cpp - Text that is safe in an HTML page -------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HtmlText.h"
#include "Changes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Unicode.h"
#include "llvm/Support/raw_ostream.h"
#include <utility>

using namespace llvm;

namespace cudagraph::reports::html {
namespace {

/// The number of bytes of a line that are shown before, in, and after its mark.
constexpr size_t MostBefore = 120, MostMarked = 400, MostAfter = 240;
/// The number of lines of a range that are shown.
constexpr unsigned MostLines = 12;

bool isTail(char C) { return (C & 0xC0) == 0x80; }

/// The last \p Most bytes of \p Text, cut at a character.
StringRef last(StringRef Text, size_t Most) {
  if (Text.size() <= Most)
    return Text;
  Text = Text.take_back(Most);
  return Text.drop_while(isTail);
}
/// The first \p Most bytes.
StringRef first(StringRef Text, size_t Most) {
  if (Text.size() <= Most)
    return Text;
  while (Most && isTail(Text[Most]))
    --Most;
  return Text.take_front(Most);
}

} // namespace

std::string escaped(StringRef Text) {
  std::string Result;
  raw_string_ostream Out(Result);
  while (!Text.empty()) {
    unsigned char C = Text.front();
    if (C < 0x80) {
      switch (C) {
      case '&':
        Out << "&amp;";
        break;
      case '<':
        Out << "&lt;";
        break;
      case '>':
        Out << "&gt;";
        break;
      case '"':
        Out << "&quot;";
        break;
      case '\'':
        Out << "&#39;";
        break;
      case '\t':
        Out << '\t';
        break;
      default:
        if (C >= 0x20 && C != 0x7f)
          Out << static_cast<char>(C);
        else
          Out << format("&lt;U+%04X&gt;", C);
      }
      Text = Text.drop_front();
      continue;
    }
    size_t Bytes = getNumBytesForUTF8(C);
    const auto *Begin = reinterpret_cast<const UTF8 *>(Text.data());
    if (Bytes > Text.size() || !isLegalUTF8Sequence(Begin, Begin + Bytes)) {
      Out << format("&lt;%02X&gt;", C);
      Text = Text.drop_front();
      continue;
    }
    StringRef Char = Text.take_front(Bytes);
    Text = Text.drop_front(Bytes);
    // Direction marks, which would move text to a different position, are not
    // printable.
    if (sys::unicode::columnWidthUTF8(Char) >= 0) {
      Out << Char;
      continue;
    }
    UTF32 Point = 0;
    const UTF8 *End = Begin;
    if (convertUTF8Sequence(&End, Begin + Bytes, &Point, strictConversion) ==
        conversionOK)
      Out << format("&lt;U+%04X&gt;", Point);
  }
  return Result;
}

std::string message(StringRef Text) {
  std::string Result;
  while (true) {
    size_t Open = Text.find('\'');
    size_t Close = Open == StringRef::npos ? Open : Text.find('\'', Open + 1);
    // An apostrophe does not begin a quotation.
    bool Quotes =
        Close != StringRef::npos && (Open == 0 || !isAlnum(Text[Open - 1]));
    if (Close == StringRef::npos)
      return Result + escaped(Text);
    if (!Quotes) {
      Result += escaped(Text.take_front(Open + 1));
      Text = Text.drop_front(Open + 1);
      continue;
    }
    Result += escaped(Text.take_front(Open)) + "<code>" +
              escaped(Text.slice(Open + 1, Close)) + "</code>";
    Text = Text.drop_front(Close + 1);
  }
}

void writeLine(raw_ostream &Out, StringRef Line, size_t Begin, size_t End) {
  Begin = std::min(Begin, Line.size());
  End = std::max(Begin, std::min(End, Line.size()));
  StringRef Front = Line.take_front(Begin), Marked = Line.slice(Begin, End),
            Back = Line.drop_front(End);
  StringRef Shown = last(Front, MostBefore);
  Out << (Shown.size() < Front.size() ? "…" : "") << escaped(Shown);
  if (!Marked.empty()) {
    Shown = first(Marked, MostMarked);
    Out << "<mark>" << escaped(Shown)
        << (Shown.size() < Marked.size() ? "…" : "") << "</mark>";
  }
  Shown = first(Back, MostAfter);
  Out << escaped(Shown) << (Shown.size() < Back.size() ? "…" : "");
}

bool writeExcerpt(raw_ostream &Out, SourceText &Sources, const Location &L,
                  Context Around) {
  unsigned End = std::max(L.Line, L.EndLine);
  // The beginning of a long range is enough to identify it.
  bool Cut = End - L.Line >= MostLines;
  if (Cut)
    End = L.Line + MostLines - 1;
  unsigned Total = Sources.count(L.File);
  if (!L.Line || L.Line > Total)
    return false;
  unsigned From = L.Line > Around.Before ? L.Line - Around.Before : 1;
  unsigned To = std::min(End + (Cut ? 0 : Around.After), Total);
  Out << "<ol class=\"src\" start=\"" << From << "\">";
  for (unsigned N = From; N <= To; ++N) {
    StringRef Line = Sources.line(L.File, N);
    bool Marked = N >= L.Line && N <= End;
    Out << (Marked ? "<li class=\"marked\">" : "<li>");
    if (!Marked)
      writeLine(Out, Line, Line.size(), Line.size());
    else {
      size_t Begin = N == L.Line && L.Column
                         ? L.Column - 1
                         : Line.size() - Line.ltrim().size();
      size_t Stop =
          N == L.EndLine && L.EndColumn ? L.EndColumn - 1 : Line.size();
      writeLine(Out, Line, Begin, std::max(Stop, Begin + 1));
    }
    Out << "\n";
  }
  Out << "</ol>\n";
  return true;
}

void writeDiff(raw_ostream &Out, SourceText &Sources,
               const std::vector<Fix> &Fixes) {
  std::vector<Change> Changes = changesOf(Fixes, Sources);
  std::string File;
  if (!Changes.empty())
    Out << "<pre class=\"diff\">";
  for (const Change &Each : Changes) {
    if (std::exchange(File, Each.File) != Each.File)
      Out << "<b>" << escaped(Each.File) << "</b>\n";
    auto Write = [&](const std::vector<std::string> &Rows, const char *Tag,
                     char Sign) {
      unsigned N = Each.Line;
      for (const std::string &Row : Rows)
        Out << "<" << Tag << ">" << format("%5u ", N++) << Sign << " "
            << escaped(first(Row, MostMarked)) << "</" << Tag << ">\n";
    };
    Write(Each.Old, "del", '-');
    Write(Each.New, "ins", '+');
  }
  if (!Changes.empty())
    Out << "</pre>\n";
}

} // namespace cudagraph::reports::html
