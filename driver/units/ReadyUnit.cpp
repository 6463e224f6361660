//===- ReadyUnit.cpp - A unit with its complete command -------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReadyUnit.h"
#include "catalogue/Versions.h"
#include "driver/database/ShellCommand.h"
#include "driver/support/Log.h"
#include "driver/translation/ForeignArgs.h"
#include "driver/translation/SearchPath.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;

namespace cudagraph::driver {

/// Returns the notice that outcomes were measured with a different major
/// version of CUDA than \p Version; empty if the major versions agree.
static std::string measuredElsewhere(int Version) {
  int Measured = catalogue::measuredVersion();
  if (!Version || Version / 1000 == Measured / 1000)
    return "";
  return "; the outcomes were measured with CUDA " +
         catalogue::versionText(Measured);
}

Expected<ReadyUnit> prepareUnit(const UnitCommand &Unit, const Options &Opts,
                                const Toolchain &Tools, const Cache &Cached,
                                const catalogue::Catalogue &Known, Log &Out) {
  ReadyUnit Result;
  Result.File = Unit.File;
  Result.Directory = Unit.Directory;
  std::string Name = Unit.File;
  Log::shorten(Name);
  if (!Unit.Origin.empty() && !Unit.Unrelated && !Unit.Variant)
    Out.notice(Name + ": " + Unit.Origin);
  for (const std::string &Note : Unit.Command.Notes)
    Out.notice(Note);
  Translation Command = Unit.Command;
  std::vector<std::string> &Args = Command.Args;
  Args.insert(Args.begin() + 1, Opts.ExtraArgsBefore.begin(),
              Opts.ExtraArgsBefore.end());
  Args.insert(find(Args, "--"), Opts.ExtraArgs.begin(), Opts.ExtraArgs.end());
  Result.Variant = Unit.Variant;
  if (Unit.Variant) {
    const AddedArgs &More = Opts.AlsoWith[Unit.Variant - 1];
    Args.insert(find(Args, "--"), More.Args.begin(), More.Args.end());
  }
  Args = withoutOutputs(Args);
  if (!sys::fs::exists(Unit.File)) {
    Result.Args = Args;
    Result.Failure =
        "the compile database names this file, but it does not exist";
    return Result;
  }
  Expected<Toolchain::Completed> Ready = Tools.complete(Command, Unit.File);
  if (!Ready)
    return Ready.takeError();
  if (!Ready->Toolkit.empty())
    Out.notice(Ready->Toolkit + measuredElsewhere(Ready->Version));
  simplifySearchPath(Ready->Args);
  if (Opts.Verbose)
    Out.line("cudagraph-tidy: cd " + quoteForShell(Unit.Directory) + " && " +
             quoteForShell(Ready->Args));
  Result.Args = std::move(Ready->Args);
  Result.Id = utohexstr(
      xxh3_64bits(StringRef(join(Result.Args, "\n") + "\n" + Unit.Directory)));
  Result.Known = &Known;
  Result.Project = Unit.Project;
  Result.Key = Cached.unitKey(Result.Args, Result.Directory) ^
               Known.namesHash() ^ xxh3_64bits(StringRef(Result.Project));
  return Result;
}

std::optional<uint64_t> keyOfRun(ArrayRef<ReadyUnit> Units,
                                 std::optional<uint64_t> Settings) {
  if (!Settings)
    return std::nullopt;
  std::vector<uint64_t> Parts = {*Settings};
  for (const ReadyUnit &Unit : Units) {
    if (!Unit.Failure.empty() || Unit.Variant)
      return std::nullopt;
    Parts.push_back(Unit.Key);
  }
  return xxh3_64bits(ArrayRef(reinterpret_cast<const uint8_t *>(Parts.data()),
                              Parts.size() * sizeof(uint64_t)));
}

void explainDefaults(ArrayRef<UnitCommand> Units, ArrayRef<UnitSummary> Done,
                     Log &Out) {
  const UnitCommand *First = nullptr;
  size_t Count = 0;
  for (auto [Unit, Summary] : zip_equal(Units, Done))
    if (Unit.Unrelated && Summary.Errors && ++Count == 1)
      First = &Unit;
  if (!First)
    return;
  std::string Name = First->File;
  Log::shorten(Name);
  if (Count > 1)
    Name += " and " + std::to_string(Count - 1) +
            (Count == 2 ? " other file" : " other files");
  Out.notice(Name + ": " + First->Origin);
}

} // namespace cudagraph::driver
