//===- HtmlPicture.cpp - The streams of a region as lanes -----------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HtmlPicture.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace cudagraph::reports::html {
namespace {

/// The number of streams with their own lanes; the others share one.
constexpr size_t MostLanes = 9;
constexpr char OtherLanes[] = "other streams";

} // namespace

void Picture::write() {
  if (Rows.empty())
    return;
  Out << "<div class=\"picture\" id=\"" << id() << "-picture\">\n";
  legend();
  Out << "<div class=\"flow" << (Rows.size() > 30 ? " long" : "") << "\">\n";
  drawing();
  table();
  Out << "</div>\n";
  if (G.Truncated)
    Out << "<p class=\"muted\">This list is truncated after " << Rows.size()
        << " entries.</p>\n";
  listing();
  Out << "</div>\n";
}

void Picture::collect() {
  std::map<std::tuple<std::string, unsigned, unsigned>, std::vector<size_t>> At;
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
    // Host calls are shown only if they have a finding.
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

/// The color class of a lane; the host has none.
std::string Picture::laneClass(unsigned I) const {
  const Lane &L = Lanes[I];
  return L.Host        ? "host"
         : !L.Captured ? "outside"
                       : "l" + std::to_string(I % 6);
}

std::string Picture::sign(unsigned I) const {
  return Lanes[I].Host ? "H" : std::to_string(I + 1);
}

void Picture::legend() {
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

/// The entry as text.
std::string Picture::said(const TimelineEntry &E) const {
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
    return "'" + E.Label + "', which is not visible";
  case TimelineKind::Work:
  case TimelineKind::Call:
    return E.Label.empty() ? "a kernel" : "'" + E.Label + "'";
  }
  return "";
}

void Picture::table() {
  Out << "<table><caption><span class=\"hidden\">What happens in capture "
         "region "
      << G.Id
      << ", in order</span></caption><tr><th scope=\"col\">What happens</th>"
      << "<th scope=\"col\" class=\"on\">Where</th><th scope=\"col\" "
      << "class=\"in\">Function</th><th scope=\"col\" "
      << "class=\"line\">Line</th></tr>\n";
  for (unsigned I = 0; I < Rows.size(); ++I)
    row(I);
  Out << "</table>\n";
}

void Picture::row(unsigned I) {
  const Row &R = Rows[I];
  const TimelineEntry &E = *R.Entry;
  Out << "<tr id=\"" << id() << "-row-" << I << "\"";
  if (!R.Findings.empty())
    Out << " class=\"bad "
        << lookOf(P.R.Findings[R.Findings.front()].Outcome.Kind).Class << "\"";
  Out << "><td class=\"d" << std::min(E.Depth, 6u) << "\"><span>";
  Out << message(said(E));
  if (!E.Always)
    Out << " <i>on some paths</i>";
  for (size_t F : R.Findings) {
    Look L = lookOf(P.R.Findings[F].Outcome.Kind);
    Out << " <a class=\"chip " << L.Class << "\" href=\"#" << P.Ids[F]
        << "\"><span aria-hidden=\"true\">" << L.Symbol << "</span> " << L.Word;
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
      << "</code></td><td class=\"line\"><a href=\"#" << lineId(E.Loc) << "\">"
      << E.Loc.Line << "</a></td></tr>\n";
}

std::string Picture::lineId(const Location &L) {
  unsigned File = Files.try_emplace(L.File, Files.size()).first->second;
  return id() + "-" + std::to_string(File) + "-" + std::to_string(L.Line);
}

/// Writes the lines of all entries, each line once, file by file.
void Picture::listing() {
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

void Picture::line(const std::string &File, unsigned N, const Row *R) {
  StringRef Text = P.Sources.line(File, N);
  size_t Begin = Text.size(), End = Begin;
  Out << "<li";
  if (R) {
    const Location &L = R->Entry->Loc;
    Begin = L.Column ? L.Column - 1 : 0;
    End = L.EndLine == L.Line && L.EndColumn ? L.EndColumn - 1 : End;
    Out << " id=\"" << lineId(L) << "\" class=\"marked"
        << (R->Findings.empty() ? " plain" : "") << "\"";
  }
  Out << ">";
  writeLine(Out, Text, Begin, End);
  Out << "\n";
}

void writePicture(Page &P, const Region &G) { Picture(P, G).write(); }

} // namespace cudagraph::reports::html
