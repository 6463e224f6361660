//===- WorkerPoolTest.cpp - Tasks that fail in every way ------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each task runs once, regardless of the other tasks, and reports why it has no
// result.
//
//===----------------------------------------------------------------------===//

#include "driver/units/WorkerPool.h"
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <gtest/gtest.h>
#include <map>
#include <sys/wait.h>
#include <unistd.h>

using namespace cudagraph::driver;

namespace {

struct Outcome {
  std::map<size_t, TaskResult> Results;
  int Signal = 0;
  unsigned Ticks = 0;
};

Outcome run(
    size_t Count, PoolLimits Limits,
    llvm::function_ref<std::string(size_t)> Task,
    llvm::function_ref<void()> Tick = [] {}) {
  Outcome All;
  All.Signal = runTasks(
      Count, Limits, Task,
      [&](size_t I, TaskResult R) {
        EXPECT_TRUE(All.Results.emplace(I, std::move(R)).second)
            << "task " << I << " is done twice";
      },
      [&] {
        ++All.Ticks;
        Tick();
      });
  EXPECT_EQ(All.Results.size(), Count);
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "a worker is left";
  return All;
}

TEST(WorkerPool, RunsAllTasks) {
  for (unsigned Jobs : {1, 3, 100}) {
    Outcome All = run(20, {Jobs, 0}, [](size_t I) {
      return std::string(I * 10'000, static_cast<char>('a' + I)) +
             std::to_string(I);
    });
    EXPECT_EQ(All.Signal, 0);
    for (auto &[I, R] : All.Results)
      EXPECT_EQ(R.Bytes, std::string(I * 10'000, static_cast<char>('a' + I)) +
                             std::to_string(I));
  }
}

TEST(WorkerPool, HasNothingToDo) {
  EXPECT_EQ(run(0, {4, 0}, [](size_t) { return ""; }).Signal, 0);
}

TEST(WorkerPool, TakesEmptyAndBinaryResults) {
  Outcome All = run(2, {2, 0}, [](size_t I) {
    return I ? std::string("\0\xff\n", 3) : std::string();
  });
  EXPECT_EQ(All.Results[0].Bytes, "");
  EXPECT_EQ(All.Results[1].Bytes, std::string("\0\xff\n", 3));
}

TEST(WorkerPool, OutlivesWhateverTasksDo) {
  Outcome All = run(7, {3, 0}, [](size_t I) -> std::string {
    switch (I) {
    case 1:
      std::raise(SIGSEGV);
      break;
    case 2:
      std::abort();
    case 3:
      std::raise(SIGKILL);
      break;
    case 4:
      _exit(5);
    case 5:
      close(STDOUT_FILENO);
      close(STDERR_FILENO);
      break;
    }
    return "fine";
  });
  EXPECT_EQ(All.Results[0].Bytes, "fine");
  EXPECT_EQ(All.Results[5].Bytes, "fine");
  EXPECT_EQ(All.Results[6].Bytes, "fine");
  EXPECT_EQ(All.Results[1].Failure,
            "the analysis crashed (Segmentation fault)");
  EXPECT_EQ(All.Results[2].Failure, "the analysis crashed (Aborted)");
  EXPECT_EQ(All.Results[3].Failure, "the worker process was killed, probably "
                                    "because it ran out of memory; use a "
                                    "smaller -j");
  EXPECT_EQ(All.Results[4].Failure,
            "the worker process ended without a result (exit status 5)");
  for (size_t I : {1, 2, 3, 4})
    EXPECT_FALSE(All.Results[I].Bytes);
}

TEST(WorkerPool, StopsTasksThatHang) {
  auto Start = std::chrono::steady_clock::now();
  Outcome All = run(3, {3, 1}, [](size_t I) -> std::string {
    if (I == 1)
      while (true)
        pause();
    return "fine";
  });
  EXPECT_LT(std::chrono::steady_clock::now() - Start, std::chrono::seconds(20));
  EXPECT_EQ(All.Results[0].Bytes, "fine");
  EXPECT_EQ(All.Results[2].Bytes, "fine");
  EXPECT_EQ(All.Results[1].Failure,
            "the analysis took longer than 1 s and was stopped; "
            "set a higher limit with --timeout-per-tu");
  EXPECT_GE(All.Ticks, 3U) << "progress is shown meanwhile";
}

TEST(WorkerPool, StopsWhenTheRunIsOver) {
  auto Start = std::chrono::steady_clock::now();
  Outcome All = run(4, {2, 0, Deadline(1)}, [](size_t I) -> std::string {
    while (I)
      pause();
    return "fine";
  });
  EXPECT_LT(std::chrono::steady_clock::now() - Start, std::chrono::seconds(20));
  EXPECT_EQ(All.Signal, 0);
  EXPECT_EQ(All.Results[0].Bytes, "fine");
  for (size_t I : {1, 2, 3})
    EXPECT_EQ(
        All.Results[I].Failure,
        "the run took longer than 1 s; set a higher limit with --timeout");
}

/// Writes a byte to \p Pipe when a task begins and another when it ends, and
/// returns the largest number of tasks that ran together.
unsigned mostTogether(PoolLimits Limits) {
  int Ends[2];
  EXPECT_EQ(pipe(Ends), 0);
  (void)run(6, Limits, [&](size_t) -> std::string {
    EXPECT_EQ(write(Ends[1], "+", 1), 1);
    usleep(200'000);
    EXPECT_EQ(write(Ends[1], "-", 1), 1);
    return "";
  });
  close(Ends[1]);
  unsigned Now = 0, Most = 0;
  for (char C; read(Ends[0], &C, 1) == 1;) {
    Now += C == '+' ? 1 : -1;
    Most = std::max(Most, Now);
  }
  close(Ends[0]);
  return Most;
}

TEST(WorkerPool, StartsOnlyWorkersThatFitIntoMemory) {
  PoolLimits Limits;
  Limits.Jobs = 3;
  using Memory = std::optional<uint64_t>;
  Limits.Memory = []() -> Memory { return uint64_t(64) << 30; };
  EXPECT_EQ(mostTogether(Limits), 3U);
  // One always runs.
  Limits.Memory = []() -> Memory { return 0; };
  EXPECT_EQ(mostTogether(Limits), 1U);
  Limits.Memory = []() -> Memory { return std::nullopt; };
  EXPECT_EQ(mostTogether(Limits), 3U);
}

TEST(WorkerPool, IsInterrupted) {
  for (int Signal : {SIGINT, SIGTERM, SIGHUP}) {
    std::signal(Signal, SIG_DFL); // ignored in the background
    unsigned Ticks = 0;
    Outcome All = run(
        5, {2, 0},
        [](size_t I) -> std::string {
          if (I)
            while (true)
              pause();
          return "fine";
        },
        [&] {
          if (++Ticks == 4)
            std::raise(Signal);
        });
    EXPECT_EQ(All.Signal, Signal);
    EXPECT_EQ(All.Results[0].Bytes, "fine") << "what is done is kept";
    for (size_t I = 1; I < 5; ++I)
      EXPECT_EQ(All.Results[I].Failure, "interrupted");
  }
}

TEST(WorkerPool, HearsAnInterruptAsTheLastTaskEnds) {
  std::signal(SIGINT, SIG_DFL);
  Outcome All =
      run(1, {1, 0}, [](size_t) { return "fine"; }, [] { std::raise(SIGINT); });
  EXPECT_EQ(All.Signal, SIGINT);
}

TEST(WorkerPool, LeavesTheHandlersOfOthers) {
  std::signal(SIGHUP, SIG_IGN); // as with nohup
  Outcome All =
      run(1, {1, 0}, [](size_t) { return "fine"; }, [] { std::raise(SIGHUP); });
  EXPECT_EQ(All.Signal, 0);
  EXPECT_EQ(std::signal(SIGHUP, SIG_DFL), SIG_IGN);
}

} // namespace
