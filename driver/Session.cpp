//===- Session.cpp - One run of the driver --------------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Session.h"
#include "ChosenSettings.h"
#include "analysis/ir/SummaryCheck.h"
#include "analysis/lower/ProjectCode.h"
#include "analysis/program/Program.h"
#include "driver/database/CompileDb.h"
#include "driver/linking/IncompleteUnits.h"
#include "driver/linking/Link.h"
#include "driver/linking/ProbeReport.h"
#include "driver/selection/Selection.h"
#include "driver/support/Errors.h"
#include "driver/support/Log.h"
#include "driver/support/Paths.h"
#include "driver/translation/Toolchain.h"
#include "driver/units/Cache.h"
#include "driver/units/Units.h"
#include "support/InputFile.h"
#include "support/OutputFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/BuryPointer.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace cudagraph::driver {
namespace {

Cache openCache(const Options &Opts, const std::string &Program) {
  if (Opts.NoCache)
    return Cache("", Program);
  SmallString<256> Path(Opts.CacheDir.value_or(Cache::defaultDirectory()));
  if (!Path.empty())
    (void)sys::fs::make_absolute(Path);
  return Cache(Path.str().str(), Program);
}

/// Returns the names by which other units can affect captures in \p Units, or
/// nothing if they are unknown, in which case no unit may be skipped.
std::optional<ContactNames> findContacts(std::vector<UnitSummary> Units,
                                         Config &Settings) {
  std::vector<UnitSettings> Chosen;
  for (const UnitSummary &Unit : Units) {
    Expected<UnitSettings> One = Settings.settingsFor(mainFileOf(Unit));
    if (!One) {
      consumeError(One.takeError()); // linkUnits() reports it
      return std::nullopt;
    }
    // Any function of any unit may have such a name.
    if (StringRef(One->Analysis.Roots).contains("function:"))
      return std::nullopt;
    Chosen.push_back(*One);
  }
  ContactNames Result;
  auto Find = [&] {
    auto *Linked = new Program(std::move(Units));
    BuryPointer(Linked);
    std::vector<const catalogue::Catalogue *> Seen;
    for (const UnitSettings &One : Chosen)
      if (!is_contained(Seen, One.Known)) {
        Seen.push_back(One.Known);
        Result.add(contactNames(*Linked, *One.Known,
                                [&](unsigned U) -> const AnalysisOptions & {
                                  return Chosen[U].Analysis;
                                }));
      }
  };
  CrashRecoveryContext::Enable();
  CrashRecoveryContext Guard;
  bool Finished = Guard.RunSafelyOnThread(Find, 64u << 20);
  CrashRecoveryContext::Disable();
  if (!Finished)
    return std::nullopt;
  return Result;
}

/// Finds the projects to which \p Units belong. \p Database is the file with
/// their commands, or empty.
void findProjects(std::vector<UnitCommand> &Units, const Options &Opts,
                  StringRef Database) {
  std::vector<std::string> Folders = Opts.ProjectFolders;
  if (!Database.empty()) {
    std::string Folder = absolutePath(sys::path::parent_path(Database));
    Folders.push_back(Folder);
    // The database of a build is next to the sources.
    for (StringRef Mark : {"CMakeCache.txt", "build.ninja"})
      if (sys::fs::exists(joinPath(Folder, Mark)))
        Folders.push_back(sys::path::parent_path(Folder).str());
  }
  // If the sources are not in a repository, users run the tool in their top
  // folder.
  Folders.push_back(absolutePath("."));
  StringMap<std::string> Known; // by the folder of the source
  for (UnitCommand &Unit : Units) {
    std::string File = absolutePath(Unit.File);
    auto [It, New] = Known.try_emplace(sys::path::parent_path(File));
    if (New)
      It->second = ProjectCode::rootOf(File, Folders);
    Unit.Project = It->second;
  }
}

/// Adds the commands of the variants that \p Opts requests to \p Units.
void addVariants(std::vector<UnitCommand> &Units, const Options &Opts) {
  size_t Plain = Units.size();
  for (unsigned V = 1; V <= Opts.AlsoWith.size(); ++V)
    for (size_t I = 0; I < Plain; ++I) {
      Units.push_back(Units[I]);
      Units.back().Variant = V;
      Units.back().Command.Notes.clear();
    }
}

/// The units of each variant, those without added arguments first.
std::vector<ProgramUnits> programsOf(Summaries All, const Options &Opts) {
  std::vector<ProgramUnits> Result(1 + Opts.AlsoWith.size());
  for (auto [Program, Each] : zip(drop_begin(Result), Opts.AlsoWith))
    Program.Variant = Each.Text;
  for (auto [Unit, Variant] : zip_equal(All.Units, All.Variants))
    Result[Variant].Units.push_back(std::move(Unit));
  Result.front().Known = std::move(All.Known);
  return Result;
}

/// Finds commands and the toolkit and summarizes the units.
Expected<Summaries> summarizeAll(const Options &Opts, Config &Settings,
                                 const OutputCheck &Outputs,
                                 const std::string &Program, Cache &Cached,
                                 Log &Out) {
  Expected<CompileDb> Database = CompileDb::open(Opts);
  if (!Database)
    return Database.takeError();
  Expected<std::vector<UnitCommand>> Units = Database->commands(Opts.Sources);
  if (!Units)
    return Units.takeError();
  if (Opts.Cmd == Command::Summarize && Units->size() > 1)
    return makeError(Database->path() + " compiles " + Opts.Sources.front() +
                     " in " + Twine(Units->size()) +
                     " different ways; pass the arguments of one after '--'");
  Expected<Toolchain> Tools = Toolchain::detect(
      Opts.CudaPath, Program, Opts.DefineNvcc, Opts.CudaVersion);
  if (!Tools)
    return Tools.takeError();
  if (!Database->path().empty() && Opts.BuildPath.empty() &&
      !all_of(*Units, [](const UnitCommand &U) { return U.Unrelated; }))
    Out.notice("using " + Database->path());
  // Check the sources now and the headers when they are known.
  std::vector<std::string> Read = {Database->path()};
  for (const UnitCommand &Unit : *Units) {
    Read.push_back(Unit.File);
    append_range(Read, Unit.Command.OptionsFiles);
  }
  if (Error E = Outputs.against(Read))
    return std::move(E);
  findProjects(*Units, Opts, Database->path());
  addVariants(*Units, Opts);
  auto Contacts = [&](std::vector<UnitSummary> Seen) {
    return findContacts(std::move(Seen), Settings);
  };
  ChosenSettings Chosen(*Units, Settings);
  bool MaySkip = Chosen.allowSkips(Opts);
  // Errors in .clang-tidy files are reported when all files that apply are
  // known.
  auto KnownFor = [&](StringRef File) -> const catalogue::Catalogue & {
    Expected<UnitSettings> One = Settings.settingsFor(File);
    if (One)
      return *One->Known;
    consumeError(One.takeError());
    return catalogue::Catalogue::builtin();
  };
  Expected<Summaries> All =
      summarizeUnits(*Units, Opts, *Tools, Cached, KnownFor,
                     MaySkip ? ContactFinder(Contacts) : ContactFinder(),
                     Chosen.hash(Opts), Out);
  if (!All)
    return All.takeError();
  StringSet<> Headers;
  for (const std::vector<FileUse> &Files : All->Files)
    for (const FileUse &F : Files)
      if (F.Hash > FileUse::Unreadable)
        Headers.insert(F.Path);
  Read.clear();
  for (const auto &Each : Headers)
    Read.push_back(Each.getKey().str());
  if (Error E = Outputs.against(Read))
    return std::move(E);
  return All;
}

/// The arguments after `--` of summarize are relative to its working directory.
/// Here, they become relative to the working directory of link, which may run
/// on another machine.
void placeHere(UnitSummary &Unit) {
  if (sys::path::is_absolute(Unit.Directory))
    return;
  Unit.Directory = absolutePath(Unit.Directory);
  for (std::string &Arg : Unit.Command)
    if (Arg == Unit.MainFile)
      Arg = absolutePath(Arg);
}

Expected<std::vector<UnitSummary>> readSummaries(const Options &Opts) {
  std::vector<UnitSummary> Result;
  CheckedFunctions Checked;
  for (const std::string &File : Opts.Sources) {
    std::string Bytes;
    if (support::InputError E =
            support::readInput(File, support::Bound::Data, Bytes))
      return makeError("cannot read " + File + ": " + E.message());
    Expected<UnitSummary> Unit = decodeSummary(std::move(Bytes), &Checked);
    if (!Unit)
      return makeError(File + " " + toString(Unit.takeError()) +
                       "; run 'cudagraph-tidy summarize' again");
    placeHere(*Unit);
    Result.push_back(std::move(*Unit));
  }
  return Result;
}

Error writeFile(const std::string &Path, StringRef Bytes) {
  if (Error E = support::writeOutput(Path, Bytes))
    return makeError("cannot write " + Path + ": " + toString(std::move(E)));
  return Error::success();
}

/// Escapes \p Path for make and ninja.
std::string escaped(StringRef Path) {
  std::string Result;
  for (char C : Path) {
    if (C == ' ' || C == '#')
      Result += '\\';
    if (C == '$')
      Result += '$';
    Result += C;
  }
  return Result;
}

} // namespace

