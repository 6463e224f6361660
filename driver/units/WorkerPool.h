//===- WorkerPool.h - Tasks in separate processes ---------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A task may crash, hang, or exhaust memory; only its own result is lost.
// Workers are forked, so that they share loaded data, and send their results
// through a pipe, so that a full disk does not matter. The calling process must
// have one thread.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_UNITS_WORKERPOOL_H
#define CUDAGRAPH_DRIVER_UNITS_WORKERPOOL_H

#include "driver/support/AvailableMemory.h"
#include "driver/support/Deadline.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>

namespace cudagraph::driver {

/// The failure of a task that a signal to this process ended or prevented.
inline constexpr llvm::StringLiteral InterruptedTask = "interrupted";

/// How a task ended.
struct TaskResult {
  std::optional<std::string> Bytes; ///< the result of the task
  std::string Failure;              ///< the reason why there is none
  bool Crashed = false; ///< its process did; it was not stopped by another
};

struct PoolLimits {
  unsigned Jobs = 1;
  unsigned TimeoutSeconds = 0;    ///< for each task; 0: none
  Deadline RunLimit = Deadline(); ///< for all of them
  /// The memory that is available to more processes. No process is started
  /// while this is not enough for another process as large as the largest so
  /// far, in addition to those that are running.
  std::optional<uint64_t> (*Memory)() = availableMemory;
};

/// Runs \p Task for 0 to \p Count - 1, each in a separate process, and passes
/// each result to \p Done in this process, in order of arrival. A task for
/// which \p Waits is true does not begin until other tasks have made it false.
/// \p Tick is called several times a second. An interrupt (SIGINT, SIGTERM,
/// SIGHUP) kills the workers; their tasks, and those that have not begun, have
/// the failure InterruptedTask. The end of PoolLimits::RunLimit also kills the
/// workers, and the failure is Deadline::reason(). Returns the number of the
/// signal, or 0.
int runTasks(size_t Count, const PoolLimits &Limits,
             llvm::function_ref<std::string(size_t)> Task,
             llvm::function_ref<void(size_t, TaskResult)> Done,
             llvm::function_ref<void()> Tick,
             llvm::function_ref<bool(size_t)> Waits = nullptr);

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_UNITS_WORKERPOOL_H
