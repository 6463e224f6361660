//===- HtmlFinding.cpp - One finding in HTML ------------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HtmlParts.h"
#include "catalogue/Cues.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace cudagraph::reports::html {

Look lookOf(OutcomeKind K) {
  switch (K) {
  case OutcomeKind::Error:
    return {"refused", "✕", "error"};
  case OutcomeKind::Escapes:
    return {"escapes", "↗", "escapes"};
  case OutcomeKind::Stale:
    return {"stale", "↻", "stale"};
  case OutcomeKind::Dangling:
    return {"dangling", "⌀", "dangling"};
  case OutcomeKind::Depends:
    return {"depends", "±", "depends"};
  case OutcomeKind::Unknown:
    return {"unknown", "?", "unknown"};
  }
  return {"", "", ""};
}

/// Gives each finding a unique fragment that is safe in a URL.
Page::Page(raw_ostream &Out, const Report &R, SourceText &Sources)
    : Out(Out), R(R), Sources(Sources) {
  StringSet<> Used;
  for (const Finding &F : R.Findings) {
    std::string Id = "f-" + F.Fingerprint;
    for (char &C : Id)
      if (!isAlnum(C) && C != '-')
        C = '-';
    const std::string First = Id;
    for (unsigned N = 2; !Used.insert(Id).second; ++N)
      Id = First + "-" + std::to_string(N);
    Ids.push_back(Id);
  }
}

const confirm::Confirmation *Page::inRun(size_t Index) const {
  return R.InRun && Index < R.InRun->Confirmations.size()
             ? &R.InRun->Confirmations[Index]
             : nullptr;
}

std::string place(const Location &L) { return escaped(spelled(L)); }

namespace {

const char *explained(OutcomeKind K) {
  switch (K) {
  case OutcomeKind::Error:
    return "CUDA refuses the call.";
  case OutcomeKind::Escapes:
    return "CUDA returns success, but the work is not in the graph: it runs "
           "once, at capture, and never on replay.";
  case OutcomeKind::Stale:
    return "The capture succeeds, and each replay uses values from the "
           "capture.";
  case OutcomeKind::Dangling:
    return "The capture succeeds, and replays use freed memory.";
  case OutcomeKind::Depends:
    return "The outcome depends on facts that the source does not show.";
  case OutcomeKind::Unknown:
    return "The effect of this call is unknown.";
  }
  return "";
}

std::string codeText(int Code) {
  if (!Code)
    return "success";
  std::string Name(catalogue::errorName(Code));
  return std::to_string(Code) +
         (Name.empty() ? "" : " <code>" + escaped(Name) + "</code>");
}

class Card {
public:
  Card(Page &P, size_t Index)
      : P(P), Out(P.Out), F(P.R.Findings[Index]), Id(P.Ids[Index]),
        Run(P.inRun(Index)) {}

  void write(bool Open) {
    head(Open);
    Out << "<div class=\"body\">\n";
    place();
    outcome();
    confirmation();
    chain();
    advice();
    foot();
    Out << "</div></details></article>\n";
  }

private:
  Page &P;
  raw_ostream &Out;
  const Finding &F;
  const std::string &Id;
  const confirm::Confirmation *Run;

  void head(bool Open) {
    Look L = lookOf(F.Outcome.Kind);
    Out << "<article class=\"finding " << L.Class << "\" id=\"" << Id
        << "\" data-check=\"" << escaped(F.Check) << "\" data-outcome=\""
        << L.Class << "\" data-sure=\"" << spelling(F.Sure) << "\" data-file=\""
        << escaped(F.Loc.File) << "\" data-region=\"";
    for (unsigned G : F.Regions)
      Out << G << " ";
    Out << "\" data-run=\"" << (Run ? confirm::spelling(Run->Is) : "")
        << "\">\n<details" << (Open ? " open" : "")
        << "><summary><span class=\"chip " << L.Class
        << "\"><span aria-hidden=\"true\">" << L.Symbol << "</span> " << L.Word;
    if (F.Outcome.Code && *F.Outcome.Code)
      Out << " " << *F.Outcome.Code;
    Out << "</span> <h3 class=\"what\">" << message(F.Message)
        << "</h3> <span class=\"meta\"><span class=\"at\">"
        << html::place(F.Loc) << "</span> <span>" << escaped(F.Check)
        << "</span> <span>" << spelling(F.Sure) << "</span>";
    if (Run)
      Out << " <span class=\"run " << confirm::spelling(Run->Is) << "\">"
          << runText() << "</span>";
    Out << "</span></summary>\n";
  }

  std::string runText() const {
    return Run->Is == confirm::Status::Confirmed ? "✓ confirmed by a run"
                                                 : confirm::inWords(Run->Is);
  }

  void place() {
    Out << "<p class=\"where\">In <code>" << escaped(F.Function)
        << "</code></p>\n";
    unsigned Lines = P.many() ? 2 : 3;
    if (!writeExcerpt(Out, P.Sources, F.Loc, {Lines, Lines}))
      Out << "<p class=\"muted\">The source cannot be read.</p>\n";
  }

