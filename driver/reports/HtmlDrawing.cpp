//===- HtmlDrawing.cpp - Lanes, nodes, and arrows -------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HtmlPicture.h"
#include "llvm/Support/Format.h"

using namespace llvm;

namespace cudagraph::reports::html {
namespace {

/// Lengths in drawing units; 16 units are one em.
constexpr unsigned Pitch = 26, RowHeight = 32, Margin = 6;

unsigned x(unsigned Lane) { return Margin + Pitch / 2 + Lane * Pitch; }
unsigned y(unsigned Row) { return (Row + 1) * RowHeight + RowHeight / 2; }

} // namespace

void Picture::drawing() {
  unsigned Width = Lanes.size() * Pitch + 2 * Margin;
  unsigned Height = (Rows.size() + 1) * RowHeight;
  auto Em = [&](unsigned Units) {
    Out << Units / 16 << "." << format("%04u", Units % 16 * 625) << "em";
  };
  Out << "<svg role=\"group\" aria-labelledby=\"" << id() << "-title " << id()
      << "-desc\" viewBox=\"0 0 " << Width << " " << Height << "\" width=\"";
  Em(Width);
  Out << "\" height=\"";
  Em(Height);
  Out << "\"><title id=\"" << id() << "-title\">"
      << "Streams of capture region " << G.Id << "</title>\n<desc id=\"" << id()
      << "-desc\">Time runs downward. The table next to it has the same "
      << "content.</desc>\n<defs><marker id=\"" << id()
      << "-tip\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" "
         "markerWidth=\"8\" markerHeight=\"8\" "
         "markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path class=\"tip\" "
         "d=\"M0 0L8 4L0 8z\"/></marker></defs>\n";
  for (unsigned I = 0; I < Lanes.size(); ++I)
    lane(I);
  for (unsigned I = 0; I < Rows.size(); ++I)
    if (Rows[I].Source >= 0)
      arrow(I);
  for (unsigned I = 0; I < Rows.size(); ++I)
    node(I);
  Out << "</svg>\n";
}

void Picture::lane(unsigned I) {
  const Lane &L = Lanes[I];
  Out << "<g class=\"" << laneClass(I) << "\"><text class=\"sign\" x=\"" << x(I)
      << "\" y=\"" << RowHeight / 2 + 4 << "\">" << sign(I) << "</text>";
  if (L.From != ~0u)
    Out << "<path class=\"lane\" d=\"M" << x(I) << " "
        << (L.Captured ? y(L.From) : RowHeight) << "V"
        << (L.Captured ? y(L.To) : y(Rows.size() - 1)) << "\"/>";
  Out << "</g>\n";
}

/// An arrow from the record of an event to the wait: a fork leaves its lane
/// immediately, and a join follows its lane to the wait.
void Picture::arrow(unsigned I) {
  const Row &To = Rows[I], &From = Rows[To.Source];
  int X1 = x(From.Lane), Y1 = y(To.Source), X2 = x(To.Lane), Y2 = y(I);
  int Side = X2 > X1 ? 1 : -1;
  bool Forks = To.Entry->Kind == TimelineKind::Fork;
  Out << "<path class=\"edge " << laneClass(Forks ? To.Lane : From.Lane)
      << "\" d=\"M" << X1 << " " << Y1;
  if (Forks)
    Out << "H" << X2 - 8 * Side << "Q" << X2 << " " << Y1 << " " << X2 << " "
        << Y1 + 8 << "V" << Y2 - 7;
  else
    Out << "V" << Y2 - 8 << "Q" << X1 << " " << Y2 << " " << X1 + 8 * Side
        << " " << Y2 << "H" << X2 - 8 * Side;
  Out << "\" marker-end=\"url(#" << id() << "-tip)\"/>\n";
}

void Picture::node(unsigned I) {
  const Row &R = Rows[I];
  const TimelineEntry &E = *R.Entry;
  int X = x(R.Lane), Y = y(I);
  std::string Target = R.Findings.empty() ? id() + "-row-" + std::to_string(I)
                                          : P.Ids[R.Findings.front()];
  Out << "<a href=\"#" << Target << "\" tabindex=\"-1\" class=\"node "
      << laneClass(R.Lane) << (E.Always ? "" : " sometimes") << "\">"
      << "<title>" << escaped(said(E)) << ", " << escaped(spelled(E.Loc));
  for (size_t F : R.Findings)
    Out << ": " << escaped(P.R.Findings[F].Message);
  Out << "</title>";
  switch (R.Findings.empty() ? E.Kind : TimelineKind::Call) {
  case TimelineKind::Begin:
    Out << "<path d=\"M" << X - 7 << " " << Y - 7 << "h14v6l-7 8l-7-8z\"/>";
    break;
  case TimelineKind::End:
    Out << "<path d=\"M" << X - 7 << " " << Y - 6 << "h14v12h-14z\"/>";
    break;
  case TimelineKind::Record:
    Out << "<path class=\"hollow\" d=\"M" << X << " " << Y - 6
        << "l6 6l-6 6l-6-6z\"/>";
    break;
  case TimelineKind::Fork:
  case TimelineKind::Wait:
    Out << "<circle class=\"hollow\" cx=\"" << X << "\" cy=\"" << Y
        << "\" r=\"5.5\"/>";
    break;
  case TimelineKind::Work:
    Out << "<circle cx=\"" << X << "\" cy=\"" << Y << "\" r=\"6\"/>";
    break;
  case TimelineKind::Opaque:
    Out << "<circle class=\"hollow\" cx=\"" << X << "\" cy=\"" << Y
        << "\" r=\"7\"/><text class=\"symbol\" x=\"" << X << "\" y=\"" << Y + 4
        << "\">?</text>";
    break;
  case TimelineKind::Call: {
    Look L = lookOf(P.R.Findings[R.Findings.front()].Outcome.Kind);
    Out << "<g class=\"bad " << L.Class << "\"><path d=\"M" << X - 4 << " "
        << Y - 10 << "h8l6 6v8l-6 6h-8l-6-6v-8z\"/><text class=\"symbol\" "
        << "x=\"" << X << "\" y=\"" << Y + 5 << "\">" << L.Symbol
        << "</text></g>";
    break;
  }
  }
  Out << "</a>\n";
}

} // namespace cudagraph::reports::html
