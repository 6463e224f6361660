//===- RegionTable.cpp - The output of `cudagraph-tidy regions` -----------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RegionOrder.h"
#include "Text.h"
#include "Unseen.h"
#include "catalogue/Printable.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Unicode.h"
#include "llvm/Support/raw_ostream.h"
#include <array>
#include <map>

using namespace llvm;

namespace cudagraph::reports {
namespace {

constexpr const char *Headings[] = {"begin",  "root",  "mode",
                                    "stream", "kind",  "function",
                                    "ends",   "calls", "findings"};
using Row = std::array<std::string, std::size(Headings)>;

size_t width(StringRef Text) {
  int Columns = sys::unicode::columnWidthUTF8(Text);
  return Columns < 0 ? Text.size() : Columns;
}

std::string modeOf(const Region &G) {
  if (!G.Mode)
    return "unknown";
  return inWords(*G.Mode);
}

std::string kindOf(const Region &G) {
  if (!G.Kind)
    return "unknown";
  return *G.Kind == catalogue::StreamKind::Blocking ? "blocking"
                                                    : "non-blocking";
}

std::string place(const Location &L, StringRef File) {
  std::string Text = std::to_string(L.Line) + ":" + std::to_string(L.Column);
  return L.File == File ? Text : L.File + ":" + Text;
}

/// "0", or the number by outcome: "3: 2 refused, 1 escapes".
std::string findingsOf(const Region &G, const Report &R) {
  std::string Result = std::to_string(R.findingsIn(G.Id));
  if (std::string Outcomes = countedOutcomes(R, G.Id); !Outcomes.empty())
    Result += ": " + Outcomes;
  return Result;
}

/// The columns for \p G in printable form: most of them quote sources.
Row rowOf(const Region &G, const Report &R) {
  std::vector<std::string> Ends;
  for (const Location &End : G.Ends)
    Ends.push_back(place(End, G.Begin.File));
  return {place(G.Begin, G.Begin.File),
          spelling(G.Root),
          modeOf(G),
          G.Stream.empty() ? "unknown" : printable(G.Stream),
          kindOf(G),
          printable(G.Name),
          Ends.empty() ? "not seen" : printable(join(Ends, ", ")),
          std::to_string(callsIn(G)) + (G.Truncated ? "+" : ""),
          findingsOf(G, R)};
}

void writeTable(raw_ostream &Out, ArrayRef<Row> Rows) {
  std::array<size_t, std::size(Headings)> Widths = {};
  for (const Row &Cells : Rows)
    for (auto [Width, Cell] : zip(Widths, Cells))
      Width = std::max(Width, width(Cell));
  for (const Row &Cells : Rows) {
    Out << "  ";
    for (auto [Index, Cell] : enumerate(Cells)) {
      Out << Cell;
      if (Index + 1 < Cells.size())
        Out.indent(Widths[Index] - width(Cell) + 2);
    }
    Out << "\n";
  }
}

} // namespace

void writeRegionsText(raw_ostream &Out, const Report &R, TextStyle Style) {
  Row Heading;
  llvm::copy(Headings, Heading.begin());
  // Files are in the order of their first region.
  MapVector<std::string, std::vector<Row>, std::map<std::string, unsigned>>
      Files;
  for (const Region *G : orderedRegions(R)) {
    std::vector<Row> &Rows = Files[G->Begin.File];
    if (Rows.empty())
      Rows.push_back(Heading);
    Rows.push_back(rowOf(*G, R));
  }
  for (const auto &[File, Rows] : Files) {
    Out << printable(File) << "\n";
    writeTable(Out, Rows);
  }
  if (!Style.ClosingLine)
    return;
  for (const std::string &Each : unseenCaptures(R.Seen))
    Out << printable(Each) << ".\n";
  Out << (R.Regions.empty() ? "no capture region"
                            : counted(R.Regions.size(), "capture region"))
      << " in " << countedUnits(R) << ".\n";
}

} // namespace cudagraph::reports
