//===- HtmlPicture.cpp - The streams of a region as lanes -----------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Time runs downwards, one row an entry: lanes and nodes are drawn to the left,
// and each row of the table to the right says the same in words. Both count in
// em, so that they stay side by side at any size of text.
//
//===----------------------------------------------------------------------===//

#include "HtmlParts.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <map>

using namespace llvm;

namespace cudagraph::reports::html {
namespace {

/// Units of the drawing, 16 to an em.
constexpr unsigned Pitch = 26, RowHeight = 32, Margin = 6;
/// Streams that have lanes of their own; the others share one.
constexpr size_t MostLanes = 9;
constexpr char OtherLanes[] = "other streams";

struct Lane {
  std::string Name;
  bool Origin = false, Host = false;
  bool Captured = false;       ///< takes part, at some time, or may do so
  bool Sure = false;           ///< it does
  unsigned From = ~0u, To = 0; ///< rows
};

struct Row {
  const TimelineEntry *Entry;
  unsigned Lane = 0;
  std::vector<size_t> Findings; ///< here
  int Source = -1;              ///< Record: the row that this one waits for
};

class Picture {
public:
  Picture(Page &P, const Region &G) : P(P), Out(P.Out), G(G) { collect(); }

  void write() {
    if (Rows.empty())
      return;
    Out << "<div class=\"picture\" id=\"" << id() << "-picture\">\n";
    legend();
    Out << "<div class=\"flow" << (Rows.size() > 30 ? " long" : "") << "\">\n";
    drawing();
    table();
    Out << "</div>\n";
    if (G.Truncated)
      Out << "<p class=\"muted\">More happens here than is shown: the list "
             "ends "
             "after "
          << Rows.size() << " entries.</p>\n";
    listing();
    Out << "</div>\n";
  }

private:
  Page &P;
  raw_ostream &Out;
  const Region &G;
  std::vector<Lane> Lanes;
  std::vector<Row> Rows;

  std::string id() const { return "region-" + std::to_string(G.Id); }

  void collect() {
    std::map<std::tuple<std::string, unsigned, unsigned>, std::vector<size_t>>
        At;
    for (auto [I, F] : enumerate(P.R.Findings))
      if (is_contained(F.Regions, G.Id))
        At[{F.Loc.File, F.Loc.Line, F.Loc.Column}].push_back(I);
    std::map<std::string, unsigned> Index;
    auto LaneOf = [&](std::string Name) {
      if (Lanes.size() >= MostLanes && !Index.count(Name))
        Name = OtherLanes;
      auto [It, New] = Index.try_emplace(Name, Lanes.size());
      if (New)
        Lanes.push_back({Name});
      return It->second;
    };
    for (const TimelineEntry &E : G.Timeline)
      if (E.Part == StreamPart::Origin) {
        Lanes[LaneOf(E.Stream)].Origin = true;
        break;
      }
    std::map<std::string, unsigned> Recorded;
    bool Host = false;
    for (const TimelineEntry &E : G.Timeline) {
      auto Found = At.find({E.Loc.File, E.Loc.Line, E.Loc.Column});
      bool Here = Found != At.end();
      // What the host does is of interest where something is wrong with it.
      if (E.Kind == TimelineKind::Call && !Here)
        continue;
      Row New;
      New.Entry = &E;
      if (Here)
        New.Findings = Found->second;
      if (E.Part == StreamPart::Host) {
        Host = true;
        New.Lane = ~0u;
      } else {
        New.Lane = LaneOf(E.Stream);
      }
      if (E.Kind == TimelineKind::Record)
        Recorded[E.Event] = Rows.size();
      if (E.Kind == TimelineKind::Fork || E.Kind == TimelineKind::Wait)
        if (auto It = Recorded.find(E.Event);
            It != Recorded.end() && Rows[It->second].Lane != New.Lane)
          New.Source = It->second;
      Rows.push_back(std::move(New));
    }
    if (Host)
      Lanes.push_back({"host", false, true});
    for (auto [I, R] : enumerate(Rows)) {
      if (R.Lane == ~0u)
        R.Lane = Lanes.size() - 1;
      Lane &L = Lanes[R.Lane];
      L.From = std::min<unsigned>(L.From, I);
      L.To = std::max<unsigned>(L.To, I);
      L.Sure |= R.Entry->Part == StreamPart::Origin ||
                R.Entry->Part == StreamPart::Joined;
      L.Captured |= L.Sure || R.Entry->Part == StreamPart::Unsure;
    }
    for (Lane &L : Lanes)
      if (L.Origin && !Rows.empty())
        L.To = Rows.size() - 1;
  }

