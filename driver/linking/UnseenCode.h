//===- UnseenCode.h - What no command of a run compiles ---------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A unit says which code under a false #if it has not seen. What another unit
// has seen counts as seen; of the rest, the catalogue says what matters to a
// capture.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_LINKING_UNSEENCODE_H
#define CUDAGRAPH_DRIVER_LINKING_UNSEENCODE_H

#include "analysis/ir/Summary.h"
#include "catalogue/Catalogue.h"
#include "driver/reports/Report.h"
#include <map>
#include <set>

namespace cudagraph::driver {

class UnseenCode {
public:
  /// Adds what \p Unit did not see, and what it did. \p Known says which names
  /// matter.
  void add(const UnitSummary &Unit, const catalogue::Catalogue &Known);

  /// What none of them has seen, by file and line.
  std::vector<reports::UnseenArm> take() const;

private:
  struct Seen {
    unsigned Units = 0; ///< that read the file
    /// What each of them skips, by lines.
    std::map<std::pair<unsigned, unsigned>, unsigned> Skipped;
    std::map<std::pair<unsigned, unsigned>, reports::UnseenArm> Matters;
  };
  std::map<std::string, Seen> Files;
};

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_LINKING_UNSEENCODE_H
