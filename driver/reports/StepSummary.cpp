//===- StepSummary.cpp - The summary of a step of GitHub Actions ----------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Entries.h"
#include "Escape.h"
#include "GitHub.h"
#include "catalogue/Printable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace cudagraph::reports {
namespace {

std::string placeOf(const Report &R, const Location &L) {
  if (!L.valid())
    return "no location in the sources";
  return fromRoot(R, L.File) + ":" + std::to_string(L.Line) +
         (L.Column ? ":" + std::to_string(L.Column) : std::string());
}

std::string heading(const Report &R) {
  std::string Result = "## cudagraph-tidy\n\n";
  if (R.Findings.empty())
    Result += "**No findings**";
  else
    Result += "**" + counted(R.Findings.size(), "finding") + "**";
  Result += " in " + counted(R.Regions.size(), "capture region");
  if (!R.Findings.empty())
    Result += ": " + countedOutcomes(R);
  for (auto [Count, Why] :
       {std::pair(R.Hidden.Nolint, " suppressed"),
        std::pair(R.Hidden.Advice, " for advice only"),
        std::pair(R.Hidden.Baseline, " in the baseline"),
        std::pair(R.Hidden.Unchanged, " not affected by the change")})
    if (Count)
      Result += "; " + std::to_string(Count) + Why;
  if (R.InRun)
    Result += "; in the run: " + confirm::summary(*R.InRun);
  Result += ". " + counted(R.Seen.TranslationUnits, "translation unit") + ", " +
            (R.Seen.Incomplete.empty()
                 ? std::string("none incomplete")
                 : "**" + std::to_string(R.Seen.Incomplete.size()) +
                       " incomplete**: code that was not analyzed may contain "
                       "findings") +
            "; " + counted(R.Seen.OpaqueCalls.size(), "opaque call") + ".\n\n";
  return Result;
}

std::string row(const Report &R, const Entry &E) {
  std::string Level = E.Severity;
  if (E.Of)
    Level += std::string(", ") + spelling(E.Of->Sure);
  if (E.InRun)
    Level += std::string(", ") + confirm::spelling(E.InRun->Is);
  return "| " + markdownEscaped(placeOf(R, E.Loc)) + " | " +
         markdownEscaped(E.Check) + " | " + markdownEscaped(Level) + " | " +
         markdownEscaped(shortened(E.Message, 1000)) + " |\n";
}

std::string details(const Report &R, const Entry &E, SourceText &Sources) {
  // The text is HTML up to the empty line after <summary> and Markdown after
  // that.
  std::string Result = "<details><summary><code>" +
                       xmlEscaped(printable(placeOf(R, E.Loc))) + "</code> " +
                       xmlEscaped(printable(shortened(E.Message, 1000))) +
                       "</summary>\n\n";
  if (E.Loc.valid() && E.Loc.Column) {
    size_t End = E.Loc.EndLine == E.Loc.Line && E.Loc.EndColumn
                     ? E.Loc.EndColumn - 1
                     : E.Loc.Column;
    Snippet S = makeSnippet(Sources.line(E.Loc.File, E.Loc.Line),
                            E.Loc.Column - 1, End);
    if (!S.Text.empty())
      Result += "<pre>" + xmlEscaped(S.Text) + "&#10;" + xmlEscaped(S.Mark) +
                "</pre>\n\n";
  }
  for (const Step &S : E.Steps)
    Result += "1. " + markdownEscaped(placeOf(R, S.Loc)) + " " +
              markdownEscaped(shortened(S.Message, 1000)) + "\n";
  return Result + "\n</details>\n\n";
}

} // namespace

void writeStepSummary(raw_ostream &Out, const Report &R, SourceText &Sources,
                      size_t Room) {
  std::vector<Entry> Entries = entriesOf(R, Sources);
  sortByWeight(Entries);
  // GitHub drops a summary that exceeds its limit.
  constexpr size_t ForClosing = 512;
  std::string Text = heading(R), Below;
  if (!Entries.empty())
    Text += "| Location | Check | Severity | Message |\n| --- | --- | --- | "
            "--- |\n";
  size_t Shown = 0;
  for (const Entry &E : Entries) {
    std::string Row = row(R, E), Details = details(R, E, Sources);
    if (Text.size() + Below.size() + Row.size() + Details.size() + ForClosing >
        Room)
      break;
    Text += Row;
    Below += Details;
    ++Shown;
  }
  Text += "\n" + Below;
  if (Shown < Entries.size())
    Text += counted(Entries.size() - Shown, "more line") +
            " left out: the summary of a step has limited space.\n";
  if (Text.size() <= Room)
    Out << Text;
}

} // namespace cudagraph::reports