  /// Which of the colours a lane has; the host has none.
  std::string laneClass(unsigned I) const {
    const Lane &L = Lanes[I];
    return L.Host        ? "host"
           : !L.Captured ? "outside"
                         : "l" + std::to_string(I % 6);
  }
  std::string sign(unsigned I) const {
    return Lanes[I].Host ? "H" : std::to_string(I + 1);
  }

  void legend() {
    Out << "<ul class=\"lanes\" aria-label=\"Streams\">\n";
    for (unsigned I = 0; I < Lanes.size(); ++I) {
      const Lane &L = Lanes[I];
      Out << "<li class=\"" << laneClass(I) << "\"><b aria-hidden=\"true\">"
          << sign(I) << "</b> ";
      if (L.Host)
        Out << "the host";
      else
        Out << "<code>" << escaped(L.Name) << "</code> "
            << (L.Origin     ? "origin"
                : L.Sure     ? "joins the capture"
                : L.Captured ? "may be in the capture"
                             : "not in the capture");
      Out << "</li>\n";
    }
    Out << "</ul>\n";
  }

  static unsigned x(unsigned Lane) { return Margin + Pitch / 2 + Lane * Pitch; }
  static unsigned y(unsigned Row) {
    return (Row + 1) * RowHeight + RowHeight / 2;
  }

