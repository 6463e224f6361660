//===- NodeTable.h - What the nodes of a graph keep -------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A node keeps the numbers and the addresses that it was captured with. Each is
// remembered with where it came from: the object whose address it is, the
// variable that it was read from, the parameter that decided it. Whether that
// ends or changes while the graph lives is found later.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_MODELS_NODETABLE_H
#define CUDAGRAPH_ANALYSIS_MODELS_NODETABLE_H

#include "Inputs.h"
#include "Model.h"
#include <deque>
#include <map>
#include <set>
#include <tuple>

namespace cudagraph {

/// What a node of a graph has kept, and where that came from.
struct Kept {
  Fact At; ///< the call that makes the node
  CaptureId Capture = 0;
  KeptUse Use;
  std::string Text;     ///< the argument as written
  bool Rebinds = false; ///< an object of a library that owns it
  bool Within = false;  ///< the memory is a part of Root, and moves with it
  ValueId Value = None; ///< the number, or what the address is computed from
  LocId Root = None;    ///< the object whose address it is
  LocId Holder = None;  ///< the container whose elements these are
  LocId Place = None;   ///< the variable that the number was read from
  std::string Part;     ///< of a launch: see VaryingValue
  /// What the number or the address was computed from.
  struct Input : Inputs::Input {
    /// What it held when the capture ended, and how many changes were known.
    llvm::SmallVector<std::pair<ValueId, unsigned>, 2> AtEnd;
    bool Own = false; ///< captured code had set it before it read it
  };
  llvm::SmallVector<Input, 2> Inputs;
  /// What of Value came from a parameter, and whose it was.
  struct Hit {
    FunctionId Of;
    unsigned Param;
    ValueId Part;
  };
  llvm::SmallVector<Hit, 2> Hits;
};

/// Where memory came to its end.
struct Departure {
  Span Where;
  FunctionId In;
  Ending How;
};

/// What the models of nodes, of lifetimes and of launches have in common. It is
/// not a part of a state: what a node keeps does not depend on the path that is
/// walked next.
struct NodeTable {
  std::deque<Kept> Kepts; ///< references survive growth
  std::set<std::tuple<unsigned, unsigned, CaptureId, unsigned, ValueId, LocId>>
      Ids; ///< by call, KeptAs, ...
  llvm::DenseMap<LocId, llvm::SmallVector<unsigned, 2>> In, Holders;
  llvm::DenseMap<ValueId, llvm::SmallVector<unsigned, 2>> Values;
  /// The objects of a function whose addresses nodes keep.
  llvm::DenseMap<FunctionId, llvm::SmallVector<LocId, 4>> EndingIn;
  std::vector<Departure> Departures;
  /// Numbers that were passed for parameters on which nodes depend, and the
  /// captures.
  llvm::DenseMap<LocId, llvm::SmallVector<std::pair<CaptureId, ValueId>, 2>>
      Passed;
  /// Parameters that decide how large something is.
  std::set<std::pair<FunctionId, unsigned>> Shapes;
  llvm::DenseSet<ValueId> Inside;      ///< what a library made during a capture
  llvm::DenseSet<LocId> InputRoots;    ///< of the inputs of all nodes
  llvm::DenseSet<unsigned> InputNames; ///< see nameOfPlace()
  llvm::DenseSet<unsigned> Executed;   ///< writes outside captures: Span::Begin
  /// What the nodes of executable graphs are given anew before launches.
  llvm::DenseSet<LocId> UpdatedPlaces;
  /// Places that a capture leaves as it found them, and those that it may.
  std::set<std::pair<CaptureId, LocId>> Restored, PerhapsRestored;
  unsigned Changes = 0; ///< writes between captures and launches so far
  bool Whole = false;   ///< the walk began in `main`: nothing ran before
  bool Closed = false;  ///< and there is no other code

  std::set<CaptureId> Instantiated; ///< captures whose graph is instantiated
  std::set<CaptureId> Outliving;    ///< captures whose graph is stored
  /// Captures, and the objects that their graphs are stored in.
  std::set<std::pair<CaptureId, LocId>> KeptIn;
  std::set<CaptureId> LocalOnly; ///< whose graph nobody else can launch
  std::set<CaptureId> InTables;  ///< whose graph is one of several
  /// What the keys of those are made from, as far as that is known; None: from
  /// more.
  std::map<CaptureId, std::set<LocId>> TableKeys;
  std::set<CaptureId> Fresh;        ///< whose graph is brought up to date
  std::set<CaptureId> Replayed;     ///< and launched without that as well
  std::set<CaptureId> Several;      ///< with a graph in more than one object
  llvm::DenseSet<ValueId> Retained; ///< what a user object looks after
};

/// The capture of an earlier call of the root.
inline constexpr CaptureId EarlierCapture = 0x3fffffff;

/// True if \p V is a graph that the walk has seen captured, one of several, or
/// null.
bool isGraph(const Domain &D, ValueId V);

/// True if the graph of \p C is brought up to date before each launch.
bool isFresh(const Walk &W, const NodeTable &Nodes, CaptureId C);

/// True if no code but that which is walked can write to \p L.
bool isClosed(const Domain &D, const NodeTable &Nodes, LocId L);

/// True if \p Element, in \p S, is one of several that hold graphs, or may be:
/// not if it is named by a number, and the others hold none.
bool isOneOfGraphs(const Domain &D, const State &S, LocId Element);

/// True if captured code has set \p L, or what it is a part of, by itself.
bool isRenewed(const Domain &D, const State &S, LocId L);

/// Calls \p Visit for each capture whose graph \p V may be.
template <typename Fn> void eachGraph(const Domain &D, ValueId V, Fn Visit) {
  D.visitTree(V, [&](ValueId X) {
    if (D[X].Kind == ValueKind::Graph || D[X].Kind == ValueKind::Exec)
      Visit(static_cast<CaptureId>(D[X].A));
  });
}

/// Reports that memory of \p K ends, as \p Departed says, before the graph.
void dangles(Services &Use, const NodeTable &Nodes, const Kept &K,
             const State &S, unsigned Departed, bool Capturing, bool Launched);

/// Makes \p R, a copy of the call that makes the node, the fact that what the
/// node was given as \p K varies, and returns its details. They name the
/// argument or part that \p K says; the caller adds why the value varies.
VaryingValue &becomeVarying(Fact &R, const Kept &K);

/// True if \p K is the choice of a function or a kernel, not a condition.
bool isChoice(const Kept &K);

/// What the address \p V is computed from: a pointer that somebody else made.
ValueId baseOf(const Domain &D, ValueId V);

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_MODELS_NODETABLE_H
