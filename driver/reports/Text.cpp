//===- Text.cpp - The text report -----------------------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Text.h"
#include "Unseen.h"
#include "catalogue/Printable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace cudagraph::reports {
namespace {

class Printer {
public:
  Printer(raw_ostream &Out, SourceText &Sources, TextStyle Style)
      : Out(Out), Sources(Sources), Style(Style) {
    Out.enable_colors(Style.Color);
  }

  void finding(const Finding &F) {
    header(F.Loc, raw_ostream::MAGENTA, F.Severity);
    Out.changeColor(raw_ostream::SAVEDCOLOR, /*Bold=*/true);
    Out << printable(F.Message);
    Out.resetColor();
    Out << " [" << F.Check << "]\n";
    snippet(F.Loc);
    for (const auto *Steps : {&F.Chain, &F.Notes})
      for (const Step &S : *Steps)
        note(S.Loc.valid() ? S.Loc : F.Loc, S.Message);
  }

  /// The results of a run, after the finding that they concern.
  void confirmation(const Finding &F, const confirm::Confirmation &C) {
    note(F.Loc, C.Note);
  }

  void runOnly(const Report &R) {
    Out << "Observed only in the run:\n";
    for (const confirm::RunOnly &Other : R.InRun->Others) {
      confirm::Position At = confirm::placeOf(Other);
      Location L;
      L.File = At.File;
      L.Line = At.Line;
      L.Column = At.Column;
      L.EndLine = At.EndLine;
      if (L.valid()) {
        header(L, raw_ostream::MAGENTA, "warning");
      } else {
        Out.changeColor(raw_ostream::MAGENTA, /*Bold=*/true);
        Out << "warning: ";
        Out.resetColor();
      }
      Out << printable(confirm::described(Other)) << "\n";
      if (L.valid())
        snippet(L);
      if (Other.Region && Other.Region <= R.Regions.size())
        note(R.Regions[Other.Region - 1].Begin,
             "in the region that begins here");
    }
  }

  void note(const Location &L, StringRef Message) {
    header(L, raw_ostream::CYAN, "note");
    Out << printable(Message) << "\n";
  }

private:
  raw_ostream &Out;
  SourceText &Sources;
  TextStyle Style;

  void header(const Location &L, raw_ostream::Colors Color, StringRef Level) {
    Out.changeColor(raw_ostream::SAVEDCOLOR, /*Bold=*/true);
    Out << printable(spelled(L)) << ": ";
    Out.changeColor(Color, /*Bold=*/true);
    Out << Level << ": ";
    Out.resetColor();
  }

  void snippet(const Location &L) {
    StringRef Line = Sources.line(L.File, L.Line);
    if (Line.empty() || L.Column == 0)
      return;
    size_t End = L.EndLine > L.Line ? Line.size()
                 : L.EndColumn      ? L.EndColumn - 1
                                    : L.Column;
    Snippet S = makeSnippet(Line, L.Column - 1, End);
    Out << format("%5u | ", L.Line) << S.Text << "\n      | ";
    Out.changeColor(raw_ostream::GREEN, /*Bold=*/true);
    Out << S.Mark;
    Out.resetColor();
    Out << "\n";
  }
};

void closingLine(raw_ostream &Out, const Report &R) {
  if (unsigned Held = R.Seen.HeldBack)
    Out << counted(Held, "finding") << (Held == 1 ? " is" : " are")
        << " held back until " << printable(heldBackUntil(R.Seen))
        << "; --confidence=possible shows " << (Held == 1 ? "it" : "them")
        << ".\n";
  if (unsigned Count = R.Hidden.Advice)
    Out << counted(Count, "finding") << (Count == 1 ? " is" : " are")
        << " advice and not shown; --advice shows "
        << (Count == 1 ? "it" : "them") << ".\n";
  for (const std::string &Each : unseenCaptures(R.Seen))
    Out << printable(Each) << ".\n";
  std::string Units = countedUnits(R);
  if (R.Regions.empty() && R.Findings.empty()) {
    Out << "no capture region found in " << Units
        << " (use --roots to name functions that callers capture).\n";
    return;
  }
  if (R.Findings.empty())
    Out << "no findings in " << counted(R.Regions.size(), "capture region");
  else
    Out << counted(R.Findings.size(), "finding") << " in "
        << counted(R.Regions.size(), "capture region") << ": "
        << countedOutcomes(R);
  if (R.InRun)
    Out << "; in the run: " << confirm::summary(*R.InRun);
  for (auto [Count, Why] :
       {std::pair(R.Hidden.Nolint, " suppressed"),
        std::pair(R.Hidden.Baseline, " in the baseline"),
        std::pair(R.Hidden.Unchanged, " not affected by the change")})
    if (Count)
      Out << "; " << Count << Why;
  const Coverage &Seen = R.Seen;
  Out << ". " << Units << "; "
      << counted(Seen.OpaqueCalls.size(), "opaque call");
  if (!Seen.Unseen.empty())
    Out << ", " << counted(Seen.Unseen.size(), "uncompiled #if block");
  if (!R.Strict && Seen.OpaqueCalls.size() + Seen.Unseen.size() > 0)
    Out << " (--strict lists them)";
  Out << ".\n";
}

} // namespace

void writeText(raw_ostream &Out, const Report &R, SourceText &Sources,
               TextStyle Style) {
  Printer Print(Out, Sources, Style);
  for (auto [Index, F] : enumerate(R.Findings)) {
    Print.finding(F);
    if (R.InRun)
      Print.confirmation(F, R.InRun->Confirmations[Index]);
  }
  if (R.InRun && !R.InRun->Others.empty())
    Print.runOnly(R);
  if (R.Strict) {
    for (const OpaqueCall &Call : R.Seen.OpaqueCalls)
      Print.note(Call.Loc,
                 "'" + Call.Callee +
                     "' is opaque: its effect in a capture is unknown");
    for (const UnseenBranch &Branch : R.Seen.Unseen)
      Print.note(Branch.Loc, described(Branch, R.Seen));
  }
  for (const Remark &Each : R.Remarks)
    Print.note(Each.Loc, Each.Message);
  if (Style.ClosingLine)
    closingLine(Out, R);
}

} // namespace cudagraph::reports
