//===- Html.cpp - A page to look at findings ------------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The page is complete as it is written; page.js adds filters and keys. Nothing
// is loaded, and the policy in its head forbids it: no script but page.js runs.
//
//===----------------------------------------------------------------------===//

#include "Html.h"
#include "CheckPages.h"
#include "HtmlParts.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/Base64.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/raw_ostream.h"
#include <map>
#include <set>

using namespace llvm;

namespace cudagraph::reports {
namespace html {
namespace {

constexpr char Style[] =
#include "PageStyle.inc"
    ;
constexpr char Script[] =
#include "PageScript.inc"
    ;

/// Findings of a small report are shown open.
constexpr size_t ShownOpen = 8;
/// Of a long list that nobody reads to its end.
constexpr size_t MostListed = 200;

std::string hashOf(StringRef Text) {
  SHA256 Hash;
  Hash.update(Text);
  return "'sha256-" + encodeBase64(Hash.final()) + "'";
}

std::string modeOf(const Region &G) {
  if (!G.Mode)
    return "unknown mode";
  return std::string(*G.Mode == catalogue::Mode::ThreadLocal
                         ? "thread-local"
                         : spelling(*G.Mode)) +
         " mode";
}

const char *rootText(RootKind K) {
  switch (K) {
  case RootKind::ApiPair:
    return "begun and ended by CUDA calls";
  case RootKind::Wrapper:
    return "begun by a wrapper";
  case RootKind::Libtorch:
    return "at::cuda::CUDAGraph";
  case RootKind::Annotation:
    return "annotated";
  case RootKind::Comment:
    return "marked by a comment";
  case RootKind::Function:
    return "assumed: --roots=function";
  case RootKind::StreamParam:
    return "assumed: takes a stream";
  case RootKind::TorchOps:
    return "assumed: a registered operator";
  case RootKind::EntryPoints:
    return "assumed: exported to another runtime";
  }
  return "";
}

class Writer {
public:
  Writer(raw_ostream &Out, const Report &R, SourceText &Sources)
      : Out(Out), R(R), P(Out, R, Sources) {}

  void write() {
    head();
    Out << "<main id=\"main\" tabindex=\"-1\">\n";
    summary();
    coverage();
    Out << "<p id=\"none\" hidden>No finding passes the filters. <button "
           "type=\"reset\" form=\"filters\">Show all</button></p>\n";
    regions();
    runOnly();
    checks();
    Out << "</main>\n";
    keys();
    Out << "<footer><p>Written by cudagraph-tidy " << CUDAGRAPH_VERSION
        << " with LLVM " << LLVM_VERSION_STRING << ".</p></footer>\n<script>"
        << Script << "</script>\n</body>\n</html>\n";
  }

private:
  raw_ostream &Out;
  const Report &R;
  Page P;

  std::string title() const {
    return counted(R.Findings.size(), "finding") + " in " +
           counted(R.Regions.size(), "capture region");
  }

  void head() {
    Out << "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
           "<meta charset=\"utf-8\">\n"
           "<meta http-equiv=\"Content-Security-Policy\" content=\""
           "default-src 'none'; base-uri 'none'; form-action 'none'; "
           "img-src data:; style-src "
        << hashOf(Style) << "; script-src " << hashOf(Script)
        << "\">\n<meta name=\"viewport\" content=\"width=device-width, "
           "initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light "
           "dark\">\n<meta name=\"generator\" content=\"cudagraph-tidy "
        << CUDAGRAPH_VERSION << "\">\n<meta name=\"referrer\" "
        << "content=\"no-referrer\">\n<title>" << title()
        << " - cudagraph-tidy</title>\n"
        << "<link rel=\"icon\" href=\"data:,\">\n<style>" << Style
        << "</style>\n</head>\n<body>\n"
           "<a class=\"skip\" href=\"#main\">To the findings</a>\n"
           "<header><p class=\"brand\"><svg viewBox=\"0 0 32 24\" width=\"32\" "
           "height=\"24\" aria-hidden=\"true\"><path d=\"M4 4v16M4 "
           "8h10q6 0 6 6v6\"/><circle cx=\"4\" cy=\"8\" r=\"3\"/><circle "
           "cx=\"20\" cy=\"18\" r=\"3\"/></svg> cudagraph-tidy</p>\n"
           "<div class=\"tools\"><button type=\"button\" id=\"theme\" "
           "hidden>Theme</button> <button type=\"button\" id=\"help\" "
           "hidden>Keys <kbd>?</kbd></button></div></header>\n"
           "<div class=\"columns\">\n";
    filters();
  }

