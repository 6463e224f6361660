//===- ExportDb.cpp - Exports the compile database for Clang --------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExportDb.h"
#include "catalogue/Printable.h"
#include "driver/database/CompileDb.h"
#include "driver/database/DbFile.h"
#include "driver/database/ShellCommand.h"
#include "driver/output/OutputCheck.h"
#include "driver/support/Errors.h"
#include "driver/support/Paths.h"
#include "driver/translation/ForeignArgs.h"
#include "driver/translation/Toolchain.h"
#include "support/OutputFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace cudagraph::driver {
namespace {

/// Returns the path of the database. \p Out is a directory, which is created,
/// or a file whose name ends with .json.
Expected<std::string> outputFile(const std::string &Out) {
  std::string Absolute = absolutePath(Out);
  bool IsFile = sys::path::extension(Absolute) == ".json" &&
                !sys::fs::is_directory(Absolute);
  std::string Directory =
      IsFile ? sys::path::parent_path(Absolute).str() : Absolute;
  if (std::error_code EC = sys::fs::create_directories(Directory))
    return makeError("cannot create the directory " + Directory + ": " +
                     EC.message());
  if (IsFile)
    return Absolute;
  SmallString<256> Path(Directory);
  sys::path::append(Path, DatabaseName);
  return Path.str().str();
}

/// Makes \p Args independent of "directory", which some readers ignore.
void makeAbsolute(std::vector<std::string> &Args, const UnitCommand &Unit) {
  auto Absolute = [&](StringRef Path) {
    return absolutePath(Path, Unit.Directory);
  };
  for (size_t I = 1; I < Args.size(); ++I) {
    StringRef Arg = Args[I];
    if (Arg == "-include") {
      // A file that does not exist here is searched for in the include path.
      if (++I < Args.size() && sys::fs::exists(Absolute(Args[I])))
        Args[I] = Absolute(Args[I]);
      continue;
    }
    for (StringRef Option : {"-isystem", "-iquote", "-idirafter", "-I"}) {
      StringRef Value = Arg;
      if (!Value.consume_front(Option))
        continue;
      if (!Value.empty())
        Args[I] = (Option + Absolute(Value)).str();
      else if (++I < Args.size())
        Args[I] = Absolute(Args[I]);
      Arg = "";
      break;
    }
    if (!Arg.empty() && !Arg.starts_with("-") && Absolute(Arg) == Unit.File)
      Args[I] = Unit.File;
  }
}

} // namespace

Error exportDatabase(const Options &Opts, const std::string &Program,
                     raw_ostream &Log) {
  Expected<CompileDb> Database = CompileDb::open(Opts);
  if (!Database)
    return Database.takeError();
  Expected<std::vector<UnitCommand>> Units = Database->commands(Opts.Sources);
  if (!Units)
    return Units.takeError();
  Expected<Toolchain> Tools = Toolchain::detect(
      Opts.CudaPath, Program, Opts.DefineNvcc, Opts.CudaVersion);
  if (!Tools)
    return Tools.takeError();

  StringSet<> Said;
  auto Notice = [&](const Twine &Text) {
    if (!Opts.Quiet && Said.insert(Text.str()).second)
      Log << printable(("cudagraph-tidy: " + Text).str()) << "\n";
  };
  if (!Database->path().empty() && Opts.BuildPath.empty())
    Notice("using " + Database->path());

  json::Array Entries;
  std::vector<std::string> Sources;
  HeldBackOptions HeldBack;
  for (UnitCommand &Unit : *Units) {
    HeldBack.add(Unit.Command.HeldBack);
    if (!Unit.Origin.empty())
      Notice(Unit.File + ": " + Unit.Origin);
    for (const std::string &Note : Unit.Command.Notes)
      Notice(Note);
    std::vector<std::string> &Args = Unit.Command.Args;
    Args.insert(Args.begin() + 1, Opts.ExtraArgsBefore.begin(),
                Opts.ExtraArgsBefore.end());
    Args.insert(find(Args, "--"), Opts.ExtraArgs.begin(), Opts.ExtraArgs.end());
    Expected<Toolchain::Completed> Ready =
        Tools->complete(Unit.Command, Unit.File, Toolchain::Runner::Others);
    if (!Ready)
      return Ready.takeError();
    if (!Ready->Toolkit.empty())
      Notice(Ready->Toolkit);
    makeAbsolute(Ready->Args, Unit);
    if (Opts.Verbose)
      Log << printable("cudagraph-tidy: cd " + quoteForShell(Unit.Directory) +
                       " && " + quoteForShell(Ready->Args))
          << "\n";
    Sources.push_back(Unit.File);
    append_range(Sources, Unit.Command.OptionsFiles);
    Entries.push_back(json::Object{{"directory", Unit.Directory},
                                   {"file", Unit.File},
                                   {"arguments", json::Array(Ready->Args)}});
  }

  for (const std::string &Text :
       {HeldBack.notice("the compile database"), Opts.HeldBackNotice})
    if (!Text.empty())
      Notice(Text);

  Expected<std::string> Path = outputFile(Opts.ExportPath);
  if (!Path)
    return Path.takeError();
  if (!Database->path().empty() && sys::fs::equivalent(*Path, Database->path()))
    return makeError(Opts.ExportPath +
                     " is the input database; name another directory or file");
  Expected<OutputCheck> Outputs = OutputCheck::prepare(Opts);
  if (!Outputs)
    return Outputs.takeError();
  if (Error E = Outputs->add(*Path, "export-compile-db " + Opts.ExportPath))
    return E;
  if (Error E = Outputs->against(Sources))
    return E;
  size_t Count = Entries.size();
  json::Value All(std::move(Entries));
  if (Error E = support::writeOutput(*Path, [&](raw_ostream &Out) {
        Out << formatv("{0:2}", All) << "\n";
      }))
    return makeError("cannot write " + *Path + ": " + toString(std::move(E)));
  Notice("wrote " + Twine(Count) + (Count == 1 ? " command" : " commands") +
         " to " + *Path);
  return Error::success();
}

} // namespace cudagraph::driver
