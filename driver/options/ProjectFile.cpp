//===- ProjectFile.cpp - .cudagraph-tidy.yaml -----------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProjectFile.h"
#include "driver/support/Errors.h"
#include "driver/support/InputBuffer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/YAMLParser.h"

using namespace llvm;

namespace cudagraph::driver {
namespace {

enum Kind {
  Text,  ///< one value
  Path,  ///< one path, relative to the file
  List,  ///< values that add up
  Paths, ///< paths that add up
  Flag,  ///< an option without a value, given or not
  Out,   ///< "sarif:FILE"
};
/// Which commands a key has a meaning for.
enum Use : unsigned {
  Compiles = 1, ///< reads sources
  Finds = 2,    ///< has findings
  Analyses = 4, ///< links summaries
  Lists = 8,    ///< list-checks
  Explains = 16,
};

struct Key {
  StringRef Name, Option;
  Kind Is;
  unsigned For;
};
constexpr Key Keys[] = {
    {"Baseline", "--baseline=", Path, Finds},
    {"BuildPath", "-p=", Path, Compiles},
    {"Catalogue", "--catalogue=", Paths, Analyses | Explains},
    {"Checks", "--checks=", List, Analyses | Lists},
    {"Confidence", "--confidence=", Text, Analyses},
    {"CudaPath", "--cuda-path=", Path, Compiles},
    {"ExtraArgs", "--extra-arg=", List, Compiles},
    {"ExtraArgsBefore", "--extra-arg-before=", List, Compiles},
    {"FailOn", "--fail-on=", Text, Finds},
    {"Format", "--format=", Out, Finds},
    {"HeaderFilterRegex", "--header-filter=", Text, Finds},
    {"ReportUnusedNolint", "--report-unused-nolint", Flag, Finds},
    {"Roots", "--roots=", Text, Analyses},
    {"Strict", "--strict", Flag, Analyses},
};
constexpr StringRef Inherit = "InheritParentConfig";

const Key *keyNamed(StringRef Name) {
  const Key *It = find_if(Keys, [&](const Key &K) { return K.Name == Name; });
  return It == std::end(Keys) ? nullptr : It;
}

unsigned usesOf(Command Cmd) {
  switch (Cmd) {
  case Command::Check:
  case Command::DumpConfig:
  case Command::VerifyConfig:
    return Compiles | Finds | Analyses;
  case Command::Regions:
  case Command::Ops:
    return Compiles | Analyses;
  case Command::Link:
    return Finds | Analyses;
  case Command::Summarize:
  case Command::ExportDb:
    return Compiles;
  case Command::ListChecks:
    return Lists;
  case Command::Explain:
    return Explains;
  case Command::Help:
  case Command::Version:
    return 0;
  }
  return 0;
}

std::string suggestion(StringRef Name) {
  StringRef Best;
  unsigned Least = 4;
  for (StringRef Known : ProjectFile::keys())
    if (unsigned D =
            Name.lower() == Known.lower() ? 0 : Name.edit_distance(Known);
        D < Least) {
      Least = D;
      Best = Known;
    }
  return Best.empty() ? "the keys are " + join(ProjectFile::keys(), ", ")
                      : "did you mean " + Best.str() + "?";
}

std::string resolved(StringRef Value, StringRef File) {
  SmallString<256> Result(Value);
  sys::path::make_absolute(sys::path::parent_path(File), Result);
  sys::path::remove_dots(Result, /*remove_dot_dot=*/true);
  return Result.str().str();
}

/// Returns \p Path with the links in it resolved, also if its last parts do not
/// exist yet.
std::string withoutLinks(StringRef Path) {
  SmallVector<StringRef> Missing;
  SmallString<256> Real;
  for (; sys::fs::real_path(Path, Real); Path = sys::path::parent_path(Path)) {
    // A link that leads nowhere is followed by whoever makes the file.
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

/// Says why nothing is written to \p Path because of the project file \p File;
/// empty if something may be.
std::string whyNotWritten(StringRef Path, StringRef File) {
  StringRef Directory = sys::path::parent_path(File);
  std::string Real = withoutLinks(Path), Home = withoutLinks(Directory);
  if (Home != "/")
    Home += '/';
  StringRef Below = Real;
  if (!Below.consume_front(Home))
    return ("is outside " + Directory).str();
  // Git runs what it finds there.
  if (is_contained(make_range(sys::path::begin(Below), sys::path::end(Below)),
                   ".git"))
    return "belongs to Git";
  if (sys::fs::exists(Real) && !sys::fs::is_regular_file(Real))
    return "is no regular file";
  return "";
}

/// The option that \p Value of \p K in \p File stands for.
std::string argument(const Key &K, StringRef Value, StringRef File) {
  if (K.Is == Out) {
    auto [Format, Where] = Value.split(':');
    if (!Where.empty() && Where != "-")
      return (K.Option + Format + ":" + resolved(Where, File)).str();
  } else if (K.Is == Paths || (K.Is == Path && Value != "mock")) {
    return (K.Option + resolved(Value, File)).str();
  }
  return (K.Option + Value).str();
}

/// Reads one file: key by key, each value with its place.
class Reader {
public:
  explicit Reader(StringRef File) : File(File) {}

  /// Calls \p Each with key, value and the value's node.
  Error read(function_ref<Error(StringRef, yaml::Node *, yaml::Node *)> Each) {
    auto Buffer = readBuffer(File.str(), support::Bound::Settings);
    if (!Buffer)
      return Buffer.takeError();
    if (std::string Why = checkYaml((*Buffer)->getBuffer()); !Why.empty())
      return makeError(File + ": " + Why);
    Manager.setDiagHandler(
        [](const SMDiagnostic &D, void *Context) {
          auto *Self = static_cast<Reader *>(Context);
          if (Self->Problem.empty())
            Self->Problem = (Self->File + ":" + Twine(D.getLineNo()) + ":" +
                             Twine(D.getColumnNo() + 1) + ": " + D.getMessage())
                                .str();
        },
        this);
    yaml::Stream Stream(**Buffer, Manager, /*ShowColors=*/false);
    auto Document = Stream.begin();
    yaml::Node *Root = Document == Stream.end() ? nullptr : Document->getRoot();
    if (auto *Map = dyn_cast_or_null<yaml::MappingNode>(Root)) {
      for (yaml::KeyValueNode &Pair : *Map) {
        auto *Name = dyn_cast_or_null<yaml::ScalarNode>(Pair.getKey());
        if (!Name)
          break; // a parse error
        SmallString<32> Storage;
        std::string Key = Name->getValue(Storage).str();
        // The parser goes forward only: the place of the key first.
        if (Error E = Each(Key, Name, Pair.getValue()))
          return E;
      }
    } else if (Root && !isa<yaml::NullNode>(Root) && Problem.empty()) {
      return makeError(File + ": this is no mapping of keys to values");
    }
    if (Stream.failed() || !Problem.empty())
      return makeError(Problem.empty() ? File + ": this is no YAML" : Problem);
    return Error::success();
  }

  std::string at(yaml::Node *Node) {
    auto [Line, Column] =
        Manager.getLineAndColumn(Node->getSourceRange().Start);
    return (File + ":" + Twine(Line) + ":" + Twine(Column) + ": ").str();
  }

  /// The scalar, or the scalars in the list, that \p Node holds.
  Expected<std::vector<std::string>> values(yaml::Node *Node) {
    std::vector<std::string> Result;
    auto Add = [&](yaml::Node &One) {
      SmallString<128> Storage;
      if (auto *Scalar = dyn_cast<yaml::ScalarNode>(&One))
        Result.push_back(Scalar->getValue(Storage).str());
      else if (auto *Block = dyn_cast<yaml::BlockScalarNode>(&One))
        Result.push_back(Block->getValue().str());
      else
        return false;
      return true;
    };
    if (auto *List = dyn_cast<yaml::SequenceNode>(Node)) {
      for (yaml::Node &One : *List)
        if (!Add(One))
          return makeError(at(Node) + "a list holds plain values");
    } else if (!Add(*Node)) {
      return makeError(at(Node) + "this takes a value or a list of values");
    }
    return Result;
  }

private:
  StringRef File;
  SourceMgr Manager;
  std::string Problem;
};

} // namespace

std::vector<StringRef> ProjectFile::keys() {
  std::vector<StringRef> Result;
  for (const Key &K : Keys)
    Result.push_back(K.Name);
  Result.push_back(Inherit);
  sort(Result);
  return Result;
}

Expected<bool> ProjectFile::read(const std::string &File,
                                 std::vector<Entry> &Into) {
  bool Inherits = false;
  StringMap<bool> Given;
  std::vector<std::string> Refused;
  Reader Source(File);
  Error E = Source.read(
      [&](StringRef Name, yaml::Node *KeyNode, yaml::Node *ValueNode) -> Error {
        std::string Here = Source.at(KeyNode);
        const Key *K = keyNamed(Name);
        if (!K && Name != Inherit)
          return makeError(Here + "unknown key '" + Name + "'; " +
                           suggestion(Name));
        if (!Given.try_emplace(Name, true).second)
          return makeError(Here + Name + " is given twice");
        if (!ValueNode || isa<yaml::NullNode>(ValueNode))
          return makeError(Here + Name + " has no value");
        Expected<std::vector<std::string>> Values = Source.values(ValueNode);
        if (!Values)
          return Values.takeError();
        bool Several = K && (K->Is == List || K->Is == Paths || K->Is == Out);
        if (Values->size() != 1 && !Several)
          return makeError(Here + Name + " takes one value");
        if (!K || K->Is == Flag) {
          if (!is_contained({"true", "false"}, StringRef(Values->front())))
            return makeError(Here + Name + " is true or false, not '" +
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
        Entry New{Name.str(), File, Here, {}};
        for (const std::string &Value : *Values)
          New.Arguments.push_back(argument(*K, Value, File));
        // It is right if the command line would take it.
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
  // The nearest first.
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
      Kind Is = keyNamed(New.Key)->Is;
      if (Is != List && Is != Paths)
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
    // Of the others the last one counts, which is the command line's.
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
    const Key &K = *keyNamed(Each.Key);
    if (!(K.For & usesOf(CommandLine.Cmd)))
      continue;
    bool Written = K.Is == Out && !CommandLine.OutputsGiven;
    Written |= Each.Key == "Baseline" && CommandLine.BaselineFile.empty() &&
               (CommandLine.BaselineWrite || CommandLine.BaselinePrune);
    if (!Written)
      continue;
    for (StringRef Argument : Each.Arguments) {
      StringRef File = Argument.drop_front(K.Option.size());
      if (K.Is == Out)
        File = File.split(':').second;
      if (File.empty() || File == "-")
        continue;
      if (std::string Why = whyNotWritten(File, Each.File); !Why.empty())
        return makeError(Each.Place + Each.Key + ": " + File + " " + Why +
                         ", and a project file may not name such a file as an "
                         "output; on the command line, " +
                         Argument + " may");
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
