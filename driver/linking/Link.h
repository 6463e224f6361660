//===- Link.h - From summaries to a report ----------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Links the units into one program, analyses it, and keeps what the options ask
// for. What is found depends on the summaries and the options alone: not on the
// order of arrival, the number of jobs or the cache.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_LINKING_LINK_H
#define CUDAGRAPH_DRIVER_LINKING_LINK_H

#include "analysis/ir/Summary.h"
#include "driver/options/Config.h"
#include "driver/options/Options.h"
#include "driver/reports/Report.h"
#include "driver/reports/SourceText.h"
#include "driver/units/Cache.h"
#include "llvm/Support/Error.h"
#include <vector>

namespace cudagraph::driver {

class Log;

/// Returns the absolute path of the source that \p Unit was made from.
std::string mainFileOf(const UnitSummary &Unit);

/// The units of one program.
struct ProgramUnits {
  std::string Variant; ///< the arguments that their commands were given, too
  std::vector<UnitSummary> Units;
};

/// Analyses the units of each of \p Programs together. They are variants of one
/// program, without more arguments first: what is found in any of them is in
/// the report once. What is incomplete is said to \p Out and in the report.
llvm::Expected<reports::Report> linkUnits(std::vector<ProgramUnits> Programs,
                                          const Options &Opts, Config &Settings,
                                          Cache &Kept,
                                          reports::SourceText &Sources,
                                          Log &Out);

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_LINKING_LINK_H
