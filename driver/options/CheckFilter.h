//===- CheckFilter.h - The checks that --checks enables ---------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// clang-tidy's globs, with two differences that prevent silent mistakes: a glob
// that matches no check is an error, as is a list that enables no check.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_OPTIONS_CHECKFILTER_H
#define CUDAGRAPH_DRIVER_OPTIONS_CHECKFILTER_H

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace cudagraph::driver {

/// The check whose name is closest to \p Name.
llvm::StringRef nearestCheck(llvm::StringRef Name);

class CheckFilter {
public:
  /// Enables every check.
  CheckFilter();

  /// Parses a value of --checks. A list of exclusions starts with all checks;
  /// any other list starts with none.
  static llvm::Expected<CheckFilter> parse(llvm::StringRef Globs);

  bool enabled(llvm::StringRef Check) const { return Enabled.contains(Check); }
  /// The enabled checks, sorted.
  std::vector<std::string> list() const;

private:
  llvm::StringSet<> Enabled;
};

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_OPTIONS_CHECKFILTER_H
