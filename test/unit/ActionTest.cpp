//===- ActionTest.cpp - Tests of actions and their mentions ---------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "catalogue/Catalogue.h"
#include "gtest/gtest.h"

using namespace cudagraph::catalogue;

namespace {

/// The text of action \p Marked before a name of kind \p Next.
std::string before(std::string_view Marked, Naming Next) {
  ActionText Action;
  EXPECT_EQ(parseAction(Marked, Action), "");
  return Action.before(Next);
}

std::string problem(std::string_view Marked) {
  ActionText Action;
  return parseAction(Marked, Action);
}

TEST(Actions, WithoutBracketsArePrintedAsAWhole) {
  for (Naming Next : {Naming::Nothing, Naming::Name, Naming::OnStream,
                      Naming::DefaultStream, Naming::Event})
    EXPECT_EQ(before("waits for an event on stream", Next),
              "waits for an event on stream");
}

TEST(Actions, MentionsOfStreamsMakeWay) {
  EXPECT_EQ(before("copies [on stream]", Naming::Nothing),
            "copies on a stream");
  EXPECT_EQ(before("copies [on stream]", Naming::Name), "copies on stream");
  EXPECT_EQ(before("copies [on stream]", Naming::OnStream), "copies");
  EXPECT_EQ(before("copies [on stream]", Naming::DefaultStream), "copies on");
  EXPECT_EQ(before("adds a callback [to stream]", Naming::DefaultStream),
            "adds a callback to");
  EXPECT_EQ(before("runs [on the stream of its policy]", Naming::OnStream),
            "runs");
  EXPECT_EQ(before("runs [on the stream of its policy]", Naming::Nothing),
            "runs on the stream of its policy");
}

TEST(Actions, TheObjectOfTheVerbMakesWayForTheDefaultStreamOnly) {
  EXPECT_EQ(before("waits for [stream]", Naming::Nothing),
            "waits for a stream");
  EXPECT_EQ(before("waits for [stream]", Naming::Name), "waits for stream");
  EXPECT_EQ(before("waits for [the stream]", Naming::Nothing),
            "waits for the stream");
  EXPECT_EQ(before("waits for [stream]", Naming::OnStream), "waits for stream");
  EXPECT_EQ(before("waits for [stream]", Naming::DefaultStream), "waits for");
  EXPECT_EQ(before("waits for [the stream]", Naming::DefaultStream),
            "waits for");
}

TEST(Actions, MentionsOfEventsMakeWay) {
  EXPECT_EQ(before("waits for [an event]", Naming::Nothing),
            "waits for an event");
  EXPECT_EQ(before("waits for [an event]", Naming::Event), "waits for event");
  EXPECT_EQ(before("waits for [event]", Naming::Event), "waits for event");
  EXPECT_EQ(before("compares [two events]", Naming::Event),
            "compares two events, including");
  const char Both[] = "records [an event] [on stream]";
  EXPECT_EQ(before(Both, Naming::Nothing), "records an event on a stream");
  EXPECT_EQ(before(Both, Naming::OnStream), "records an event");
  EXPECT_EQ(before(Both, Naming::DefaultStream), "records an event on");
  EXPECT_EQ(before(Both, Naming::Event), "records event");
}

TEST(Actions, SayWhatIsWrongWithBrackets) {
  const char Unpaired[] =
      "'[' and ']' are not balanced; write them around the words that mention "
      "the stream or the event, as in \"copies memory [on stream]\"";
  for (const char *Marked :
       {"copies [on stream", "copies on stream]", "copies [on [a] stream]",
        "copies [on stream]]", "]", "copies [on stream] ["})
    EXPECT_EQ(problem(Marked), Unpaired) << Marked;
  const char NoVerb[] =
      "the description of the call is missing before '['; begin with a verb "
      "and a space, as in \"waits for [stream]\"";
  for (const char *Marked : {"[stream]", " [stream]", "waits[stream]"})
    EXPECT_EQ(problem(Marked), NoVerb) << Marked;
  EXPECT_EQ(problem("copies [on stream] and waits"),
            "' and waits' follows ']'; end the action with its mentions of the "
            "event and the stream");
  for (const char *Words : {"a", "", " ", "streaming", "an event handler"})
    EXPECT_EQ(problem("reads [" + std::string(Words) + "]"),
              "'[" + std::string(Words) +
                  "]' mentions neither a stream nor an event; write it without "
                  "brackets");
  EXPECT_EQ(problem("moves [from stream] [to stream]"),
            "'[to stream]' mentions a second stream; keep the brackets of one");
  for (const char *Marked :
       {"waits [on stream] [an event]", "waits [for event] [an event]"})
    EXPECT_EQ(problem(Marked),
              "'[an event]' follows another mention; mention at most "
              "one event, before the stream");
}

TEST(Actions, OfTheEmbeddedDataHaveNoBrackets) {
  size_t Mentions = 0;
  for (const Entry *E : Catalogue::builtin().entries()) {
    EXPECT_EQ(E->Action, E->ActionWords.text());
    EXPECT_EQ(E->Action.find_first_of("[]"), std::string::npos) << E->Name;
    Mentions += !E->ActionWords.Stream.empty() || !E->ActionWords.Event.empty();
  }
  EXPECT_GT(Mentions, 1000U);
}

} // namespace
