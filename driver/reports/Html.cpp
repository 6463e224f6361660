//===- Html.cpp - The HTML report -----------------------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The page is complete without scripts; page.js adds filters and keys. It loads
// nothing: the policy in its head permits only page.js to run.
//
//===----------------------------------------------------------------------===//

#include "Html.h"
#include "HtmlParts.h"
#include "RegionOrder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/raw_ostream.h"
#include <map>

using namespace llvm;

namespace cudagraph::reports {
namespace html {
namespace {

/// In a report with at most this many findings, the findings are expanded.
constexpr size_t ShownOpen = 8;
std::string modeOf(const Region &G) {
  if (!G.Mode)
    return "unknown mode";
  return std::string(inWords(*G.Mode)) + " mode";
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
    writeHead(P);
    Out << "<main id=\"main\" tabindex=\"-1\""
        << (P.many() ? " class=\"many\"" : "") << ">\n";
    summary();
    writeCoverage(P);
    Out << "<p id=\"none\" hidden>No finding matches the filters. <button "
           "type=\"reset\" form=\"filters\">Show all</button></p>\n";
    regions();
    writeRunOnly(P);
    writeChecks(P);
    Out << "</main>\n";
    keys();
    Out << "<footer><p>Written by cudagraph-tidy " << CUDAGRAPH_VERSION
        << " with LLVM " << LLVM_VERSION_STRING << ".</p></footer>\n";
    writeScript(Out);
    Out << "</body>\n</html>\n";
  }

private:
  raw_ostream &Out;
  const Report &R;
  Page P;

  void summary() {
    Out << "<h1>" << titleOf(R) << "</h1>\n";
    std::map<OutcomeKind, size_t> Counts;
    for (const Finding &F : R.Findings)
      ++Counts[F.Outcome.Kind];
    static constexpr std::pair<OutcomeKind, const char *> Kinds[] = {
        {OutcomeKind::Error, "CUDA returns an error"},
        {OutcomeKind::Escapes, "runs at capture, but is not in the graph"},
        {OutcomeKind::Stale, "replays use values from the capture"},
        {OutcomeKind::Dangling, "replays use freed memory"},
        {OutcomeKind::Depends, "depends on unknown facts"},
        {OutcomeKind::Unknown, "has an unknown effect"},
    };
    if (R.Findings.empty())
      Out << "<p class=\"clean\"><span aria-hidden=\"true\">✓</span> Nothing "
             "was found"
          << (R.Seen.Incomplete.empty()
                  ? "."
                  : ", but some code was not analyzed: see below.")
          << "</p>\n";
    Out << "<ul class=\"tiles\">\n";
    for (auto [Kind, Text] : Kinds) {
      Look L = lookOf(Kind);
      if (!Counts[Kind])
        continue;
      auto First = find_if(R.Findings, [Of = Kind](const Finding &F) {
        return F.Outcome.Kind == Of;
      });
      // A link to the first finding; the script turns it into a filter.
      Out << "<li class=\"" << L.Class << "\"><a class=\"tile\" href=\"#"
          << P.Ids[First - R.Findings.begin()] << "\" data-outcome=\""
          << L.Class << "\"><b>" << Counts[Kind] << "</b> <span class=\"chip "
          << L.Class << "\"><span aria-hidden=\"true\">" << L.Symbol
          << "</span> " << L.Word << "</span> <span class=\"text\">" << Text
          << "</span></a></li>\n";
    }
    Out << "</ul>\n";
    if (R.InRun)
      Out << "<p class=\"inrun\">In the run: "
          << escaped(confirm::summary(*R.InRun)) << ".</p>\n";
  }

  void regions() {
    bool Open = R.Findings.size() <= ShownOpen;
    // A finding is shown in its primary region.
    std::vector<std::vector<size_t>> In(R.Regions.size() + 1);
    for (auto [I, F] : enumerate(R.Findings))
      In[F.Regions.empty() || F.Regions.front() > R.Regions.size()
             ? 0
             : F.Regions.front()]
          .push_back(I);
    for (const Region *Each : orderedRegions(R)) {
      const Region &G = *Each;
      // A region without findings is collapsed.
      bool Clean = !R.findingsIn(G.Id);
      Out << "<section class=\"region\" id=\"region-" << G.Id
          << "\" aria-labelledby=\"region-" << G.Id << "-name\">\n"
          << (Clean ? "<details><summary>" : "") << "<h2 id=\"region-" << G.Id
          << "-name\"><span>Region " << G.Id << "</span> <code>"
          << escaped(G.Name) << "</code></h2>"
          << (Clean ? " <span class=\"clean\"><span aria-hidden=\"true\">✓"
                      "</span> no findings</span></summary>\n"
                    : "\n")
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
      Out << (Clean ? "</details></section>\n" : "</section>\n");
    }
    if (In[0].empty())
      return;
    Out << "<section class=\"region\" aria-labelledby=\"elsewhere\"><h2 "
           "id=\"elsewhere\">Outside all regions</h2>\n";
    for (size_t I : In[0])
      writeFinding(P, I, Open);
    Out << "</section>\n";
  }

  /// Findings that this region reaches and that are shown in another region.
  void others(const Region &G, const std::vector<size_t> &Own) {
    std::vector<size_t> All;
    for (auto [I, F] : enumerate(R.Findings))
      if (is_contained(F.Regions, G.Id) && !is_contained(Own, I))
        All.push_back(I);
    if (All.empty())
      return;
    Out << "<p class=\"others\">Also reached here: ";
    for (size_t I : All) {
      Look L = lookOf(R.Findings[I].Outcome.Kind);
      Out << "<a class=\"chip " << L.Class << "\" href=\"#" << P.Ids[I]
          << "\"><span aria-hidden=\"true\">" << L.Symbol << "</span> "
          << L.Word << " " << escaped(spelled(R.Findings[I].Loc)) << "</a> ";
    }
    Out << "</p>\n";
  }

  void keys() {
    static constexpr std::pair<const char *, const char *> Keys[] = {
        {"j", "next finding"},
        {"k", "previous finding"},
        {"n", "next region"},
        {"p", "previous region"},
        {"o", "open or close the finding (also Enter)"},
        {"e", "open or close all findings"},
        {"/", "search"},
        {"Esc", "leave the search, or show all findings"},
        {"t", "theme: system, light, dark"},
        {"?", "this list"},
    };
    Out << "<dialog id=\"keys\" aria-labelledby=\"keys-title\"><h2 "
           "id=\"keys-title\">Keys</h2><dl>";
    for (auto [Key, What] : Keys)
      Out << "<div><dt><kbd>" << Key << "</kbd></dt><dd>" << What
          << "</dd></div>";
    Out << "</dl><button type=\"button\" id=\"close\">Close</button>"
           "</dialog>\n</div>\n";
  }
};

} // namespace
} // namespace html

void writeHtml(raw_ostream &Out, const Report &R, SourceText &Sources) {
  html::Writer(Out, R, Sources).write();
}

} // namespace cudagraph::reports
