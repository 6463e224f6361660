//===- PlainUnits.h - Units that no capture has to do with ------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Most units of a large project are plain C++: they reach no header of CUDA.
// Such a unit still matters if it calls what captures, sets what captured code
// reads, or defines what captured code calls. It then spells a name that
// Contact.h lists, and is analysed; and because it brings names of its own, the
// question is asked again until nothing is added. What is left changes no
// finding and is skipped.
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
  /// \p WithNolint: units that hold a NOLINT are needed, too.
  PlainUnits(Cache &Kept, bool WithNolint)
      : Kept(Kept), WithNolint(WithNolint) {}

  /// Adds the unit \p Index, which \p Scan describes, unless its own text says
  /// that it is needed; returns true if it was added.
  bool add(size_t Index, UnitScan Scan);
  /// Removes the units that may have to do with \p Names, and returns them.
  std::vector<size_t> take(const ContactNames &Names);
  /// The units that are left.
  std::vector<size_t> rest() const;

private:
  struct Unit {
    size_t Index;
    std::vector<const FileWords *> Files; ///< the source first
  };
  /// What is looked for, by word.
  struct Wanted;
  const FileWords *wordsOf(const FileUse &File);
  const FileWords *wordsOfMacros(const std::vector<std::string> &Macros);
  Wanted wanted(const ContactNames &Names) const;
  static bool isNeeded(const Unit &U, const Wanted &W);
  static bool joinsTokensTo(const Unit &U, const ContactNames &Names);

  Cache &Kept;
  bool WithNolint;
  std::vector<Unit> Units;
  std::map<uint64_t, FileWords> Known; ///< by the hash of the contents
};

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_UNITS_PLAINUNITS_H
