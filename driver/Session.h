//===- Session.h - A run over all translation units -------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From options to a report: database, toolchain, one frontend per unit, merge.
// Whatever goes wrong with one unit is that unit's matter: it is reported as
// incomplete and the others go on. An error here means that nothing could be
// analysed as asked.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_SESSION_H
#define CUDAGRAPH_DRIVER_SESSION_H

#include "Config.h"
#include "Options.h"
#include "reports/Report.h"
#include "reports/SourceText.h"
#include "llvm/Support/Error.h"

namespace llvm {
class raw_ostream;
}

namespace cudagraph::driver {

/// Analyses what \p Opts asks for. Notices and parse errors go to \p Log.
/// \p Program is the path of this executable.
llvm::Expected<reports::Report>
runSession(const Options &Opts, Config &Settings, const std::string &Program,
           reports::SourceText &Sources, llvm::raw_ostream &Log);

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_SESSION_H
