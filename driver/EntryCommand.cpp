//===- EntryCommand.cpp - A database entry in Clang's words ---------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EntryCommand.h"
#include "Compiler.h"
#include "ShellCommand.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace clang::tooling;

namespace cudagraph::driver {
namespace {

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

/// The database in Clang's words, for transfer to files it lacks: what is
/// inferred from nvcc's words would be wrong.
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

StringRef languageOfCommand(ArrayRef<std::string> Args, StringRef File) {
  StringRef Language = languageOfName(File);
  for (size_t I = 0; I + 1 < Args.size(); ++I)
    if (Args[I] == "-x")
      Language = Args[I + 1];
  return Language;
}

Translation translateEntry(const DbEntry &Entry, StringRef Header) {
  Translation T = translateCommand(Entry.Args, [&](StringRef Path) {
    return readResponseFile(Path, Entry.Directory);
  });
  // Which input is the entry's own; in an entry that an extractor made for a
  // header, the only source.
  std::optional<size_t> Own;
  for (size_t I : T.Inputs)
    if (absolutePath(T.Args[I], Entry.Directory) == Entry.File)
      Own = I;
  for (size_t I : T.Inputs)
    if (!Own && isSourceName(T.Args[I]))
      Own = I;
  std::vector<std::string> Args;
  for (size_t I = 0; I < T.Args.size(); ++I) {
    if (I != Own && is_contained(T.Inputs, I))
      continue;
    if (I == Own && !Header.empty()) {
      StringRef Language = languageOfCommand(Args, T.Args[I]);
      if (!is_contained(Args, "-x"))
        Args.insert(find(Args, "--"), {"-x", Language.str()});
      Args.push_back(Header.str());
      continue;
    }
    Args.push_back(std::move(T.Args[I]));
  }
  if (!Own && !Args.empty())
    Args.push_back(Header.empty() ? Entry.File : Header.str());
  T.Args = std::move(Args);
  T.Inputs.clear();
  dropPrecompiled(T.Args);
  return T;
}

std::vector<CompileCommand> inferCommands(ArrayRef<DbEntry> Entries,
                                          StringRef File) {
  return inferMissingCompileCommands(std::make_unique<TranslatedDb>(Entries))
      ->getCompileCommands(File);
}

} // namespace cudagraph::driver
