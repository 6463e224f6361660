//===- Checkstyle.cpp - Checkstyle's XML ----------------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checkstyle.h"
#include "Entries.h"
#include "Escape.h"
#include "Utf16.h"
#include "llvm/Support/raw_ostream.h"
#include <map>

using namespace llvm;

namespace cudagraph::reports {

void writeCheckstyle(raw_ostream &Out, const Report &R, SourceText &Sources) {
  std::vector<Entry> Entries = entriesOf(R, Sources);
  std::map<std::string, std::vector<const Entry *>> Files;
  for (const Entry &E : Entries)
    if (E.Loc.valid())
      Files[fromRoot(R, E.Loc.File)].push_back(&E);

  // The version of the format.
  Out << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
         "<checkstyle version=\"8.0\">\n";
  for (const auto &[File, InFile] : Files) {
    Out << "  <file name=\"" << xmlEscaped(File) << "\">\n";
    for (const Entry *E : InFile) {
      Out << "    <error line=\"" << E->Loc.Line << "\"";
      if (E->Loc.Column)
        Out << " column=\"" << spanOf(E->Loc, Sources, /*OneLine=*/true).Column
            << "\"";
      std::string Message = E->Message;
      for (const Step &S : E->Steps)
        Message += "\n" + fromRoot(R, S.Loc.File) + ":" +
                   std::to_string(S.Loc.Line) + ": " + S.Message;
      Out << " severity=\"" << (E->Severity == "note" ? "info" : E->Severity)
          << "\" message=\"" << xmlEscaped(Message) << "\" source=\""
          << xmlEscaped(E->Check) << "\"/>\n";
    }
    Out << "  </file>\n";
  }
  Out << "</checkstyle>\n";
}

} // namespace cudagraph::reports
