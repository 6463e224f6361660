//===- AvailableMemory.cpp - Memory that processes can still use ----------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Linux: MemAvailable and the limits of the control groups that contain this
// process. The file cache of a group counts as its memory, but is available.
//
//===----------------------------------------------------------------------===//

#include "AvailableMemory.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include <algorithm>
#include <string>

using namespace llvm;

namespace cudagraph::driver {
namespace {

std::string contentsOf(const Twine &Path) {
  // The reported size of these files is 0.
  auto Text = MemoryBuffer::getFileAsStream(Path);
  return Text ? (*Text)->getBuffer().str() : std::string();
}

std::optional<uint64_t> firstNumber(StringRef Text) {
  uint64_t Result;
  if (Text.trim().consumeInteger(10, Result))
    return std::nullopt;
  return Result;
}

/// The number after \p Name, which begins a line of \p Text.
std::optional<uint64_t> numberAfter(StringRef Text, StringRef Name) {
  for (StringRef Line : split(Text, '\n'))
    if (Line.consume_front(Name))
      return firstNumber(Line);
  return std::nullopt;
}

/// The memory that the control group in \p Folder can still use; std::nullopt
/// without a limit.
std::optional<uint64_t> availableIn(StringRef Folder) {
  std::optional<uint64_t> Limit =
                              firstNumber(contentsOf(Folder + "/memory.max")),
                          Used = firstNumber(
                              contentsOf(Folder + "/memory.current"));
  if (!Limit || !Used)
    return std::nullopt;
  uint64_t Cache =
      numberAfter(contentsOf(Folder + "/memory.stat"), "inactive_file ")
          .value_or(0);
  *Used -= std::min(*Used, Cache);
  return *Limit - std::min(*Limit, *Used);
}

} // namespace

std::optional<uint64_t> availableMemory() { return availableMemoryUnder(""); }

std::optional<uint64_t> availableMemoryUnder(StringRef Root) {
  std::optional<uint64_t> Result;
  if (auto Free =
          numberAfter(contentsOf(Root + "/proc/meminfo"), "MemAvailable:"))
    Result = *Free << 10;
  // "0::/user.slice/session", or "0::/" in most containers.
  SmallString<256> Top(Root);
  sys::path::append(Top, "sys", "fs", "cgroup");
  std::string Groups = contentsOf(Root + "/proc/self/cgroup");
  for (StringRef Line : split(Groups, '\n')) {
    if (!Line.consume_front("0::/"))
      continue;
    SmallString<256> Folder(Top);
    sys::path::append(Folder, Line);
    for (; Folder.size() >= Top.size(); sys::path::remove_filename(Folder))
      if (std::optional<uint64_t> Here = availableIn(Folder))
        Result = std::min(Result.value_or(*Here), *Here);
  }
  return Result;
}

uint64_t residentMemory(int64_t Id) {
  // The file begins with the size in pages and the part of it that is in
  // memory.
  std::string Text = contentsOf("/proc/" + Twine(Id) + "/statm");
  uint64_t Pages = firstNumber(StringRef(Text).split(' ').second).value_or(0);
  return Pages * sys::Process::getPageSizeEstimate();
}

} // namespace cudagraph::driver
