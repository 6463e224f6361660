//===- HeapWatch.cpp - The release of host memory of graphs ---------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program with its own allocator keeps it, and the calls within it are not
// observed. The C library, the driver, and the probe free no memory of the
// program.
//
//===----------------------------------------------------------------------===//

#include "HeapWatch.h"
#include "CallTables.h"
#include <algorithm>
#include <atomic>
#include <dlfcn.h>
#include <map>
#include <mutex>
#include <vector>

namespace cudagraph::probe {

namespace {

using Free = void (*)(void *);
using Realloc = void *(*)(void *, size_t);
using Unmap = int (*)(void *, size_t);
using UsableSize = size_t (*)(void *);

Free RealFree = nullptr;
Realloc RealRealloc = nullptr;
Unmap RealUnmap = nullptr;
UsableSize SizeOf = nullptr;

/// The watched memory. A thread that frees other memory must not wait, so the
/// filter is read without the lock. Each of its bytes stands for several parts
/// of the memory, and is 0 if nothing in them is watched.
class WatchedMemory {
public:
  void add(uint64_t Address, uint64_t Bytes) {
    std::lock_guard Guard(Lock);
    Most = std::max(Most, Bytes);
    uint64_t &Known = All[Address];
    Known = std::max(Known, Bytes);
    mark(Address, Bytes, [&](size_t Slot) { Filter[Slot] = 1; });
    Any = true;
  }

  bool mayHold(uint64_t Address, uint64_t Bytes) const {
    if (!Any)
      return false;
    if (Bytes > MostParts * Part)
      return true;
    bool Found = false;
    mark(Address, Bytes, [&](size_t Slot) { Found |= Filter[Slot]; });
    return Found;
  }

  /// Removes all ranges that overlap the block; returns whether there were any.
  bool end(uint64_t Address, uint64_t Bytes) {
    std::lock_guard Guard(Lock);
    auto It = All.lower_bound(Address - std::min(Most, Address));
    size_t Before = All.size();
    while (It != All.end() && It->first < Address + Bytes)
      It = It->first + It->second > Address ? All.erase(It) : std::next(It);
    Ended += Before - All.size();
    if (Ended > All.size() + ManyEnded)
      clean();
    return All.size() != Before;
  }

  std::atomic<HeapWatch::Report> To = nullptr;

private:
  static constexpr uint64_t Part = 256, MostParts = 16;
  static constexpr size_t Slots = 1 << 16, ManyEnded = 1024;
  std::mutex Lock;
  std::map<uint64_t, uint64_t> All; ///< under Lock
  uint64_t Most = 0;                ///< the largest size
  size_t Ended = 0;                 ///< since the filter was cleaned
  std::atomic<bool> Any = false;
  std::atomic<uint8_t> Filter[Slots] = {};

  template <typename F>
  static void mark(uint64_t Address, uint64_t Bytes, F Each) {
    uint64_t Last = (Address + std::max<uint64_t>(Bytes, 1) - 1) / Part;
    uint64_t First = Address / Part;
    if (Last - First >= Slots)
      Last = First + Slots - 1;
    for (; First <= Last; ++First)
      Each(First * 0x9E3779B97F4A7C15u >> 48);
  }

  /// Recomputes the filter. A byte that is 1 before and after is never 0 in
  /// between.
  void clean() {
    std::vector<uint8_t> Now(Slots);
    for (auto [Address, Bytes] : All)
      mark(Address, Bytes, [&](size_t Slot) { Now[Slot] = 1; });
    for (size_t I = 0; I < Slots; ++I)
      if (!Now[I])
        Filter[I] = 0;
    Any = !All.empty();
    Ended = 0;
  }
};

WatchedMemory &watched() {
  static WatchedMemory &Only = *new WatchedMemory;
  return Only;
}

/// Set while this thread holds the lock, because the thread may free its own
/// memory in the meantime.
thread_local bool Inside = false;

struct Own {
  Own() { Inside = true; }
  ~Own() { Inside = false; }
};

void ending(const char *Api, void *Memory, uint64_t Bytes) {
  auto Address = reinterpret_cast<uint64_t>(Memory);
  WatchedMemory &All = watched();
  if (!Memory || Inside || !All.mayHold(Address, Bytes))
    return;
  bool Ends = false;
  {
    Own Guard;
    Ends = All.end(Address, Bytes);
  }
  if (Ends)
    if (HeapWatch::Report To = All.To)
      To(Api, Address, Bytes);
}

void hookedFree(void *Memory) {
  if (Memory)
    ending("free", Memory, SizeOf(Memory));
  RealFree(Memory);
}

void *hookedRealloc(void *Memory, size_t Bytes) {
  if (!Memory)
    return RealRealloc(Memory, Bytes);
  uint64_t Before = SizeOf(Memory);
  void *Result = RealRealloc(Memory, Bytes);
  // A block that moved no longer exists at its old address.
  if (Result != Memory && (Result || !Bytes))
    ending("realloc", Memory, Before);
  return Result;
}

int hookedUnmap(void *Memory, size_t Bytes) {
  ending("munmap", Memory, Bytes);
  return RealUnmap(Memory, Bytes);
}

CallTables Tables;

/// Finds the functions that the program calls, which may come from an allocator
/// that replaces that of the C library.
bool find() {
  auto Find = [](auto &Into, const char *Name) {
    Into = reinterpret_cast<std::decay_t<decltype(Into)>>(
        dlsym(RTLD_DEFAULT, Name));
    return Into != nullptr;
  };
  if (!Find(RealFree, "free") || !Find(RealRealloc, "realloc") ||
      !Find(RealUnmap, "munmap") || !Find(SizeOf, "malloc_usable_size"))
    return false;
  // The functions that free memory and return its size must belong to one
  // allocator.
  Dl_info OfFree = {}, OfSize = {};
  if (!dladdr(reinterpret_cast<void *>(RealFree), &OfFree) ||
      !dladdr(reinterpret_cast<void *>(SizeOf), &OfSize) ||
      OfFree.dli_fbase != OfSize.dli_fbase)
    return false;
  Tables.add("free", reinterpret_cast<void *>(RealFree),
             reinterpret_cast<void *>(hookedFree));
  Tables.add("realloc", reinterpret_cast<void *>(RealRealloc),
             reinterpret_cast<void *>(hookedRealloc));
  Tables.add("munmap", reinterpret_cast<void *>(RealUnmap),
             reinterpret_cast<void *>(hookedUnmap));
  return true;
}

} // namespace

bool HeapWatch::watch(const Ranges &More, Report To) {
  if (!CallTables::isSupported())
    return false;
  static std::mutex Lock;
  std::lock_guard Guard(Lock);
  Own Mine;
  static const bool Found = find();
  if (!Found)
    return false;
  watched().To = To;
  for (auto [Address, Bytes] : More)
    watched().add(Address, Bytes);
  Tables.redirect();
  return true;
}

} // namespace cudagraph::probe
