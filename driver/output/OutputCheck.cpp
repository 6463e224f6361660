//===- OutputCheck.cpp - Rejects destructive outputs ----------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OutputCheck.h"
#include "driver/support/Errors.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Process.h"

using namespace llvm;

namespace cudagraph::driver {
namespace {

bool writesReports(Command Cmd) {
  return Cmd == Command::Check || Cmd == Command::Regions ||
         Cmd == Command::Ops || Cmd == Command::Link;
}

} // namespace

std::string stepSummaryOf(const Options &Opts) {
  if (!writesReports(Opts.Cmd) || none_of(Opts.Outputs, [](const Output &To) {
        return To.As == Format::GitHub;
      }))
    return {};
  return sys::Process::GetEnv(StepSummaryVariable).value_or("");
}

Error OutputCheck::insert(Place New) {
  New.Identity = support::identityOf(New.Path);
  for (const Place &Known : Places)
    if (Known.Identity == New.Identity && !New.Identity.IsNull)
      return makeError(Known.Option + " and " + New.Option +
                       " write to the same file; use different files");
  Places.push_back(std::move(New));
  return Error::success();
}

Error OutputCheck::add(std::string Path, StringRef Option) {
  if (Error E = insert({Path, Option.str(), {}}))
    return E;
  if (!Path.empty())
    if (Error E = support::checkOutput(Path))
      return makeError("cannot write " + Path + ": " + toString(std::move(E)));
  return Error::success();
}

Error OutputCheck::addAppended(std::string Path, StringRef Option) {
  return insert({std::move(Path), Option.str(), {}, "append to"});
}

Error OutputCheck::against(ArrayRef<std::string> Inputs) const {
  std::vector<const Place *> There;
  for (const Place &Each : Places)
    if (Each.Identity.Inode && !Each.Identity.IsNull)
      There.push_back(&Each);
  if (There.empty())
    return Error::success();
  for (const std::string &Input : Inputs) {
    sys::fs::UniqueID Id;
    if (sys::fs::getUniqueID(Input, Id))
      continue;
    std::pair<uint64_t, uint64_t> Inode(Id.getDevice(), Id.getFile());
    for (const Place *Each : There)
      if (*Each->Identity.Inode == Inode)
        return makeError(
            Each->Option + " would " + Each->Does + " " + Input +
            ", which is an input of this run; write to another file");
  }
  return Error::success();
}

Expected<OutputCheck> OutputCheck::prepare(const Options &Opts) {
  OutputCheck Result;
  // checkOutput() reports a closed standard output in the same words as a
  // failed write.
  if (writesReports(Opts.Cmd))
    for (const Output &To : Opts.Outputs) {
      std::string Option =
          To.File.empty() ? "standard output"
                          : ("--format=" + nameOf(To.As) + ":" + To.File).str();
      if (Error E = Result.add(To.File, Option))
        return std::move(E);
    }
  if (std::string Summary = stepSummaryOf(Opts); !Summary.empty())
    if (Error E =
            Result.addAppended(Summary, StepSummaryVariable + ("=" + Summary)))
      return std::move(E);
  std::vector<std::pair<std::string, StringRef>> Others = {
      {Opts.ExportFixes, "--export-fixes="},
      {Opts.BaselineWrite || Opts.BaselinePrune ? Opts.BaselineFile : "",
       "--baseline="},
      {Opts.SummaryFile, "-o "},
      {Opts.DepFile, "--depfile="}};
  for (const auto &[Path, Option] : Others)
    if (!Path.empty())
      if (Error E = Result.add(Path, (Option + Path).str()))
        return std::move(E);
  std::vector<std::string> Inputs = Opts.Sources;
  append_range(Inputs, Opts.CatalogueFiles);
  append_range(Inputs, Opts.ProbeReports);
  Inputs.push_back(Opts.BuildPath);
  if (!Opts.BaselineWrite && !Opts.BaselinePrune)
    Inputs.push_back(Opts.BaselineFile);
  if (Opts.ConfigFile)
    Inputs.push_back(*Opts.ConfigFile);
  if (Error E = Result.against(Inputs))
    return std::move(E);
  return Result;
}

} // namespace cudagraph::driver
