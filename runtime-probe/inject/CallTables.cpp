//===- CallTables.cpp - Redirects the program's calls ---------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An entry of a table is replaced only if it holds the function that the
// dynamic linker finds for its name, or is not bound yet. The C library, the
// driver, and the probe keep their entries.
//
//===----------------------------------------------------------------------===//

#include "CallTables.h"
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <elf.h>
#include <link.h>
#include <string_view>
#include <sys/mman.h>
#include <unistd.h>

namespace cudagraph::probe {

namespace {

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

  void redirect(const std::vector<CallTables::Entry> &To) const {
    if (!Symbols || !Names)
      return;
    for (auto [Table, Bytes] : {Jumps, Data})
      for (uint64_t I = 0; Table && I < Bytes / sizeof *Table; ++I)
        redirect(Table[I], To);
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
      // The dynamic linker has added the bias, except in the vDSO.
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

  void redirect(const ElfW(Rela) & R,
                const std::vector<CallTables::Entry> &To) const {
    unsigned long Type = ELF64_R_TYPE(R.r_info);
    if (Type != JumpSlot && Type != DataSlot)
      return;
    const ElfW(Sym) &Symbol = Symbols[ELF64_R_SYM(R.r_info)];
    const char *Name = Names + Symbol.st_name;
    for (const CallTables::Entry &E : To) {
      if (std::strcmp(Name, E.Name) != 0)
        continue;
      auto *Slot = reinterpret_cast<std::atomic<void *> *>(Bias + R.r_offset);
      void *Old = *Slot;
      bool Unbound = Type == JumpSlot && Symbol.st_shndx == SHN_UNDEF &&
                     holds(reinterpret_cast<uint64_t>(Old));
      if (Old == E.Real || Unbound)
        write(Slot, E.Ours);
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

} // namespace

bool CallTables::isSupported() { return true; }

void CallTables::redirect() {
  struct Walk {
    CallTables &To;
    unsigned long long Before;
  } Now{*this, Loaded};
  dl_iterate_phdr(
      [](dl_phdr_info *Info, size_t, void *Data) {
        Walk &Now = *static_cast<Walk *>(Data);
        // Nothing has been loaded since the last time.
        if (Info->dlpi_adds == Now.Before)
          return 1;
        Now.To.Loaded = Info->dlpi_adds;
        if (Module M(*Info); !isLeftAlone(*Info, M))
          M.redirect(Now.To.Entries);
        return 0;
      },
      &Now);
}

#else

} // namespace

bool CallTables::isSupported() { return false; }
void CallTables::redirect() {}

#endif

} // namespace cudagraph::probe
