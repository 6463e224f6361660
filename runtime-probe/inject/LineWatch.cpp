//===- LineWatch.cpp - Observes which lines have run ----------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The handler of SIGTRAP only reads data that start() has stored, and calls
// functions that signal handlers may call. Code is written through
// /proc/self/mem, which needs no change to the protection; the file is opened
// each time, because after a fork, the parent's file refers to the memory of
// the parent.
//
//===----------------------------------------------------------------------===//

#include "LineWatch.h"
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <link.h>
#include <memory>
#include <mutex>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>
#include <utility>

namespace cudagraph::probe {

#if defined(__linux__) && defined(__x86_64__)

namespace {

constexpr uint8_t Breakpoint = 0xCC; // int3

struct Point {
  uint64_t Address = 0;
  uint8_t Code = 0; ///< that the breakpoint replaces
  unsigned Line = 0;
};

/// The handler reads only data that start() has written. It is never freed,
/// because threads may run until the process ends.
struct State {
  std::vector<Point> Points; ///< by address
  size_t Lines = 0;
  std::unique_ptr<std::atomic<long>[]> Ran; ///< by line: the thread
  struct sigaction Before = {};
  std::mutex Lock;
  /// Under Lock. Lost: another handler has replaced this one. Told: that was
  /// reported.
  bool Handles = false, Armed = false, Lost = false, Told = false;
};
std::atomic<State *> Now = nullptr;

bool write(uint64_t Address, uint8_t Code) {
  int File = ::open("/proc/self/mem", O_WRONLY | O_CLOEXEC);
  if (File < 0)
    return false;
  bool Done = ::pwrite(File, &Code, 1, static_cast<off_t>(Address)) == 1;
  ::close(File);
  return Done;
}

void trapped(int Signal, siginfo_t *Info, void *Context) {
  int Error = errno;
  State *S = Now;
  auto &Next = static_cast<ucontext_t *>(Context)->uc_mcontext.gregs[REG_RIP];
  uint64_t At = static_cast<uint64_t>(Next) - 1;
  auto It = std::lower_bound(
      S->Points.begin(), S->Points.end(), At,
      [](const Point &P, uint64_t Address) { return P.Address < Address; });
  if (It != S->Points.end() && It->Address == At) {
    // Remove the breakpoint first: take() must not set one that is then
    // removed.
    write(At, It->Code);
    for (long Self = ::syscall(SYS_gettid);
         It != S->Points.end() && It->Address == At; ++It) {
      long None = 0; // two lines may share their code
      S->Ran[It->Line].compare_exchange_strong(None, Self);
    }
    Next = static_cast<greg_t>(At);
  } else if (S->Before.sa_flags & SA_SIGINFO) {
    S->Before.sa_sigaction(Signal, Info, Context);
  } else if (S->Before.sa_handler == SIG_DFL) {
    std::signal(SIGTRAP, SIG_DFL);
    ::raise(SIGTRAP);
  } else if (S->Before.sa_handler != SIG_IGN) {
    S->Before.sa_handler(Signal);
  }
  errno = Error;
}

struct Loaded {
  std::string Path;
  uint64_t Bias = 0;
  std::vector<std::pair<uint64_t, uint64_t>> Code; ///< begin, end
};

std::string realPath(const char *Path) {
  char Real[PATH_MAX];
  return ::realpath(Path, Real) ? Real : Path;
}

std::vector<Loaded> loaded() {
  std::vector<Loaded> Result;
  dl_iterate_phdr(
      [](dl_phdr_info *Info, size_t, void *Into) {
        Loaded L;
        // The name of the program itself is empty.
        L.Path =
            realPath(Info->dlpi_name && *Info->dlpi_name ? Info->dlpi_name
                                                         : "/proc/self/exe");
        L.Bias = Info->dlpi_addr;
        for (int I = 0; I < Info->dlpi_phnum; ++I)
          if (const auto &H = Info->dlpi_phdr[I];
              H.p_type == PT_LOAD && (H.p_flags & PF_X))
            L.Code.emplace_back(L.Bias + H.p_vaddr,
                                L.Bias + H.p_vaddr + H.p_memsz);
        static_cast<std::vector<Loaded> *>(Into)->push_back(std::move(L));
        return 0;
      },
      &Result);
  return Result;
}

} // namespace

void LineWatch::start(std::vector<Line> &Wanted) {
  if (Now || Wanted.empty())
    return;
  auto *S = new State;
  std::vector<Loaded> Files = loaded();
  for (size_t I = 0; I < Wanted.size(); ++I)
    for (const Line::Place &P : Wanted[I].Places)
      for (const Loaded &L : Files)
        for (auto [Begin, End] : L.Code)
          if (uint64_t At = L.Bias + P.Offset;
              L.Path == P.Module && At >= Begin && At < End)
            S->Points.push_back({At, *reinterpret_cast<const uint8_t *>(At),
                                 static_cast<unsigned>(I)});
  std::sort(
      S->Points.begin(), S->Points.end(),
      [](const Point &A, const Point &B) { return A.Address < B.Address; });
  S->Lines = Wanted.size();
  S->Ran.reset(new std::atomic<long>[Wanted.size()]());
  Now = S;
  std::vector<unsigned> Usable(Wanted.size());
  for (const Point &P : S->Points) // whether its code can be written
    Usable[P.Line] += write(P.Address, P.Code);
  for (size_t I = 0; I < Wanted.size(); ++I)
    if (!Usable[I] && Wanted[I].Problem.empty())
      Wanted[I].Problem = Wanted[I].Places.empty()
                              ? "no code was found for it"
                              : "no breakpoint could be set there";
}

void LineWatch::arm() {
  State *S = Now;
  if (!S)
    return;
  std::lock_guard Guard(S->Lock);
  if (std::exchange(S->Armed, true))
    return;
  struct sigaction New = {};
  New.sa_sigaction = trapped;
  New.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  S->Handles = !::sigaction(SIGTRAP, &New, &S->Before);
  S->Lost = !S->Handles;
  for (const Point &P : S->Points)
    if (S->Handles)
      write(P.Address, Breakpoint);
}

std::vector<LineWatch::Run> LineWatch::take() {
  std::vector<Run> Result;
  State *S = Now;
  if (!S)
    return Result;
  std::lock_guard Guard(S->Lock);
  if (!S->Handles)
    return Result;
  struct sigaction Present = {};
  if (!::sigaction(SIGTRAP, nullptr, &Present) &&
      Present.sa_sigaction != trapped) {
    S->Handles = false;
    S->Lost = true;
    for (const Point &P : S->Points)
      write(P.Address, P.Code);
  }
  for (size_t I = 0; I < S->Lines; ++I)
    if (long Thread = S->Ran[I].exchange(0))
      Result.push_back({static_cast<unsigned>(I), Thread});
  for (const Run &R : Result)
    for (const Point &P : S->Points)
      if (P.Line == R.Line && S->Handles)
        write(P.Address, Breakpoint);
  return Result;
}

bool LineWatch::isLost() {
  State *S = Now;
  if (!S)
    return false;
  std::lock_guard Guard(S->Lock);
  return S->Lost && !std::exchange(S->Told, true);
}

/// Does not take the lock, which a thread of the parent may hold.
void LineWatch::stop() {
  if (State *S = Now)
    for (const Point &P : S->Points)
      write(P.Address, P.Code);
}

#else

void LineWatch::start(std::vector<Line> &Wanted) {
  for (Line &L : Wanted)
    L.Problem = "lines are not watched on this machine";
}
void LineWatch::arm() {}
std::vector<LineWatch::Run> LineWatch::take() { return {}; }
bool LineWatch::isLost() { return false; }
void LineWatch::stop() {}

#endif

} // namespace cudagraph::probe
