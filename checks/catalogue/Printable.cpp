//===- Printable.cpp - Makes foreign text printable -----------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Printable.h"

namespace cudagraph {
namespace {

/// The first character of UTF-8 text; Length is 0 if it is not valid UTF-8.
struct Character {
  char32_t Code = 0;
  size_t Length = 0;
};

Character firstOf(std::string_view Text) {
  auto Byte = [&](size_t I) { return static_cast<unsigned char>(Text[I]); };
  if (Byte(0) < 0x80)
    return {Byte(0), 1};
  size_t Length = Byte(0) >= 0xF0 ? 4 : Byte(0) >= 0xE0 ? 3 : 2;
  if (Byte(0) < 0xC2 || Byte(0) > 0xF4 || Text.size() < Length)
    return {};
  char32_t Code = Byte(0) & (0x7F >> Length);
  for (size_t I = 1; I < Length; ++I) {
    if ((Byte(I) & 0xC0) != 0x80)
      return {};
    Code = Code << 6 | (Byte(I) & 0x3F);
  }
  // An overlong encoding, half of a surrogate pair, or a code point beyond
  // Unicode.
  constexpr char32_t Least[] = {0, 0, 0x80, 0x800, 0x10000};
  if (Code < Least[Length] || Code > 0x10FFFF ||
      (Code >= 0xD800 && Code <= 0xDFFF))
    return {};
  return {Code, Length};
}

/// Control characters, line breaks, bidirectional controls, and zero-width
/// characters.
bool isHidden(char32_t Code) {
  struct Range {
    char32_t First, Last;
  };
  constexpr Range Hidden[] = {
      {0x0000, 0x001F},   {0x007F, 0x009F},   {0x00AD, 0x00AD},
      {0x034F, 0x034F},   {0x061C, 0x061C},   {0x115F, 0x1160},
      {0x17B4, 0x17B5},   {0x180B, 0x180E},   {0x200B, 0x200F},
      {0x2028, 0x202E},   {0x2060, 0x206F},   {0x3164, 0x3164},
      {0xFE00, 0xFE0F},   {0xFEFF, 0xFEFF},   {0xFFA0, 0xFFA0},
      {0xFFF0, 0xFFFB},   {0xFFFE, 0xFFFF},   {0x1BCA0, 0x1BCA3},
      {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF},
  };
  for (Range R : Hidden)
    if (Code >= R.First && Code <= R.Last)
      return true;
  return false;
}

std::string escape(char Kind, char32_t Code, unsigned Digits) {
  std::string Result = {'\\', Kind};
  for (unsigned I = Digits; I-- > 0;)
    Result += "0123456789abcdef"[Code >> 4 * I & 0xF];
  return Result;
}

std::string escaped(char32_t Code) {
  switch (Code) {
  case '\n':
    return "\\n";
  case '\r':
    return "\\r";
  case '\t':
    return "\\t";
  }
  return Code < 0x80      ? escape('x', Code, 2)
         : Code < 0x10000 ? escape('u', Code, 4)
                          : escape('U', Code, 8);
}

} // namespace

bool opensCommand(std::string_view Before) {
  while (!Before.empty() && Before.back() >= 'a' && Before.back() <= 'z')
    Before.remove_suffix(1);
  return Before.ends_with("##");
}

std::string printable(std::string_view Text) {
  std::string Result;
  size_t Start = Text.find_first_not_of(' ');
  for (size_t I = 0; I < Text.size();) {
    Character C = firstOf(Text.substr(I));
    if (C.Length == 0) {
      Result += escape('x', static_cast<unsigned char>(Text[I++]), 2);
      continue;
    }
    bool Command = (I == Start && Text.substr(I).starts_with("::")) ||
                   (C.Code == '[' && opensCommand(Result));
    if (Command || isHidden(C.Code))
      Result += escaped(C.Code);
    else
      Result += Text.substr(I, C.Length);
    I += C.Length;
  }
  return Result;
}

} // namespace cudagraph
