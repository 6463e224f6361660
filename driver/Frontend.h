//===- Frontend.h - Parses and analyses one translation unit ----*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One Clang per translation unit, in this process, on a thread of its own with
// a large stack; a crash is caught and reported. What leaves here is plain data
// with absolute paths, and what users have silenced is gone.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_FRONTEND_H
#define CUDAGRAPH_DRIVER_FRONTEND_H

#include "CheckFilter.h"
#include "Config.h"
#include "analysis/Finding.h"
#include <string>
#include <vector>

namespace cudagraph::driver {

/// What one run of Clang yields.
struct ParsedUnit {
  UnitResult Result;
  unsigned Errors = 0;
  std::vector<std::string>
      FirstErrors;       ///< "a.cu:1:2: error: ...", at most five
  std::string Failure;   ///< why nothing could be parsed at all, or empty
  bool Analysed = false; ///< the analysis came to its end
};

/// Runs Clang with \p Args, program first, in \p Directory.
ParsedUnit analyzeCommand(const std::vector<std::string> &Args,
                          const std::string &Directory,
                          const UnitSettings &Settings,
                          const CheckFilter &Checks);

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_FRONTEND_H
