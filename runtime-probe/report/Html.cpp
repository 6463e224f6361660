//===- Html.cpp - A run as a page -----------------------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The style matches the analyzer's page. There are no scripts, and the policy
// in the head allows none.
//
//===----------------------------------------------------------------------===//

#include "Html.h"
#include "Text.h"
#include "catalogue/Printable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Base64.h"
#include "llvm/Support/SHA256.h"

using namespace llvm;

namespace cudagraph::probe {
namespace {

constexpr char Style[] =
#include "PageStyle.inc"
    ;

/// The number of colors for lanes.
constexpr size_t Colors = 6;

/// \p Text on one line, without characters that HTML would interpret as markup.
std::string escaped(StringRef Text) {
  std::string Result;
  for (char C : printable(Text))
    switch (C) {
    case '&':
      Result += "&amp;";
      break;
    case '<':
      Result += "&lt;";
      break;
    case '>':
      Result += "&gt;";
      break;
    case '"':
      Result += "&quot;";
      break;
    default:
      Result += C;
    }
  return Result;
}

std::string counted(size_t Number, const char *What) {
  return std::to_string(Number) + " " + What + (Number == 1 ? "" : "s");
}

/// The class and the symbol of a kind, as on the analyzer's page.
struct Look {
  const char *Class, *Symbol;
};
Look lookOf(const Finding &F) {
  StringRef Kind = F.Kind;
  if (F.Level == Severity::Error)
    return {"error", "✗"};
  if (Kind == kind::Escaped || Kind == kind::EmptyGraph)
    return {"escapes", "↗"};
  if (Kind == kind::FreedMemory || Kind == kind::PageableCopy)
    return {"dangling", "∅"};
  if (Kind == kind::Frozen || Kind == kind::OverwrittenSource ||
      Kind == kind::OverwrittenOutput || Kind == kind::ReboundTensor)
    return {"stale", "◷"};
  return {F.Level == Severity::Warning ? "depends" : "unknown", "?"};
}

std::string place(const std::optional<Location> &L) {
  if (!L || L->File.empty())
    return L ? escaped(L->Function) : "";
  std::string Text = L->File;
  if (L->Line)
    Text += ":" + std::to_string(L->Line);
  if (L->Line && L->Column)
    Text += ":" + std::to_string(L->Column);
  return escaped(Text);
}

class Writer {
public:
  Writer(raw_ostream &Out, const Report &R) : Out(Out), R(R) {}

  void write() {
    size_t Findings = size_t(
        count_if(R.Findings, [](const Finding &F) { return !isRemark(F); }));
    std::string Title =
        (Findings ? counted(Findings, "finding") : "no findings") + " in " +
        counted(R.Captures.size(), "capture");
    head(Title);
    Out << "<main id=\"main\" tabindex=\"-1\">\n<h1>" << Title << "</h1>\n";
    program();
    if (!Findings)
      Out << "<p class=\"clean\"><span aria-hidden=\"true\">✓</span> The run "
             "has no findings.</p>\n";
    section("Findings", "findings",
            [](const Finding &F) { return !isRemark(F); });
    section("Remarks", "remarks", isRemark);
    for (const Capture &C : R.Captures)
      capture(C);
    Out << "</main></div>\n<footer><p>Written by cudagraph-probe "
        << CUDAGRAPH_VERSION << ".</p></footer>\n</body>\n</html>\n";
  }

private:
  raw_ostream &Out;
  const Report &R;

  void head(StringRef Title) {
    SHA256 Hash;
    Hash.update(StringRef(Style));
    Out << "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
           "<meta charset=\"utf-8\">\n"
           "<meta http-equiv=\"Content-Security-Policy\" content=\""
           "default-src 'none'; base-uri 'none'; form-action 'none'; "
           "img-src data:; style-src 'sha256-"
        << encodeBase64(Hash.final())
        << "'\">\n<meta name=\"viewport\" content=\"width=device-width, "
           "initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light "
           "dark\">\n<meta name=\"referrer\" content=\"no-referrer\">\n<title>"
        << Title << " - cudagraph-probe</title>\n"
        << "<link rel=\"icon\" href=\"data:,\">\n<style>" << Style
        << "</style>\n</head>\n<body>\n"
           "<a class=\"skip\" href=\"#main\">Skip to the findings</a>\n"
           "<header><p class=\"brand\">cudagraph-probe</p></header>\n"
           "<div class=\"columns\">\n<aside><nav aria-label=\"Contents\">"
           "<h2>Captures</h2><ol class=\"toc\">\n";
    for (const Capture &C : R.Captures)
      Out << "<li><a href=\"#capture-" << C.Id << "\"><b>" << C.Id
          << "</b> <code>" << nameOf(C) << "</code></a></li>\n";
    Out << "</ol></nav></aside>\n";
  }

