//===- NcclWatch.cpp - The end of NCCL's communicators --------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernels receive the address of a structure on the device. The program has
// the address of a structure on the host, which contains the first address at
// an offset that depends on the version of NCCL.
//
//===----------------------------------------------------------------------===//

#include "NcclWatch.h"
#include "CallTables.h"
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <dlfcn.h>
#include <mutex>
#include <string_view>
#include <sys/uio.h>
#include <unistd.h>

namespace cudagraph::probe {

namespace {

using End = int (*)(void *Communicator);

End RealDestroy = nullptr, RealAbort = nullptr;
std::mutex Lock;
std::vector<uint64_t> Words; ///< under Lock, sorted
std::atomic<NcclWatch::Report> To = nullptr;
CallTables Tables; ///< under Lock

/// Returns the known words in the structure at \p Communicator and forgets
/// them. A read by the kernel fails where a direct read would crash the
/// process.
std::vector<uint64_t> wordsIn(const void *Communicator) {
  // The offset is 1,069,096 in NCCL 2.28.9, and 1,184,344 in 2.30.7.
  constexpr size_t Part = 4096, Most = 4 << 20;
  std::vector<uint64_t> Found;
  uint64_t Buffer[Part / sizeof(uint64_t)];
  auto Address = reinterpret_cast<uint64_t>(Communicator);
  // A part does not cross a page, which may be the last one.
  for (uint64_t At = Address; At < Address + Most && Found.empty();) {
    uint64_t Bytes = Part - At % Part;
    iovec Mine{Buffer, Bytes}, Its{reinterpret_cast<void *>(At), Bytes};
    if (process_vm_readv(getpid(), &Mine, 1, &Its, 1, 0) !=
        static_cast<ssize_t>(Bytes))
      break;
    for (size_t I = 0; I < Bytes / sizeof(uint64_t); ++I)
      if (auto It = std::lower_bound(Words.begin(), Words.end(), Buffer[I]);
          It != Words.end() && *It == Buffer[I]) {
        Found.push_back(*It);
        Words.erase(It);
      }
    At += Bytes;
  }
  return Found;
}

void ending(const char *Api, void *Communicator) {
  std::vector<uint64_t> Found;
  {
    std::lock_guard Guard(Lock);
    Found = wordsIn(Communicator);
  }
  if (NcclWatch::Report Report = To; Report && !Found.empty())
    Report(Api, Found);
}

int hookedDestroy(void *Communicator) {
  ending("ncclCommDestroy", Communicator);
  return RealDestroy(Communicator);
}

int hookedAbort(void *Communicator) {
  ending("ncclCommAbort", Communicator);
  return RealAbort(Communicator);
}

/// Under Lock. A library that Python loads, for example, is not globally
/// visible.
bool find() {
  void *Library = RTLD_DEFAULT;
  if (!dlsym(Library, "ncclCommDestroy")) {
    Library = dlopen("libnccl.so.2", RTLD_LAZY | RTLD_NOLOAD);
    if (!Library)
      return false;
  }
  RealDestroy = reinterpret_cast<End>(dlsym(Library, "ncclCommDestroy"));
  RealAbort = reinterpret_cast<End>(dlsym(Library, "ncclCommAbort"));
  if (!RealDestroy || !RealAbort)
    return false;
  Tables.add("ncclCommDestroy", reinterpret_cast<void *>(RealDestroy),
             reinterpret_cast<void *>(hookedDestroy));
  Tables.add("ncclCommAbort", reinterpret_cast<void *>(RealAbort),
             reinterpret_cast<void *>(hookedAbort));
  return true;
}

} // namespace

bool NcclWatch::isKernel(const char *Name) {
  std::string_view Text = Name ? Name : "";
  return Text.find("ncclDevKernel_") != Text.npos ||
         Text.find("ncclKernel_") != Text.npos; // before 2.19
}

bool NcclWatch::watch(const std::vector<uint64_t> &More, Report Into) {
  if (!CallTables::isSupported())
    return false;
  std::lock_guard Guard(Lock);
  if (!RealDestroy && !find())
    return false;
  To = Into;
  for (uint64_t Word : More)
    if (auto It = std::lower_bound(Words.begin(), Words.end(), Word);
        It == Words.end() || *It != Word)
      Words.insert(It, Word);
  Tables.redirect();
  return true;
}

} // namespace cudagraph::probe
