//===- Tidy.cpp - The checks that run in the editor -----------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// clangd runs the checks that .clang-tidy and .clangd enable and that its list
// of measured checks rates as fast. That list does not contain these checks.
// They are enabled unless the configuration disables them and count as fast.
//
//===----------------------------------------------------------------------===//

#include "Clangd.h"
#include "ProjectSettings.h"
#include "Views.h"
#include "clang-tidy/ClangTidyOptions.h"
#include "driver/support/InputBuffer.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Errc.h"
#include "llvm/Support/SourceMgr.h"
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

CUDAGRAPH_WRAP(ErrorOr<clang::tidy::ClangTidyOptions>, ParseConfiguration,
               "_ZN5clang4tidy27parseConfigurationWithDiagsEN4llvm15"
               "MemoryBufferRefENS1_12function_refIFvRKNS1_12SMDiagnosticEEEE",
               (MemoryBufferRef File, clang::tidy::DiagCallback Say))

/// A .clang-tidy file that would overflow the stack is treated as an error.
ErrorOr<clang::tidy::ClangTidyOptions>
wrapParseConfiguration(MemoryBufferRef File, clang::tidy::DiagCallback Say) {
  std::string Why = checkYaml(File.getBuffer());
  if (Why.empty())
    return realParseConfiguration(File, Say);
  Say(SMDiagnostic(File.getBufferIdentifier(), SourceMgr::DK_Error, Why));
  return make_error_code(errc::invalid_argument);
}

std::optional<bool> wrapIsFastCheck(StringRef Check) {
  if (Check.starts_with("cudagraph-"))
    return true;
  return realIsFastCheck(Check);
}

/// Adds this project's checks to \p Checks, a list of globs in which later ones
/// take precedence, as if they had been enabled first. Globs that name them
/// apply.
/// "-*" followed by other checks does not disable them, unless the list enables
/// some of them.
static std::string withOurs(StringRef Checks) {
  SmallVector<StringRef, 32> Globs;
  Checks.split(Globs, ',');
  size_t At = 0; // after the last "-*"
  bool Any = true;
  for (size_t I = 0; I < Globs.size(); ++I) {
    StringRef Glob = Globs[I].trim();
    bool Off = Glob.consume_front("-");
    if (Off && Glob == "*") {
      At = I + 1;
      Any = false;
    } else if (!Off && !Glob.empty()) {
      Any = true;
      if (Glob.contains("cudagraph"))
        return Checks.str();
    }
  }
  if (!Any) // a directory that disables all checks
    return Checks.str();
  Globs.insert(Globs.begin() + At, "cudagraph-*");
  return join(Globs, ",");
}

clang::tidy::ClangTidyOptions wrapTidyOptions(TidyProvider Provider,
                                              StringRef File) {
  clang::tidy::ClangTidyOptions Options = realTidyOptions(Provider, File);
  Options.Checks = withOurs(Options.Checks.value_or(""));
  applyProjectSettings(File, Options);
  // The tree will be built again, and disabled checks will not update the view.
  Views::all().forget(File);
  return Options;
}

} // namespace cudagraph::driver