  static std::string nameOf(const Capture &C) {
    if (!C.Name.empty())
      return escaped(C.Name);
    return C.Begin.Where ? escaped(shortened(C.Begin.Where->Function))
                         : "stream " + escaped(C.Stream);
  }

  void program() {
    Out << "<p class=\"facts\"><span><code>" << escaped(join(R.Args, " "))
        << "</code></span>";
    for (const Process &P : R.Processes)
      Out << " <span>process " << P.Pid << ": " << escaped(P.Gpu) << ", driver "
          << P.Driver / 1000 << "." << P.Driver % 1000 / 10
          << (P.Complete ? "" : ", did not exit normally") << "</span>";
    Out << "</p>\n";
    for (const std::string &Problem : R.Problems)
      Out << "<p class=\"warn\">" << escaped(Problem) << "</p>\n";
  }

  void section(const char *Name, const char *Id,
               function_ref<bool(const Finding &)> Is) {
    if (none_of(R.Findings, Is))
      return;
    Out << "<section class=\"region\" aria-labelledby=\"" << Id
        << "\"><h2 id=\"" << Id << "\">" << Name << "</h2>\n";
    for (const auto &[Index, F] : enumerate(R.Findings))
      if (Is(F))
        finding(F, Index);
    Out << "</section>\n";
  }

  void finding(const Finding &F, size_t Index) {
    Look L = lookOf(F);
    Out << "<article class=\"finding " << L.Class << "\" id=\"finding-"
        << Index + 1 << "\">\n<details" << (isRemark(F) ? "" : " open")
        << "><summary><span class=\"chip " << L.Class
        << "\"><span aria-hidden=\"true\">" << L.Symbol << "</span> "
        << escaped(F.Kind);
    if (F.Code)
      Out << " " << F.Code;
    Out << "</span> <h3 class=\"what\">" << escaped(shortened(F.Message));
    if (F.Times > 1)
      Out << ", " << counted(F.Times, "time");
    Out << "</h3> <span class=\"meta\"><span class=\"at\">" << place(F.At.Where)
        << "</span> <span>" << spelling(F.Level) << "</span>";
    if (!F.Operator.empty())
      Out << " <span>in PyTorch's operator <code>" << escaped(F.Operator)
          << "</code></span>";
    Out << "</span></summary>\n<div class=\"body\">\n";
    if (!F.Remedy.empty())
      Out << "<section><h4>Remedy</h4>\n<p>" << escaped(F.Remedy)
          << ".</p>\n<p class=\"muted\">" << escaped(F.RemedySource)
          << "</p></section>\n";
    stack(F.At);
    changes(F);
    places(F);
    Out << "</div></details></article>\n";
  }

  void stack(const Stack &S) {
    if (S.Frames.empty() && S.Python.empty())
      return;
    Out << "<section><h4>The call</h4>\n<ol class=\"stack\" start=\"0\">";
    for (const Frame &F : S.Frames) {
      Out << "<li><code>"
          << (F.Function.empty() ? "?" : escaped(shortened(F.Function)))
          << "</code> <span class=\"at\">"
          << escaped(F.File.empty() ? F.Module : F.File)
          << (F.Line ? ":" + std::to_string(F.Line) : "") << "</span>"
          << (F.Inlined ? " (inlined)" : "") << "</li>\n";
    }
    for (const PythonFrame &F : S.Python)
      Out << "<li>Python: <code>" << escaped(F.Function)
          << "</code> <span class=\"at\">" << escaped(F.File) << ":" << F.Line
          << "</span></li>\n";
    Out << "</ol></section>\n";
  }

