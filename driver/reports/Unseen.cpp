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

/// Number of conditions that a summary names.
constexpr size_t ShownConditions = 3;

/// "under `#ifdef A`, which this command does not define".
std::string placeOf(const UnseenArm &Arm, const Coverage &Seen) {
  bool One = Seen.TranslationUnits == 1;
  std::string Result = "under ";
  if (Arm.Otherwise)
    Result += "the #else of ";
  Result += "`" + Arm.Condition + "`, which ";
  switch (Arm.Why) {
  case SkippedArm::NotDefined:
    return Result +
           (One ? "this command does not define" : "no command here defines");
  case SkippedArm::Defined:
    return Result + (One ? "this command defines" : "the commands here define");
  case SkippedArm::False:
    return Result + (Arm.Otherwise ? "is true" : "is false") +
           (One ? " in this command" : " in all commands here");
  }
  return Result;
}

} // namespace

std::string described(const UnseenArm &Arm, const Coverage &Seen) {
  std::string Result = "'" + Arm.Calls.front() + "'";
  if (Arm.Calls.size() > 1)
    Result += " and " + counted(Arm.Calls.size() - 1, "other function");
  return Result + (Arm.Calls.size() > 1 ? " are" : " is") + " called " +
         placeOf(Arm, Seen) + "; that code was not analyzed";
}

std::vector<std::string> unseenCaptures(const Coverage &Seen) {
  struct Group {
    const UnseenArm *First;
    unsigned Begins = 0, Ends = 0;
  };
  std::vector<Group> Groups;
  for (const UnseenArm &Arm : Seen.Unseen) {
    if (!Arm.Begins && !Arm.Ends)
      continue;
    auto It = find_if(Groups, [&](const Group &G) {
      return G.First->Condition == Arm.Condition &&
             G.First->Otherwise == Arm.Otherwise && G.First->Why == Arm.Why;
    });
    if (It == Groups.end())
      It = Groups.insert(It, {&Arm});
    It->Begins += Arm.Begins;
    It->Ends += Arm.Ends;
  }
  // Those that begin captures first, in the order of the source, which is that
  // of the branches in memory.
  sort(Groups, [](const Group &A, const Group &B) {
    return A.Begins != B.Begins ? A.Begins > B.Begins : A.First < B.First;
  });
  std::vector<std::string> Result;
  for (const Group &G : ArrayRef(Groups).take_front(ShownConditions)) {
    unsigned Count = G.Begins ? G.Begins : G.Ends;
    std::string Text = counted(Count, "capture") +
                       (G.Begins ? " begin" : " end") +
                       (Count == 1 ? "s " : " ") + placeOf(*G.First, Seen);
    if (G.First->Why == SkippedArm::NotDefined)
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
