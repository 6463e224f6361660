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
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/xxhash.h"
#include <queue>

using namespace llvm;

namespace cudagraph::driver {
namespace {

/// The number of units that make a new preamble worth its cost. It costs about
/// as much as parsing one and a half, and the units that need it wait.
size_t fewestUnits(unsigned Jobs) {
  constexpr size_t WithFewJobs = 3, WithManyJobs = 8;
  return Jobs <= 2 ? WithFewJobs : std::min<size_t>(2 * Jobs, WithManyJobs);
}

/// A unit that was parsed so often before will be parsed again.
constexpr size_t OftenParsed = 2;

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
    release(*Each);
}

/// Removes the temporary file of \p S.
void Preambles::release(Shared &S) {
  if (S.Temporary.empty())
    return;
  (void)sys::fs::remove(S.Temporary);
  sys::DontRemoveFileOnSignal(S.Temporary);
  S.Temporary.clear();
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
    Next.Key = Cached.unitKey(Args, U.Directory);
    constexpr uint64_t Unit = 1 << 30;
    Next.Weight = Unit - (Unit >> std::min(Includes, 30u)) + Includes;
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
  return Cached.precompiledPath(S.Key, S.Facts);
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
  std::optional<Preamble> Facts = Cached.loadPreamble(C.Key);
  if (!Facts)
    return nullptr;
  Shared *S = add(U, C);
  S->Facts = std::move(*Facts);
  if (S->Facts.Usable && !open(*S, pathOf(*S))) {
    if (sys::fs::exists(pathOf(*S))) // else it was pruned
      Cached.noteBadPreamble(C.Key);
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

void Preambles::plan(ArrayRef<Unit> Units, unsigned Jobs) {
  Builds.clear();
  Choices.assign(Units.size(), Choice());
  std::vector<std::vector<Candidate>> Candidates;
  for (auto [Index, U] : enumerate(Units)) {
    Candidates.push_back(candidatesOf(U));
    // The longest of those that exist.
    for (const Candidate &C : reverse(Candidates.back()))
      if (Shared *S = find(U, C); S && S->Bytes) {
        Choices[Index] = {S, C.Skip};
        break;
      }
  }
  choose(Units, Jobs, Candidates);
}

/// Chooses new preambles, repeatedly the one that saves most.
void Preambles::choose(ArrayRef<Unit> Units, unsigned Jobs,
                       ArrayRef<std::vector<Candidate>> Candidates) {
  struct User {
    size_t Index;
    const Candidate *Part;
    bool Often;
  };
  MapVector<uint64_t, std::vector<User>> Users;
  for (size_t I = 0; I < Units.size(); ++I) {
    if (Choices[I].Of || Candidates[I].empty())
      continue;
    bool Often = Cached.timesParsed(Units[I].Key) >= OftenParsed;
    for (const Candidate &C : Candidates[I])
      if (!Known.lookup(C.Key)) // else it is known to be useless
        Users[C.Key].push_back({I, &C, Often});
  }
  auto SavedBy = [&](size_t Position) -> uint64_t {
    std::vector<User> &Group = Users.begin()[Position].second;
    erase_if(Group, [&](const User &U) { return Choices[U.Index].Of; });
    bool Often = any_of(Group, [](const User &U) { return U.Often; });
    bool Worth = Group.size() >= fewestUnits(Jobs) || Often;
    return Worth ? Group.size() * Group.front().Part->Weight : 0;
  };
  // Groups only become smaller: the one that saved most still does if it has
  // not changed.
  using Entry = std::pair<uint64_t, size_t>; // the first of equals wins
  std::priority_queue<Entry> Queue;
  for (size_t Position = 0; Position < Users.size(); ++Position)
    Queue.push({SavedBy(Position), ~Position});
  while (!Queue.empty()) {
    auto [Saved, Inverted] = Queue.top();
    Queue.pop();
    uint64_t Now = SavedBy(~Inverted);
    if (!Now)
      continue;
    if (Now != Saved) {
      Queue.push({Now, Inverted});
      continue;
    }
    const std::vector<User> &Group = Users.begin()[~Inverted].second;
    Shared *S = add(Units[Group.front().Index], *Group.front().Part);
    for (const User &U : Group)
      Choices[U.Index] = {S, U.Part->Skip};
    if (order(*S))
      Builds.push_back(S);
  }
}

/// Prepares the build of \p S; false if there is no place for its result.
bool Preambles::order(Shared &S) {
  if (!Cached.writable()) {
    SmallString<128> Path;
    if (sys::fs::createTemporaryFile("cudagraph-tidy", "pch", Path))
      return false;
    S.Temporary = Path.str().str();
    sys::RemoveFileOnSignal(Path);
  }
  S.Pending = true;
  return true;
}

std::string Preambles::build(size_t Task) const {
  Shared S;
  S.Key = Builds[Task]->Key;
  S.Temporary = Builds[Task]->Temporary;
  SmallVector<char, 0> Bytes;
  S.Facts = buildPreamble(Builds[Task]->Source, *Builds[Task]->Known, Bytes);
  StringRef All(Bytes.data(), Bytes.size());
  bool Stored = S.Temporary.empty()
                    ? Cached.storePreamble(S.Key, S.Facts, All)
                    : !errorToBool(support::writeOutput(S.Temporary, All));
  S.Temporary.clear(); // it belongs to the parent
  return Stored ? encodePreamble(S.Facts) : "";
}

void Preambles::built(size_t Task, StringRef Message) {
  Shared &S = *Builds[Task];
  S.Pending = false;
  if (!Message.empty() && decodePreamble(Message, S.Facts)) {
    Obstacle = S.Facts.Why;
    if (S.Facts.Usable && open(S, pathOf(S)))
      ++Built;
  }
  release(S); // what was opened remains readable
}

bool Preambles::waits(size_t Index) const {
  return Index < Choices.size() && Choices[Index].Of &&
         Choices[Index].Of->Pending;
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
