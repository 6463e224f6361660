//===- JsonRead.cpp - From JSON to plain values ---------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "JsonRead.h"
#include "Confirm.h"
#include "support/Nesting.h"
#include <algorithm>

namespace cudagraph::confirm {
namespace {

/// Says why a text is no JSON: the parser itself would throw.
class SyntaxCheck : public nlohmann::json_sax<Json> {
public:
  std::string Why;

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t &) override { return true; }
  bool string(string_t &) override { return true; }
  bool binary(binary_t &) override { return true; }
  bool start_object(size_t) override { return true; }
  bool start_array(size_t) override { return true; }
  bool end_object() override { return true; }
  bool end_array() override { return true; }
  bool key(string_t &) override { return true; }
  bool parse_error(size_t, const std::string &,
                   const nlohmann::detail::exception &E) override {
    Why = E.what();
    // "[json.exception.parse_error.101] parse error at line 1, ...".
    if (size_t Bracket = Why.find("] "); Bracket != Why.npos)
      Why.erase(0, Bracket + 2);
    return false;
  }
};

constexpr int Version = 1;

/// Checks what both kinds of files have. \p Maker writes them, by \p Remedy.
bool parseVersioned(std::string_view Text, const std::string &File,
                    const char *Maker, const char *Remedy, const char *List,
                    Json &Root, std::string &Why) {
  auto Refuse = [&](const std::string &Reason) {
    Why = File + " " + Reason + "; " + Remedy;
    return false;
  };
  if (Text.empty())
    return Refuse("is empty");
  if (!parseJson(Text, Root, Why))
    return Refuse("is damaged: " + std::string(Why));
  std::string Tool = text(field(Root, "tool"), "name");
  if (!Root.is_object() || (Tool.empty() && field(Root, "version").is_null()))
    return Refuse(std::string("is no report of ") + Maker);
  if (!Tool.empty() && Tool != Maker)
    return Refuse("is a report of " + Tool + ", not of " + Maker);
  const Json &Given = field(Root, "version");
  if (!Given.is_number_integer() || number(Given) != Version)
    return Refuse("has version " + Given.dump() + ", and this is for version " +
                  std::to_string(Version));
  if (!field(Root, List).is_array())
    return Refuse(std::string("has no list of ") + List);
  return true;
}

//===----------------------------------------------------------------------===//
// Reports of runs
//===----------------------------------------------------------------------===//

Frame frame(const Json &J) {
  Frame F;
  F.Function = text(J, "function");
  F.File = text(J, "file");
  F.Module = text(J, "module");
  F.Line = count(J, "line");
  F.Column = count(J, "column");
  const Json &Inlined = field(J, "inlined");
  F.Inlined = Inlined.is_boolean() && Inlined.get<bool>();
  return F;
}

std::vector<Frame> frames(const Json &List) {
  std::vector<Frame> Result;
  each(List, [&](const Json &J) { Result.push_back(frame(J)); });
  return Result;
}

Event event(const Json &J, const char *Kind, unsigned FirstCapture) {
  Event E;
  E.Kind = *Kind ? Kind : text(J, "kind");
  E.Code = number(J, "code");
  E.Name = text(J, "name");
  E.Api = text(J, "api");
  E.Message = text(J, "message");
  E.Remark = text(J, "severity") == "remark";
  if (const Json &Ids = field(J, "captures"); Ids.is_array())
    for (const Json &Id : Ids)
      if (int Number = number(Id); Number > 0)
        E.Captures.push_back(FirstCapture + unsigned(Number));
  if (const Json &At = field(J, "location"); At.is_object())
    E.At = frame(At);
  E.Stack = frames(field(J, "stack"));
  E.Python = frames(field(J, "python"));
  if (E.Stack.empty() && E.At)
    E.Stack.push_back(*E.At);
  each(field(J, "consequences"), [&](const Json &C) {
    E.Consequences.push_back(
        {text(C, "api"), number(C, "code"), frame(field(C, "location"))});
  });
  each(field(J, "changes"), [&](const Json &C) {
    E.Changes.push_back(
        {text(C, "type"), text(C, "function"), text(C, "what")});
  });
  E.Times = std::max(1u, count(J, "times"));
  return E;
}

//===----------------------------------------------------------------------===//
// Reports of the analysis
//===----------------------------------------------------------------------===//

Position position(const Json &J) {
  return {text(J, "file"), count(J, "line"), count(J, "column"),
          count(J, "end_line")};
}

Prediction prediction(const Json &J) {
  Prediction P;
  P.Kind = text(J, "kind");
  if (int Code = number(J, "code"))
    P.Code = Code;
  if (const Json &Modes = field(J, "by_mode"); Modes.is_object())
    P.ByMode = {number(Modes, "global"), number(Modes, "thread_local"),
                number(Modes, "relaxed")};
  each(field(J, "alternatives"), [&](const Json &A) {
    P.OtherKinds.push_back(text(A, "kind"));
    if (int Code = number(A, "code"))
      P.OtherCodes.push_back(Code);
  });
  return P;
}

StaticFinding finding(const Json &J) {
  StaticFinding F;
  F.Check = text(J, "check");
  F.Message = text(J, "message");
  F.Callee = text(J, "callee");
  F.Function = text(J, "function");
  F.At = position(field(J, "location"));
  each(field(J, "chain"), [&](const Json &S) {
    F.Chain.push_back({position(field(S, "location")), text(S, "function")});
  });
  if (const Json &Ids = field(J, "regions"); Ids.is_array())
    for (const Json &Id : Ids)
      if (int Number = number(Id); Number > 0)
        F.Regions.push_back(unsigned(Number));
  F.Outcome = prediction(field(J, "outcome"));
  return F;
}

} // namespace

