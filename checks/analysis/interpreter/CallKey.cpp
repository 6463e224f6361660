//===- CallKey.cpp - The part of a call that a callee can observe ---------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See CallKey.h.
//
//===----------------------------------------------------------------------===//

#include "CallKey.h"
#include "Owners.h"
#include "analysis/domain/Keys.h"
#include "analysis/domain/Memory.h"
#include "analysis/ir/ListSize.h"
#include "analysis/program/WholeObjects.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/xxhash.h"

namespace cudagraph {

MemoryItems reachable(Domain &D, const State &S,
                      llvm::ArrayRef<ValueId> Roots) {
  llvm::SmallDenseSet<LocId, 16> Open;
  D.forgetCollected();
  llvm::SmallVector<ValueId, 4> Several;
  auto Follow = [&](ValueId V) {
    D.storageIn(V, [&](LocId Root) {
      const LocNode N = D.at(Root);
      if (Open.insert(Root).second && N.Kind == LocKind::Pointee &&
          D[N.A].Kind == ValueKind::Phi)
        Several.push_back(N.A);
    });
    // A part of one of several objects.
    while (!Several.empty())
      D.storageIn(Several.pop_back_val(),
                  [&](LocId Root) { Open.insert(Root); });
  };
  for (ValueId V : Roots)
    Follow(V);
  MemoryItems Result;
  // Entries that have not been reached.
  std::vector<Memory::Item> Rest;
  for (const Memory::Item &I : S.Mem) {
    LocKind K = D.at(D.root(I.Key)).Kind;
    if (K == LocKind::Global || K == LocKind::Pointee) {
      Result.push_back({I.Key, I.Data});
      Follow(I.Data);
    } else {
      Rest.push_back(I);
    }
  }
  for (size_t Before = None; Before != Rest.size() && !Open.empty();) {
    Before = Rest.size();
    std::erase_if(Rest, [&](const Memory::Item &I) {
      if (!Open.count(D.root(I.Key)))
        return false;
      Result.push_back({I.Key, I.Data});
      Follow(I.Data);
      return true;
    });
  }
  llvm::sort(Result);
  return Result;
}

CallKey::CallKey(Walk &W, FunctionId Callee, const State &S,
                 llvm::ArrayRef<ValueId> Args, ValueId This, Widening &Wide)
    : Part(W), Callee(Callee), G(*W.Table.graph(Callee)), S(S),
      Roots(Args.begin(), Args.end()), Passed(Args.begin(), Args.end()),
      This(This) {
  if (This != None)
    Roots.push_back(This);
  Visible = reachable(D, S, Roots);
  dropUnread();
  Wide.generalise(Callee, G, S, Passed, this->This, Visible);
  findOwners();
  unsigned Times = Wide.timesWalked(Callee);
  WithFacts = Times < VeryManyWalks;
  // Recursion over streams creates new streams endlessly, so the order of their
  // work is dropped. An accessor that is called that often does not use it.
  constexpr uint16_t OnlyStores =
      Relevance::Defines | Relevance::SetsRecord | Relevance::SetsKey;
  KeepsUnjoined = (Rel.bits(Callee) & ~OnlyStores) == 0;
  bool OnGraphs = Rel.bits(Callee) &
                  (Relevance::Opens | Relevance::Drops | Relevance::Works);
  MaxChanged = OnGraphs ? MaxOnGraphs : MaxDistinguishing;
  unsigned Most =
      Rel.components().isRecursive(Callee) ? ManyWalks : VeryManyWalks;
  WithUnjoined = Times < Most && !KeepsUnjoined;
  if (!WithFacts || (S.Facts.empty() && S.Equal.empty()))
    return;
  for (ValueId A : Roots)
    D.visitTree(A, [&](ValueId Part) { ArgParts.insert(Part); });
  for (auto [L, V] : Visible)
    ArgParts.insert(V);
}

/// Removes the memory that the callee cannot use: members and globals that
/// neither it nor its callees mention or pass to kernels, and sums that are
/// only counters. Otherwise, few calls would share a walk.
void CallKey::dropUnread() {
  uint16_t Bits = Rel.bits(Callee);
  Anything = Bits & Relevance::Unknown;
  for (ValueId V : Roots) {
    ValueId Held = V;
    if (D[V].Kind == ValueKind::Addr)
      if (std::optional<unsigned> In = S.Mem.lookup(D[V].A))
        Held = *In;
    Anything |= D[Held].Kind == ValueKind::Closure ||
                D[Held].Kind == ValueKind::Function;
  }
  auto IsPassed = [&](LocId L) {
    for (; D.at(L).Kind == LocKind::Field || D.at(L).Kind == LocKind::Elem;
         L = D.at(L).A)
      if (D.at(L).Kind == LocKind::Field &&
          Rel.mentions(Callee, wholeObjectOf(D.text(D.at(L).S))))
        return true;
    return false;
  };
  bool Passes = !Anything && Rel.mentions(Callee, AnyWholeObject);
  llvm::erase_if(Visible, [&](const std::pair<LocId, ValueId> &Entry) {
    LocId L = markedTable(D, Entry.first);
    while (D.at(L).Kind == LocKind::Elem)
      L = D.at(L).A;
    const LocNode N = D.at(L);
    if (N.Kind != LocKind::Field && N.Kind != LocKind::Global)
      return false;
    LocKind Root = D.at(D.root(L)).Kind;
    if ((Root == LocKind::Global || Root == LocKind::Pointee) &&
        D[Entry.second].Kind == ValueKind::Op && !D.isMeasured(Entry.second))
      return true;
    if (D.slotAt(L) == Slot::DynamicClass || D.slotAt(L) == Slot::Overrider)
      return !Anything && !(Bits & Relevance::Virtual);
    llvm::StringRef Name = D.text(N.S);
    bool Implicit = isSynthetic(Name) && Name != ListSize;
    return !Anything && D.slotAt(L) == Slot::None && !Implicit &&
           !Rel.mentions(Callee, Name) && !(Passes && IsPassed(L));
  });
}

/// Records which of the objects that the callee sees have an owner that it does
/// not see.
void CallKey::findOwners() {
  if (!Anything && !(Rel.bits(Callee) & Relevance::Virtual) &&
      !Rel.mentions(Callee, LastOwnerOp))
    return;
  llvm::SmallDenseSet<ValueId, 8> Objects;
  auto Note = [&](ValueId V) {
    if (isMadeObject(D, V))
      Objects.insert(V);
    for (ValueId Each : D.candidates(V))
      if (isMadeObject(D, Each))
        Objects.insert(Each);
  };
  for (ValueId V : Passed)
    Note(V);
  for (auto [L, V] : Visible)
    Note(V);
  if (Objects.empty())
    return;
  for (const FactMap::Item &I : S.Owned)
    if (Objects.contains(I.Key))
      Owned.set(I.Key, 0);
  const Owners Sharing(W);
  auto Next = Visible.begin();
  for (const Memory::Item &I : S.Mem) {
    while (Next != Visible.end() && Next->first < I.Key)
      ++Next;
    bool Sees = Next != Visible.end() && Next->first == I.Key;
    if (Sees || !Sharing.mayOwn(I.Key))
      continue;
    if (Objects.contains(I.Data))
      Owned.set(I.Data, 0);
    for (ValueId Each : D.candidates(I.Data))
      if (Objects.contains(Each))
        Owned.set(Each, 0);
  }
}

/// True if the callee can reach \p V, or both values that \p V compares.
bool CallKey::isObservable(ValueId V) const {
  if (ArgParts.count(V))
    return true;
  const ValueNode N = D[V];
  if (N.Kind == ValueKind::Op && N.B != None &&
      (llvm::is_contained({"<", "<=", ">", ">="}, D.text(N.S)) ||
       (D.text(N.S) == "==" && !D.asInt(N.B))))
    return D[N.A].Kind != ValueKind::Op && D[N.B].Kind != ValueKind::Op &&
           isObservable(N.A) && isObservable(N.B);
  if (N.Kind != ValueKind::Init)
    return false;
  LocKind K = D.at(D.root(N.A)).Kind;
  return K == LocKind::Global || K == LocKind::Pointee;
}

/// KEY of State.def: the part of a field on which the walk of the callee
/// depends.
class CallKey::Digester {
public:
  explicit Digester(const CallKey &Of) : Of(Of) {}
  std::vector<unsigned> Key;

