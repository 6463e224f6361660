//===- CompileDb.cpp - The compile command of each source -----------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompileDb.h"
#include "EntryCommand.h"
#include "HeaderMap.h"
#include "driver/support/Errors.h"
#include "driver/support/Paths.h"
#include "driver/translation/Compiler.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <set>

using namespace llvm;
using namespace clang::tooling;

namespace cudagraph::driver {
namespace {

/// A set of units. Entries that differ only in the output are parsed in the
/// same way. Entries that differ in the architecture become one unit for all
/// architectures, because the host code is the same.
class UnitList {
public:
  std::vector<UnitCommand> Units;

  /// Adds \p New unless an equivalent unit exists.
  void add(UnitCommand New) {
    if (New.Command.Args.empty())
      return;
    auto [Known, IsNew] = Places.try_emplace(meaning(New), Units.size());
    if (IsNew)
      return Units.push_back(std::move(New));
    std::vector<std::string> &Args = Units[Known->second].Command.Args;
    for (const std::string &Arg : New.Command.Args)
      if (isArch(Arg) && !is_contained(Args, Arg))
        Args.insert(std::next(find_if(Args, isArch)), Arg);
  }

private:
  StringMap<size_t> Places; ///< by meaning

  static bool isArch(StringRef Arg) {
    return Arg.starts_with("--offload-arch=");
  }

