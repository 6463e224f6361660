//===- DomainTest.cpp - Abstract values, locations, and states ------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Interning, folding, facts that joins keep, and identities of locations.
//
//===----------------------------------------------------------------------===//

#include "analysis/domain/Marks.h"
#include "analysis/domain/State.h"
#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <gtest/gtest.h>
#include <set>

using namespace cudagraph;

namespace {

/// A domain with a few unknown values.
struct DomainTest : testing::Test {
  Domain D;
  LocId Var = D.loc(LocKind::Var, 0, 7);
  LocId Other = D.loc(LocKind::Var, 1, 7);
  ValueId X = D.value(ValueKind::Init, 0, Var);
  ValueId Y = D.value(ValueKind::Init, 0, Other);
  ValueId Stream = D.value(ValueKind::Stream, Domain::site(7, 1));

  ValueId integer(int64_t N) { return D.integer(N); }
  std::optional<int64_t> fold(const char *Op, int64_t A, int64_t B) {
    return D.asInt(D.apply(Op, integer(A), integer(B)));
  }
  std::optional<int64_t> fold(const char *Op, int64_t A) {
    return D.asInt(D.apply(Op, integer(A), None));
  }
  ValueId phi(int64_t Site = 1) { return D.value(ValueKind::Phi, Site, Var); }
};

using Interning = DomainTest;
using Folding = DomainTest;
using Equality = DomainTest;
using Phis = DomainTest;
using Places = DomainTest;
using Traits = DomainTest;

//===----------------------------------------------------------------------===//
// Interning
//===----------------------------------------------------------------------===//

TEST_F(Interning, EqualDescriptionsAreOneValue) {
  EXPECT_EQ(D.integer(5), D.integer(5));
  EXPECT_EQ(D.value(ValueKind::Op, 0, X, Y, "+"),
            D.value(ValueKind::Op, 0, X, Y, "+"));
  EXPECT_EQ(D.loc(LocKind::Field, 0, Var, None, "C::s"),
            D.loc(LocKind::Field, 0, Var, None, "C::s"));
}

TEST_F(Interning, EveryPartOfTheDescriptionTellsValuesApart) {
  std::set<ValueId> Values = {D.value(ValueKind::Op, 0, X, Y, "+"),
                              D.value(ValueKind::Phi, 0, X, Y, "+"),
                              D.value(ValueKind::Op, 1, X, Y, "+"),
                              D.value(ValueKind::Op, 0, Y, Y, "+"),
                              D.value(ValueKind::Op, 0, X, X, "+"),
                              D.value(ValueKind::Op, 0, X, Y, "-")};
  EXPECT_EQ(Values.size(), 6U);
  std::set<LocId> Locs = {D.loc(LocKind::Field, 0, Var, None, "C::s"),
                          D.loc(LocKind::Global, 0, Var, None, "C::s"),
                          D.loc(LocKind::Field, 1, Var, None, "C::s"),
                          D.loc(LocKind::Field, 0, Other, None, "C::s"),
                          D.loc(LocKind::Field, 0, Var, X, "C::s"),
                          D.loc(LocKind::Field, 0, Var, None, "C::t")};
  EXPECT_EQ(Locs.size(), 6U);
}

TEST_F(Interning, KeepsTheDescription) {
  ValueId V = D.value(ValueKind::Op, 3, X, Y, "<<");
  EXPECT_EQ(D[V].Kind, ValueKind::Op);
  EXPECT_EQ(D[V].N, 3);
  EXPECT_EQ(D[V].A, X);
  EXPECT_EQ(D[V].B, Y);
  EXPECT_EQ(D.text(D[V].S), "<<");
  EXPECT_EQ(D.text(D[X].S), "");
}

TEST_F(Interning, SitesAreUniqueToFunctionIndexAndTag) {
  std::set<int64_t> Sites;
  for (FunctionId F : {0U, 1U, 70000U})
    for (unsigned Index : {0U, 1U, 1000000U})
      for (unsigned Tag : {0U, 1U, 15U})
        Sites.insert(Domain::site(F, Index, Tag));
  EXPECT_EQ(Sites.size(), 27U);
}

//===----------------------------------------------------------------------===//
// Folding
//===----------------------------------------------------------------------===//

TEST_F(Folding, ComputesWithConstants) {
  EXPECT_EQ(fold("+", 3, 4), 7);
  EXPECT_EQ(fold("-", 3, 4), -1);
  EXPECT_EQ(fold("*", -3, 4), -12);
  EXPECT_EQ(fold("/", 7, 2), 3);
  EXPECT_EQ(fold("|", 6, 1), 7);
  EXPECT_EQ(fold("&", 6, 3), 2);
  EXPECT_EQ(fold("!", 3), 0);
  EXPECT_EQ(fold("!", 0), 1);
  EXPECT_EQ(fold("bool", -2), 1);
  EXPECT_EQ(fold("bool", 0), 0);
  EXPECT_EQ(fold("neg", 5), -5);
  EXPECT_EQ(fold("~", 0), -1);
}

TEST_F(Folding, ComparesConstants) {
  for (int64_t A : {-1, 0, 1})
    for (int64_t B : {-1, 0, 1}) {
      EXPECT_EQ(fold("==", A, B), A == B);
      EXPECT_EQ(fold("!=", A, B), A != B);
      EXPECT_EQ(fold("<", A, B), A < B);
      EXPECT_EQ(fold(">", A, B), A > B);
      EXPECT_EQ(fold("<=", A, B), A <= B);
      EXPECT_EQ(fold(">=", A, B), A >= B);
      EXPECT_EQ(fold("&&", A, B), A && B);
      EXPECT_EQ(fold("||", A, B), A || B);
    }
}

TEST_F(Folding, LeavesAloneWhatHasNoResult) {
  EXPECT_EQ(fold("/", 1, 0), std::nullopt);
  EXPECT_EQ(fold("/", INT64_MIN, -1), std::nullopt);
  EXPECT_EQ(fold("no such operator", 1, 2), std::nullopt);
  EXPECT_EQ(fold("+", INT64_MAX, 1), INT64_MIN) << "wraps, as hardware does";
}

TEST_F(Folding, OneConstantMayDecideALogicalOperator) {
  EXPECT_EQ(D.apply("&&", integer(0), X), integer(0));
  EXPECT_EQ(D.apply("&&", X, integer(0)), integer(0));
  EXPECT_EQ(D.apply("||", integer(2), X), integer(1));
  EXPECT_EQ(D.apply("||", X, integer(2)), integer(1));
  EXPECT_EQ(D.apply("&&", integer(1), X), D.apply("bool", X, None));
  EXPECT_EQ(D.apply("||", X, integer(0)), D.apply("bool", X, None));
}

TEST_F(Folding, TruthOfATruthIsItself) {
  ValueId Not = D.apply("!", X, None);
  EXPECT_EQ(D.apply("bool", Not, None), Not);
  ValueId Bool = D.apply("bool", X, None);
  EXPECT_EQ(D.apply("bool", Bool, None), Bool);
  EXPECT_NE(Bool, X);
}

TEST_F(Folding, ObjectsAreNotNull) {
  for (ValueId V :
       {Stream, D.value(ValueKind::Addr, 0, Var),
        D.value(ValueKind::Closure, 3, Var), D.value(ValueKind::Function, 3)}) {
    EXPECT_EQ(D.apply("bool", V, None), integer(1));
    EXPECT_EQ(D.apply("!", V, None), integer(0));
    EXPECT_EQ(D.apply("==", V, integer(0)), integer(0));
    EXPECT_EQ(D.apply("!=", integer(0), V), integer(1));
  }
  EXPECT_EQ(D.asInt(D.apply("!", X, None)), std::nullopt)
      << "what a parameter holds may be null";
}

TEST_F(Equality, HasTheConstantOnTheRight) {
  ValueId V = D.apply("==", integer(4), X);
  EXPECT_EQ(V, D.apply("==", X, integer(4)));
  EXPECT_EQ(D[V].A, X);
  EXPECT_EQ(D[V].B, integer(4));
}

TEST_F(Equality, InequalityIsItsNegation) {
  EXPECT_EQ(D.apply("!=", X, Y), D.apply("!", D.apply("==", X, Y), None));
  EXPECT_EQ(D.apply("!=", integer(4), X),
            D.apply("!", D.apply("==", X, integer(4)), None));
}

TEST_F(Equality, HoldsOfAValueAndItself) {
  EXPECT_EQ(D.apply("==", X, X), integer(1));
  EXPECT_EQ(D.apply("!=", Stream, Stream), integer(0));
  EXPECT_EQ(D.asInt(D.apply("==", X, Y)), std::nullopt);
}

TEST_F(Equality, OfAPhiAndItselfIsNotKnown) {
  EXPECT_EQ(D.asInt(D.apply("==", phi(), phi())), std::nullopt)
      << "its two uses may stand for different iterations";
}

//===----------------------------------------------------------------------===//
// Phis
//===----------------------------------------------------------------------===//

TEST_F(Phis, RememberEachCandidateOnce) {
  ValueId P = phi();
  EXPECT_TRUE(D.addCandidate(P, X));
  EXPECT_TRUE(D.addCandidate(P, integer(0)));
  EXPECT_FALSE(D.addCandidate(P, X));
  EXPECT_FALSE(D.addCandidate(P, P)) << "a loop that changes nothing";
  EXPECT_EQ(D.candidates(P).vec(), (std::vector<ValueId>{X, integer(0)}));
  EXPECT_TRUE(D.candidates(phi(2)).empty());
}

TEST_F(Phis, ForgetWhenThereAreTooMany) {
  ValueId P = phi();
  unsigned Kept = 0;
  while (D.addCandidate(P, integer(Kept)) && !D.overflowed(P))
    ASSERT_EQ(D.candidates(P).size(), ++Kept);
  EXPECT_TRUE(D.overflowed(P));
  EXPECT_GE(Kept, 2U) << "both sides of a branch";
  EXPECT_LE(Kept, 16U);
  EXPECT_TRUE(D.candidates(P).empty());
  EXPECT_FALSE(D.addCandidate(P, integer(1000))) << "settled";
  EXPECT_FALSE(D.overflowed(phi(2)));
}

TEST_F(Phis, SettleAtOnceWhenWidened) {
  ValueId P = phi();
  EXPECT_TRUE(D.addCandidate(P, X));
  EXPECT_TRUE(D.addCandidate(P, Y, /*Widen=*/true));
  EXPECT_TRUE(D.overflowed(P));
  EXPECT_FALSE(D.addCandidate(P, integer(3), /*Widen=*/true));
}

TEST_F(Phis, DoNotCountComputedValues) {
  EXPECT_TRUE(D.addCandidate(phi(1), D.apply("+", X, integer(1))));
  EXPECT_TRUE(D.overflowed(phi(1)));
  EXPECT_TRUE(D.addCandidate(phi(2), D.opaque(9)));
  EXPECT_TRUE(D.overflowed(phi(2)));
  // Values that the device computes are an exception, because rules query them.
  ValueId Read = D.value(ValueKind::DeviceRead, 9);
  EXPECT_TRUE(D.addCandidate(phi(3), D.apply("+", Read, integer(1))));
  EXPECT_FALSE(D.overflowed(phi(3)));
}

TEST_F(Phis, AreSeenThroughWhenATreeIsVisited) {
  D.addCandidate(phi(), Stream);
  std::set<ValueId> Seen;
  D.visitTree(D.apply("+", phi(), Y), [&](ValueId V) { Seen.insert(V); });
  EXPECT_TRUE(Seen.count(Stream));
  EXPECT_TRUE(Seen.count(Y));
  EXPECT_FALSE(Seen.count(X));
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

TEST_F(Places, DereferenceUndoesAddress) {
  EXPECT_EQ(D.pointee(D.value(ValueKind::Addr, 0, Var)), Var);
  EXPECT_EQ(D.pointee(D.value(ValueKind::Closure, 3, Var)), Var)
      << "a lambda's object holds its captures";
  EXPECT_EQ(D.pointee(X), D.pointee(X));
  EXPECT_NE(D.pointee(X), D.pointee(Y));
  EXPECT_EQ(D.at(D.pointee(X)).Kind, LocKind::Pointee);
}

TEST_F(Places, TheFirstElementBehindAPointerIsItsPointee) {
  EXPECT_EQ(D.element(Var, integer(0), /*IsPointer=*/true), Var);
  EXPECT_NE(D.element(Var, integer(0), /*IsPointer=*/false), Var);
}

TEST_F(Places, PointersMoveAlongTheirArray) {
  LocId Third = D.element(Var, integer(3), /*IsPointer=*/false);
  EXPECT_EQ(D.element(Third, integer(-2), /*IsPointer=*/true),
            D.element(Var, integer(1), /*IsPointer=*/false));
  EXPECT_EQ(D.element(Third, integer(0), /*IsPointer=*/true), Third);
  EXPECT_EQ(D.element(Third, X, /*IsPointer=*/true),
            D.element(Var, None, /*IsPointer=*/false));
}

TEST_F(Places, ArraysOfArraysNest) {
  LocId Row = D.element(Var, integer(1), /*IsPointer=*/false);
  LocId Cell = D.element(Row, integer(2), /*IsPointer=*/false);
  EXPECT_EQ(D.at(Cell).A, Row);
  EXPECT_EQ(D.root(Cell), Var);
}

TEST_F(Places, AnUnknownIndexIsSomeElement) {
  LocId Some = D.element(Var, X, /*IsPointer=*/false);
  EXPECT_EQ(Some, D.element(Var, Y, /*IsPointer=*/false));
  EXPECT_EQ(D.at(Some).B, None);
  EXPECT_NE(Some, D.element(Var, integer(1), /*IsPointer=*/false));
}

TEST_F(Places, TheRootOfAMemberIsItsObject) {
  LocId Object = D.pointee(X);
  LocId Member = D.loc(LocKind::Field, 0, Object, None, "C::streams");
  EXPECT_EQ(D.root(D.element(Member, integer(1), false)), Object);
  EXPECT_EQ(D.root(Var), Var);
}

//===----------------------------------------------------------------------===//
// Properties of values
//===----------------------------------------------------------------------===//

TEST_F(Traits, MembersAndGlobalsMayVaryBetweenReplays) {
  auto Init = [&](LocId L) { return D.value(ValueKind::Init, 0, L); };
  EXPECT_TRUE(D.mayVary(Init(D.loc(LocKind::Global, 0, None, None, "g"))));
  EXPECT_TRUE(D.mayVary(Init(D.loc(LocKind::Field, 0, Var, None, "C::n"))));
  EXPECT_FALSE(D.mayVary(X)) << "a parameter";
  EXPECT_FALSE(D.isMeasured(Init(D.loc(LocKind::Global, 0, None, None, "g"))));
}

TEST_F(Traits, ComputedValuesInheritFromTheirOperands) {
  ValueId Read = D.value(ValueKind::DeviceRead, 1);
  EXPECT_TRUE(D.isMeasured(D.apply("+", integer(1), Read)));
  EXPECT_TRUE(D.mayVary(D.apply("neg", Read, None)));
  EXPECT_FALSE(D.isMeasured(D.apply("+", X, Y)));
  ValueId Address = D.value(ValueKind::Addr, 0, Var);
  EXPECT_TRUE(D.mentionsMemory(D.apply("+", X, Address)));
  EXPECT_FALSE(D.mentionsMemory(D.apply("+", X, Read)));
}

//===----------------------------------------------------------------------===//
// Maps and states
//===----------------------------------------------------------------------===//

TEST(FlatMaps, AreSortedHoweverTheyWereFilled) {
  FlatMap A, B;
  for (unsigned Key : {3, 1, 2})
    A.set(Key, Key * 10);
  for (unsigned Key : {2, 3, 1})
    B.set(Key, Key * 10);
  EXPECT_TRUE(A == B);
  std::vector<unsigned> Keys;
  for (const FlatMap::Item &I : A)
    Keys.push_back(I.Key);
  EXPECT_EQ(Keys, (std::vector<unsigned>{1, 2, 3}));
}

TEST(FlatMaps, LookUpSetAndErase) {
  FlatMap M;
  EXPECT_TRUE(M.empty());
  EXPECT_FALSE(M.lookup(4));
  M.set(4, 40);
  M.set(4, 41);
  M.set(6, 60);
  ASSERT_TRUE(M.lookup(4));
  EXPECT_EQ(*M.lookup(4), 41U);
  EXPECT_EQ(M.size(), 2U);
  M.erase(5);
  EXPECT_EQ(M.size(), 2U);
  M.erase(4);
  EXPECT_FALSE(M.contains(4));
  EXPECT_TRUE(M.contains(6));
  M.eraseIf([](const FlatMap::Item &I) { return I.Data == 60; });
  EXPECT_TRUE(M.empty());
}

TEST(States, MergeOnlyWhenTheSameCapturesAreActive) {
  State A, B;
  A.Mem.set(1, 2);
  A.Failing = true;
  EXPECT_TRUE(A.sameKey(B));
  EXPECT_FALSE(A == B);
  B.ThreadMode = 2;
  EXPECT_FALSE(A.sameKey(B));
  B = State();
  B.Active.push_back(0);
  EXPECT_FALSE(A.sameKey(B));
}

} // namespace
