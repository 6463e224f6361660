//===- Commands.cpp - Compile commands for clangd -------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// clangd adjusts every compile command before use. This code runs first, and
// turns the build's command, often for nvcc, into the command that the driver
// would run. A file that is not in the database gets the same command as in the
// driver: for a header, that of a source that includes it. No file is written,
// and clangd rereads a changed database.
//
//===----------------------------------------------------------------------===//

#include "Clangd.h"
#include "ProjectSettings.h"
#include "driver/database/CompileDb.h"
#include "driver/database/DbFile.h"
#include "driver/database/EntryCommand.h"
#include "driver/support/Paths.h"
#include "driver/translation/ForeignArgs.h"
#include "driver/translation/Toolchain.h"
#include "clang/Tooling/CompilationDatabase.h"
#include "clang/Tooling/JSONCompilationDatabase.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <mutex>

using namespace llvm;

namespace cudagraph::driver {

CUDAGRAPH_WRAP(void, AdjustCommand,
               "_ZNK5clang6clangd14CommandManglerclERNS_7tooling14CompileComma"
               "ndEN4llvm9StringRefE",
               (const void *Mangler, clang::tooling::CompileCommand &Command,
                StringRef File))

CUDAGRAPH_WRAP(std::unique_ptr<clang::tooling::JSONCompilationDatabase>,
               LoadDatabase,
               "_ZN5clang7tooling23JSONCompilationDatabase14loadFromBufferEN4"
               "llvm9StringRefERNSt7__cxx1112basic_stringIcSt11char_traitsIcES"
               "aIcEEENS0_21JSONCommandLineSyntaxE",
               (StringRef Text, std::string &Why,
                clang::tooling::JSONCommandLineSyntax Syntax))

/// A file that would overflow the stack of LLVM's reader is not read as a
/// database.
std::unique_ptr<clang::tooling::JSONCompilationDatabase>
wrapLoadDatabase(StringRef Text, std::string &Why,
                 clang::tooling::JSONCommandLineSyntax Syntax) {
  Why = checkDatabase(Text);
  return Why.empty() ? realLoadDatabase(Text, Why, Syntax) : nullptr;
}

namespace {

class Commands {
public:
  /// Replaces \p Command, which clangd would use for \p File.
  void translate(clang::tooling::CompileCommand &Command, StringRef File);

private:
  struct Tools {
    std::optional<Toolchain> Found;
  };
  struct Database {
    sys::TimePoint<> Written;
    std::optional<CompileDb> Entries;
  };
  const Toolchain *tools(const std::string &CudaPath);
  const CompileDb *databaseOf(const std::string &File, const Options &Project);
  std::optional<UnitCommand> ours(const std::string &File,
                                  const Options &Project);
  void say(const std::string &Text, bool IsError = false);

