//===- Print.cpp - The output of cudagraph-probe confirm ------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Confirm.h"
#include "catalogue/Printable.h"
#include "format/JsonFields.h"
#include <algorithm>

namespace cudagraph::confirm {
namespace {

using probe::Json;

std::string spelled(const Position &At) {
  std::string Result = At.File + ":" + std::to_string(At.Line);
  if (At.Column)
    Result += ":" + std::to_string(At.Column);
  return Result;
}

const StaticRegion *regionOf(const StaticResult &Static, unsigned Id) {
  for (const StaticRegion &G : Static.Regions)
    if (G.Id == Id)
      return &G;
  return nullptr;
}

Json textOrNull(const std::string &Text) {
  return Text.empty() ? Json() : Json(Text);
}
Json numberOrNull(int Number) { return Number ? Json(Number) : Json(); }

Json framesJson(const std::vector<Frame> &Frames) {
  Json Result = Json::array();
  for (const Frame &F : Frames)
    Result.push_back({{"function", textOrNull(F.Function)},
                      {"file", textOrNull(F.File)},
                      {"line", F.Line},
                      {"column", F.Column},
                      {"module", textOrNull(F.Module)},
                      {"inlined", F.Inlined}});
  return Result;
}

Json positionJson(const Position &At) {
  if (!At.Line)
    return Json();
  return {{"file", At.File}, {"line", At.Line}, {"column", At.Column}};
}

Json confirmationJson(const Confirmation &C) {
  return {{"status", spelling(C.Is)},
          {"code", numberOrNull(C.Code.value_or(0))},
          {"name", textOrNull(C.CodeName)},
          {"captures", C.Captures},
          {"note", C.Note},
          {"stack", framesJson(C.Stack)},
          {"recorded", framesJson(C.Recorded)}};
}

} // namespace

Position placeOf(const RunOnly &Other) {
  const Event &E = Other.Seen;
  if (E.At && E.At->Line)
    return {E.At->File, E.At->Line, E.At->Column, E.At->Line};
  for (const Frame &F : E.Python)
    if (F.Line)
      return {F.File, F.Line, 0, F.Line};
  return {};
}

std::string described(const RunOnly &Other) {
  const Event &E = Other.Seen;
  std::string Result;
  if (!E.Api.empty() && E.Code) {
    Result = "'" + E.Api + "' returned ";
    Result += E.Name.empty() ? std::to_string(E.Code)
                             : E.Name + " (" + std::to_string(E.Code) + ")";
  } else if (!E.Message.empty()) {
    Result = E.Message;
  } else {
    Result = E.Api.empty() ? "seen" : "'" + E.Api + "'";
  }
  if (!E.Captures.empty())
    Result += " in " + std::to_string(E.Captures.size()) +
              (E.Captures.size() == 1 ? " capture" : " captures");
  return Result + " [" + E.Kind + "]";
}

std::string summary(const Joined &Result) {
  std::string Text;
  auto Add = [&](size_t Count, const std::string &What) {
    if (Count)
      Text += (Text.empty() ? "" : ", ") + std::to_string(Count) + " " + What;
  };
  for (Status S : {Status::Confirmed, Status::Refuted, Status::NotReproduced,
                   Status::NotWatched, Status::NotExecuted})
    Add(Result.count(S), inWords(S));
  Add(Result.Others.size(), "observed only in the run");
  return Text.empty() ? "nothing to confirm" : Text;
}

std::string printText(const StaticResult &Findings, const Run &Seen,
                      const Joined &Result) {
  std::string Text;
  for (const std::string &Problem : Seen.Problems)
    Text += printable("cudagraph-probe: " + Problem) + "\n";
  for (size_t I = 0; I < Findings.Findings.size(); ++I) {
    const StaticFinding &F = Findings.Findings[I];
    Text += printable(spelled(F.At) + ": warning: " + F.Message + " [" +
                      F.Check + "]") +
            "\n";
    Text +=
        printable(spelled(F.At) + ": note: " + Result.Confirmations[I].Note) +
        "\n";
  }
  if (!Result.Others.empty())
    Text += "Observed only in the run:\n";
  for (const RunOnly &Other : Result.Others) {
    Position At = placeOf(Other);
    Text += printable((At.Line ? spelled(At) + ": " : std::string()) +
                      "warning: " + described(Other)) +
            "\n";
    if (const StaticRegion *G = regionOf(Findings, Other.Region))
      Text += printable(spelled(G->Begin)) +
              ": note: in the region that begins here\n";
  }
  return Text + summary(Result) + ".\n";
}

std::string printJson(const StaticResult &Findings, const Run &Seen,
                      const Joined &Result) {
  Json Root = {
      {"version", 1},
      {"tool", {{"name", "cudagraph-probe"}, {"version", CUDAGRAPH_VERSION}}}};
  Json &List = Root["findings"] = Json::array();
  for (size_t I = 0; I < Findings.Findings.size(); ++I) {
    const StaticFinding &F = Findings.Findings[I];
    List.push_back(
        {{"check", F.Check},
         {"message", F.Message},
         {"location", positionJson(F.At)},
         {"function", F.Function},
         {"callee", F.Callee},
         {"confirmation", confirmationJson(Result.Confirmations[I])}});
  }
  Json &Others = Root["run_only"] = Json::array();
  for (const RunOnly &Other : Result.Others) {
    const Event &E = Other.Seen;
    const StaticRegion *G = regionOf(Findings, Other.Region);
    Others.push_back({{"kind", E.Kind},
                      {"code", numberOrNull(E.Code)},
                      {"name", textOrNull(E.Name)},
                      {"api", textOrNull(E.Api)},
                      {"message", described(Other)},
                      {"captures", E.Captures.size()},
                      {"times", E.Times},
                      {"location", positionJson(placeOf(Other))},
                      {"region", G ? Json(G->Id) : Json()},
                      {"stack", framesJson(E.Stack)}});
  }
  Root["problems"] = Seen.Problems;
  // Paths and names may contain bytes that are not valid UTF-8.
  return Root.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace cudagraph::confirm
