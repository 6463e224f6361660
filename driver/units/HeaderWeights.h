//===- HeaderWeights.h - The sizes of headers -------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Estimates the work of parsing headers by the size of all files that they may
// include, under any conditional. The estimate affects only the choice of what
// is shared. Headers of the compiler, which the command does not name, have a
// fixed size.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_UNITS_HEADERWEIGHTS_H
#define CUDAGRAPH_DRIVER_UNITS_HEADERWEIGHTS_H

#include "LeadingParts.h"
#include "llvm/ADT/StringMap.h"
#include <cstdint>

namespace cudagraph::driver {

class HeaderWeights {
public:
  /// The weights of \p Parts, the parts of one unit, in the same order. Each
  /// weight is at least 1, and none is less than the one before it.
  std::vector<uint64_t> of(const std::vector<LeadingPart> &Parts,
                           const std::vector<std::string> &Args,
                           const std::string &Directory);

private:
  struct File {
    bool Exists = false;
    uint64_t Size = 0;
    std::vector<std::string> Includes; ///< with their delimiters
  };
  const File &read(const std::string &Path);
  llvm::StringMap<File> Files; ///< by absolute path
};

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_UNITS_HEADERWEIGHTS_H
