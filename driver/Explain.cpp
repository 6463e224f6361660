//===- Explain.cpp - What `cudagraph-tidy explain` prints -----------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Explain.h"
#include "Options.h"
#include "rules/Analyze.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <array>
#include <map>

using namespace llvm;
using namespace cudagraph::catalogue;

namespace cudagraph::driver {
namespace {

struct CheckPage {
  const char *Id;
  const char *Markdown;
};
/// docs/checks/*.md, embedded at build time.
constexpr CheckPage CheckPages[] = {
#include "CheckDocs.inc"
    {nullptr, nullptr}};

struct CodeAdvice {
  int Code;
  const char *Advice;
};
constexpr CodeAdvice Advices[] = {
#define CAPTURE_ERROR(CODE, ADVICE) {CODE, ADVICE},
#include "CodeAdvice.def"
};

constexpr int LineWidth = 80;

/// Prints \p Words with \p Indent, broken before the right margin.
void fill(raw_ostream &Out, unsigned Indent, ArrayRef<StringRef> Words) {
  size_t Column = 0;
  for (StringRef Word : Words) {
    if (Column && Column + 1 + Word.size() > LineWidth) {
      Out << "\n";
      Column = 0;
    }
    if (Column == 0) {
      Out.indent(Indent) << Word;
      Column = Indent + Word.size();
    } else {
      Out << ' ' << Word;
      Column += 1 + Word.size();
    }
  }
  if (Column)
    Out << "\n";
}

void fill(raw_ostream &Out, unsigned Indent, StringRef Text) {
  SmallVector<StringRef> Words;
  Text.split(Words, ' ', -1, /*KeepEmpty=*/false);
  fill(Out, Indent, Words);
}

/// The catalogue's phrases, as sentences.
std::string sentence(StringRef Text) {
  std::string Result = Text.str();
  if (!Result.empty())
    Result.front() = toUpper(Result.front());
  return Text.ends_with(".") ? Result : Result + ".";
}

void explainCheck(const CheckInfo &Check, raw_ostream &Out) {
  for (const CheckPage &Page : CheckPages)
    if (Page.Id && StringRef(Page.Id) == Check.Id) {
      Out << Page.Markdown;
      return;
    }
  Out << Check.Id << "\n\n";
  fill(Out, 0, ("Finds " + Twine(Check.Summary) + ".").str());
}

/// 900, cudaErrorStreamCaptureUnsupported and
/// CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED mean the same.
std::optional<int> parseCode(StringRef Subject) {
  auto Plain = [](StringRef Name) {
    std::string Text = Name.lower();
    llvm::erase(Text, '_');
    return Text;
  };
  for (const CodeAdvice &A : Advices)
    if (Subject == std::to_string(A.Code) ||
        Plain(Subject) == Plain(errorName(A.Code)))
      return A.Code;
  return std::nullopt;
}

bool mayReturn(const Entry &E, int Code) {
  return any_of(E.Outcomes, [&](const OutcomeRow &Row) {
    return any_of(Row.ByMode, [&](const Cell &C) {
      return C.What == Cell::Error && C.Code == Code;
    });
  });
}

void explainCode(int Code, const Catalogue &Known, raw_ostream &Out) {
  Out << Code << " " << errorName(Code) << "\n\n";
  fill(Out, 0, sentence(errorMeaning(Code)));
  for (const CodeAdvice &A : Advices)
    if (A.Code == Code) {
      Out << "\n";
      fill(Out, 0, ("What to do: " + Twine(A.Advice)).str());
    }
  std::map<std::string, std::vector<std::string>> ByLibrary;
  for (const Entry *E : Known.entries())
    if (mayReturn(*E, Code))
      ByLibrary[E->Library].push_back(E->Name);
  if (ByLibrary.empty()) {
    Out << "\nNo call in the catalogue returns it by itself.\n";
    return;
  }
  Out << "\nCalls that return it, depending on mode and stream (explain one of "
         "them to see\nwhen):\n";
  for (const auto &[Library, Names] : ByLibrary) {
    Out << "  " << Library << "\n";
    SmallVector<StringRef> Words(Names.begin(), Names.end());
    fill(Out, 4, Words);
  }
}

std::string cellText(const std::optional<Cell> &C) {
  if (!C)
    return "?";
  switch (C->What) {
  case Cell::Error:
    return std::to_string(C->Code);
  case Cell::Captured:
    return "captured";
  case Cell::Escapes:
    return "escapes";
  case Cell::Succeeds:
    return "ok";
  }
  return "?";
}

/// How a relation reads when the call names a stream, and when an event.
struct NamedRelation {
  StreamRelation Relation;
  const char *OfStream;
  const char *OfEvent;
};
constexpr NamedRelation Relations[] = {
    {StreamRelation::Origin, "the capturing stream", "an event recorded on it"},
    {StreamRelation::Joined, "a stream joined to it",
     "an event of a joined stream"},
    {StreamRelation::Other, "a stream outside", "any other event"},
    {StreamRelation::Legacy, "the legacy default stream", ""},
    {StreamRelation::PerThread, "the per-thread stream", ""},
    {StreamRelation::None, "no stream", "no event"},
};

using Row = std::array<std::string, 5>;

/// The table of outcomes: one row a situation, equal ones of the two stream
/// kinds made one.
std::vector<Row> outcomeRows(const Entry &E) {
  bool NamesStream = E.Args.count("stream") || E.Args.count("event") ||
                     E.Args.count("config") || E.Args.count("handle");
  bool NamesEvent = E.Args.count("event") && !E.Args.count("stream");
  std::vector<Row> Rows;
  for (const NamedRelation &R : Relations) {
    if (NamesStream == (R.Relation == StreamRelation::None))
      continue;
    auto RowFor = [&](StreamKind Kind, const char *Name) {
      Row Result = {NamesEvent ? R.OfEvent : R.OfStream, Name, "", "", ""};
      for (int M = 0; M < 3; ++M)
        Result[2 + M] =
            cellText(E.outcome(R.Relation, Kind, static_cast<Mode>(M)));
      return Result;
    };
    Row Blocking = RowFor(StreamKind::Blocking, "blocking");
    Row NonBlocking = RowFor(StreamKind::NonBlocking, "non-blocking");
    if (std::equal(Blocking.begin() + 2, Blocking.end(),
                   NonBlocking.begin() + 2)) {
      Blocking[1] = "any";
      Rows.push_back(Blocking);
    } else {
      Rows.push_back(Blocking);
      Rows.push_back(NonBlocking);
    }
  }
  erase_if(Rows, [](const Row &R) {
    return R[2] == "?" && R[3] == "?" && R[4] == "?";
  });
  return Rows;
}

void explainFunction(const Entry &E, raw_ostream &Out) {
  Out << E.Name << " (" << E.Library << ")\n\n";
  fill(Out, 0,
       sentence(E.Action.empty() ? StringRef(summary(E.Does))
                                 : StringRef(E.Action)));
  fill(Out, 0, ("Effect: " + Twine(spelling(E.Does))).str());
  if (!E.Args.empty()) {
    Out << "\nArguments that matter:\n";
    for (const auto &[Role, Position] : E.Args) {
      Out << "  " << Role << ": ";
      if (Position == Entry::ImplicitObject)
        Out << "the object it is called on\n";
      else if (Position < 0)
        Out << "the last argument\n";
      else
        Out << "argument " << Position + 1 << "\n";
    }
  }

  std::vector<Row> Rows = outcomeRows(E);
  if (!Rows.empty()) {
    Rows.insert(Rows.begin(), {"called with", "capturing stream", "global",
                               "thread-local", "relaxed"});
    Out << "\nWhile a stream captures, by capture mode (a number is the error "
           "returned):\n";
    std::array<size_t, 5> Widths = {};
    for (const Row &R : Rows)
      for (size_t I = 0; I < R.size(); ++I)
        Widths[I] = std::max(Widths[I], R[I].size());
    for (const Row &R : Rows) {
      Out << " ";
      for (size_t I = 0; I < R.size(); ++I) {
        Out << " " << R[I];
        if (I + 1 < R.size())
          Out.indent(Widths[I] - R[I].size() + 1);
      }
      Out << "\n";
    }
  }
  if (!E.Advice.empty()) {
    Out << "\n";
    fill(Out, 0, "What to do: " + E.Advice + ".");
  }
  if (!E.Reason.empty()) {
    Out << "\n";
    fill(Out, 0, "Added because: " + E.Reason);
  }
  if (!E.Sources.empty())
    Out << "\nEvidence:\n";
  for (const Evidence &S : E.Sources)
    fill(Out, 2, S.Kind + ": " + S.Source);
}

/// The names nearest to \p Subject: small slips, or an unqualified name.
std::vector<std::string> suggestions(StringRef Subject,
                                     const Catalogue &Known) {
  std::vector<std::pair<unsigned, std::string>> Near;
  unsigned Limit = std::max<size_t>(1, Subject.size() / 4);
  auto Consider = [&](StringRef Name) {
    StringRef Last = Name.substr(Name.rfind(':') + 1);
    unsigned Distance = Last.equals_insensitive(Subject)
                            ? 0
                            : Subject.edit_distance(Name, true, Limit);
    if (Distance <= Limit)
      Near.emplace_back(Distance, Name.str());
  };
  for (const CheckInfo &Check : allChecks()) {
    Consider(Check.Id);
    if (StringRef(Check.Id).ends_with(("-" + Subject).str()))
      Near.emplace_back(0, Check.Id);
  }
  for (const CodeAdvice &A : Advices)
    Consider(errorName(A.Code));
  for (const Entry *E : Known.entries())
    Consider(E->Name);
  sort(Near);
  std::vector<std::string> Result;
  for (const auto &[Distance, Name] : Near)
    if (Result.size() < 3 && Distance <= Near.front().first + 1)
      Result.push_back(Name);
  return Result;
}

} // namespace

Error explain(StringRef Subject, const Catalogue &Known, raw_ostream &Out) {
  for (const CheckInfo &Check : allChecks())
    if (Subject == Check.Id) {
      explainCheck(Check, Out);
      return Error::success();
    }
  if (std::optional<int> Code = parseCode(Subject)) {
    explainCode(*Code, Known, Out);
    return Error::success();
  }
  if (const Entry *E = Known.lookup(Subject)) {
    explainFunction(*E, Out);
    return Error::success();
  }
  std::string Message =
      "'" + Subject.str() +
      "' is no check, no capture error (900 to 908) and no function that the "
      "catalogue knows";
  std::vector<std::string> Near = suggestions(Subject, Known);
  if (!Near.empty())
    Message += "; did you mean '" + join(Near, "', '") + "'?";
  return makeError(Message);
}

} // namespace cudagraph::driver
