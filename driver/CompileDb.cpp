//===- CompileDb.cpp - How each source is compiled ------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompileDb.h"
#include "Toolchain.h"
#include "clang/Tooling/JSONCompilationDatabase.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace clang::tooling;

namespace cudagraph::driver {
namespace {

const char DatabaseName[] = "compile_commands.json";

std::string absolutePath(StringRef Path, StringRef Directory = "") {
  SmallString<256> Result(Path);
  if (Directory.empty())
    (void)sys::fs::make_absolute(Result);
  else
    sys::path::make_absolute(Directory, Result);
  sys::path::remove_dots(Result, /*remove_dot_dot=*/true);
  return Result.str().str();
}

std::optional<std::string> databaseIn(StringRef Directory) {
  SmallString<256> Path(Directory);
  sys::path::append(Path, DatabaseName);
  if (!sys::fs::is_regular_file(Path))
    return std::nullopt;
  return Path.str().str();
}

/// Looks where builds are made: build/, build/release/, cmake-build-debug/. Of
/// several databases the newest is the one in use.
std::optional<std::string> databaseBelow(StringRef Directory) {
  std::vector<std::string> Candidates;
  std::error_code EC;
  for (sys::fs::directory_iterator I(Directory, EC), End; I != End && !EC;
       I.increment(EC)) {
    StringRef Name = sys::path::filename(I->path());
    bool HoldsBuilds = Name == "build" || Name == "out" || Name == "_build";
    if (!HoldsBuilds && !Name.starts_with("cmake-build-"))
      continue;
    Candidates.push_back(I->path());
    std::error_code Inner;
    for (sys::fs::directory_iterator J(I->path(), Inner), JEnd;
         HoldsBuilds && J != JEnd && !Inner; J.increment(Inner))
      Candidates.push_back(J->path());
  }
  sort(Candidates);
  std::optional<std::string> Newest;
  sys::TimePoint<> Best;
  for (const std::string &Candidate : Candidates) {
    std::optional<std::string> Path = databaseIn(Candidate);
    sys::fs::file_status Status;
    if (!Path || sys::fs::status(*Path, Status))
      continue;
    if (Newest && Status.getLastModificationTime() <= Best)
      continue;
    Newest = Path;
    Best = Status.getLastModificationTime();
  }
  return Newest;
}

/// As clang-tidy, climbs from the first source's directory; build directories
/// are tried too, as far up as the repository's root.
std::optional<std::string> findDatabase(StringRef Start) {
  bool InRepository = true;
  for (StringRef Dir = Start; !Dir.empty(); Dir = sys::path::parent_path(Dir)) {
    if (auto Found = databaseIn(Dir))
      return Found;
    if (InRepository)
      if (auto Found = databaseBelow(Dir))
        return Found;
    SmallString<256> Git(Dir);
    sys::path::append(Git, ".git");
    InRepository &= !sys::fs::exists(Git);
  }
  return std::nullopt;
}

std::optional<std::string> readFile(StringRef Path) {
  auto Buffer = MemoryBuffer::getFile(Path, /*IsText=*/true);
  if (!Buffer)
    return std::nullopt;
  return (*Buffer)->getBuffer().str();
}

/// Removes precompiled headers: they are another compiler's, or stale.
void dropPrecompiled(std::vector<std::string> &Args) {
  std::vector<std::string> Kept;
  for (size_t I = 0; I < Args.size(); ++I) {
    StringRef Arg = Args[I];
    bool Wrapped =
        Arg == "-Xclang" && I + 3 < Args.size() && Args[I + 2] == "-Xclang";
    StringRef Option = Wrapped ? StringRef(Args[I + 1]) : Arg;
    StringRef Value = Wrapped               ? StringRef(Args[I + 3])
                      : I + 1 < Args.size() ? StringRef(Args[I + 1])
                                            : StringRef();
    if (Option == "-include-pch" ||
        (Option == "-include" && Wrapped && Value.contains("cmake_pch"))) {
      I += Wrapped ? 3 : 1;
      continue;
    }
    if (Arg == "-Winvalid-pch" || Arg == "-fpch-instantiate-templates")
      continue;
    Kept.push_back(Args[I]);
  }
  Args = std::move(Kept);
}

Translation translate(const CompileCommand &Command) {
  Translation Result =
      translateCommand(Command.CommandLine, [&](StringRef Path) {
        return readFile(absolutePath(Path, Command.Directory));
      });
  dropPrecompiled(Result.Args);
  return Result;
}

/// True if the database knows a CUDA file for a CUDA file, or a plain one for a
/// plain one: only then can a command be transferred.
bool sharesLanguage(const CompilationDatabase &Base, StringRef File) {
  return any_of(Base.getAllFiles(), [&](const std::string &Known) {
    return hasCudaExtension(Known) == hasCudaExtension(File);
  });
}

/// The database in Clang's words, for transfer to files it lacks: what is
/// inferred from nvcc's words would be wrong.
class TranslatedDb : public CompilationDatabase {
public:
  TranslatedDb(const CompilationDatabase &Base) : Base(Base) {}

