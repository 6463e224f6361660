//===- HeapWatch.cpp - The end of host memory that graphs use -------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An entry of a table is replaced only if it holds the function that the
// dynamic linker finds for its name, or is not bound yet. Therefore, a program
// with its own allocator keeps it, and the calls within it are not observed.
// The C library, the driver, and the probe keep their entries: they free no
// memory of the program.
//
//===----------------------------------------------------------------------===//

#include "HeapWatch.h"
#include <algorithm>
#include <atomic>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <map>
#include <mutex>
#include <string_view>
#include <sys/mman.h>
#include <unistd.h>
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
/// filter is read without the lock: a byte for each part of the memory, which
/// several parts share. It is 0 if nothing in them is watched.
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

  /// A byte that stays 1 is never 0 in between.
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

/// Set while this thread holds the lock: it may free memory of its own.
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

struct Hook {
  const char *Name;
  void *Real, *Ours;
};
Hook Hooks[3];

/// The functions of the program, which may come from an allocator that replaces
/// the one of the C library.
bool find() {
  auto Find = [](auto &Into, const char *Name) {
    Into = reinterpret_cast<std::decay_t<decltype(Into)>>(
        dlsym(RTLD_DEFAULT, Name));
    return Into != nullptr;
  };
  if (!Find(RealFree, "free") || !Find(RealRealloc, "realloc") ||
      !Find(RealUnmap, "munmap") || !Find(SizeOf, "malloc_usable_size"))
    return false;
  // One allocator must know the sizes of the memory that another allocator
  // frees.
  Dl_info OfFree = {}, OfSize = {};
  if (!dladdr(reinterpret_cast<void *>(RealFree), &OfFree) ||
      !dladdr(reinterpret_cast<void *>(SizeOf), &OfSize) ||
      OfFree.dli_fbase != OfSize.dli_fbase)
    return false;
  Hooks[0] = {"free", reinterpret_cast<void *>(RealFree),
              reinterpret_cast<void *>(hookedFree)};
  Hooks[1] = {"realloc", reinterpret_cast<void *>(RealRealloc),
              reinterpret_cast<void *>(hookedRealloc)};
  Hooks[2] = {"munmap", reinterpret_cast<void *>(RealUnmap),
              reinterpret_cast<void *>(hookedUnmap)};
  return true;
}

#if defined(__x86_64__)
constexpr unsigned long JumpSlot = R_X86_64_JUMP_SLOT,
                        DataSlot = R_X86_64_GLOB_DAT;
#elif defined(__aarch64__)
constexpr unsigned long JumpSlot = R_AARCH64_JUMP_SLOT,
                        DataSlot = R_AARCH64_GLOB_DAT;
#endif

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))

/// One loaded file: its relocations, and where they may be written.
class Module {
public:
  explicit Module(const dl_phdr_info &Info) : Bias(Info.dlpi_addr) {
    for (int I = 0; I < Info.dlpi_phnum; ++I) {
      const ElfW(Phdr) &H = Info.dlpi_phdr[I];
      uint64_t Begin = Bias + H.p_vaddr, End = Begin + H.p_memsz;
      if (H.p_type == PT_LOAD)
        Segments.emplace_back(Begin, End);
      else if (H.p_type == PT_GNU_RELRO)
        ReadOnly = {Begin, End};
      else if (H.p_type == PT_DYNAMIC)
        read(reinterpret_cast<const ElfW(Dyn) *>(Begin));
    }
  }

  bool holds(uint64_t Address) const {
    return std::any_of(Segments.begin(), Segments.end(), [&](auto Each) {
      return Each.first <= Address && Address < Each.second;
    });
  }

  void redirect() const {
    if (!Symbols || !Names)
      return;
    for (auto [Table, Bytes] : {Jumps, Data})
      for (uint64_t I = 0; Table && I < Bytes / sizeof *Table; ++I)
        redirect(Table[I]);
  }

private:
  uint64_t Bias;
  std::vector<std::pair<uint64_t, uint64_t>> Segments;
  std::pair<uint64_t, uint64_t> ReadOnly;
  const ElfW(Sym) *Symbols = nullptr;
  const char *Names = nullptr;
  std::pair<const ElfW(Rela) *, uint64_t> Jumps = {}, Data = {};

