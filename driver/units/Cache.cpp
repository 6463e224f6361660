//===- Cache.cpp - The cache of earlier results ---------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// "files": by unit, the sets of input files, newest first. "unit": by unit and
// the contents of these files, the summary. "root": the findings from a root,
// by everything that it reaches. "scan": by unit, its includes. "words": by the
// contents of a file, the names in it. "preamble": by arguments and leading
// includes, the files read and facts about them; "pch": by these and the
// contents of the files, the precompiled header. "run": by all units, what
// their last run found; see LastRun.h. LLVM's pruning bounds the total size.
//
//===----------------------------------------------------------------------===//

#include "Cache.h"
#include "analysis/ir/Archive.h"
#include "driver/support/InputBuffer.h"
#include "support/InputFile.h"
#include "support/OutputFile.h"
#include "clang/Basic/Version.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CachePruning.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/xxhash.h"
#include <algorithm>
#include <chrono>

using namespace llvm;

namespace cudagraph::driver {
namespace {

/// The number of file sets that are kept for one unit, for switching between
/// branches.
constexpr size_t MostSets = 6;

using FileSet = std::vector<FileUse>;

uint64_t mix(uint64_t Seed, StringRef Text) {
  std::string All = std::to_string(Seed) + ":" + Text.str();
  return xxh3_64bits(StringRef(All));
}

uint64_t keyOf(uint64_t Unit, const FileSet &Files) {
  std::string All;
  auto Add = [&](uint64_t N) {
    All.append(reinterpret_cast<const char *>(&N), sizeof(N));
  };
  Add(Unit);
  for (const FileUse &F : Files) {
    Add(F.Path.size());
    All += F.Path;
    Add(F.Hash);
  }
  return xxh3_64bits(StringRef(All));
}

/// What is known about the last parses of a unit.
struct History {
  uint64_t Milliseconds = 0; ///< of the last
  std::vector<FileSet> Sets; ///< newest first
};

template <typename A> void fields(A &Ar, History &H) {
  Ar.num(H.Milliseconds);
  Ar.list(H.Sets, [&](FileSet &Set) {
    Ar.list(Set, [&](FileUse &F) {
      Ar.text(F.Path);
      Ar.num(F.Hash);
    });
  });
}

/// The history in \p Bytes; empty if they are damaged.
History historyIn(const std::optional<std::string> &Bytes) {
  History Result;
  if (!Bytes)
    return Result;
  ArchiveReader Ar(*Bytes);
  fields(Ar, Result);
  return Ar.failed() ? History() : Result;
}

/// The CPU time of this process, a worker.
uint64_t millisecondsUsed() {
  sys::TimePoint<> Now;
  std::chrono::nanoseconds User, System;
  sys::Process::GetTimeUsage(Now, User, System);
  return std::chrono::duration_cast<std::chrono::milliseconds>(User + System)
      .count();
}

} // namespace

Cache::Cache(std::string Given, const std::string &Program)
    : Directory(std::move(Given)) {
  if (Directory.empty())
    return;
  // A different build of this program, or a different Clang, may produce
  // different results.
  auto Self = MemoryBuffer::getFile(Program, /*IsText=*/false,
                                    /*RequiresNullTerminator=*/false);
  Tool = mix(Self ? xxh3_64bits((*Self)->getBuffer()) : 0,
             clang::getClangFullVersion());
}

std::string Cache::defaultDirectory() {
  SmallString<128> Path;
  // LLVM's function for this creates clangd's directory on some systems.
  if (auto Xdg = sys::Process::GetEnv("XDG_CACHE_HOME");
      Xdg && sys::path::is_absolute(*Xdg))
    Path = *Xdg;
  else if (sys::path::home_directory(Path))
    sys::path::append(Path, ".cache");
  else
    return "";
  sys::path::append(Path, "cudagraph-tidy");
  return Path.str().str();
}

uint64_t Cache::unitKey(const std::vector<std::string> &Args,
                        const std::string &Where) const {
  std::string All = Where + "\n" + join(Args, "\n");
  // Other directories in which Clang searches for headers.
  for (const char *Name : {"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH"})
    All += "\n" + sys::Process::GetEnv(Name).value_or("");
  return mix(Tool, All);
}

std::string Cache::pathOf(StringRef Kind, uint64_t Key) const {
  SmallString<256> Path(Directory);
  // The prefix by which LLVM's pruning identifies files that it may remove.
  sys::path::append(Path, "llvmcache-" + Kind + "-" +
                              utohexstr(Key, /*LowerCase=*/true, 16));
  return Path.str().str();
}

void Cache::noteDamage(StringRef Kind, uint64_t Key, StringRef Why) {
  Damage.push_back(
      (pathOf(Kind, Key) + " " + Why + "; its contents will be recomputed")
          .str());
}

std::optional<std::string> Cache::read(StringRef Kind, uint64_t Key) {
  if (!enabled())
    return std::nullopt;
  std::string Result;
  if (support::readInput(pathOf(Kind, Key), support::Bound::Data, Result))
    return std::nullopt;
  // Files that remain after a full disk or a crash count as missing.
  StringRef Bytes = Result;
  uint64_t Sum;
  if (Bytes.size() < 16 || Bytes.take_back(16).getAsInteger(16, Sum) ||
      Sum != xxh3_64bits(Bytes.drop_back(16))) {
    noteDamage(Kind, Key, "is damaged: its checksum is wrong");
    return std::nullopt;
  }
  Result.resize(Result.size() - 16);
  return Result;
}

void Cache::write(StringRef Kind, uint64_t Key, StringRef Bytes) {
  if (!enabled() || Broken)
    return;
  auto Fail = [&](const std::string &Why) {
    Broken = true;
    Problem = "cannot store results in " + Directory + ": " + Why +
              "; continuing without them (--cache-dir selects a different "
              "directory, and --no-cache disables the cache)";
  };
  if (std::error_code EC = sys::fs::create_directories(Directory))
    return Fail(EC.message());
  std::string Sum = utohexstr(xxh3_64bits(Bytes), /*LowerCase=*/true, 16);
  if (Error E = support::writeOutput(pathOf(Kind, Key), Bytes.str() + Sum))
    Fail(toString(std::move(E)));
}

uint64_t Cache::hashOf(StringRef Path) {
  auto [It, New] = Hashes.try_emplace(Path, FileUse::Absent);
  if (!New)
    return It->second;
  sys::fs::file_status Status;
  std::error_code EC = sys::fs::status(Path, Status);
  if (EC && saysAbsent(EC))
    return It->second;
  std::unique_ptr<MemoryBuffer> Buffer;
  if (!EC)
    Buffer = tryReadBuffer(Path);
  It->second = Buffer ? contentHash(Buffer->getBuffer()) : FileUse::Unreadable;
  return It->second;
}

/// True if Clang would find \p F in the same way.
bool Cache::holds(const FileUse &F) {
  if (F.Hash != FileUse::Present)
    return hashOf(F.Path) == F.Hash;
  auto [It, New] = Exist.try_emplace(F.Path, false);
  if (New)
    It->second = sys::fs::exists(F.Path);
  return It->second;
}

std::optional<UnitSummary> Cache::loadUnit(uint64_t Key,
                                           std::vector<FileUse> &Files,
                                           CheckedFunctions &Checked) {
  std::optional<std::string> Bytes = read("files", Key);
  if (!Bytes)
    return std::nullopt;
  History Past;
  ArchiveReader Ar(*Bytes);
  fields(Ar, Past);
  if (Ar.failed()) {
    noteDamage("files", Key, "is damaged: it cannot be read");
    return std::nullopt;
  }
  for (FileSet &Set : Past.Sets) {
    if (!all_of(Set, [&](const FileUse &F) { return holds(F); }))
      continue;
    std::optional<std::string> Found = read("unit", keyOf(Key, Set));
    if (!Found)
      continue;
    Expected<UnitSummary> Unit = decodeSummary(std::move(*Found), &Checked);
    if (Unit) {
      Files = std::move(Set);
      return std::move(*Unit);
    }
    noteDamage("unit", keyOf(Key, Set), toString(Unit.takeError()));
  }
  return std::nullopt;
}

size_t Cache::timesParsed(uint64_t Key) {
  return historyIn(read("files", Key)).Sets.size();
}

double Cache::lastTime(uint64_t Key) {
  return historyIn(read("files", Key)).Milliseconds / 1000.0;
}

void Cache::storeUnit(uint64_t Key, const ParsedUnit &Unit) {
  // Errors of the source depend on the files that were read and on names that
  // were not found, and Files contains both. A unit that failed has no files,
  // nor does one whose command Clang rejected.
  if (!enabled() || !Unit.Summary.Failure.empty() || Unit.Files.empty())
    return;
  write("unit", keyOf(Key, Unit.Files), encodeSummary(Unit.Summary));
  History Past = historyIn(read("files", Key));
  std::vector<FileSet> &Sets = Past.Sets;
  uint64_t Own = keyOf(Key, Unit.Files);
  llvm::erase_if(Sets, [&](const FileSet &S) { return keyOf(Key, S) == Own; });
  Sets.insert(Sets.begin(), Unit.Files);
  if (Sets.size() > MostSets)
    Sets.resize(MostSets);
  Past.Milliseconds = std::max<uint64_t>(millisecondsUsed(), 1);
  ArchiveWriter Ar;
  fields(Ar, Past);
  write("files", Key, Ar.take());
}

std::optional<UnitScan> Cache::loadScan(uint64_t Key) {
  std::optional<std::string> Bytes = read("scan", Key);
  UnitScan Result;
  if (!Bytes || !decodeScan(*Bytes, Result) ||
      !all_of(Result.Files, [&](const FileUse &F) { return holds(F); }))
    return std::nullopt;
  return Result;
}

void Cache::storeScan(uint64_t Key, const UnitScan &Scan) {
  if (!Scan.Files.empty())
    write("scan", Key, encodeScan(Scan));
}

std::optional<FileWords> Cache::loadWords(uint64_t Contents) {
  std::optional<std::string> Bytes = read("words", Contents ^ Tool);
  FileWords Result;
  if (!Bytes || !decodeWords(*Bytes, Result))
    return std::nullopt;
  return Result;
}

void Cache::storeWords(uint64_t Contents, const FileWords &Words) {
  write("words", Contents ^ Tool, encodeWords(Words));
}

std::optional<Preamble> Cache::loadPreamble(uint64_t Key) {
  std::optional<std::string> Bytes = read("preamble", Key);
  Preamble Result;
  if (!Bytes)
    return std::nullopt;
  if (!decodePreamble(*Bytes, Result)) {
    noteDamage("preamble", Key, "is damaged: it cannot be read");
    return std::nullopt;
  }
  if (!all_of(Result.Files, [&](const FileUse &F) { return holds(F); }))
    return std::nullopt;
  return Result;
}

bool Cache::writable() const {
  return enabled() && !sys::fs::create_directories(Directory) &&
         sys::fs::is_directory(Directory) &&
         !sys::fs::access(Directory, sys::fs::AccessMode::Write);
}

bool Cache::storePreamble(uint64_t Key, const Preamble &P) {
  // The precompiled header of the earlier state is removed, because it is
  // large.
  if (std::optional<std::string> Known = read("preamble", Key)) {
    Preamble Old;
    std::string Path = precompiledPath(Key, P);
    if (decodePreamble(*Known, Old) && precompiledPath(Key, Old) != Path)
      (void)sys::fs::remove(precompiledPath(Key, Old));
  }
  write("preamble", Key, encodePreamble(P));
  return enabled() && !Broken;
}

std::string Cache::precompiledPath(uint64_t Key, const Preamble &P) const {
  // Two runs may write different bytes with the same meaning.
  return pathOf("pch", mix(Key, utostr(P.Number)));
}

void Cache::noteBadPreamble(uint64_t Key) {
  noteDamage("preamble", Key, "has a damaged precompiled header");
}

std::optional<RootResult> Cache::readRoot(uint64_t Key) {
  std::optional<RootResult> Result;
  if (std::optional<std::string> Bytes = read("root", Key ^ Tool)) {
    Result = decodeResult(*Bytes);
    if (!Result)
      noteDamage("root", Key ^ Tool, "is damaged: it cannot be read");
  }
  return Result;
}

std::optional<RootResult> Cache::load(uint64_t Key) {
  std::optional<RootResult> Result = readRoot(Key);
  ++Asked;
  Found += Result.has_value();
  return Result;
}

void Cache::store(uint64_t Key, const RootResult &Result) {
  if (enabled() && !Broken)
    write("root", Key ^ Tool, encodeResult(Result));
}

void Cache::prune() const {
  if (!enabled())
    return;
  CachePruningPolicy Policy;
  Policy.Interval = std::chrono::minutes(20);
  Policy.Expiration = std::chrono::hours(24 * 30);
  Policy.MaxSizePercentageOfAvailableSpace = 20;
  Policy.MaxSizeBytes = 2ull << 30;
  Policy.MaxSizeFiles = 100'000;
  pruneCache(Directory, Policy);
}

} // namespace cudagraph::driver
