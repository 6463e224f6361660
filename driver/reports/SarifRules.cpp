//===- SarifRules.cpp - Checks as SARIF rules -----------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SarifRules.h"
#include "CheckPages.h"
#include "Entries.h"
#include "Escape.h"
#include "rules/Analyze.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>

using namespace llvm;

namespace cudagraph::reports {
namespace {

/// GitHub rejects longer descriptions.
constexpr size_t MostOfDescription = 1000;

std::string sentence(StringRef Text) {
  std::string Result = Text.str();
  if (!Result.empty())
    Result.front() = toUpper(Result.front());
  return Text.ends_with(".") ? Result : Result + ".";
}

/// The first paragraph after the heading, on one line, without markup.
std::string firstParagraph(StringRef Page) {
  StringRef Body = Page.split("\n\n").second.ltrim('\n');
  std::string Result = withoutRelativeLinks(Body.take_front(Body.find("\n\n")));
  llvm::erase(Result, '`');
  std::replace(Result.begin(), Result.end(), '\n', ' ');
  return shortened(StringRef(Result).trim().str(), MostOfDescription);
}

/// The first line of a code block may be a note for the tests.
std::string withoutMarkers(StringRef Fence) {
  auto [First, Rest] = Fence.split('\n');
  if (Rest.starts_with("// example:"))
    Rest = Rest.split('\n').second;
  return (First + "\n" + Rest).str();
}

SarifRule ruleOf(const CheckInfo &Check) {
  SarifRule Result;
  Result.Id = Check.Id;
  Result.Name = Check.Class;
  Result.Level = Check.Severity;
  Result.Short = sentence(Check.Summary);
  StringRef Page = checkPage(Check.Id);
  Result.Full = firstParagraph(Page);
  if (Result.Full.empty())
    Result.Full = Result.Short;
  Result.Help = withoutRelativeLinks(Page);
  if (Result.Help.empty())
    Result.Help = Result.Full;
  return Result;
}

SarifRule seenInRun() {
  SarifRule Result;
  Result.Id = SeenInRun;
  Result.Name = "SeenInRun";
  Result.Level = "warning";
  Result.Short = "Calls that broke a capture in a run of the program.";
  Result.Full = "The probe observed that this call broke a capture, and the "
                "analysis does not report the call.";
  Result.Help =
      "# cudagraph-seen-in-run\n\nThe report of cudagraph-probe that "
      "--probe-report names contains this call: CUDA refused it, or its work "
      "was not captured, while a stream captured. The analysis has no finding "
      "at this location: the path to it may lead through code that was not "
      "analyzed.\n\n`cudagraph-tidy explain 900` (or another code that CUDA "
      "returned) describes the error and its remedy.\n";
  return Result;
}

} // namespace

std::string withoutRelativeLinks(StringRef Page) {
  std::string Result;
  bool InFence = false;
  while (!Page.empty()) {
    // Split at code fences, not at lines, because a link may span two lines.
    if (Page.starts_with("```"))
      InFence = !InFence;
    size_t End = Page.find("\n```");
    StringRef Part = Page.take_front(End == StringRef::npos ? End : End + 1);
    Page = Page.drop_front(Part.size());
    if (InFence) {
      Result += withoutMarkers(Part);
      continue;
    }
    // The line that closes the previous code block.
    if (Part.consume_front("```"))
      Result += "```";
    bool InCode = false;
    while (!Part.empty()) {
      if (Part.starts_with("\n\n"))
        InCode = false;
      if (Part.front() == '`')
        InCode = !InCode;
      size_t Close = Part.find("](");
      size_t Line = Part.find("\n\n");
      if (!InCode && Part.front() == '[' && Close != StringRef::npos &&
          Close < Line && !Part.take_front(Close).drop_front().contains('[')) {
        size_t Last = Part.find(')', Close);
        StringRef Target = Part.slice(Close + 2, Last);
        if (Last != StringRef::npos && !Target.contains("://")) {
          Result += Part.slice(1, Close);
          Part = Part.drop_front(Last + 1);
          continue;
        }
      }
      Result += Part.front();
      Part = Part.drop_front();
    }
  }
  return Result;
}

std::vector<SarifRule> sarifRules(const Report &R) {
  std::vector<std::string> Ids = R.Checks;
  for (const Finding &F : R.Findings)
    if (!is_contained(Ids, F.Check))
      Ids.push_back(F.Check);
  std::vector<SarifRule> Result;
  for (const std::string &Id : Ids)
    for (const CheckInfo &Check : allChecks())
      if (Check.Id == Id)
        Result.push_back(ruleOf(Check));
  if (R.InRun && !R.InRun->Others.empty())
    Result.push_back(seenInRun());
  return Result;
}

} // namespace cudagraph::reports
