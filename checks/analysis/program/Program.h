//===- Program.h - Linked summaries -----------------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions of one or many translation units, numbered. Walks and rules
// access functions and locations only through this class. Functions are decoded
// on first use, so that the cost of linking depends on what is used.
//
// A name refers to the definition in the unit that uses it. If that unit has
// none, the unit whose source is nearest in the directory tree takes precedence
// (several programs of one repository may define `main` or `run`), and then the
// first unit. Definitions that are identical byte for byte count as one.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_PROGRAM_PROGRAM_H
#define CUDAGRAPH_ANALYSIS_PROGRAM_PROGRAM_H

#include "analysis/ir/Summary.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace cudagraph {

using UnitIndex = unsigned;

class Program {
public:
  /// Links \p Units. Their order resolves ties.
  explicit Program(std::vector<UnitSummary> Units);
  ~Program();

  const std::vector<UnitSummary> &units() const { return Units; }

  /// The functions that user code defines, in the order of units and of
  /// definition.
  const std::vector<FunctionId> &collected() const { return Collected; }
  /// The initializers of global variables; see SummaryEntry::Initializers.
  const std::vector<FunctionId> &initializers() const { return Initializers; }

  /// Functions numbered so far: later ones have larger numbers.
  unsigned size() const { return Functions.size(); }
  const FunctionInfo &info(FunctionId F) { return decoded(F).Info; }
  /// The body, or nullptr if only the declaration is known.
  const FlowGraph *graph(FunctionId F) {
    Function &Known = decoded(F);
    if (Known.Freed)
      decode(F);
    return Known.Graph.get();
  }
  /// True if graph() returns a body; cheaper than graph() if the body was
  /// freed.
  bool hasGraph(FunctionId F) {
    const Function &Known = decoded(F);
    return Known.Graph || Known.Freed;
  }
  /// The number of blocks of the body; 0 if there is no body.
  unsigned blocksIn(FunctionId F) { return decoded(F).Blocks; }
  /// Frees all bodies if their encodings together have at least \p Bytes. They
  /// are decoded again when they are used again; pointers to them become
  /// invalid.
  void freeGraphs(size_t Bytes = 0);
  /// Calls \p Use with the body of \p F, which has one. If the body was freed,
  /// it is in memory only for this call.
  void readGraph(FunctionId F, llvm::function_ref<void(const FlowGraph &)> Use);
  /// The unit that contains the definition or declaration \p F.
  UnitIndex unitOf(FunctionId F) const { return Functions[F].Unit; }
  /// True if the unit of \p User defines \p F itself.
  bool sharesUnit(FunctionId F, FunctionId User) const;
  /// Hash of everything that is known about \p F itself.
  uint64_t contentHash(FunctionId F) const { return Functions[F].Hash; }
  FunctionKey key(FunctionId F) const { return Functions[F].Key; }
  /// All definitions of the name of \p F: an inline function may have one in
  /// each unit.
  llvm::ArrayRef<FunctionId> definitionsOf(FunctionId F) const {
    auto It = Definitions.find(Functions[F].Key);
    return It == Definitions.end() ? llvm::ArrayRef<FunctionId>()
                                   : llvm::ArrayRef<FunctionId>(It->second);
  }
  /// Distinguishes definitions of one name and is the same in every run.
  uint64_t stableId(FunctionId F) const {
    return Functions[F].Key ^ Functions[F].Hash * 31;
  }

  /// The registrations of all units with other runtimes, in the order of the
  /// units. Function is the FunctionId of the linked function, or None.
  const std::vector<Registration> &registrations();

  const Site &site(Span S);
  /// The text of \p S as spelled; empty if it is not stored.
  const std::string &text(Span S) { return site(S).Text; }
  /// The location of \p S: the file range of its spelling, or, inside a macro,
  /// the expansion.
  const Location &location(Span S) { return site(S).Loc; }

private:
  struct Function {
    FunctionKey Key;
    UnitIndex Unit;
    unsigned Entry; ///< index in the unit's Functions
    uint64_t Hash;
    llvm::SmallVector<UnitIndex, 0> Sharers; ///< other units that define it
    bool Decoded = false;
    bool Freed = false; ///< it has a body, which Graph does not contain
    unsigned FirstSite = 0;
    unsigned Blocks = 0; ///< of the body
    FunctionInfo Info;
    std::unique_ptr<FlowGraph> Graph;
  };
  Function &decoded(FunctionId F) {
    Function &Result = Functions[F];
    if (!Result.Decoded)
      decode(F);
    return Result;
  }
  void decode(FunctionId Id);
  /// Makes \p File, of \p Unit, absolute.
  void resolvePath(UnitIndex Unit, std::string &File);
  void define(UnitIndex Unit, unsigned Entry);
  void separateDoubtful();
  llvm::StringRef bytesOf(FunctionId F) const {
    return Units[Functions[F].Unit].Functions[Functions[F].Entry].Bytes;
  }
  FunctionId add(UnitIndex Unit, unsigned Entry);
  FunctionId resolve(UnitIndex Unit, FunctionKey Key);
  FunctionId nearest(UnitIndex Unit,
                     llvm::ArrayRef<FunctionId> Candidates) const;
  std::optional<unsigned> find(UnitIndex Unit, FunctionKey Key) const;

  std::vector<UnitSummary> Units;
  std::vector<FunctionId> WithGraph; ///< functions whose Graph is set
  size_t GraphBytes = 0;             ///< of their encodings
  std::vector<std::vector<FunctionId>>
      Ids; ///< by unit and entry; None: not yet
  std::deque<Function> Functions;
  /// The sites of one function, read on first use.
  struct SiteList {
    FunctionId Of;
    std::vector<Site> Sites;
    bool Read = false;
  };
  std::map<unsigned, SiteList> Sites; ///< by the number of the first
  unsigned NextSite = 1;
  /// Definitions, by key.
  llvm::DenseMap<FunctionKey, llvm::SmallVector<FunctionId, 1>> Definitions;
  llvm::DenseMap<FunctionKey, FunctionId> Declared;
  llvm::DenseSet<FunctionKey> Separated; ///< see separateDoubtful()
  llvm::DenseMap<FunctionKey, std::vector<std::pair<UnitIndex, FunctionKey>>>
      Overriders; ///< by base
  std::vector<FunctionId> Collected, Initializers;
  std::optional<std::vector<Registration>> Registered;
  std::map<std::pair<UnitIndex, std::string>, std::string> Paths; ///< absolute
};

/// The lines that contain NOLINT directives in \p Units, by file. Paths are
/// absolute where the unit's directory is known.
std::vector<NolintLines> nolintOf(llvm::ArrayRef<UnitSummary> Units);

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_PROGRAM_PROGRAM_H
