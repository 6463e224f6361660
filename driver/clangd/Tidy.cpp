//===- Tidy.cpp - Which checks run in the editor --------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// clangd runs the checks that .clang-tidy and .clangd name and that it has
// measured to be fast. Ours it does not know. Whoever starts this program wants
// them, so they are on unless the configuration speaks of them, and fast.
//
//===----------------------------------------------------------------------===//

#include "Clangd.h"
#include "clang-tidy/ClangTidyOptions.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

using namespace llvm;

namespace cudagraph::driver {

using TidyProvider =
    function_ref<void(clang::tidy::ClangTidyOptions &, StringRef)>;

CUDAGRAPH_WRAP(std::optional<bool>, IsFastCheck,
               "_ZN5clang6clangd15isFastTidyCheckEN4llvm9StringRefE",
               (StringRef Check))
CUDAGRAPH_WRAP(clang::tidy::ClangTidyOptions, TidyOptions,
               "_ZN5clang6clangd21getTidyOptionsForFileEN4llvm12function_"
               "refIFvRNS_4tidy16ClangTidyOptionsENS1_9StringRefEEEES6_",
               (TidyProvider Provider, StringRef File))

std::optional<bool> wrapIsFastCheck(StringRef Check) {
  if (Check.starts_with("cudagraph-"))
    return true;
  return realIsFastCheck(Check);
}

/// True if \p Checks, a list of globs, says what is to be done with ours: it
/// names them, or it ends with "none at all".
static bool speaksOfOurs(StringRef Checks) {
  SmallVector<StringRef, 32> Globs;
  Checks.split(Globs, ',');
  bool Any = true;
  for (StringRef Glob : Globs) {
    Glob = Glob.trim();
    bool Off = Glob.consume_front("-");
    if (Glob.contains("cudagraph"))
      return true;
    if (Off && Glob == "*")
      Any = false;
    else if (!Off && !Glob.empty())
      Any = true;
  }
  return !Any;
}

clang::tidy::ClangTidyOptions wrapTidyOptions(TidyProvider Provider,
                                              StringRef File) {
  clang::tidy::ClangTidyOptions Options = realTidyOptions(Provider, File);
  std::string Checks = Options.Checks.value_or("");
  if (!speaksOfOurs(Checks))
    Options.Checks = Checks + (Checks.empty() ? "" : ",") + "cudagraph-*";
  return Options;
}

} // namespace cudagraph::driver