  void all(const Captures &Field) {
    Key.insert(Key.end(), Field.begin(), Field.end());
    Key.push_back(None);
  }
  template <typename T> void number(T Field) {
    Key.push_back(static_cast<unsigned>(Field));
  }
  /// Adds \p V. If it is one of several numbers, also adds their count, because
  /// the same ID may have more candidates later.
  void value(ValueId V) {
    Key.push_back(V);
    if (V != None && Of.D[V].Kind == ValueKind::Phi)
      Key.push_back(Of.D.isNumbers(V) ? Of.D.candidates(V).size() : 0);
  }
  void visible(const Memory &) {
    for (unsigned I = 0; I < Of.G.NumParams; ++I)
      value(I < Of.Passed.size() ? Of.Passed[I] : None);
    for (auto [L, V] : Of.Visible) {
      Key.push_back(L);
      value(V);
    }
    Key.push_back(None);
  }
  void items(const FactMap &Field) {
    for (const FactMap::Item &I : Field) {
      Key.push_back(I.Key);
      Key.push_back(I.Data);
    }
    Key.push_back(None);
  }
  void owners(const FactMap &) { items(Of.Owned); }
  void observable(const FactMap &Field) { items(Of.observed(Field)); }
  /// Distinguishes calls by these items only if there are few.
  void few(const FactMap &Field) { upTo(MaxDistinguishing, Field); }
  /// The same, with more items if the callee uses graphs.
  void changes(const FactMap &Field) { upTo(Of.MaxChanged, Field); }
  void unjoined(const FactMap &Field) {
    items(Of.WithUnjoined ? Field : FactMap());
  }

private:
  void upTo(unsigned Max, const FactMap &Field) {
    if (Field.size() <= Max)
      return items(Field);
    Key.push_back(None - 1);
    Key.push_back(None);
  }

