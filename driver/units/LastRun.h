//===- LastRun.h - The results of a project's last run ----------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// If no file of a project has changed since its last run, nothing has to be
// linked: the results of all roots are in the cache under known keys. The other
// data that the report takes from the units is stored next to the keys. Options
// that select findings apply as in any other run.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_UNITS_LASTRUN_H
#define CUDAGRAPH_DRIVER_UNITS_LASTRUN_H

#include "Frontend.h"
#include "analysis/findings/Finding.h"
#include "analysis/ir/Archive.h"
#include "rules/Evaluate.h"
#include <string>
#include <vector>

namespace cudagraph::driver {

/// The walks of a program and their results.
struct KnownWalks {
  std::vector<UnitResult::Walk> Walks;
  std::vector<RootResult> Results; ///< in the same order
};

struct LastRun {
  std::vector<FileUse> Files;     ///< of all units
  std::vector<UnitSummary> Units; ///< without functions
  std::vector<std::string> Skipped;
  KnownWalks Found; ///< Results are stored separately
};

/// Writes a LastRun: first the inputs, then, when they are known, the walks.
class RunWriter {
public:
  /// Leaves \p Units unchanged.
  void begin(std::vector<FileUse> Files, std::vector<UnitSummary> &Units,
             std::vector<std::string> Skipped);
  /// Returns the bytes; empty if there are too many to be read again.
  std::string finish(std::vector<UnitResult::Walk> Walks);

private:
  ArchiveWriter Ar;
};

/// Reads the output of RunWriter.
class RunReader {
public:
  /// \p Bytes must outlive the reader.
  explicit RunReader(llvm::StringRef Bytes) : Ar(Bytes) {}

  /// Reads Files of \p Run; returns false if the bytes are damaged.
  bool files(LastRun &Run);
  /// Reads the rest of \p Run, which is needed only if no file has changed.
  bool rest(LastRun &Run);

private:
  ArchiveReader Ar;
};

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_UNITS_LASTRUN_H
