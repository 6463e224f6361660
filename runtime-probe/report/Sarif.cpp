//===- Sarif.cpp - A run's findings for code scanning ---------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The structure matches the analyzer's SARIF: one run, a rule for each kind,
// the stack of the call, and the other locations of a finding as related
// locations.
//
//===----------------------------------------------------------------------===//

#include "Sarif.h"
#include "catalogue/Printable.h"
#include "format/JsonFields.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace cudagraph::probe {
namespace {

/// GitHub accepts this many results.
constexpr size_t MostResults = 25000, MostFrames = 64;

struct Rule {
  const char *Kind;
  Severity Level;
};
constexpr Rule Rules[] = {
#define KIND(ID, NAME, SEVERITY) {NAME, Severity::SEVERITY},
#include "format/Kinds.def"
};

const char *levelOf(Severity S) {
  return S == Severity::Error     ? "error"
         : S == Severity::Warning ? "warning"
                                  : "note";
}

/// \p Path for a URI; '/' is not escaped.
std::string uriOf(StringRef Path) {
  std::string Result;
  for (char C : Path) {
    if (isAlnum(C) || StringRef("/-._~").contains(C))
      Result += C;
    else
      Result += "%" + utohexstr(static_cast<unsigned char>(C),
                                /*LowerCase=*/false, /*Width=*/2);
  }
  return Result;
}

/// Identical for equal findings of two runs: omits addresses and numbers.
std::string fingerprintOf(const Finding &F) {
  uint64_t Hash = 1469598103934665603u;
  auto Mix = [&](StringRef Text) {
    for (char C : Text)
      Hash = (Hash ^ static_cast<unsigned char>(C)) * 1099511628211u;
    Hash = (Hash ^ 0xff) * 1099511628211u;
  };
  Mix(F.Kind);
  Mix(F.Api);
  Mix(std::to_string(F.Code));
  if (F.At.Where) {
    Mix(StringRef(F.At.Where->File).rsplit('/').second);
    Mix(F.At.Where->Function);
  }
  return utohexstr(Hash, /*LowerCase=*/true, /*Width=*/16);
}

class Writer {
public:
  Writer(const Report &R, StringRef Root) : R(R), Root(Root.rtrim('/')) {}

  Json document() {
    Json Results = Json::array();
    size_t Unplaced = 0;
    for (const Finding &F : R.Findings)
      if (!isPlaced(F.At.Where))
        ++Unplaced;
      else if (Results.size() < MostResults)
        Results.push_back(result(F));
    Json Run = {{"tool", {{"driver", driver()}}},
                {"originalUriBaseIds",
                 {{"%SRCROOT%", {{"uri", "file://" + uriOf(Root) + "/"}}}}},
                {"columnKind", "utf16CodeUnits"},
                {"results", std::move(Results)},
                {"invocations", Json::array({invocation(Unplaced)})}};
    Run["properties"] = {{"captures", R.Captures.size()},
                         {"processes", R.Processes.size()}};
    return {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
            {"version", "2.1.0"},
            {"runs", Json::array({std::move(Run)})}};
  }

private:
  const Report &R;
  StringRef Root;

  static Json text(StringRef Text) { return {{"text", printable(Text)}}; }

  static bool isPlaced(const std::optional<Location> &L) {
    return L && !L->File.empty() && L->Line;
  }

  Json driver() const {
    Json List = Json::array();
    for (const Rule &Each : Rules)
      List.push_back(
          {{"id", ruleId(Each.Kind)},
           {"name", Each.Kind},
           {"shortDescription", text("Observed in a run: " + words(Each.Kind))},
           {"defaultConfiguration", {{"level", levelOf(Each.Level)}}},
           {"properties",
            {{"tags", {"correctness", "cuda", "cuda-graphs"}},
             {"precision", "very-high"},
             {"problem.severity", Each.Level == Severity::Remark
                                      ? "recommendation"
                                      : levelOf(Each.Level)}}}});
    return {{"name", "cudagraph-probe"},
            {"version", CUDAGRAPH_VERSION},
            {"semanticVersion", CUDAGRAPH_VERSION},
            {"rules", std::move(List)}};
  }

  static std::string ruleId(StringRef Kind) {
    return "cudagraph-probe-" + Kind.str();
  }
  static std::string words(StringRef Kind) {
    std::string Text = Kind.str();
    std::replace(Text.begin(), Text.end(), '-', ' ');
    return Text;
  }

  Json invocation(size_t Unplaced) const {
    Json Notes = Json::array();
    for (const std::string &Problem : R.Problems)
      Notes.push_back({{"level", "warning"}, {"message", text(Problem)}});
    if (Unplaced)
      Notes.push_back(
          {{"level", "note"},
           {"message",
            text(std::to_string(Unplaced) +
                 (Unplaced == 1 ? " finding has" : " findings have") +
                 " no source line and " + (Unplaced == 1 ? "is" : "are") +
                 " left out")}});
    Json Out = {{"executionSuccessful", true},
                {"toolExecutionNotifications", std::move(Notes)}};
    return Out;
  }

