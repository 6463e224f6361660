//===- Unseen.cpp - Descriptions of code that was not compiled ------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Unseen.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace cudagraph::reports {
namespace {

/// The number of conditions that a summary names.
constexpr size_t ShownConditions = 3;

/// "under `#ifdef A`, which this command does not define".
std::string placeOf(const UnseenBranch &Branch, const Coverage &Seen) {
  bool One = Seen.TranslationUnits == 1;
  std::string Result = "under ";
  if (Branch.Otherwise)
    Result += "the #else of ";
  Result += "`" + Branch.Condition + "`, which ";
  switch (Branch.Why) {
  case SkippedBranch::NotDefined:
    return Result +
           (One ? "this command does not define" : "no command here defines");
  case SkippedBranch::Defined:
    return Result + (One ? "this command defines" : "the commands here define");
  case SkippedBranch::False:
    return Result + (Branch.Otherwise ? "is true" : "is false") +
           (One ? " in this command" : " in all commands here");
  }
  return Result;
}

} // namespace

std::string described(const UnseenBranch &Branch, const Coverage &Seen) {
  std::string Result = "'" + Branch.Calls.front() + "'";
  if (Branch.Calls.size() > 1)
    Result += " and " + counted(Branch.Calls.size() - 1, "other function");
  return Result + (Branch.Calls.size() > 1 ? " are" : " is") + " called " +
         placeOf(Branch, Seen) + "; that code was not analyzed";
}

std::vector<std::string> unseenCaptures(const Coverage &Seen) {
  struct Group {
    const UnseenBranch *First;
    unsigned Begins = 0, Ends = 0;
  };
  std::vector<Group> Groups;
  for (const UnseenBranch &Branch : Seen.Unseen) {
    if (!Branch.Begins && !Branch.Ends)
      continue;
    auto It = find_if(Groups, [&](const Group &G) {
      return G.First->Condition == Branch.Condition &&
             G.First->Otherwise == Branch.Otherwise &&
             G.First->Why == Branch.Why;
    });
    if (It == Groups.end())
      It = Groups.insert(It, {&Branch});
    It->Begins += Branch.Begins;
    It->Ends += Branch.Ends;
  }
  // Groups that begin more captures come first. Other groups keep the order of
  // the source, in which the branches are stored.
  sort(Groups, [](const Group &A, const Group &B) {
    return A.Begins != B.Begins ? A.Begins > B.Begins : A.First < B.First;
  });
  std::vector<std::string> Result;
  for (const Group &G : ArrayRef(Groups).take_front(ShownConditions)) {
    unsigned Count = G.Begins ? G.Begins : G.Ends;
    std::string Text = counted(Count, "capture") +
                       (G.Begins ? " begin" : " end") +
                       (Count == 1 ? "s " : " ") + placeOf(*G.First, Seen);
    if (G.First->Why == SkippedBranch::NotDefined)
      Text += "; --also-with=-D" + G.First->Macro + " also analyzes that code";
    Result.push_back(std::move(Text));
  }
  if (Groups.size() > ShownConditions)
    Result.push_back(
        "captures begin or end under " +
        counted(Groups.size() - ShownConditions, "other condition") +
        " that are not met; --strict lists them");
  return Result;
}

} // namespace cudagraph::reports
