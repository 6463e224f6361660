//===- Join.cpp - Joins two states ----------------------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The state after two paths have met. State.def names the function of Joiner
// for each field.
//
//===----------------------------------------------------------------------===//

#include "Marks.h"
#include "Memory.h"
#include "State.h"
#include "Truth.h"
#include "analysis/ir/TableMarks.h"

namespace cudagraph {
namespace {

using Data = std::optional<unsigned>;

/// Each function joins the field \p Theirs of one state into that of another,
/// and returns true if \p Mine now represents more possibilities.
class Joiner {
public:
  Joiner(Domain &D, State &Into, const State &New, int64_t Site, Widen Wide)
      : D(D), Into(Into), New(New), Site(Site), Wide(Wide) {}

  /// Equal in both.
  template <typename T> bool distinguished(T &, const T &) { return false; }

  /// The field is equal in both states, because a failing state does not weaken
  /// one that does not fail.
  bool failing(bool &, bool) { return false; }

  template <typename T> bool most(T &Mine, T Theirs) {
    bool More = Theirs > Mine;
    Mine = std::max(Mine, Theirs);
    return More;
  }

  bool either(bool &Mine, bool Theirs) {
    bool More = Theirs && !Mine;
    Mine |= Theirs;
    return More;
  }

  bool contents(Memory &Mine, const Memory &Theirs);

  /// Keeps only facts that hold in both states, and facts about values that
  /// meet. Only the loss of a fact counts as a change.
  bool conditions(FactMap &Mine, const FactMap &Theirs) {
    FactMap Before = Mine;
    if (!(Into.Unjoined == New.Unjoined))
      Chosen = llvm::any_of(Before, [&](const FactMap::Item &I) {
        Data Other = Theirs.lookup(I.Key);
        return Other && *Other != I.Data && isOfInputs(D, I.Key);
      });
    compared(Before, New, /*Second=*/false);
    compared(Theirs, Into, /*Second=*/true);
    agreed(Mine, Theirs);
    for (auto [Phi, Truth] : Agreed)
      Mine.set(Phi, Truth);
    return llvm::any_of(Before, [&](const FactMap::Item &I) {
      return Mine.lookup(I.Key) != Data(I.Data);
    });
  }

  /// Keeps only facts that hold in both states.
  bool agreed(FactMap &Mine, const FactMap &Theirs) {
    return each(
        Mine, Theirs,
        [](unsigned A, unsigned B) { return A == B ? Data(A) : std::nullopt; },
        [](unsigned) -> Data { return std::nullopt; });
  }

  /// The same for values of locations that have been written: a path that has
  /// not written a location agrees if it has that value.
  bool reached(FactMap &Mine, const FactMap &Theirs) {
    if (Mine == Theirs)
      return false;
    FactMap Both;
    auto Add = [&](const FactMap &Items, const FactMap &Others,
                   const Memory &Contents) {
      for (const FactMap::Item &I : Items) {
        Data Other = Others.lookup(I.Key);
        if ((Other ? Other : Contents.lookup(I.Key)) == Data(I.Data))
          Both.set(I.Key, I.Data);
      }
    };
    Add(Mine, Theirs, New.Mem);
    Add(Theirs, Mine, Into.Mem);
    bool More = !(Both == Mine);
    Mine = std::move(Both);
    return More;
  }

  bool membership(FactMap &Mine, const FactMap &Theirs) {
    return each(
        Mine, Theirs,
        [](unsigned A, unsigned B) -> Data {
          Member X = Member::decode(A), Y = Member::decode(B);
          X.Maybe |= Y.Maybe || X.Capture != Y.Capture;
          X.Guess |= Y.Guess;
          X.Capture = std::min(X.Capture, Y.Capture);
          return X.encode();
        },
        [](unsigned A) -> Data { return A | 1; });
  }

  bool recordings(FactMap &Mine, const FactMap &Theirs) {
    return each(
        Mine, Theirs,
        [](unsigned A, unsigned B) -> Data {
          Recorded X = Recorded::decode(A), Y = Recorded::decode(B);
          if (X.Where == Y.Where && X.Capture == Y.Capture)
            return A | B;
          // A stream that may be in the capture may also be elsewhere.
          bool Mine = X.Where == Recorded::Inside;
          bool Theirs = Y.Where == Recorded::Inside;
          if (!Mine && !Theirs)
            return std::nullopt;
          Recorded In = !Theirs || (Mine && X.Capture < Y.Capture) ? X : Y;
          In.Maybe = true;
          return In.encode();
        },
        [](unsigned A) -> Data {
          if (Recorded::decode(A).Where != Recorded::Inside)
            return std::nullopt;
          return A | 1;
        });
  }

  bool unjoined(FactMap &Mine, const FactMap &Theirs) {
    return each(
        Mine, Theirs,
        [&](unsigned A, unsigned B) -> Data {
          UnjoinedWork X = UnjoinedWork::decode(A), Y = UnjoinedWork::decode(B);
          return UnjoinedWork::either(X, Y, Chosen).encode();
        },
        [](unsigned A) -> Data {
          UnjoinedWork X = UnjoinedWork::decode(A);
          if (X.How == UnjoinedWork::Surely)
            X.How = UnjoinedWork::Partly;
          return X.encode();
        });
  }

