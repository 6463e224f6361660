//===- LastRunTest.cpp - The results of a project's last run --------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "driver/units/LastRun.h"
#include "gtest/gtest.h"

using namespace cudagraph;
using namespace cudagraph::driver;

namespace {

struct LastRunTest : testing::Test {
  std::vector<FileUse> Files = {{"/p/a.cu", 17}, {"/p/b.h", FileUse::Absent}};
  std::vector<UnitSummary> Units = std::vector<UnitSummary>(2);
  std::vector<std::string> Skipped = {"/p/plain.cpp"};
  std::vector<UnitResult::Walk> Walks = {{~uint64_t(0), 1, "root"}};

  LastRunTest() {
    Units[0].MainFile = "a.cu";
    Units[0].Checksum = 5;
    Units[0].Nolint = {{"/p/a.cu", {{3, "// NOLINT"}, {9, "// NOLINT"}}}};
    Units[0].Order = {1, 2};
    Units[1].MainFile = "b.cu";
    Units[1].Errors = 1;
    Units[1].FirstErrors = {"b.cu:1:1: error: no"};
    SkippedBranch Branch;
    Branch.File = "/p/b.cu";
    Branch.Line = 2;
    Branch.EndLine = 4;
    Branch.Names = {{"f", 1, false}};
    Units[1].Skipped = {Branch};
  }
  std::string written() {
    RunWriter Writer;
    Writer.begin(Files, Units, Skipped);
    return Writer.finish(Walks);
  }
  static bool read(llvm::StringRef Bytes, LastRun &Run) {
    RunReader Reader(Bytes);
    return Reader.files(Run) && Reader.rest(Run);
  }
  bool reads() {
    LastRun Run;
    return read(written(), Run);
  }
};

TEST_F(LastRunTest, ReadsWhatWasWritten) {
  LastRun Run;
  ASSERT_TRUE(read(written(), Run));
  ASSERT_EQ(Run.Files.size(), 2u);
  EXPECT_EQ(Run.Files[0].Path, "/p/a.cu");
  EXPECT_EQ(Run.Files[0].Hash, 17u);
  EXPECT_EQ(Run.Files[1].Hash, FileUse::Absent);
  ASSERT_EQ(Run.Units.size(), 2u);
  EXPECT_EQ(Run.Units[0].MainFile, "a.cu");
  EXPECT_EQ(Run.Units[0].Checksum, 5u);
  EXPECT_EQ(Run.Units[0].Nolint[0].Lines[1].first, 9u);
  EXPECT_TRUE(Run.Units[0].Order.empty());
  EXPECT_EQ(Run.Units[1].FirstErrors, Units[1].FirstErrors);
  EXPECT_EQ(Run.Units[1].Skipped[0].EndLine, 4u);
  EXPECT_EQ(Run.Skipped, Skipped);
  ASSERT_EQ(Run.Found.Walks.size(), 1u);
  EXPECT_EQ(Run.Found.Walks[0].Key, ~uint64_t(0));
  EXPECT_EQ(Run.Found.Walks[0].Unit, 1u);
  EXPECT_EQ(Run.Found.Walks[0].Root, "root");
}

TEST_F(LastRunTest, WritingChangesNothing) {
  std::string First = written();
  EXPECT_EQ(Units[0].Order.size(), 2u);
  EXPECT_EQ(written(), First);
}

TEST_F(LastRunTest, RefusesBytesThatAreMissingOrExtra) {
  std::string Bytes = written();
  for (size_t Size = 0; Size < Bytes.size(); ++Size) {
    LastRun Run;
    EXPECT_FALSE(read(llvm::StringRef(Bytes).take_front(Size), Run)) << Size;
  }
  LastRun Run;
  EXPECT_FALSE(read(Bytes + '\0', Run));
}

TEST_F(LastRunTest, RefusesUnitsThatDoNotExist) {
  Walks[0].Unit = 2;
  EXPECT_FALSE(reads());
}

TEST_F(LastRunTest, RefusesWhatNoSummaryContains) {
  Units[0].Nolint[0].Lines[1].first = 1; // out of order
  EXPECT_FALSE(reads());
  Units[0].Nolint.clear();
  EXPECT_TRUE(reads());
  Units[1].Skipped[0].EndLine = 1;
  EXPECT_FALSE(reads());
}

TEST_F(LastRunTest, WritesNothingThatIsTooLargeToBeRead) {
  std::string Name(1 << 20, 'x');
  Units[0].ReadFiles.assign(63, Name);
  EXPECT_TRUE(reads());
  Units[0].ReadFiles.assign(65, Name);
  EXPECT_TRUE(written().empty());
}

} // namespace