  const CallKey &Of;
};

/// ENTER of State.def: the part of a field that the callee sees.
class CallKey::Entering {
public:
  explicit Entering(const CallKey &Of) : Of(Of) {}

  template <typename T> T whole(const T &Field) { return Field; }
  Memory visible(const Memory &) {
    Memory Result;
    for (auto [L, V] : Of.Visible)
      Result.set(L, V);
    for (unsigned I = 0; I < Of.G.NumParams; ++I)
      Result.set(Of.D.loc(LocKind::Var, I, Of.Callee),
                 I < Of.Passed.size()
                     ? Of.Passed[I]
                     : Of.D.opaque(Domain::site(Of.Callee, I, 10)));
    return Result;
  }
  FactMap owners(const FactMap &) { return Of.Owned; }
  FactMap observable(const FactMap &Field) { return Of.observed(Field); }
  FactMap unjoined(const FactMap &Field) {
    return Of.WithUnjoined ? Field : FactMap();
  }

private:
  const CallKey &Of;
};

/// LEAVE of State.def: the field of the caller after the call.
class CallKey::Leaving {
public:
  Leaving(const CallKey &Of, const State &Exit, ValueId Returned,
          FunctionId Caller, llvm::ArrayRef<unsigned> Settled)
      : Of(Of), Exit(Exit), Returned(Returned), Caller(Caller),
        Settled(Settled) {}

