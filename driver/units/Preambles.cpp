//===- Preambles.cpp - The shared includes of a run -----------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Preambles.h"
#include "LeadingIncludes.h"
#include "driver/support/InputBuffer.h"
#include "driver/support/Paths.h"
#include "support/OutputFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;

namespace cudagraph::driver {
namespace {

/// The number of units that make a new preamble worth its cost.
constexpr size_t FewestUnits = 3;

/// True if Clang reads a header of its own before the source.
bool isCuda(ArrayRef<std::string> Args) {
  return any_of(Args, [](StringRef A) {
    return A == "--cuda-host-only" || A == "--cuda-device-only";
  });
}

/// True for arguments with which Clang reads results of other compilations.
bool readsCompiled(ArrayRef<std::string> Args) {
  return any_of(Args, [](StringRef A) {
    return A.starts_with("-include-pch") || A.starts_with("-fmodule") ||
           A.starts_with("-fcxx-modules") || A.starts_with("-fprebuilt");
  });
}

/// The position of the source in the arguments, if it is certain.
std::optional<size_t> sourceIn(const Preambles::Unit &U) {
  std::optional<size_t> Result;
  for (auto [Index, A] : drop_begin(enumerate(U.Args))) {
    if (A.empty() || A.front() == '-' ||
        absolutePath(A, U.Directory) != absolutePath(U.File, U.Directory))
      continue;
    if (Result)
      return std::nullopt;
    Result = Index;
  }
  return Result;
}

} // namespace

Preambles::~Preambles() {
  for (const std::unique_ptr<Shared> &Each : All)
    if (!Each->Temporary.empty()) {
      (void)sys::fs::remove(Each->Temporary);
      sys::DontRemoveFileOnSignal(Each->Temporary);
    }
}

/// The leading parts of \p U, the shortest first.
std::vector<Preambles::Candidate> Preambles::candidatesOf(const Unit &U) const {
  std::vector<Candidate> Result;
  std::optional<size_t> Source = sourceIn(U);
  if (!Source || readsCompiled(U.Args))
    return Result;
  std::unique_ptr<MemoryBuffer> Text = tryReadBuffer(U.File);
  if (!Text)
    return Result;
  unsigned Before = isCuda(U.Args) || is_contained(U.Args, "-include");
  StringRef Folder = U.Directory;
  Candidate Next;
  auto Add = [&](unsigned Includes) {
    Next.Main = (Folder + (Folder.empty() ? "" : "/") + "cudagraph-preamble" +
                 sys::path::extension(U.File))
                    .str();
    std::vector<std::string> Args = U.Args;
    Args[*Source] = Next.Main;
    append_range(Args, std::vector<std::string>{Next.Text, U.Project,
                                                utostr(U.Known.namesHash())});
    Next.Key = Kept.unitKey(Args, U.Directory);
    Next.Weight = 1024 - (1024 >> std::min(Includes, 10u));
    Result.push_back(Next);
  };
  if (Before)
    Add(Before);
  unsigned Count = Before;
  for (const LeadingInclude &Each : leadingIncludes(Text->getBuffer())) {
    // The directory of the source matters only to these.
    if (Each.isQuoted())
      Folder = sys::path::parent_path(U.Args[*Source]);
    Next.Text += ("#include " + Each.Name + "\n").str();
    Next.Skip = Each.End;
    Add(++Count);
  }
  return Result;
}

std::string Preambles::pathOf(const Shared &S) const {
  if (!S.Temporary.empty())
    return S.Temporary;
  return Kept.precompiledPath(S.Key, S.Facts);
}

/// Reads the precompiled header of \p S; false if it is not what Facts
/// describe.
bool Preambles::open(Shared &S, const std::string &Path) const {
  auto Buffer = MemoryBuffer::getFile(Path, /*IsText=*/false,
                                      /*RequiresNullTerminator=*/false);
  if (!Buffer || (*Buffer)->getBufferSize() != S.Facts.Size ||
      xxh3_64bits((*Buffer)->getBuffer()) != S.Facts.Hash)
    return false;
  S.Bytes = std::move(*Buffer);
  return true;
}

/// The preamble of an earlier run, or one that was found before; null if there
/// is none.
Preambles::Shared *Preambles::find(const Unit &U, const Candidate &C) {
  auto [It, New] = Known.try_emplace(C.Key, nullptr);
  if (!New)
    return It->second;
  std::optional<Preamble> Facts = Kept.loadPreamble(C.Key);
  if (!Facts)
    return nullptr;
  Shared *S = add(U, C);
  S->Facts = std::move(*Facts);
  if (S->Facts.Usable && !open(*S, pathOf(*S))) {
    if (sys::fs::exists(pathOf(*S))) // else it was pruned
      Kept.noteBadPreamble(C.Key);
    Known[C.Key] = nullptr;
    All.pop_back();
    return nullptr;
  }
  return S;
}

Preambles::Shared *Preambles::add(const Unit &U, const Candidate &C) {
  auto S = std::make_unique<Shared>();
  S->Source.Args = U.Args;
  S->Source.Args[*sourceIn(U)] = C.Main;
  S->Source.Directory = U.Directory;
  S->Source.Project = U.Project;
  S->Source.Main = C.Main;
  S->Source.Text = C.Text;
  S->Known = &U.Known;
  S->Key = C.Key;
  Known[C.Key] = S.get();
  All.push_back(std::move(S));
  return All.back().get();
}

void Preambles::plan(ArrayRef<Unit> Units) {
  Builds.clear();
  Choices.assign(Units.size(), Choice());
  std::vector<std::vector<Candidate>> Candidates;
  std::vector<bool> Open(Units.size(), true);
  for (auto [Index, U] : enumerate(Units)) {
    Candidates.push_back(candidatesOf(U));
    // The longest of those that exist.
    for (const Candidate &C : reverse(Candidates.back()))
      if (Shared *S = find(U, C); S && S->Bytes) {
        Choices[Index] = {S, C.Skip};
        Open[Index] = false;
        break;
      }
  }
  // New ones: again and again the one that saves most.
  while (true) {
    DenseMap<uint64_t, std::vector<size_t>> Users;
    uint64_t Best = 0;
    size_t Most = 0;
    for (size_t I = 0; I < Units.size(); ++I)
      for (const Candidate &C : Candidates[I]) {
        if (!Open[I] || Known.lookup(C.Key))
          continue; // a known one without a precompiled header is of no use
        std::vector<size_t> &All = Users[C.Key];
        All.push_back(I);
        size_t Saved = All.size() * C.Weight;
        if (All.size() >= FewestUnits && Saved > Most) {
          Most = Saved;
          Best = C.Key;
        }
      }
    if (!Most)
      return;
    Shared *S = nullptr;
    for (size_t I : Users[Best]) {
      const Candidate &C = *find_if(Candidates[I], [&](const Candidate &Each) {
        return Each.Key == Best;
      });
      if (!S)
        S = add(Units[I], C);
      Choices[I] = {S, C.Skip};
      Open[I] = false;
    }
    if (!Kept.enabled()) {
      SmallString<128> Path;
      if (sys::fs::createTemporaryFile("cudagraph-tidy", "pch", Path))
        continue;
      S->Temporary = Path.str().str();
      sys::RemoveFileOnSignal(Path);
    }
    Builds.push_back(S);
  }
}

std::string Preambles::build(size_t Task) const {
  Shared S;
  S.Key = Builds[Task]->Key;
  S.Temporary = Builds[Task]->Temporary;
  SmallVector<char, 0> Bytes;
  S.Facts = buildPreamble(Builds[Task]->Source, *Builds[Task]->Known, Bytes);
  StringRef All(Bytes.data(), Bytes.size());
  bool Stored = S.Temporary.empty()
                    ? Kept.storePreamble(S.Key, S.Facts, All)
                    : !errorToBool(support::writeOutput(S.Temporary, All));
  S.Temporary.clear(); // it belongs to the parent
  return Stored ? encodePreamble(S.Facts) : "";
}

void Preambles::built(size_t Task, StringRef Message) {
  Shared &S = *Builds[Task];
  if (Message.empty() || !decodePreamble(Message, S.Facts))
    return;
  Obstacle = S.Facts.Why;
  if (S.Facts.Usable && open(S, pathOf(S)))
    ++Built;
}

bool Preambles::waits(size_t Index) const {
  return Index < Choices.size() && Choices[Index].Of &&
         is_contained(Builds, Choices[Index].Of);
}

std::optional<PreambleUse> Preambles::of(size_t Index) const {
  // Without plan(), there are none.
  Choice C = Index < Choices.size() ? Choices[Index] : Choice();
  if (!C.Of || !C.Of->Bytes)
    return std::nullopt;
  return PreambleUse{C.Of->Facts, C.Of->Source, C.Of->Bytes->getBuffer(),
                     C.Skip};
}

size_t Preambles::users() const {
  return count_if(Choices, [](const Choice &C) { return C.Of && C.Of->Bytes; });
}

} // namespace cudagraph::driver
