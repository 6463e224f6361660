//===- Outcomes.cpp - Descriptions of calls in captures -------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Outcomes.h"
#include "analysis/findings/Statement.h"
#include "driver/reports/OutcomeTable.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <set>

using namespace llvm;
using namespace cudagraph::catalogue;

namespace cudagraph::driver {
namespace {

/// Writes \p Lines with a heading, in columns of equal width.
void writeTable(raw_ostream &Out, std::vector<reports::OutcomeLine> Lines) {
  // A star would begin emphasis.
  for (reports::OutcomeLine &Line : Lines)
    for (std::string &Cell : Line)
      if (StringRef(Cell).ends_with("*"))
        Cell.insert(Cell.size() - 1, "\\");
  const reports::OutcomeLine Head = {
      "called with", "capturing stream", inWords(Mode::Global),
      inWords(Mode::ThreadLocal), inWords(Mode::Relaxed)};
  std::array<size_t, 5> Widths = {};
  for (size_t I = 0; I < Head.size(); ++I) {
    Widths[I] = Head[I].size();
    for (const reports::OutcomeLine &Line : Lines)
      Widths[I] = std::max(Widths[I], Line[I].size());
  }
  auto Row = [&](const reports::OutcomeLine &Cells) {
    for (size_t I = 0; I < Cells.size(); ++I)
      (Out << "| " << Cells[I]).indent(Widths[I] - Cells[I].size() + 1);
    Out << "|\n";
  };
  Row(Head);
  for (size_t Width : Widths)
    Out << "| " << std::string(Width, '-') << " ";
  Out << "|\n";
  for (const reports::OutcomeLine &Line : Lines)
    Row(Line);
}

} // namespace

std::string outcomesInMarkdown(const Entry &E) {
  std::string Result;
  raw_string_ostream Out(Result);
  Out << "Outcomes of "
      << (E.Name == "<<<>>>" ? std::string("a kernel launch")
                             : "`" + E.Name + "`")
      << " while a stream captures, by capture mode:\n";
  bool Survives = false;
  std::set<int> Codes;
  for (const OutcomeRow &Row : E.Outcomes)
    for (const Cell &C : Row.ByMode)
      if (C.What == Cell::Error) {
        Codes.insert(C.Code);
        Survives |= C.Survives;
      }
  for (const reports::OutcomeGroup &Group : reports::outcomeGroups(E)) {
    if (!Group.If.empty())
      Out << "\nIf " << Group.If << ":\n";
    Out << "\n";
    writeTable(Out, Group.Lines);
  }
  std::string Meaning;
  for (int Code : Codes)
    if (std::string_view Name = errorName(Code); !Name.empty())
      Meaning += std::to_string(Code) + " is `" + std::string(Name) + "`. ";
  if (Survives)
    Meaning += "\\*: the call is refused, and the capture continues.";
  if (!Meaning.empty())
    Out << "\n" << StringRef(Meaning).rtrim() << "\n";
  if (!E.Advice.empty())
    Out << "\nInstead: " << E.Advice << ".\n";
  return Result;
}

std::string plainText(StringRef Markdown) {
  std::string Result;
  for (char C : Markdown)
    if (C != '`' && C != '\\')
      Result += C;
  return Result;
}

} // namespace cudagraph::driver
