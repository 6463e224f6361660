//===- Cache.h - The cache of earlier results -------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stores results in files whose names are hashes of everything that the results
// depend on: this program, the compiler arguments, the source and the headers
// that were actually included, and names that were not found. An entry is never
// wrong, only unused, so runs may share the cache, and it may be deleted at any
// time. A cache that cannot be written costs only time.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_UNITS_CACHE_H
#define CUDAGRAPH_DRIVER_UNITS_CACHE_H

#include "Frontend.h"
#include "IncludeScan.h"
#include "LastRun.h"
#include "Preamble.h"
#include "WordScan.h"
#include "rules/Evaluate.h"
#include "llvm/ADT/StringMap.h"
#include <optional>
#include <string>
#include <vector>

namespace cudagraph::driver {

class Cache : public RootStore {
public:
  /// If \p Directory is empty, the cache is disabled. \p Program is the path of
  /// this executable.
  Cache(std::string Directory, const std::string &Program);

  /// The default directory: $XDG_CACHE_HOME/cudagraph-tidy, or
  /// ~/.cache/cudagraph-tidy; empty if there is no home directory.
  static std::string defaultDirectory();

  bool enabled() const { return !Directory.empty(); }
  /// True if results can be stored.
  bool writable() const;

  /// Returns the key of the unit that \p Args compiles in \p Directory.
  uint64_t unitKey(const std::vector<std::string> &Args,
                   const std::string &Directory) const;
  /// The summary of unit \p Key, with the errors of its source, if no input
  /// file has changed and no name that was not found exists now. The files and
  /// names go to \p Files, and the functions of other units to \p Checked.
  std::optional<UnitSummary> loadUnit(uint64_t Key, std::vector<FileUse> &Files,
                                      CheckedFunctions &Checked);
  /// The number of different states of its files in which unit \p Key was
  /// parsed; only a limited number of states is kept.
  size_t timesParsed(uint64_t Key);
  /// The seconds that the last parse of unit \p Key took; 0 if unknown.
  double lastTime(uint64_t Key);
  /// Stores \p Unit, unless its analysis failed, because a crash, a timeout, or
  /// a lack of memory may not happen again.
  void storeUnit(uint64_t Key, const ParsedUnit &Unit);

  /// The scan of unit \p Key, if it would read the same files again.
  std::optional<UnitScan> loadScan(uint64_t Key);
  void storeScan(uint64_t Key, const UnitScan &Scan);
  /// The names in a file whose contents have the hash \p Contents.
  std::optional<FileWords> loadWords(uint64_t Contents);
  void storeWords(uint64_t Contents, const FileWords &Words);

  /// The preamble \p Key, if it would read the same files again.
  std::optional<Preamble> loadPreamble(uint64_t Key);
  /// Stores \p P, whose precompiled header has been written; returns true on
  /// success.
  bool storePreamble(uint64_t Key, const Preamble &P);
  /// The file of the precompiled header of \p P.
  std::string precompiledPath(uint64_t Key, const Preamble &P) const;
  /// Records that this file is damaged.
  void noteBadPreamble(uint64_t Key);

  std::optional<RootResult> load(uint64_t Key) override;
  void store(uint64_t Key, const RootResult &Result) override;

  /// Records that a worker has read \p Files.
  void noteFiles(llvm::ArrayRef<FileUse> Files);
  /// Returns the last run under \p Key if it would read the same files again
  /// and all of its results are stored.
  std::optional<LastRun> loadRun(uint64_t Key);
  /// Prepares to store a run whose inputs are \p Units and the files of all
  /// units that were loaded or noted.
  void beginRun(uint64_t Key, std::vector<UnitSummary> &Units,
                std::vector<std::string> Skipped);
  /// Stores that run, if there is one. The results of \p Walks must be stored
  /// already.
  void endRun(std::vector<UnitResult::Walk> Walks);

  /// The number of roots that were requested and the number found.
  unsigned rootsAsked() const { return Asked; }
  unsigned rootsFound() const { return Found; }

  /// Limits the size of the cache; does nothing if this was done recently.
  void prune() const;
  /// Returns the reason why a result could not be stored, or nothing if there
  /// is none or it was already returned.
  std::string takeProblem() { return std::exchange(Problem, {}); }
  /// The defects of entries that were found but not used, one line each.
  std::vector<std::string> takeDamage() { return std::exchange(Damage, {}); }

private:
  std::optional<std::string> read(llvm::StringRef Kind, uint64_t Key);
  void noteDamage(llvm::StringRef Kind, uint64_t Key, llvm::StringRef Why);
  void write(llvm::StringRef Kind, uint64_t Key, llvm::StringRef Bytes);
  std::string pathOf(llvm::StringRef Kind, uint64_t Key) const;
  std::optional<RootResult> readRoot(uint64_t Key);
  uint64_t hashOf(llvm::StringRef Path);
  bool holds(const FileUse &F);

  std::string Directory, Problem;
  uint64_t Tool = 0; ///< hash of this program
  bool Broken = false;
  std::vector<std::string> Damage;
  unsigned Asked = 0, Found = 0;
  /// The hashes of the files of units in this run and whether names exist.
  llvm::StringMap<uint64_t> Hashes;
  llvm::StringMap<bool> Exist;
  bool FilesChanged = false; ///< during this run
  std::optional<uint64_t> RunKey;
  RunWriter Run;
};

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_UNITS_CACHE_H