  /// Keeps the facts of both paths. A fact from only one path is possible.
  bool possibly(FactMap &Mine, const FactMap &Theirs) {
    return each(
        Mine, Theirs, [](unsigned A, unsigned B) -> Data { return A | B; },
        [](unsigned) -> Data { return 1; });
  }

  /// Keeps the graphs of both paths. A graph from only one path is possible; it
  /// belongs to a different element if no path captured it for this one.
  bool graphs(FactMap &Mine, const FactMap &Theirs) {
    return each(
        Mine, Theirs,
        [](unsigned A, unsigned B) -> Data {
          return ((A | B) & 1) | (A & B & OfOtherElement);
        },
        [](unsigned A) -> Data { return A | 1; });
  }

  /// The contents of either path; if they differ, one of the two values.
  bool first(FactMap &Mine, const FactMap &Theirs) {
    return each(
        Mine, Theirs,
        [](unsigned A, unsigned B) -> Data { return std::min(A, B); },
        [](unsigned A) -> Data { return A; });
  }

  /// Keeps only contents that both paths have.
  bool onBoth(FactMap &Mine, const FactMap &Theirs) {
    return each(
        Mine, Theirs,
        [](unsigned A, unsigned B) -> Data { return std::min(A, B); },
        [](unsigned) -> Data { return std::nullopt; });
  }

  /// Keeps the launches of either path, and whether one of them has waited.
  bool unlessWaited(FactMap &Mine, const FactMap &Theirs) {
    return each(
        Mine, Theirs,
        [](unsigned A, unsigned B) -> Data {
          return std::min(A & ~1u, B & ~1u) | ((A | B) & 1);
        },
        [](unsigned A) -> Data { return A; });
  }

  /// If the lifetime of memory ended on only one path, it may have ended.
  bool ended(FactMap &Mine, const FactMap &Theirs) {
    return each(
        Mine, Theirs,
        [](unsigned A, unsigned B) -> Data {
          return std::min(A & ~1u, B & ~1u) | ((A | B) & 1);
        },
        [](unsigned A) -> Data { return A | 1; });
  }

private:
  /// Joins the items of two maps: with \p Both if both have the key, else with
  /// \p One. Items without a result are removed.
  template <typename BothFn, typename OneFn>
  bool each(FactMap &Mine, const FactMap &Theirs, BothFn Both, OneFn One) {
    if (Mine == Theirs)
      return false;
    bool More = false;
    for (const FactMap::Item &I : FactMap(Mine)) {
      Data Other = Theirs.lookup(I.Key);
      Data Now = Other ? Both(I.Data, *Other) : One(I.Data);
      if (!Now)
        Mine.erase(I.Key);
      else if (*Now != I.Data)
        Mine.set(I.Key, *Now);
      More |= !Now || *Now != I.Data;
    }
    for (const FactMap::Item &I : Theirs)
      if (!Mine.contains(I.Key))
        if (Data Now = One(I.Data)) {
          Mine.set(I.Key, *Now);
          More = true;
        }
    return More;
  }

  bool content(Memory &Mine, LocId L, std::optional<ValueId> Old,
               std::optional<ValueId> Other);

  bool widens(LocId L, ValueId V) const;

  void compared(const FactMap &Facts, const State &Other, bool Second);

