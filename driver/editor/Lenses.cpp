//===- Lenses.cpp - Text shown at capture regions -------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lenses.h"
#include "catalogue/Printable.h"
#include "driver/reports/Html.h"
#include "driver/reports/Report.h"
#include "rules/Analyze.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace cudagraph::driver {
namespace {

/// The report of one region of \p View.
reports::Report reportOf(const UnitView &View, const Region &G) {
  reports::Report R;
  R.Regions = {G};
  R.Regions.front().Id = 1;
  for (const Finding &F : View.Findings)
    if (is_contained(F.Regions, G.Id)) {
      R.Findings.push_back(F);
      R.Findings.back().Regions = {1};
    }
  R.Seen.TranslationUnits = 1;
  R.WorkingDirectory = R.Root = sys::path::parent_path(View.File).str();
  R.MainFiles = {View.File};
  for (const CheckInfo &Check : allChecks())
    R.Checks.push_back(Check.Id);
  return R;
}

/// "captured here: 12 calls, 1 refused".
std::string summaryOf(const UnitView &View, const Region &G) {
  reports::Report R = reportOf(View, G);
  std::string Outcomes = reports::countedOutcomes(R);
  return std::string(isAssumed(G.Root) ? "captured by callers: "
                                       : "captured here: ") +
         reports::counted(reports::callsIn(G), "call") +
         (G.Truncated ? " or more" : "") + ", " +
         (Outcomes.empty() ? "no findings" : Outcomes);
}

std::string titleOf(const Region &G) {
  CaptureText Capture{G.Stream.empty() ? "a stream" : "'" + G.Stream + "'",
                      G.Kind, G.Mode};
  return printable("capture of " + Capture.text() + " in '" + G.Name + "'");
}

json::Object position(int64_t Line, int64_t Character) {
  return json::Object{{"line", Line}, {"character", Character}};
}

std::string utf8(StringRef Text) {
  return json::isUTF8(Text) ? Text.str() : json::fixUTF8(Text);
}

} // namespace

json::Value lensesOf(const UnitView &View, StringRef Uri) {
  json::Array Result;
  for (const Region &G : View.Regions) {
    unsigned Line = View.lineOf(G);
    if (!Line)
      continue;
    json::Object Argument{{"textDocument", json::Object{{"uri", Uri.str()}}},
                          {"position", position(Line - 1, 0)},
                          {"region", G.Id}};
    Result.push_back(json::Object{
        {"range", json::Object{{"start", position(Line - 1, 0)},
                               {"end", position(Line - 1, 0)}}},
        {"command",
         json::Object{{"title", summaryOf(View, G)},
                      {"command", ShowRegion},
                      {"arguments", json::Array{std::move(Argument)}}}}});
  }
  return Result;
}

void addHints(json::Array &To, const UnitView &View, Encoding Units,
              int64_t First, int64_t Last) {
  for (const Region &G : View.Regions) {
    int64_t Line = static_cast<int64_t>(View.lineOf(G)) - 1;
    if (Line < 0 || Line < First || Line > Last)
      continue;
    To.push_back(json::Object{
        {"position", position(Line, unitsIn(View.line(Line + 1), Units))},
        {"label", summaryOf(View, G)},
        {"paddingLeft", true}});
  }
}

std::string hoverAt(const UnitView &View, Encoding Units, int64_t Line,
                    int64_t Character) {
  if (Line < 0 || Character < 0)
    return "";
  unsigned Number = Line + 1;
  unsigned Column = bytesOf(View.line(Number), Character, Units) + 1;
  for (const KnownCall &Call : View.Calls) {
    if (Call.Line != Number || Column < Call.Begin || Column >= Call.End)
      continue;
    auto It = View.Outcomes.find(Call.Name);
    return It == View.Outcomes.end() ? "" : utf8(It->second);
  }
  return "";
}

const Region *regionAt(const UnitView &View, unsigned Line) {
  for (const Region &G : View.Regions)
    if (View.lineOf(G) == Line)
      return &G;
  for (const Region &G : View.Regions)
    for (const TimelineEntry &E : G.Timeline)
      if (E.Loc.File == View.File && E.Loc.Line <= Line &&
          Line <= std::max(E.Loc.Line, E.Loc.EndLine))
        return &G;
  for (const Region &G : View.Regions)
    for (const Location &End : G.Ends)
      if (G.Begin.File == View.File && End.File == View.File &&
          G.Begin.Line <= Line && Line <= End.Line)
        return &G;
  return View.Regions.empty() ? nullptr : &View.Regions.front();
}

json::Value pageOf(const UnitView &View, const Region &G) {
  reports::Report R = reportOf(View, G);
  std::string Text = summaryOf(View, G);
  for (const Finding &F : R.Findings)
    Text += "\n" + sys::path::filename(F.Loc.File).str() + ":" +
            std::to_string(F.Loc.Line) + ":" + std::to_string(F.Loc.Column) +
            ": " + printable(F.Message);
  // The text in the editor may be unsaved.
  reports::SourceText Sources;
  Sources.provide(View.File, View.Text);
  std::string Page;
  raw_string_ostream Out(Page);
  reports::writeHtml(Out, R, Sources);
  return json::Object{
      {"title", utf8(titleOf(G))}, {"text", utf8(Text)}, {"page", utf8(Page)}};
}

} // namespace cudagraph::driver
