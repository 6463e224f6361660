//===- PlainUnits.h - Units that cannot affect a capture --------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Most units of a large project are plain C++: they do not include CUDA
// headers. Such a unit still matters if it calls code that captures, sets
// values that captured code reads, or defines functions that captured code
// calls. It then contains a name that Contact.h lists and is analyzed. Its own
// names are added, and the search is repeated until nothing changes. The
// remaining units cannot change a finding and are skipped.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_UNITS_PLAINUNITS_H
#define CUDAGRAPH_DRIVER_UNITS_PLAINUNITS_H

#include "Cache.h"
#include "IncludeScan.h"
#include "WordScan.h"
#include "analysis/program/Contact.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SparseBitVector.h"
#include <map>
#include <vector>

namespace cudagraph::driver {

class PlainUnits {
public:
  /// If \p WithNolint is true, units that contain a NOLINT are also needed.
  PlainUnits(Cache &Cached, bool WithNolint)
      : Cached(Cached), WithNolint(WithNolint) {}

  /// Adds the unit \p Index, which \p Scan describes, unless its own text shows
  /// that it is needed; returns true if it was added.
  bool add(size_t Index, UnitScan Scan);
  /// Removes the units that may refer to \p Names and returns them.
  std::vector<size_t> take(const ContactNames &Names);
  /// The remaining units.
  std::vector<size_t> rest() const;

private:
  struct Unit {
    size_t Index;
    std::vector<const FileWords *> Files; ///< the source first
  };
  /// The index of the search, by word.
  struct Wanted;
  const FileWords *wordsOf(const FileUse &File);
  const FileWords *wordsOfMacros(const std::vector<std::string> &Macros);
  Wanted wanted(const ContactNames &Names) const;
  static bool isNeeded(const Unit &U, const Wanted &W);
  static bool joinsTokensTo(const Unit &U, const ContactNames &Names);

  Cache &Cached;
  bool WithNolint;
  std::vector<Unit> Units;
  std::map<uint64_t, FileWords> Known; ///< by the hash of the contents
};

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_UNITS_PLAINUNITS_H
