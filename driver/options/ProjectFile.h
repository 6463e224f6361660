//===- ProjectFile.h - .cudagraph-tidy.yaml ---------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the settings of a project for the driver, in addition to .clang-tidy,
// which applies to both hosts. Each key stands for an option of the command
// line, which takes precedence; a value is valid in the file if and only if it
// is valid there. As with .clang-tidy, the nearest file above the first source
// applies, and with InheritParentConfig also those above it. The file comes
// with the project, so it has fewer rights than the command line: its outputs
// must be in its directory, and the compiler options that it adds are harmless.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_OPTIONS_PROJECTFILE_H
#define CUDAGRAPH_DRIVER_OPTIONS_PROJECTFILE_H

#include "Options.h"
#include "driver/translation/ForeignArgs.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace cudagraph::driver {

class ProjectFile {
public:
  static constexpr llvm::StringRef Name = ".cudagraph-tidy.yaml";

  /// Reads the files that apply to a run with \p CommandLine. It is not an
  /// error if there is none; any error in a file is reported with file, line,
  /// and remedy.
  static llvm::Expected<ProjectFile> find(const Options &CommandLine);

  /// Returns the options in the files that \p CommandLine does not set, to be
  /// parsed before it.
  std::vector<std::string> arguments(const Options &CommandLine) const;

  /// Checks that the files do not cause a run with \p CommandLine to write
  /// outside the directories of the files.
  llvm::Error checkOutputs(const Options &CommandLine) const;

  /// Returns one line about compiler options in the files that are not passed
  /// on (ForeignArgs.h), or an empty string.
  std::string heldBack() const { return HeldBack.notice(Name, false); }

  /// The files that were read, the nearest first.
  const std::vector<std::string> &files() const { return Files; }

  /// Returns the file that sets \p Key, or an empty string.
  llvm::StringRef originOf(llvm::StringRef Key) const;

private:
  struct Entry {
    std::string Key, File, Place;       ///< file:line:column of the key
    std::vector<std::string> Arguments; ///< "--roots=stream-param"
  };
  std::vector<Entry> Entries; ///< values that accumulate are in this order
  std::vector<std::string> Files;
  HeldBackOptions HeldBack;

  /// Reads one file and adds its settings; returns whether the parent file also
  /// applies.
  llvm::Expected<bool> read(const std::string &File, std::vector<Entry> &Into);
};

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_OPTIONS_PROJECTFILE_H
