//===- Child.cpp - Runs the observed program ------------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Child.h"
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;

namespace cudagraph::probe {
namespace {

constexpr int Forwarded[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

volatile sig_atomic_t ChildPid = 0, Interrupts = 0;

void forward(int Signal, siginfo_t *Info, void *) {
  int Saved = errno;
  if (Signal == SIGINT)
    Interrupts = Interrupts + 1;
  if (Interrupts > 1)
    kill(ChildPid, SIGKILL);
  // The terminal has also sent the signal to the program.
  else if (Info->si_code != SI_KERNEL)
    kill(ChildPid, Signal);
  errno = Saved;
}

/// Replaces this process, or reports the error to \p Pipe.
[[noreturn]] void become(ArrayRef<std::string> Command, const Variables &Added,
                         int Pipe) {
  for (const auto &[Name, Value] : Added)
    setenv(Name.c_str(), Value.c_str(), /*overwrite=*/1);
  std::vector<char *> Args;
  for (const std::string &Arg : Command)
    Args.push_back(const_cast<char *>(Arg.c_str()));
  Args.push_back(nullptr);
  execvp(Args[0], Args.data());
  int Why = errno;
  (void)!write(Pipe, &Why, sizeof(Why));
  _exit(127);
}

/// Restores the state that the program should inherit: dispositions and mask.
class Signals {
public:
  Signals() {
    sigset_t Block;
    sigemptyset(&Block);
    for (int Signal : Forwarded)
      sigaddset(&Block, Signal);
    sigprocmask(SIG_BLOCK, &Block, &Mask);
  }
  /// In the parent. Ignored signals, as with nohup, stay ignored.
  void watch() {
    for (size_t I = 0; I < std::size(Forwarded); ++I) {
      struct sigaction Action = {};
      sigaction(Forwarded[I], nullptr, &Old[I]);
      if (Old[I].sa_handler == SIG_IGN)
        continue;
      Action.sa_sigaction = forward;
      Action.sa_flags = SA_SIGINFO;
      sigaction(Forwarded[I], &Action, nullptr);
    }
    Watching = true;
    unblock();
  }
  void unblock() { sigprocmask(SIG_SETMASK, &Mask, nullptr); }
  ~Signals() {
    if (Watching)
      for (size_t I = 0; I < std::size(Forwarded); ++I)
        sigaction(Forwarded[I], &Old[I], nullptr);
    unblock();
  }

private:
  sigset_t Mask;
  struct sigaction Old[std::size(Forwarded)] = {};
  bool Watching = false;
};

} // namespace

int ChildResult::exitStatus() const {
  if (StartError)
    return StartError == ENOENT ? 127 : 126;
  return Signal ? 128 + Signal : Status;
}

Expected<ChildResult> runChild(ArrayRef<std::string> Command,
                               const Variables &Added) {
  int Pipe[2];
  if (pipe2(Pipe, O_CLOEXEC))
    return createStringError(errnoAsErrorCode(), "no pipe");
  Signals S;
  Interrupts = 0;
  pid_t Pid = fork();
  if (Pid < 0) {
    close(Pipe[0]);
    close(Pipe[1]);
    return createStringError(errnoAsErrorCode(), "no process");
  }
  if (Pid == 0) {
    S.unblock();
    become(Command, Added, Pipe[1]);
  }
  ChildPid = Pid;
  S.watch();
  close(Pipe[1]);
  ChildResult Result;
  ssize_t Got;
  do
    Got = read(Pipe[0], &Result.StartError, sizeof(Result.StartError));
  while (Got < 0 && errno == EINTR);
  close(Pipe[0]);
  int Status = 0;
  while (waitpid(Pid, &Status, 0) < 0)
    if (errno != EINTR)
      return createStringError(errnoAsErrorCode(), "lost track of the program");
  if (WIFSIGNALED(Status))
    Result.Signal = WTERMSIG(Status);
  else
    Result.Status = WEXITSTATUS(Status);
  Result.Abandoned = Interrupts > 1;
  return Result;
}

} // namespace cudagraph::probe
