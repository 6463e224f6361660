//===- Relevance.h - Functions that are worth entering ----------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A cheap, flow-insensitive pass over all flow graphs before any walk begins.
// It finds the functions that can begin or end a capture, have effects, or
// define streams, directly or through their callees. It also collects the
// writes to each member and global anywhere in the program.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_PROGRAM_RELEVANCE_H
#define CUDAGRAPH_ANALYSIS_PROGRAM_RELEVANCE_H

#include "Components.h"
#include "FunctionTables.h"
#include "HandleStreams.h"
#include "JobQueues.h"
#include "Likeness.h"
#include "Program.h"
#include "catalogue/Catalogue.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SparseBitVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include <optional>
#include <vector>

namespace cudagraph {

/// All writes to one member or global in the program.
struct WriteSummary {
  bool CreatedBlocking = false;
  bool CreatedNonBlocking = false;
  bool CreatedUnknown = false;
  bool Null = false;
  bool Other = false;        ///< any other non-constant value
  bool HandleMade = false;   ///< a library handle is created there
  bool HandleGiven = false;  ///< its stream is set
  bool HandleLeaves = false; ///< it is passed to code that is not visible
  /// The members of the same object to whose stream it is set; empty: a
  /// different stream.
  std::vector<std::string> HandleStreams;
  /// Functions, other than constructors, that store a non-constant value.
  std::vector<FunctionId> Writers;
  bool ReadModifyWrite = false;
  bool TakesTurns = false; ///< it is swapped with another member
  /// Functions and lambdas stored there.
  std::vector<FunctionId> Callables;
  /// A location that changes it, in function In.
  struct Change {
    FunctionId In;
    Span Where;
    bool Elsewhere = false; ///< its elements move
    bool Rebinds = false;   ///< a library object's memory is replaced
    bool Stays = false;     ///< its elements do not move
    bool Pooled = false;    ///< its memory returns to a pool of the program
    /// If not empty, only the memory in this member of it is replaced.
    std::string Part = "";
  };
  /// Where a value other than a constant is stored, after construction.
  std::vector<Change> Setters;
  /// Where a part of it is set or changed, after construction.
  std::vector<Change> Parts;
  /// Where its memory is freed and replaced, or its elements move.
  std::vector<Change> Growers;
  /// Functions that reserve capacity for later elements.
  std::vector<FunctionId> Reservers;
  /// Where the device copies to it, or to its target.
  std::optional<Change> DeviceCopy, DeviceTarget;
  /// A call to one of its methods, in function In.
  struct Use {
    FunctionId In, Callee;
    Span Where;
  };
  std::vector<Use> Calls;
  /// Where it is changed step by step.
  std::vector<Change> Steppers;
  /// The kind of random number generator whose handle it is.
  std::optional<int64_t> Generator;
  /// Functions that act on its value, other than showing it.
  std::vector<FunctionId> Readers;
  /// Functions, other than constructors, that store a constant.
  std::vector<FunctionId> Resets;
  bool Shown = false; ///< some function returns or prints it
  /// A function tests it before it begins a capture.
  bool IsKey = false;
  bool IsCompared = false; ///< a key, with a copy that the program makes of it
  /// A function that changes the nodes of graphs uses it.
  bool Updated = false;
  /// A capturing function stores the number of elements, so the program can
  /// handle elements that are added later.
  bool SizeRecorded = false;
  /// It changes where captures begin and where they end: the program's own
  /// record of captures.
  bool IsRecord = false;
};

/// The parameter of \p G whose contents, or whose address, \p Value is; None if
/// it is neither.
unsigned paramIn(const FlowGraph &G, ExprId Value);

/// The name under which writes to \p Place are collected: the last member, or
/// the global itself; nullptr for other places.
const std::string *writeKey(const FlowGraph &G, ExprId Place);

/// The same for the place whose address is the argument \p E. If a pointer
/// contains the address, returns the name of the pointer and sets \p Through.
const std::string *namedBy(const FlowGraph &G, ExprId E, bool &Through);

/// True if \p O, a call to \p E in \p G, destroys a graph that the same
/// function has instantiated itself. Its callers drop no other graph.
bool isOwnGraph(const Relevance &R, const FlowGraph &G, const Op &O,
                const catalogue::Entry &E);

class FreshObjects;

class Relevance {
public:
  enum Bits : uint16_t {
    Opens = 1,         ///< may begin or end a capture or exchange the mode
    Effects = 2,       ///< may have an effect that matters inside a region
    Defines = 4,       ///< may store through a pointer, member, or global
    Unknown = 8,       ///< has calls that cannot be resolved statically
    Ends = 16,         ///< may end a capture
    Virtual = 32,      ///< makes virtual calls
    Begins = 64,       ///< may begin a capture
    Drops = 128,       ///< destroys, updates, or drops an executable graph
    Works = 256,       ///< enqueues device work
    Tests = 512,       ///< tests whether a stream is capturing
    Hides = 1024,      ///< calls functions that no unit defines
    Unparsed = 2048,   ///< contains source that does not parse
    SetsRecord = 4096, ///< itself sets the record of whether there is a graph
    Forks = 8192,      ///< records events, waits for them, or queries them
    SetsKey = 16384,   ///< itself sets the value compared with the record
    Launches = 32768,  ///< launches an executable graph
  };

