//===- Cache.h - What earlier runs have found -------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Results in files whose names are hashes of all that they depend on: of this
// program, of the compiler's arguments, of the source and the headers that were
// really included, and of names that were looked up in vain. Nothing in it is
// ever wrong, only unused, so that runs may share it and anybody may delete it.
// A cache that cannot be written costs time, never a result.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_UNITS_CACHE_H
#define CUDAGRAPH_DRIVER_UNITS_CACHE_H

#include "Frontend.h"
#include "IncludeScan.h"
#include "WordScan.h"
#include "rules/Evaluate.h"
#include "llvm/ADT/StringMap.h"
#include <optional>
#include <string>
#include <vector>

namespace cudagraph::driver {

class Cache : public RootStore {
public:
  /// \p Directory may be empty: then nothing is ever found or kept. \p Program
  /// is the path of this executable.
  Cache(std::string Directory, const std::string &Program);

  /// The directory that is used by default: $XDG_CACHE_HOME/cudagraph-tidy, or
  /// ~/.cache/cudagraph-tidy; empty if there is no home.
  static std::string defaultDirectory();

  bool enabled() const { return !Directory.empty(); }

  /// Names the unit that \p Args compile in \p Directory.
  uint64_t unitKey(const std::vector<std::string> &Args,
                   const std::string &Directory) const;
  /// The summary of unit \p Key, with the errors of its source, if none of the
  /// files it was made from differs and no name it looked up in vain exists;
  /// these go to \p Files.
  std::optional<UnitSummary> loadUnit(uint64_t Key,
                                      std::vector<FileUse> &Files);
  /// Keeps \p Unit, unless the analysis of it failed: a crash, a timeout or a
  /// lack of memory may not happen the next time.
  void storeUnit(uint64_t Key, const ParsedUnit &Unit);

  /// The scan of unit \p Key, if it would see the same files again.
  std::optional<UnitScan> loadScan(uint64_t Key);
  void storeScan(uint64_t Key, const UnitScan &Scan);
  /// The names in a file whose contents have the hash \p Contents.
  std::optional<FileWords> loadWords(uint64_t Contents);
  void storeWords(uint64_t Contents, const FileWords &Words);

  std::optional<RootResult> load(uint64_t Key) override;
  void store(uint64_t Key, const RootResult &Result) override;

  /// How many roots were asked for, and how many were found.
  unsigned rootsAsked() const { return Asked; }
  unsigned rootsFound() const { return Found; }

  /// Keeps the cache's size within bounds; does nothing if that was done not
  /// long ago.
  void prune() const;
  /// Why something could not be kept, once; else empty.
  std::string takeProblem() { return std::exchange(Problem, {}); }
  /// What is wrong with entries that were found and not used, one line each.
  std::vector<std::string> takeDamage() { return std::exchange(Damage, {}); }

private:
  std::optional<std::string> read(llvm::StringRef Kind, uint64_t Key);
  void noteDamage(llvm::StringRef Kind, uint64_t Key, llvm::StringRef Why);
  void write(llvm::StringRef Kind, uint64_t Key, llvm::StringRef Bytes);
  std::string pathOf(llvm::StringRef Kind, uint64_t Key) const;
  uint64_t hashOf(llvm::StringRef Path);
  bool holds(const FileUse &F);

  std::string Directory, Problem;
  uint64_t Tool = 0; ///< hash of this program
  bool Broken = false;
  std::vector<std::string> Damage;
  unsigned Asked = 0, Found = 0;
  llvm::StringMap<uint64_t> Hashes; ///< of files, in this run
};

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_UNITS_CACHE_H
