//===- TraceDirectory.h - The directory for the trace of a run --*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_PROBE_TRACEDIRECTORY_H
#define CUDAGRAPH_PROBE_TRACEDIRECTORY_H

#include "llvm/Support/Error.h"
#include <string>

namespace cudagraph::probe {

/// The requested directory, which must not contain a trace of another run, or a
/// temporary one. The latter is removed with this object, and if a signal ends
/// the process. There is only one at a time.
class TraceDirectory {
public:
  static llvm::Expected<TraceDirectory> make(const std::string &Wanted);
  TraceDirectory(TraceDirectory &&Other);
  ~TraceDirectory();

  const std::string &path() const { return Path; }

private:
  TraceDirectory(std::string Path, bool Temporary)
      : Path(std::move(Path)), Temporary(Temporary) {}

  std::string Path;
  bool Temporary;
};

} // namespace cudagraph::probe

#endif // CUDAGRAPH_PROBE_TRACEDIRECTORY_H