  /// Scans every function that is reachable from those that \p Table collects.
  Relevance(Program &Table, const catalogue::Catalogue &Catalogue);

  /// The job queues between threads.
  const std::unique_ptr<JobQueues> Jobs;

  /// Variables, by function, that determine which graph is captured or launched
  /// (Key) if they are tested before, or that may determine it (Perhaps)
  /// because they are passed to a function there.
  enum class KeyKind : uint8_t { None, Perhaps, Key };
  llvm::DenseMap<std::pair<FunctionId, unsigned>, KeyKind> KeyVars;

  uint16_t bits(FunctionId F) const { return F < Of.size() ? Of[F] : 0; }
  /// True if \p F, or a callee, mentions the member or global \p Name.
  bool mentions(FunctionId F, llvm::StringRef Name) const;
  const std::vector<FunctionId> &callersOf(FunctionId F) const;
  /// The functions that \p F calls or mentions.
  llvm::ArrayRef<FunctionId> calleesOf(FunctionId F) const {
    return F < Callees.size() ? llvm::ArrayRef<FunctionId>(Callees[F])
                              : llvm::ArrayRef<FunctionId>();
  }
  /// Visits the members and globals that \p F, or a callee, mentions.
  void eachNameIn(FunctionId F,
                  llvm::function_ref<void(llvm::StringRef)> Visit) const {
    if (F < Names.size())
      for (unsigned Name : Names[F])
        Visit(NameTexts[Name]);
  }
  /// True if graphs are unchanged after \p F has run: it is not part of
  /// construction, and neither it nor a caller on its behalf captures again or
  /// drops a graph.
  bool keepsGraphs(FunctionId F) const;
  /// The methods that override \p F, and their overriders.
  std::vector<FunctionId> overridersOf(FunctionId F) const;
  /// True if \p F calls, directly or indirectly, more functions than are worth
  /// walking for their effects outside captures; see ManyCallees.
  bool reachesMany(FunctionId F) const;
  const FunctionTables &tables() const { return Tables; }
  /// True for a member or global that is a record of captures.
  bool isRecord(llvm::StringRef Name) const {
    const WriteSummary *W = writes(Name);
    return W && W->IsRecord;
  }
  bool hasRecords() const { return !Records.empty(); }
  /// True if \p F, or a callee, mentions such a record.
  bool mentionsRecord(FunctionId F) const;
  /// Writes to the member or global \p Name; nullptr if there are none.
  const WriteSummary *writes(llvm::StringRef Name) const;
  /// True if the library handle in the member or global \p Name is created in
  /// visible code and its stream is never set: it uses the legacy default
  /// stream.
  bool usesDefaultStream(llvm::StringRef Name) const {
    const WriteSummary *W = writes(Name);
    return W && W->HandleMade && !W->HandleGiven &&
           !(AnyHandleGiven && W->HandleLeaves);
  }
  /// The member that contains the stream of the library handle in the member \p
  /// Name, if the handle is created in visible code and set to no other stream;
  /// else nullptr.
  const std::string *streamOfHandle(llvm::StringRef Name) const {
    const WriteSummary *W = writes(Name);
    return W && W->HandleMade && !(AnyHandleGiven && W->HandleLeaves) &&
                   W->HandleStreams.size() == 1 &&
                   !W->HandleStreams.front().empty()
               ? &W->HandleStreams.front()
               : nullptr;
  }
  /// The call graph.
  const Components &components() const { return Recursion; }
  /// The catalogue entry that applies to calls to \p F: user code with a body
  /// hides a library function with the same name.
  const catalogue::Entry *entryFor(FunctionId F) const;
  /// The roles of \p F, by both of its names, and those of its class.
  catalogue::RoleSet rolesOf(FunctionId F) const;
  /// The roles of \p E, by both of its names.
  catalogue::RoleSet rolesOf(const catalogue::Entry &E) const;
  /// True if \p F sets up or tears down an object: a constructor, a destructor,
  /// or a function with a similar name.
  bool isConstruction(FunctionId F) const;
  /// Where \p F, a method, sets or changes a member of its object, unless it
  /// sets the object up; nothing if it does not.
  std::optional<Span> setsOwn(FunctionId F) const {
    auto It = OwnWrites.find(F);
    return It == OwnWrites.end() ? std::nullopt : std::optional(It->second);
  }
  /// Hash of everything on which a walk from \p F can depend, except the
  /// catalogue: the functions that it reaches, and the writes to the members
  /// and globals that they mention.
  uint64_t reachHash(FunctionId F) const;
  /// True if \p O is a call that may begin a capture.
  bool begins(const Op &O) const;
  /// Returns a number that is the same for functions that count as one
  /// function in a large program.
  uint64_t likeness(FunctionId F) const;

private:
  friend class JobQueues;
  friend class HandleStreams;
  uint64_t hashOf(const WriteSummary &W) const;
  void hashComponents() const;
  void gatherComponent(unsigned Index);
  /// Scan.cpp: the effects of one function itself.
  class Scan;
  void scan(FunctionId F, const FlowGraph &G, std::vector<FunctionId> &Work);
  void scanAll(std::vector<FunctionId> &Work);
  void connect(FunctionId Caller, FunctionId Callee, bool Calls);
  void connectStored(std::vector<FunctionId> &Work);
  /// CaptureKeys.cpp: state that records whether there is a graph.
  class Keys;
  void scanKeys();

