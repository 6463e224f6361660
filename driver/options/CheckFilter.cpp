//===- CheckFilter.cpp - The checks that --checks enables -----------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckFilter.h"
#include "clang-tidy/GlobList.h"
#include "driver/support/Errors.h"
#include "rules/Analyze.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace llvm;

namespace cudagraph::driver {

StringRef nearestCheck(StringRef Name) {
  return llvm::min_element(allChecks(),
                           [&](const CheckInfo &A, const CheckInfo &B) {
                             return Name.edit_distance(A.Id) <
                                    Name.edit_distance(B.Id);
                           })
      ->Id;
}

CheckFilter::CheckFilter() {
  for (const CheckInfo &Check : allChecks())
    Enabled.insert(Check.Id);
}

Expected<CheckFilter> CheckFilter::parse(StringRef Globs) {
  SmallVector<StringRef> Items;
  bool OnlyExcludes = true;
  // As in clang-tidy, a line break is also a separator.
  std::string Text = Globs.str();
  std::replace(Text.begin(), Text.end(), '\n', ',');
  StringRef(Text).split(Items, ',', -1, /*KeepEmpty=*/false);
  for (StringRef &Item : Items) {
    Item = Item.trim();
    StringRef Glob = Item;
    OnlyExcludes &= Glob.consume_front("-");
    clang::tidy::GlobList Alone(Glob);
    if (none_of(allChecks(), [&](const CheckInfo &Check) {
          return Alone.contains(Check.Id);
        })) {
      return makeError("no check matches '" + Glob +
                       "' in --checks; did you mean '" + nearestCheck(Glob) +
                       "'? 'cudagraph-tidy list-checks' lists them");
    }
  }
  clang::tidy::GlobList List((OnlyExcludes ? "*," : "") + Text);
  CheckFilter Result;
  for (const CheckInfo &Check : allChecks())
    if (!List.contains(Check.Id))
      Result.Enabled.erase(Check.Id);
  if (Result.Enabled.empty())
    return makeError("--checks=" + Globs + " enables no check");
  return Result;
}

std::vector<std::string> CheckFilter::list() const {
  std::vector<std::string> Result;
  for (const auto &Check : Enabled)
    Result.push_back(Check.getKey().str());
  sort(Result);
  return Result;
}

} // namespace cudagraph::driver