bool parseJson(std::string_view Text, Json &Result, std::string &Why) {
  if (Why = support::checkJsonNesting(Text); !Why.empty())
    return false;
  SyntaxCheck Check;
  if (!Json::sax_parse(Text, &Check)) {
    Why = Check.Why;
    return false;
  }
  Result = Json::parse(Text, nullptr, /*allow_exceptions=*/false);
  return true;
}

bool readReport(std::string_view Text, const std::string &File, Run &Result,
                std::string &Why) {
  Json Root;
  if (!parseVersioned(Text, File, "cudagraph-probe",
                      "'cudagraph-probe run --output FILE' writes one",
                      "findings", Root, Why))
    return false;
  unsigned First = 0; // several reports count from 1 each
  for (const Capture &C : Result.Captures)
    First = std::max(First, C.Id);
  for (const std::vector<Event> *Events : {&Result.Findings, &Result.Watched})
    for (const Event &E : *Events)
      for (unsigned Id : E.Captures)
        First = std::max(First, Id);
  each(field(Root, "captures"), [&](const Json &J) {
    Capture C;
    C.Id = First + count(J, "id");
    C.Mode = text(J, "mode");
    std::replace(C.Mode.begin(), C.Mode.end(), '-', '_');
    C.Begin = frames(field(field(J, "begin"), "stack"));
    if (const Json &At = field(field(J, "begin"), "location");
        C.Begin.empty() && At.is_object())
      C.Begin.push_back(frame(At));
    Result.Captures.push_back(std::move(C));
  });
  each(field(Root, "findings"),
       [&](const Json &J) { Result.Findings.push_back(event(J, "", First)); });
  each(field(Root, "watched"), [&](const Json &J) {
    Result.Watched.push_back(event(J, "watched", First));
  });
  each(field(Root, "processes"), [&](const Json &J) {
    const Json &Complete = field(J, "complete");
    if (Complete.is_boolean() && !Complete.get<bool>())
      Result.Problems.push_back("process " + std::to_string(count(J, "pid")) +
                                " did not end in order: what it did last may "
                                "be missing");
  });
  const Json &Watching = field(Root, "watching");
  Result.Watching |= Watching.is_array() && !Watching.empty();
  if (const Json &Problems = field(Root, "problems"); Problems.is_array())
    for (const Json &P : Problems)
      if (P.is_string())
        Result.Problems.push_back(P.get<std::string>());
  return true;
}

bool readFindings(std::string_view Text, const std::string &File,
                  StaticResult &Result, std::string &Why) {
  Json Root;
  if (!parseVersioned(Text, File, "cudagraph-tidy",
                      "'cudagraph-tidy --format=json:FILE' writes one",
                      "findings", Root, Why))
    return false;
  each(field(Root, "regions"), [&](const Json &J) {
    Result.Regions.push_back(
        {count(J, "id"), text(J, "name"), position(field(J, "location"))});
  });
  each(field(Root, "findings"), [&](const Json &J) {
    StaticFinding F = finding(J);
    if (F.At.Line)
      Result.Findings.push_back(std::move(F));
  });
  return true;
}

} // namespace cudagraph::confirm
