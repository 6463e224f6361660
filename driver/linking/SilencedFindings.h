//===- SilencedFindings.h - Findings that only NOLINT hides -----*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_LINKING_SILENCEDFINDINGS_H
#define CUDAGRAPH_DRIVER_LINKING_SILENCEDFINDINGS_H

#include "analysis/findings/Finding.h"
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace cudagraph::driver {

/// The findings that NOLINT comments hide on every path to them.
class SilencedFindings {
public:
  void see(const Finding &F) { All.try_emplace(identity(F), F); }

  /// Returns the findings whose confidence is sufficient and that are not in \p
  /// Shown through another path.
  std::vector<Finding> take(const std::vector<Finding> &Shown,
                            Confidence Least) {
    for (const Finding &F : Shown)
      All.erase(identity(F));
    std::vector<Finding> Result;
    for (auto &[Key, F] : All)
      if (F.Sure >= Least)
        Result.push_back(std::move(F));
    return Result;
  }

private:
  using Identity =
      std::tuple<std::string, unsigned, unsigned, std::string, std::string>;
  static Identity identity(const Finding &F) {
    return {F.Loc.File, F.Loc.Line, F.Loc.Column, F.Check, F.Callee};
  }
  std::map<Identity, Finding> All;
};

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_LINKING_SILENCEDFINDINGS_H
