//===- Views.h - Results of the last analysis of a file ---------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// clangd analyzes each file on a separate thread, whenever it builds the syntax
// tree, and answers requests with that tree. Between the analysis and a
// request, Views stores the data as plain values, which outlive the tree.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_EDITOR_VIEWS_H
#define CUDAGRAPH_DRIVER_EDITOR_VIEWS_H

#include "CallIndex.h"
#include "analysis/findings/Finding.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace cudagraph::driver {

struct UnitView {
  std::string File;            ///< as Location::File spells it
  std::string Text;            ///< of the file, as the editor had it
  std::vector<Region> Regions; ///< Id is the index plus one
  std::vector<Finding> Findings;
  std::vector<KnownCall> Calls;
  /// For each function in Calls, its outcomes in a capture, as Markdown.
  std::map<std::string, std::string> Outcomes;

  /// Returns line \p Number, 1-based, without its line break.
  llvm::StringRef line(unsigned Number) const;
  /// Returns the line at which \p G is shown: where it begins, or else the
  /// first line of this file that is part of it; 0 if there is none.
  unsigned lineOf(const Region &G) const;
};

/// The views of all open files, by path.
class Views {
public:
  /// The only instance in this process; checks cannot reach it otherwise.
  static Views &all();

  void forget(llvm::StringRef Path);
  void update(llvm::StringRef Path, llvm::function_ref<void(UnitView &)> Fn);
  /// Calls \p Fn with the view of \p Path, which is empty if there is none.
  void read(llvm::StringRef Path,
            llvm::function_ref<void(const UnitView &)> Fn) const;

private:
  mutable std::mutex Lock;
  llvm::StringMap<UnitView> ByPath;
};

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_EDITOR_VIEWS_H
