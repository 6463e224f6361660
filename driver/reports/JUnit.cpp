//===- JUnit.cpp - Findings as test results -------------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each file is a suite. It has a case for each check that ran; a main file also
// has the case "analysis", which states whether all of it was analyzed.
//
//===----------------------------------------------------------------------===//

#include "JUnit.h"
#include "Entries.h"
#include "Escape.h"
#include "catalogue/Printable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <map>

using namespace llvm;

namespace cudagraph::reports {
namespace {

struct Case {
  std::string Name;
  enum { Passed, Failed, Error, Skipped } Is = Passed;
  std::string Message, Text;
};

struct Suite {
  bool IsUnit = false;
  const IncompleteUnit *Incomplete = nullptr;
  std::map<std::string, std::vector<const Entry *>> ByCheck;
};

class Writer {
public:
  Writer(raw_ostream &Out, const Report &R, SourceText &Sources)
      : Out(Out), R(R), Sources(Sources) {}

  void write() {
    std::vector<Entry> Entries = entriesOf(R, Sources);
    std::map<std::string, Suite> Suites;
    for (const std::string &File : R.MainFiles)
      Suites[fromRoot(R, File)].IsUnit = true;
    for (const IncompleteUnit &Unit : R.Seen.Incomplete) {
      Suite &S = Suites[fromRoot(R, Unit.File)];
      S.IsUnit = true;
      S.Incomplete = &Unit;
    }
    for (const Entry &E : Entries)
      if (E.Check != IncompleteAnalysis && !E.isRemark())
        Suites[E.Loc.valid() ? fromRoot(R, E.Loc.File) : "the run"]
            .ByCheck[E.Check]
            .push_back(&E);

    std::vector<std::pair<std::string, std::vector<Case>>> All;
    for (const auto &[File, S] : Suites)
      All.emplace_back(File, casesOf(S));
    Out << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
           "<testsuites name=\"cudagraph-tidy\"";
    std::vector<Case> Flat;
    for (const auto &[File, Cases] : All)
      llvm::append_range(Flat, Cases);
    counts(Flat);
    Out << ">\n";
    for (const auto &[File, Cases] : All)
      suite(File, Cases);
    Out << "</testsuites>\n";
  }

private:
  raw_ostream &Out;
  const Report &R;
  SourceText &Sources;

  std::vector<Case> casesOf(const Suite &S) {
    std::vector<Case> Result;
    if (S.IsUnit)
      Result.push_back(analysis(S.Incomplete));
    std::vector<std::string> Names = R.Checks;
    for (const auto &[Check, Found] : S.ByCheck)
      if (!is_contained(Names, Check))
        Names.push_back(Check);
    for (const std::string &Name : Names) {
      auto Found = S.ByCheck.find(Name);
      if (Found != S.ByCheck.end()) {
        Result.push_back(failure(Name, Found->second));
        continue;
      }
      Case &C = Result.emplace_back();
      C.Name = Name;
      if (S.Incomplete) {
        // Code that was not analyzed has not passed.
        C.Is = Case::Skipped;
        C.Message = "not fully analyzed: " + S.Incomplete->Reason;
      }
    }
    return Result;
  }

  static Case analysis(const IncompleteUnit *Unit) {
    Case Result;
    Result.Name = "analysis";
    if (!Unit)
      return Result;
    Result.Is = Case::Error;
    Result.Message = "not fully analyzed: " + Unit->Reason;
    for (const std::string &Text : Unit->Errors)
      Result.Text += Text + "\n";
    Result.Text += "in " + Unit->Directory + ":";
    for (const std::string &Arg : Unit->Command)
      Result.Text += " " + Arg;
    Result.Text += "\n";
    return Result;
  }

  Case failure(const std::string &Name, ArrayRef<const Entry *> Found) {
    Case Result;
    Result.Name = Name;
    Result.Is = Case::Failed;
    Result.Message = printable(Found.front()->Message);
    if (Found.size() > 1)
      Result.Message += " (and " + std::to_string(Found.size() - 1) + " more)";
    for (const Entry *E : Found)
      Result.Text += rendered(*E, Sources);
    return Result;
  }

  void counts(ArrayRef<Case> Cases) {
    auto Count = [&](auto Kind) {
      return count_if(Cases, [&](const Case &C) { return C.Is == Kind; });
    };
    Out << " tests=\"" << Cases.size() << "\" failures=\""
        << Count(Case::Failed) << "\" errors=\"" << Count(Case::Error) << "\"";
  }

  void suite(const std::string &File, ArrayRef<Case> Cases) {
    std::string Name = xmlEscaped(File);
    Out << "  <testsuite name=\"" << Name << "\" file=\"" << Name << "\"";
    counts(Cases);
    Out << " skipped=\""
        << count_if(Cases, [](const Case &C) { return C.Is == Case::Skipped; })
        << "\">\n";
    for (const Case &C : Cases) {
      Out << "    <testcase name=\"" << C.Name << "\" classname=\"" << Name
          << "\"";
      if (C.Is == Case::Passed) {
        Out << "/>\n";
        continue;
      }
      const char *Tag = C.Is == Case::Failed  ? "failure"
                        : C.Is == Case::Error ? "error"
                                              : "skipped";
      Out << ">\n      <" << Tag;
      if (C.Is != Case::Skipped)
        Out << " type=\""
            << (C.Is == Case::Failed ? C.Name.c_str() : IncompleteAnalysis)
            << "\"";
      Out << " message=\"" << xmlEscaped(C.Message) << "\">" << xmlText(C.Text)
          << "</" << Tag << ">\n    </testcase>\n";
    }
    Out << "  </testsuite>\n";
  }

  /// Escapes \p Text, but keeps its line breaks for readability.
  static std::string xmlText(StringRef Text) {
    std::string Result;
    while (!Text.empty()) {
      auto [Line, Rest] = Text.split('\n');
      Result += xmlEscaped(Line) + "\n";
      Text = Rest;
    }
    return Result;
  }
};

} // namespace

void writeJUnit(raw_ostream &Out, const Report &R, SourceText &Sources) {
  Writer(Out, R, Sources).write();
}

} // namespace cudagraph::reports
