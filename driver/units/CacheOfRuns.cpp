//===- CacheOfRuns.cpp - The last run in the cache ------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The files of a run are all files whose contents or existence the run has used
// for any unit, each once. If a file changes during the run, its units may have
// seen different contents, and the run is not stored.
//
//===----------------------------------------------------------------------===//

#include "Cache.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace cudagraph::driver {

void Cache::noteFiles(ArrayRef<FileUse> Files) {
  for (const FileUse &F : Files)
    if (F.Hash == FileUse::Present)
      FilesChanged |= !Exist.try_emplace(F.Path, true).first->second;
    else
      FilesChanged |=
          Hashes.try_emplace(F.Path, F.Hash).first->second != F.Hash;
}

std::optional<LastRun> Cache::loadRun(uint64_t Key) {
  std::optional<std::string> Bytes = read("run", Key);
  LastRun Result;
  if (!Bytes)
    return std::nullopt;
  auto Damaged = [&] {
    noteDamage("run", Key, "is damaged: it cannot be read");
    return std::nullopt;
  };
  RunReader Reader(*Bytes);
  if (!Reader.files(Result))
    return Damaged();
  if (!all_of(Result.Files, [&](const FileUse &F) { return holds(F); }))
    return std::nullopt;
  if (!Reader.rest(Result))
    return Damaged();
  size_t Before = Damage.size();
  for (const UnitResult::Walk &Each : Result.Found.Walks) {
    std::optional<RootResult> One = readRoot(Each.Key);
    if (!One) {
      Damage.resize(Before); // load() will find it
      return std::nullopt;
    }
    Result.Found.Results.push_back(std::move(*One));
  }
  Asked += Result.Found.Walks.size();
  Found += Result.Found.Walks.size();
  return Result;
}

void Cache::beginRun(uint64_t Key, std::vector<UnitSummary> &Units,
                     std::vector<std::string> Skipped) {
  if (!enabled() || FilesChanged)
    return;
  std::vector<FileUse> Files;
  for (const auto &Each : Hashes)
    Files.push_back({Each.getKey().str(), Each.getValue()});
  for (const auto &Each : Exist)
    Files.push_back({Each.getKey().str(),
                     Each.getValue() ? FileUse::Present : FileUse::Absent});
  llvm::sort(Files, [](const FileUse &A, const FileUse &B) {
    return std::tie(A.Path, A.Hash) < std::tie(B.Path, B.Hash);
  });
  Run.begin(std::move(Files), Units, std::move(Skipped));
  RunKey = Key;
}

void Cache::endRun(std::vector<UnitResult::Walk> Walks) {
  if (!RunKey)
    return;
  if (std::string Bytes = Run.finish(std::move(Walks)); !Bytes.empty())
    write("run", *RunKey, Bytes);
  RunKey.reset();
}

} // namespace cudagraph::driver
