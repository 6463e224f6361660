//===- Domain.h - Abstract values, locations, and states --------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values and locations are hash-consed: equal numbers mean the same value, so
// "is this the capturing stream?" is a comparison. A value names its origin
// (created here, the initial contents of that member, the result of that call),
// never its bits. Two different numbers may still denote one stream.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_DOMAIN_DOMAIN_H
#define CUDAGRAPH_ANALYSIS_DOMAIN_DOMAIN_H

#include "analysis/ir/FlowGraph.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Allocator.h"
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace cudagraph {

using ValueId = unsigned;
using LocId = unsigned;
using CaptureId = unsigned;

enum class ValueKind : uint8_t {
  Opaque,   ///< the unknown number N
  Int,      ///< the integer N; also null and the handles of the default streams
  Addr,     ///< address of location A
  Init,     ///< the contents of location A when the root was entered
  Function, ///< function N
  Closure,  ///< lambda with call operator N and captures at location A
  Op,       ///< operator S on A and B
  Phi,      ///< one of candidates(), which met at the join N for location A
  Stream,   ///< a stream created at site N, or of a pool (S is not empty);
            ///< B is its StreamKind or None
  Event,    ///< an event created at site N; A as for streams
  Handle,   ///< a library handle created at site N
  Memory,   ///< allocated at site N, by capture A or, if None, outside; B is
            ///< its MemoryTrait or None
  Graph,    ///< the graph that capture A recorded
  Exec,     ///< its executable form
  Status,   ///< result of the API call at site N; zero is success
  DeviceRead, ///< read from device memory at site N
  Varying,    ///< a host value that differs from call to call (clock, random)
  CopyOf,     ///< a copy of the object at location A
};

enum class LocKind : uint8_t {
  Var,     ///< variable N of function A
  Temp,    ///< temporary or heap object N of function A
  Result,  ///< result of call N of function A
  Return,  ///< the return value of function A
  Global,  ///< the variable S, or the Slot N of the whole program
  Pointee, ///< the object that value A points to
  Field,   ///< the member S, or the Slot N, of location A
  Elem,    ///< element B (ValueId; None: some element) of location A
};

/// Values that the analysis stores in memory in addition to those of the
/// program.
enum class Slot : uint8_t {
  None,
  // For the whole program.
  This,            ///< the object of root A
  CurrentStream,   ///< the stream that a framework treats as current
  CurrentDevice,   ///< set by cudaSetDevice
  CapturingDevice, ///< the device on which the capture began
  HostPath,        ///< whether tensors are on the host
  // For an object.
  LibraryStream,  ///< the stream of a library handle
  LibraryUsed,    ///< whether a library handle was used
  PointerMode,    ///< the location of the scalars of a library handle
  GeneratorKind,  ///< for the handle of a random number generator
  CapturedGraph,  ///< in a library object that contains a graph
  RestoredMode,   ///< the mode that a guard restores
  RestoredStream, ///< the stream that a guard restores
  Room,           ///< a container with enough capacity
  CalledOnce,     ///< whether std::call_once() has run
  DynamicClass,   ///< the class with which an object was constructed
  CreatedAgain, ///< a stream that shares its name with an older, capturing one
  Overrider,    ///< the method that a virtual call on an object has reached
};

/// Returns the name of \p S in reports: "current stream".
llvm::StringRef spelling(Slot S);

/// N of a Phi that stands for the contents of each array element in turn, not
/// for those of one element.
constexpr int64_t SeveralElements = -1;

/// Operand B of a Memory, if it is not plain device memory.
enum MemoryTrait : unsigned {
  SharedMemory = 1, ///< accessible to host and device
  PinnedMemory,     ///< on the host, without page faults
  PerhapsNull,      ///< on the host; null if the allocation failed
  TakenMemory, ///< taken out of a pool: the same call takes other memory later
  PerhapsOfGraph, ///< its allocation is a node if an unknown stream captures
};

struct ValueNode {
  ValueKind Kind;
  int64_t N = 0;
  unsigned A = None, B = None;
  unsigned S = 0;
};

struct LocNode {
  LocKind Kind;
  int64_t N = 0;
  unsigned A = None, B = None;
  unsigned S = 0;
};

/// Values of the enumerators of tensor libraries, from the catalogue.
struct TensorNumbers {
  std::vector<int64_t> HostDevices, CudaDevices, BooleanScalars;
};

/// Interns values, locations, and strings for one analysis.
class Domain {
public:
  TensorNumbers Numbers;

  /// The contents of the constant tables encountered so far.
  llvm::DenseMap<LocId, ValueId> Constants;

  /// Records that \p Memory is allocated; \p Once: outside loops, and not for
  /// an element of an array.
  void noteMemory(ValueId Memory, bool Once) {
    auto [It, New] = MadeOnce.try_emplace(Memory, Once);
    It->second &= Once;
  }
  /// True if \p V names the memory of one allocation: not of several in a loop,
  /// or for several elements.
  bool isOneObject(ValueId V) const { return MadeOnce.lookup(V); }

  ValueId value(ValueKind Kind, int64_t N = 0, unsigned A = None,
                unsigned B = None, llvm::StringRef S = {});
  LocId loc(LocKind Kind, int64_t N = 0, unsigned A = None, unsigned B = None,
            llvm::StringRef S = {});
  /// Returns the location of \p S for the whole program. \p Of: see Slot.
  LocId slot(Slot S, unsigned Of = None) {
    return loc(LocKind::Global, static_cast<int64_t>(S), Of);
  }
  /// Returns the location of \p S in the object at \p Object.
  LocId slotOf(Slot S, LocId Object) {
    return loc(LocKind::Field, static_cast<int64_t>(S), Object);
  }
  /// The slot that \p L denotes, or Slot::None.
  Slot slotAt(LocId L) const {
    const LocNode &N = Locs[L];
    bool May = N.Kind == LocKind::Global || N.Kind == LocKind::Field;
    return May ? static_cast<Slot>(N.N) : Slot::None;
  }
  ValueId integer(int64_t N) { return value(ValueKind::Int, N); }
  ValueId opaque(int64_t Site) { return value(ValueKind::Opaque, Site); }
  /// Returns the memory to which \p V points if a program dereferences it: the
  /// result of the only allocation, or \p V itself.
  ValueId target(ValueId V) const;
  /// Returns `*V`.
  LocId pointee(ValueId V);
  /// Returns element \p Index of \p Base. If \p IsPointer is true, `Base` is
  /// the target of a pointer. If it is itself an element, the result is a
  /// neighbor. An index that is not a number, and does not depend on a slot of
  /// a pool, selects an unspecified element.
  LocId element(LocId Base, ValueId Index, bool IsPointer);
  /// True if \p Number is computed from the index or offset of a slot of a
  /// pool.
  bool dependsOnSlot(ValueId Number) const;
  /// True if \p V, or the address of \p L, may depend on a slot of a pool.
  bool mentionsSlot(ValueId V) const { return Traits[V] & HasSlot; }
  bool isOfSlot(LocId L) const { return OfSlot[L]; }
  /// Applies \p Op, folding constants. \p B may be None.
  ValueId apply(llvm::StringRef Op, ValueId A, ValueId B);

  // Nodes are returned by value, because the tables grow at almost every call
  // and would invalidate a reference. None yields an unknown value.
  ValueNode operator[](ValueId V) const {
    return V == None ? ValueNode{ValueKind::Opaque} : Values[V];
  }
  LocNode at(LocId L) const { return Locs[L]; }
  llvm::StringRef text(unsigned S) const { return Strings[S]; }

  /// True if \p V mentions storage: an address, a closure, or a copied object.
  bool mentionsMemory(ValueId V) const {
    return V != None && Traits[V] & HasMemory;
  }
  /// True if \p V may differ between replays: it contains a value read from the
  /// device, a clock, or initial contents of a member or global.
  bool mayVary(ValueId V) const { return V != None && Traits[V] & HasVarying; }
  /// True if \p V contains a value read from the device or a clock.
  bool isMeasured(ValueId V) const {
    return V != None && Traits[V] & HasMeasured;
  }

  std::optional<int64_t> asInt(ValueId V) const {
    if (V != None && Values[V].Kind == ValueKind::Int)
      return Values[V].N;
    return std::nullopt;
  }

  /// The values that met at a phi; empty if there were too many. The array
  /// stays valid as long as the domain does; candidates that are added later
  /// are not part of it.
  llvm::ArrayRef<ValueId> candidates(ValueId Phi) const;
  /// The constant \p V, rounded to single precision if it is not an integer: a
  /// conversion may have rounded it.
  std::optional<double> asNumber(ValueId V) const;
  /// True if \p V is a number, or one of a few numbers.
  bool isNumbers(ValueId V) const;
  /// Adds a candidate; returns true if it is new. \p Widen: stop counting, so
  /// that loops converge.
  bool addCandidate(ValueId Phi, ValueId Candidate, bool Widen = false);
  /// True if more values met at a phi than are stored.
  bool overflowed(ValueId Phi) const;

  /// The location that contains \p L.
  LocId root(LocId L) const { return RootOf[L]; }

  /// The tag of site() for blocks where paths meet, and the limit of block
  /// numbers: the bits above them identify the capture.
  static constexpr unsigned JoinTag = 3, MaxJoinBlocks = 1 << 20;
  /// The tag of site() for conditional operators.
  static constexpr unsigned SelectTag = 5;

  /// A number for a location in a program: call or statement \p Index of \p F.
  static int64_t site(FunctionId F, unsigned Index, unsigned Tag = 0) {
    return (static_cast<int64_t>(F) << 40) |
           (static_cast<int64_t>(Index) << 4) | Tag;
  }

  /// A block of a function.
  struct Site {
    FunctionId In;
    unsigned Index;
  };
  /// Returns the condition that selects \p V from two values; None if it is not
  /// the value of a conditional operator.
  ValueId conditionOf(ValueId V) const {
    const ValueNode &N = Values[V];
    return N.Kind == ValueKind::Phi && (N.N & 15) == SelectTag ? N.A : None;
  }

  /// Returns the block in which the candidates of \p V met; nothing unless \p V
  /// is a Phi of a join.
  std::optional<Site> joinOf(ValueId V) const {
    const ValueNode &N = Values[V];
    if (N.Kind != ValueKind::Phi || (N.N & 15) != JoinTag)
      return std::nullopt;
    return Site{static_cast<FunctionId>(N.N >> 40),
                static_cast<unsigned>(N.N >> 4 & MaxJoinBlocks - 1)};
  }

  /// Begins a new collection for storageIn().
  void forgetCollected() { ++Collection; }
  /// Calls \p Found for the storage whose address, closure, or copy is \p V or
  /// one of its operands; skips values that this collection has visited.
  template <typename Fn> void storageIn(ValueId V, Fn Found) {
    if (!mentionsMemory(V))
      return;
    llvm::SmallVector<std::pair<ValueId, unsigned>, 16> Work{{V, 0}};
    if (Collected.size() < Values.size())
      Collected.resize(Values.size());
    while (!Work.empty()) {
      auto [Next, Depth] = Work.pop_back_val();
      if (Next == None || !mentionsMemory(Next) || Depth > 24)
        continue;
      // A value is visited again only at a smaller depth, from which more of it
      // is reachable.
      unsigned Mark = Collection << 5 | (31 - Depth);
      if (Collected[Next] >= Mark)
        continue;
      Collected[Next] = Mark;
      const ValueNode N = Values[Next];
      switch (N.Kind) {
      case ValueKind::Addr:
      case ValueKind::Closure:
      case ValueKind::CopyOf:
        Found(RootOf[N.A]);
        break;
      case ValueKind::Op:
        Work.push_back({N.A, Depth + 1});
        Work.push_back({N.B, Depth + 1});
        break;
      case ValueKind::Phi:
        for (ValueId C : candidates(Next))
          Work.push_back({C, Depth + 8});
        break;
      default:
        break;
      }
    }
  }

  /// Calls \p Visit for \p V and its operands, each once.
  void visitTree(ValueId V, llvm::function_ref<void(ValueId)> Visit) const;

private:
  llvm::DenseMap<ValueId, bool> MadeOnce; ///< see noteMemory()
  struct Key {
    uint8_t Kind;
    int64_t N;
    unsigned A, B, S;
    bool operator==(const Key &O) const {
      return Kind == O.Kind && N == O.N && A == O.A && B == O.B && S == O.S;
    }
  };
  struct KeyInfo {
    static Key getEmptyKey() { return {0xff, 0, 0, 0, 0}; }
    static Key getTombstoneKey() { return {0xfe, 0, 0, 0, 0}; }
    static unsigned getHashValue(const Key &K);
    static bool isEqual(const Key &A, const Key &B) { return A == B; }
  };
  unsigned intern(llvm::StringRef S);
  enum Trait : uint8_t {
    HasMemory = 1,
    HasVarying = 2,
    HasMeasured = 4,
    HasSlot = 8
  };
  uint8_t traitsOf(const ValueNode &N) const;
  std::vector<ValueNode> Values;
  std::vector<uint8_t> Traits; ///< by value
  std::vector<unsigned>
      Collected; ///< by value: the last collection that contained it
  unsigned Collection = 0;
  std::vector<LocNode> Locs;
  std::vector<LocId> RootOf; ///< by location
  std::vector<bool> OfSlot;  ///< by location
  llvm::DenseMap<Key, unsigned, KeyInfo> ValueIds, LocIds;
  llvm::StringMap<unsigned> StringIds;
  std::vector<llvm::StringRef> Strings{llvm::StringRef()};
  /// A phi with more candidates than this becomes an unknown value.
  static constexpr unsigned MaxCandidates = 6;
  struct PhiInfo {
    ValueId *Candidates = nullptr; ///< MaxCandidates of them, in Arrays
    unsigned Count = 0;
    bool Overflow = false;
  };
  llvm::BumpPtrAllocator Arrays;
  /// For each value: the smallest depth at which it was visited.
  using Depths = llvm::SmallDenseMap<ValueId, unsigned, 16>;
  void visitTree(ValueId V, llvm::function_ref<void(ValueId)> Visit,
                 unsigned Depth, Depths &Met) const;
  std::vector<PhiInfo> Phis;
  std::vector<unsigned> PhiOf; ///< by value: index in Phis, or None
  const PhiInfo *phi(ValueId V) const {
    return PhiOf[V] == None ? nullptr : &Phis[PhiOf[V]];
  }
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_DOMAIN_DOMAIN_H
