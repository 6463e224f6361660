//===- DbFile.cpp - The file compile_commands.json ------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DbFile.h"
#include "ShellCommand.h"
#include "driver/support/Errors.h"
#include "driver/support/InputBuffer.h"
#include "driver/support/Paths.h"
#include "driver/translation/Compiler.h"
#include "support/Nesting.h"
#include "clang/Tooling/JSONCompilationDatabase.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace clang::tooling;

namespace cudagraph::driver {
std::optional<std::string> databaseIn(StringRef Directory) {
  SmallString<256> Path(Directory);
  sys::path::append(Path, DatabaseName);
  if (!sys::fs::is_regular_file(Path))
    return std::nullopt;
  return Path.str().str();
}

namespace {

/// Searches the usual build directories: build/, build/release/, and
/// cmake-build-debug/. If there are several databases, the newest is used.
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

/// The language of the last -x option of a command, or empty.
StringRef languageOption(ArrayRef<std::string> Args) {
  StringRef Language;
  for (size_t I = 0; I < Args.size(); ++I) {
    StringRef Arg = Args[I];
    if ((Arg == "-x" || Arg == "--x") && I + 1 < Args.size())
      Language = Args[++I];
    else if (Arg.consume_front("-x=") || Arg.consume_front("--language=") ||
             Arg.consume_front("-x"))
      Language = Arg;
  }
  return Language;
}

bool mentions(const DbEntry &Entry, StringRef File) {
  StringRef Name = sys::path::filename(File);
  return any_of(Entry.Args, [&](StringRef Arg) {
    return Arg.ends_with(Name) && !Arg.starts_with("-") &&
           absolutePath(Arg, Entry.Directory) == File;
  });
}

EntryKind classify(const DbEntry &Entry) {
  ArrayRef<std::string> Args = skipLaunchers(Entry.Args);
  if (Args.empty())
    return EntryKind::Other;
  bool Source = isSourceName(Entry.File);
  // A wrapper with any name counts as a compiler if its options request
  // compilation.
  if (!isCompiler(Args.front()) &&
      !(Source && is_contained(Args, "-c") && mentions(Entry, Entry.File)))
    return EntryKind::Other;
  StringRef Language = languageOption(Args);
  if (!Language.empty() && Language != "none") {
    bool Ours = is_contained({"c", "c++", "cu", "cuda"}, Language);
    if (Ours && !Source && mentions(Entry, Entry.File))
      return EntryKind::Source;
    if (!Ours)
      return EntryKind::Other; // assembler, a precompiled header
  }
  if (Source)
    return EntryKind::Source;
  return isHeaderName(Entry.File) ? EntryKind::Header : EntryKind::Other;
}

/// The part of a command's shell line that compiles: the last step that runs a
/// compiler. An earlier step may only list dependencies.
void takeCompilerStep(DbEntry &Entry) {
  std::vector<ShellStep> Steps = splitShellCommand(Entry.Args, Entry.Directory);
  if (Steps.empty()) {
    Entry.Args.clear();
    return;
  }
  size_t Best = Steps.size() - 1;
  for (size_t I = 0; I < Steps.size(); ++I) {
    ArrayRef<std::string> Words = skipLaunchers(Steps[I].Words);
    if (!Words.empty() && isCompiler(Words.front()))
      Best = I;
  }
  Entry.Directory = std::move(Steps[Best].Directory);
  Entry.Args = std::move(Steps[Best].Words);
}

Error invalid(const std::string &Path, StringRef Why) {
  bool HasRemedy = Why.contains("; ");
  return makeError(Path + " is not a valid compile database: " + Why +
                   (HasRemedy ? "" : "; configure the project again"));
}

} // namespace

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

std::string checkDatabase(StringRef Text) {
  if (std::string Why = support::checkJsonNesting(Text); !Why.empty())
    return Why;
  // LLVM's reader parses JSON as YAML, and its messages contain no location.
  Expected<json::Value> Parsed = json::parse(Text);
  if (!Parsed)
    return toString(Parsed.takeError());
  return Parsed->getAsArray() ? "" : "it is not an array";
}

Expected<std::vector<DbEntry>> loadDatabase(const std::string &Path) {
  auto Buffer = readBuffer(Path, support::Bound::Data);
  if (!Buffer)
    return Buffer.takeError();
  std::string Why = checkDatabase((*Buffer)->getBuffer());
  if (!Why.empty())
    return invalid(Path, Why);
  std::unique_ptr<CompilationDatabase> Read =
      JSONCompilationDatabase::loadFromBuffer(
          (*Buffer)->getBuffer(), Why, JSONCommandLineSyntax::AutoDetect);
  if (!Read)
    return invalid(Path, StringRef(Why).rtrim(".\n"));
  std::vector<CompileCommand> Commands = Read->getAllCompileCommands();
  if (Commands.empty())
    return makeError(Path + " is empty: it contains no file to analyze; "
                            "configure the project again");
  // The meaning of a relative directory is undefined; in committed databases,
  // it is relative to the database.
  std::string Home(sys::path::parent_path(absolutePath(Path)));
  std::vector<DbEntry> Result;
  for (CompileCommand &Command : Commands) {
    DbEntry Entry;
    Entry.Directory = absolutePath(Command.Directory, Home);
    Entry.File = absolutePath(Command.Filename, Entry.Directory);
    Entry.Args = std::move(Command.CommandLine);
    takeCompilerStep(Entry);
    Entry.Kind = classify(Entry);
    Result.push_back(std::move(Entry));
  }
  return Result;
}

} // namespace cudagraph::driver