  Domain &D;
  State &Into;
  const State &New;
  int64_t Site;
  Widen Wide;
  /// Facts that hold on both paths, about values that meet: a location that was
  /// set on both, to any value, is set afterwards.
  llvm::SmallVector<std::pair<ValueId, bool>, 4> Agreed;
  /// The values of a location on the two paths, and afterwards.
  struct Meeting {
    ValueId First, Second, Phi;
  };
  llvm::SmallVector<Meeting, 8> Meetings;
  /// The paths differ in a condition on the inputs of the program.
  bool Chosen = false;
};

/// \p Facts compare values of one path (the second one if \p Second is set)
/// with others. If a comparison has the same result for the value of the other
/// path, \p Other, it keeps that result afterwards: `Capacity` is at least `N`
/// after `if (Capacity < N) Capacity = N;`.
void Joiner::compared(const FactMap &Facts, const State &Other, bool Second) {
  if (Meetings.empty())
    return;
  for (const FactMap::Item &I : Facts) {
    const ValueNode Test = D[I.Key];
    if (Test.Kind != ValueKind::Op || Test.A == None || Test.B == None)
      continue;
    for (const Meeting &M : Meetings) {
      ValueId Here = Second ? M.Second : M.First;
      if ((Test.A == Here) == (Test.B == Here) ||
          !isStable(D, Test.A == Here ? Test.B : Test.A))
        continue;
      auto With = [&](ValueId V) {
        return D.apply(D.text(Test.S), Test.A == Here ? V : Test.A,
                       Test.B == Here ? V : Test.B);
      };
      if (truth(D, Other, With(Second ? M.First : M.Second)) ==
          std::optional(I.Data != 0))
        Agreed.push_back({With(M.Phi), I.Data != 0});
    }
  }
}

/// True if \p V, the contents of \p L in a late iteration of a loop, exceeds
/// the values that are counted.
bool Joiner::widens(LocId L, ValueId V) const {
  if (Wide != Widen::AllButNumbersOfMembers)
    return Wide == Widen::Everything;
  return D.at(L).Kind != LocKind::Field || !D.isNumbers(V);
}

/// Joins the contents of location \p L on the two paths, if it was written.
bool Joiner::content(Memory &Mine, LocId L, std::optional<ValueId> Old,
                     std::optional<ValueId> Other) {
  // A table without this mark does not have the element.
  if ((!Old || !Other) && D.at(L).Kind == LocKind::Field &&
      D.text(D.at(L).S) == HasKey)
    (Old ? Other : Old) = D.integer(0);
  LocKind Root = D.at(D.root(L)).Kind;
  bool Local = Root == LocKind::Var || Root == LocKind::Temp ||
               Root == LocKind::Result || Root == LocKind::Return;
  // On the other path, a local is not initialized; any other location has the
  // contents that it had on entry. Properties of a library handle that was not
  // created there, and memory that was not allocated, are not initialized
  // either.
  if (!Local && (!Old || !Other) && Root == LocKind::Pointee) {
    const ValueNode Made = D[D.at(D.root(L)).A];
    Local = Made.Kind == ValueKind::Handle ||
            (Made.Kind == ValueKind::Memory &&
             (Made.B == None || Made.B == PerhapsNull));
  }
  // An element of an array is also uninitialized until a loop has set it.
  if (!Local && (!Old || !Other))
    Local = isOfElement(D, L) && isHandle(D, Old ? *Old : *Other);
  if (Local && !Old) {
    Mine.set(L, *Other);
    return true;
  }
  if (Local && !Other)
    return false;
  ValueId A = Old ? *Old : defaultContents(D, L);
  ValueId B = Other ? *Other : defaultContents(D, L);
  if (A == B)
    return false;
  if (ValueId Own = ownHandle(D, L, A, B); Own != None) {
    Mine.set(L, Own);
    return Own != A;
  }
  const ValueNode N = D[A];
  // A pointer that iterates over an array.
  if (N.Kind == ValueKind::Addr && D[B].Kind == ValueKind::Addr)
    if (LocId Either = eitherElement(D, N.A, D[B].A); Either != None) {
      Mine.set(L, D.value(ValueKind::Addr, 0, Either));
      return Either != N.A;
    }
  bool Several = isHandle(D, A) && isHandle(D, B) && isOfSomeElement(D, L);
  int64_t Here = Several ? SeveralElements : Site;
  ValueId Phi = N.Kind == ValueKind::Phi && N.N == Here && N.A == L
                    ? A
                    : D.value(ValueKind::Phi, Here, L);
  if (std::optional<bool> T = truth(D, Into, A); T && T == truth(D, New, B))
    Agreed.push_back({Phi, *T});
  Meetings.push_back({A, B, Phi});
  auto Add = [&](ValueId V) {
    return D.addCandidate(Phi, V, !Several && widens(L, V));
  };
  if (A == Phi)
    return Add(B);
  Add(A);
  Add(B);
  Mine.set(L, Phi);
  return true;
}

bool Joiner::contents(Memory &Mine, const Memory &Theirs) {
  if (Mine == Theirs)
    return false;
  bool More = false;
  Memory Old = Mine;
  auto A = Old.begin(), B = Theirs.begin();
  while (A != Old.end() || B != Theirs.end()) {
    if (B == Theirs.end() || (A != Old.end() && A->Key < B->Key)) {
      More |= content(Mine, A->Key, A->Data, std::nullopt);
      ++A;
    } else if (A == Old.end() || B->Key < A->Key) {
      More |= content(Mine, B->Key, std::nullopt, B->Data);
      ++B;
    } else {
      if (A->Data != B->Data)
        More |= content(Mine, A->Key, A->Data, B->Data);
      ++A;
      ++B;
    }
  }
  return More;
}

} // namespace

bool join(Domain &D, State &Into, const State &New, int64_t Site, Widen Wide,
          uint64_t &Steps) {
  // The effects of a failure path do not weaken those of other paths.
  if (New.Failing && !Into.Failing)
    return false;
  if (Into.Failing && !New.Failing) {
    Into = New;
    return true;
  }
  if (!(Into.Mem == New.Mem))
    Steps += Into.Mem.size() / 32; // joins count as work
  bool More = false;
  Joiner J(D, Into, New, Site, Wide);
#define FIELD(TYPE, NAME, INITIAL, JOIN, KEY, ENTER, LEAVE)                    \
  More |= J.JOIN(Into.NAME, New.NAME);
#include "State.def"
  return More;
}

} // namespace cudagraph
