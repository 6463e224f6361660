//===- EntryCommand.cpp - A database entry as a Clang command -------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EntryCommand.h"
#include "driver/support/Errors.h"
#include "driver/support/Paths.h"
#include "driver/translation/ForeignArgs.h"
#include "clang/Driver/Driver.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;
using namespace clang::tooling;

namespace cudagraph::driver {
namespace {

/// Replaces precompiled headers, which belong to another compiler or are stale,
/// with their source headers. \p Directory is the working directory of the
/// command.
void dropPrecompiled(std::vector<std::string> &Args, StringRef Directory) {
  auto Exists = [&](StringRef Path) {
    return sys::fs::exists(absolutePath(Path, Directory));
  };
  std::vector<std::string> Remaining, Headers;
  for (size_t I = 0; I < Args.size(); ++I) {
    StringRef Arg = Args[I];
    bool Wrapped =
        Arg == "-Xclang" && I + 3 < Args.size() && Args[I + 2] == "-Xclang";
    StringRef Option = Wrapped ? StringRef(Args[I + 1]) : Arg;
    StringRef Value = Wrapped               ? StringRef(Args[I + 3])
                      : I + 1 < Args.size() ? StringRef(Args[I + 1])
                                            : StringRef();
    // -include-pch a.h.pch, and CMake's -Xclang -include -Xclang a.h next to
    // it.
    bool Precompiled = Option == "-include-pch";
    if (Precompiled || (Option == "-include" && Wrapped)) {
      StringRef Header = Value;
      if (Precompiled && !Header.consume_back(".pch"))
        Header.consume_back(".gch");
      if (!Header.empty() && !is_contained(Headers, Header))
        Headers.push_back(Header.str());
      I += Wrapped ? 3 : 1;
      continue;
    }
    if (Arg == "-Winvalid-pch" || Arg == "-fpch-instantiate-templates")
      continue;
    Remaining.push_back(Args[I]);
  }
  for (size_t I = 0; I + 1 < Remaining.size(); ++I)
    if (Remaining[I] == "-include")
      erase(Headers, Remaining[I + 1]);
  // The headers go to the front, because a prefix header comes before all
  // others.
  std::vector<std::string> Front;
  for (const std::string &Header : Headers)
    if (Exists(Header))
      Front.insert(Front.end(), {"-include", Header});
  if (!Remaining.empty())
    Remaining.insert(Remaining.begin() + 1, Front.begin(), Front.end());
  Args = std::move(Remaining);
}

/// Removes from \p T, whose only input is \p Input, the options that must not
/// reach the parser.
void holdBackOthers(Translation &T, StringRef Input) {
  if (T.Args.empty())
    return;
  // Under a different name, Clang would interpret the options differently.
  StringRef Mode = clang::driver::getDriverMode(T.Args.front(), {});
  if (!Mode.empty() && Mode != "gcc" && Mode != "g++")
    T.Args.front() = "clang";
  ForeignArgs Sorted = keepHarmless(ArrayRef(T.Args).drop_front(), Input);
  T.Args.resize(1);
  append_range(T.Args, Sorted.Args);
  T.HeldBack = std::move(Sorted.HeldBack);
}

/// The database as Clang commands, from which commands for other files are
/// inferred. A command inferred from nvcc's options would be wrong.
class TranslatedDb : public CompilationDatabase {
public:
  TranslatedDb(ArrayRef<DbEntry> Entries) : Entries(Entries) {}

  std::vector<CompileCommand>
  getCompileCommands(StringRef File) const override {
    std::vector<CompileCommand> Result;
    for (const DbEntry &E : Entries)
      if (E.Kind == EntryKind::Source && E.File == File)
        Result.emplace_back(E.Directory, E.File, translateEntry(E).Args, "");
    return Result;
  }
  std::vector<std::string> getAllFiles() const override {
    std::vector<std::string> Result;
    for (const DbEntry &E : Entries)
      if (E.Kind == EntryKind::Source)
        Result.push_back(E.File);
    return Result;
  }

private:
  ArrayRef<DbEntry> Entries;
};

} // namespace

Translation translateInferred(ArrayRef<std::string> Command, StringRef File) {
  Translation T;
  T.Args = Command.vec();
  holdBackOthers(T, File);
  return T;
}

StringRef languageOfCommand(ArrayRef<std::string> Args, StringRef File) {
  StringRef Language = languageOfName(File);
  for (size_t I = 0; I + 1 < Args.size(); ++I)
    if (Args[I] == "-x")
      Language = Args[I + 1];
  return Language;
}

Translation translateEntry(const DbEntry &Entry, StringRef Header) {
  std::vector<std::string> Read;
  auto ReadOptions = [&](StringRef Path) -> Expected<std::string> {
    Read.push_back(absolutePath(Path, Entry.Directory));
    Expected<std::string> Text = readResponseFile(Path, Entry.Directory);
    if (Text || sys::fs::exists(Read.back()))
      return Text;
    return makeError(toString(Text.takeError()) +
                     "; build the project first if the build writes it");
  };
  Translation T = translateCommand(Entry.Args, ReadOptions);
  T.OptionsFiles = std::move(Read);
  // Own is the file of the entry; in an entry that an extractor created for a
  // header, it is the only source.
  std::optional<size_t> Own;
  for (size_t I : T.Inputs)
    if (absolutePath(T.Args[I], Entry.Directory) == Entry.File)
      Own = I;
  for (size_t I : T.Inputs)
    if (!Own && isSourceName(T.Args[I]))
      Own = I;
  std::vector<std::string> Args;
  size_t At = 0; // of the entry's input
  for (size_t I = 0; I < T.Args.size(); ++I) {
    if (I != Own && is_contained(T.Inputs, I))
      continue;
    if (I == Own && !Header.empty()) {
      StringRef Language = languageOfCommand(Args, T.Args[I]);
      if (!is_contained(Args, "-x"))
        Args.insert(find(Args, "--"), {"-x", Language.str()});
      At = Args.size();
      Args.push_back(Header.str());
      continue;
    }
    if (I == Own)
      At = Args.size();
    Args.push_back(std::move(T.Args[I]));
  }
  std::string Input = Own ? Args[At] : Entry.File;
  if (!Own && !Args.empty()) {
    Input = Header.empty() ? Entry.File : Header.str();
    Args.push_back(Input);
  }
  T.Args = std::move(Args);
  T.Inputs.clear();
  dropPrecompiled(T.Args, Entry.Directory);
  holdBackOthers(T, Input);
  return T;
}

std::vector<CompileCommand> inferCommands(ArrayRef<DbEntry> Entries,
                                          StringRef File) {
  return inferMissingCompileCommands(std::make_unique<TranslatedDb>(Entries))
      ->getCompileCommands(File);
}

} // namespace cudagraph::driver
