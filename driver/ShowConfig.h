//===- ShowConfig.h - --dump-config and --verify-config ---------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Settings have four origins: the command line, .cudagraph-tidy.yaml,
// .clang-tidy, and defaults. --dump-config shows the effective ones.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_SHOWCONFIG_H
#define CUDAGRAPH_DRIVER_SHOWCONFIG_H

#include "driver/options/Config.h"
#include "driver/options/ProjectFile.h"

namespace llvm {
class raw_ostream;
}

namespace cudagraph::driver {

/// Prints the settings \p Opts, which come from \p Project and \p CommandLine,
/// in the form of .cudagraph-tidy.yaml, each with its origin. They apply to the
/// first source, or to a file in the working directory.
llvm::Error dumpConfig(const Options &Opts, const Options &CommandLine,
                       const ProjectFile &Project, Config &Settings,
                       llvm::raw_ostream &Out);

/// Prints to \p Out the unknown checks, unknown options, and invalid values in
/// the .clang-tidy files of the sources. Returns the number of errors.
llvm::Expected<unsigned> verifyConfig(const Options &Opts, Config &Settings,
                                      llvm::raw_ostream &Out);

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_SHOWCONFIG_H
