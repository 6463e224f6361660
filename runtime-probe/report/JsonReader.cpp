//===- JsonReader.cpp - The report from a file ----------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Json.h"
#include "JsonFields.h"

using namespace llvm;

namespace cudagraph::probe {
namespace {

unsigned unsignedOf(const Json &J, const char *Name) {
  return static_cast<unsigned>(numberOf(J, Name));
}

std::vector<std::string> texts(const Json &J, const char *Name) {
  std::vector<std::string> Out;
  for (const Json &Value : listOf(J, Name))
    Out.push_back(asText(Value));
  return Out;
}

std::vector<unsigned> numbers(const Json &J, const char *Name) {
  std::vector<unsigned> Out;
  for (const Json &Value : listOf(J, Name))
    Out.push_back(static_cast<unsigned>(asNumber(Value)));
  return Out;
}

std::optional<Location> location(const Json &J) {
  if (!J.is_object() || J.empty())
    return std::nullopt;
  return Location{textOf(J, "file"), unsignedOf(J, "line"),
                  unsignedOf(J, "column"), textOf(J, "function")};
}

Thread thread(const Json &J) { return {numberOf(J, "id"), textOf(J, "name")}; }

Stack stack(const Json &J) {
  Stack S;
  S.Where = location(field(J, "location"));
  for (const Json &F : listOf(J, "stack"))
    S.Frames.push_back({textOf(F, "function"), textOf(F, "file"),
                        unsignedOf(F, "line"), unsignedOf(F, "column"),
                        textOf(F, "module"), isTrue(F, "inlined")});
  for (const Json &F : listOf(J, "python"))
    S.Python.push_back(
        {textOf(F, "file"), unsignedOf(F, "line"), textOf(F, "function")});
  return S;
}

Capture capture(const Json &J) {
  Capture C;
  C.Id = unsignedOf(J, "id");
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
      C.Nodes[Node.key()] = static_cast<unsigned>(asNumber(Node.value()));
  return C;
}

Finding finding(const Json &J) {
  Finding F;
  F.Kind = textOf(J, "kind");
  F.Code = intOf(J, "code");
  F.Api = textOf(J, "api");
  F.Message = textOf(J, "message");
  F.Captures = numbers(J, "captures");
  F.By = thread(field(J, "thread"));
  F.At = stack(J);
  for (const Json &C : listOf(J, "consequences"))
    F.Consequences.push_back({textOf(C, "api"), intOf(C, "code"),
                              location(field(C, "location")),
                              unsignedOf(C, "times")});
  for (const Json &C : listOf(J, "changes"))
    F.Changes.push_back({unsignedOf(C, "node"), textOf(C, "type"),
                         textOf(C, "function"), textOf(C, "what"),
                         texts(C, "values")});
  F.Operator = textOf(J, "operator");
  F.Times = unsignedOf(J, "times");
  return F;
}

} // namespace

Expected<Report> readReport(StringRef Text) {
  Json J = parseJson(Text);
  if (J.is_discarded())
    return createStringError("not JSON");
  if (textOf(field(J, "tool"), "name") != "cudagraph-probe")
    return createStringError("not a report of cudagraph-probe");
  if (int Version = intOf(J, "version"); Version != 1)
    return createStringError("version " + std::to_string(Version) +
                             " of the report is not known");
  Report R;
  const Json &Program = field(J, "program");
  R.Args = texts(Program, "args");
  R.Status = intOf(Program, "status");
  R.Signal = intOf(Program, "signal");
  for (const Json &P : listOf(J, "processes"))
    R.Processes.push_back({numberOf(P, "pid"), textOf(P, "exe"),
                           intOf(P, "driver"), textOf(P, "gpu"),
                           isTrue(P, "complete")});
  R.Problems = texts(J, "problems");
  for (const Json &C : listOf(J, "captures"))
    R.Captures.push_back(capture(C));
  for (const Json &F : listOf(J, "findings"))
    R.Findings.push_back(finding(F));
  R.Watching = texts(J, "watching");
  for (const Json &W : listOf(J, "watched")) {
    Watched Out;
    Out.Api = textOf(W, "api");
    Out.Code = intOf(W, "code");
    Out.Captures = numbers(W, "captures");
    Out.At = stack(W);
    Out.Times = unsignedOf(W, "times");
    R.Watches.push_back(std::move(Out));
  }
  return R;
}

} // namespace cudagraph::probe
