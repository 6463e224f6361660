//===- Escape.cpp - Escapes text for a format -----------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Escape.h"
#include "catalogue/Printable.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

using namespace llvm;

namespace cudagraph::reports {

constexpr static char Replacement[] = "\xEF\xBF\xBD"; // U+FFFD

std::string validUtf8(StringRef Text) {
  return json::isUTF8(Text) ? Text.str() : json::fixUTF8(Text);
}

std::string shortened(std::string Text, size_t Bytes) {
  if (Text.size() <= Bytes)
    return Text;
  // Not within a character.
  while (Bytes > 0 && (Text[Bytes] & 0xC0) == 0x80)
    --Bytes;
  Text.resize(Bytes);
  return Text + "...";
}

std::string xmlEscaped(StringRef Text) {
  std::string Valid = validUtf8(Text), Result;
  for (size_t I = 0; I < Valid.size(); ++I) {
    char C = Valid[I];
    switch (C) {
    case '&':
      Result += "&amp;";
      continue;
    case '<':
      Result += "&lt;";
      continue;
    case '>':
      Result += "&gt;";
      continue;
    case '"':
      Result += "&quot;";
      continue;
    case '\'':
      Result += "&#39;";
      continue;
    case '\t':
    case '\n':
    case '\r':
      // A parser would replace these characters with spaces in an attribute.
      Result += "&#" + std::to_string(C) + ";";
      continue;
    }
    StringRef Rest = StringRef(Valid).drop_front(I);
    if (static_cast<unsigned char>(C) < ' ') {
      Result += Replacement;
    } else if (Rest.starts_with("\xEF\xBF\xBE") ||
               Rest.starts_with("\xEF\xBF\xBF")) {
      // U+FFFE and U+FFFF are not characters.
      Result += Replacement;
      I += 2;
    } else {
      Result += C;
    }
  }
  return Result;
}

std::string markdownEscaped(StringRef Text) {
  std::string Line = printable(Text), Result;
  for (size_t I = 0; I < Line.size(); ++I) {
    char C = Line[I];
    if (C == '&')
      Result += "&amp;";
    else if (C == '<')
      Result += "&lt;";
    else if (C == '>')
      Result += "&gt;";
    else if (C == '@')
      Result += "&#64;"; // would mention a user
    else if (C == ':' && StringRef(Line).drop_front(I).starts_with("://"))
      Result += "&#58;"; // would become a link
    else if (StringRef("\\`*_{}[]#|~!$").contains(C))
      (Result += '\\') += C;
    else
      Result += C;
  }
  return Result;
}

std::string uriEscaped(StringRef Path) {
  std::string Result;
  for (unsigned char C : Path) {
    if (isAlnum(C) || StringRef("-._~/").contains(C))
      Result += C;
    else
      (Result += '%') += toHex(ArrayRef<uint8_t>(C));
  }
  return Result;
}

} // namespace cudagraph::reports
