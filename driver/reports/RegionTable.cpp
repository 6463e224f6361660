//===- RegionTable.cpp - What `cudagraph-tidy regions` prints -------------===//
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
#include "llvm/Support/Unicode.h"
#include "llvm/Support/raw_ostream.h"
#include <array>

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

/// "0", or how many and what CUDA does: "3: 2 refused, 1 escapes".
std::string findingsOf(const Region &G, const Report &R) {
  std::string Result = std::to_string(R.findingsIn(G.Id));
  if (std::string Outcomes = countedOutcomes(R, G.Id); !Outcomes.empty())
    Result += ": " + Outcomes;
  return Result;
}

/// What \p G is, fit to be shown: all but the words of ours is foreign.
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
  for (size_t I = 0; I < R.Regions.size();) {
    const std::string &File = R.Regions[I].Begin.File;
    std::vector<Row> Rows = {Heading};
    for (; I < R.Regions.size() && R.Regions[I].Begin.File == File; ++I)
      Rows.push_back(rowOf(R.Regions[I], R));
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
