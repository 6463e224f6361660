//===- GitTest.cpp - Reading the output of git diff -----------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "driver/selection/Git.h"
#include "gtest/gtest.h"

using namespace cudagraph::driver;

namespace {

TEST(Git, ReadsHunks) {
  std::vector<FileDiff> Files = parseDiff("diff --git a/x.cu b/x.cu\n"
                                          "index 1..2 100644\n"
                                          "--- a/x.cu\n"
                                          "+++ b/x.cu\n"
                                          "@@ -1,0 +2,3 @@ void f()\n"
                                          "+a\n+b\n+c\n"
                                          "@@ -9 +12 @@\n"
                                          "-old\n"
                                          "+new\n"
                                          "\\ No newline at end of file\n"
                                          "@@ -20,2 +22,0 @@\n"
                                          "-x\n-y\n");
  ASSERT_EQ(Files.size(), 1u);
  EXPECT_EQ(Files[0].Path, "x.cu");
  ASSERT_EQ(Files[0].Hunks.size(), 3u);
  EXPECT_EQ(Files[0].Hunks[0].OldCount, 0u);
  EXPECT_EQ(Files[0].Hunks[0].NewStart, 2u);
  EXPECT_EQ(Files[0].Hunks[0].NewCount, 3u);
  EXPECT_EQ(Files[0].Hunks[1].OldStart, 9u);
  EXPECT_EQ(Files[0].Hunks[1].NewCount, 1u);
  EXPECT_EQ(Files[0].Hunks[2].NewStart, 22u);
  EXPECT_EQ(Files[0].Hunks[2].NewCount, 0u);
}

TEST(Git, LinesOfTheFileAreNoHeaders) {
  std::vector<FileDiff> Files =
      parseDiff("diff --git a/x.cu b/x.cu\n"
                "--- a/x.cu\n"
                "+++ b/x.cu\n"
                "@@ -1,2 +1,2 @@\n"
                "--- a/y.cu\n"
                "-@@ -7 +7 @@\n"
                "+++ b/y.cu\n"
                "+diff --git a/z.cu b/z.cu\n"
                "@@ -5 +5 @@\n"
                "-p\n"
                "\\ No newline at end of file\n"
                "+q\n"
                "diff --git a/b.bin b/b.bin\n"
                "Binary files a/b.bin and b/b.bin differ\n");
  ASSERT_EQ(Files.size(), 1u);
  ASSERT_EQ(Files[0].Hunks.size(), 2u);
  EXPECT_EQ(Files[0].Hunks[1].NewStart, 5u);
}

TEST(Git, ReadsQuotedNames) {
  std::vector<FileDiff> Files =
      parseDiff("+++ \"b/a\\\"\\\\\\t\\303\\244.cu\"\n@@ -1 +1 @@\n-x\n+y\n"
                "+++ b/with space.cu\t\n@@ -1 +1 @@\n-x\n+y\n+++ /dev/null\n");
  ASSERT_EQ(Files.size(), 2u);
  EXPECT_EQ(Files[0].Path, "a\"\\\t\303\244.cu");
  EXPECT_EQ(Files[1].Path, "with space.cu");
}

TEST(Git, ReadsTheNamesOfBinaries) {
  using namespace std::string_literals;
  std::vector<std::string> Names =
      parseBinaries("3\t1\ta.cu\0-\t-\tb\tb.cu\0"
                    "1\t0\t\0old.cu\0new.cu\0"
                    "-\t-\t\0-\t-\told.cu\0-\t-\tnew.cu\0"
                    "-\t-\tline\nbreak.cu\0"s);
  EXPECT_EQ(Names, (std::vector<std::string>{"b\tb.cu", "-\t-\tnew.cu",
                                             "line\nbreak.cu"}));
  EXPECT_TRUE(parseBinaries("").empty());
  // The function also handles truncated output.
  EXPECT_EQ(parseBinaries("-\t-\t").size(), 1u);
  EXPECT_TRUE(parseBinaries("1\t").empty());
}

TEST(Git, WhatIsCutOffEnds) {
  EXPECT_TRUE(parseDiff("@@ -1 +1 @@\n").empty());
  std::vector<FileDiff> Files = parseDiff("+++ b/x\n@@ -1,9 +1,9 @@\n+a");
  ASSERT_EQ(Files.size(), 1u);
  EXPECT_TRUE(parseDiff("").empty());
  EXPECT_TRUE(parseDiff("+++ b/x\n@@ garbage").front().Hunks.empty());
}

} // namespace
