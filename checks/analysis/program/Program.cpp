//===- Program.cpp - Linked summaries -------------------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include "versions/LLVMVersions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/xxhash.h"
#include <map>
#include <set>

namespace cudagraph {

Program::~Program() = default;

Program::Program(std::vector<UnitSummary> Given) : Units(std::move(Given)) {
  for (UnitIndex U = 0; U < Units.size(); ++U) {
    const UnitSummary &Unit = Units[U];
    Ids.emplace_back().assign(Unit.Functions.size(), None);
    for (unsigned I = 0; I < Unit.Functions.size(); ++I)
      if (Unit.Functions[I].HasGraph)
        define(U, I);
    for (const auto &[Base, Over] : Unit.Overrides)
      Overriders[Base].push_back({U, Over});
  }
  separateDoubtful();
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

/// Registers a definition; a byte-for-byte duplicate does not count as another
/// definition.
void Program::define(UnitIndex Unit, unsigned Entry) {
  const SummaryEntry &E = Units[Unit].Functions[Entry];
  auto &Known = Definitions[E.Key];
  FunctionId New = add(Unit, Entry);
  auto Same = llvm::find_if(Known, [&](FunctionId F) {
    return Functions[F].Hash == Functions[New].Hash;
  });
  if (Same != Known.end()) {
    Functions.pop_back();
    Ids[Unit][Entry] = *Same;
    Functions[*Same].Sharers.push_back(Unit);
    return;
  }
  Known.push_back(New);
  if (E.Initializers)
    Initializers.push_back(New);
}

/// Separates functions that units cannot share: two programs may contain the
/// same inline function but define its callees differently.
void Program::separateDoubtful() {
  llvm::DenseSet<FunctionKey> Doubtful;
  for (const auto &[Key, All] : Definitions)
    if (All.size() > 1)
      Doubtful.insert(Key);
  if (Doubtful.empty())
    return;
  std::vector<std::pair<FunctionId, std::vector<FunctionKey>>> Shared;
  for (FunctionId F = 0; F < Functions.size(); ++F)
    if (!Functions[F].Sharers.empty())
      Shared.push_back({F, mentionedKeys(bytesOf(F))});
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (auto &[F, Mentions] : Shared) {
      if (Functions[F].Sharers.empty())
        continue;
      auto Elsewhere = [&](FunctionKey K) {
        if (!Doubtful.contains(K))
          return false;
        std::optional<unsigned> Own = find(Functions[F].Unit, K);
        return Separated.contains(K) || !Own ||
               !Units[Functions[F].Unit].Functions[*Own].HasGraph;
      };
      if (llvm::none_of(Mentions, Elsewhere))
        continue;
      FunctionKey Key = Functions[F].Key;
      for (UnitIndex U : std::exchange(Functions[F].Sharers, {}))
        Definitions[Key].push_back(add(U, *find(U, Key)));
      Doubtful.insert(Key);
      Separated.insert(Key);
      Changed = true;
    }
  }
}

FunctionId Program::add(UnitIndex Unit, unsigned Entry) {
  const SummaryEntry &E = Units[Unit].Functions[Entry];
  FunctionId Id = Functions.size();
  Function &F = Functions.emplace_back();
  F.Key = E.Key;
  F.Unit = Unit;
  F.Entry = Entry;
  // Its relative paths are relative to this directory.
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

/// The candidate whose main file shares the longest part of its path with that
/// of \p Unit; if there are several, the one that is the fewest directories
/// below the shared part.
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

/// \p File, which a unit in \p Directory names; unchanged if either is unknown.
static std::string absolutePath(const std::string &Directory,
                                const std::string &File) {
  if (Directory.empty() || File.empty())
    return File;
  llvm::SmallString<256> Path(File);
  llvm::sys::path::make_absolute(Directory, Path);
  llvm::sys::path::remove_dots(Path, /*remove_dot_dot=*/true);
  return Path.str().str();
}

void Program::resolvePath(UnitIndex Unit, std::string &File) {
  auto [It, New] = Paths.try_emplace({Unit, File});
  if (New)
    It->second = absolutePath(Units[Unit].Directory, File);
  File = It->second;
}

const std::vector<Registration> &Program::registrations() {
  if (Registered)
    return *Registered;
  Registered.emplace();
  for (UnitIndex U = 0; U < Units.size(); ++U)
    for (Registration Each : Units[U].Registrations) {
      if (Each.Function != None)
        Each.Function = resolve(U, Each.Function);
      resolvePath(U, Each.At.Loc.File);
      Registered->push_back(std::move(Each));
    }
  return *Registered;
}

std::vector<NolintLines> nolintOf(llvm::ArrayRef<UnitSummary> Units) {
  std::map<std::string, NolintLines> ByFile; // many units read a header
  std::set<std::pair<llvm::StringRef, llvm::StringRef>> Seen;
  for (const UnitSummary &Unit : Units)
    for (const NolintLines &Each : Unit.Nolint) {
      if (!Seen.insert({Unit.Directory, Each.File}).second)
        continue;
      std::string File = absolutePath(Unit.Directory, Each.File);
      ByFile.try_emplace(File, NolintLines{File, Each.Lines});
    }
  std::vector<NolintLines> Result;
  for (auto &[File, Lines] : ByFile)
    Result.push_back(std::move(Lines));
  return Result;
}

const Site &Program::site(Span S) {
  static const Site Nowhere;
  if (!S.Begin)
    return Nowhere;
  auto It = std::prev(Sites.upper_bound(S.Begin));
  SiteList &List = It->second;
  if (!List.Read) {
    List.Read = true;
    const Function &F = Functions[List.Of];
    List.Sites = decodeSites(bytesOf(List.Of));
    for (Site &Each : List.Sites) {
      resolvePath(F.Unit, Each.Loc.File);
      for (Place &P : Each.Loc.Written)
        resolvePath(F.Unit, P.File);
    }
  }
  size_t Index = S.Begin - It->first;
  return Index < List.Sites.size() ? List.Sites[Index] : Nowhere;
}

void Program::decode(FunctionId Id) {
  bool Again = Functions[Id].Decoded;
  Functions[Id].Decoded = true; // first, because resolving may return here
  UnitIndex U = Functions[Id].Unit;
  auto FirstSite = [&](size_t Count) {
    if (Again)
      return Functions[Id].FirstSite;
    unsigned First = NextSite;
    NextSite += Count;
    if (Count)
      Sites[First].Of = Id;
    return First;
  };
  FunctionInfo Info;
  std::unique_ptr<FlowGraph> Graph;
  unsigned First = 0;
  if (!decodeFunction(
          bytesOf(Id), Info, Graph,
          [&](FunctionKey K) { return resolve(U, K); },
          [&](size_t Count) { return First = FirstSite(Count); })) {
    // Damaged, in spite of the checksum: a function without a body.
    Info = FunctionInfo();
    Graph.reset();
  }
  Function &F = Functions[Id];
  F.Freed = false;
  F.FirstSite = First;
  F.Graph = std::move(Graph);
  if (F.Graph) {
    F.Blocks = F.Graph->Blocks.size();
    WithGraph.push_back(Id);
    GraphBytes += bytesOf(Id).size();
  }
  if (Again)
    return;
  if (auto It = Overriders.find(F.Key); It != Overriders.end())
    for (auto [From, Key] : It->second)
      if (FunctionId Over = resolve(From, Key);
          Over != None && !llvm::is_contained(Info.Overrides, Over))
        Info.Overrides.push_back(Over);
  F.Info = std::move(Info);
}

void Program::freeGraphs(size_t Bytes) {
  if (GraphBytes < Bytes)
    return;
  for (FunctionId F : WithGraph) {
    Functions[F].Graph.reset();
    Functions[F].Freed = true;
  }
  WithGraph.clear();
  GraphBytes = 0;
}

void Program::readGraph(FunctionId F,
                        llvm::function_ref<void(const FlowGraph &)> Use) {
  bool Freed = decoded(F).Freed;
  Use(*graph(F));
  if (!Freed)
    return;
  Functions[F].Graph.reset();
  Functions[F].Freed = true;
  WithGraph.erase(llvm::find(WithGraph, F));
  GraphBytes -= bytesOf(F).size();
}

bool Program::sharesUnit(FunctionId F, FunctionId User) const {
  UnitIndex U = Functions[User].Unit;
  std::optional<unsigned> Own = find(U, Functions[F].Key);
  return Own && Units[U].Functions[*Own].HasGraph && Ids[U][*Own] == F;
}

} // namespace cudagraph
