//===- GitHub.cpp - Annotations of GitHub Actions -------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GitHub.h"
#include "Entries.h"
#include "Escape.h"
#include "Utf16.h"
#include "catalogue/Printable.h"
#include "llvm/Support/raw_ostream.h"
#include <map>

using namespace llvm;

namespace cudagraph::reports {
namespace {

/// GitHub shows this many annotations of each level and silently drops the
/// rest.
constexpr unsigned MostOfLevel = 10;
constexpr size_t MostSteps = 20;

/// The text that follows `::`.
std::string escapedData(StringRef Text) {
  std::string Result;
  for (char C : validUtf8(Text)) {
    if (C == '%')
      Result += "%25";
    else if (C == '\r')
      Result += "%0D";
    else if (C == '\n')
      Result += "%0A";
    else
      Result += C;
  }
  return Result;
}

/// The value of a property, before `::`.
std::string escapedProperty(StringRef Text) {
  std::string Result;
  for (char C : escapedData(Text)) {
    if (C == ':')
      Result += "%3A";
    else if (C == ',')
      Result += "%2C";
    else
      Result += C;
  }
  return Result;
}

std::string placeOf(const Report &R, const Location &L) {
  return printable(fromRoot(R, L.File)) + ":" + std::to_string(L.Line);
}

void annotate(raw_ostream &Out, const Report &R, SourceText &Sources,
              const Entry &E, StringRef Level) {
  const Location &At = E.shownAt();
  Out << "::" << Level << " ";
  if (At.valid()) {
    Span S = spanOf(At, Sources, /*OneLine=*/true);
    Out << "file=" << escapedProperty(printable(fromRoot(R, At.File)))
        << ",line=" << S.Line << ",endLine=" << S.EndLine;
    if (At.Column)
      Out << ",col=" << S.Column << ",endColumn=" << S.EndColumn;
    Out << ",";
  }
  Out << "title=" << escapedProperty(E.Check)
      << "::" << escapedData(printable(E.Message));
  if (&At != &E.Loc)
    Out << "%0AThe call is at " << escapedData(placeOf(R, E.Loc))
        << "; a step on the path to it has changed.";
  for (size_t I = 0; I < E.Steps.size() && I < MostSteps; ++I)
    Out << "%0A"
        << escapedData(placeOf(R, E.Steps[I].Loc) + ": " +
                       printable(E.Steps[I].Message));
  if (E.Steps.size() > MostSteps)
    Out << "%0A... and " << E.Steps.size() - MostSteps << " more";
  Out << "\n";
}

} // namespace

void writeGitHub(raw_ostream &Out, const Report &R, SourceText &Sources) {
  std::vector<Entry> Entries = entriesOf(R, Sources);
  sortByWeight(Entries);
  std::map<std::string, unsigned> Written;
  unsigned LeftOut = 0;
  for (const Entry &E : Entries) {
    std::string Level = E.Severity == "note" ? "notice" : E.Severity;
    // One notice is reserved for the number of omitted entries.
    unsigned Most = Level == "notice" ? MostOfLevel - 1 : MostOfLevel;
    if (Written[Level] >= Most) {
      ++LeftOut;
      continue;
    }
    ++Written[Level];
    annotate(Out, R, Sources, E, Level);
  }
  if (LeftOut)
    Out << "::notice title=cudagraph-tidy::" << LeftOut
        << " more are not annotated: GitHub shows " << MostOfLevel
        << " of each kind. The step summary lists all.\n";
}

} // namespace cudagraph::reports
