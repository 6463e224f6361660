//===- Log.h - Notices and progress -----------------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints each notice once, and shows the progress of many units: in one line
// that is updated on a terminal, and in a new line every few seconds elsewhere.
// All output goes to standard error.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_SUPPORT_LOG_H
#define CUDAGRAPH_DRIVER_SUPPORT_LOG_H

#include "TimeLeft.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <string>

namespace cudagraph::driver {

class Log {
public:
  Log(llvm::raw_ostream &Out, bool Quiet) : Out(Out), Quiet(Quiet) {}
  ~Log() { clear(); }

  /// Prints "cudagraph-tidy: Text", unless it was printed before or is not
  /// requested.
  void notice(const llvm::Twine &Text);
  /// Prints a whole line, even with --quiet, as printable() shows it.
  void line(const llvm::Twine &Text);

  /// Begins to count units, of which \p Known were cached. \p Last contains the
  /// seconds that each other unit took in the last run, or 0 if they are
  /// unknown. \p Jobs units are analyzed at a time.
  void startProgress(size_t Known, llvm::ArrayRef<double> Last, unsigned Jobs);
  /// Records that the unit \p File, which took \p Last seconds in the last run,
  /// was read.
  void unitDone(const std::string &File, double Last);
  /// Shows the progress if an update is due.
  void tick();
  /// Removes the progress line of a terminal.
  void clear();

  /// Makes \p Path relative to the working directory if possible, because such
  /// paths are readable and the same on every machine.
  static void shorten(std::string &Path);

private:
  using Clock = std::chrono::steady_clock;
  llvm::raw_ostream &Out;
  bool Quiet;
  llvm::StringSet<> Said;
  size_t Total = 0, Known = 0, Done = 0;
  Clock::time_point Start, Shown;
  TimeLeft Rest;
  std::string Newest; ///< the file that was read last
  size_t Width = 0;   ///< of the line on the terminal
};

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_SUPPORT_LOG_H