  std::mutex Lock;
  StringMap<Tools> Toolchains;   ///< by --cuda-path
  StringMap<Database> Databases; ///< by path
  StringSet<> Said;
};

void Commands::say(const std::string &Text, bool IsError) {
  if (Said.insert(Text).second)
    reportInLog(Text, IsError);
}

const Toolchain *Commands::tools(const std::string &CudaPath) {
  auto [Slot, New] = Toolchains.try_emplace(CudaPath);
  std::optional<Toolchain> &Tools = Slot->second.Found;
  if (New) {
    if (auto Found = Toolchain::detect(CudaPath, clangdSettings().Program,
                                       /*DefineNvcc=*/false))
      Tools = std::move(*Found);
    else
      say(toString(Found.takeError()) + "; compile commands are unchanged",
          /*IsError=*/true);
  }
  return Tools ? &*Tools : nullptr;
}

/// The database for a file for which clangd has no command. It is read again
/// when it has changed.
const CompileDb *Commands::databaseOf(const std::string &File,
                                      const Options &Project) {
  std::string Dir = clangdSettings().CommandsDir;
  if (Dir.empty())
    Dir = Project.BuildPath;
  std::optional<std::string> Path;
  if (Dir.empty())
    Path = findDatabase(sys::path::parent_path(File));
  else if (sys::fs::is_directory(Dir))
    Path = databaseIn(absolutePath(Dir));
  else
    Path = absolutePath(Dir);
  sys::fs::file_status Status;
  if (!Path || sys::fs::status(*Path, Status))
    return nullptr;
  Database &Known = Databases[*Path];
  if (Known.Entries && Known.Written == Status.getLastModificationTime())
    return &*Known.Entries;
  Options Opts;
  Opts.BuildPath = *Path;
  Known.Written = Status.getLastModificationTime();
  Known.Entries.reset();
  if (auto Opened = CompileDb::open(Opts))
    Known.Entries = std::move(*Opened);
  else
    say(toString(Opened.takeError()), /*IsError=*/true);
  return Known.Entries ? &*Known.Entries : nullptr;
}

/// The command that the driver would run for \p File.
std::optional<UnitCommand> Commands::ours(const std::string &File,
                                          const Options &Project) {
  const CompileDb *Entries = databaseOf(File, Project);
  // A file that has not been saved yet has only the default command.
  if (!Entries || !sys::fs::exists(File))
    return std::nullopt;
  Expected<std::vector<UnitCommand>> Units = Entries->commands({File});
  if (!Units) {
    say(toString(Units.takeError()), /*IsError=*/true);
    return std::nullopt;
  }
  if (Units->empty())
    return std::nullopt;
  return std::move(Units->front());
}

void Commands::translate(clang::tooling::CompileCommand &Command,
                         StringRef File) {
  std::lock_guard<std::mutex> Guard(Lock);
  // projectOptions() shows the errors in the project file.
  Options Project = projectOptions(File).value_or(Options());
  const ClangdSettings &Settings = clangdSettings();
  const Toolchain *T =
      tools(Settings.CudaPath.empty() ? Project.CudaPath : Settings.CudaPath);
  if (!T || Command.CommandLine.empty())
    return;
  UnitCommand Unit;
  // If a command is not in the database, clangd records how it inferred the
  // command. It does not search for other databases.
  std::optional<UnitCommand> Own;
  if (!Command.Heuristic.empty() ||
      (Settings.CommandsDir.empty() && !Project.BuildPath.empty()))
    Own = ours(File.str(), Project);
  if (Own) {
    Unit = std::move(*Own);
  } else {
    Unit.File = File.str();
    Unit.Directory = Command.Directory;
    if (Command.Heuristic.empty())
      Unit.Command = translateEntry({absolutePath(File, Command.Directory),
                                     Command.Directory, Command.CommandLine,
                                     EntryKind::Source});
    else
      Unit.Command = translateInferred(Command.CommandLine, File);
  }
  std::vector<std::string> &Args = Unit.Command.Args;
  if (Args.empty())
    return;
  Args.insert(Args.begin() + 1, Project.ExtraArgsBefore.begin(),
              Project.ExtraArgsBefore.end());
  Args.insert(find(Args, "--"), Project.ExtraArgs.begin(),
              Project.ExtraArgs.end());
  Expected<Toolchain::Completed> Ready =
      T->complete(Unit.Command, File, Toolchain::Runner::Others);
  if (!Ready)
    return say((File + ": " + toString(Ready.takeError())).str(),
               /*IsError=*/true);
  if (!Ready->Toolkit.empty())
    say(Ready->Toolkit);
  if (!Unit.Origin.empty())
    say((File + ": " + Unit.Origin).str());
  for (const std::string &Note : Unit.Command.Notes)
    say(Note);
  HeldBackOptions HeldBack;
  HeldBack.add(Unit.Command.HeldBack);
  if (std::string Text = HeldBack.notice("the compile command"); !Text.empty())
    say((File + ": " + Text).str());
  if (!Unit.Command.Nvcc.empty())
    say("nvcc commands are translated for Clang");
  // Code after the twentieth error of a header is also analyzed.
  Ready->Args.insert(Ready->Args.begin() + 1, "-ferror-limit=0");
  Command.CommandLine = std::move(Ready->Args);
  Command.Directory = std::move(Unit.Directory);
}

} // namespace

void wrapAdjustCommand(const void *Mangler,
                       clang::tooling::CompileCommand &Command,
                       StringRef File) {
  static Commands All;
  All.translate(Command, File);
  realAdjustCommand(Mangler, Command, File);
}

} // namespace cudagraph::driver
