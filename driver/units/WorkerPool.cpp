//===- WorkerPool.cpp - Tasks in separate processes -----------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WorkerPool.h"
#include "support/OutOfMemory.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <list>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>
#ifdef __linux__
#include <sys/prctl.h>
#endif

using namespace llvm;

namespace cudagraph::driver {
namespace {

using Clock = std::chrono::steady_clock;

/// The signal that requested a stop. A second one ends the process immediately.
volatile std::sig_atomic_t Interrupted = 0;

extern "C" void noteInterrupt(int Signal) {
  Interrupted = Signal;
  std::signal(Signal, SIG_DFL);
}

constexpr int Interrupts[] = {SIGINT, SIGTERM, SIGHUP};

/// Handles interrupts during its lifetime.
class InterruptScope {
public:
  InterruptScope() {
    Interrupted = 0;
    struct sigaction Action = {};
    Action.sa_handler = noteInterrupt; // no SA_RESTART: poll() must return
    for (auto [Signal, Before] : zip(Interrupts, Old)) {
      sigaction(Signal, nullptr, &Before);
      if (Before.sa_handler != SIG_IGN) // keep the effect of nohup
        sigaction(Signal, &Action, nullptr);
    }
  }
  ~InterruptScope() {
    for (auto [Signal, Before] : zip(Interrupts, Old))
      sigaction(Signal, &Before, nullptr);
  }

private:
  struct sigaction Old[std::size(Interrupts)];
};

/// The assumed memory of a worker until one has ended; a unit with PyTorch's
/// headers needs this much.
constexpr uint64_t UsualMemory = uint64_t(512) << 20;
/// The unit of rusage::ru_maxrss.
#ifdef __APPLE__
constexpr uint64_t RssUnit = 1;
#else
constexpr uint64_t RssUnit = 1024;
#endif

/// The exit status of a worker that cannot allocate memory.
constexpr int OutOfMemoryStatus = 77;

struct Worker {
  size_t Task;
  pid_t Process;
  int Pipe;
  std::string Bytes;
  Clock::time_point Deadline;
  bool TimedOut = false;
};

bool writeAll(int Pipe, StringRef Bytes) {
  while (!Bytes.empty()) {
    ssize_t Written = write(Pipe, Bytes.data(), Bytes.size());
    if (Written < 0 && errno == EINTR)
      continue;
    if (Written <= 0)
      return false;
    Bytes = Bytes.drop_front(Written);
  }
  return true;
}

/// The main function of a worker.
[[noreturn]] void work(int Pipe, size_t Index, pid_t Parent,
                       function_ref<std::string(size_t)> Task) {
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGKILL); // no worker outlives the driver
  if (getppid() != Parent)
    _exit(1); // the driver ended before the signal was requested
  // If memory runs out, the system kills this process instead of the one that
  // reports it.
  if (int File = open("/proc/self/oom_score_adj", O_WRONLY); File >= 0) {
    (void)writeAll(File, "1000");
    close(File);
  }
#endif
  for (int Signal : Interrupts)
    std::signal(Signal, SIG_DFL);
  // The parent reports a crash in one line, without a stack dump. LLVM must
  // still count its handlers as registered, or it would register them again
  // with the next temporary file.
  for (int Signal : {SIGSEGV, SIGABRT, SIGILL, SIGFPE, SIGBUS, SIGTRAP, SIGSYS,
                     SIGXCPU, SIGQUIT})
    std::signal(Signal, SIG_DFL);
  if (int Null = open("/dev/null", O_WRONLY); Null >= 0) {
    dup2(Null, STDERR_FILENO);
    dup2(Null, STDOUT_FILENO);
  }
  support::handleOutOfMemory("", OutOfMemoryStatus);
  std::string Bytes = Task(Index);
  // The length comes first, to detect a truncated result.
  uint64_t Size = Bytes.size();
  char Head[sizeof Size];
  std::memcpy(Head, &Size, sizeof Size);
  bool Sent =
      writeAll(Pipe, StringRef(Head, sizeof Head)) && writeAll(Pipe, Bytes);
  _exit(Sent ? 0 : 1);
}

std::optional<std::string> unpack(std::string Bytes) {
  uint64_t Size = 0;
  if (Bytes.size() < sizeof Size)
    return std::nullopt;
  std::memcpy(&Size, Bytes.data(), sizeof Size);
  if (Bytes.size() != sizeof Size + Size)
    return std::nullopt;
  return Bytes.substr(sizeof Size);
}

std::string failureOf(int Status, bool TimedOut, unsigned Seconds) {
  if (TimedOut)
    return "the analysis took longer than " + std::to_string(Seconds) +
           " s and was stopped; set a higher limit with --timeout-per-tu";
  if (WIFSIGNALED(Status) && WTERMSIG(Status) == SIGKILL)
    return "the worker process was killed, probably because it ran out of "
           "memory; use a smaller -j";
  if (WIFEXITED(Status) && WEXITSTATUS(Status) == OutOfMemoryStatus)
    return "the worker process ran out of memory; use a smaller -j";
  if (WIFSIGNALED(Status))
    return std::string("the analysis crashed (") + strsignal(WTERMSIG(Status)) +
           ")";
  return "the worker process ended without a result (exit status " +
         std::to_string(WEXITSTATUS(Status)) + ")";
}

class Pool {
public:
  Pool(size_t Count, const PoolLimits &Limits,
       function_ref<std::string(size_t)> Task,
       function_ref<void(size_t, TaskResult)> Done, function_ref<void()> Tick,
       function_ref<bool(size_t)> Waits)
      : Limits(Limits), Task(Task), Done(Done), Tick(Tick), Waits(Waits) {
    for (size_t Index = 0; Index < Count; ++Index)
      ToDo.push_back(Index);
  }

