//===- Wording.cpp - Outcomes and sentences -------------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Combines the catalogue's cells for all possible situations into one outcome,
// which names only the unknowns that make a difference, and into a sentence
// that a CUDA programmer would use.
//
//===----------------------------------------------------------------------===//

#include "Rule.h"
#include <set>

namespace cudagraph {

using catalogue::Cell;
using catalogue::Effect;
using catalogue::Mode;
using catalogue::StreamKind;
using catalogue::StreamRelation;

std::string RuleContext::quoted(const CaptureRecord &R) const {
  std::string Name = originName(R);
  if (Name.empty())
    return "a stream";
  // "the current stream" is a description, not a name.
  if (R.StreamText.Begin == 0 && Name.find(' ') != std::string::npos)
    return Name;
  return "'" + Name + "'";
}

CaptureText RuleContext::captureText(const CaptureRecord &R) const {
  return {quoted(R), R.Kind, R.Mode};
}

Statement RuleContext::during(const Fact &F, std::string Event) const {
  return Statement(std::move(Event))
      .with(" while ")
      .with(captureText(F))
      .with(" captures");
}

std::string RuleContext::modePhrase(const Fact &F) const {
  std::set<int> Codes;
  for (const Situation &S : F.situations())
    for (const Cell &C : S.ByMode)
      Codes.insert(C.What == Cell::Error ? C.Code : 0);
  if (Codes.size() == 1)
    return " in every capture mode";
  if (F.Mode)
    return std::string(" in ") + inWords(*F.Mode) + " mode";
  return "";
}

namespace {
/// One combination of unknowns and its cell.
struct Case {
  StreamRelation Relation;
  StreamKind Kind;
  Mode M;
  const catalogue::OutcomeRow *Row;
  Cell What;
};
} // namespace

static std::vector<Case> casesOf(const Fact &F) {
  std::vector<Case> Result;
  for (const Situation &S : F.situations())
    for (unsigned M = 0; M < 3; ++M) {
      auto TheMode = static_cast<Mode>(M);
      if (F.Mode && *F.Mode != TheMode)
        continue;
      Result.push_back({S.Relation, S.Capturing, TheMode, S.Row, S.ByMode[M]});
    }
  return Result;
}

static const char *relationText(StreamRelation R, bool IsEvent) {
  if (IsEvent)
    return R == StreamRelation::Origin || R == StreamRelation::Joined
               ? "the event was recorded in the capture"
               : "the event was recorded elsewhere";
  switch (R) {
  case StreamRelation::Origin:
    return "the stream is the capturing one";
  case StreamRelation::Joined:
    return "the stream has joined the capture";
  case StreamRelation::Other:
    return "the stream is not part of the capture";
  case StreamRelation::Legacy:
    return "the stream is the legacy default stream";
  case StreamRelation::PerThread:
    return "the stream is the per-thread default stream";
  case StreamRelation::None:
    return "";
  }
  return "";
}

/// The conditions, in words that follow "if"; empty if no row has conditions.
static std::string conditionText(const Case &C, const std::vector<Case> &All,
                                 const catalogue::Entry &Of) {
  std::set<std::string> Words;
  bool Negated = C.Row && C.Row->When.empty();
  for (const Case &Each : All) {
    if (!Each.Row || Each.Row != C.Row)
      continue;
    for (catalogue::Condition X : Each.Row->When)
      Words.insert(std::string(catalogue::inWords(X, Of)));
  }
  if (Negated) // the row for all other cases: the first condition names them
    for (const Case &Each : All)
      if (Each.Row && !Each.Row->When.empty())
        return std::string(catalogue::otherwise(Each.Row->When.back()));
  std::string Result;
  for (const std::string &Each : Words)
    Result += (Result.empty() ? "" : " and ") + Each;
  return Result;
}

Outcome RuleContext::outcome(const Fact &F) const {
  Outcome O;
  if (F.Api && !F.Api->Sources.empty())
    O.Evidence =
        F.Api->Sources.front().Kind + ": " + F.Api->Sources.front().Source;
  std::vector<Case> Cases = casesOf(F);
  if (Cases.empty())
    return O;
  // The error that CUDA returns in each mode, if the other unknowns do not
  // affect it.
  for (unsigned M = 0; M < 3; ++M) {
    std::set<int> Codes;
    for (const Situation &S : F.situations())
      Codes.insert(S.ByMode[M].What == Cell::Error ? S.ByMode[M].Code : 0);
    if (Codes.size() != 1) {
      O.ByMode.clear();
      break;
    }
    O.ByMode.push_back(*Codes.begin());
  }
  bool Same = true;
  for (const Case &C : Cases)
    Same &= C.What == Cases.front().What;
  if (Same) {
    const Cell &C = Cases.front().What;
    if (C.What == Cell::Error) {
      O.Kind = OutcomeKind::Error;
      O.Code = C.Code;
      O.Name = catalogue::errorName(C.Code);
    } else {
      O.Kind = OutcomeKind::Escapes;
    }
    return O;
  }
  O.Kind = OutcomeKind::Depends;
  // Find the unknowns that make a difference.
  auto Differs = [&](auto SameOthers) {
    for (const Case &A : Cases)
      for (const Case &B : Cases)
        if (SameOthers(A, B) && !(A.What == B.What))
          return true;
    return false;
  };
  bool ByKind = Differs([](const Case &A, const Case &B) {
    return A.Relation == B.Relation && A.M == B.M && A.Kind != B.Kind;
  });
  bool ByMode = Differs([](const Case &A, const Case &B) {
    return A.Relation == B.Relation && A.Kind == B.Kind && A.Row == B.Row;
  });
  bool ByRow = Differs([](const Case &A, const Case &B) {
    return A.Relation == B.Relation && A.Kind == B.Kind && A.M == B.M;
  });
  // Kinds of streams are not distinguished if their outcomes differ only
  // because different conditions hold.
  if (ByRow)
    ByKind = Differs([](const Case &A, const Case &B) {
      return A.Relation == B.Relation && A.M == B.M && A.Kind != B.Kind &&
             A.Row && B.Row && A.Row->When == B.Row->When;
    });
  bool ByRelation = Differs([](const Case &A, const Case &B) {
    return A.Kind == B.Kind && A.M == B.M && A.Relation != B.Relation;
  });
  std::set<std::string> Said;
  for (const Case &C : Cases) {
    if (C.What.What != Cell::Error && C.What.What != Cell::Escapes)
      continue;
    std::string When;
    auto Add = [&](const std::string &Text) {
      When += (When.empty() ? "" : " and ") + Text;
    };
    if (ByRelation)
      Add(relationText(C.Relation, F.isOfEvent()));
    if (ByKind)
      Add(C.Kind == StreamKind::Blocking
              ? "the capturing stream is blocking"
              : "the capturing stream is non-blocking");
    if (ByMode)
      Add(std::string("the capture mode is ") + inWords(C.M));
    if (ByRow)
      if (std::string Text = conditionText(C, Cases, *F.Api); !Text.empty())
        Add(Text);
    if (!Said.insert(When).second)
      continue;
    O.Alternatives.push_back(
        {When,
         C.What.What == Cell::Error ? OutcomeKind::Error : OutcomeKind::Escapes,
         C.What.What == Cell::Error ? C.What.Code : 0});
  }
  return O;
}

static const char EscapesText[] = "CUDA returns success, but the work runs "
                                  "once, at capture, and is not in the graph";

std::string RuleContext::consequence(const Fact &F, const Outcome &O) const {
  switch (O.Kind) {
  case OutcomeKind::Error: {
    bool Survives = true;
    for (const Case &C : casesOf(F))
      Survives &= C.What.Survives;
    return errorText(*O.Code) + modePhrase(F) +
           (!Survives ? ""
            : F.Kind == FactKind::Dropped ||
                    (F.Api && F.Api->Does != Effect::CaptureBegin &&
                     F.Api->Does != Effect::CaptureEnd &&
                     F.Api->Does != Effect::CaptureQuery)
                ? ", and the capture continues without it"
            : capture(F).Refused ? ""
                                 : ", and the capture continues");
  }
  case OutcomeKind::Escapes:
    return EscapesText;
  case OutcomeKind::Depends:
    return dependence(O, F.isOfEvent());
  default:
    return "";
  }
}

void RuleContext::addStream(Statement &Sentence, const Fact &F,
                            bool OnStream) const {
  auto While = [&] {
    Sentence.with(" while ").with(captureText(F)).with(" captures");
  };
  const CallDetails &Call = F.call();
  std::string Text = text(Call.StreamText);
  if (Call.IsEvent) {
    Sentence.with(" '" + Text + "'");
    for (const Situation &S : Call.Situations)
      if (S.Relation != StreamRelation::Origin)
        return While();
    Sentence.with(", which was recorded in the capture");
    return;
  }
  if (!Call.HasStream || Call.Situations.empty())
    return While();
  std::set<StreamRelation> All;
  for (const Situation &S : Call.Situations)
    All.insert(S.Relation);
  std::string Named = OnStream ? " on stream" : "";
  if (!Text.empty())
    Named += " '" + Text + "'";
  else if (OnStream)
    Named = " on its stream";
  std::string On = OnStream ? " on" : "";
  if (All.size() > 1) {
    if (Text.empty())
      return While();
    Sentence.with(Named);
    return;
  }
  switch (*All.begin()) {
  case StreamRelation::Origin:
    Sentence.with(Named + ", which is capturing");
    return;
  case StreamRelation::Joined:
    Sentence.with(Named + ", which is part of the capture");
    return;
  case StreamRelation::Other:
    Sentence.with(Named + ", which is not part of the capture of " +
                  quoted(capture(F)));
    return;
  case StreamRelation::Legacy:
    Sentence.with(On + " the legacy default stream");
    return While();
  case StreamRelation::PerThread:
    Sentence.with(On + " the per-thread default stream");
    return While();
  case StreamRelation::None:
    return While();
  }
}

/// True if the call names one of the two default streams.
static bool isDefaultStream(const Fact &F) {
  for (const Situation &S : F.situations())
    if (S.Relation != StreamRelation::Legacy &&
        S.Relation != StreamRelation::PerThread)
      return false;
  return !F.situations().empty();
}

Statement RuleContext::sentence(const Fact &F, const Outcome &O,
                                bool OnStream) const {
  // The name of the stream or event follows the action.
  using catalogue::Naming;
  const CallDetails &Call = F.call();
  std::string Does = F.Api->ActionWords.before(
      Call.IsEvent                           ? Naming::Event
      : OnStream                             ? Naming::OnStream
      : Call.HasStream && isDefaultStream(F) ? Naming::DefaultStream
      : Call.HasStream && !F.situations().empty() &&
              !text(Call.StreamText).empty()
          ? Naming::Name
          : Naming::Nothing);
  std::string Kernel = F.Callee == "<<<>>>" ? text(Call.Name) : F.Callee;
  Statement Result(F.Api->Name == "<<<>>>"
                       ? "kernel '" + Kernel + "' is launched"
                       : "'" + catalogue::canonicalName(F.Callee) + "' " +
                             Does);
  addStream(Result, F, OnStream);
  return Result.then(consequence(F, O));
}

} // namespace cudagraph
