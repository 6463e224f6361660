//===- Positions.cpp - Positions as the protocol counts them --------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Positions.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include <algorithm>

using namespace llvm;

namespace cudagraph::driver {

/// Returns the bytes of the character at the front of \p Text, which is not
/// empty; each byte that is not UTF-8 counts as a character.
static size_t firstCharacter(StringRef Text) {
  size_t Bytes = getNumBytesForUTF8(static_cast<UTF8>(Text.front()));
  const auto *Begin = reinterpret_cast<const UTF8 *>(Text.data());
  return Bytes <= Text.size() && isLegalUTF8Sequence(Begin, Begin + Bytes)
             ? Bytes
             : 1;
}

static unsigned unitsOfCharacter(size_t Bytes, Encoding E) {
  if (E == Encoding::Utf8)
    return Bytes;
  return E == Encoding::Utf16 && Bytes == 4 ? 2 : 1;
}

Encoding encodingNamed(StringRef Name) {
  if (Name == "utf-8")
    return Encoding::Utf8;
  return Name == "utf-32" ? Encoding::Utf32 : Encoding::Utf16;
}

unsigned unitsIn(StringRef Text, Encoding E) {
  unsigned Units = 0;
  while (!Text.empty()) {
    size_t Bytes = firstCharacter(Text);
    Units += unitsOfCharacter(Bytes, E);
    Text = Text.drop_front(Bytes);
  }
  return Units;
}

size_t bytesOf(StringRef Line, unsigned Units, Encoding E) {
  size_t Result = 0;
  for (unsigned Seen = 0; Seen < Units && Result < Line.size();) {
    size_t Bytes = firstCharacter(Line.drop_front(Result));
    Seen += unitsOfCharacter(Bytes, E);
    Result += Bytes;
  }
  return Result;
}

std::string pathOf(StringRef Uri) {
  if (!Uri.consume_front("file://"))
    return "";
  // The URI may contain the name of this machine here.
  Uri = Uri.drop_front(std::min(Uri.find('/'), Uri.size()));
  std::string Path;
  for (size_t I = 0; I < Uri.size(); ++I) {
    if (Uri[I] == '%' && I + 2 < Uri.size() && isHexDigit(Uri[I + 1]) &&
        isHexDigit(Uri[I + 2])) {
      Path += static_cast<char>(hexFromNibbles(Uri[I + 1], Uri[I + 2]));
      I += 2;
    } else {
      Path += Uri[I];
    }
  }
  return Path;
}

std::string uriOf(StringRef Path) {
  std::string Result = "file://";
  for (char C : Path) {
    if (isAlnum(C) || StringRef("-._~/").contains(C)) {
      Result += C;
    } else {
      Result += '%';
      Result += hexdigit(static_cast<unsigned char>(C) >> 4);
      Result += hexdigit(static_cast<unsigned char>(C) & 15);
    }
  }
  return Result;
}

} // namespace cudagraph::driver
