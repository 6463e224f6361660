//===- TaskList.cpp - Findings as tasks in Markdown -----------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TaskList.h"
#include "Changes.h"
#include "Entries.h"
#include "Escape.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace cudagraph::reports {
namespace {

class TaskList {
public:
  TaskList(raw_ostream &Out, const Report &R, SourceText &Sources)
      : Out(Out), R(R), Sources(Sources) {}

  void task(const Entry &E) {
    Out << "- [ ] " << place(E.Loc) << ": " << markdownEscaped(E.Message)
        << " (" << E.Check;
    if (E.Of)
      Out << ", " << spelling(E.Of->Sure);
    Out << ")\n";
    if (!E.Of) {
      for (const Step &S : E.Steps)
        item("See", S.Message, S.Loc);
      return;
    }
    const Finding &F = *E.Of;
    for (const Step &S : F.Chain)
      item("Path", S.Message, S.Loc);
    outcome(F.Outcome);
    for (const Step &S : F.Notes)
      item("Remedy", S.Message, S.Loc);
    if (E.InRun)
      item("Run", E.InRun->Note, Location());
    for (const Change &Each : changesOf(F.Fixes, Sources))
      change(Each);
  }

private:
  raw_ostream &Out;
  const Report &R;
  SourceText &Sources;

  /// "`src/a.cu:42`".
  std::string place(const Location &L) {
    if (!L.valid())
      return "the program";
    std::string Where = fromRoot(R, L.File) + ":" + std::to_string(L.Line);
    for (char &C : Where)
      if (C == '`')
        C = '\'';
    return "`" + markdownCode(Where) + "`";
  }

  /// Characters that would end a line must not appear in code; tabs may.
  static std::string markdownCode(std::string Text) {
    for (char &C : Text)
      if (static_cast<unsigned char>(C) < ' ' && C != '\t')
        C = ' ';
    return validUtf8(Text);
  }

  void item(StringRef What, StringRef Message, const Location &L) {
    Out << "  - " << What << ": ";
    if (L.valid())
      Out << place(L) << " ";
    Out << markdownEscaped(Message) << "\n";
  }

  /// A code block ends only at a fence at least as long as the first.
  void change(const Change &C) {
    Location L;
    L.File = C.File;
    L.Line = C.Line;
    std::string Fence = "```";
    for (const auto *Rows : {&C.Old, &C.New})
      for (const std::string &Row : *Rows)
        while (StringRef(Row).contains(Fence))
          Fence += "`";
    Out << "  - Fix: `--fix` makes this change at " << place(L) << "\n\n    "
        << Fence << "diff\n";
    for (const std::string &Row : C.Old)
      Out << "    -" << markdownCode(Row) << "\n";
    for (const std::string &Row : C.New)
      Out << "    +" << markdownCode(Row) << "\n";
    Out << "    " << Fence << "\n\n";
  }

  void outcome(const Outcome &O) {
    if (O.Evidence.empty())
      return;
    Out << "  - Evidence: " << markdownEscaped(O.Evidence);
    for (size_t I = 0; I < O.ByMode.size(); ++I) {
      auto Mode = static_cast<catalogue::Mode>(I);
      Out << (I ? ", " : "; ") << markdownEscaped(spelling(Mode)) << " ";
      if (O.ByMode[I])
        Out << O.ByMode[I];
      else
        Out << "success";
    }
    Out << "\n";
  }
};

} // namespace

void writeTaskList(raw_ostream &Out, const Report &R, SourceText &Sources) {
  Out << "# " << counted(R.Findings.size(), "finding") << " in "
      << counted(R.Regions.size(), "capture region") << "\n\n";
  TaskList Tasks(Out, R, Sources);
  for (const Entry &E : entriesOf(R, Sources))
    Tasks.task(E);
}

} // namespace cudagraph::reports
