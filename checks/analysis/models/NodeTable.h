//===- NodeTable.h - The retained values of a graph's nodes -----*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A node retains the numbers and the addresses from its capture. Each is
// recorded with its origin: the object whose address it is, the variable from
// which it was read, or the parameter that determined it. Whether the origin
// ends or changes during the lifetime of the graph is determined later.
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

/// A value that a node retains, and its origin.
struct Retained {
  Fact At; ///< the call that creates the node
  CaptureId Capture = 0;
  RetainedUse Use;
  std::string Text;      ///< the argument as spelled
  bool MayWrite = false; ///< the node may write to it
  bool Rebinds = false;  ///< a library object that owns it
  bool Within = false;   ///< the memory is a part of Root, and moves with it
  ValueId Value = None;  ///< the number, or the input of the address
  LocId Root = None;     ///< the object whose address it is
  LocId Holder = None;   ///< the container of these elements
  LocId Place = None;    ///< the variable that the number was read from
  /// The slots of pools that the address depends on.
  llvm::SmallVector<ValueId, 1> Slots;
  std::string Part; ///< of a launch: see VaryingValue
  /// The inputs of the number or the address.
  struct Input : Inputs::Input {
    /// Its contents when the capture ended, and the number of changes known
    /// then.
    llvm::SmallVector<std::pair<ValueId, unsigned>, 2> AtEnd;
    bool Own = false; ///< captured code had set it before it read it
    /// The members of parameters that are this place, by reference.
    llvm::SmallVector<LocId, 1> Passed;
  };
  llvm::SmallVector<Input, 2> Inputs;
  /// The part of Value that came from a parameter, and the parameter.
  struct Dependency {
    FunctionId Of;
    unsigned Param;
    ValueId Part;
  };
  llvm::SmallVector<Dependency, 2> Dependencies;
};

/// The end of the lifetime of memory.
struct Departure {
  Span Where;
  FunctionId In;
  Ending How;
  /// The call that passes the memory to the function that frees it, or to one
  /// of its callers; ByIn is In if there is none.
  Span By = {};
  FunctionId ByIn = None;
  LocId Pool = None; ///< for Recycled
  /// The memory is that of any of several objects.
  bool OfAny = false;
  /// The functions that were active each time, innermost first.
  llvm::SmallVector<FunctionId, 8> Under = {};
};

/// The numbers that a call to a function passed, in parameters or in members of
/// parameters.
struct PassedNumbers {
  llvm::SmallVector<std::pair<LocId, ValueId>, 8> At;
  /// The address of the object whose method is called, or None.
  ValueId This = None;

  /// The number at \p L; None if it is unknown.
  ValueId lookup(LocId L) const {
    for (auto [Place, Number] : At)
      if (Place == L)
        return Number;
    return None;
  }
  bool operator==(const PassedNumbers &O) const {
    return At == O.At && This == O.This;
  }
};

