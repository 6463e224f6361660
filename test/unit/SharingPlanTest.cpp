//===- SharingPlanTest.cpp - The parts that are parsed once ---------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "driver/units/SharingPlan.h"
#include <gtest/gtest.h>

using namespace cudagraph::driver;

namespace {

constexpr size_t None = SharingPlan::None;
using Used = std::vector<bool>;

void addUnits(SharingPlan &Plan, size_t Part, size_t Count) {
  for (size_t I = 0; I < Count; ++I)
    Plan.addUnit(Part, /*Often=*/false);
}

TEST(SharingPlan, AGroupHasItsOwnPartIfThatSavesMore) {
  SharingPlan Plan(3);
  size_t All = Plan.addPart(None, 100, false);
  size_t Large = Plan.addPart(All, 200, false);
  size_t Small = Plan.addPart(All, 110, false);
  addUnits(Plan, All, 10);
  addUnits(Plan, Large, 10);
  addUnits(Plan, Small, 10); // saves 10 in each, and costs 165
  EXPECT_EQ(Plan.used(), (Used{true, true, false}));
}

TEST(SharingPlan, AShorterPartWithoutUnitsIsNotParsed) {
  SharingPlan Plan(3);
  size_t All = Plan.addPart(None, 100, false);
  size_t A = Plan.addPart(All, 200, false);
  size_t B = Plan.addPart(All, 200, false);
  size_t C = Plan.addPart(B, 201, false);
  addUnits(Plan, A, 10);
  addUnits(Plan, B, 9);
  addUnits(Plan, C, 1);
  EXPECT_EQ(Plan.used(), (Used{false, true, true, false}));
}

TEST(SharingPlan, TooFewUnitsShareNothing) {
  SharingPlan Plan(3);
  size_t A = Plan.addPart(None, 100, false);
  size_t B = Plan.addPart(A, 200, false);
  addUnits(Plan, A, 1);
  addUnits(Plan, B, 1);
  EXPECT_EQ(Plan.used(), (Used{false, false}));
  // With a third unit, the plan contains the part that all three share.
  SharingPlan More(3);
  A = More.addPart(None, 100, false);
  B = More.addPart(A, 200, false);
  addUnits(More, A, 1);
  addUnits(More, B, 2);
  EXPECT_EQ(More.used(), (Used{true, false}));
}

TEST(SharingPlan, WhatExistsCostsNothing) {
  SharingPlan Plan(3);
  size_t A = Plan.addPart(None, 100, true);
  size_t B = Plan.addPart(A, 101, true);
  size_t C = Plan.addPart(B, 120, false);
  addUnits(Plan, A, 1);
  addUnits(Plan, C, 5);
  EXPECT_EQ(Plan.used(), (Used{true, true, false}));
}

TEST(SharingPlan, AUnitThatIsParsedOftenIsWorthAPart) {
  SharingPlan Plan(3);
  size_t A = Plan.addPart(None, 100, false);
  Plan.addUnit(A, /*Often=*/true);
  EXPECT_EQ(Plan.used(), Used{true});
  // A part is not used if an existing part is nearly as long.
  SharingPlan Near(3);
  A = Near.addPart(None, 100, true);
  Near.addUnit(Near.addPart(A, 110, false), /*Often=*/true);
  EXPECT_EQ(Near.used(), (Used{true, false}));
  SharingPlan Far(3);
  A = Far.addPart(None, 100, true);
  Far.addUnit(Far.addPart(A, 300, false), /*Often=*/true);
  EXPECT_EQ(Far.used(), (Used{false, true}));
}

} // namespace
