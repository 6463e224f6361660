//===- Action.cpp - Descriptions of calls ---------------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Action.h.
//
//===----------------------------------------------------------------------===//

#include "Action.h"
#include "ParseSupport.h"
#include <algorithm>
#include <vector>

namespace cudagraph::catalogue {

static std::string unnamed(const std::string &Stream);

std::string ActionText::before(Naming Next) const {
  std::string Result = Does;
  auto Add = [&](const std::string &Words) {
    if (!Words.empty())
      Result += ' ' + Words;
  };
  Add(Next == Naming::Event ? EventNoun : Event);
  switch (Next) {
  case Naming::Nothing:
    Add(unnamed(Stream));
    break;
  case Naming::Name:
    Add(Stream);
    break;
  case Naming::OnStream:
    if (StreamLink.empty()) // the verb needs its object
      Add(Stream);
    break;
  case Naming::DefaultStream:
    Add(StreamLink);
    break;
  case Naming::Event:
    if (Event.empty())
      Add(Stream);
    break;
  }
  return Result;
}

static std::vector<std::string_view> wordsOf(std::string_view Text) {
  std::vector<std::string_view> Result;
  while (!Text.empty()) {
    size_t End = std::min(Text.find(' '), Text.size());
    if (End)
      Result.push_back(Text.substr(0, End));
    Text.remove_prefix(std::min(End + 1, Text.size()));
  }
  return Result;
}

static std::string joined(const std::vector<std::string_view> &Words,
                          size_t From = 0) {
  std::string Result;
  for (size_t I = From; I < Words.size(); ++I)
    Result.append(I == From ? "" : " ").append(Words[I]);
  return Result;
}

static bool isArticle(std::string_view Word) {
  return Word == "a" || Word == "an" || Word == "the";
}

static bool isStream(std::string_view Word) {
  return Word == "stream" || Word == "streams";
}

/// The form of the mention \p Stream if no name follows it: "on a stream".
static std::string unnamed(const std::string &Stream) {
  std::vector<std::string_view> Words = wordsOf(Stream);
  if (Words.empty() || Words.size() > 2 || Words.back() != "stream" ||
      isArticle(Words.front()))
    return Stream;
  return (Words.size() == 2 ? std::string(Words.front()) + " " : "") +
         "a stream";
}

/// Reads the text between two brackets.
static std::string readMention(std::string_view Text, ActionText &Result) {
  std::vector<std::string_view> Words = wordsOf(Text);
  std::string Quoted = inQuotes("[" + std::string(Text) + "]");
  if (!Words.empty() && (Words.back() == "event" || Words.back() == "events")) {
    if (!Result.Event.empty() || !Result.Stream.empty())
      return Quoted + " follows another mention; mention at most one event, "
                      "before the stream";
    Result.Event = joined(Words);
    // If there are several events, the name belongs to one of them.
    Result.EventNoun = Words.back() == "events"
                           ? Result.Event + ", including"
                           : joined(Words, isArticle(Words.front()) ? 1 : 0);
    return {};
  }
  if (std::none_of(Words.begin(), Words.end(), isStream))
    return Quoted + " mentions neither a stream nor an event; write it without "
                    "brackets";
  if (!Result.Stream.empty())
    return Quoted + " mentions a second stream; keep the brackets of one";
  Result.Stream = joined(Words);
  if (!isArticle(Words.front()) && !isStream(Words.front()))
    Result.StreamLink = Words.front();
  return {};
}

std::string parseAction(std::string_view Marked, ActionText &Result) {
  Result = {};
  size_t Open = Marked.find_first_of("[]");
  if (Open == std::string_view::npos) {
    Result.Does = Marked;
    return {};
  }
  if (Marked[Open] == '[' && (Open < 2 || Marked[Open - 1] != ' '))
    return "the description of the call is missing before '['; begin with a "
           "verb and a space, as in \"waits for [stream]\"";
  Result.Does = Marked.substr(0, Open ? Open - 1 : 0);
  for (std::string_view Rest = Marked.substr(Open); !Rest.empty();) {
    size_t Close = Rest.find_first_of("[]", 1);
    if (Rest[0] != '[' || Close == std::string_view::npos || Rest[Close] != ']')
      return Rest[0] == '[' || Rest[0] == ']'
                 ? "'[' and ']' are not balanced; write them around the words "
                   "that mention the stream or the event, as in \"copies "
                   "memory [on stream]\""
                 : inQuotes(Rest) + " follows ']'; end the action with its "
                                    "mentions of the event and the stream";
    if (std::string Problem = readMention(Rest.substr(1, Close - 1), Result);
        !Problem.empty())
      return Problem;
    Rest.remove_prefix(Close + 1);
    Rest.remove_prefix(Rest.substr(0, 2) == " [" ? 1 : 0);
  }
  return {};
}

} // namespace cudagraph::catalogue