Expected<SessionResult> runSession(const Options &Opts, Config &Settings,
                                   const OutputCheck &Outputs,
                                   const std::string &Program,
                                   reports::SourceText &Sources,
                                   raw_ostream &Errors) {
  // Options that concern all units are checked before any work.
  if (auto Known = Settings.catalogueWith(Opts.CatalogueFiles); !Known)
    return Known.takeError();
  Expected<confirm::Run> Seen = readProbeReports(Opts.ProbeReports);
  if (!Seen)
    return Seen.takeError();
  Expected<Selection> Shown = Selection::prepare(Opts);
  if (!Shown)
    return Shown.takeError();
  Log Out(Errors, Opts.Quiet);
  Cache Cached = openCache(Opts, Program);
  SessionResult Result;
  std::vector<ProgramUnits> Programs(1);
  std::vector<std::string> Skipped;
  if (Opts.NothingChanged) {
    Out.notice("the change contains no C, C++, or CUDA source");
  } else if (Opts.Cmd == Command::Link) {
    Expected<std::vector<UnitSummary>> Read = readSummaries(Opts);
    if (!Read)
      return Read.takeError();
    Programs.front().Units = std::move(*Read);
  } else {
    Expected<Summaries> All =
        summarizeAll(Opts, Settings, Outputs, Program, Cached, Out);
    if (!All)
      return All.takeError();
    Result.Signal = All->Signal;
    Skipped = std::move(All->Skipped);
    Programs = programsOf(std::move(*All), Opts);
  }
  StringSet<> Directories;
  for (const UnitSummary &Unit : Programs.front().Units) {
    if (!Directories.insert(sys::path::parent_path(Unit.MainFile)).second)
      continue;
    auto Configured = Settings.tidyFiles(Unit.MainFile);
    if (!Configured)
      return Configured.takeError();
    for (const Config::TidyFile &File : *Configured)
      if (Error E = Outputs.against(File.Path))
        return std::move(E);
  }
  Expected<reports::Report> R =
      linkUnits(std::move(Programs), Opts, Settings, Cached, Sources, Out);
  if (!R)
    return R.takeError();
  Result.Report = std::move(*R);
  if (!Opts.ProbeReports.empty()) {
    joinWithRun(Result.Report, *Seen);
    for (const std::string &Problem : Seen->Problems)
      Out.notice("in the run: " + Problem);
  }
  Result.Report.Seen.SkippedUnits = Skipped.size();
  // These units have no findings, so their baseline entries are stale.
  for (std::string &File : Skipped) {
    Log::shorten(File);
    Result.Report.MainFiles.push_back(std::move(File));
  }
  llvm::sort(Result.Report.MainFiles);
  Result.Report.Seen.Interrupted = Result.Signal != 0;
  if (Error E = Shown->apply(Result.Report, Result.Signal == 0, Out))
    return E;
  if (Result.Signal)
    reportInterrupted(Result.Report, Out);
  return Result;
}