  void option(StringRef Value, StringRef Text, size_t Count) {
    Out << "<option value=\"" << escaped(Value) << "\">" << escaped(Text)
        << " (" << Count << ")</option>";
  }

  /// A choice among the values that \p ValuesOf gives for each finding.
  template <typename Fn>
  void choice(const char *Name, const char *Label, Fn ValuesOf) {
    std::map<std::string, size_t> Counts;
    for (size_t I = 0; I < R.Findings.size(); ++I)
      for (const std::string &Value : ValuesOf(I))
        ++Counts[Value];
    if (Counts.empty())
      return;
    Out << "<p><label for=\"by-" << Name << "\">" << Label
        << "</label> <select id=\"by-" << Name << "\" name=\"" << Name
        << "\"><option value=\"\">any</option>";
    for (auto &[Value, Count] : Counts)
      option(Value, Value, Count);
    Out << "</select></p>\n";
  }

  using Texts = std::vector<std::string>;

  void filters() {
    Out << "<aside aria-label=\"Filters and contents\">\n"
           "<form id=\"filters\" hidden><h2>Filters</h2>\n"
           "<p><label for=\"by-text\">Text <kbd>/</kbd></label> <input "
           "type=\"search\" id=\"by-text\" name=\"text\" autocomplete=\"off\" "
           "spellcheck=\"false\"></p>\n";
    choice("outcome", "Outcome", [&](size_t I) {
      return Texts{spelling(R.Findings[I].Outcome.Kind)};
    });
    choice("check", "Check",
           [&](size_t I) { return Texts{R.Findings[I].Check}; });
    choice("sure", "Confidence",
           [&](size_t I) { return Texts{spelling(R.Findings[I].Sure)}; });
    choice("file", "File",
           [&](size_t I) { return Texts{R.Findings[I].Loc.File}; });
    if (R.Regions.size() > 1) {
      Out << "<p><label for=\"by-region\">Region</label> <select "
             "id=\"by-region\" name=\"region\"><option "
             "value=\"\">any</option>";
      for (const Region &G : R.Regions)
        if (size_t Count = R.findingsIn(G.Id))
          option(std::to_string(G.Id), std::to_string(G.Id) + " " + G.Name,
                 Count);
      Out << "</select></p>\n";
    }
    choice("run", "In the run", [&](size_t I) {
      const confirm::Confirmation *C = P.inRun(I);
      return C ? Texts{confirm::spelling(C->Is)} : Texts();
    });
    Out << "<p><output id=\"shown\"></output> <button "
           "type=\"reset\">Show all</button></p></form>\n";
    Out << "<nav aria-label=\"Contents\"><h2>Regions</h2><ol "
           "class=\"toc\">\n";
    for (const Region &G : R.Regions) {
      Out << "<li><a href=\"#region-" << G.Id << "\"><b>" << G.Id << "</b> "
          << "<code>" << escaped(G.Name) << "</code> " << marks(G.Id)
          << "</a></li>\n";
    }
    Out << "</ol></nav></aside>\n";
  }

  /// How many findings of each kind a region has; 0: all of them.
  std::string marks(unsigned Id) {
    std::map<OutcomeKind, size_t> Counts;
    for (const Finding &F : R.Findings)
      if (is_contained(F.Regions, Id))
        ++Counts[F.Outcome.Kind];
    std::string Result = "<span class=\"marks\">";
    for (auto [Kind, Count] : Counts) {
      Look L = lookOf(Kind);
      Result += std::string("<span class=\"chip ") + L.Class +
                "\"><span aria-hidden=\"true\">" + L.Symbol +
                "</span> <span class=\"hidden\">" + L.Word + "</span> " +
                std::to_string(Count) + "</span> ";
    }
    if (Counts.empty())
      Result += "<span class=\"chip good\"><span aria-hidden=\"true\">✓</span>"
                " <span class=\"hidden\">no findings</span></span>";
    return Result + "</span>";
  }