  void drawing() {
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
        << "Streams of capture region " << G.Id << "</title>\n<desc id=\""
        << id() << "-desc\">Time runs downwards. The table beside it says the "
        << "same.</desc>\n<defs><marker id=\"" << id()
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

  void lane(unsigned I) {
    const Lane &L = Lanes[I];
    Out << "<g class=\"" << laneClass(I) << "\"><text class=\"sign\" x=\""
        << x(I) << "\" y=\"" << RowHeight / 2 + 4 << "\">" << sign(I)
        << "</text>";
    if (L.From != ~0u)
      Out << "<path class=\"lane\" d=\"M" << x(I) << " "
          << (L.Captured ? y(L.From) : RowHeight) << "V"
          << (L.Captured ? y(L.To) : y(Rows.size() - 1)) << "\"/>";
    Out << "</g>\n";
  }

  /// From where an event is recorded to where it is waited for: a fork leaves
  /// its lane at once, a join goes along until it is there.
  void arrow(unsigned I) {
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

  void node(unsigned I) {
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
          << "\" r=\"7\"/><text class=\"symbol\" x=\"" << X << "\" y=\""
          << Y + 4 << "\">?</text>";
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

  /// The entry in words.
  std::string said(const TimelineEntry &E) const {
    switch (E.Kind) {
    case TimelineKind::Begin:
      return isAssumed(G.Root) && G.Root != RootKind::Annotation
                 ? "captured from here"
                 : "capture begins";
    case TimelineKind::End:
      return "capture ends";
    case TimelineKind::Record:
      return "records '" + E.Event + "'";
    case TimelineKind::Fork:
      return "forks: waits for '" + E.Event + "'";
    case TimelineKind::Wait:
      return (E.Part == StreamPart::Origin ? "joins: waits for '"
                                           : "waits for '") +
             E.Event + "'";
    case TimelineKind::Opaque:
      return "'" + E.Label + "', which cannot be seen";
    case TimelineKind::Work:
    case TimelineKind::Call:
      return E.Label.empty() ? "a kernel" : "'" + E.Label + "'";
    }
    return "";
  }

  void table() {
    Out << "<table><caption><span class=\"hidden\">What happens in capture "
           "region "
        << G.Id
        << ", in order</span></caption><tr><th scope=\"col\">What happens</th>"
        << "<th scope=\"col\" class=\"on\">Stream</th><th scope=\"col\" "
        << "class=\"in\">Function</th><th scope=\"col\" "
        << "class=\"line\">Line</th></tr>\n";
    for (unsigned I = 0; I < Rows.size(); ++I)
      row(I);
    Out << "</table>\n";
  }

  void row(unsigned I) {
    const Row &R = Rows[I];
    const TimelineEntry &E = *R.Entry;
    Out << "<tr id=\"" << id() << "-row-" << I << "\"";
    if (!R.Findings.empty())
      Out << " class=\"bad "
          << lookOf(P.R.Findings[R.Findings.front()].Outcome.Kind).Class
          << "\"";
    Out << "><td class=\"d" << std::min(E.Depth, 6u) << "\"><span>";
    Out << message(said(E));
    if (!E.Always)
      Out << " <i>on some paths</i>";
    for (size_t F : R.Findings) {
      Look L = lookOf(P.R.Findings[F].Outcome.Kind);
      Out << " <a class=\"chip " << L.Class << "\" href=\"#" << P.Ids[F]
          << "\"><span aria-hidden=\"true\">" << L.Symbol << "</span> "
          << L.Word;
      if (const auto &Code = P.R.Findings[F].Outcome.Code; Code && *Code)
        Out << " " << *Code;
      Out << "</a>";
    }
    Out << "</span></td><td class=\"on\"><span>";
    if (Lanes[R.Lane].Host)
      Out << "<b class=\"host\" aria-hidden=\"true\">H</b> <i>host</i>";
    else
      Out << "<b class=\"" << laneClass(R.Lane) << "\" aria-hidden=\"true\">"
          << sign(R.Lane) << "</b> <code>" << escaped(E.Stream) << "</code>";
    Out << "</span></td><td class=\"in\"><code>" << escaped(E.Function)
        << "</code></td><td class=\"line\"><a href=\"#" << lineId(E.Loc)
        << "\">" << E.Loc.Line << "</a></td></tr>\n";
  }

  std::map<std::string, unsigned> Files;
  std::string lineId(const Location &L) {
    unsigned File = Files.try_emplace(L.File, Files.size()).first->second;
    return id() + "-" + std::to_string(File) + "-" + std::to_string(L.Line);
  }

  /// The lines of all entries, once each, file by file.
  void listing() {
    std::map<std::string, std::map<unsigned, const Row *>> Lines;
    for (const Row &R : Rows) {
      const Location &L = R.Entry->Loc;
      unsigned Last = P.Sources.count(L.File);
      if (!L.Line || L.Line > Last)
        continue;
      auto &Of = Lines[L.File];
      for (unsigned N = L.Line > 2 ? L.Line - 2 : 1;
           N <= std::min(L.Line + 2, Last); ++N)
        Of.try_emplace(N, nullptr);
      const Row *&Known = Of[L.Line];
      if (!Known || !R.Findings.empty())
        Known = &R;
    }
    if (Lines.empty())
      return;
    Out << "<details class=\"listing\"><summary>Source of this "
           "region</summary>\n";
    for (auto &[File, Of] : Lines) {
      Out << "<p class=\"at\">" << escaped(File) << "</p>\n";
      unsigned Next = 0;
      for (auto &[N, R] : Of) {
        if (N != Next) {
          if (Next)
            Out << "</ol>";
          Out << "<ol class=\"src\" start=\"" << N << "\">";
        }
        Next = N + 1;
        line(File, N, R);
      }
      Out << "</ol>\n";
    }
    Out << "</details>\n";
  }

  void line(const std::string &File, unsigned N, const Row *R) {
    StringRef Text = P.Sources.line(File, N);
    size_t Begin = Text.size(), End = Begin;
    Out << "<li";
    if (R) {
      const Location &L = R->Entry->Loc;
      Begin = L.Column ? L.Column - 1 : 0;
      End = L.EndLine == L.Line && L.EndColumn ? L.EndColumn - 1 : End;
      Out << " id=\"" << lineId(L) << "\" class=\"hit"
          << (R->Findings.empty() ? " plain" : "") << "\"";
    }
    Out << ">";
    writeLine(Out, Text, Begin, End);
    Out << "\n";
  }
};

} // namespace

void writePicture(Page &P, const Region &G) { Picture(P, G).write(); }

} // namespace cudagraph::reports::html
