//===- ConfirmCommand.cpp - Compares static findings with a run -----------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Observes the functions in the findings, runs the program, and joins the two.
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "confirm/Confirm.h"
#include "support/InputFile.h"

using namespace llvm;

namespace cudagraph::probe {

Expected<int> confirmCommand(const Options &Opts, const std::string &Program) {
  std::string Text;
  bool Piped = Opts.Findings == "-" || Opts.Findings == "/dev/stdin";
  if (support::InputError E =
          Piped ? support::readStandardInput(support::Bound::Data, Text)
                : support::readInput(Opts.Findings, support::Bound::Data, Text))
    return createStringError("'" + Opts.Findings + "': " + E.message());
  confirm::StaticResult Findings;
  std::string Why;
  if (!confirm::readFindings(Text, Opts.Findings, Findings, Why))
    return createStringError(Why);
  Options Watching = Opts;
  std::string List = confirm::watchList(Findings);
  Watching.Watch += (Opts.Watch.empty() || List.empty() ? "" : ",") + List;

  std::vector<confirm::Position> Lines;
  if (!Opts.NoLines)
    Lines = confirm::watchLines(Findings);
  Expected<WatchedRun> Run = watchProgram(Watching, Program, Lines);
  if (!Run)
    return Run.takeError();
  if (!Run->Seen)
    return Run->Status;
  confirm::Run Seen;
  confirm::addRun(*Run->Seen, Seen);
  confirm::Joined Result = confirm::join(Findings, Seen);
  Error Written = emit(Opts, errs(), [&](raw_ostream &To, Format As) {
    To << (As == Format::Text ? confirm::printText(Findings, Seen, Result)
                              : confirm::printJson(Findings, Seen, Result));
  });
  bool Failing =
      Result.count(confirm::Status::Confirmed) || !Result.Others.empty();
  return statusOf(*Run, std::move(Written), Opts.FailOnFindings && Failing);
}

} // namespace cudagraph::probe