  void changes(const Finding &F) {
    if (F.Changes.empty())
      return;
    Out << "<section><h4>What differs</h4>\n<ul class=\"notes\">";
    for (const Change &C : F.Changes)
      Out << "<li>node " << C.Node << " " << escaped(C.Type) << " <code>"
          << escaped(shortened(C.Function)) << "</code>: " << escaped(C.What)
          << ": " << escaped(join(C.Values, ", ")) << "</li>\n";
    Out << "</ul></section>\n";
  }

  /// The other locations, the consequences, and the captures.
  void places(const Finding &F) {
    if (F.Others.empty() && F.Consequences.empty() && F.Captures.empty())
      return;
    Out << "<section><h4>Also</h4>\n<ul class=\"notes\">";
    for (const Related &O : F.Others)
      Out << "<li>" << escaped(shortened(O.Message)) << " <span class=\"at\">"
          << place(O.At.Where) << "</span></li>\n";
    for (const Consequence &C : F.Consequences)
      Out << "<li>cascading error: <code>" << escaped(C.Api)
          << "</code> returned " << C.Code << " <span class=\"at\">"
          << place(C.Where) << "</span></li>\n";
    for (unsigned Id : F.Captures)
      if (Id && Id <= R.Captures.size())
        Out << "<li>in <a href=\"#capture-" << Id << "\">capture " << Id
            << "</a></li>\n";
    Out << "</ul></section>\n";
  }

  void capture(const Capture &C) {
    Out << "<section class=\"region\" id=\"capture-" << C.Id
        << "\" aria-labelledby=\"capture-" << C.Id << "-name\">\n<h2 id=\""
        << "capture-" << C.Id << "-name\"><span>Capture " << C.Id
        << "</span> <code>" << nameOf(C) << "</code></h2>\n<p class=\"facts\">"
        << "<span class=\"at\">" << place(C.Begin.Where) << "</span> <span>"
        << escaped(C.Mode) << " mode</span> <span>stream <code>"
        << escaped(C.Stream) << "</code>"
        << (C.Kind.empty() ? "" : ", " + escaped(C.Kind)) << "</span> <span>"
        << escaped(C.Outcome);
    if (C.Code)
      Out << " (" << C.Code << ")";
    Out << "</span></p>\n";
    lanes(C);
    Out << "</section>\n";
  }

  /// The nodes in their order, with a column for each stream.
  void lanes(const Capture &C) {
    if (C.Graph.empty())
      return;
    std::vector<std::string> Streams = {C.Stream};
    for (const CapturedNode &N : C.Graph)
      if (!N.Stream.empty() && !is_contained(Streams, N.Stream))
        Streams.push_back(N.Stream);
    Out << "<div class=\"picture scroll\"><table class=\"modes\"><caption>The "
           "nodes of its graph, in the order of their calls</caption><tr>";
    for (const auto &[I, Stream] : enumerate(Streams))
      Out << "<th scope=\"col\" class=\"l" << I % Colors << "\">stream <code>"
          << escaped(Stream) << "</code></th>";
    Out << "<th scope=\"col\">location</th></tr>\n";
    for (const CapturedNode &N : C.Graph) {
      size_t Lane = N.Stream.empty()
                        ? 0
                        : size_t(find(Streams, N.Stream) - Streams.begin());
      Out << "<tr>";
      for (size_t I = 0; I < Streams.size(); ++I)
        Out << "<td>"
            << (I == Lane
                    ? escaped(N.Type) +
                          (N.Function.empty()
                               ? ""
                               : " <code>" + escaped(shortened(N.Function)) +
                                     "</code>")
                    : "")
            << "</td>";
      Out << "<td class=\"at\">" << place(N.Where) << "</td></tr>\n";
    }
    Out << "</table>\n";
    size_t All = 0;
    for (const auto &[Type, Number] : C.Nodes)
      All += Number;
    if (All > C.Graph.size())
      Out << "<p class=\"muted\">" << All - C.Graph.size()
          << " more nodes.</p>\n";
    Out << "</div>\n";
  }
};

} // namespace

void writeHtml(raw_ostream &Out, const Report &R) { Writer(Out, R).write(); }

} // namespace cudagraph::probe
