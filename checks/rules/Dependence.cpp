//===- Dependence.cpp - Outcomes that depend on unknowns ------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The sentence for an outcome with several alternatives. It must be readable,
// so it names the simple conditions and summarizes the others. The outcome in
// JSON and `cudagraph-tidy explain` list all of them.
//
//===----------------------------------------------------------------------===//

#include "Rule.h"
#include <algorithm>

namespace cudagraph {

using catalogue::Mode;

std::string RuleContext::errorText(int Code) {
  return "CUDA returns " + std::string(catalogue::errorName(Code)) + " (" +
         std::to_string(Code) + ")";
}

/// If \p Whens contains a condition with each of \p Parts, and these conditions
/// are otherwise equal, replaces them with one condition that contains \p
/// Instead.
static void merge(std::vector<std::string> &Whens,
                  const std::vector<std::string> &Parts,
                  const std::string &Instead) {
  for (size_t I = 0; I < Whens.size(); ++I) {
    const size_t At = Whens[I].find(Parts.front());
    if (At == std::string::npos ||
        (Instead.empty() && Whens[I] == Parts.front()))
      continue;
    auto With = [&, Whole = Whens[I]](const std::string &Part) {
      std::string Result = Whole;
      return Result.replace(At, Parts.front().size(), Part);
    };
    bool All = true;
    for (const std::string &Part : Parts)
      All &= std::count(Whens.begin(), Whens.end(), With(Part)) != 0;
    if (!All)
      continue;
    std::string Merged = With(Instead);
    if (Instead.empty()) // with the "and" that follows or precedes
      Merged.erase(At ? At - 5 : 0, 5);
    for (const std::string &Part : Parts)
      std::erase(Whens, With(Part));
    Whens.insert(Whens.begin() + std::min(I, Whens.size()), Merged);
  }
}

/// Omits unknowns that make no difference among conditions with the same
/// consequence.
static void shorten(std::vector<std::string> &Whens) {
  const std::string IsMode = "the capture mode is ";
  const std::string Global = IsMode + inWords(Mode::Global);
  const std::string Local = IsMode + inWords(Mode::ThreadLocal);
  merge(Whens,
        {"the capturing stream is blocking",
         "the capturing stream is non-blocking"},
        "");
  merge(Whens, {Global, Local, IsMode + inWords(Mode::Relaxed)}, "");
  merge(Whens, {Global, Local}, Global + " or " + inWords(Mode::ThreadLocal));
}

/// "A", "A or B", "A, B, or C", with \p Word as "or".
static std::string listed(const std::vector<std::string> &Items,
                          const std::string &Word) {
  std::string Result;
  for (size_t I = 0; I < Items.size(); ++I)
    Result += (I == 0                 ? ""
               : I + 1 < Items.size() ? ", "
               : Items.size() > 2     ? ", " + Word + " "
                                      : " " + Word + " ") +
              Items[I];
  return Result;
}

/// The unknowns that conditions name, "the stream and the capture mode".
static std::string unknowns(const std::vector<std::string> &Whens,
                            bool OfEvent) {
  std::vector<std::string> Names;
  auto Add = [&](const char *Text, const char *Name) {
    for (const std::string &When : Whens)
      if (When.find(Text) != std::string::npos)
        return Names.push_back(Name);
  };
  Add(OfEvent ? "the event was" : "the stream ",
      OfEvent ? "the event" : "the stream");
  Add("the capturing stream is", "the kind of the capturing stream");
  Add("the capture mode is", "the capture mode");
  if (Names.empty())
    return "its arguments";
  return listed(Names, "and");
}

std::string RuleContext::dependence(const Outcome &O, bool OfEvent) {
  // Conditions with the same consequence are grouped.
  std::vector<std::pair<std::string, std::vector<std::string>>> Groups;
  for (const Alternative &A : O.Alternatives) {
    std::string What =
        A.Kind == OutcomeKind::Error
            ? errorText(A.Code)
            : "the work runs once, at capture, and is not in the graph";
    auto It = Groups.begin();
    while (It != Groups.end() && It->first != What)
      ++It;
    if (It == Groups.end())
      It = Groups.insert(It, {What, {}});
    It->second.push_back(A.When);
  }
  size_t Count = 0;
  for (auto &[What, Whens] : Groups) {
    shorten(Whens);
    Count += Whens.size();
  }
  // A sentence has room for three conditions. If there are more, it names the
  // consequences that have one simple condition; the outcome contains all of
  // them.
  const std::string Verb = "CUDA returns ";
  std::string Result;
  std::vector<std::string> Rest, Others;
  for (const auto &[What, Whens] : Groups) {
    if (Count > 3 && (Whens.size() > 1 ||
                      Whens.front().find(" and ") != std::string::npos)) {
      // One verb serves several errors: "CUDA returns A or B".
      const bool Again = !Rest.empty() && What.rfind(Verb, 0) == 0 &&
                         Rest.front().rfind(Verb, 0) == 0;
      Rest.push_back(Again ? What.substr(Verb.size()) : What);
      Others.insert(Others.end(), Whens.begin(), Whens.end());
      continue;
    }
    Result += (Result.empty() ? "" : "; ") + What;
    for (size_t I = 0; I < Whens.size(); ++I)
      Result += (I ? ", or " : " if ") + Whens[I];
  }
  if (Rest.empty())
    return Result;
  return Result + (Result.empty() ? "" : "; in other cases, ") +
         listed(Rest, "or") + ", depending on " + unknowns(Others, OfEvent);
}

} // namespace cudagraph
