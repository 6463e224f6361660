//===- WorkerPool.h - Tasks in processes of their own -----------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A task may crash, hang or exhaust memory; it then costs its own result and
// nothing else. Workers are forked, so that they share what is loaded, and send
// their result through a pipe, so that a full disk does not matter. The process
// that calls this must have one thread.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_UNITS_WORKERPOOL_H
#define CUDAGRAPH_DRIVER_UNITS_WORKERPOOL_H

#include "driver/support/Deadline.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace cudagraph::driver {

/// The failure of a task that a signal to this process has ended or prevented.
inline constexpr llvm::StringLiteral InterruptedTask = "interrupted";

/// How a task ended.
struct TaskResult {
  std::optional<std::string> Bytes; ///< what the task returned
  std::string Failure;              ///< why there are none
};

struct PoolLimits {
  unsigned Jobs = 1;
  unsigned TimeoutSeconds = 0;    ///< for each task; 0: none
  Deadline RunLimit = Deadline(); ///< for all of them
};

/// Runs \p Task for 0 to \p Count - 1, each in a process of its own, and hands
/// each result to \p Done in this process, in the order in which they arrive.
/// \p Tick is called several times a second. An interrupt (SIGINT, SIGTERM,
/// SIGHUP) kills the workers: their tasks and those not begun have the failure
/// InterruptedTask. So does the end of PoolLimits::RunLimit, with the failure
/// Deadline::reason(). Returns the number of that signal, or 0.
int runTasks(size_t Count, const PoolLimits &Limits,
             llvm::function_ref<std::string(size_t)> Task,
             llvm::function_ref<void(size_t, TaskResult)> Done,
             llvm::function_ref<void()> Tick);

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_UNITS_WORKERPOOL_H
