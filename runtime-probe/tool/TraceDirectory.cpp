//===- TraceDirectory.cpp - The directory for the trace of a run ----------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TraceDirectory.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

using namespace llvm;

namespace cudagraph::probe {
namespace {

constexpr int Ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

/// The data of the handler, which must not allocate.
char Doomed[4096];
volatile sig_atomic_t Owner = 0;

/// Removes \p Path and the files in it; a trace has no directories. Makes only
/// system calls, because this runs in a signal handler.
void removeFlat(const char *Path) {
#ifdef __linux__
  int Directory = open(Path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (Directory < 0)
    return;
  struct Entry { // in the format of getdents64
    uint64_t Inode;
    int64_t Offset;
    unsigned short Length;
    unsigned char Type;
    char Name[];
  };
  alignas(Entry) static char Buffer[1 << 14];
  for (bool Removed = true; Removed; lseek(Directory, 0, SEEK_SET)) {
    Removed = false;
    long Got;
    while ((Got = syscall(SYS_getdents64, Directory, Buffer, sizeof Buffer)) >
           0)
      for (long At = 0; At < Got;) {
        const auto *Each = reinterpret_cast<const Entry *>(Buffer + At);
        Removed |= !unlinkat(Directory, Each->Name, 0);
        At += Each->Length;
      }
  }
  close(Directory);
#endif
  rmdir(Path);
}

void removeAndEnd(int Signal) {
  // This is not done in the child, which is about to execute the program.
  if (Owner == getpid())
    removeFlat(Doomed);
  std::signal(Signal, SIG_DFL);
  raise(Signal);
}

/// Removes \p Path when a signal ends the process; an empty path removes
/// nothing.
void removeOnSignal(StringRef Path) {
  Owner = 0;
  if (Path.size() >= sizeof Doomed)
    return;
  std::memcpy(Doomed, Path.data(), Path.size());
  Doomed[Path.size()] = 0;
  for (int Signal : Ending) {
    struct sigaction Old = {}, New = {};
    sigaction(Signal, nullptr, &Old);
    if (Old.sa_handler == SIG_IGN) // keeps the effect of nohup
      continue;
    New.sa_handler = Path.empty() ? SIG_DFL : removeAndEnd;
    sigaction(Signal, &New, nullptr);
  }
  if (!Path.empty())
    Owner = getpid();
}

} // namespace

Expected<TraceDirectory> TraceDirectory::make(const std::string &Wanted) {
  SmallString<128> Path;
  if (Wanted.empty()) {
    if (std::error_code EC =
            sys::fs::createUniqueDirectory("cudagraph-probe", Path))
      return createStringError(EC, "no temporary directory: " + EC.message() +
                                       "; name another directory with TMPDIR");
    removeOnSignal(Path);
    return TraceDirectory(Path.str().str(), /*Temporary=*/true);
  }
  Path = Wanted;
  std::error_code EC = sys::fs::create_directories(Path);
  if (!EC)
    EC = sys::fs::make_absolute(Path);
  for (sys::fs::directory_iterator It(Path, EC), End; !EC && It != End;
       It.increment(EC))
    if (sys::path::extension(It->path()) == ".jsonl")
      return createStringError("'" + Wanted +
                               "' contains the trace of another run");
  if (EC)
    return createStringError(EC, "'" + Wanted + "': " + EC.message());
  return TraceDirectory(Path.str().str(), /*Temporary=*/false);
}

TraceDirectory::TraceDirectory(TraceDirectory &&Other)
    : Path(std::move(Other.Path)),
      Temporary(std::exchange(Other.Temporary, false)) {}

TraceDirectory::~TraceDirectory() {
  if (!Temporary)
    return;
  sys::fs::remove_directories(Path);
  removeOnSignal("");
}

} // namespace cudagraph::probe
