//===- ReportsTest.cpp - Limits and locations of reports ------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reports that need thousands of findings, very long chains, or a diff.
//
//===----------------------------------------------------------------------===//

#include "driver/reports/Entries.h"
#include "driver/reports/Escape.h"
#include "driver/reports/GitHub.h"
#include "driver/reports/RdJsonl.h"
#include "driver/reports/Sarif.h"
#include "driver/reports/SarifRules.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <gtest/gtest.h>

using namespace cudagraph;
using namespace cudagraph::reports;
using namespace llvm;

namespace {

Location at(unsigned Line) {
  Location L;
  L.File = "a.cu";
  L.Line = L.EndLine = Line;
  L.Column = 3;
  L.EndColumn = 9;
  return L;
}

Report withFindings(unsigned Count, unsigned Steps = 1) {
  Report R;
  R.Root = R.WorkingDirectory = "/project";
  R.Checks = {"cudagraph-sync-call"};
  for (unsigned I = 0; I < Count; ++I) {
    Finding F;
    F.Check = "cudagraph-sync-call";
    F.Severity = "warning";
    F.Message = "finding " + std::to_string(I);
    F.Loc = at(I + 1);
    F.Fingerprint = std::to_string(I);
    for (unsigned S = 0; S < Steps; ++S)
      F.Chain.push_back({at(S + 1), "f", "step " + std::to_string(S)});
    R.Findings.push_back(F);
  }
  return R;
}

template <typename Fn> std::string written(Fn Write, const Report &R) {
  std::string Text;
  raw_string_ostream Out(Text);
  SourceText Sources;
  Write(Out, R, Sources);
  return Text;
}

/// The only run in the SARIF report.
json::Object sarif(const Report &R) {
  Expected<json::Value> Log = json::parse(written(writeSarif, R));
  if (!Log) {
    ADD_FAILURE() << toString(Log.takeError());
    return {};
  }
  return *(*Log->getAsObject()->getArray("runs"))[0].getAsObject();
}

const json::Array &notifications(const json::Object &Run) {
  return *(*Run.getArray("invocations"))[0].getAsObject()->getArray(
      "toolExecutionNotifications");
}

std::string message(const json::Value &Of) {
  return Of.getAsObject()->getObject("message")->getString("text")->str();
}

TEST(SarifReport, HasNoMoreResultsThanCodeScanningTakes) {
  Report R = withFindings(25003);
  R.Findings[0].Sure = Confidence::Possible;
  R.Findings[7].Sure = Confidence::Possible;
  R.Findings[25002].Sure = Confidence::Certain;
  // The report is too long to parse in a test.
  std::string Log = written(writeSarif, R);
  EXPECT_EQ(StringRef(Log).count("\"ruleId\""), 25000u);
  // The most certain finding comes first, and the least certain one last.
  size_t Surest = Log.find("Finding 25002."), First = Log.find("Finding 1.");
  EXPECT_LT(Surest, First);
  EXPECT_NE(First, std::string::npos);
  EXPECT_EQ(Log.find("Finding 0."), std::string::npos);
  EXPECT_EQ(Log.find("Finding 7."), std::string::npos);
  EXPECT_NE(Log.find("3 results left out: code scanning accepts no more."),
            std::string::npos);
}

TEST(SarifReport, CutsALongFlowInItsMiddle) {
  json::Object Run = sarif(withFindings(1, 1500));
  const json::Object &Result = *(*Run.getArray("results"))[0].getAsObject();
  const json::Object &Flow = *(*Result.getArray("codeFlows"))[0].getAsObject();
  const json::Array &Steps =
      *(*Flow.getArray("threadFlows"))[0].getAsObject()->getArray("locations");
  ASSERT_EQ(Steps.size(), 1000u);
  auto Text = [&](size_t I) {
    return message(*Steps[I].getAsObject()->get("location"));
  };
  EXPECT_EQ(Text(0), "step 0");
  EXPECT_EQ(Text(499), "step 499");
  EXPECT_EQ(Text(500), "502 steps left out");
  EXPECT_EQ(Text(501), "step 1002");
  EXPECT_EQ(Text(998), "step 1499");
  EXPECT_EQ(Text(999), "finding 0");
  // The message links only to the first and the last steps.
  EXPECT_EQ(Result.getArray("relatedLocations")->size(), 12u);
  EXPECT_NE(message(*Run.getArray("results")->begin()).find("1488 more steps"),
            std::string::npos);
}

TEST(SarifReport, KeepsAFlowThatFits) {
  json::Object Run = sarif(withFindings(1, 999));
  const json::Object &Result = *(*Run.getArray("results"))[0].getAsObject();
  const json::Object &Flow = *(*Result.getArray("codeFlows"))[0].getAsObject();
  const json::Array &Steps =
      *(*Flow.getArray("threadFlows"))[0].getAsObject()->getArray("locations");
  EXPECT_EQ(Steps.size(), 1000u);
  for (const json::Value &S : Steps)
    EXPECT_EQ(message(*S.getAsObject()->get("location")).find("left out"),
              std::string::npos);
}

TEST(SarifReport, SaysNothingIsLeftOutIfNothingIs) {
  json::Object Run = sarif(withFindings(3));
  EXPECT_TRUE(notifications(Run).empty());
  EXPECT_EQ((*Run.getArray("invocations"))[0].getAsObject()->getBoolean(
                "executionSuccessful"),
            true);
}

TEST(AnnotationReport, IsAtTheChangedStep) {
  Report R = withFindings(1);
  R.Findings[0].Loc = at(40);
  R.Findings[0].ChangedAt = at(7);
  std::string Text = written(writeGitHub, R);
  EXPECT_EQ(Text.find("::warning file=a.cu,line=7,endLine=7,"), 0u) << Text;
  EXPECT_NE(Text.find("%0AThe call is at a.cu:40; a step on the path to it has "
                      "changed.%0Aa.cu:1: step 0"),
            std::string::npos)
      << Text;
  Text = written(writeRdJsonl, R);
  EXPECT_NE(
      Text.find(R"("location":{"path":"a.cu","range":{"start":{"line":7)"),
      std::string::npos)
      << Text;
  EXPECT_NE(Text.find("the call is at a.cu:40)"), std::string::npos) << Text;
}

TEST(AnnotationReport, PrefersErrorsAndWhatIsCertain) {
  Report R = withFindings(25);
  R.Findings[20].Severity = "error";
  R.Findings[22].Sure = Confidence::Certain;
  R.Findings[3].Sure = Confidence::Possible;
  std::string Text = written(writeGitHub, R);
  std::vector<std::string> Messages;
  for (StringRef Rest = Text; !Rest.empty(); Rest = Rest.split('\n').second)
    Messages.push_back(Rest.split('\n').first.split("::").second.str());
  ASSERT_EQ(Messages.size(), 12u) << Text;
  EXPECT_NE(Messages[0].find("finding 20"), std::string::npos);
  EXPECT_NE(Messages[1].find("finding 22"), std::string::npos);
  EXPECT_NE(Messages[2].find("finding 0"), std::string::npos);
  EXPECT_EQ(Text.find("finding 3"), std::string::npos);
  EXPECT_NE(Messages[11].find("14 more are not annotated"), std::string::npos);
}

TEST(StepSummary, NeverExceedsItsRoom) {
  Report R = withFindings(20000);
  for (size_t Room : {size_t(0), size_t(100), size_t(5000), StepSummaryLimit}) {
    std::string Text;
    raw_string_ostream Out(Text);
    SourceText Sources;
    writeStepSummary(Out, R, Sources, Room);
    EXPECT_LE(Text.size(), Room);
    EXPECT_EQ(Text.empty(), Room < 500) << Room;
    bool Marked = StringRef(Text).ends_with(
        " left out: the summary of a step has limited space.\n");
    EXPECT_EQ(Marked, !Text.empty()) << Room;
  }
}

TEST(Escape, KeepsXmlWellFormed) {
  EXPECT_EQ(xmlEscaped("<a b='\"'>&]]>"),
            "&lt;a b=&#39;&quot;&#39;&gt;&amp;]]&gt;");
  EXPECT_EQ(xmlEscaped("\n\t\r"), "&#10;&#9;&#13;");
  EXPECT_EQ(xmlEscaped(StringRef("\x00\x01\x1f\xff\xef\xbf\xbf|", 8)),
            "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd|");
}

TEST(Escape, MakesUris) {
  EXPECT_EQ(uriEscaped("a b/c:%\xff.cu"), "a%20b/c%3A%25%FF.cu");
}

TEST(Escape, CutsBetweenCharacters) {
  EXPECT_EQ(shortened("ab\xc3\xa9", 4), "ab\xc3\xa9");
  EXPECT_EQ(shortened("ab\xc3\xa9"
                      "c",
                      3),
            "ab...");
}

TEST(RuleHelp, LosesRelativeLinksOnly) {
  EXPECT_EQ(withoutRelativeLinks("see [a\nb](x.md#y) and [c](https://d.e)"),
            "see a\nb and [c](https://d.e)");
  EXPECT_EQ(withoutRelativeLinks("`v[i](j)` [a](b.md)"), "`v[i](j)` a");
  EXPECT_EQ(withoutRelativeLinks("x\n```cpp\n[&](int) {}\n```\n[a](b)\n"),
            "x\n```cpp\n[&](int) {}\n```\na\n");
}

} // namespace