  Json physical(StringRef File, unsigned Line, unsigned Column) const {
    StringRef Below = File;
    bool Inside =
        !Root.empty() && Below.consume_front(Root) && Below.consume_front("/");
    Json Artifact = Inside || !File.starts_with("/")
                        ? Json{{"uri", uriOf(Inside ? Below : File)},
                               {"uriBaseId", "%SRCROOT%"}}
                        : Json{{"uri", "file://" + uriOf(File)}};
    Json Region = {{"startLine", Line}};
    if (Column)
      Region["startColumn"] = Column;
    return {{"artifactLocation", std::move(Artifact)},
            {"region", std::move(Region)}};
  }

  Json located(const Location &L) const {
    Json Out = {{"physicalLocation", physical(L.File, L.Line, L.Column)}};
    if (!L.Function.empty())
      Out["logicalLocations"] =
          Json::array({{{"fullyQualifiedName", printable(L.Function)},
                        {"kind", "function"}}});
    return Out;
  }

  void relate(Json &To, const std::optional<Location> &L,
              const std::string &Message) const {
    if (!isPlaced(L))
      return;
    Json Each = located(*L);
    Each["id"] = To.size() + 1;
    Each["message"] = text(Message);
    To.push_back(std::move(Each));
  }

  Json stack(const Stack &S) const {
    Json Frames = Json::array();
    for (const Frame &F : ArrayRef(S.Frames).take_front(MostFrames)) {
      Json At = Json::object();
      if (!F.File.empty() && F.Line)
        At["physicalLocation"] = physical(F.File, F.Line, F.Column);
      if (!F.Function.empty())
        At["logicalLocations"] =
            Json::array({{{"fullyQualifiedName", printable(F.Function)}}});
      Json Each = {{"location", std::move(At)}};
      if (!F.Module.empty())
        Each["module"] = printable(F.Module);
      Frames.push_back(std::move(Each));
    }
    for (const PythonFrame &F : ArrayRef(S.Python).take_front(MostFrames))
      if (F.Line)
        Frames.push_back(
            {{"location",
              {{"physicalLocation", physical(F.File, F.Line, 0)},
               {"logicalLocations", Json::array({{{"fullyQualifiedName",
                                                   printable(F.Function)}}})}}},
             {"module", "python"}});
    return {{"message", text("The call in the run, innermost first.")},
            {"frames", std::move(Frames)}};
  }

  Json result(const Finding &F) const {
    std::string Message = F.Message;
    if (F.Times > 1)
      Message += ", " + std::to_string(F.Times) + " times";
    if (!F.Remedy.empty())
      Message += ". Remedy: " + F.Remedy;
    auto Of =
        find_if(Rules, [&](const Rule &Each) { return F.Kind == Each.Kind; });
    Json Out = {{"ruleId", ruleId(F.Kind)}};
    if (Of != std::end(Rules))
      Out["ruleIndex"] = Of - std::begin(Rules);
    Out["level"] = levelOf(F.Level);
    Out["message"] = text(Message);
    Out["locations"] = Json::array({located(*F.At.Where)});
    Json Related = Json::array();
    for (const auto &O : F.Others)
      relate(Related, O.At.Where, O.Message);
    for (const Consequence &C : F.Consequences)
      relate(Related, C.Where,
             "cascading error: '" + C.Api + "' returned " +
                 std::to_string(C.Code));
    for (unsigned Id : F.Captures)
      if (Id && Id <= R.Captures.size() && Related.size() < 16)
        relate(Related, R.Captures[Id - 1].Begin.Where,
               "the capture began here");
    if (!Related.empty())
      Out["relatedLocations"] = std::move(Related);
    if (!F.At.Frames.empty() || !F.At.Python.empty())
      Out["stacks"] = Json::array({stack(F.At)});
    Out["partialFingerprints"] = {{"cudagraphProbe/v1", fingerprintOf(F)}};
    Json Properties = {{"kind", F.Kind}, {"captures", F.Captures.size()}};
    if (!F.Api.empty())
      Properties["callee"] = printable(F.Api);
    if (F.Code)
      Properties["code"] = F.Code;
    if (!F.RemedySource.empty())
      Properties["remedySource"] = F.RemedySource;
    Out["properties"] = std::move(Properties);
    return Out;
  }
};

} // namespace

void writeSarif(raw_ostream &Out, const Report &R, StringRef Root) {
  Out << Writer(R, Root).document().dump(2, ' ', /*ensure_ascii=*/false,
                                         Json::error_handler_t::replace)
      << "\n";
}

} // namespace cudagraph::probe