Expected<int> runSummarize(const Options &Opts, const std::string &Program,
                           raw_ostream &Errors) {
  Log Out(Errors, Opts.Quiet);
  // Nothing is cached: a build system keeps the result of this step and needs
  // the list of files.
  Cache None("", Program);
  Expected<OutputCheck> Outputs = OutputCheck::prepare(Opts);
  if (!Outputs)
    return Outputs.takeError();
  Config Settings(Opts);
  if (auto Known = Settings.catalogueWith(Opts.CatalogueFiles); !Known)
    return Known.takeError();
  Expected<Summaries> All =
      summarizeAll(Opts, Settings, *Outputs, Program, None, Out);
  if (!All)
    return All.takeError();
  if (All->Signal)
    return 128 + All->Signal;
  const UnitSummary &Unit = All->Units.front();
  if (Error E = writeFile(Opts.SummaryFile, encodeSummary(Unit)))
    return E;
  if (!Opts.DepFile.empty()) {
    std::string Rule = escaped(Opts.SummaryFile) + ":";
    for (const FileUse &F : All->Files.front())
      if (F.Hash > FileUse::Unreadable)
        Rule += " \\\n  " + escaped(sys::path::remove_leading_dotslash(F.Path));
    // A file that is missing now may exist next time, but no dependency names
    // it. Therefore, an incomplete unit depends on a file that never exists.
    if (Unit.Errors || !Unit.Failure.empty()) {
      std::string Never = escaped(Opts.SummaryFile + ".incomplete");
      Rule += " \\\n  " + Never + "\n" + Never + ":";
    }
    if (Error E = writeFile(Opts.DepFile, Rule + "\n"))
      return E;
  }
  // The summary contains the failure, and link reports it.
  if (Unit.Errors || !Unit.Failure.empty()) {
    for (const std::string &Text : Unit.FirstErrors)
      Out.line(Text);
    Out.notice(Opts.Sources.front() + " is incomplete: " +
               (Unit.Failure.empty()
                    ? reports::counted(Unit.Errors, "parse error")
                    : Unit.Failure) +
               "; 'cudagraph-tidy link' will report it");
  }
  return ExitClean;
}

} // namespace cudagraph::driver
