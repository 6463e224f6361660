//===- ForeignArgs.h - Compiler options from untrusted origins --*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A compile database and a project file come with the repository, which the
// user may not trust. Some Clang options write files, load plugins, or run
// programs, so only those listed in ForeignArgs.def reach the parser. The
// options on the command line are the user's own; of those, only build outputs
// are removed.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_TRANSLATION_FOREIGNARGS_H
#define CUDAGRAPH_DRIVER_TRANSLATION_FOREIGNARGS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <set>
#include <string>
#include <vector>

namespace cudagraph::driver {

/// Arguments of Clang's driver that may be passed on, and the names of the
/// options that may not be, in Clang's spelling: "-fplugin=", "-Xclang -load".
struct ForeignArgs {
  std::vector<std::string> Args;
  std::vector<std::string> HeldBack;
};

/// Filters \p Args, the arguments without the program. If \p Input is not
/// empty, it is the only file among them that is kept.
ForeignArgs keepHarmless(llvm::ArrayRef<std::string> Args,
                         llvm::StringRef Input = "");

/// Returns \p Command, program first, without options that name an output,
/// because an analysis must not write files next to the sources.
std::vector<std::string> withoutOutputs(llvm::ArrayRef<std::string> Command);

/// The options of one origin that were withheld in this run.
class HeldBackOptions {
public:
  /// Adds the options of one translation unit.
  void add(llvm::ArrayRef<std::string> Names);

  /// Returns one line about all of them, or an empty string. \p Origin names
  /// their origin; with \p OfUnits, the line contains the number of units.
  std::string notice(llvm::StringRef Origin, bool OfUnits = true) const;

private:
  std::set<std::string> Options;
  size_t Units = 0;
};

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_TRANSLATION_FOREIGNARGS_H