  template <typename T> void replaced(T &Mine, const T &Theirs) {
    Mine = Theirs;
  }
  template <typename T> void kept(T &, const T &) {}
  void added(bool &Mine, bool Theirs) { Mine |= Theirs; }
  void merged(FactMap &Mine, const FactMap &Theirs) {
    for (const FactMap::Item &I : Theirs)
      Mine.set(I.Key, I.Data);
  }
  void owners(FactMap &Mine, const FactMap &Theirs) {
    for (const FactMap::Item &I : Theirs)
      if (I.Data)
        Mine.set(I.Key, I.Data);
  }
  /// Replaces the items if they are few, and merges them if they are many.
  void few(FactMap &Mine, const FactMap &Theirs) {
    Mine.size() <= MaxDistinguishing ? replaced(Mine, Theirs)
                                     : merged(Mine, Theirs);
  }
  void changes(FactMap &Mine, const FactMap &Theirs) {
    if (Mine.size() <= Of.MaxChanged)
      return replaced(Mine, Theirs);
    for (unsigned Id : Settled)
      Mine.erase(Id);
    merged(Mine, Theirs);
  }
  void unjoined(FactMap &Mine, const FactMap &Theirs) {
    if (Of.WithUnjoined)
      Mine = Theirs;
    else if (!Of.KeepsUnjoined)
      blurUnjoined(Of.D, Mine, None);
  }
  void visible(Memory &Mine, const Memory &) {
    Domain &D = Of.D;
    llvm::SmallVector<ValueId, 8> Needed = Of.Roots;
    Needed.push_back(Returned);
    for (const FactMap::Item &I : Exit.Threads) // its objects exist
      Needed.push_back(I.Data);
    if (D[Returned].Kind == ValueKind::CopyOf)
      Needed.push_back(
          D.value(ValueKind::Addr, 0, D.loc(LocKind::Return, 0, Of.Callee)));
    // The path to an object may lead through a member that the callee never
    // mentions and therefore does not see: the object exists regardless.
    llvm::SmallDenseSet<LocId, 16> Seen;
    for (auto [L, V] : Of.Visible) {
      LocId Root = D.root(L);
      LocKind K = D.at(Root).Kind;
      if (K != LocKind::Global && K != LocKind::Pointee &&
          Seen.insert(Root).second)
        Needed.push_back(D.value(ValueKind::Addr, 0, Root));
    }
    MemoryItems Left = reachable(D, Exit, Needed);
    llvm::erase_if(Left, [&](const std::pair<LocId, ValueId> &Entry) {
      const LocNode Root = D.at(D.root(Entry.first));
      return (Root.Kind == LocKind::Var || Root.Kind == LocKind::Result) &&
             Root.A == Of.Callee && Of.Callee != Caller;
    });
    Mine.replace(Of.Visible, Left);
  }

private:
  const CallKey &Of;
  const State &Exit;
  ValueId Returned;
  FunctionId Caller;
  llvm::ArrayRef<unsigned> Settled;
};

/// The part of \p Field that the callee can reach.
FactMap CallKey::observed(const FactMap &Field) const {
  FactMap Result;
  if (WithFacts)
    for (const FactMap::Item &I : Field)
      if (isObservable(I.Key))
        Result.set(I.Key, I.Data);
  return Result;
}

CallKey::Digest CallKey::digest(llvm::ArrayRef<unsigned> Context) const {
  Digester To(*this);
  To.Key.assign(Context.begin(), Context.end());
  To.Key.push_back(None);
#define FIELD(TYPE, NAME, INITIAL, JOIN, KEY, ENTER, LEAVE) To.KEY(S.NAME);
#include "analysis/domain/State.def"
  auto [Low, High] = llvm::xxh3_128bits(
      llvm::ArrayRef(reinterpret_cast<const uint8_t *>(To.Key.data()),
                     To.Key.size() * sizeof(unsigned)));
  return {Low, High};
}

State CallKey::entry() const {
  Entering To(*this);
  State Result;
#define FIELD(TYPE, NAME, INITIAL, JOIN, KEY, ENTER, LEAVE)                    \
  Result.NAME = To.ENTER(S.NAME);
#include "analysis/domain/State.def"
  return Result;
}

State CallKey::leave(const State &Exit, ValueId Returned, FunctionId Caller,
                     llvm::ArrayRef<unsigned> Settled) const {
  Leaving From(*this, Exit, Returned, Caller, Settled);
  State Result = S;
#define FIELD(TYPE, NAME, INITIAL, JOIN, KEY, ENTER, LEAVE)                    \
  From.LEAVE(Result.NAME, Exit.NAME);
#include "analysis/domain/State.def"
  return Result;
}

} // namespace cudagraph
