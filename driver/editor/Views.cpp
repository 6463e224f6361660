//===- Views.cpp - Results of the last analysis of a file -----------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each enabled check reports the unit. Checks with the same options have the
// same results. If the options differ, the view contains the regions of all
// checks. Each check adds the findings that it shows.
//
//===----------------------------------------------------------------------===//

#include "Views.h"
#include "Outcomes.h"
#include "checks/InClangd.h"
#include "clang/AST/ASTContext.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"
#include <tuple>

using namespace llvm;

namespace cudagraph {
namespace driver {

static std::string keyOf(StringRef Path) {
  SmallString<256> Key(Path);
  sys::path::remove_dots(Key, /*remove_dot_dot=*/true);
  return Key.str().str();
}

StringRef UnitView::line(unsigned Number) const {
  StringRef Rest = Text;
  for (; Number > 1 && !Rest.empty(); --Number)
    Rest = Rest.split('\n').second;
  return Rest.split('\n').first.rtrim('\r');
}

unsigned UnitView::lineOf(const Region &G) const {
  if (G.Begin.File == File)
    return G.Begin.Line;
  for (const TimelineEntry &E : G.Timeline)
    if (E.Loc.File == File)
      return E.Loc.Line;
  return 0;
}

Views &Views::all() {
  static Views All;
  return All;
}

void Views::forget(StringRef Path) {
  std::lock_guard<std::mutex> Guard(Lock);
  ByPath.erase(keyOf(Path));
}

void Views::update(StringRef Path, function_ref<void(UnitView &)> Fn) {
  std::lock_guard<std::mutex> Guard(Lock);
  Fn(ByPath[keyOf(Path)]);
}

void Views::read(StringRef Path,
                 function_ref<void(const UnitView &)> Fn) const {
  std::lock_guard<std::mutex> Guard(Lock);
  static const UnitView None;
  auto It = ByPath.find(keyOf(Path));
  Fn(It == ByPath.end() ? None : It->second);
}

/// Adds what the check \p Check found and the regions that are new.
static void add(UnitView &View, const UnitResult &Result, StringRef Check) {
  std::vector<unsigned> Ids = {0};
  for (const Region &G : Result.Regions) {
    auto Same = find_if(View.Regions, [&](const Region &Known) {
      return std::tie(Known.Begin.File, Known.Begin.Line, Known.Begin.Column,
                      Known.Root) ==
             std::tie(G.Begin.File, G.Begin.Line, G.Begin.Column, G.Root);
    });
    if (Same == View.Regions.end()) {
      View.Regions.push_back(G);
      View.Regions.back().Id = View.Regions.size();
      Same = std::prev(View.Regions.end());
    }
    Ids.push_back(Same->Id);
  }
  for (const Finding &F : Result.Findings) {
    if (F.Check != Check)
      continue;
    View.Findings.push_back(F);
    for (unsigned &Id : View.Findings.back().Regions)
      Id = Id < Ids.size() ? Ids[Id] : 0;
  }
}

} // namespace driver

void unitAnalyzed(const clang::ASTContext &Context, const UnitResult &Result,
                  StringRef Check, const catalogue::Catalogue &Known) {
  using namespace driver;
  const clang::SourceManager &SM = Context.getSourceManager();
  auto Main = SM.getFileEntryRefForID(SM.getMainFileID());
  if (!Main)
    return;
  Views::all().update(Main->getName(), [&](UnitView &View) {
    if (View.File.empty()) {
      View.File = Result.MainFile;
      View.Text = SM.getBufferData(SM.getMainFileID()).str();
      View.Calls = knownCalls(Context, Known);
      for (const KnownCall &Call : View.Calls)
        if (const catalogue::Entry *E = Known.lookup(Call.Name))
          if (std::string &Text = View.Outcomes[Call.Name]; Text.empty())
            Text = outcomesInMarkdown(*E);
    }
    add(View, Result, Check);
  });
}

} // namespace cudagraph