  void outcome() {
    const Outcome &O = F.Outcome;
    Out << "<section><h4>What CUDA does</h4>\n<p>" << explained(O.Kind);
    if (O.Code && *O.Code)
      Out << " It returns <strong>" << codeText(*O.Code) << "</strong>.";
    Out << "</p>\n";
    if (!O.Alternatives.empty()) {
      Out << "<ul>";
      for (const Alternative &A : O.Alternatives) {
        Look L = lookOf(A.Kind);
        Out << "<li>If " << message(A.When) << ": <span class=\"chip "
            << L.Class << "\"><span aria-hidden=\"true\">" << L.Symbol
            << "</span> " << L.Word << "</span> "
            << (A.Code ? codeText(A.Code) : "") << "</li>\n";
      }
      Out << "</ul>\n";
    }
    if (O.ByMode.size() == 3) {
      std::optional<catalogue::Mode> Mode;
      if (const Region *G = region())
        Mode = G->Mode;
      Out << "<div class=\"scroll\"><table class=\"modes\"><caption>In each "
             "capture mode</caption><tr>";
      for (unsigned M = 0; M < 3; ++M) {
        bool Here = Mode && static_cast<unsigned>(*Mode) == M;
        Out << "<th scope=\"col\"" << (Here ? " class=\"here\"" : "") << ">"
            << inWords(static_cast<catalogue::Mode>(M))
            << (Here ? " (this region)" : "") << "</th>";
      }
      Out << "</tr><tr>";
      for (unsigned M = 0; M < 3; ++M)
        Out << "<td>" << codeText(O.ByMode[M]) << "</td>";
      Out << "</tr></table></div>\n";
    }
    if (!O.Evidence.empty())
      Out << "<p class=\"muted\">Evidence: " << escaped(O.Evidence) << "</p>\n";
    Out << "</section>\n";
  }

  const Region *region() const {
    if (F.Regions.empty() || F.Regions.front() > P.R.Regions.size() ||
        !F.Regions.front())
      return nullptr;
    return &P.R.Regions[F.Regions.front() - 1];
  }

  void confirmation() {
    if (!Run)
      return;
    Out << "<section><h4>In the run</h4>\n<p class=\"run "
        << confirm::spelling(Run->Is) << "\">" << escaped(Run->Note)
        << "</p>\n";
    if (!Run->Stack.empty()) {
      Out << "<ol class=\"stack\" start=\"0\">";
      for (const confirm::Frame &Each : Run->Stack) {
        Out << "<li><code>"
            << (Each.Function.empty() ? "?" : escaped(Each.Function))
            << "</code>";
        if (!Each.File.empty())
          Out << " <span class=\"at\">" << escaped(Each.File)
              << (Each.Line ? ":" + std::to_string(Each.Line) : "")
              << "</span>";
        else if (!Each.Module.empty())
          Out << " <span class=\"at\">" << escaped(Each.Module) << "</span>";
        Out << (Each.Inlined ? " (inlined)" : "") << "</li>\n";
      }
      Out << "</ol>\n";
    }
    Out << "</section>\n";
  }

  void step(const Step &S, Context Around) {
    Out << "<li><p>" << message(S.Message);
    if (S.Loc.valid())
      Out << " <span class=\"at\">" << html::place(S.Loc) << "</span>";
    Out << "</p>\n";
    if (S.Loc.valid())
      writeExcerpt(Out, P.Sources, S.Loc, Around);
    Out << "</li>\n";
  }

  void chain() {
    if (F.Chain.empty())
      return;
    bool HasCauses =
        any_of(F.Chain, [](const Step &S) { return cue::isCue(S.Message); });
    Out << "<section><h4>Path from the capture to the "
        << (HasCauses ? "cause" : "call") << "</h4>\n<ol class=\"chain\">\n";
    auto Steps = [&](bool Causes) {
      for (const Step &S : F.Chain)
        if (cue::isCue(S.Message) == Causes)
          step(S, P.many() ? Context{0, 0} : Context{2, 2});
    };
    Steps(/*Causes=*/false);
    Out << "<li class=\"last\"><p>" << "<code>"
        << (F.Callee.empty() ? "this" : escaped(F.Callee)) << "</code> "
        << "<span class=\"at\">" << html::place(F.Loc) << "</span></p></li>\n";
    Steps(/*Causes=*/true);
    Out << "</ol></section>\n";
  }

  /// Notes at the location of the finding are advice; other notes are
  /// explanations.
  void advice() {
    if (F.Notes.empty() && F.Fixes.empty())
      return;
    Out << "<section><h4>What to do</h4>\n<ul class=\"notes\">\n";
    for (const Step &S : F.Notes)
      if (!S.Loc.valid() ||
          (S.Loc.File == F.Loc.File && S.Loc.Line == F.Loc.Line &&
           S.Loc.Column == F.Loc.Column))
        Out << "<li><p>" << message(S.Message) << "</p></li>\n";
      else
        step(S, {1, 1});
    Out << "</ul>\n";
    if (!F.Fixes.empty()) {
      Out << "<p><code>--fix</code> makes this edit:</p>\n";
      writeDiff(Out, P.Sources, F.Fixes);
    }
    Out << "</section>\n";
  }

  void foot() {
    Out << "<p class=\"links\"><a href=\"#check-" << escaped(F.Check)
        << "\">About " << escaped(F.Check) << "</a>";
    for (size_t I = 0; I < F.Regions.size(); ++I)
      Out << " <a href=\"#region-" << F.Regions[I] << "\">"
          << (I ? "Also in region " : "Region ") << F.Regions[I] << "</a>";
    Out << " <a href=\"#" << Id << "\">Link to this finding</a></p>\n";
  }
};

} // namespace

void writeFinding(Page &P, size_t Index, bool Open) {
  Card(P, Index).write(Open);
}

} // namespace cudagraph::reports::html
