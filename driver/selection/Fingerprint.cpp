//===- Fingerprint.cpp - A stable identity of findings --------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fingerprint.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"
#include <algorithm>

using namespace llvm;

namespace cudagraph::driver {
std::string rootOf(StringRef File) {
  for (StringRef Dir = sys::path::parent_path(File); !Dir.empty();
       Dir = sys::path::parent_path(Dir)) {
    SmallString<256> Git(Dir);
    sys::path::append(Git, ".git");
    if (sys::fs::exists(Git))
      return Dir.str();
  }
  SmallString<256> Here;
  if (!sys::fs::current_path(Here) && Here != "/" &&
      File.starts_with((Here + "/").str()))
    return Here.str().str();
  return "";
}

void fingerprint(std::vector<Finding> &Findings, reports::SourceText &Sources) {
  StringMap<std::string> Relative;
  StringMap<unsigned> Ordinals;
  // Added arguments add findings, but do not change any.
  auto OfArguments = [](const Finding &F) {
    return !F.Variants.empty() && !is_contained(F.Variants, "");
  };
  std::vector<Finding *> Order;
  for (bool Late : {false, true})
    for (Finding &F : Findings)
      if (OfArguments(F) == Late)
        Order.push_back(&F);
  for (Finding *Each : Order) {
    Finding &F = *Each;
    auto [Slot, New] = Relative.try_emplace(F.Loc.File);
    if (New) {
      SmallString<256> Path(F.Loc.File);
      (void)sys::fs::make_absolute(Path);
      std::string Root = rootOf(Path);
      Slot->second = Path.str().drop_front(Root.size()).ltrim('/').str();
    }
    std::string Line = Sources.line(F.Loc.File, F.Loc.Line).str();
    llvm::erase_if(Line, isSpace);
    std::string Key = join(ArrayRef<std::string>{F.Check, Slot->second,
                                                 F.Function, F.Callee, Line},
                           StringRef("\0", 1));
    unsigned Ordinal = Ordinals[Key]++;
    Key += '\0' + std::to_string(Ordinal);
    F.Fingerprint = utohexstr(xxh3_64bits(Key), /*LowerCase=*/true, 16);
  }
}

} // namespace cudagraph::driver
