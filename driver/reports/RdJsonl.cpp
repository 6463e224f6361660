//===- RdJsonl.cpp - reviewdog's diagnostics ------------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RdJsonl.h"
#include "Entries.h"
#include "Escape.h"
#include "catalogue/Printable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace cudagraph::reports {
namespace {

class Writer {
public:
  Writer(raw_ostream &Out, const Report &R) : J(Out), R(R) {}

  void diagnostic(const Entry &E) {
    const Location &At = E.shownAt();
    bool Moved = E.Of && E.Of->ChangedAt;
    J.object([&] {
      std::string Message = E.Message;
      if (Moved)
        Message += " (the changed path begins here; the call is at " +
                   fromRoot(R, E.Loc.File) + ":" + std::to_string(E.Loc.Line) +
                   ")";
      J.attribute("message", printable(Message));
      J.attributeObject("location", [&] { location(At); });
      J.attribute("severity", E.Severity == "error"  ? "ERROR"
                              : E.Severity == "note" ? "INFO"
                                                     : "WARNING");
      J.attributeObject("source",
                        [&] { J.attribute("name", "cudagraph-tidy"); });
      J.attributeObject("code", [&] { J.attribute("value", E.Check); });
      // A suggestion has no path: it applies to the file of the diagnostic.
      if (E.Of && any_of(E.Of->Fixes, [&](const Fix &Edit) {
            return Edit.Range.File == At.File;
          }))
        J.attributeArray("suggestions", [&] {
          for (const Fix &Edit : E.Of->Fixes)
            if (Edit.Range.File == At.File)
              suggestion(Edit);
        });
      if (Moved || !E.Steps.empty())
        J.attributeArray("related_locations", [&] {
          if (Moved)
            related(E.Loc, "the call");
          for (const Step &S : E.Steps)
            related(S.Loc, S.Message);
        });
    });
  }

private:
  json::OStream J;
  const Report &R;

  /// Both formats count columns in bytes and exclude the end.
  void range(const Location &L) {
    auto Position = [&](unsigned Line, unsigned Column) {
      J.attribute("line", Line);
      if (Column)
        J.attribute("column", Column);
    };
    J.attributeObject("range", [&] {
      J.attributeObject("start", [&] { Position(L.Line, L.Column); });
      if (L.Column && L.EndColumn)
        J.attributeObject("end", [&] { Position(L.EndLine, L.EndColumn); });
    });
  }
  void location(const Location &L) {
    J.attribute("path", validUtf8(fromRoot(R, L.File)));
    range(L);
  }
  void related(const Location &L, StringRef Message) {
    J.object([&] {
      J.attribute("message", printable(Message));
      J.attributeObject("location", [&] { location(L); });
    });
  }
  void suggestion(const Fix &Edit) {
    J.object([&] {
      range(Edit.Range);
      J.attribute("text", validUtf8(Edit.Text));
    });
  }
};

} // namespace

void writeRdJsonl(raw_ostream &Out, const Report &R, SourceText &Sources) {
  for (const Entry &E : entriesOf(R, Sources)) {
    if (!E.Loc.valid())
      continue; // a diagnostic has a path
    Writer(Out, R).diagnostic(E);
    Out << "\n";
  }
}

} // namespace cudagraph::reports