  /// All arguments except the architectures; no argument contains a NUL.
  static std::string meaning(const UnitCommand &Unit) {
    std::string Result = Unit.File + '\0' + Unit.Directory;
    for (const std::string &Arg : Unit.Command.Args)
      if (!isArch(Arg))
        (Result += '\0') += Arg;
    return Result;
  }
};

/// If Clang runs under the name of a C++ compiler, it treats a C source as C++.
std::string defaultCompiler(StringRef File) {
  return sys::path::extension(File) == ".c" ? "clang" : "clang++";
}

UnitCommand defaultUnit(const std::string &File, const Twine &Origin) {
  UnitCommand Unit;
  Unit.File = File;
  Unit.Directory = absolutePath(".");
  Unit.Command.Args = {defaultCompiler(File), "--", File};
  Unit.Origin = Origin.str();
  return Unit;
}

/// True if the arguments after `--` are a whole command, copied from a build:
/// `-- ccache nvcc -arch=sm_80 ...`.
bool isCompilerCommand(ArrayRef<std::string> Args) {
  Args = skipLaunchers(Args);
  return !Args.empty() && !StringRef(Args.front()).starts_with("-") &&
         isCompiler(Args.front());
}

} // namespace

Expected<CompileDb> CompileDb::open(const Options &Opts) {
  CompileDb Result;
  Result.Found = Opts.BuildPath.empty();
  if (Opts.CompilerArgs) {
    if (Opts.Sources.empty())
      return makeError("compiler arguments after '--' need a source");
    Result.Fixed = Opts.CompilerArgs;
    Result.AsSpelled = Opts.Cmd == Command::Summarize;
    return Result;
  }
  if (!Opts.BuildPath.empty()) {
    // The argument may name the file itself.
    if (sys::fs::is_regular_file(Opts.BuildPath))
      Result.Path = Opts.BuildPath;
    else if (auto Found = databaseIn(Opts.BuildPath))
      Result.Path = *Found;
    else
      return makeError(
          "-p " + Opts.BuildPath + ": no " + DatabaseName +
          " in this directory; with CMake, -DCMAKE_EXPORT_COMPILE_COMMANDS=ON "
          "writes it");
  } else {
    std::string Start = absolutePath(
        Opts.Sources.empty()
            ? "."
            : sys::path::parent_path(absolutePath(Opts.Sources.front())));
    if (auto Found = findDatabase(Start))
      Result.Path = *Found;
    else if (Opts.Sources.empty())
      return makeError(
          "no source is named, and no " + Twine(DatabaseName) +
          " was found here, in build/, out/, _build/, cmake-build-*/, or in a "
          "parent directory; name its directory with -p");
    else
      return Result;
  }
  auto Loaded = loadDatabase(Result.Path);
  if (!Loaded)
    return Loaded.takeError();
  Result.Entries = std::move(*Loaded);
  for (auto [Index, E] : enumerate(Result.Entries))
    Result.ByName[sys::path::filename(E.File)].push_back(Index);
  return Result;
}

std::vector<const DbEntry *> CompileDb::entriesOf(StringRef File,
                                                  EntryKind Kind) const {
  std::vector<const DbEntry *> Result;
  auto Named = ByName.find(sys::path::filename(File));
  if (Named == ByName.end())
    return Result;
  auto Collect = [&](auto Same) {
    for (size_t Index : Named->second)
      if (Entries[Index].Kind == Kind && Same(Entries[Index].File))
        Result.push_back(&Entries[Index]);
  };
  Collect([&](StringRef Known) { return Known == File; });
  // A link may refer to the file, or to a directory above it.
  if (Result.empty())
    Collect([&](StringRef Known) { return sys::fs::equivalent(Known, File); });
  return Result;
}

std::vector<UnitCommand> CompileDb::everything() const {
  std::vector<const DbEntry *> Sources;
  std::set<std::string> Kinds;
  size_t Skipped = 0;
  for (const DbEntry &E : Entries) {
    if (E.Kind == EntryKind::Source)
      Sources.push_back(&E);
    if (E.Kind != EntryKind::Other)
      continue;
    ++Skipped;
    StringRef Extension = sys::path::extension(E.File);
    if (any_of(E.Args, [](StringRef A) { return A.ends_with("-header"); }))
      Kinds.insert("precompiled headers");
    else if (isSourceName(E.File) || isHeaderName(E.File))
      Kinds.insert("commands of other programs");
    else
      Kinds.insert(Extension.empty() ? "no extension" : Extension.str());
  }
  // If a file has several entries, they stay in the order of the database.
  sort(Sources, [](const DbEntry *A, const DbEntry *B) {
    return std::tie(A->File, A) < std::tie(B->File, B);
  });
  UnitList All;
  for (const DbEntry *E : Sources)
    All.add({E->File, E->Directory, translateEntry(*E), ""});
  std::vector<UnitCommand> Result = std::move(All.Units);
  if (Skipped && !Result.empty())
    Result.front().Command.Notes.push_back(
        ("ignored " + Twine(Skipped) + (Skipped == 1 ? " entry" : " entries") +
         " of the compile database without a C, C++, or CUDA source (" +
         join(Kinds, ", ") + ")")
            .str());
  return Result;
}

std::vector<UnitCommand> CompileDb::inferred(const std::string &File) const {
  // The command for a CUDA file fits only CUDA files, and the command for a
  // plain file fits only plain files.
  if (none_of(Entries, [&](const DbEntry &E) {
        return E.Kind == EntryKind::Source &&
               hasCudaExtension(E.File) == hasCudaExtension(File);
      })) {
    UnitCommand Unit =
        defaultUnit(File, "not in " + Path +
                              ", which has no file in its language: using "
                              "default arguments; pass arguments after '--'");
    Unit.Unrelated = Found;
    return {std::move(Unit)};
  }
  UnitList All;
  for (CompileCommand &Command : inferCommands(Entries, File)) {
    UnitCommand Unit{File, absolutePath(Command.Directory), {}, ""};
    Unit.Command.Args = std::move(Command.CommandLine);
    Unit.Origin = "not in " + Path + ": command " + Command.Heuristic;
    All.add(std::move(Unit));
  }
  return std::move(All.Units);
}

/// The sources of the database, in the form that HeaderMap needs.
struct CompileDb::HeaderIndex {
  std::vector<const DbEntry *> Entries;
  HeaderMap Map;

  explicit HeaderIndex(ArrayRef<DbEntry> All) : Map(sources(All)) {}