  /// CaptureRecords.cpp: the program's records of captures.
  class Bookkeeping;
  void scanBookkeeping();
  void scanRoom();
  /// Growth.cpp: memory that several functions free and replace.
  class Growth;
  /// Notes memory that \p O, a call in \p F to \p E, adds to a container, which
  /// may be a pool.
  void noteAdded(FunctionId F, const FlowGraph &G, const Op &O,
                 const catalogue::Entry &E, const FreshObjects &Fresh);
  void scanReaders(FunctionId F, const FlowGraph &G);
  void resolveReaders();
  bool AnyHandleGiven = false; ///< a stream of a handle without a name is set
  std::vector<HandlePath> HandlePaths;
  /// Where a function frees the target of a member or global and does not
  /// replace it itself.
  struct FreedMemory {
    FunctionId In;
    Span Where;
    std::string Name;
    bool Pooled = false; ///< it returns to a pool
  };
  std::vector<FreedMemory> FreedApart;
  /// A function that frees the memory in one of its parameters, or adds it to
  /// the container Pool.
  struct FreedParameter {
    FunctionId In;
    unsigned Param;
    std::string Pool = "";
  };
  std::vector<FreedParameter> FreedParams;
  /// Where the memory of a member or global is added to a container, and the
  /// container.
  std::vector<std::pair<FreedMemory, std::string>> AddedMembers;
  llvm::StringSet<> Emptied; ///< containers from which elements are removed
  /// RelevanceState.cpp: by caller, the callees after which it launches graphs
  /// that it has not dropped.
  mutable llvm::DenseMap<FunctionId, llvm::DenseSet<FunctionId>> LaunchedAfter;
  /// Functions that store the size of the member or global, a container, in
  /// another member or global.
  std::vector<std::pair<FunctionId, std::string>> SizesStored;
  /// Pairs of a function and the member that it returns, and pairs of a
  /// function and a callee whose result determines a decision in it.
  std::vector<std::pair<FunctionId, std::string>> Accessors;
  llvm::DenseSet<std::pair<FunctionId, FunctionId>> Deciders;
  /// RelevanceState.cpp: the effects of a function on members and globals.
  struct StateOf {
    Relevance &R;
    FunctionId F;
    const FlowGraph &G;
    /// Records that \p F changes nodes of graphs: it uses the names that it
    /// mentions.
    void noteUpdated();
    /// Records that a write by \p O to a part of a member or global also
    /// changes the member or global as a whole and, in a method, its object.
    /// \p Made is true if the write is part of the creation of the object.
    void noteParts(const Op &O, bool Made);
    /// Records the effect of the call \p O on the memory of members and
    /// globals.
    void noteChange(const Op &O);
  };
  void scanInitializers(FunctionId F, std::vector<FunctionId> &Work);
  Program &Table;
  const catalogue::Catalogue &Catalogue;
  mutable std::vector<std::optional<const catalogue::Entry *>> Entries;
  mutable std::vector<std::optional<catalogue::RoleSet>> Roles;
  mutable llvm::DenseMap<const catalogue::Entry *, catalogue::RoleSet>
      EntryRoles;
  std::vector<uint16_t> Of;
  /// Mentioned names, by function: by it and its callees, and by it alone.
  std::vector<llvm::SparseBitVector<>> Names;
  std::vector<llvm::SmallVector<unsigned, 0>> OwnNames;
  llvm::StringMap<unsigned> NameIds;
  std::vector<llvm::StringRef> NameTexts; ///< by id
  std::vector<bool> Seen;
  std::vector<FunctionId> Scanned; ///< those with a body
  mutable std::unique_ptr<Likeness> Alike;
  /// Caller and callee; Direct: the caller does not only mention the callee.
  llvm::DenseSet<std::pair<FunctionId, FunctionId>> Edges, Direct;
  /// Caller and callee that is reached only through a stored callable.
  llvm::DenseSet<std::pair<FunctionId, FunctionId>> StoredOnly;
  llvm::DenseSet<FunctionId>
      StoredCallables; ///< in a member or global, to be called
  /// Caller and destructor, of an object that is not a local variable.
  llvm::DenseSet<std::pair<FunctionId, FunctionId>> Ended;
  std::vector<std::vector<FunctionId>> Callers, Callees;
  /// Functions, and the member or global that they call through.
  std::vector<std::pair<FunctionId, std::string>> Through;
  Components Recursion;
  /// See reachHash(): by function, for its component and everything that it
  /// reaches.
  mutable std::vector<uint64_t> ReachHashes;
  mutable llvm::DenseMap<FunctionId, bool> Many;
  llvm::StringMap<WriteSummary> Writes;
  llvm::DenseMap<FunctionId, Span> OwnWrites; ///< see setsOwn()
  llvm::SparseBitVector<> Records;            ///< ids of names
  FunctionTables Tables;
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_PROGRAM_RELEVANCE_H