  void summary() {
    Out << "<h1>" << title() << "</h1>\n";
    std::map<OutcomeKind, size_t> Counts;
    for (const Finding &F : R.Findings)
      ++Counts[F.Outcome.Kind];
    static constexpr std::pair<OutcomeKind, const char *> Kinds[] = {
        {OutcomeKind::Error, "CUDA returns an error"},
        {OutcomeKind::Escapes, "runs now, is not in the graph"},
        {OutcomeKind::Stale, "replay repeats what was true at capture"},
        {OutcomeKind::Dangling, "replay uses memory that is gone"},
        {OutcomeKind::Depends, "an unknown decides"},
        {OutcomeKind::Unknown, "cannot be seen through"},
    };
    if (R.Findings.empty())
      Out << "<p class=\"clean\"><span aria-hidden=\"true\">✓</span> Nothing "
             "was found"
          << (R.Seen.Incomplete.empty()
                  ? "."
                  : ", but not all of the program was analysed: see below.")
          << "</p>\n";
    Out << "<ul class=\"tiles\">\n";
    for (auto [Kind, Text] : Kinds) {
      Look L = lookOf(Kind);
      if (!Counts[Kind])
        continue;
      Out << "<li class=\"" << L.Class << "\"><button type=\"button\" "
          << "data-outcome=\"" << L.Class << "\" aria-pressed=\"false\"><b>"
          << Counts[Kind] << "</b> <span class=\"chip " << L.Class
          << "\"><span aria-hidden=\"true\">" << L.Symbol << "</span> "
          << L.Word << "</span> <span class=\"text\">" << Text
          << "</span></button></li>\n";
    }
    Out << "</ul>\n";
    if (R.InRun)
      Out << "<p class=\"inrun\">In the run: "
          << escaped(confirm::summary(*R.InRun)) << ".</p>\n";
  }

  template <typename T, typename Fn>
  void some(const std::vector<T> &All, Fn Each) {
    Out << "<ul>";
    for (size_t I = 0; I < All.size() && I < MostListed; ++I) {
      Out << "<li>";
      Each(All[I]);
      Out << "</li>\n";
    }
    if (All.size() > MostListed)
      Out << "<li>and " << All.size() - MostListed << " more</li>";
    Out << "</ul>\n";
  }

  void coverage() {
    const Coverage &C = R.Seen;
    Out << "<section aria-labelledby=\"coverage\" class=\"coverage\"><h2 "
           "id=\"coverage\">Coverage</h2>\n<p>"
        << counted(C.TranslationUnits, "translation unit") << ", "
        << (C.Incomplete.empty()
                ? "none incomplete"
                : std::to_string(C.Incomplete.size()) + " incomplete")
        << "; " << counted(C.OpaqueCalls.size(), "opaque call") << ".</p>\n";
    if (!C.Incomplete.empty()) {
      Out << "<details open class=\"warn\"><summary><span "
             "aria-hidden=\"true\">⚠</span> Incomplete: what was not analysed "
             "is not clean</summary>\n";
      some(C.Incomplete, [&](const IncompleteUnit &Unit) {
        Out << "<code>" << escaped(Unit.File)
            << "</code>: " << escaped(Unit.Reason);
        if (!Unit.Errors.empty())
          some(Unit.Errors, [&](const std::string &Each) {
            Out << "<code>" << escaped(Each) << "</code>";
          });
      });
      Out << "</details>\n";
    }
    if (!C.OpaqueCalls.empty()) {
      Out << "<details><summary>Calls that cannot be seen through</summary>\n";
      some(C.OpaqueCalls, [&](const OpaqueCall &Call) {
        Out << "<code>" << escaped(Call.Callee) << "</code> in <code>"
            << escaped(Call.Function) << "</code> <span class=\"at\">"
            << place(Call.Loc) << "</span>";
      });
      Out << "</details>\n";
    }
    if (!C.SkippedBranches.empty()) {
      Out << "<details><summary>Branches of the preprocessor that were not "
             "seen</summary>\n";
      some(C.SkippedBranches, [&](const Step &S) {
        Out << message(S.Message) << " <span class=\"at\">" << place(S.Loc)
            << "</span>";
      });
      Out << "</details>\n";
    }
    Out << "</section>\n";
  }

  void regions() {
    bool Open = R.Findings.size() <= ShownOpen;
    // A finding stands with its primary region.
    std::vector<std::vector<size_t>> In(R.Regions.size() + 1);
    for (auto [I, F] : enumerate(R.Findings))
      In[F.Regions.empty() || F.Regions.front() > R.Regions.size()
             ? 0
             : F.Regions.front()]
          .push_back(I);
    for (const Region &G : R.Regions) {
      Out << "<section class=\"region\" id=\"region-" << G.Id
          << "\" aria-labelledby=\"region-" << G.Id
          << "-name\">\n<h2 id=\"region-" << G.Id << "-name\"><span>Region "
          << G.Id << "</span> <code>" << escaped(G.Name) << "</code></h2>\n"
          << "<p class=\"facts\"><span class=\"at\">" << place(G.Begin)
          << "</span> <span>" << rootText(G.Root) << "</span> <span>"
          << modeOf(G) << "</span> <span>stream <code>"
          << (G.Stream.empty() ? "unknown" : escaped(G.Stream)) << "</code>"
          << (!G.Kind                                      ? ""
              : *G.Kind == catalogue::StreamKind::Blocking ? ", blocking"
                                                           : ", non-blocking")
          << "</span></p>\n";
      writePicture(P, G);
      others(G, In[G.Id]);
      for (size_t I : In[G.Id])
        writeFinding(P, I, Open);
      Out << "</section>\n";
    }
    if (In[0].empty())
      return;
    Out << "<section class=\"region\" aria-labelledby=\"elsewhere\"><h2 "
           "id=\"elsewhere\">In no region</h2>\n";
    for (size_t I : In[0])
      writeFinding(P, I, Open);
    Out << "</section>\n";
  }