/// The common data of the models of nodes, of lifetimes, and of launches. It is
/// not part of a state: the value that a node retains does not depend on the
/// path that is walked next.
struct NodeTable {
  std::deque<Retained> Arguments; ///< references stay valid when it grows
  std::set<std::tuple<unsigned, unsigned, CaptureId, unsigned, ValueId, LocId>>
      Ids; ///< by call, RetainedAs, ...
  llvm::DenseMap<LocId, llvm::SmallVector<unsigned, 2>> In, Holders;
  llvm::DenseMap<ValueId, llvm::SmallVector<unsigned, 2>> Values;
  /// The objects of a function whose addresses nodes retain.
  llvm::DenseMap<FunctionId, llvm::SmallVector<LocId, 4>> EndingIn;
  std::vector<Departure> Departures;
  /// Numbers that were passed for parameters (or in members of parameters) on
  /// which nodes depend, and the captures of these nodes.
  llvm::DenseMap<LocId, llvm::SmallVector<std::pair<CaptureId, ValueId>, 2>>
      Passed;
  llvm::DenseMap<LocId, llvm::SmallVector<LocId, 2>>
      PassedIn; ///< the keys of Passed, by the parameter
  /// The calls in which captures began.
  llvm::DenseMap<FunctionId, std::vector<std::pair<CaptureId, PassedNumbers>>>
      CapturingCalls;
  /// Parameters that determine a size.
  std::set<std::pair<FunctionId, unsigned>> Shapes;
  /// Memory that was taken out of pools: the element that contained it, and the
  /// beginning of the call that took it, or 0.
  llvm::DenseMap<ValueId, std::pair<LocId, unsigned>> TakenFrom;
  /// The slots of pools that were lent.
  llvm::DenseMap<ValueId, const LentSlot *> Lent;
  /// The cursors and the offsets of those that are from arenas.
  llvm::DenseMap<ValueId, std::pair<LocId, ValueId>> InArenas;
  llvm::DenseSet<ValueId>
      Inside; ///< memory that a library created during a capture
  /// Containers that moved graphs, and the functions that moved them.
  std::set<std::pair<LocId, FunctionId>> MovedGraphs;
  /// The arguments whose inputs are in variables of a function.
  llvm::DenseMap<FunctionId, llvm::SmallVector<unsigned, 2>> InputsIn;
  llvm::DenseSet<LocId> InputRoots;    ///< of the inputs of all nodes
  llvm::DenseSet<unsigned> InputNames; ///< see nameOfPlace()
  /// The inputs of all nodes, and the objects that contain them.
  llvm::DenseSet<LocId> InputPlaces, InputOwners;
  llvm::DenseSet<unsigned> Executed; ///< writes outside captures: Span::Begin
  /// The values to which nodes of executable graphs are updated before
  /// launches.
  llvm::DenseSet<LocId> UpdatedPlaces;
  /// Places that a capture leaves unchanged, and places that it may leave
  /// unchanged.
  std::set<std::pair<CaptureId, LocId>> Restored, PerhapsRestored;
  unsigned Changes =
      0;              ///< number of writes between captures and launches so far
  bool Whole = false; ///< the walk began in `main`: nothing ran before
  bool Closed = false; ///< and there is no other code

  std::set<CaptureId> Instantiated; ///< captures whose graph is instantiated
  std::set<CaptureId> Outliving;    ///< captures whose graph is stored
  /// Captures whose graph is in a variable of a caller, and that caller.
  std::map<CaptureId, FunctionId> InCaller;
  /// Captures, and the objects that contain their graphs.
  std::set<std::pair<CaptureId, LocId>> RetainedIn;
  std::set<CaptureId> LocalOnly; ///< whose graph no other code can launch
  std::set<CaptureId> InTables;  ///< whose graph is one of several
  std::set<CaptureId> InMemory;  ///< whose graph is in a known element
  /// Captures whose memory was freed although the program kept the graph, and
  /// the functions that were active then.
  std::set<std::pair<CaptureId, FunctionId>> FreedEarly;
  /// The inputs of the keys of these graphs, if known; None: there are more.
  std::map<CaptureId, std::set<LocId>> TableKeys;
  /// The inputs that determine the key, but not the other way around: several
  /// of their values lead to one key.
  std::map<CaptureId, std::set<LocId>> LossyKeys;
  /// Containers whose size, but not their contents, is such an input.
  std::set<LocId> SizeKeys;
  std::set<CaptureId> Fresh;    ///< whose graph is updated
  std::set<CaptureId> Replayed; ///< and also launched without an update
  bool OldLaunched = false;     ///< a graph of an earlier call may be launched
  /// Captures with a graph in more than one object, and the function that has
  /// the objects.
  std::map<CaptureId, FunctionId> Several;
  /// The functions that were active when each capture began.
  std::map<CaptureId, std::set<FunctionId>> BegunUnder;
  llvm::DenseSet<ValueId> Owned; ///< the memory that a user object owns
  /// Names that stand for several allocations or executable graphs.
  llvm::DenseSet<ValueId> Repeated;
  /// How often code in a loop has created such an object, or received it from
  /// the function that created it.
  llvm::DenseMap<ValueId, unsigned> Made;
  /// Records that \p F creates or receives \p V.
  void make(const Frame &F, ValueId V);
};

/// The capture of an earlier call to the root.
inline constexpr CaptureId EarlierCapture = 0x3fffffff;

