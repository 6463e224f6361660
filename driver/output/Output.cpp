//===- Output.cpp - Writes reports ----------------------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Output.h"
#include "OutputCheck.h"
#include "driver/reports/GitHub.h"
#include "driver/support/Errors.h"
#include "support/OutputFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Process.h"

using namespace llvm;

namespace cudagraph::driver {
namespace {

/// Flushes \p Out; the error names \p File, or standard output if it is empty.
Error finish(raw_fd_ostream &Out, const std::string &File) {
  Out.flush();
  if (!Out.has_error())
    return Error::success();
  std::error_code EC = Out.error();
  // Otherwise, the destructor ends the process.
  Out.clear_error();
  return makeError("cannot write " +
                   (File.empty() ? "to standard output" : File) + ": " +
                   EC.message());
}

bool isSet(const char *Variable) {
  auto Value = sys::Process::GetEnv(Variable);
  return Value && !Value->empty();
}

} // namespace

Expected<ReportWriter> ReportWriter::open(const Options &Opts) {
  ReportWriter Result(Opts);
  if (Error E = Result.openStepSummary())
    return std::move(E);
  return Result;
}

Error ReportWriter::openStepSummary() {
  std::string File = stepSummaryOf(*Opts);
  if (File.empty())
    return Error::success();
  std::error_code EC;
  StepSummary = std::make_unique<raw_fd_ostream>(File, EC, sys::fs::OF_Append);
  if (!EC)
    return Error::success();
  return makeError("cannot write " + File + ", which " + StepSummaryVariable +
                   " names: " + EC.message() +
                   "; unset it to write no summary");
}

/// Appends to the existing contents of the step summary.
Error ReportWriter::writeStepSummary(const reports::Report &R,
                                     reports::SourceText &Sources) {
  std::string File = stepSummaryOf(*Opts);
  uint64_t Used = 0;
  (void)sys::fs::file_size(File, Used);
  size_t Room = reports::StepSummaryLimit -
                std::min<uint64_t>(Used, reports::StepSummaryLimit);
  reports::writeStepSummary(*StepSummary, R, Sources, Room);
  return finish(*StepSummary, File);
}

bool ReportWriter::wantsColor(const Output &To) const {
  if (Opts->Color != ColorMode::Auto || !To.File.empty())
    return Opts->Color == ColorMode::Always;
  if (isSet("NO_COLOR"))
    return false;
  if (isSet("CLICOLOR_FORCE") && *sys::Process::GetEnv("CLICOLOR_FORCE") != "0")
    return true;
  return outs().has_colors();
}

void ReportWriter::print(const Output &To, const reports::Report &R,
                         reports::SourceText &Sources, raw_ostream &Out) const {
  reports::TextStyle Style = {wantsColor(To), !Opts->Quiet};
  reports::write(To.As, Out, R, Sources, {listedBy(Opts->Cmd), Style});
}

Error ReportWriter::write(const reports::Report &R,
                          reports::SourceText &Sources, bool Finished,
                          raw_ostream &Log) {
  Error Result = Error::success();
  const Output *ToStdout = nullptr;
  for (const Output &To : Opts->Outputs) {
    if (To.File.empty()) {
      ToStdout = &To;
      continue;
    }
    if (!Finished && support::identityOf(To.File).Replaced) {
      Log << "cudagraph-tidy: interrupted: " << To.File << " is not written\n";
      continue;
    }
    if (Error E = support::writeOutput(
            To.File, [&](raw_ostream &Out) { print(To, R, Sources, Out); }))
      Result = joinErrors(
          std::move(Result),
          makeError("cannot write " + To.File + ": " + toString(std::move(E))));
  }
  if (StepSummary)
    Result = joinErrors(std::move(Result), writeStepSummary(R, Sources));
  if (ToStdout) {
    print(*ToStdout, R, Sources, outs());
    Result = joinErrors(std::move(Result), finish(outs(), ""));
  }
  return Result;
}

Error printToStdout(function_ref<Error(raw_ostream &)> Print) {
  Error E = Print(outs());
  return joinErrors(std::move(E), finish(outs(), ""));
}

} // namespace cudagraph::driver
