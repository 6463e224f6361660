//===- Link.h - From summaries to a report ----------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Links the units into one program, analyzes it, and keeps the findings that
// the options select. The result depends only on the summaries and the options,
// not on the order of arrival, the number of jobs, or the cache.
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

/// Returns the absolute path of the source of \p Unit.
std::string mainFileOf(const UnitSummary &Unit);

/// The units of one program.
struct ProgramUnits {
  std::string Variant; ///< the arguments that were added to their commands
  std::vector<UnitSummary> Units;
  std::optional<KnownWalks> Known; ///< Units have no functions
};

/// Analyzes the units of each of \p Programs together. The programs are
/// variants of one program, the one without added arguments first. A finding in
/// several of them is reported once. Incomplete units are listed on \p Out and
/// in the report.
llvm::Expected<reports::Report> linkUnits(std::vector<ProgramUnits> Programs,
                                          const Options &Opts, Config &Settings,
                                          Cache &Cached,
                                          reports::SourceText &Sources,
                                          Log &Out);

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_LINKING_LINK_H
