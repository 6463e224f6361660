//===- Preambles.h - The shared includes of a run ---------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decides which units share which leading includes. A preamble of an earlier
// run is used if it would read the same files again. A new one is built if so
// many units need it that the run does not become slower, or if a unit is
// edited repeatedly. Preambles are stored in the cache, or in temporary files
// for one run.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_UNITS_PREAMBLES_H
#define CUDAGRAPH_DRIVER_UNITS_PREAMBLES_H

#include "Cache.h"
#include "LeadingParts.h"
#include "Preamble.h"
#include "llvm/ADT/StringMap.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cudagraph::driver {

class Preambles {
public:
  /// A unit that is to be parsed.
  struct Unit {
    const std::vector<std::string> &Args;
    const std::string &File, &Directory, &Project;
    const catalogue::Catalogue &Known;
    uint64_t Key; ///< in the cache
  };

  explicit Preambles(Cache &Cached) : Cached(Cached) {}
  ~Preambles();

  /// Finds the preambles of \p Units, and determines which of them are worth
  /// building if \p Jobs units are parsed at a time.
  void plan(llvm::ArrayRef<Unit> Units, unsigned Jobs);

  /// The number of preambles to build.
  size_t toBuild() const { return Builds.size(); }
  /// Builds one of these preambles, in a worker process, and stores it; returns
  /// a message for built().
  std::string build(size_t Task) const;
  /// \p Message is empty if the build failed.
  void built(size_t Task, llvm::StringRef Message);

  /// True if the unit \p Index needs a preamble that is not built yet.
  bool waits(size_t Index) const;
  /// The preamble of the unit \p Index of plan().
  std::optional<PreambleUse> of(size_t Index) const;

  /// The number of units with a preamble and of preambles that were built.
  size_t users() const;
  size_t builtNow() const { return Built; }
  /// Returns the reason why a preamble cannot be used; empty if there is none.
  const std::string &obstacle() const { return Obstacle; }

private:
  struct Shared {
    PreambleSource Source;
    const catalogue::Catalogue *Known = nullptr;
    uint64_t Key = 0;
    Preamble Facts;
    std::unique_ptr<llvm::MemoryBuffer> Bytes; ///< the precompiled header
    std::string Temporary;                     ///< where to store it, or empty
    bool Pending = false;                      ///< it is to be built
  };
  struct Candidate {
    const LeadingPart &Part;
    uint64_t Key;
  };
  /// The parts of a unit that it may share with other units.
  struct Leading {
    std::vector<LeadingPart> Parts;
    std::vector<uint64_t> Keys;
    bool Often = false; ///< the unit is parsed often

    Candidate operator[](size_t I) const { return {Parts[I], Keys[I]}; }
  };
  struct Choice {
    Shared *Of = nullptr;
    size_t Skip = 0;
    bool Repeated = false; ///< see LeadingPart
  };

  Leading leadingOf(const Unit &U);
  Shared *find(const Unit &U, const Candidate &C);
  Shared *add(const Unit &U, const Candidate &C);
  static bool serves(const Shared *S, const Candidate &C);
  void choose(llvm::ArrayRef<Unit> Units, llvm::ArrayRef<Leading> All,
              const llvm::DenseMap<uint64_t, size_t> &Users, size_t Fewest);
  const Choice *choiceOf(size_t Index) const;
  bool order(Shared &S);
  void release(Shared &S);
  bool open(Shared &S, const std::string &Path) const;
  std::string pathOf(const Shared &S) const;

  Cache &Cached;
  std::vector<std::unique_ptr<Shared>> All;
  llvm::DenseMap<uint64_t, Shared *> Known; ///< by key; null: there is none
  std::vector<Shared *> Builds;
  /// By unit, the longest first: a shorter one is used if the longest was not
  /// built.
  std::vector<std::vector<Choice>> Choices;
  size_t Built = 0;
  std::string Obstacle;
};

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_UNITS_PREAMBLES_H
