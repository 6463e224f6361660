//===- ReportCommand.cpp - Reports from stored traces ---------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Analysis.h"
#include "Commands.h"
#include "Html.h"
#include "Json.h"
#include "Sarif.h"
#include "Text.h"
#include "support/InputFile.h"
#include "support/OutputFile.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;

namespace cudagraph::probe {
namespace {

Error atPath(const std::string &Path, const std::string &Why) {
  return createStringError("'" + Path + "': " + Why);
}

Expected<std::string> readFile(const std::string &Path, support::Bound Most) {
  std::string Text;
  if (support::InputError E = support::readInput(Path, Most, Text))
    return atPath(Path, E.message());
  return Text;
}

std::string reasonOf(const ReportFault &Fault) {
  switch (Fault.Is) {
  case ReportFault::Empty:
  case ReportFault::NoJson:
    return "not JSON";
  case ReportFault::Version:
    return "version " + Fault.Detail + " of the report is unknown";
  case ReportFault::NotOurs:
  case ReportFault::Others:
  case ReportFault::NoList:
    break;
  }
  return "not a report of cudagraph-probe";
}

} // namespace

Error checkOutput(const Options &Opts, ArrayRef<std::string> Inputs) {
  if (Opts.Output.empty())
    return Error::success();
  if (Error E = support::checkOutput(Opts.Output))
    return atPath(Opts.Output, toString(std::move(E)));
  support::FileIdentity Own = support::identityOf(Opts.Output);
  if (!Own.Inode || Own.IsNull)
    return Error::success();
  for (const std::string &Input : Inputs) {
    sys::fs::UniqueID Id;
    if (!sys::fs::getUniqueID(Input, Id) &&
        *Own.Inode ==
            std::pair<uint64_t, uint64_t>(Id.getDevice(), Id.getFile()))
      return atPath(Opts.Output, "--output would overwrite '" + Input +
                                     "', which this run needs; write to "
                                     "another file");
  }
  return Error::success();
}

Error emit(const Options &Opts, raw_ostream &People,
           function_ref<void(raw_ostream &, Format)> Print) {
  if (!Opts.Output.empty()) {
    if (Error E = support::writeOutput(Opts.Output, [&](raw_ostream &Out) {
          Print(Out, Opts.As.value_or(Format::Json));
        }))
      return atPath(Opts.Output, toString(std::move(E)));
    if (Opts.As)
      return Error::success();
  }
  if (Opts.As.value_or(Format::Text) == Format::Text) {
    Print(People, Format::Text);
    return Error::success();
  }
  Print(outs(), *Opts.As);
  outs().flush();
  if (outs().has_error()) {
    std::string Why = outs().error().message();
    outs().clear_error();
    return createStringError("standard output: " + Why);
  }
  return Error::success();
}

Error writeReport(const Report &R, const Options &Opts, raw_ostream &People) {
  return emit(Opts, People, [&](raw_ostream &Out, Format As) {
    SmallString<128> Root;
    switch (As) {
    case Format::Text:
      return writeText(Out, R, Opts.Quiet, Opts.Verbose);
    case Format::Json:
      return writeJson(Out, R);
    case Format::Html:
      return writeHtml(Out, R);
    case Format::Sarif:
      if (sys::fs::current_path(Root))
        Root.clear();
      return writeSarif(Out, R, Root);
    }
  });
}

/// The report in \p Path, or one created from its trace.
static Expected<Report> makeReport(const Options &Opts,
                                   const std::string &Path) {
  // is_directory() is also false for a missing path.
  if (sys::fs::exists(Path) && !sys::fs::is_directory(Path)) {
    Expected<std::string> Text = readFile(Path, support::Bound::Data);
    if (!Text)
      return Text.takeError();
    Report R;
    if (std::optional<ReportFault> Fault = readReport(*Text, R))
      return atPath(Path, reasonOf(*Fault));
    return R;
  }
  std::unique_ptr<Symbolizer> Symbols = createSymbolizer();
  if (!Opts.Symbols.empty()) {
    Expected<std::string> Table = readFile(Opts.Symbols, support::Bound::Words);
    if (!Table)
      return Table.takeError();
    auto Made = createTableSymbolizer(*Table);
    if (!Made)
      return atPath(Opts.Symbols, toString(Made.takeError()));
    Symbols = std::move(*Made);
  }
  Expected<Trace> T = readTrace(Path);
  if (!T)
    return T.takeError();
  if (T->Processes.empty())
    return atPath(Path, "it contains no trace");
  return analyse(*T, *Symbols);
}

Expected<int> reportCommand(const Options &Opts) {
  if (Error E = checkOutput(Opts, {Opts.TraceDirectory, Opts.Symbols}))
    return E;
  Expected<Report> R = makeReport(Opts, Opts.TraceDirectory);
  if (!R)
    return R.takeError();
  if (Error E = writeReport(*R, Opts, outs()))
    return E;
  return Opts.FailOnFindings && !all_of(R->Findings, isRemark) ? ExitFindings
                                                               : ExitClean;
}

} // namespace cudagraph::probe
