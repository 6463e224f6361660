//===- ends.cu - Ends of a process after a refused call -------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Regardless of how the program ends, the observations must be complete, and
// the exit status must be the program's.
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

static void wait(cudaStream_t S) {
  cudaStreamSynchronize(S); // BREAKS 900 quick-exit abort crash status child
}
static void refuse(Setup &S) {
  begin(S.Stream);
  wait(S.Stream);
}

static void quickExit(Setup &S) {
  refuse(S);
  _exit(7);
}
static void abortNow(Setup &S) {
  refuse(S);
  std::abort();
}
static void crash(Setup &S) {
  refuse(S);
  std::raise(SIGSEGV);
}
static void status(Setup &S) {
  refuse(S);
  finish(S.Stream);
  std::exit(5);
}

// A child that does not call CUDA, between the capture and its end.
static void forked(Setup &S) {
  begin(S.Stream);
  scale<<<1, 64, 0, S.Stream>>>(S.Device, 2);
  pid_t Child = fork();
  if (!Child)
    _exit(0);
  waitpid(Child, nullptr, 0);
  finish(S.Stream);
}

int main(int Count, char **Args) {
  // Only the child uses CUDA, so it is forked before the setup.
  if (Count == 2 && !std::strcmp(Args[1], "child")) {
    if (!fork()) {
      Setup S;
      refuse(S);
      finish(S.Stream);
      _exit(0);
    }
    int Status;
    ::wait(&Status);
    return WEXITSTATUS(Status);
  }
  const Case Cases[] = {{"quick-exit", quickExit},
                        {"abort", abortNow},
                        {"crash", crash},
                        {"status", status},
                        {"forked", forked}};
  return runCase(Cases, Count, Args);
}
