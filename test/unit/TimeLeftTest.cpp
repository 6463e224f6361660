//===- TimeLeftTest.cpp - What a run expects ------------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "driver/support/TimeLeft.h"
#include <gtest/gtest.h>
#include <vector>

using cudagraph::driver::TimeLeft;

namespace {

TEST(TimeLeft, IsUnknownAtFirst) {
  EXPECT_EQ(TimeLeft(std::vector<double>(4, 0.0), 1).at(1), std::nullopt);
}

TEST(TimeLeft, ComesFromTheUnitsThatAreDone) {
  TimeLeft Units(std::vector<double>(11, 0.0), 1);
  Units.unitDone(0, 2);
  EXPECT_DOUBLE_EQ(*Units.at(2), 20);
}

TEST(TimeLeft, IgnoresTheWaitForTheFirstUnit) {
  TimeLeft Units(std::vector<double>(11, 0.0), 1);
  Units.unitDone(0, 50); // headers that all units share
  Units.unitDone(0, 51);
  EXPECT_DOUBLE_EQ(*Units.at(51), 9);
  // A unit that is still running increases the estimate.
  EXPECT_DOUBLE_EQ(*Units.at(52), 18);
}

TEST(TimeLeft, KnowsTheLastRun) {
  TimeLeft Units({1, 1, 1, 1, 16}, 2);
  EXPECT_DOUBLE_EQ(*Units.at(0), 10);
  EXPECT_DOUBLE_EQ(*Units.at(11), 0);
  Units.unitDone(1, 3);
  Units.unitDone(1, 5); // now everything takes twice as long
  EXPECT_DOUBLE_EQ(*Units.at(5), 36);
}

TEST(TimeLeft, TakesNewUnitsForAverageOnes) {
  TimeLeft Units({2, 4, 0, 3}, 1);
  EXPECT_DOUBLE_EQ(*Units.at(0), 12);
  Units.unitDone(0, 3);
  Units.unitDone(3, 6);
  EXPECT_DOUBLE_EQ(*Units.at(6), 6);
}

} // namespace
