//===- UnseenCode.h - Code that no command of a run compiles ----*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each unit lists the code that it skipped because of a false #if. Code that
// another unit compiles does not count. The catalogue determines which of the
// remaining code matters to a capture.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_LINKING_UNSEENCODE_H
#define CUDAGRAPH_DRIVER_LINKING_UNSEENCODE_H

#include "analysis/ir/Summary.h"
#include "catalogue/Catalogue.h"
#include "driver/reports/Report.h"
#include "llvm/ADT/StringMap.h"
#include <map>

namespace cudagraph::driver {

class UnseenCode {
public:
  /// Adds the code that \p Unit skipped and the code that it compiled. \p Known
  /// determines the names that matter.
  void add(const UnitSummary &Unit, const catalogue::Catalogue &Known);

  /// Returns the code that all units skip, by file and line.
  std::vector<reports::UnseenBranch> take() const;

private:
  struct Seen {
    unsigned Units = 0; ///< the units that read the file
    /// The skipped line ranges and the number of units that skip each.
    std::map<std::pair<unsigned, unsigned>, unsigned> Skipped;
    std::map<std::pair<unsigned, unsigned>, reports::UnseenBranch> Matters;
  };
  llvm::StringMap<Seen> Files;
};

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_LINKING_UNSEENCODE_H
