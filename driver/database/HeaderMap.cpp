//===- HeaderMap.cpp - The source that includes a header ------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HeaderMap.h"
#include "driver/support/InputBuffer.h"
#include "driver/support/Paths.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <numeric>
#include <tuple>

using namespace llvm;

namespace cudagraph::driver {
namespace {

/// True if both are the same file, possibly through a link.
bool isSameFile(StringRef A, StringRef B) {
  return A == B || (sys::path::filename(A) == sys::path::filename(B) &&
                    sys::fs::equivalent(A, B));
}

size_t commonLength(StringRef A, StringRef B) {
  size_t I = 0;
  while (I < A.size() && I < B.size() && A[I] == B[I])
    ++I;
  return I;
}

} // namespace

void readIncludeOptions(ArrayRef<std::string> Args, StringRef Directory,
                        IncludingSource &Source) {
  std::vector<std::string> Angled;
  for (size_t I = 0; I < Args.size(); ++I) {
    StringRef Arg = Args[I];
    auto Value = [&](StringRef Option) -> std::optional<std::string> {
      if (!Arg.consume_front(Option))
        return std::nullopt;
      if (Arg.empty() && I + 1 < Args.size())
        return absolutePath(Args[++I], Directory);
      return absolutePath(Arg, Directory);
    };
    if (auto Dir = Value("-iquote"))
      Source.Dirs.push_back(std::move(*Dir));
    else if (auto Dir = Value("-I"))
      Angled.push_back(std::move(*Dir));
    else if (Arg == "-include")
      Source.Forced.push_back(Value("-include").value());
  }
  append_range(Source.Dirs, Angled);
}

HeaderMap::HeaderMap(std::vector<IncludingSource> Sources)
    : Sources(std::move(Sources)) {}

bool HeaderMap::exists(StringRef Path) {
  auto [Found, New] = Exists.try_emplace(Path);
  if (New)
    Found->second = sys::fs::is_regular_file(Path);
  return Found->second;
}

ArrayRef<HeaderMap::Include> HeaderMap::includesOf(StringRef File) {
  auto [Found, New] = Scanned.try_emplace(File);
  std::vector<Include> &Result = Found->second;
  if (!New)
    return Result;
  std::unique_ptr<MemoryBuffer> Buffer = tryReadBuffer(File);
  if (!Buffer)
    return Result;
  StringRef Text = Buffer->getBuffer();
  while (!Text.empty()) {
    StringRef Line;
    std::tie(Line, Text) = Text.split('\n');
    Line = Line.ltrim();
    if (!Line.consume_front("#"))
      continue;
    Line = Line.ltrim();
    if (!Line.consume_front("include"))
      continue;
    Line.consume_front("_next");
    Line = Line.ltrim();
    bool Quoted = Line.consume_front("\"");
    if (!Quoted && !Line.consume_front("<"))
      continue; // a macro
    size_t End = Line.find(Quoted ? '"' : '>');
    if (End != StringRef::npos)
      Result.push_back({Line.take_front(End).str(), Quoted});
  }
  return Result;
}

std::vector<std::string> HeaderMap::included(StringRef File,
                                             const IncludingSource &Source,
                                             bool IsMain) {
  std::vector<std::string> Result;
  if (IsMain)
    Result = Source.Forced;
  for (const Include &I : includesOf(File)) {
    if (I.Quoted) {
      std::string Beside = absolutePath(I.Name, sys::path::parent_path(File));
      if (exists(Beside)) {
        Result.push_back(std::move(Beside));
        continue;
      }
    }
    for (const std::string &Dir : Source.Dirs) {
      std::string Path = absolutePath(I.Name, Dir);
      if (!exists(Path))
        continue;
      Result.push_back(std::move(Path));
      break;
    }
  }
  return Result;
}

std::optional<HeaderUser> HeaderMap::find(StringRef Header) {
  StringRef Stem = sys::path::stem(Header);
  bool Cuda = hasCudaExtension(Header);
  std::vector<size_t> Order(Sources.size());
  std::iota(Order.begin(), Order.end(), 0);
  // In order of preference: a source with the name of the header, in its
  // language, near it.
  sort(Order, [&](size_t A, size_t B) {
    auto Key = [&](size_t I) {
      const IncludingSource &S = Sources[I];
      return std::tuple(sys::path::stem(S.File) != Stem, Cuda && !S.Cuda,
                        ~commonLength(S.File, Header), StringRef(S.File), I);
    };
    return Key(A) < Key(B);
  });

  std::optional<HeaderUser> Direct, Transitive;
  // Files that a source with the same directories has visited are not visited
  // again.
  StringMap<StringSet<>> SeenWith;
  for (size_t Index : Order) {
    const IncludingSource &Source = Sources[Index];
    bool SameStem = sys::path::stem(Source.File) == Stem;
    if (!SameStem && Direct)
      break; // the other candidates are not better
    StringSet<> &Seen = SeenWith[join(Source.Dirs, "\n")];
    // Each file to visit and the source with the header's name that led to it.
    std::vector<std::pair<std::string, std::string>> Work;
    for (std::string &File : included(Source.File, Source, /*IsMain=*/true)) {
      if (isSameFile(File, Header)) {
        HeaderUser User{Index, ""};
        if (SameStem)
          return User;
        if (!Direct)
          Direct = User;
      }
      if (Seen.insert(File).second)
        Work.emplace_back(File, File);
    }
    bool Reached = false;
    std::string Through;
    while (!Work.empty() && !Reached && !(Transitive && !SameStem)) {
      auto [File, First] = std::move(Work.back());
      Work.pop_back();
      for (std::string &Next : included(File, Source, /*IsMain=*/false)) {
        if (isSameFile(Next, Header)) {
          Reached = true;
          Through = First;
          break;
        }
        if (Seen.insert(Next).second)
          Work.emplace_back(std::move(Next), First);
      }
    }
    if (!Reached)
      continue;
    if (SameStem)
      return HeaderUser{Index, Through};
    if (!Transitive)
      Transitive = HeaderUser{Index, Through};
  }
  return Direct ? Direct : Transitive;
}

} // namespace cudagraph::driver
