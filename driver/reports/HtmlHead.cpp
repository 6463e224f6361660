//===- HtmlHead.cpp - Head, filters, and contents of the page -------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HtmlParts.h"
#include "RegionOrder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Base64.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/raw_ostream.h"
#include <map>

using namespace llvm;

namespace cudagraph::reports::html {
namespace {

constexpr char Style[] =
#include "PageStyle.inc"
    ;
constexpr char Script[] =
#include "PageScript.inc"
    ;

std::string hashOf(StringRef Text) {
  SHA256 Hash;
  Hash.update(Text);
  return "'sha256-" + encodeBase64(Hash.final()) + "'";
}

class Head {
public:
  explicit Head(Page &P) : P(P), Out(P.Out), R(P.R) {}
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
        << "content=\"no-referrer\">\n<title>" << titleOf(R)
        << " - cudagraph-tidy</title>\n"
        << "<link rel=\"icon\" href=\"data:,\">\n<style>" << Style
        << "</style>\n</head>\n<body>\n"
           "<a class=\"skip\" href=\"#main\">Skip to the findings</a>\n"
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

  void filters() {
    Out << "<aside aria-label=\"Filters and contents\">\n"
           "<details id=\"filter-box\" open hidden><summary><h2>Filters</h2>"
           "</summary><form id=\"filters\">\n"
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
           "type=\"reset\">Show all</button></p></form></details>\n";
    Out << "<nav aria-label=\"Contents\"><h2>Regions</h2><ol "
           "class=\"toc\">\n";
    for (const Region *G : orderedRegions(R))
      Out << "<li><a href=\"#region-" << G->Id << "\"><b>" << G->Id << "</b> "
          << "<code>" << escaped(G->Name) << "</code> " << marks(G->Id)
          << "</a></li>\n";
    Out << "</ol></nav></aside>\n";
  }

private:
  Page &P;
  raw_ostream &Out;
  const Report &R;

  void option(StringRef Value, StringRef Text, size_t Count) {
    Out << "<option value=\"" << escaped(Value) << "\">" << escaped(Text)
        << " (" << Count << ")</option>";
  }

  /// A selection from the values that \p ValuesOf returns for each finding.
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

  /// The number of findings of each kind in a region; 0: all regions.
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
};

} // namespace

std::string titleOf(const Report &R) {
  return counted(R.Findings.size(), "finding") + " in " +
         counted(R.Regions.size(), "capture region");
}

void writeHead(Page &P) { Head(P).head(); }

void writeScript(raw_ostream &Out) {
  Out << "<script>" << Script << "</script>\n";
}

} // namespace cudagraph::reports::html
