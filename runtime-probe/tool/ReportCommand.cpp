//===- ReportCommand.cpp - Reports from what was kept ---------------------===//
//-----------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Analysis.h"
#include "Commands.h"
#include "Json.h"
#include "Text.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;

namespace cudagraph::probe {
namespace {

Error atPath(const std::string &Path, const std::string &Why) {
  return createStringError("'" + Path + "': " + Why);
}

Error writeFile(const std::string &Path, StringRef Bytes) {
  // Others see all of it or what was there before; a device or a pipe has no
  // before.
  if (sys::fs::exists(Path) && !sys::fs::is_regular_file(Path)) {
    std::error_code EC;
    raw_fd_ostream Out(Path, EC, sys::fs::CD_OpenExisting);
    if (EC)
      return atPath(Path, EC.message());
    Out << Bytes;
    Out.flush();
    if (!Out.has_error())
      return Error::success();
    std::string Why = Out.error().message();
    Out.clear_error();
    return atPath(Path, Why);
  }
  Expected<sys::fs::TempFile> File =
      sys::fs::TempFile::create(Path + "-%%%%%%.tmp");
  if (!File)
    return atPath(Path, toString(File.takeError()));
  raw_fd_ostream Out(File->FD, /*shouldClose=*/false);
  Out << Bytes;
  Out.flush();
  if (Out.has_error()) {
    std::string Why = Out.error().message();
    Out.clear_error();
    consumeError(File->discard());
    return atPath(Path, Why);
  }
  if (Error E = File->keep(Path))
    return atPath(Path, toString(std::move(E)));
  return Error::success();
}

} // namespace

Error emit(const Options &Opts, raw_ostream &People,
           function_ref<void(raw_ostream &, Format)> Print) {
  if (!Opts.Output.empty()) {
    std::string Bytes;
    raw_string_ostream Out(Bytes);
    Print(Out, Opts.As.value_or(Format::Json));
    if (Error E = writeFile(Opts.Output, Bytes))
      return E;
    if (Opts.As)
      return Error::success();
  }
  if (Opts.As != Format::Json) {
    Print(People, Format::Text);
    return Error::success();
  }
  Print(outs(), Format::Json);
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
    if (As == Format::Text)
      writeText(Out, R, Opts.Quiet);
    else
      writeJson(Out, R);
  });
}

/// The report that \p Path is, or that can be made of the trace in it.
static Expected<Report> makeReport(const Options &Opts,
                                   const std::string &Path) {
  if (sys::fs::is_regular_file(Path)) {
    auto Text = MemoryBuffer::getFile(Path);
    if (!Text)
      return atPath(Path, Text.getError().message());
    Expected<Report> R = readReport((*Text)->getBuffer());
    if (!R)
      return atPath(Path, toString(R.takeError()));
    return R;
  }
  std::unique_ptr<Symbolizer> Symbols = createSymbolizer();
  if (!Opts.Symbols.empty()) {
    auto Table = MemoryBuffer::getFile(Opts.Symbols);
    if (!Table)
      return atPath(Opts.Symbols, Table.getError().message());
    auto Made = createTableSymbolizer((*Table)->getBuffer());
    if (!Made)
      return atPath(Opts.Symbols, toString(Made.takeError()));
    Symbols = std::move(*Made);
  }
  Expected<Trace> T = readTrace(Path);
  if (!T)
    return T.takeError();
  if (T->Processes.empty())
    return atPath(Path, "there is no trace in it");
  return analyse(*T, *Symbols);
}

Expected<int> reportCommand(const Options &Opts) {
  Expected<Report> R = makeReport(Opts, Opts.TraceDirectory);
  if (!R)
    return R.takeError();
  if (Error E = writeReport(*R, Opts, outs()))
    return E;
  return Opts.FailOnFindings && !all_of(R->Findings, isRemark) ? ExitFindings
                                                               : ExitClean;
}

} // namespace cudagraph::probe
