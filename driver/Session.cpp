//===- Session.cpp - A run over all translation units ---------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Session.h"
#include "CompileDb.h"
#include "Fingerprint.h"
#include "Frontend.h"
#include "Merge.h"
#include "Toolchain.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace cudagraph::driver {
namespace {

class Session {
public:
  Session(const Options &Opts, Config &Settings, const Toolchain &Tools,
          raw_ostream &Log)
      : Opts(Opts), Settings(Settings), Tools(Tools), Log(Log),
        HeaderFilter(Opts.HeaderFilter) {
    SmallString<256> Path;
    if (!sys::fs::current_path(Path))
      Here = Path == "/" ? "/" : (Path + "/").str();
  }

  Expected<reports::Report> run(ArrayRef<UnitCommand> Units);

  void notice(const Twine &Text) {
    if (!Opts.Quiet && Said.insert(Text.str()).second)
      Log << "cudagraph-tidy: " << Text << "\n";
  }

private:
  const Options &Opts;
  Config &Settings;
  const Toolchain &Tools;
  raw_ostream &Log;
  Regex HeaderFilter;
  std::string Here; ///< the working directory, with a slash
  StringSet<> Said;
  std::vector<UnitResult> Results;
  std::vector<reports::IncompleteUnit> Incomplete;
  bool Strict = false;

  Error analyze(const UnitCommand &Unit);
  bool shown(const Finding &F, StringRef MainFile) const;
  void recordFailure(const UnitCommand &Unit, const ParsedUnit &Parsed,
                     std::vector<std::string> Command);

