//===- ComponentsTest.cpp - Call graphs of every shape --------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Callees come before callers, and functions that call each other are one
// component, regardless of the length of the chain of calls.
//
//===----------------------------------------------------------------------===//

#include "analysis/program/Components.h"
#include <gtest/gtest.h>

using namespace cudagraph;

namespace {

using Calls = std::vector<std::vector<FunctionId>>;

TEST(Components, OrderCalleesFirst) {
  Components C(Calls{{1, 2}, {2}, {}});
  ASSERT_EQ(C.size(), 3U);
  EXPECT_LT(C.of(2), C.of(1));
  EXPECT_LT(C.of(1), C.of(0));
  for (FunctionId F : {0, 1, 2})
    EXPECT_FALSE(C.isRecursive(F));
}

TEST(Components, JoinFunctionsThatCallEachOther) {
  Components C(Calls{{1}, {2}, {0, 3}, {3}, {4, 0}});
  EXPECT_EQ(C.size(), 3U);
  EXPECT_EQ(C.of(0), C.of(1));
  EXPECT_EQ(C.of(0), C.of(2));
  EXPECT_EQ(C.members(C.of(1)).size(), 3U);
  EXPECT_TRUE(C.isRecursive(0));
  EXPECT_TRUE(C.isRecursive(3)) << "a function that calls itself";
  EXPECT_LT(C.of(3), C.of(0));
}

TEST(Components, KnowFunctionsWithoutAnEntry) {
  Components C(Calls{{7}});
  EXPECT_NE(C.of(7), None);
  EXPECT_LT(C.of(7), C.of(0));
  EXPECT_EQ(C.of(8), None);
  EXPECT_FALSE(C.isRecursive(8));
  EXPECT_EQ(Components().of(0), None);
}

TEST(Components, SurviveLongChains) {
  constexpr unsigned Length = 200'000;
  Calls Chain(Length);
  for (FunctionId F = 0; F + 1 < Length; ++F)
    Chain[F].push_back(F + 1);
  EXPECT_EQ(Components(Chain).size(), Length);
  Chain.back().push_back(0);
  EXPECT_EQ(Components(Chain).size(), 1U);
}

} // namespace
