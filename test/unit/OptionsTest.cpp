//===- OptionsTest.cpp - Settings and spellings ---------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The values that --roots accepts, the errors for other values, and the
// spellings of the enumerations in reports.
//
//===----------------------------------------------------------------------===//

#include "analysis/findings/Options.h"
#include <gtest/gtest.h>
#include <set>

using namespace cudagraph;

namespace {

using Regexes = std::vector<std::string>;

RootSelection accepted(const std::string &Text) {
  RootSelection Result;
  std::string Error;
  EXPECT_TRUE(RootSelection::parse(Text, Result, Error)) << Text;
  EXPECT_EQ(Error, "");
  return Result;
}

/// The message for \p Text, which must not be accepted.
std::string rejection(const std::string &Text) {
  RootSelection Result;
  std::string Error;
  EXPECT_FALSE(RootSelection::parse(Text, Result, Error)) << Text;
  EXPECT_NE(Error, "");
  return Error;
}

TEST(Roots, AreOffByDefault) {
  for (const char *Text : {"", ",", " , "}) {
    EXPECT_FALSE(accepted(Text).StreamParam);
    EXPECT_EQ(accepted(Text).FunctionRegexes, Regexes{});
  }
}

TEST(Roots, MayBeFunctionsWithAStreamParameter) {
  EXPECT_TRUE(accepted("stream-param").StreamParam);
  EXPECT_TRUE(accepted(" stream-param ,").StreamParam);
}

TEST(Roots, MayBeFunctionsByName) {
  EXPECT_EQ(accepted("function:^ns::step$").FunctionRegexes,
            Regexes{"^ns::step$"});
  EXPECT_FALSE(accepted("function:stream-param").StreamParam);
}

TEST(Roots, MayBeListed) {
  for (const char *Text : {"stream-param,function:a,function:b",
                           "function:a,stream-param,function:b",
                           "function:a,function:b,stream-param"}) {
    EXPECT_TRUE(accepted(Text).StreamParam) << Text;
    EXPECT_EQ(accepted(Text).FunctionRegexes, (Regexes{"a", "b"})) << Text;
  }
}

TEST(Roots, MayHaveCommasInTheirRegularExpressions) {
  RootSelection S = accepted("function:^f{1,3}$,stream-param");
  EXPECT_EQ(S.FunctionRegexes, Regexes{"^f{1,3}$"});
  EXPECT_TRUE(S.StreamParam);
}

TEST(Roots, OfRegisteredFunctionsAreTwoKinds) {
  EXPECT_TRUE(accepted("torch-ops").TorchOps);
  EXPECT_FALSE(accepted("torch-ops").EntryPoints);
  EXPECT_TRUE(accepted("function:a,entry-points").EntryPoints);
  EXPECT_EQ(accepted("function:a,entry-points").FunctionRegexes, Regexes{"a"});
}

TEST(Roots, OfUnknownKindAreNamed) {
  EXPECT_EQ(rejection("steam-param"),
            "unknown kind 'steam-param' in roots; valid kinds are torch-ops, "
            "entry-points, stream-param, and function:REGEX (regions that are "
            "visible in the code are always analyzed)");
  EXPECT_NE(rejection("stream-param,all").find("'all'"), std::string::npos);
}

TEST(Roots, NeedAValidRegularExpression) {
  const std::string Remedy =
      "; write function:REGEX, for example function:^ns::step$";
  EXPECT_EQ(rejection("function:"),
            "invalid regular expression '' in roots" + Remedy);
  EXPECT_EQ(rejection("stream-param,function: "),
            "invalid regular expression '' in roots" + Remedy);
  std::string Error = rejection("function:(a");
  EXPECT_EQ(Error.find("invalid regular expression '(a' in roots: "), 0U);
  EXPECT_NE(Error.find(Remedy), std::string::npos);
}

TEST(Spellings, AreThoseOfTheReports) {
  EXPECT_STREQ(spelling(Confidence::Possible), "possible");
  EXPECT_STREQ(spelling(Confidence::Likely), "likely");
  EXPECT_STREQ(spelling(Confidence::Certain), "certain");
  EXPECT_STREQ(spelling(catalogue::Mode::Global), "global");
  EXPECT_STREQ(spelling(catalogue::Mode::ThreadLocal), "thread_local");
  EXPECT_STREQ(spelling(catalogue::Mode::Relaxed), "relaxed");
  EXPECT_STREQ(spelling(OutcomeKind::Error), "error");
  EXPECT_STREQ(spelling(OutcomeKind::Depends), "depends");
  EXPECT_STREQ(spelling(RootKind::ApiPair), "api-pair");
  EXPECT_STREQ(spelling(RootKind::StreamParam), "stream-param");
}

TEST(Spellings, AreUnique) {
  std::set<std::string> Roots, Outcomes;
  for (RootKind K : {RootKind::ApiPair, RootKind::Wrapper, RootKind::Libtorch,
                     RootKind::Annotation, RootKind::Comment,
                     RootKind::Function, RootKind::StreamParam})
    Roots.insert(spelling(K));
  for (OutcomeKind K :
       {OutcomeKind::Error, OutcomeKind::Escapes, OutcomeKind::Stale,
        OutcomeKind::Dangling, OutcomeKind::Depends, OutcomeKind::Unknown})
    Outcomes.insert(spelling(K));
  EXPECT_EQ(Roots.size(), 7U);
  EXPECT_EQ(Outcomes.size(), 6U);
  EXPECT_FALSE(Roots.count(""));
  EXPECT_FALSE(Outcomes.count(""));
}

TEST(Confidences, AreOrdered) {
  EXPECT_LT(Confidence::Possible, Confidence::Likely);
  EXPECT_LT(Confidence::Likely, Confidence::Certain);
}

} // namespace
