//===- StateTest.cpp - Laws of joining states -----------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Laws of a join, regardless of the fields of a state: random states are joined
// in every order. These laws ensure that the walk of a flow graph ends, and
// that its result does not depend on which path it takes first.
//
//===----------------------------------------------------------------------===//

#include "analysis/domain/State.h"
#include "analysis/domain/Marks.h"
#include "analysis/domain/Memory.h"
#include "analysis/domain/Truth.h"
#include <gtest/gtest.h>
#include <random>

using namespace cudagraph;

namespace {

/// Creates random states over a few locations and values.
struct Joins : testing::Test {
  Domain D;
  std::mt19937 Random{42};
  std::vector<LocId> Places;
  std::vector<ValueId> Values, Streams, Events;

  Joins() {
    for (unsigned I = 0; I < 3; ++I) {
      Places.push_back(D.loc(LocKind::Var, I, 7));
      Places.push_back(
          D.loc(LocKind::Global, 0, None, None, "g" + std::to_string(I)));
      Places.push_back(D.loc(LocKind::Field, 0, Places[0], None,
                             "C::f" + std::to_string(I)));
      Values.push_back(D.integer(I));
      Values.push_back(D.opaque(100 + I));
      Values.push_back(D.value(ValueKind::Status, I));
      Streams.push_back(D.value(ValueKind::Stream, I));
      Events.push_back(D.value(ValueKind::Event, I));
    }
  }

  unsigned upTo(unsigned N) { return Random() % (N + 1); }
  template <typename T> T any(const std::vector<T> &Of) {
    return Of[Random() % Of.size()];
  }

  State state() {
    State S;
    for (unsigned I = upTo(4); I-- > 0;)
      S.Mem.set(any(Places), any(Values));
    for (unsigned I = upTo(2); I-- > 0;) {
      S.Facts.set(any(Values), upTo(1));
      S.Equal.set(any(Values), D.integer(upTo(2)));
      S.Streams.set(any(Streams),
                    Member{upTo(1), upTo(1) != 0, upTo(1) != 0}.encode());
      Recorded R{static_cast<Recorded::Place>(upTo(3)), upTo(1), upTo(1) != 0};
      S.Events.set(any(Events), R.encode());
      S.Unjoined.set(
          unjoinedKey(D, any(Streams), any(Streams)),
          UnjoinedWork{static_cast<UnjoinedWork::Degree>(upTo(3)), upTo(2)}
              .encode());
      S.Broken.set(upTo(2), upTo(1));
      S.Threads.set(any(Values), any(Values));
      S.Gone.set(keyOfValue(any(Values)), upTo(3));
    }
    S.Unparsed = upTo(2);
    S.ForeignCaptures = upTo(1);
    return S;
  }

  /// The state after a join of \p A and \p B; \p More: whether it allows more
  /// than A.
  State joined(State A, const State &B, bool *More = nullptr) {
    uint64_t Steps = 0;
    bool Changed = join(D, A, B, /*Site=*/5, Widen::Nothing, Steps);
    if (More)
      *More = Changed;
    return A;
  }
};

TEST_F(Joins, OfAStateWithItselfChangeNothing) {
  for (unsigned I = 0; I < 2000; ++I) {
    State A = state();
    bool More = true;
    EXPECT_EQ(joined(A, A, &More), A);
    EXPECT_FALSE(More);
  }
}

TEST_F(Joins, DoNotDependOnTheOrder) {
  for (unsigned I = 0; I < 2000; ++I) {
    State A = state(), B = state();
    EXPECT_EQ(joined(A, B), joined(B, A)) << "round " << I;
  }
}

TEST_F(Joins, AllowAllThatEachSideAllows) {
  for (unsigned I = 0; I < 2000; ++I) {
    State A = state(), B = state();
    State Both = joined(A, B);
    EXPECT_EQ(joined(Both, A), Both) << "round " << I;
    EXPECT_EQ(joined(Both, B), Both) << "round " << I;
  }
}

// Otherwise, a walk would not end.
TEST_F(Joins, ReportNoMoreThanThereIs) {
  for (unsigned I = 0; I < 2000; ++I) {
    State A = state(), B = state();
    State Both = joined(A, B);
    Both.Facts = A.Facts = B.Facts = FactMap();
    bool More = true;
    joined(Both, A, &More);
    EXPECT_FALSE(More) << "round " << I;
    joined(Both, B, &More);
    EXPECT_FALSE(More) << "round " << I;
  }
}

// A larger state stays larger after a join with any other. Facts about
// conditions do not follow this law: two states may record the same information
// in two forms, as a fact and as a constant, and their join then has neither.
TEST_F(Joins, KeepTheOrderOfStates) {
  for (unsigned I = 0; I < 2000; ++I) {
    State A = state(), B = state(), Other = state();
    for (State *Each : {&A, &B, &Other}) {
      Each->Facts.clear();
      Each->Equal.clear();
    }
    State Larger = joined(joined(A, B), Other);
    State Smaller = joined(A, Other);
    Larger.Facts = Smaller.Facts = FactMap(); // the joins have added some
    bool More = true;
    joined(Larger, Smaller, &More);
    EXPECT_FALSE(More) << "round " << I;
  }
}

TEST_F(Joins, ReportThatThereIsMore) {
  for (unsigned I = 0; I < 2000; ++I) {
    State A = state(), B = state();
    bool More = false;
    State Both = joined(A, B, &More);
    if (!(Both == A)) {
      EXPECT_TRUE(More) << "round " << I;
    }
  }
}

TEST_F(Joins, PreferWhatDoesNotFail) {
  State Fails = state(), Goes = state();
  Fails.Failing = true;
  EXPECT_EQ(joined(Fails, Goes), Goes);
  EXPECT_EQ(joined(Goes, Fails), Goes);
}

void change(FlatMap &Field) { Field.set(1, 1); }
void change(Captures &Field) { Field.push_back(1); }
template <typename T> void change(T &Field) { Field = !Field; }

// Each field of State.def belongs to the state.
TEST(States, DifferInEachField) {
  unsigned Fields = 0;
  const State A;
#define FIELD(TYPE, NAME, INITIAL, JOIN, KEY, ENTER, LEAVE)                    \
  {                                                                            \
    State B;                                                                   \
    change(B.NAME);                                                            \
    EXPECT_FALSE(A == B) << #NAME;                                             \
    ++Fields;                                                                  \
  }
#include "analysis/domain/State.def"
  EXPECT_GE(Fields, 16u);
}

TEST(States, ThatCaptureDifferentlyAreNotMerged) {
  State A, B;
  B.Active.push_back(0);
  EXPECT_FALSE(A.sameKey(B));
  B = A;
  B.Mem.set(1, 2);
  EXPECT_TRUE(A.sameKey(B));
}

/// A loop computes a flag from itself, as in `failed = failed | step();`.
TEST(Truths, ValueOfALoopIsUnknown) {
  Domain D;
  State S;
  ValueId Flag = D.value(ValueKind::Phi, 1);
  ValueId Next = D.apply("|", Flag, D.opaque(7));
  D.addCandidate(Flag, Next);
  EXPECT_EQ(truth(D, S, Flag), std::nullopt);
  EXPECT_EQ(truth(D, S, Next), std::nullopt);
  S.Facts.set(Flag, 1);
  EXPECT_EQ(truth(D, S, Next), true);
}

} // namespace
