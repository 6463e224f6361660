//===- Config.h - Settings of one source, from all origins ------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The check options of the plugin in .clang-tidy files also apply to the driver
// and are found and inherited as in clang-tidy. The command line takes
// precedence. All checks share one analysis, so an option that is set for
// several checks applies once: root kinds and catalogue files accumulate, and
// the lowest confidence is used.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_OPTIONS_CONFIG_H
#define CUDAGRAPH_DRIVER_OPTIONS_CONFIG_H

#include "Options.h"
#include "catalogue/Catalogue.h"
#include "rules/Analyze.h"
#include "llvm/Support/Error.h"
#include <map>
#include <memory>
#include <string>

namespace cudagraph::driver {

class Config {
public:
  explicit Config(const Options &Opts);
  ~Config();

  /// Returns the settings for \p File. The catalogue in them lives as long as
  /// this object.
  llvm::Expected<UnitSettings> settingsFor(llvm::StringRef File);

  /// The .clang-tidy files that apply to \p File and their contents, in order
  /// of increasing precedence.
  struct TidyFile {
    std::string Path;
    clang::tidy::ClangTidyOptions Sentence;
  };
  llvm::Expected<std::vector<TidyFile>> tidyFiles(llvm::StringRef File);

  /// Returns the catalogue with \p Files added.
  llvm::Expected<const catalogue::Catalogue *>
  catalogueWith(const std::vector<std::string> &Files);

private:
  const Options &Opts;
  std::string Unreadable; ///< the first error in a .clang-tidy file
  std::unique_ptr<clang::tidy::ClangTidyOptionsProvider> Provider;
  std::map<std::vector<std::string>, std::unique_ptr<catalogue::Catalogue>>
      Catalogues;
};

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_OPTIONS_CONFIG_H