  /// Relative to the working directory where that is possible: what people
  /// read, and what is the same on every machine.
  void shorten(std::string &Path) const {
    if (StringRef(Path).starts_with(Here))
      Path.erase(0, Here.size());
  }
  void shorten(UnitResult &Result) const;
};

void Session::shorten(UnitResult &R) const {
  auto Steps = [&](std::vector<Step> &All) {
    for (Step &S : All)
      shorten(S.Loc.File);
  };
  shorten(R.MainFile);
  for (Region &G : R.Regions) {
    shorten(G.Begin.File);
    for (Location &End : G.Ends)
      shorten(End.File);
  }
  for (Finding &F : R.Findings) {
    shorten(F.Loc.File);
    Steps(F.Chain);
    Steps(F.Notes);
    for (Fix &Edit : F.Fixes)
      shorten(Edit.Range.File);
  }
  for (OpaqueCall &Call : R.OpaqueCalls)
    shorten(Call.Loc.File);
  Steps(R.SkippedBranches);
}

bool Session::shown(const Finding &F, StringRef MainFile) const {
  if (F.Loc.File != MainFile && !Opts.HeaderFilter.empty() &&
      !HeaderFilter.match(F.Loc.File))
    return false;
  if (Opts.LineFilter.empty())
    return true;
  // The first filter that names the file decides, as in clang-tidy.
  for (const clang::tidy::FileFilter &Filter : Opts.LineFilter)
    if (StringRef(F.Loc.File).ends_with(Filter.Name))
      return Filter.LineRanges.empty() ||
             any_of(Filter.LineRanges, [&](auto Range) {
               return Range.first <= F.Loc.Line && F.Loc.Line <= Range.second;
             });
  return false;
}

/// \p Args as a shell would take it.
void printCommand(raw_ostream &Out, ArrayRef<std::string> Args) {
  for (auto [Index, Arg] : enumerate(Args)) {
    if (Index)
      Out << ' ';
    sys::printArg(Out, Arg, /*Quote=*/false);
  }
}

void Session::recordFailure(const UnitCommand &Unit, const ParsedUnit &Parsed,
                            std::vector<std::string> Command) {
  reports::IncompleteUnit Entry;
  Entry.File = Unit.File;
  shorten(Entry.File);
  Entry.ErrorCount = Parsed.Errors;
  Entry.Errors = Parsed.FirstErrors;
  Entry.Directory = Unit.Directory;
  Entry.Command = std::move(Command);
  Entry.Reason = Parsed.Failure.empty()
                     ? reports::counted(Parsed.Errors, "parse error")
                     : Parsed.Failure;

  for (std::string &Text : Entry.Errors) {
    shorten(Text); // it begins with the path
    Log << Text << "\n";
  }
  Log << "cudagraph-tidy: " << Entry.File << " is incomplete: " << Entry.Reason;
  if (Entry.Errors.size() < Entry.ErrorCount)
    Log << ", the first " << Entry.Errors.size() << " shown";
  if (!Opts.Verbose)
    Log << "; --verbose shows the command";
  Log << "\n";
  Incomplete.push_back(std::move(Entry));
}

Error Session::analyze(const UnitCommand &Unit) {
  std::string Name = Unit.File;
  shorten(Name);
  if (!Unit.Origin.empty())
    notice(Name + ": " + Unit.Origin);
  for (const std::string &Note : Unit.Command.Notes)
    notice(Note);
  if (!sys::fs::exists(Unit.File)) {
    ParsedUnit Missing;
    Missing.Failure = "the compile database names it, but there is no such "
                      "file";
    recordFailure(Unit, Missing, Unit.Command.Args);
    return Error::success();
  }

  Expected<UnitSettings> Chosen = Settings.settingsFor(Unit.File);
  if (!Chosen)
    return Chosen.takeError();

  Translation Command = Unit.Command;
  std::vector<std::string> &Args = Command.Args;
  Args.insert(Args.begin() + 1, Opts.ExtraArgsBefore.begin(),
              Opts.ExtraArgsBefore.end());
  Args.insert(find(Args, "--"), Opts.ExtraArgs.begin(), Opts.ExtraArgs.end());
  Strict |= Chosen->Analysis.Strict;
  Expected<Toolchain::Completed> Ready = Tools.complete(Command, Unit.File);
  if (!Ready)
    return Ready.takeError();
  if (!Ready->Toolkit.empty())
    notice(Ready->Toolkit);
  if (Opts.Verbose) {
    Log << "cudagraph-tidy: in " << Unit.Directory << ": ";
    printCommand(Log, Ready->Args);
    Log << "\n";
  }

  ParsedUnit Parsed =
      analyzeCommand(Ready->Args, Unit.Directory, *Chosen, Opts.Checks);
  llvm::erase_if(Parsed.Result.Findings,
                 [&](const Finding &F) { return !shown(F, Unit.File); });
  shorten(Parsed.Result);
  // A bound that was hit is said, never hidden.
  if (Parsed.Analysed && !Parsed.Errors && Parsed.Result.BudgetExceeded)
    Parsed.Failure = "the analysis reached its limits and left out some paths";
  if (Parsed.Errors || !Parsed.Analysed || !Parsed.Failure.empty())
    recordFailure(Unit, Parsed, std::move(Ready->Args));
  Results.push_back(std::move(Parsed.Result));
  return Error::success();
}

Expected<reports::Report> Session::run(ArrayRef<UnitCommand> Units) {
  for (const UnitCommand &Unit : Units)
    if (Error E = analyze(Unit))
      return E;
  reports::Report Result = mergeUnits(std::move(Results));
  Result.Seen.TranslationUnits = Units.size();
  Result.Seen.Incomplete = std::move(Incomplete);
  Result.Strict = Strict;
  return Result;
}

} // namespace

Expected<reports::Report> runSession(const Options &Opts, Config &Settings,
                                     const std::string &Program,
                                     reports::SourceText &Sources,
                                     raw_ostream &Log) {
  // What the command line says about all units must be right before any work.
  if (auto Known = Settings.catalogueWith(Opts.CatalogueFiles); !Known)
    return Known.takeError();
  Expected<CompileDb> Database = CompileDb::open(Opts);
  if (!Database)
    return Database.takeError();
  Expected<std::vector<UnitCommand>> Units = Database->commands(Opts.Sources);
  if (!Units)
    return Units.takeError();
  Expected<Toolchain> Tools =
      Toolchain::detect(Opts.CudaPath, Program, Opts.DefineNvcc);
  if (!Tools)
    return Tools.takeError();

  CrashRecoveryContext::Enable();
  Session Run(Opts, Settings, *Tools, Log);
  if (!Database->path().empty() && Opts.BuildPath.empty())
    Run.notice("using " + Database->path());
  Expected<reports::Report> Result = Run.run(*Units);
  CrashRecoveryContext::Disable();
  if (Result)
    fingerprint(Result->Findings, Sources);
  return Result;
}

} // namespace cudagraph::driver
