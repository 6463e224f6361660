//===- PlainUnits.cpp - Units that cannot affect a capture ----------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlainUnits.h"
#include "catalogue/Catalogue.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;

namespace cudagraph::driver {
namespace {

/// The words that make a unit necessary, regardless of other units, because it
/// declares CUDA's types or functions itself.
const DenseSet<Word> &wordsOfCuda() {
  static const DenseSet<Word> Words = [] {
    DenseSet<Word> Result;
    for (StringRef Name :
         {"cudaStream_t", "CUstream", "CUstream_st", "CUDAStream",
          "cudaGraph_t", "CUgraph", "__global__"})
      Result.insert(wordOf(Name));
    using catalogue::Effect;
    for (const catalogue::Entry *E : catalogue::Catalogue::builtin().entries())
      if (boundsCapture(E->Does) || E->Does == Effect::ModeExchange)
        Result.insert(
            wordOf(StringRef(E->Name).drop_front(E->Name.rfind(':') + 1)));
    return Result;
  }();
  return Words;
}

} // namespace

struct PlainUnits::Wanted {
  const ContactNames *Names = nullptr;
  DenseSet<Word> Uses;
  /// Numbers of classes, by the words that refer to them.
  DenseMap<Word, SparseBitVector<>> Classes;
  /// Numbers of the classes that have a member, by member.
  DenseMap<Word, SparseBitVector<>> Members;
  /// Numbers of the classes whose function may be defined, by function; 0: no
  /// class.
  DenseMap<Word, SparseBitVector<>> Definitions;
  SparseBitVector<> Implicit; ///< classes that matter without a member
};

const FileWords *PlainUnits::wordsOf(const FileUse &File) {
  auto [It, New] = Known.try_emplace(File.Hash);
  if (!New)
    return &It->second;
  if (std::optional<FileWords> Words = Cached.loadWords(File.Hash)) {
    It->second = std::move(*Words);
    return &It->second;
  }
  auto Text = MemoryBuffer::getFile(File.Path);
  if (!Text || contentHash((*Text)->getBuffer()) != File.Hash) {
    Known.erase(It);
    return nullptr;
  }
  It->second = scanWords((*Text)->getBuffer());
  Cached.storeWords(File.Hash, It->second);
  return &It->second;
}

const FileWords *
PlainUnits::wordsOfMacros(const std::vector<std::string> &Macros) {
  std::string Text;
  for (StringRef Each : Macros) {
    auto [Name, Value] = Each.split('=');
    Text += ("#define " + Name + " " + Value + "\n").str();
  }
  auto [It, New] = Known.try_emplace(contentHash(Text));
  if (New)
    It->second = scanWords(Text);
  return &It->second;
}

bool PlainUnits::add(size_t Index, UnitScan Scan) {
  if (!Scan.Plain || Scan.Sources.empty())
    return false;
  Unit U{Index, {}};
  for (const FileUse &File : Scan.Sources)
    U.Files.push_back(wordsOf(File));
  U.Files.push_back(wordsOfMacros(Scan.Macros));
  const DenseSet<Word> &Cuda = wordsOfCuda();
  for (const FileWords *File : U.Files)
    if (!File || File->Marked || (WithNolint && File->Nolint) ||
        any_of(File->All, [&](Word W) { return Cuda.contains(W); }))
      return false;
  Units.push_back(std::move(U));
  return true;
}

PlainUnits::Wanted PlainUnits::wanted(const ContactNames &Names) const {
  Wanted Result;
  Result.Names = &Names;
  for (const std::string &Name : Names.Uses)
    Result.Uses.insert(wordOf(Name));
  std::map<std::string, unsigned> Numbers{{"", 0}};
  auto NumberOf = [&](const std::string &Class) {
    return Numbers.try_emplace(Class, Numbers.size()).first->second;
  };
  for (const auto &[Class, Member] : Names.Members) {
    unsigned Number = NumberOf(Class);
    if (Member.empty())
      Result.Implicit.set(Number);
    else
      Result.Members[wordOf(Member)].set(Number);
  }
  for (const auto &[Class, Name] : Names.Definitions)
    Result.Definitions[wordOf(Name)].set(NumberOf(Class));

  // A declaration that mentions a class refers to it: functions that return it,
  // variables, members, and derived classes.
  DenseMap<Word, std::vector<Word>> Leads;
  DenseSet<const FileWords *> Seen;
  for (const Unit &U : Units)
    for (const FileWords *File : U.Files)
      if (Seen.insert(File).second)
        for (const Declared &D : File->Declarations)
          for (Word Mention : D.Mentions)
            llvm::append_range(Leads[Mention], D.Names);
  for (const auto &[Class, Number] : Numbers) {
    if (Class.empty())
      continue;
    DenseSet<Word> Reached{wordOf(Class)};
    std::vector<Word> Work{wordOf(Class)};
    while (!Work.empty()) {
      Word W = Work.back();
      Work.pop_back();
      Result.Classes[W].set(Number);
      if (auto It = Leads.find(W); It != Leads.end())
        for (Word Next : It->second)
          if (Reached.insert(Next).second)
            Work.push_back(Next);
    }
  }
  return Result;
}

/// True if macros of \p U may form one of \p Names by joining tokens.
bool PlainUnits::joinsTokensTo(const Unit &U, const ContactNames &Names) {
  if (none_of(U.Files, [](const FileWords *File) { return File->Pastes; }))
    return false;
  DenseSet<Word> Pieces;
  for (const FileWords *File : U.Files)
    Pieces.insert(File->All.begin(), File->All.end());
  auto Joined = [&](StringRef Name) {
    // Reach[I]: the first I characters are pieces.
    SmallVector<bool, 64> Reach(Name.size() + 1);
    Reach[0] = true;
    for (size_t End = 1; End <= Name.size(); ++End)
      for (size_t Begin = 0; Begin < End && !Reach[End]; ++Begin) {
        StringRef Piece = Name.slice(Begin, End);
        Reach[End] = Reach[Begin] && Piece.size() < Name.size() &&
                     (Pieces.contains(wordOf(Piece)) || all_of(Piece, isDigit));
      }
    return Reach[Name.size()];
  };
  auto Second = [&](const auto &Pair) { return Joined(Pair.second); };
  return any_of(Names.Uses, Joined) || any_of(Names.Members, Second) ||
         any_of(Names.Definitions, Second);
}

bool PlainUnits::isNeeded(const Unit &U, const Wanted &W) {
  SparseBitVector<> Classes, Members, Definitions;
  bool IsMain = true;
  for (const FileWords *File : U.Files) {
    for (Word Each : IsMain ? File->All : File->Does) {
      if (W.Uses.contains(Each))
        return true;
      if (auto It = W.Classes.find(Each); It != W.Classes.end())
        Classes |= It->second;
      if (auto It = W.Members.find(Each); It != W.Members.end())
        Members |= It->second;
    }
    for (Word Each : IsMain ? File->Outer : File->Defines)
      if (auto It = W.Definitions.find(Each); It != W.Definitions.end())
        Definitions |= It->second;
    IsMain = false;
  }
  if (Definitions.test(0) || Classes.intersects(W.Implicit))
    return true;
  Members |= Definitions;
  return Classes.intersects(Members) || joinsTokensTo(U, *W.Names);
}

std::vector<size_t> PlainUnits::take(const ContactNames &Names) {
  Wanted W = wanted(Names);
  std::vector<size_t> Result;
  llvm::erase_if(Units, [&](const Unit &U) {
    if (!isNeeded(U, W))
      return false;
    Result.push_back(U.Index);
    return true;
  });
  return Result;
}

std::vector<size_t> PlainUnits::rest() const {
  std::vector<size_t> Result;
  for (const Unit &U : Units)
    Result.push_back(U.Index);
  return Result;
}

} // namespace cudagraph::driver
