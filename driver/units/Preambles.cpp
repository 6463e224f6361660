//===- Preambles.cpp - The shared includes of a run -----------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Preambles.h"
#include "HeaderWeights.h"
#include "ParseOnly.h"
#include "SharingPlan.h"
#include "driver/support/Paths.h"
#include "driver/translation/SearchPath.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Signals.h"
#include <map>

using namespace llvm;

namespace cudagraph::driver {
namespace {

/// The number of units for which a new preamble is worth its cost. A preamble
/// costs about as much as parsing one and a half units, and the units that need
/// it wait.
size_t fewestUnits(unsigned Jobs) {
  constexpr size_t WithFewJobs = 3, WithManyJobs = 8;
  return Jobs <= 2 ? WithFewJobs : std::min<size_t>(2 * Jobs, WithManyJobs);
}

/// A unit that was parsed this often will probably be parsed again.
constexpr size_t OftenParsed = 2;

/// True if Clang reads one of its own headers before the source.
bool isCuda(ArrayRef<std::string> Args) {
  return any_of(Args, [](StringRef A) {
    return A == "--cuda-host-only" || A == "--cuda-device-only";
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

Preambles::Leading Preambles::leadingOf(const Unit &U) {
  Leading Result;
  std::optional<size_t> Source = sourceIn(U);
  if (!Source || readsCompiled(U.Args))
    return Result;
  bool OfCommand = isCuda(U.Args) || is_contained(U.Args, "-include");
  std::vector<std::string> Others = U.Args;
  Others.erase(Others.begin() + *Source);
  // The directory of a file whose location has no effect.
  std::string Anywhere =
      dependsOnDirectory(Others, U.Directory) ? U.Directory : "/";
  Result.Parts =
      leadingParts(U.File, U.Args[*Source], U.Directory, Anywhere, OfCommand);
  for (const LeadingPart &Part : Result.Parts) {
    std::vector<std::string> Args = U.Args;
    Args[*Source] = Part.Main;
    const std::string &In =
        dependsOnDirectory(Args, U.Directory) ? U.Directory : Anywhere;
    append_range(Args, std::vector<std::string>{Part.Text, U.Project,
                                                utostr(U.Known.namesHash())});
    Result.Keys.push_back(Cached.unitKey(Args, In));
  }
  Result.Often =
      !Result.Parts.empty() && Cached.timesParsed(U.Key) >= OftenParsed;
  return Result;
}

std::string Preambles::pathOf(const Shared &S) const {
  if (!S.Temporary.empty())
    return S.Temporary;
  return Cached.precompiledPath(S.Key, S.Facts);
}

/// Reads the precompiled header of \p S; returns false if the facts of \p S do
/// not describe it.
bool Preambles::open(Shared &S, const std::string &Path) const {
  Expected<sys::fs::file_t> File = sys::fs::openNativeFileForRead(Path);
  if (!File) {
    consumeError(File.takeError());
    return false;
  }
  if (isPrecompiled(*File, S.Facts))
    if (auto Buffer =
            MemoryBuffer::getOpenFile(*File, Path, S.Facts.Size,
                                      /*RequiresNullTerminator=*/false))
      S.Bytes = std::move(*Buffer);
  (void)sys::fs::closeFile(*File);
  return S.Bytes != nullptr;
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
  S->Source.Args[*sourceIn(U)] = C.Part.Main;
  S->Source.Directory = U.Directory;
  S->Source.Project = U.Project;
  S->Source.Main = C.Part.Main;
  S->Source.Text = C.Part.Text;
  S->Known = &U.Known;
  S->Key = C.Key;
  Known[C.Key] = S.get();
  All.push_back(std::move(S));
  return All.back().get();
}

/// True if a unit with the part \p C can use \p S, which exists.
bool Preambles::serves(const Shared *S, const Candidate &C) {
  return S && S->Bytes && (!C.Part.Repeated || S->Facts.Repeatable);
}

void Preambles::plan(ArrayRef<Unit> Units, unsigned Jobs) {
  Builds.clear();
  Choices.assign(Units.size(), {});
  std::vector<Leading> All;
  DenseMap<uint64_t, size_t> Users; // by key
  size_t Fewest = fewestUnits(Jobs);
  bool MayBuild = false;
  for (const Unit &U : Units) {
    All.push_back(leadingOf(U));
    for (uint64_t Key : All.back().Keys)
      MayBuild |= ++Users[Key] >= Fewest || All.back().Often;
  }
  if (MayBuild)
    return choose(Units, All, Users, Fewest);
  for (auto [Index, U] : enumerate(Units))
    for (size_t I : reverse(seq(All[Index].Parts.size())))
      if (Shared *S = find(U, All[Index][I]); serves(S, All[Index][I])) {
        const LeadingPart &Part = All[Index].Parts[I];
        Choices[Index].push_back({S, Part.Skip, Part.Repeated});
        break; // the longest of those that exist
      }
}

/// Chooses preambles, including new ones.
void Preambles::choose(ArrayRef<Unit> Units, ArrayRef<Leading> All,
                       const DenseMap<uint64_t, size_t> &Users, size_t Fewest) {
  struct Step {
    size_t InPlan;
    Candidate Of;
  };
  SharingPlan Plan(Fewest);
  HeaderWeights Weights;
  std::vector<std::vector<Step>> Paths;
  std::map<std::pair<size_t, uint64_t>, size_t> Known; // by parent and key
  for (auto [U, Own] : zip_equal(Units, All)) {
    std::vector<Step> &Path = Paths.emplace_back();
    std::vector<uint64_t> Weight;
    for (size_t I = 0; I < Own.Parts.size(); ++I) {
      Shared *S = find(U, Own[I]);
      bool Exists = serves(S, Own[I]);
      // A preamble that exists but could not be used is known to be useless.
      bool MayBuild = !S && (Users.lookup(Own.Keys[I]) >= Fewest || Own.Often);
      if (!Exists && !MayBuild)
        continue;
      size_t Parent = Path.empty() ? SharingPlan::None : Path.back().InPlan;
      auto [It, New] = Known.try_emplace({Parent, Own.Keys[I]});
      if (New && Weight.empty())
        Weight = Weights.of(Own.Parts, U.Args, U.Directory);
      if (New)
        It->second = Plan.addPart(Parent, Weight[I], Exists);
      Path.push_back({It->second, Own[I]});
    }
    if (!Path.empty())
      Plan.addUnit(Path.back().InPlan, Own.Often);
  }
  std::vector<bool> Used = Plan.used();
  for (auto [Index, U] : enumerate(Units))
    for (const Step &Each : reverse(Paths[Index])) {
      if (!Used[Each.InPlan])
        continue;
      Shared *S = this->Known.lookup(Each.Of.Key);
      if (!S) {
        S = add(U, Each.Of);
        if (order(*S))
          Builds.push_back(S);
      }
      Choices[Index].push_back({S, Each.Of.Part.Skip, Each.Of.Part.Repeated});
    }
}

/// Prepares the build of \p S; returns false if its result cannot be stored.
bool Preambles::order(Shared &S) {
  S.Facts.Number = sys::Process::GetRandomNumber();
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
  S.Facts.Number = Builds[Task]->Facts.Number;
  std::optional<Preamble> Facts =
      buildPreamble(Builds[Task]->Source, *Builds[Task]->Known, pathOf(S));
  if (!Facts)
    return "";
  Facts->Number = S.Facts.Number;
  bool Stored = !S.Temporary.empty() || Cached.storePreamble(S.Key, *Facts);
  return Stored ? encodePreamble(*Facts) : "";
}

void Preambles::built(size_t Task, StringRef Message) {
  Shared &S = *Builds[Task];
  S.Pending = false;
  if (!Message.empty() && decodePreamble(Message, S.Facts)) {
    if (!S.Facts.Why.empty())
      Obstacle = S.Facts.Why;
    if (S.Facts.Usable && open(S, pathOf(S)))
      ++Built;
  }
  release(S); // what was opened remains readable
}

/// The longest preamble of the unit \p Index, built or not; null if there is
/// none.
const Preambles::Choice *Preambles::choiceOf(size_t Index) const {
  // Without plan(), there are no choices.
  if (Index >= Choices.size())
    return nullptr;
  for (const Choice &C : Choices[Index])
    if (C.Of->Pending ||
        (C.Of->Bytes && (!C.Repeated || C.Of->Facts.Repeatable)))
      return &C;
  return nullptr;
}

bool Preambles::waits(size_t Index) const {
  const Choice *C = choiceOf(Index);
  return C && C->Of->Pending;
}

std::optional<PreambleUse> Preambles::of(size_t Index) const {
  const Choice *C = choiceOf(Index);
  if (!C || !C->Of->Bytes)
    return std::nullopt;
  return PreambleUse{C->Of->Facts, C->Of->Source, C->Of->Bytes->getBuffer(),
                     C->Skip};
}

size_t Preambles::users() const {
  return count_if(seq(Choices.size()), [&](size_t I) { return of(I); });
}

} // namespace cudagraph::driver