  std::vector<CompileCommand>
  getCompileCommands(StringRef File) const override {
    std::vector<CompileCommand> Commands = Base.getCompileCommands(File);
    for (CompileCommand &Command : Commands)
      Command.CommandLine = translate(Command).Args;
    return Commands;
  }
  std::vector<std::string> getAllFiles() const override {
    return Base.getAllFiles();
  }

private:
  const CompilationDatabase &Base;
};

Expected<std::unique_ptr<CompilationDatabase>> load(const std::string &Path) {
  auto Buffer = MemoryBuffer::getFile(Path, /*IsText=*/true);
  if (!Buffer)
    return makeError("cannot read " + Path + ": " +
                     Buffer.getError().message());
  // LLVM's reader takes JSON for YAML, and its messages name no place.
  Expected<json::Value> Parsed = json::parse((*Buffer)->getBuffer());
  if (!Parsed)
    return makeError(Path + " is no valid compile database: " +
                     toString(Parsed.takeError()));
  const json::Array *Entries = Parsed->getAsArray();
  if (!Entries)
    return makeError(Path + " is no valid compile database: it holds no array");
  if (Entries->empty())
    return makeError(Path + " is empty: it names no file to analyse");
  std::string Why;
  std::unique_ptr<CompilationDatabase> Result =
      JSONCompilationDatabase::loadFromBuffer(
          (*Buffer)->getBuffer(), Why, JSONCommandLineSyntax::AutoDetect);
  if (!Result)
    return makeError(
        Path + " is no valid compile database: " + StringRef(Why).rtrim(".\n"));
  return Result;
}

} // namespace

Expected<CompileDb> CompileDb::open(const Options &Opts) {
  CompileDb Result;
  if (Opts.CompilerArgs) {
    if (Opts.Sources.empty())
      return makeError("'--' gives compiler arguments, but no source is named");
    Result.Fixed = true;
    Result.Base = std::make_unique<FixedCompilationDatabase>(
        ".", ArrayRef<std::string>(*Opts.CompilerArgs));
    return Result;
  }
  if (!Opts.BuildPath.empty()) {
    // The file itself is a reasonable thing to name.
    if (sys::fs::is_regular_file(Opts.BuildPath))
      Result.Path = Opts.BuildPath;
    else if (auto Found = databaseIn(Opts.BuildPath))
      Result.Path = *Found;
    else
      return makeError("-p " + Opts.BuildPath + ": no " + DatabaseName +
                       " there; with CMake, -DCMAKE_EXPORT_COMPILE_COMMANDS=ON "
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
          " was found here, in build/, out/, _build/, cmake-build-*/ or in a "
          "parent; -p names its directory");
    else
      return Result;
  }
  auto Loaded = load(Result.Path);
  if (!Loaded)
    return Loaded.takeError();
  Result.Base = std::move(*Loaded);
  return Result;
}

Expected<std::vector<UnitCommand>>
CompileDb::commands(ArrayRef<std::string> Sources) const {
  std::vector<std::string> Files;
  if (Sources.empty()) {
    for (const std::string &File : Base->getAllFiles())
      Files.push_back(absolutePath(File));
  } else {
    for (const std::string &Source : Sources) {
      sys::fs::file_status Status;
      if (std::error_code EC = sys::fs::status(Source, Status))
        return makeError(Source + ": " + EC.message());
      if (sys::fs::is_directory(Status))
        return makeError(Source + " is a directory; name a source, or its "
                                  "compile database with -p");
      Files.push_back(absolutePath(Source));
    }
  }
  sort(Files);
  Files.erase(llvm::unique(Files), Files.end());

  std::unique_ptr<CompilationDatabase> Inferred;
  std::vector<UnitCommand> Result;
  for (const std::string &File : Files) {
    UnitCommand Unit;
    Unit.File = File;
    if (!Base) {
      Unit.Directory = absolutePath(".");
      Unit.Command.Args = {"clang++", "--", File};
      Unit.Origin = "no compile database was found: default arguments are "
                    "used; -p names a database, '--' gives arguments";
      Result.push_back(std::move(Unit));
      continue;
    }
    std::vector<CompileCommand> Commands = Base->getCompileCommands(File);
    bool Transferred = Commands.empty();
    if (Transferred && !sharesLanguage(*Base, File)) {
      Unit.Directory = absolutePath(".");
      Unit.Command.Args = {"clang++", "--", File};
      Unit.Origin = "not in " + Path +
                    ", which has no file of its language: default arguments "
                    "are used; '--' gives arguments";
      Result.push_back(std::move(Unit));
      continue;
    }
    if (Transferred) {
      if (!Inferred)
        Inferred =
            inferMissingCompileCommands(std::make_unique<TranslatedDb>(*Base));
      Commands = Inferred->getCompileCommands(File);
    }
    StringSet<> Seen;
    for (const CompileCommand &Command : Commands) {
      Unit.Directory = absolutePath(Command.Directory);
      if (Fixed || Transferred)
        Unit.Command.Args = Command.CommandLine;
      else
        Unit.Command = translate(Command);
      if (Fixed)
        Unit.Command.Args.front() = "clang++";
      if (Transferred)
        Unit.Origin = "not in " + Path + ": command " + Command.Heuristic;
      // Two entries that differ in the output only parse the same.
      if (!Unit.Command.Args.empty() &&
          Seen.insert(join(Unit.Command.Args, "\n")).second)
        Result.push_back(Unit);
    }
  }
  return Result;
}

} // namespace cudagraph::driver