  /// Findings that this region reaches, and that stand with another one.
  void others(const Region &G, const std::vector<size_t> &Own) {
    std::vector<size_t> All;
    for (auto [I, F] : enumerate(R.Findings))
      if (is_contained(F.Regions, G.Id) && !is_contained(Own, I))
        All.push_back(I);
    if (Own.empty() && All.empty())
      Out << "<p class=\"clean\"><span aria-hidden=\"true\">✓</span> Nothing "
             "was found in this region.</p>\n";
    if (All.empty())
      return;
    Out << "<p class=\"others\">Reached here, too: ";
    for (size_t I : All) {
      Look L = lookOf(R.Findings[I].Outcome.Kind);
      Out << "<a class=\"chip " << L.Class << "\" href=\"#" << P.Ids[I]
          << "\"><span aria-hidden=\"true\">" << L.Symbol << "</span> "
          << L.Word << " " << escaped(spelled(R.Findings[I].Loc)) << "</a> ";
    }
    Out << "</p>\n";
  }

  void runOnly() {
    if (!R.InRun || R.InRun->Others.empty())
      return;
    Out << "<section class=\"region\" aria-labelledby=\"run-only\"><h2 "
           "id=\"run-only\">Seen by the run only</h2>\n<ul>";
    for (const confirm::RunOnly &Other : R.InRun->Others) {
      confirm::Position At = confirm::placeOf(Other);
      Out << "<li>" << message(confirm::described(Other));
      if (At.Line) {
        Location L;
        L.File = At.File;
        L.Line = L.EndLine = At.Line;
        L.Column = At.Column;
        Out << " <span class=\"at\">" << place(L) << "</span>";
        writeExcerpt(Out, P.Sources, L, {1, 1});
      }
      if (Other.Region && Other.Region <= R.Regions.size())
        Out << " <a href=\"#region-" << Other.Region << "\">Region "
            << Other.Region << "</a>";
      Out << "</li>\n";
    }
    Out << "</ul></section>\n";
  }

  /// The pages of the checks that found something.
  void checks() {
    std::set<std::string> Ids;
    for (const Finding &F : R.Findings)
      Ids.insert(F.Check);
    if (Ids.empty())
      return;
    Out << "<section class=\"checks\" aria-labelledby=\"checks\"><h2 "
           "id=\"checks\">About the checks</h2>\n";
    for (const std::string &Id : Ids) {
      Out << "<details id=\"check-" << escaped(Id) << "\"><summary>"
          << "<h3>" << escaped(Id) << "</h3></summary><div class=\"doc\">\n";
      writeMarkdown(Out, checkPage(Id));
      Out << "</div></details>\n";
    }
    Out << "</section>\n";
  }

  void keys() {
    static constexpr std::pair<const char *, const char *> Keys[] = {
        {"j", "next finding"},
        {"k", "previous finding"},
        {"n", "next region"},
        {"p", "previous region"},
        {"o", "open or close the finding (Enter, too)"},
        {"e", "open or close all findings"},
        {"/", "search"},
        {"Esc", "leave the search, or show all again"},
        {"t", "theme: as the system, light, dark"},
        {"?", "this list"},
    };
    Out << "<dialog id=\"keys\" aria-labelledby=\"keys-title\"><h2 "
           "id=\"keys-title\">Keys</h2><dl>";
    for (auto [Key, What] : Keys)
      Out << "<div><dt><kbd>" << Key << "</kbd></dt><dd>" << What
          << "</dd></div>";
    Out << "</dl><button type=\"button\" id=\"close\" autofocus>Close</button>"
           "</dialog>\n</div>\n";
  }
};

} // namespace
} // namespace html

void writeHtml(raw_ostream &Out, const Report &R, SourceText &Sources) {
  html::Writer(Out, R, Sources).write();
}

} // namespace cudagraph::reports
