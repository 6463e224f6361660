//===- RuleContext.cpp - The common wording of all rules ------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Determines locations, chains, and fix-its. The wording of outcomes is in
// Wording.cpp.
//
//===----------------------------------------------------------------------===//

#include "Rule.h"
#include "catalogue/Cues.h"
#include "llvm/ADT/StringRef.h"
#include <set>
#include <tuple>

namespace cudagraph {

RuleContext::RuleContext(Program &Table, const FactSet &Facts,
                         const catalogue::Catalogue &Catalogue)
    : Table(Table), Facts(Facts), Catalogue(Catalogue) {}

std::string RuleContext::originName(const CaptureRecord &R) const {
  std::string Name = text(R.StreamText);
  if (Name.empty())
    Name = R.StreamName;
  return Name;
}

std::string RuleContext::called(FunctionId F) const {
  llvm::StringRef Name = Table.info(F).Name;
  if (Table.info(F).IsLambda)
    return ("a lambda in '" + Name.take_front(Name.find("::(lambda)")) + "'")
        .str();
  return ("'" + Name + "'").str();
}

Finding RuleContext::start(const Fact &F, const char *Check) const {
  const CaptureRecord &R = capture(F);
  Finding Result;
  Result.Check = Check;
  Result.Severity = "warning";
  Result.Sure = F.sure();
  Result.Loc = location(F.Range);
  Result.Function = Table.info(F.Function).Signature;
  Result.Callee = catalogue::canonicalName(F.Callee);
  Result.Regions.push_back(F.Capture);
  Result.CapturingKind = R.Kind;
  Result.OfEvent = F.isOfEvent();
  Result.Always = F.Firm;
  Result.Unless = F.Unless;
  Result.Advice = F.Advice;

  Step Begin;
  Begin.Loc = location(R.Site);
  Begin.Function = Table.info(R.Home).Signature;
  const std::string Name = Table.info(R.Home).Name;
  switch (R.Root) {
  case RootKind::Annotation:
    if (R.Site.Begin == Table.info(R.Home).Where.Begin) {
      Begin.Message = "'" + Name + "' is declared to run during a capture";
      break;
    }
    [[fallthrough]];
  case RootKind::ApiPair:
  case RootKind::Wrapper:
  case RootKind::Libtorch:
  case RootKind::Comment:
    Begin.Message = "capture of " + captureText(R).text() + " begins here";
    break;
  case RootKind::Function:
    Begin.Message =
        "'" + Name + "' is analyzed as captured code (roots=function)";
    break;
  case RootKind::StreamParam:
    Begin.Message = "'" + Name + "' is analyzed as if " +
                    captureText(R).text() +
                    " were capturing (roots=stream-param)";
    break;
  case RootKind::TorchOps:
    Begin.Message = "'" + Name +
                    "' is registered as an operator; its caller may capture it "
                    "(roots=torch-ops)";
    break;
  case RootKind::EntryPoints:
    Begin.Message = "'" + Name +
                    "' is exported to another runtime, and is analyzed as if " +
                    captureText(R).text() +
                    " were capturing (roots=entry-points)";
    break;
  }
  Result.Chain.push_back(Begin);
  if (R.BeginCall.Begin != R.Site.Begin && R.BeginIn != None)
    Result.Chain.push_back({location(R.BeginCall),
                            Table.info(R.BeginIn).Signature,
                            "by '" + R.BeginName + "' here"});
  std::set<std::tuple<unsigned, FunctionId, FunctionId>> Seen;
  for (const ChainStep &S : F.Chain) {
    // Recursion repeats its calls.
    if (!Seen.insert({S.Where.Begin, S.Caller, S.Callee}).second)
      continue;
    if (S.Callee == None) {
      Result.Chain.push_back({location(S.Where), Table.info(S.Caller).Signature,
                              "the seed comes from here"});
      continue;
    }
    const FunctionInfo &Callee = Table.info(S.Callee);
    std::string What = Callee.IsLambda       ? "calls the lambda"
                       : Callee.IsDestructor ? "runs '" + Callee.Name + "'"
                                             : "calls '" + Callee.Name + "'";
    Result.Chain.push_back(
        {location(S.Where), Table.info(S.Caller).Signature, What});
  }
  if (const auto *Call = F.as<FactKind::ApiCall>();
      Call && Call->StreamFrom.Begin)
    Result.Chain.push_back({location(Call->StreamFrom),
                            Table.info(Call->StreamFromIn).Signature,
                            "the default stream comes from here"});
  return Result;
}

void RuleContext::pointAt(Finding &Result, const VaryingValue &Value,
                          const std::string &Text) const {
  auto Add = [&](Span At, FunctionId In, const std::string &Says) {
    if (!Says.empty() && location(At).valid())
      Result.Chain.push_back({location(At), function(In).Signature, Says});
  };
  if (Value.CallIn != None)
    Add(Value.Call, Value.CallIn, cue::ChangedBy);
  Add(Value.Where, Value.In, Text);
  if (Value.LaunchIn != None)
    Add(Value.Launch, Value.LaunchIn, cue::Launched);
}

void RuleContext::advise(Finding &Result, const Fact &F,
                         const std::string &Text) const {
  if (!Text.empty())
    Result.Notes.push_back(
        {Result.Loc, Table.info(F.Function).Signature, Text});
}

void RuleContext::fixStream(Finding &Result, const Fact &F) const {
  std::string Name = F.call().StreamInScope;
  if (Name.empty()) {
    // A library may have one function for the default stream and another for
    // the current one.
    Name = text(F.call().StreamText);
    bool Replaced = false;
    for (const catalogue::NamedRole *Each :
         Catalogue.names(catalogue::Role::DefaultTensorStream))
      if (size_t At = Replaced ? std::string::npos : Name.find(Each->Name);
          At != std::string::npos) {
        Name.replace(At, Each->Name.size(), Each->As);
        Replaced = true;
      }
    if (!Replaced)
      return;
  }
  auto Insert = [&](Span Before, std::string Text) {
    Location L = location(Before);
    if (!L.valid() || inMacro(Before))
      return;
    L.EndLine = L.Line;
    L.EndColumn = L.Column;
    Result.Fixes.push_back({L, std::move(Text)});
  };
  auto Replace = [&](Span What, std::string Text) {
    const Location &L = location(What);
    if (L.valid() && !inMacro(What))
      Result.Fixes.push_back({L, std::move(Text)});
  };
  bool Launch = F.Api && F.Api->Does == catalogue::Effect::Launch &&
                F.Api->Name == "<<<>>>";
  if (Launch) {
    if (F.call().NumConfigArgs == 2)
      Insert(F.call().CloseParen, ", 0, " + Name);
    else if (F.call().NumConfigArgs == 3)
      Insert(F.call().CloseParen, ", " + Name);
    else if (F.call().NumConfigArgs == 4)
      Replace(F.call().Args[3], Name);
    return;
  }
  if (!F.Api)
    return;
  if (std::optional<int> At = F.Api->arg("stream")) {
    if (*At >= 0 && static_cast<size_t>(*At) < F.call().Args.size())
      Replace(F.call().Args[*At], Name);
    else if (*At >= 0 && static_cast<size_t>(*At) == F.call().Args.size())
      Insert(F.call().CloseParen, ", " + Name);
    return;
  }
  // A blocking copy or set has a stream-ordered form whose last parameter is a
  // stream.
  const catalogue::Entry *Async = Catalogue.lookup(F.Api->Name + "Async");
  if (!Async || !Async->arg("stream") ||
      static_cast<size_t>(*Async->arg("stream")) != F.call().Args.size())
    return;
  if (inMacro(F.call().Name) || inMacro(F.call().CloseParen))
    return;
  Replace(F.call().Name, Async->Name);
  Insert(F.call().CloseParen, ", " + Name);
}

} // namespace cudagraph