  std::vector<IncludingSource> sources(ArrayRef<DbEntry> All) {
    std::vector<IncludingSource> Result;
    for (const DbEntry &E : All) {
      if (E.Kind != EntryKind::Source)
        continue;
      std::vector<std::string> Args = translateEntry(E).Args;
      IncludingSource Source;
      Source.File = E.File;
      Source.Cuda = languageOfCommand(Args, E.File) == "cuda";
      readIncludeOptions(Args, E.Directory, Source);
      Result.push_back(std::move(Source));
      Entries.push_back(&E);
    }
    return Result;
  }
};

/// The command of a source that includes \p Header, adapted to the header.
std::optional<UnitCommand>
CompileDb::commandOfUser(const std::string &Header,
                         std::unique_ptr<HeaderIndex> &Index) const {
  if (!Index)
    Index = std::make_unique<HeaderIndex>(Entries);
  std::optional<HeaderUser> User = Index->Map.find(Header);
  if (!User)
    return std::nullopt;
  const DbEntry &E = *Index->Entries[User->Source];
  UnitCommand Unit{Header, E.Directory, translateEntry(E, Header), ""};
  Unit.Origin = "not in " + Path + ": using the command of " + E.File +
                ", which includes it";
  if (!User->Through.empty())
    Unit.Origin += " through " + User->Through;
  return Unit;
}

Expected<std::vector<UnitCommand>>
CompileDb::commandsFor(const std::string &File,
                       std::unique_ptr<HeaderIndex> &Index) const {
  if (Fixed) {
    UnitCommand Unit = defaultUnit(File, "");
    if (isCompilerCommand(*Fixed)) {
      DbEntry Entry{absolutePath(File), Unit.Directory, *Fixed};
      Entry.Args.push_back(File);
      Unit.Command = translateEntry(Entry);
      if (AsSpelled)
        Unit.Directory = ".";
      return std::vector<UnitCommand>{std::move(Unit)};
    }
    if (AsSpelled)
      Unit.Directory = ".";
    Unit.Command.Args = {defaultCompiler(File)};
    append_range(Unit.Command.Args, *Fixed);
    Unit.Command.Args.push_back(File);
    return std::vector<UnitCommand>{std::move(Unit)};
  }
  if (Path.empty())
    return std::vector<UnitCommand>{defaultUnit(
        File, "found no compile database: using default arguments; name a "
              "database with -p, or pass arguments after '--'")};
  UnitList All;
  for (const DbEntry *E : entriesOf(File, EntryKind::Source))
    All.add({File, E->Directory, translateEntry(*E), ""});
  if (!All.Units.empty())
    return std::move(All.Units);
  // If an extractor names several sources for a header, one is sufficient.
  for (const DbEntry *E : entriesOf(File, EntryKind::Header))
    return std::vector<UnitCommand>{
        {File, E->Directory, translateEntry(*E, File), ""}};
  if (!entriesOf(File, EntryKind::Other).empty() && !isSourceName(File) &&
      !isHeaderName(File))
    return makeError(File + ": its entry in " + Path +
                     " does not compile a C, C++, or CUDA source");
  if (isHeaderName(File))
    if (auto Unit = commandOfUser(File, Index))
      return std::vector<UnitCommand>{std::move(*Unit)};
  return inferred(File);
}

Expected<std::vector<UnitCommand>>
CompileDb::commands(ArrayRef<std::string> Sources) const {
  if (Sources.empty()) {
    std::vector<UnitCommand> Result = everything();
    if (Result.empty())
      return makeError(Path + " contains no C, C++, or CUDA source to analyze");
    return Result;
  }
  std::set<std::string> Files;
  for (const std::string &Source : Sources) {
    sys::fs::file_status Status;
    if (std::error_code EC = sys::fs::status(Source, Status))
      return makeError(Source + ": " + EC.message());
    if (sys::fs::is_directory(Status))
      return makeError(Source + " is a directory; name a source, or its "
                                "compile database with -p");
    if (!sys::fs::is_regular_file(Status))
      return makeError(Source + " is a pipe or a device, not a regular file; "
                                "name a source file");
    Files.insert(AsSpelled ? Source : absolutePath(Source));
  }
  std::vector<UnitCommand> Result;
  std::unique_ptr<HeaderIndex> Index; // created on first use
  for (const std::string &File : Files) {
    Expected<std::vector<UnitCommand>> Units = commandsFor(File, Index);
    if (!Units)
      return Units.takeError();
    append_range(Result, *Units);
  }
  return Result;
}

} // namespace cudagraph::driver
