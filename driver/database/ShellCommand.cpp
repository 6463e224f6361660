//===- ShellCommand.cpp - Command lines and the shell ---------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShellCommand.h"
#include "driver/support/Paths.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace cudagraph::driver {
namespace {

bool isOperator(StringRef Word) {
  return is_contained({"&&", "||", ";", "|", "&"}, Word);
}

/// `A=b` before a command.
bool isAssignment(StringRef Word) {
  size_t Equals = Word.find('=');
  return Equals != StringRef::npos && Equals != 0 && !isDigit(Word.front()) &&
         all_of(Word.take_front(Equals),
                [](char C) { return isAlnum(C) || C == '_'; });
}

/// `>`, `2>`, `>>file`, `2>&1`. \p TakesNext is true if the file is the next
/// word.
bool isRedirection(StringRef Word, bool &TakesNext) {
  TakesNext = false;
  Word = Word.ltrim("0123456789&");
  if (Word == "<") {
    TakesNext = true;
    return true;
  }
  if (!Word.consume_front(">"))
    return false;
  Word.consume_front(">");
  TakesNext = Word.empty();
  return true;
}

void addStep(std::vector<std::string> Words, std::string &Directory,
             std::vector<ShellStep> &Steps) {
  std::vector<std::string> Remaining;
  for (size_t I = 0; I < Words.size(); ++I) {
    bool TakesNext = false;
    if (isRedirection(Words[I], TakesNext))
      I += TakesNext;
    else if (!Remaining.empty() || !isAssignment(Words[I]))
      Remaining.push_back(std::move(Words[I]));
  }
  if (Remaining.empty() || Remaining.front() == ":" ||
      Remaining.front() == "true")
    return;
  if (Remaining.front() == "cd") {
    if (Remaining.size() > 1)
      Directory = absolutePath(Remaining.back(), Directory);
    return;
  }
  Steps.push_back({Directory, std::move(Remaining)});
}

} // namespace

std::vector<ShellStep> splitShellCommand(ArrayRef<std::string> Words,
                                         StringRef Directory) {
  std::vector<ShellStep> Steps;
  std::string Here = Directory.str();
  std::vector<std::string> Current;
  bool Grouped = false; // in ( )
  auto Flush = [&] {
    if (Grouped && !Current.empty() && StringRef(Current.back()).ends_with(")"))
      Current.back().pop_back();
    llvm::erase(Current, std::string());
    addStep(std::move(Current), Here, Steps);
    Current.clear();
  };
  for (StringRef Word : Words) {
    if (isOperator(Word)) {
      Flush();
      continue;
    }
    if (Current.empty() && Word.consume_front("("))
      Grouped = true;
    // A trailing semicolon ends a command after cd, as in `cd x; nvcc`.
    // Elsewhere, it may be part of the word.
    bool Ends =
        !Current.empty() && Current.front() == "cd" && Word.consume_back(";");
    Current.push_back(Word.str());
    if (Ends)
      Flush();
  }
  Flush();
  return Steps;
}

std::string quoteForShell(ArrayRef<std::string> Args) {
  std::string Result;
  for (StringRef Arg : Args) {
    if (!Result.empty())
      Result += ' ';
    if (!Arg.empty() && all_of(Arg, [](char C) {
          return isAlnum(C) || StringRef("-_=+/.,:@%^").contains(C);
        })) {
      Result += Arg;
      continue;
    }
    Result += '\'';
    for (char C : Arg)
      if (C == '\'')
        Result += "'\\''";
      else
        Result += C;
    Result += '\'';
  }
  return Result;
}

} // namespace cudagraph::driver
