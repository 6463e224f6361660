//===- FixesTest.cpp - Fixes that agree, repeat, and conflict -------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As in clang-apply-replacements, equal edits count once, and only the first of
// several conflicting edits is made. A fix is applied as a whole.
//
//===----------------------------------------------------------------------===//

#include "driver/output/Fixes.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace cudagraph;
using namespace llvm;

namespace {

class Fixes : public testing::Test {
protected:
  void SetUp() override {
    int Descriptor = -1;
    ASSERT_FALSE(sys::fs::createTemporaryFile("fixes", "cu", Descriptor, Path));
    raw_fd_ostream(Descriptor, /*shouldClose=*/true) << "abcdef\nghi\n";
  }

  Fix edit(unsigned Line, unsigned Begin, unsigned End, StringRef Text) {
    Fix Result;
    Result.Range.File = Path.str().str();
    Result.Range.Line = Result.Range.EndLine = Line;
    Result.Range.Column = Begin;
    Result.Range.EndColumn = End;
    Result.Text = Text.str();
    return Result;
  }
  void finding(unsigned Line, unsigned Column, std::vector<Fix> Edits) {
    Finding F;
    F.Check = "cudagraph-sync-call";
    F.Loc = edit(Line, Column, Column, "").Range;
    F.Loc.File = "x.cu";
    F.Fixes = std::move(Edits);
    R.Findings.push_back(std::move(F));
  }
  /// Returns the file after the fixes.
  std::string apply() {
    raw_string_ostream Out(Log);
    Error E = driver::applyFixes(R, Out);
    EXPECT_FALSE(E) << toString(std::move(E));
    return (*MemoryBuffer::getFile(Path))->getBuffer().str();
  }

  SmallString<128> Path;
  reports::Report R;
  std::string Log;

  void TearDown() override { (void)sys::fs::remove(Path); }
};

TEST_F(Fixes, Apart) {
  finding(1, 1, {edit(1, 1, 2, "A"), edit(2, 1, 4, "")});
  finding(1, 6, {edit(1, 6, 6, "-")});
  EXPECT_EQ(apply(), "Abcde-f\n\n");
  EXPECT_EQ(Log, "cudagraph-tidy: fixed 2 findings in 1 file\n");
}

TEST_F(Fixes, TheSameTwiceIsOne) {
  finding(1, 1, {edit(1, 2, 4, "X")});
  finding(1, 3, {edit(1, 2, 4, "X")});
  EXPECT_EQ(apply(), "aXdef\nghi\n");
  EXPECT_EQ(Log, "cudagraph-tidy: fixed 2 findings in 1 file\n");
}

TEST_F(Fixes, OfTwoThatConflictTheFirst) {
  finding(1, 1, {edit(1, 2, 4, "X")});
  // One of the edits could be made, but a fix is never applied in part.
  finding(2, 7, {edit(2, 1, 1, "Y"), edit(1, 3, 5, "Z")});
  EXPECT_EQ(apply(), "aXdef\nghi\n");
  EXPECT_EQ(Log, "x.cu:2:7: fix not applied: it conflicts with the fix of "
                 "x.cu:1:1 [cudagraph-sync-call]; run again after this\n"
                 "cudagraph-tidy: fixed 1 finding in 1 file\n");
}

TEST_F(Fixes, OutsideOfTheFile) {
  finding(9, 1, {edit(9, 1, 2, "X")});
  EXPECT_EQ(apply(), "abcdef\nghi\n");
  EXPECT_EQ(Log, "x.cu:9:1: fix not applied: the file changed since the "
                 "analysis\ncudagraph-tidy: nothing to fix\n");
}

} // namespace
