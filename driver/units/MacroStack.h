//===- MacroStack.h - Macros saved with push_macro --------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A precompiled header does not contain the definitions that `#pragma
// push_macro` has saved. A unit that restores one of them must parse the
// headers itself.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_UNITS_MACROSTACK_H
#define CUDAGRAPH_DRIVER_UNITS_MACROSTACK_H

#include "llvm/ADT/ArrayRef.h"
#include <map>
#include <string>
#include <vector>

namespace clang {
class Preprocessor;
}

namespace cudagraph::driver {

class MacroStack {
public:
  /// Starts to listen to \p PP. \p Lost contains macros that are saved where \p
  /// PP does not find them.
  void attach(clang::Preprocessor &PP, llvm::ArrayRef<std::string> Lost = {});

  /// The macros that are still saved.
  std::vector<std::string> saved() const;
  /// True if a directive was to restore a lost macro.
  bool missesLost() const { return Missed; }
  /// True if the text depends on more than what the headers contain: it names
  /// the unit or the depth of its includes, or marks declarations that follow.
  bool dependsOnUnit() const { return Depends; }

private:
  struct Listener;
  std::map<std::string, unsigned> Saved;
  std::vector<std::string> Lost;
  bool Missed = false, Depends = false;
};

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_UNITS_MACROSTACK_H
