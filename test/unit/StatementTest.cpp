//===- StatementTest.cpp - The sentences of findings ----------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A merged statement about captures on both kinds of streams names no kind.
//
//===----------------------------------------------------------------------===//

#include "analysis/findings/Statement.h"
#include "gtest/gtest.h"

using namespace cudagraph;
using catalogue::Mode;
using catalogue::StreamKind;

namespace {

Statement during(std::optional<StreamKind> Kind, std::optional<Mode> M) {
  return Statement("it waits while ")
      .with(CaptureText{"'s'", Kind, M})
      .with(" captures");
}

TEST(Statement, NamesTheCapture) {
  EXPECT_EQ(during(StreamKind::NonBlocking, Mode::ThreadLocal).text(),
            "it waits while 's' (non-blocking, thread-local mode) captures");
  EXPECT_EQ(during(StreamKind::Blocking, std::nullopt).text(),
            "it waits while 's' (blocking) captures");
  EXPECT_EQ(during(std::nullopt, Mode::Global).text(),
            "it waits while 's' (global mode) captures");
  EXPECT_EQ(during(std::nullopt, std::nullopt).text(),
            "it waits while 's' captures");
}

TEST(Statement, NamesNoKindForBoth) {
  for (StreamKind Kind : {StreamKind::Blocking, StreamKind::NonBlocking}) {
    Statement WithMode = during(Kind, Mode::Global);
    WithMode.forBothKinds();
    EXPECT_EQ(WithMode.text(), "it waits while 's' (global mode) captures");
    Statement Without = during(Kind, std::nullopt);
    Without.forBothKinds();
    EXPECT_EQ(Without.text(), "it waits while 's' captures");
  }
}

TEST(Statement, EndsWithTheConsequence) {
  Statement S("it waits");
  EXPECT_EQ(S.text(), "it waits");
  S.then("CUDA returns 900").then(", and more");
  EXPECT_EQ(S.text(), "it waits; CUDA returns 900, and more");
}

} // namespace