  int run() {
    InterruptScope Scope;
    while (!ToDo.empty() || !Running.empty()) {
      while (!Interrupted && Running.size() < Limits.Jobs)
        if (!start())
          break;
      if (Interrupted) {
        stop(InterruptedTask.str());
        return Interrupted;
      }
      if (Limits.RunLimit.passed()) {
        stop(Limits.RunLimit.reason());
        return 0;
      }
      wait();
      Tick();
    }
    return Interrupted; // the last worker may have ended regardless
  }

private:
  /// The first task that need not wait.
  std::list<size_t>::iterator next() {
    return find_if(ToDo, [&](size_t Index) {
      return !Waits || Running.empty() || !Waits(Index);
    });
  }

  /// True if another worker fits into memory. One may always run.
  bool hasMemory() {
    if (Running.empty())
      return true;
    std::optional<uint64_t> Free = Limits.Memory();
    uint64_t Each = LargestEnded ? LargestEnded : UsualMemory, Needed = Each;
    for (const Worker &W : Running)
      Needed += Each - std::min(Each, residentMemory(W.Process));
    return !Free || *Free >= Needed;
  }

  bool start() {
    int Ends[2];
    auto Next = next();
    if (Next == ToDo.end() || !hasMemory())
      return false;
    size_t Index = *Next;
    if (pipe(Ends))
      return cannotStart(Next);
    fcntl(Ends[0], F_SETFL, O_NONBLOCK);
    fcntl(Ends[0], F_SETFD, FD_CLOEXEC);
    outs().flush();
    errs().flush();
    pid_t Parent = getpid();
    pid_t Process = fork();
    if (Process < 0) {
      close(Ends[0]);
      close(Ends[1]);
      return cannotStart(Next);
    }
    if (Process == 0) {
      close(Ends[0]);
      for (const Worker &Other : Running)
        close(Other.Pipe);
      work(Ends[1], Index, Parent, Task);
    }
    close(Ends[1]);
    ToDo.erase(Next);
    Running.push_back(
        {Index, Process, Ends[0], "",
         Clock::now() + std::chrono::seconds(Limits.TimeoutSeconds)});
    return true;
  }

  /// No more processes or files are available: if other workers are running,
  /// wait for one of them.
  bool cannotStart(std::list<size_t>::iterator Next) {
    std::string Why = "cannot start a worker process: " + sys::StrError();
    if (Running.empty()) {
      size_t Index = *Next;
      ToDo.erase(Next);
      Done(Index, {std::nullopt, std::move(Why)});
    }
    return false;
  }

  void wait() {
    std::vector<pollfd> Polled;
    for (const Worker &W : Running)
      Polled.push_back({W.Pipe, POLLIN, 0});
    if (poll(Polled.data(), Polled.size(), 100) < 0)
      return; // a signal
    for (size_t I = Running.size(); I-- > 0;) {
      Worker &W = Running[I];
      if (Limits.TimeoutSeconds && !W.TimedOut && Clock::now() > W.Deadline) {
        W.TimedOut = true;
        kill(W.Process, SIGKILL);
      }
      if (Polled[I].revents && drain(W))
        finish(I);
    }
  }

  /// Reads the available data; true at the end.
  bool drain(Worker &W) {
    char Buffer[1 << 16];
    while (true) {
      ssize_t Got = read(W.Pipe, Buffer, sizeof Buffer);
      if (Got > 0)
        W.Bytes.append(Buffer, Got);
      else if (Got < 0 && errno == EINTR)
        continue;
      else
        return !(Got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK));
    }
  }

  void finish(size_t I) {
    Worker W = std::move(Running[I]);
    Running.erase(Running.begin() + I);
    close(W.Pipe);
    int Status = 0;
    struct rusage Used = {};
    while (wait4(W.Process, &Status, 0, &Used) < 0 && errno == EINTR) {
    }
    LargestEnded = std::max(LargestEnded, uint64_t(Used.ru_maxrss) * RssUnit);
    TaskResult Result;
    Result.Bytes = unpack(std::move(W.Bytes));
    if (!Result.Bytes)
      Result.Failure = failureOf(Status, W.TimedOut, Limits.TimeoutSeconds);
    Result.Crashed =
        !Result.Bytes && WIFSIGNALED(Status) && WTERMSIG(Status) != SIGKILL;
    Done(W.Task, std::move(Result));
  }

  void stop(const std::string &Why) {
    for (Worker &W : Running) {
      kill(W.Process, SIGKILL);
      close(W.Pipe);
      while (waitpid(W.Process, nullptr, 0) < 0 && errno == EINTR) {
      }
      Done(W.Task, {std::nullopt, Why});
    }
    Running.clear();
    for (size_t Index : std::exchange(ToDo, {}))
      Done(Index, {std::nullopt, Why});
  }

  std::list<size_t> ToDo;
  const PoolLimits &Limits;
  function_ref<std::string(size_t)> Task;
  function_ref<void(size_t, TaskResult)> Done;
  function_ref<void()> Tick;
  function_ref<bool(size_t)> Waits;
  std::vector<Worker> Running;
  uint64_t LargestEnded = 0; ///< the memory of the largest that has ended
};

} // namespace

int runTasks(size_t Count, const PoolLimits &Limits,
             function_ref<std::string(size_t)> Task,
             function_ref<void(size_t, TaskResult)> Done,
             function_ref<void()> Tick, function_ref<bool(size_t)> Waits) {
  return Pool(Count, Limits, Task, Done, Tick, Waits).run();
}

} // namespace cudagraph::driver
