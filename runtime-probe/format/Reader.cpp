//===- Reader.cpp - Reads a report from a file ----------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "JsonFields.h"
#include "Report.h"
#include <algorithm>

namespace cudagraph::probe {
namespace {

unsigned timesOf(const Json &J) { return std::max(1u, countOf(J, "times")); }

std::optional<Location> location(const Json &J) {
  if (!J.is_object() || J.empty())
    return std::nullopt;
  return Location{textOf(J, "file"), countOf(J, "line"), countOf(J, "column"),
                  textOf(J, "function")};
}

Thread thread(const Json &J) { return {numberOf(J, "id"), textOf(J, "name")}; }

Stack stack(const Json &J) {
  Stack S;
  S.Where = location(field(J, "location"));
  eachOf(J, "stack", [&](const Json &F) {
    S.Frames.push_back({textOf(F, "function"), textOf(F, "file"),
                        countOf(F, "line"), countOf(F, "column"),
                        textOf(F, "module"), isTrue(F, "inlined")});
  });
  eachOf(J, "python", [&](const Json &F) {
    S.Python.push_back(
        {textOf(F, "file"), countOf(F, "line"), textOf(F, "function")});
  });
  return S;
}

Capture capture(const Json &J) {
  Capture C;
  C.Id = countOf(J, "id");
  C.Pid = numberOf(J, "pid");
  C.Stream = textOf(J, "stream");
  C.Kind = textOf(J, "kind");
  C.Mode = textOf(J, "mode");
  C.By = thread(field(J, "thread"));
  C.Begin = stack(field(J, "begin"));
  C.End = stack(field(J, "end"));
  if (const Json &D = field(J, "duration_us"); D.is_number())
    C.Microseconds = D.get<double>();
  C.Outcome = textOf(J, "outcome");
  C.Code = intOf(J, "code");
  if (const Json &Nodes = field(J, "nodes"); Nodes.is_object())
    for (const auto &Node : Nodes.items())
      C.Nodes[Node.key()] = asCount(Node.value());
  C.Name = textOf(J, "name");
  eachOf(J, "graph", [&](const Json &N) {
    C.Graph.push_back({textOf(N, "type"), textOf(N, "function"),
                       textOf(N, "stream"), location(field(N, "location"))});
  });
  return C;
}

Finding finding(const Json &J) {
  Finding F;
  F.Kind = textOf(J, "kind");
  std::string Level = textOf(J, "severity");
  for (Severity Each : {Severity::Error, Severity::Remark})
    if (Level == spelling(Each))
      F.Level = Each;
  F.Code = intOf(J, "code");
  F.Api = textOf(J, "api");
  F.Message = textOf(J, "message");
  F.Captures = countsOf(J, "captures");
  F.By = thread(field(J, "thread"));
  F.At = stack(J);
  eachOf(J, "consequences", [&](const Json &C) {
    F.Consequences.push_back({textOf(C, "api"), intOf(C, "code"),
                              location(field(C, "location")), timesOf(C)});
  });
  eachOf(J, "changes", [&](const Json &C) {
    F.Changes.push_back({countOf(C, "node"), textOf(C, "type"),
                         textOf(C, "function"), textOf(C, "what"),
                         textsOf(C, "values"), stack(C)});
  });
  eachOf(J, "related", [&](const Json &O) {
    F.Others.push_back({textOf(O, "message"), stack(O), textOf(O, "node")});
  });
  F.Operator = textOf(J, "operator");
  const Json &Remedy = field(J, "remedy");
  F.Remedy = textOf(Remedy, "text");
  F.RemedySource = textOf(Remedy, "source");
  F.Times = timesOf(J);
  return F;
}

Recorded recorded(const Json &J) {
  Recorded C;
  C.Type = textOf(J, "type");
  C.Function = textOf(J, "function");
  C.At = stack(J);
  C.Captures = countsOf(J, "captures");
  C.Launches = countOf(J, "launches");
  C.Relaunches = countOf(J, "relaunches");
  C.Sets = countOf(J, "sets");
  C.Memory = textsOf(J, "memory");
  C.Returned = textsOf(J, "returned");
  C.Again = textsOf(J, "again");
  C.OtherThread = isTrue(J, "other_thread");
  eachOf(J, "endings", [&](const Json &E) {
    C.Endings.push_back({textOf(E, "how"), stack(E), countOf(E, "launches")});
  });
  eachOf(J, "ran", [&](const Json &L) {
    if (unsigned Id = countOf(L, "line"))
      C.Ran.push_back({Id - 1, countOf(L, "launches")});
  });
  eachOf(J, "failed", [&](const Json &L) {
    C.Failed.push_back({intOf(L, "code"), stack(L), timesOf(L)});
  });
  eachOf(J, "unordered", [&](const Json &N) {
    C.Unordered.push_back({textOf(N, "type"), textOf(N, "function"), stack(N),
                           countOf(N, "launches")});
  });
  C.Ordered = isTrue(J, "ordered");
  return C;
}

} // namespace

std::optional<ReportFault> parseVersioned(std::string_view Text,
                                          std::string_view Tool,
                                          const char *List, Json &Root) {
  if (Text.empty())
    return ReportFault{ReportFault::Empty, {}};
  if (auto Problem = support::checkJson(Text, support::JsonNames::MayRepeat))
    return ReportFault{ReportFault::NoJson, Problem->Text};
  Root = Json::parse(Text, nullptr, /*allow_exceptions=*/false);
  std::string By = textOf(field(Root, "tool"), "name");
  const Json &Given = field(Root, "version");
  if (!Root.is_object() || (By.empty() && Given.is_null()))
    return ReportFault{ReportFault::NotOurs, {}};
  if (!By.empty() && By != Tool)
    return ReportFault{ReportFault::Others, By};
  if (!Given.is_number_integer() || asInt(Given) != ReportVersion)
    return ReportFault{ReportFault::Version, Given.dump()};
  if (!field(Root, List).is_array())
    return ReportFault{ReportFault::NoList, List};
  return std::nullopt;
}

std::optional<ReportFault> readReport(std::string_view Text, Report &R) {
  Json J;
  if (auto Fault = parseVersioned(Text, "cudagraph-probe", "findings", J))
    return Fault;
  const Json &Program = field(J, "program");
  R.Args = textsOf(Program, "args");
  R.Status = intOf(Program, "status");
  R.Signal = intOf(Program, "signal");
  eachOf(J, "processes", [&](const Json &P) {
    // A process is complete unless the file states otherwise.
    const Json &Complete = field(P, "complete");
    R.Processes.push_back({numberOf(P, "pid"), textOf(P, "exe"),
                           intOf(P, "driver"), textOf(P, "gpu"),
                           !Complete.is_boolean() || Complete.get<bool>(),
                           isTrue(P, "captures_only"), isTrue(P, "detached"),
                           isTrue(P, "unwatched"), isTrue(P, "heap")});
  });
  R.Problems = textsOf(J, "problems");
  eachOf(J, "captures",
         [&](const Json &C) { R.Captures.push_back(capture(C)); });
  eachOf(J, "findings",
         [&](const Json &F) { R.Findings.push_back(finding(F)); });
  R.Watching = textsOf(J, "watching");
  eachOf(J, "watched", [&](const Json &W) {
    Watched Out;
    Out.Api = textOf(W, "api");
    Out.Code = intOf(W, "code");
    Out.Captures = countsOf(W, "captures");
    Out.At = stack(W);
    Out.Times = timesOf(W);
    R.Watches.push_back(std::move(Out));
  });
  eachOf(J, "calls", [&](const Json &C) { R.Calls.push_back(recorded(C)); });
  R.CallsLeftOut = countOf(J, "calls_left_out");
  eachOf(J, "lines", [&](const Json &L) {
    R.Lines.push_back({textOf(L, "file"), countOf(L, "line"),
                       textOf(L, "problem"), countOf(L, "times"),
                       countsOf(L, "during")});
  });
  return std::nullopt;
}

} // namespace cudagraph::probe