  void read(const ElfW(Dyn) * Each) {
    for (; Each->d_tag != DT_NULL; ++Each) {
      // The dynamic linker has added the bias, except in files of the kernel.
      uint64_t At = Each->d_un.d_ptr;
      if (At < Bias)
        At += Bias;
      if (Each->d_tag == DT_SYMTAB)
        Symbols = reinterpret_cast<const ElfW(Sym) *>(At);
      else if (Each->d_tag == DT_STRTAB)
        Names = reinterpret_cast<const char *>(At);
      else if (Each->d_tag == DT_JMPREL)
        Jumps.first = reinterpret_cast<const ElfW(Rela) *>(At);
      else if (Each->d_tag == DT_PLTRELSZ)
        Jumps.second = Each->d_un.d_val;
      else if (Each->d_tag == DT_RELA)
        Data.first = reinterpret_cast<const ElfW(Rela) *>(At);
      else if (Each->d_tag == DT_RELASZ)
        Data.second = Each->d_un.d_val;
    }
  }

  void redirect(const ElfW(Rela) & R) const {
    unsigned long Type = ELF64_R_TYPE(R.r_info);
    if (Type != JumpSlot && Type != DataSlot)
      return;
    const ElfW(Sym) &Symbol = Symbols[ELF64_R_SYM(R.r_info)];
    const char *Name = Names + Symbol.st_name;
    for (const Hook &H : Hooks) {
      if (std::strcmp(Name, H.Name) != 0)
        continue;
      auto *Slot = reinterpret_cast<std::atomic<void *> *>(Bias + R.r_offset);
      void *Old = *Slot;
      bool Unbound = Type == JumpSlot && Symbol.st_shndx == SHN_UNDEF &&
                     holds(reinterpret_cast<uint64_t>(Old));
      if (Old == H.Real || Unbound)
        write(Slot, H.Ours);
    }
  }

  void write(std::atomic<void *> *Slot, void *Value) const {
    auto Address = reinterpret_cast<uint64_t>(Slot);
    bool Protected = ReadOnly.first <= Address && Address < ReadOnly.second;
    uint64_t Size = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
    void *Page = reinterpret_cast<void *>(Address / Size * Size);
    if (Protected && mprotect(Page, Size, PROT_READ | PROT_WRITE))
      return;
    *Slot = Value;
    if (Protected)
      mprotect(Page, Size, PROT_READ);
  }
};

/// Whether the file keeps its entries.
bool isLeftAlone(const dl_phdr_info &Info, const Module &M) {
  static const char Mine = 0;
  std::string_view Path = Info.dlpi_name ? Info.dlpi_name : "";
  std::string_view File = Path.substr(Path.rfind('/') + 1);
  for (const char *Part :
       {"libc.so", "libc-", "ld-linux", "linux-vdso", "libdl.so", "libpthread",
        "libcuda.so", "libnvidia", "libcupti", "libnvrtc", "libcudadebugger"})
    if (File.starts_with(Part))
      return true;
  return M.holds(reinterpret_cast<uint64_t>(&Mine));
}

void redirectAll() {
  static unsigned long long Loaded = 0;
  unsigned long long Before = Loaded;
  dl_iterate_phdr(
      [](dl_phdr_info *Info, size_t, void *Since) {
        // Nothing was loaded since the last time.
        if (Info->dlpi_adds == *static_cast<unsigned long long *>(Since))
          return 1;
        Loaded = Info->dlpi_adds;
        if (Module M(*Info); !isLeftAlone(*Info, M))
          M.redirect();
        return 0;
      },
      &Before);
}

#else

void redirectAll() {}

#endif

} // namespace

bool HeapWatch::watch(const Ranges &More, Report To) {
#if !defined(__linux__) || !(defined(__x86_64__) || defined(__aarch64__))
  return false;
#endif
  static std::mutex Lock;
  std::lock_guard Guard(Lock);
  Own Mine;
  static const bool Found = find();
  if (!Found)
    return false;
  watched().To = To;
  for (auto [Address, Bytes] : More)
    watched().add(Address, Bytes);
  redirectAll();
  return true;
}

} // namespace cudagraph::probe
