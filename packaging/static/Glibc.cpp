//===- Glibc.cpp - Lets programs run with an older glibc ------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A linker uses the newest version of each symbol of the installed glibc, so
// the program does not start with an older glibc, even if it needs no new
// function. For each symbol that has a version newer than GLIBC_2.28, this file
// defines a hidden function of the same name that calls the older version, or
// does the work. test/packaging/release.test states the resulting version.
//
// Before GLIBC_2.34, threads and dlopen are in separate libraries, so the
// program names these libraries; newer systems have empty files instead.
//
//===----------------------------------------------------------------------===//

#include <cstdint>

#if defined(__x86_64__) && defined(__GLIBC__)

#include <ctime>
#include <dlfcn.h>
#include <link.h>
#include <malloc.h>
#include <pthread.h>
#include <sys/random.h>
#include <sys/stat.h>

// Jumps to the function to which the name referred before.
#define OLDER(NAME, VERSION)                                                   \
  asm(".section .text." #NAME ",\"ax\",@progbits\n"                            \
      ".p2align 4\n"                                                           \
      ".globl " #NAME "\n"                                                     \
      ".hidden " #NAME "\n"                                                    \
      ".type " #NAME ", @function\n" #NAME ":\n"                               \
      "  jmp *cudagraph_older_" #NAME "@GOTPCREL(%rip)\n"                      \
      ".size " #NAME ", .-" #NAME "\n"                                         \
      ".text\n"                                                                \
      ".symver cudagraph_older_" #NAME ", " #NAME "@GLIBC_" VERSION "\n");

// Functions that moved to libc.so.6 in 2.32 and 2.34.
OLDER(__pthread_key_create, "2.2.5")
OLDER(dladdr, "2.2.5")
OLDER(dlclose, "2.2.5")
OLDER(dlerror, "2.2.5")
OLDER(dlopen, "2.2.5")
OLDER(dlsym, "2.2.5")
OLDER(pthread_attr_getstack, "2.2.5")
OLDER(pthread_attr_setstacksize, "2.2.5")
OLDER(pthread_create, "2.2.5")
OLDER(pthread_detach, "2.2.5")
OLDER(pthread_getattr_np, "2.2.5")
OLDER(pthread_getname_np, "2.12")
OLDER(pthread_getspecific, "2.2.5")
OLDER(pthread_join, "2.2.5")
OLDER(pthread_key_create, "2.2.5")
OLDER(pthread_key_delete, "2.2.5")
OLDER(pthread_mutex_trylock, "2.2.5")
OLDER(pthread_once, "2.2.5")
OLDER(pthread_rwlock_destroy, "2.2.5")
OLDER(pthread_rwlock_init, "2.2.5")
OLDER(pthread_rwlock_rdlock, "2.2.5")
OLDER(pthread_rwlock_tryrdlock, "2.2.5")
OLDER(pthread_rwlock_trywrlock, "2.2.5")
OLDER(pthread_rwlock_unlock, "2.2.5")
OLDER(pthread_rwlock_wrlock, "2.2.5")
OLDER(pthread_setname_np, "2.12")
OLDER(pthread_setspecific, "2.2.5")
OLDER(pthread_sigmask, "2.2.5")

// Functions that have not set errno since 2.29; no caller here reads it.
OLDER(exp, "2.2.5")
OLDER(exp2, "2.2.5")
OLDER(log, "2.2.5")
OLDER(log2, "2.2.5")
OLDER(pow, "2.2.5")

#define HIDDEN extern "C" __attribute__((visibility("hidden"), used))

using Start = void (*)(int, char **, char **);

extern "C" {
extern Start __preinit_array_start[] __attribute__((visibility("hidden")));
extern Start __preinit_array_end[] __attribute__((visibility("hidden")));
extern Start __init_array_start[] __attribute__((visibility("hidden")));
extern Start __init_array_end[] __attribute__((visibility("hidden")));
void _init();

int cudagraph_older_start(int (*)(int, char **, char **), int, char **,
                          Start Init, void (*Fini)(), void (*LoaderFini)(),
                          void *Stack);
asm(".symver cudagraph_older_start, __libc_start_main@GLIBC_2.2.5");

int cudagraph_older_xstat(int, const char *, struct stat *);
int cudagraph_older_fxstat(int, int, struct stat *);
int cudagraph_older_lxstat(int, const char *, struct stat *);
asm(".symver cudagraph_older_xstat, __xstat@GLIBC_2.2.5");
asm(".symver cudagraph_older_fxstat, __fxstat@GLIBC_2.2.5");
asm(".symver cudagraph_older_lxstat, __lxstat@GLIBC_2.2.5");
}

/// Before 2.34, crt1.o linked this into each program: the loader calls the
/// constructors of libraries, but not those of the program.
static void construct(int Argc, char **Argv, char **Environment) {
  for (Start *Each = __preinit_array_start; Each != __preinit_array_end; ++Each)
    (*Each)(Argc, Argv, Environment);
  _init();
  for (Start *Each = __init_array_start; Each != __init_array_end; ++Each)
    (*Each)(Argc, Argv, Environment);
}

/// The loader also calls the destructors of programs.
static void destruct() {}

HIDDEN int __libc_start_main(int (*Main)(int, char **, char **), int Argc,
                             char **Argv, Start, void (*)(),
                             void (*LoaderFini)(), void *Stack) {
  return cudagraph_older_start(Main, Argc, Argv, construct, destruct,
                               LoaderFini, Stack);
}

// One argument selects the version of struct stat; there is only one.
HIDDEN int stat(const char *Path, struct stat *To) noexcept {
  return cudagraph_older_xstat(1, Path, To);
}
HIDDEN int lstat(const char *Path, struct stat *To) noexcept {
  return cudagraph_older_lxstat(1, Path, To);
}
HIDDEN int fstat(int File, struct stat *To) noexcept {
  return cudagraph_older_fxstat(1, File, To);
}
HIDDEN int fstat64(int File, struct stat64 *To) noexcept {
  return cudagraph_older_fxstat(1, File, reinterpret_cast<struct stat *>(To));
}

/// 0 means that other threads may exist; it is always safe to assume this.
HIDDEN const char __libc_single_threaded = 0;

HIDDEN uint32_t arc4random() noexcept {
  uint32_t Result = 0;
  while (getrandom(&Result, sizeof Result, 0) != sizeof Result) {
  }
  return Result;
}

HIDDEN struct mallinfo2 mallinfo2() noexcept {
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
  struct mallinfo Old = mallinfo();
#pragma clang diagnostic pop
  // A value over 4 GiB wraps around, as in older versions.
  struct mallinfo2 Result = {};
  Result.arena = static_cast<unsigned>(Old.arena);
  Result.hblkhd = static_cast<unsigned>(Old.hblkhd);
  Result.uordblks = static_cast<unsigned>(Old.uordblks);
  Result.fordblks = static_cast<unsigned>(Old.fordblks);
  return Result;
}

HIDDEN int pthread_cond_clockwait(pthread_cond_t *Condition,
                                  pthread_mutex_t *Mutex, clockid_t Clock,
                                  const struct timespec *Until) {
  // The same time on the clock that pthread_cond_timedwait reads.
  constexpr int64_t Second = 1000000000;
  auto In = [](clockid_t Which) {
    timespec Now;
    clock_gettime(Which, &Now);
    return Now.tv_sec * Second + Now.tv_nsec;
  };
  int64_t At =
      Until->tv_sec * Second + Until->tv_nsec - In(Clock) + In(CLOCK_REALTIME);
  timespec Real = {At / Second, At % Second};
  return pthread_cond_timedwait(Condition, Mutex, &Real);
}

/// libgcc calls this to find the unwind table of \p Address.
HIDDEN int _dl_find_object(void *Address, struct dl_find_object *Result) {
  struct Search {
    uintptr_t Address;
    struct dl_find_object *Result;
  } S = {reinterpret_cast<uintptr_t>(Address), Result};
  auto Visit = [](dl_phdr_info *Info, size_t, void *Data) {
    auto *S = static_cast<Search *>(Data);
    const ElfW(Phdr) *Table = nullptr, *Segment = nullptr;
    for (int I = 0; I < Info->dlpi_phnum; ++I) {
      const ElfW(Phdr) &P = Info->dlpi_phdr[I];
      if (P.p_type == PT_GNU_EH_FRAME)
        Table = &P;
      else if (P.p_type == PT_LOAD &&
               S->Address - (Info->dlpi_addr + P.p_vaddr) < P.p_memsz)
        Segment = &P;
    }
    if (!Segment)
      return 0;
    if (!Table)
      return -1;
    uintptr_t Begin = Info->dlpi_addr + Segment->p_vaddr;
    *S->Result = {};
    S->Result->dlfo_map_start = reinterpret_cast<void *>(Begin);
    S->Result->dlfo_map_end =
        reinterpret_cast<void *>(Begin + Segment->p_memsz);
    S->Result->dlfo_eh_frame =
        reinterpret_cast<void *>(Info->dlpi_addr + Table->p_vaddr);
    return 1;
  };
  return dl_iterate_phdr(Visit, &S) == 1 ? 0 : -1;
}

#endif