/// Returns the values that \p Phi may be, and allocations among those of phis
/// in it, which can be cyclic. Memory of a pool may be any of its memory.
llvm::SmallVector<ValueId, 6> choicesOf(const Domain &D, ValueId Phi);

/// True if \p V is a graph whose capture the walk has seen, one of several, or
/// null.
bool isGraph(const Domain &D, ValueId V);

/// True if the graph of \p C is updated before each launch.
bool isFresh(const Walk &W, const NodeTable &Nodes, CaptureId C);

/// True if the capture of \p K depends on the contents of its memory, which
/// belongs to a pool, or, if that memory has another user when the graph is
/// launched (\p HasUser), changes them.
bool isAffected(const Walk &W, const NodeTable &Nodes, const Retained &K,
                bool HasUser);

/// True if \p L is an element of the container \p Owner, or part of one. \p
/// Perhaps: of a container that may be \p Owner.
bool isElementOf(const Domain &D, LocId L, LocId Owner, bool Perhaps = false);

/// True if the graph of \p K is in a table and its key is known.
bool hasKnownKey(const Walk &W, const NodeTable &Nodes, const Retained &K);

/// True if only the walked code can write to \p L.
bool isClosed(const Domain &D, const NodeTable &Nodes, LocId L);

/// True if \p Element, in \p S, is or may be one of several elements that
/// contain graphs. False if its number is known and the other elements contain
/// none.
bool isOneOfGraphs(const Domain &D, const State &S, LocId Element);

/// True if an element or a member contains a graph of \p C in \p S.
bool isInObject(const Walk &W, const State &S, CaptureId C);

/// True if elements of a container are, or contain, executable graphs of \p C.
bool hasGraphInElement(const Walk &W, const State &S, CaptureId C);

/// True if each element of \p Container had a graph when they moved, and \p F
/// captures again for only one of them.
bool areElsewhere(const NodeTable &Nodes, const Frame &F, LocId Container);

/// True if the lifetime \p End ended in a call that also began capture \p C,
/// and that returned to \p Owner, which has several graphs: each of these calls
/// ends the memory of its own graph.
bool endsWithItsCapture(const NodeTable &Nodes, const Departure &End,
                        CaptureId C, FunctionId Owner);

/// True if a node retains the contents of \p L, of a part of it, or of an
/// object that contains it.
bool isInputPlace(const Domain &D, const NodeTable &Nodes, LocId L);

/// True if captured code itself has set \p L, or an object that contains it.
bool isRenewed(const Domain &D, const State &S, LocId L);

/// Returns the captures of \p S whose graphs only the places contain for which
/// \p IsHere returns true: without their contents, nothing launches the graphs.
/// \p F, if not null: the current activation, without which variables of
/// functions that have returned also count as places.
std::set<CaptureId>
graphsOnlyIn(const Walk &W, const NodeTable &Nodes, const State &S,
             llvm::function_ref<bool(const Memory::Item &)> IsHere,
             const Frame *F = nullptr);

/// Calls \p Visit for each capture whose graph \p V may be.
template <typename Fn> void eachGraph(const Domain &D, ValueId V, Fn Visit) {
  D.visitTree(V, [&](ValueId X) {
    if (D[X].Kind == ValueKind::Graph || D[X].Kind == ValueKind::Exec)
      Visit(static_cast<CaptureId>(D[X].A));
  });
}

/// Reports that the lifetime of memory of \p K ends before that of the graph,
/// as \p Departed describes.
void dangles(Services &Use, const NodeTable &Nodes, const Retained &K,
             const State &S, unsigned Departed, bool Capturing, bool Launched);

/// Turns \p R, a copy of the call that creates the node, into the fact that the
/// argument \p K of the node varies, and returns its details. They name the
/// argument or part of \p K; the caller adds the reason why the value varies.
VaryingValue &becomeVarying(Fact &R, const Retained &K);

/// True if \p K is the selection of a function or a kernel, not a condition.
bool isChoice(const Retained &K);

/// The input of the address \p V: a pointer from other code.
ValueId baseOf(const Domain &D, ValueId V);

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_MODELS_NODETABLE_H
