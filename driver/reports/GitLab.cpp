//===- GitLab.cpp - GitLab's Code Quality ---------------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GitLab.h"
#include "Entries.h"
#include "Escape.h"
#include "catalogue/Printable.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace cudagraph::reports {
namespace {

/// GitLab has the levels info, minor, major, critical, and blocker.
const char *severityOf(const Entry &E) {
  if (!E.Of)
    return "info";
  if (E.Severity == "error")
    return "critical";
  if (E.Severity != "warning")
    return "info";
  // CUDA refuses the call, and the capture is invalidated.
  bool Lost = E.Of->Outcome.Kind == OutcomeKind::Error &&
              E.Of->Sure == Confidence::Certain;
  return Lost ? "major" : "minor";
}

} // namespace

void writeGitLab(raw_ostream &Out, const Report &R, SourceText &Sources) {
  json::OStream J(Out, /*IndentSize=*/2);
  J.array([&] {
    for (const Entry &E : entriesOf(R, Sources)) {
      if (!E.Loc.valid())
        continue; // GitLab shows lines only
      J.object([&] {
        J.attribute("description", printable(E.Message));
        J.attribute("check_name", E.Check);
        J.attribute("fingerprint", E.Fingerprint);
        J.attribute("severity", severityOf(E));
        J.attributeObject("location", [&] {
          J.attribute("path", validUtf8(fromRoot(R, E.Loc.File)));
          J.attributeObject("lines", [&] { J.attribute("begin", E.Loc.Line); });
        });
      });
    }
  });
  Out << "\n";
}

} // namespace cudagraph::reports
