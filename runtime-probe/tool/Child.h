//===- Child.h - Runs the observed program ----------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_PROBE_CHILD_H
#define CUDAGRAPH_PROBE_CHILD_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <utility>
#include <vector>

namespace cudagraph::probe {

struct ChildResult {
  int Status = 0, Signal = 0; ///< a signal: no status
  int StartError = 0;         ///< errno: it could not start
  bool Abandoned = false;     ///< killed by a second Ctrl-C

  /// The exit status that a shell would report.
  int exitStatus() const;
};

using Variables = std::vector<std::pair<std::string, std::string>>;

/// Runs \p Command with \p Added in its environment, and waits for it.
/// Termination signals are forwarded to the program.
llvm::Expected<ChildResult> runChild(llvm::ArrayRef<std::string> Command,
                                     const Variables &Added);

} // namespace cudagraph::probe

#endif // CUDAGRAPH_PROBE_CHILD_H
