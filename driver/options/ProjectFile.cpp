//===- ProjectFile.cpp - .cudagraph-tidy.yaml -----------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns files into options: finds, reads, and checks them with the parser of
// the command line, and denies outputs that a project must not write.
//
//===----------------------------------------------------------------------===//

#include "ProjectFile.h"
#include "OptionValues.h"
#include "ProjectKeys.h"
#include "YamlMapping.h"
#include "driver/support/Errors.h"
#include "versions/LLVMVersions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;

namespace cudagraph::driver {
namespace {

std::string resolved(StringRef Value, StringRef File) {
  SmallString<256> Result(Value);
  sys::path::make_absolute(sys::path::parent_path(File), Result);
  sys::path::remove_dots(Result, /*remove_dot_dot=*/true);
  return Result.str().str();
}

/// Returns \p Path with its links resolved, even if its last parts do not exist
/// yet.
std::string withoutLinks(StringRef Path) {
  SmallVector<StringRef> Missing;
  SmallString<256> Real;
  for (; sys::fs::real_path(Path, Real); Path = sys::path::parent_path(Path)) {
    // A program that creates the file follows a dangling link.
    sys::fs::file_status Status;
    if (Path.empty() || (!sys::fs::status(Path, Status, /*follow=*/false) &&
                         Status.type() == sys::fs::file_type::symlink_file))
      return "";
    Missing.push_back(sys::path::filename(Path));
  }
  for (StringRef Name : reverse(Missing))
    sys::path::append(Real, Name);
  return Real.str().str();
}

/// Returns the reason why the project file \p File must not write to \p Path;
/// empty if it may.
std::string whyNotWritten(StringRef Path, StringRef File) {
  StringRef Directory = sys::path::parent_path(File);
  std::string Real = withoutLinks(Path), Home = withoutLinks(Directory);
  if (Home != "/")
    Home += '/';
  StringRef Below = Real;
  if (!Below.consume_front(Home))
    return ("is outside " + Directory).str();
  // Git runs files in this directory.
  if (is_contained(make_range(sys::path::begin(Below), sys::path::end(Below)),
                   ".git"))
    return "is part of Git's data";
  if (sys::fs::exists(Real) && !sys::fs::is_regular_file(Real))
    return "is not a regular file";
  return "";
}

/// The option for the value \p Value of \p K in \p File.
std::string argument(const ProjectKey &K, StringRef Value, StringRef File) {
  if (K.Is == KeyKind::Out) {
    auto [Format, Where] = Value.split(':');
    if (!Where.empty() && Where != "-")
      return (K.Option + Format + ":" + resolved(Where, File)).str();
  } else if (K.Is == KeyKind::Paths ||
             (K.Is == KeyKind::Path && Value != "mock")) {
    return (K.Option + resolved(Value, File)).str();
  }
  return (K.Option + Value).str();
}

} // namespace

Expected<bool> ProjectFile::read(const std::string &File,
                                 std::vector<Entry> &Into) {
  bool Inherits = false;
  StringMap<bool> Given;
  std::vector<std::string> Refused;
  YamlMapping Source(File);
  Error E = Source.read(
      [&](StringRef Name, yaml::Node *KeyNode, yaml::Node *ValueNode) -> Error {
        std::string Here = Source.at(KeyNode);
        const ProjectKey *K = keyNamed(Name);
        if (!K && Name != InheritKey)
          return makeError(Here + "unknown key '" + Name + "'; " +
                           suggestKey(Name));
        if (!Given.try_emplace(Name, true).second)
          return makeError(Here + Name + " is specified twice");
        if (!ValueNode || isa<yaml::NullNode>(ValueNode))
          return makeError(Here + Name + " needs a value");
        Expected<std::vector<std::string>> Values = Source.values(ValueNode);
        if (!Values)
          return Values.takeError();
        bool Several = K && (K->Is == KeyKind::List ||
                             K->Is == KeyKind::Paths || K->Is == KeyKind::Out);
        if (Values->size() != 1 && !Several)
          return makeError(Here + Name + " takes one value");
        if (!K || K->Is == KeyKind::Flag) {
          if (!is_contained({"true", "false"}, StringRef(Values->front())))
            return makeError(Here + Name + " must be true or false, not '" +
                             Values->front() + "'");
          bool On = Values->front() == "true";
          if (!K)
            Inherits = On;
          else
            Into.push_back({Name.str(), File, Here,
                            On ? std::vector<std::string>{K->Option.str()}
                               : std::vector<std::string>{}});
          return Error::success();
        }
        if (K->Name.starts_with("ExtraArgs")) {
          ForeignArgs Sorted = keepHarmless(*Values);
          *Values = std::move(Sorted.Args);
          llvm::append_range(Refused, Sorted.HeldBack);
        }
        if (K->Name == "AlsoWith") {
          std::vector<std::string> Harmless;
          for (const std::string &Value : *Values) {
            ForeignArgs Sorted = keepHarmless(splitArguments(Value));
            llvm::append_range(Refused, Sorted.HeldBack);
            if (!Sorted.Args.empty())
              Harmless.push_back(joinArguments(Sorted.Args));
          }
          *Values = std::move(Harmless);
        }
        Entry New{Name.str(), File, Here, {}};
        for (const std::string &Value : *Values)
          New.Arguments.push_back(argument(*K, Value, File));
        // The value is valid if the command line would accept it.
        SmallVector<const char *> Arguments;
        for (const std::string &Each : New.Arguments)
          Arguments.push_back(Each.c_str());
        if (auto Parsed = parseOptions(Arguments); !Parsed)
          return makeError(Here + Name + ": " + toString(Parsed.takeError()));
        Into.push_back(std::move(New));
        return Error::success();
      });
  if (E)
    return E;
  HeldBack.add(Refused);
  return Inherits;
}

Expected<ProjectFile> ProjectFile::find(const Options &CommandLine) {
  ProjectFile Result;
  if (!usesOf(CommandLine.Cmd))
    return Result;
  // The nearest file first.
  std::vector<std::vector<Entry>> Levels;
  if (CommandLine.ConfigFile) {
    SmallString<256> File(*CommandLine.ConfigFile);
    (void)sys::fs::make_absolute(File);
    Result.Files.push_back(File.str().str());
    Expected<bool> Parent =
        Result.read(Result.Files.back(), Levels.emplace_back());
    if (!Parent)
      return Parent.takeError();
  } else {
    SmallString<256> Directory;
    bool HasSources = CommandLine.Cmd != Command::Explain &&
                      CommandLine.Cmd != Command::Link &&
                      !CommandLine.Sources.empty();
    if (HasSources)
      Directory = sys::path::parent_path(CommandLine.Sources.front());
    (void)sys::fs::make_absolute(Directory);
    sys::path::remove_dots(Directory, /*remove_dot_dot=*/true);
    for (StringRef Dir = Directory; !Dir.empty();
         Dir = sys::path::parent_path(Dir)) {
      SmallString<256> File(Dir);
      sys::path::append(File, Name);
      if (!sys::fs::is_regular_file(File))
        continue;
      Result.Files.push_back(File.str().str());
      Expected<bool> Inherits =
          Result.read(Result.Files.back(), Levels.emplace_back());
      if (!Inherits)
        return Inherits.takeError();
      if (!*Inherits)
        break;
    }
  }
  for (std::vector<Entry> &Level : reverse(Levels))
    for (Entry &New : Level) {
      KeyKind Is = keyNamed(New.Key)->Is;
      if (Is != KeyKind::List && Is != KeyKind::Paths)
        llvm::erase_if(Result.Entries,
                       [&](const Entry &Old) { return Old.Key == New.Key; });
      Result.Entries.push_back(std::move(New));
    }
  return Result;
}

std::vector<std::string>
ProjectFile::arguments(const Options &CommandLine) const {
  std::vector<std::string> Result;
  for (const Entry &Each : Entries) {
    if (!(keyNamed(Each.Key)->For & usesOf(CommandLine.Cmd)))
      continue;
    // For the other options, the last value applies, and the command line comes
    // last.
    if ((Each.Key == "Format" && CommandLine.OutputsGiven) ||
        (Each.Key == "Roots" && CommandLine.Roots) ||
        (Each.Key == "BuildPath" && CommandLine.CompilerArgs))
      continue;
    llvm::append_range(Result, Each.Arguments);
  }
  return Result;
}

Error ProjectFile::checkOutputs(const Options &CommandLine) const {
  for (const Entry &Each : Entries) {
    const ProjectKey &K = *keyNamed(Each.Key);
    if (!(K.For & usesOf(CommandLine.Cmd)))
      continue;
    bool Written = K.Is == KeyKind::Out && !CommandLine.OutputsGiven;
    Written |= Each.Key == "Baseline" && CommandLine.BaselineFile.empty() &&
               (CommandLine.BaselineWrite || CommandLine.BaselinePrune);
    if (!Written)
      continue;
    for (StringRef Argument : Each.Arguments) {
      StringRef File = Argument.drop_front(K.Option.size());
      if (K.Is == KeyKind::Out)
        File = File.split(':').second;
      if (File.empty() || File == "-")
        continue;
      if (std::string Why = whyNotWritten(File, Each.File); !Why.empty())
        return makeError(Each.Place + Each.Key + ": " + File + " " + Why +
                         ", and a project file must not name such an output; "
                         "use " +
                         Argument + " on the command line");
    }
  }
  return Error::success();
}

StringRef ProjectFile::originOf(StringRef Key) const {
  for (const Entry &Each : reverse(Entries))
    if (Each.Key == Key)
      return Each.File;
  return "";
}

} // namespace cudagraph::driver
