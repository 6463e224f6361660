//===- TextReader.cpp - Texts, words, and locations in a file -------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See TextReader.h.
//
//===----------------------------------------------------------------------===//

#include "TextReader.h"
#include <utility>

namespace cudagraph::catalogue {

static constexpr std::string_view EvidenceKinds[] = {
    "documentation", "measured", "standard", "user"};

static std::string describe(const json &J) {
  switch (J.type()) {
  case json::value_t::null:
    return "null";
  case json::value_t::object:
    return "an object";
  case json::value_t::array:
    return J.empty() ? "an empty array" : "an array";
  case json::value_t::string:
    return "the string " + inQuotes(J.get_ref<const std::string &>());
  case json::value_t::boolean:
    return "a boolean";
  default:
    return "the number " + J.dump();
  }
}

bool TextReader::fail(const std::string &Problem) {
  At.Error = errorAt(At.FileName, At.Pointer, Problem);
  return false;
}

bool TextReader::wrongType(const json &Got, const char *Expected) {
  return fail(std::string("this is ") + describe(Got) + "; write " + Expected);
}

bool TextReader::checkKeys(const json &J,
                           std::initializer_list<std::string_view> Allowed) {
  if (!J.is_object())
    return wrongType(J, "an object");
  for (const auto &[Key, Value] : J.items())
    if (std::find(Allowed.begin(), Allowed.end(), Key) == Allowed.end())
      return fail("unknown field " + inQuotes(Key) + "; " +
                  suggest(Key, {Allowed}));
  return true;
}

/// The string may appear in a one-line message.
bool TextReader::readText(const json &J, std::string &Text) {
  if (!J.is_string())
    return wrongType(J, "a string");
  Text = J.get<std::string>();
  if (Text.empty())
    return fail("the string is empty; fill it in or remove the field");
  if (std::any_of(Text.begin(), Text.end(),
                  [](unsigned char C) { return C < ' '; }))
    return fail(
        "the string contains a control character; write one line of text");
  return true;
}

bool TextReader::readTexts(const json &J, std::vector<std::string> &Texts) {
  if (!J.is_array() || J.empty())
    return wrongType(J, "an array of at least one string");
  for (size_t I = 0; I != J.size(); ++I) {
    Step S(*this, I);
    std::string &Text = Texts.emplace_back();
    if (!readText(J[I], Text))
      return false;
    if (std::count(Texts.begin(), Texts.end(), Text) > 1)
      return fail(inQuotes(Text) + " appears here twice; keep one of the two");
  }
  return true;
}

bool TextReader::readAction(const json &J, ActionText &Words) {
  Step S(*this, "action");
  std::string Marked;
  if (!readText(J, Marked))
    return false;
  std::string Problem = parseAction(Marked, Words);
  return Problem.empty() || fail(Problem);
}

bool TextReader::readEvidence(const json &J, std::vector<Evidence> &Sources) {
  if (!J.is_array() || J.empty())
    return wrongType(J, "an array of at least one piece of evidence");
  for (size_t I = 0; I != J.size(); ++I) {
    Step S(*this, I);
    const json &Item = J[I];
    if (!checkKeys(Item, {"kind", "source"}))
      return false;
    Evidence &E = Sources.emplace_back();
    for (auto [Field, Text] :
         {std::pair("kind", &E.Kind), std::pair("source", &E.Source)}) {
      if (!Item.contains(Field))
        return fail(std::string("the field '") + Field +
                    "' is missing; evidence has a kind and a source");
      Step S(*this, Field);
      if (!readText(Item[Field], *Text))
        return false;
      if (Text == &E.Kind && !checkWord(E.Kind, EvidenceKinds, "evidence"))
        return false;
    }
  }
  return true;
}

} // namespace cudagraph::catalogue
