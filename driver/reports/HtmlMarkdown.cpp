//===- HtmlMarkdown.cpp - The check pages in HTML -------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Supports only the Markdown that docs/checks uses.
//
//===----------------------------------------------------------------------===//

#include "HtmlText.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <cctype>

using namespace llvm;

namespace cudagraph::reports::html {
namespace {

/// Text within a block: code, strong, emphasis, and links.
std::string spans(StringRef Text) {
  std::string Result;
  size_t Plain = 0;
  auto Flush = [&](size_t Upto) { Result += escaped(Text.slice(Plain, Upto)); };
  for (size_t I = 0; I < Text.size();) {
    auto Pair = [&](StringRef Mark, const char *Tag, bool Inner) {
      if (!Text.substr(I).starts_with(Mark))
        return false;
      size_t From = I + Mark.size(), Close = Text.find(Mark, From);
      if (Close == StringRef::npos || Close == From || isSpace(Text[From]))
        return false;
      Flush(I);
      StringRef Body = Text.slice(From, Close);
      Result += std::string("<") + Tag + ">" +
                (Inner ? spans(Body) : escaped(Body)) + "</" + Tag + ">";
      Plain = I = Close + Mark.size();
      return true;
    };
    if (Text[I] == '\\' && I + 1 < Text.size() &&
        std::ispunct(static_cast<unsigned char>(Text[I + 1]))) {
      Flush(I);
      Plain = I + 1;
      I += 2;
      continue;
    }
    if (Pair("`", "code", false) || Pair("**", "strong", true) ||
        Pair("*", "em", true))
      continue;
    size_t Middle = Text[I] == '[' ? Text.find("](", I) : StringRef::npos;
    size_t Close = Middle == StringRef::npos ? Middle : Text.find(')', Middle);
    if (Close != StringRef::npos) {
      Flush(I);
      StringRef Target = Text.slice(Middle + 2, Close);
      std::string Label = spans(Text.slice(I + 1, Middle));
      bool Absolute =
          Target.starts_with("https://") || Target.starts_with("http://");
      Result += Absolute ? "<a rel=\"noreferrer\" href=\"" + escaped(Target) +
                               "\">" + Label + "</a>"
                         : Label;
      Plain = I = Close + 1;
      continue;
    }
    ++I;
  }
  Flush(Text.size());
  return Result;
}

bool isItem(StringRef Line) {
  StringRef Text = Line.ltrim();
  return Text.starts_with("- ") || Text.starts_with("* ") ||
         (!Text.empty() && isDigit(Text[0]) &&
          Text.drop_while(isDigit).starts_with(". "));
}

class Renderer {
public:
  Renderer(raw_ostream &Out, StringRef Text) : Out(Out) {
    Text.split(Lines, '\n');
  }

  void run() {
    while (At < Lines.size())
      block();
  }

private:
  raw_ostream &Out;
  SmallVector<StringRef, 128> Lines;
  size_t At = 0;

  StringRef line() const { return At < Lines.size() ? Lines[At] : ""; }

  void block() {
    StringRef Line = line();
    if (Line.trim().empty() || Line.starts_with("# ")) {
      ++At; // the caller writes the title
    } else if (Line.starts_with("```")) {
      code();
    } else if (Line.starts_with("#")) {
      StringRef Text = Line.ltrim('#').trim();
      Out << "<h4>" << spans(Text) << "</h4>\n";
      ++At;
    } else if (Line.starts_with("|")) {
      table();
    } else if (isItem(Line)) {
      list();
    } else {
      Out << "<p>" << spans(paragraph()) << "</p>\n";
    }
  }

  /// The lines up to the next block, joined.
  std::string paragraph() {
    std::string Text = line().trim().str();
    for (++At; !line().trim().empty() && !isItem(line()) &&
               !line().starts_with("```") && !line().starts_with("#") &&
               !line().starts_with("|");
         ++At)
      Text += " " + line().trim().str();
    return Text;
  }

  void code() {
    Out << "<pre class=\"code\">";
    for (++At; At < Lines.size() && !line().starts_with("```"); ++At)
      Out << escaped(line()) << "\n";
    ++At;
    Out << "</pre>\n";
  }

  void list() {
    const char *Tag = isDigit(line().ltrim()[0]) ? "ol" : "ul";
    Out << "<" << Tag << ">";
    while (isItem(line())) {
      std::string Text = paragraph();
      StringRef Body = StringRef(Text).drop_while(isDigit);
      Out << "<li>" << spans(Body.drop_front(std::min<size_t>(2, Body.size())))
          << "</li>\n";
    }
    Out << "</" << Tag << ">\n";
  }

  void table() {
    Out << "<div class=\"scroll\"><table>";
    for (bool Head = true; line().starts_with("|"); ++At) {
      if (line().find_first_not_of("|-: ") == StringRef::npos)
        continue;
      SmallVector<StringRef, 8> Cells;
      line().trim().trim('|').split(Cells, '|');
      Out << "<tr>";
      for (StringRef Cell : Cells)
        Out << (Head ? "<th scope=\"col\">" : "<td>") << spans(Cell.trim())
            << (Head ? "</th>" : "</td>");
      Out << "</tr>\n";
      Head = false;
    }
    Out << "</table></div>\n";
  }
};

} // namespace

void writeMarkdown(raw_ostream &Out, StringRef Text) {
  Renderer(Out, Text).run();
}

} // namespace cudagraph::reports::html
