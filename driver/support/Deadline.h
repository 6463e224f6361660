//===- Deadline.h - The time limit of a run ---------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The limit of --timeout, which applies to the whole run.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_SUPPORT_DEADLINE_H
#define CUDAGRAPH_DRIVER_SUPPORT_DEADLINE_H

#include <chrono>
#include <string>

namespace cudagraph::driver {

class Deadline {
public:
  /// The deadline is \p Seconds from now; 0 means never.
  explicit Deadline(unsigned Seconds = 0)
      : Seconds(Seconds), At(Clock::now() + std::chrono::seconds(Seconds)) {}

  /// The limit for reading sources: a fifth of the time is reserved for the
  /// analysis of the sources that were read, in case a source hangs.
  Deadline forReading() const {
    Deadline Result = *this;
    Result.At -= std::chrono::milliseconds(200) * Seconds;
    return Result;
  }

  bool passed() const { return Seconds && Clock::now() >= At; }

  /// The reason why something was not finished, for reports.
  std::string reason() const {
    return "the run took longer than " + std::to_string(Seconds) +
           " s; set a higher limit with --timeout";
  }

private:
  using Clock = std::chrono::steady_clock;
  unsigned Seconds;
  Clock::time_point At;
};

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_SUPPORT_DEADLINE_H
