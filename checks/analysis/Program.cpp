//===- Program.cpp - Linked summaries -------------------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"

namespace cudagraph {

Program::~Program() = default;

Program::Program(std::vector<UnitSummary> Given) : Units(std::move(Given)) {
  Sites.emplace_back(); // what an empty Span stands for
  for (UnitIndex U = 0; U < Units.size(); ++U) {
    const UnitSummary &Unit = Units[U];
    std::vector<FunctionId> &Own = Ids.emplace_back();
    Own.assign(Unit.Functions.size(), None);
    for (unsigned I = 0; I < Unit.Functions.size(); ++I) {
      const SummaryEntry &E = Unit.Functions[I];
      if (!E.HasGraph)
        continue;
      auto &Known = Definitions[E.Key];
      FunctionId New = add(U, I);
      auto Same = llvm::find_if(Known, [&](FunctionId F) {
        return Functions[F].Hash == Functions[New].Hash;
      });
      if (Same != Known.end()) {
        Functions.pop_back();
        Own[I] = *Same;
        continue;
      }
      Known.push_back(New);
      if (E.Initializers)
        Initializers.push_back(New);
    }
    for (const auto &[Base, Over] : Unit.Overrides)
      Overriders[Base].push_back({U, Over});
  }
  std::vector<bool> Seen(Functions.size());
  for (UnitIndex U = 0; U < Units.size(); ++U)
    for (unsigned I : Units[U].Order) {
      FunctionId F = Ids[U][I];
      if (!Units[U].Functions[I].Collected || F == None || Seen[F])
        continue;
      Seen[F] = true;
      Collected.push_back(F);
    }
}

FunctionId Program::add(UnitIndex Unit, unsigned Entry) {
  const SummaryEntry &E = Units[Unit].Functions[Entry];
  FunctionId Id = Functions.size();
  Function &F = Functions.emplace_back();
  F.Key = E.Key;
  F.Unit = Unit;
  F.Entry = Entry;
  // Relative paths in it mean something in this directory only.
  F.Hash = llvm::xxh3_64bits(E.Bytes) ^
           llvm::xxh3_64bits(llvm::StringRef(Units[Unit].Directory)) * 3;
  Ids[Unit][Entry] = Id;
  return Id;
}

std::optional<unsigned> Program::find(UnitIndex Unit, FunctionKey Key) const {
  const std::vector<SummaryEntry> &All = Units[Unit].Functions;
  auto It = llvm::lower_bound(
      All, Key, [](const SummaryEntry &E, FunctionKey K) { return E.Key < K; });
  if (It == All.end() || It->Key != Key)
    return std::nullopt;
  return It - All.begin();
}

/// The one of \p Candidates whose main file shares most of its path with that
/// of \p Unit; of several such, one that is the fewest directories below.
FunctionId Program::nearest(UnitIndex Unit,
                            llvm::ArrayRef<FunctionId> Candidates) const {
  if (Candidates.size() == 1)
    return Candidates.front();
  auto Path = [&](UnitIndex U) {
    llvm::SmallString<256> Full(Units[U].Directory);
    llvm::sys::path::append(Full, Units[U].MainFile);
    if (llvm::sys::path::is_absolute(Units[U].MainFile))
      Full = Units[U].MainFile;
    llvm::sys::path::remove_dots(Full, /*remove_dot_dot=*/true);
    return Full;
  };
  llvm::SmallString<256> Mine = Path(Unit);
  FunctionId Best = Candidates.front();
  std::pair<int, int> Most{-1, 0};
  for (FunctionId C : Candidates) {
    llvm::SmallString<256> Theirs = Path(Functions[C].Unit);
    auto A = llvm::sys::path::begin(Mine), AEnd = llvm::sys::path::end(Mine);
    auto B = llvm::sys::path::begin(Theirs),
         BEnd = llvm::sys::path::end(Theirs);
    int Common = 0;
    for (; A != AEnd && B != BEnd && *A == *B; ++A, ++B)
      ++Common;
    std::pair<int, int> Near{Common, -std::distance(B, BEnd)};
    if (Near <= Most)
      continue;
    Most = Near;
    Best = C;
  }
  return Best;
}

FunctionId Program::resolve(UnitIndex Unit, FunctionKey Key) {
  std::optional<unsigned> Own = find(Unit, Key);
  if (Own && Ids[Unit][*Own] != None)
    return Ids[Unit][*Own];
  FunctionId Result = None;
  if (auto It = Definitions.find(Key); It != Definitions.end())
    Result = nearest(Unit, It->second);
  else if (auto Known = Declared.find(Key); Known != Declared.end())
    Result = Known->second;
  else if (Own)
    return Declared[Key] = add(Unit, *Own);
  if (Own)
    Ids[Unit][*Own] = Result;
  return Result;
}

void Program::resolvePath(UnitIndex Unit, std::string &File) {
  const std::string &Directory = Units[Unit].Directory;
  if (Directory.empty() || File.empty())
    return;
  auto [It, New] = Paths.try_emplace({Unit, File});
  if (New) {
    llvm::SmallString<256> Path(File);
    llvm::sys::path::make_absolute(Directory, Path);
    llvm::sys::path::remove_dots(Path, /*remove_dot_dot=*/true);
    It->second = Path.str().str();
  }
  File = It->second;
}

std::vector<NolintLines> Program::nolint() {
  std::map<std::string, NolintLines> ByFile; // a header is read by many units
  for (UnitIndex U = 0; U < Units.size(); ++U)
    for (NolintLines Each : Units[U].Nolint) {
      resolvePath(U, Each.File);
      ByFile.try_emplace(Each.File, Each);
    }
  std::vector<NolintLines> Result;
  for (auto &[File, Lines] : ByFile)
    Result.push_back(std::move(Lines));
  return Result;
}

void Program::decode(Function &F) {
  F.Decoded = true; // first: resolving may lead here again
  UnitIndex U = F.Unit;
  auto AddSite = [&](Site S) {
    resolvePath(U, S.Loc.File);
    for (Place &P : S.Loc.Written)
      resolvePath(U, P.File);
    Sites.push_back(std::move(S));
    return Sites.size() - 1;
  };
  FunctionInfo Info;
  std::unique_ptr<FlowGraph> Graph;
  if (!decodeFunction(
          Units[U].Functions[F.Entry].Bytes, Info, Graph,
          [&](FunctionKey K) { return resolve(U, K); }, AddSite)) {
    // Damaged, which the checksum should have told: a function without a body.
    Info = FunctionInfo();
    Graph.reset();
  }
  if (auto It = Overriders.find(F.Key); It != Overriders.end())
    for (auto [From, Key] : It->second)
      if (FunctionId Over = resolve(From, Key);
          Over != None && !llvm::is_contained(Info.Overrides, Over))
        Info.Overrides.push_back(Over);
  F.Info = std::move(Info);
  F.Graph = std::move(Graph);
}

bool Program::sharesUnit(FunctionId F, FunctionId User) const {
  UnitIndex U = Functions[User].Unit;
  std::optional<unsigned> Own = find(U, Functions[F].Key);
  return Own && Units[U].Functions[*Own].HasGraph && Ids[U][*Own] == F;
}

} // namespace cudagraph
