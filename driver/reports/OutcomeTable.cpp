//===- OutcomeTable.cpp - Outcomes in readable form -----------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Relations with equal outcomes share a line, as do the two kinds of capturing
// streams.
//
//===----------------------------------------------------------------------===//

#include "OutcomeTable.h"
#include "analysis/findings/Statement.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <map>
#include <optional>

using namespace llvm;
using namespace cudagraph::catalogue;

namespace cudagraph::reports {
namespace {

using Cells = std::array<Cell, 3>;
/// Indexed by the kind of the capturing stream.
using ByKind = std::array<std::optional<Cells>, 2>;
using Conditions = std::vector<Condition>;

constexpr unsigned bit(StreamRelation R) {
  return 1U << static_cast<unsigned>(R);
}
constexpr unsigned Origin = bit(StreamRelation::Origin);
constexpr unsigned Joined = bit(StreamRelation::Joined);
constexpr unsigned Other = bit(StreamRelation::Other);
constexpr unsigned Legacy = bit(StreamRelation::Legacy);
constexpr unsigned PerThread = bit(StreamRelation::PerThread);
constexpr unsigned None = bit(StreamRelation::None);
constexpr unsigned Streams = Origin | Joined | Other | Legacy | PerThread;

/// The kind of argument that a call names: a stream, an event, or neither.
enum class Names { Nothing, Stream, Event };

/// Relations with a common name, the widest first.
struct Phrase {
  unsigned Needs, Takes; ///< the required relations, and the optional ones
  const char *OfStream, *OfEvent;
};
constexpr Phrase Phrases[] = {
    {Origin | Joined | Other | Legacy, Streams, "any stream", "any event"},
    {Origin | Joined, 0, "a capturing stream", "an event of the capture"},
    {Origin, 0, "the capturing stream", "an event recorded on it"},
    {Joined, 0, "a stream joined to it", "an event of a joined stream"},
    {Other | Legacy, PerThread, "any other stream", "any other event"},
    {Other, PerThread, "another stream", "an event of another stream"},
    {Legacy, 0, "the legacy stream", "an event of the legacy stream"},
    {PerThread, 0, "the per-thread stream",
     "an event of the per-thread stream"},
    {None, 0, "no stream", "an event never recorded"},
};

/// The rows of one entry that apply under the same conditions.
struct Table {
  Conditions When;
  std::vector<std::pair<unsigned, ByKind>> Parts; ///< relations, outcomes
};

Names namesOf(const Entry &E) {
  if (E.Args.count("event") && !E.Args.count("stream"))
    return Names::Event;
  if (E.Args.count("stream") || E.Args.count("config") ||
      E.Args.count("handle"))
    return Names::Stream;
  // A kernel launch names its stream in the launch brackets.
  for (const OutcomeRow &Row : E.Outcomes)
    if (is_contained(Row.Streams, StreamRelation::Origin))
      return Names::Stream;
  return Names::Nothing;
}

Table tableOf(const Entry &E, const Conditions &When) {
  Table Result{When, {}};
  unsigned Natural = namesOf(E) == Names::Nothing ? None : Streams;
  for (const OutcomeRow &Row : E.Outcomes)
    if (Row.When == When)
      for (StreamRelation R : Row.Streams)
        Natural |= bit(R);
  for (unsigned I = 0; I <= static_cast<unsigned>(StreamRelation::None); ++I) {
    if (!(Natural & 1U << I))
      continue;
    ByKind Found;
    for (StreamKind Kind : {StreamKind::Blocking, StreamKind::NonBlocking})
      for (const OutcomeRow &Row : E.Outcomes)
        if (Row.When == When &&
            Row.covers(static_cast<StreamRelation>(I), Kind)) {
          Found[static_cast<unsigned>(Kind)] = {Row.ByMode[0], Row.ByMode[1],
                                                Row.ByMode[2]};
          break;
        }
    if (!Found[0] && !Found[1])
      continue;
    auto It = find_if(Result.Parts,
                      [&](const auto &Part) { return Part.second == Found; });
    if (It == Result.Parts.end())
      Result.Parts.emplace_back(1U << I, Found);
    else
      It->first |= 1U << I;
  }
  return Result;
}

/// The tables of \p E, the unconditional one first.
std::vector<Table> tablesOf(const Entry &E) {
  std::vector<Conditions> Sets = {{}};
  for (const OutcomeRow &Row : E.Outcomes)
    if (!is_contained(Sets, Row.When))
      Sets.push_back(Row.When);
  // Tables with fewer conditions come first. Otherwise, the order of the rows
  // applies.
  std::vector<Table> Result;
  size_t Done = 0;
  for (size_t Size = 0; Done < Sets.size(); ++Size)
    for (const Conditions &When : Sets) {
      if (When.size() != Size)
        continue;
      ++Done;
      if (Table T = tableOf(E, When); !T.Parts.empty())
        Result.push_back(std::move(T));
    }
  return Result;
}

/// Returns the text for each part of \p Relations.
std::vector<std::string> words(unsigned Relations, Names What) {
  std::vector<std::string> Result;
  for (const Phrase &P : Phrases) {
    if ((Relations & P.Needs) != P.Needs)
      continue;
    Relations &= ~(P.Needs | P.Takes);
    if (What == Names::Nothing && P.Needs == PerThread)
      Result.push_back("its per-thread variant");
    else
      Result.push_back(What == Names::Event ? P.OfEvent : P.OfStream);
    // An event without a stream is an additional event.
    if (What == Names::Event &&
        (P.Needs & (Other | Legacy)) == (Other | Legacy))
      Relations &= ~None;
  }
  return Result;
}

std::string inWords(const Conditions &When, const Entry &E) {
  std::string Result;
  for (Condition C : When)
    Result +=
        (Result.empty() ? "" : " and ") + std::string(catalogue::inWords(C, E));
  return Result;
}

/// "A", "A or B", "A, B, or C".
std::string inWords(const std::vector<std::string> &Places) {
  std::string Result;
  for (size_t I = 0; I < Places.size(); ++I)
    Result += (I == 0                  ? ""
               : I + 1 < Places.size() ? ", "
               : I > 1                 ? ", or "
                                       : " or ") +
              Places[I];
  return Result;
}

std::string text(const Cell &C) {
  switch (C.What) {
  case Cell::Error:
    return std::to_string(C.Code) + (C.Survives ? "*" : "");
  case Cell::Captured:
    return "captured";
  case Cell::Escapes:
    return "escapes";
  case Cell::Succeeds:
    return "ok";
  }
  return "?";
}

/// The modes of \p Found that return \p Code, as bits.
unsigned modesOf(const std::optional<Cells> &Found, int Code) {
  unsigned Modes = 0;
  for (unsigned M = 0; Found && M < 3; ++M)
    if ((*Found)[M].What == Cell::Error && (*Found)[M].Code == Code)
      Modes |= 1U << M;
  return Modes;
}

/// "", or the part of the sentence after the location.
std::string modesInWords(unsigned Modes) {
  if (Modes == 7)
    return "";
  if (Modes == 3)
    return "not in relaxed mode";
  std::vector<std::string> In;
  for (unsigned M = 0; M < 3; ++M)
    if (Modes & 1U << M)
      In.push_back(cudagraph::inWords(static_cast<catalogue::Mode>(M)));
  return "in " + join(In, " and ") + " mode";
}

} // namespace

std::vector<OutcomeGroup> outcomeGroups(const Entry &E) {
  static const char *const Kinds[] = {"blocking", "non-blocking"};
  std::vector<OutcomeGroup> Result;
  for (const Table &T : tablesOf(E)) {
    OutcomeGroup Group{inWords(T.When, E), {}};
    for (const auto &[Relations, Found] : T.Parts)
      for (const std::string &Called : words(Relations, namesOf(E)))
        for (unsigned Kind = 0; Kind < 2; ++Kind) {
          if (!Found[Kind] || (Kind == 1 && Found[0] == Found[1]))
            continue;
          const Cells &C = *Found[Kind];
          Group.Lines.push_back({Called,
                                 Found[0] == Found[1] ? "any" : Kinds[Kind],
                                 text(C[0]), text(C[1]), text(C[2])});
        }
    Result.push_back(std::move(Group));
  }
  return Result;
}

std::vector<Situation> situations(const Entry &E, int Code) {
  static const char *const Kinds[] = {
      " during a capture on a blocking stream",
      " during a capture on a non-blocking stream"};
  struct Where {
    std::vector<std::string> Places;
    bool Survives = true;
  };
  // Indexed by the common text after the locations.
  std::map<std::pair<std::string, std::string>, Where> Found;
  unsigned Plain[2] = {}; // relations that return it without conditions
  Names What = namesOf(E);
  for (const Table &T : tablesOf(E)) {
    bool NoChoice = all_of(T.Parts, [](auto &P) { return P.first == None; });
    for (const auto &[Part, Outcomes] : T.Parts) {
      unsigned Modes[2], Relations[2];
      for (unsigned K = 0; K < 2; ++K) {
        Modes[K] = modesOf(Outcomes[K], Code);
        Relations[K] = Modes[K] ? Part & ~Plain[K] : 0;
        if (T.When.empty() && Modes[K])
          Plain[K] |= Part;
      }
      bool Same = Modes[0] == Modes[1] && Relations[0] == Relations[1];
      for (unsigned K = 0; K < (Same ? 1 : 2); ++K) {
        if (!Relations[K])
          continue;
        Where &W = Found[{inWords(T.When, E), modesInWords(Modes[K])}];
        for (std::string &Place : words(Relations[K], What)) {
          if (Part == None && (What == Names::Nothing || NoChoice))
            Place.clear();
          else
            Place = (What == Names::Event || Part == None ? "with " : "on ") +
                    Place;
          W.Places.push_back(
              StringRef(Place + (Same ? "" : Kinds[K])).ltrim().str());
        }
        for (unsigned M = 0; M < 3; ++M)
          if (Modes[K] & 1U << M)
            W.Survives &= (*Outcomes[K])[M].Survives;
      }
    }
  }
  std::vector<Situation> Result;
  for (const auto &[Key, W] : Found) {
    std::vector<std::string> Parts = {inWords(W.Places)};
    Parts.push_back(Key.second);
    if (!Key.first.empty())
      Parts.push_back("if " + Key.first);
    erase_if(Parts, [](const std::string &Part) { return Part.empty(); });
    Result.push_back(
        {Parts.empty() ? "always" : join(Parts, ", "), W.Survives});
  }
  return Result;
}

} // namespace cudagraph::reports
