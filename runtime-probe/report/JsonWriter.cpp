//===- JsonWriter.cpp - Writes the report to a file -----------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Json.h"
#include "format/JsonFields.h"

using namespace llvm;

namespace cudagraph::probe {
namespace {

template <typename T, typename Fn>
Json list(const std::vector<T> &Values, Fn F) {
  Json Out = Json::array();
  for (const T &Value : Values)
    Out.push_back(F(Value));
  return Out;
}

Json location(const std::optional<Location> &L) {
  if (!L)
    return nullptr;
  return {{"file", L->File},
          {"line", L->Line},
          {"column", L->Column},
          {"function", L->Function}};
}

Json thread(const Thread &T) { return {{"id", T.Id}, {"name", T.Name}}; }

Json frame(const Frame &F) {
  return {{"function", F.Function}, {"file", F.File},
          {"line", F.Line},         {"column", F.Column},
          {"module", F.Module},     {"inlined", F.Inlined}};
}

/// Writes `location`, `stack`, and `python` to \p Out.
void stack(Json &Out, const Stack &S) {
  Out["location"] = location(S.Where);
  Out["stack"] = list(S.Frames, frame);
  Out["python"] = list(S.Python, [](const PythonFrame &F) -> Json {
    return {{"file", F.File}, {"line", F.Line}, {"function", F.Function}};
  });
}

Json frames(const Stack &S) {
  Json Out = Json::object();
  stack(Out, S);
  return Out;
}

Json capture(const Capture &C) {
  Json Out = {{"id", C.Id},
              {"pid", C.Pid},
              {"stream", C.Stream},
              {"kind", C.Kind},
              {"mode", C.Mode},
              {"thread", thread(C.By)},
              {"begin", frames(C.Begin)},
              {"end", frames(C.End)},
              {"duration_us", C.Microseconds},
              {"outcome", C.Outcome},
              {"code", C.Code},
              {"nodes", C.Nodes}};
  if (!C.Name.empty())
    Out["name"] = C.Name;
  if (!C.Graph.empty())
    Out["graph"] = list(C.Graph, [](const CapturedNode &N) -> Json {
      return {{"type", N.Type},
              {"function", N.Function},
              {"stream", N.Stream},
              {"location", location(N.Where)}};
    });
  return Out;
}

Json consequence(const Consequence &C) {
  return {{"api", C.Api},
          {"code", C.Code},
          {"name", errorName(C.Code)},
          {"location", location(C.Where)},
          {"times", C.Times}};
}

Json change(const Change &C) {
  Json Out = {{"node", C.Node},
              {"type", C.Type},
              {"function", C.Function},
              {"what", C.What},
              {"values", C.Values}};
  if (!C.At.Frames.empty() || !C.At.Python.empty())
    stack(Out, C.At);
  return Out;
}

Json finding(const Finding &F) {
  Json Out = {{"kind", F.Kind},         {"severity", spelling(F.Level)},
              {"code", F.Code},         {"name", errorName(F.Code)},
              {"api", F.Api},           {"message", F.Message},
              {"captures", F.Captures}, {"thread", thread(F.By)}};
  stack(Out, F.At);
  Out["consequences"] = list(F.Consequences, consequence);
  if (!F.Changes.empty())
    Out["changes"] = list(F.Changes, change);
  if (!F.Others.empty())
    Out["related"] = list(F.Others, [](const Related &O) {
      Json J = {{"message", O.Message}};
      if (!O.Node.empty())
        J["node"] = O.Node;
      stack(J, O.At);
      return J;
    });
  if (!F.Operator.empty())
    Out["operator"] = F.Operator;
  if (!F.Remedy.empty())
    Out["remedy"] = {{"text", F.Remedy}, {"source", F.RemedySource}};
  Out["times"] = F.Times;
  return Out;
}

Json watched(const Watched &W) {
  Json Out = {{"api", W.Api}, {"code", W.Code}, {"captures", W.Captures}};
  stack(Out, W.At);
  Out["times"] = W.Times;
  return Out;
}

Json ending(const Ending &E) {
  Json Out = {{"how", E.How}, {"launches", E.Launches}};
  stack(Out, E.At);
  return Out;
}

Json recorded(const Recorded &C) {
  Json Out = {{"type", C.Type},
              {"function", C.Function},
              {"captures", C.Captures},
              {"launches", C.Launches},
              {"relaunches", C.Relaunches},
              {"sets", C.Sets},
              {"memory", C.Memory},
              {"returned", C.Returned},
              {"again", C.Again},
              {"other_thread", C.OtherThread}};
  Out["endings"] = list(C.Endings, ending);
  Out["ran"] = list(C.Ran, [](const RanBefore &L) -> Json {
    return {{"line", L.Line + 1}, {"launches", L.Launches}};
  });
  if (!C.Failed.empty())
    Out["failed"] = list(C.Failed, [](const FailedLaunch &L) {
      Json J = {{"code", L.Code}, {"times", L.Times}};
      stack(J, L.At);
      return J;
    });
  if (!C.Unordered.empty())
    Out["unordered"] = list(C.Unordered, [](const UnorderedNode &N) {
      Json J = {
          {"type", N.Type}, {"function", N.Function}, {"launches", N.Launches}};
      stack(J, N.At);
      return J;
    });
  if (C.Ordered)
    Out["ordered"] = true;
  stack(Out, C.At);
  return Out;
}

Json sourceLine(const SourceLine &L) {
  return {{"file", L.File},
          {"line", L.Line},
          {"problem", L.Problem},
          {"times", L.Times},
          {"during", L.During}};
}

Json process(const Process &P) {
  Json Out = {{"pid", P.Pid},
              {"exe", P.Exe},
              {"driver", P.Driver},
              {"gpu", P.Gpu},
              {"complete", P.Complete}};
  for (auto [Name, Is] :
       {std::pair("captures_only", P.CapturesOnly),
        std::pair("detached", P.Detached), std::pair("unwatched", P.Unwatched),
        std::pair("heap", P.Heap)})
    if (Is)
      Out[Name] = true;
  return Out;
}

} // namespace

void writeJson(raw_ostream &Out, const Report &R) {
  Json J = {
      {"version", ReportVersion},
      {"tool", {{"name", "cudagraph-probe"}, {"version", CUDAGRAPH_VERSION}}},
      {"program",
       {{"args", R.Args}, {"status", R.Status}, {"signal", R.Signal}}}};
  J["processes"] = list(R.Processes, process);
  J["problems"] = R.Problems;
  J["captures"] = list(R.Captures, capture);
  J["findings"] = list(R.Findings, finding);
  J["watching"] = R.Watching;
  J["watched"] = list(R.Watches, watched);
  J["calls"] = list(R.Calls, recorded);
  if (R.CallsLeftOut)
    J["calls_left_out"] = R.CallsLeftOut;
  if (!R.Lines.empty())
    J["lines"] = list(R.Lines, sourceLine);
  // Names of functions and files may contain any bytes.
  Out << J.dump(2, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace)
      << "\n";
}

} // namespace cudagraph::probe
