//===- OptionValues.h - The values of options -------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parses the values of the command-line options, once the command is known.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_OPTIONS_OPTIONVALUES_H
#define CUDAGRAPH_DRIVER_OPTIONS_OPTIONVALUES_H

#include "Options.h"
#include "llvm/Option/ArgList.h"
#include "llvm/Support/Error.h"

namespace cudagraph::driver {

/// Checks the values in \p Args and stores them in \p Opts, whose command is
/// set.
llvm::Error parseValues(const llvm::opt::InputArgList &Args, Options &Opts);

/// Splits \p Text into arguments as a shell does; the second function joins \p
/// Args.
std::vector<std::string> splitArguments(llvm::StringRef Text);
std::string joinArguments(llvm::ArrayRef<std::string> Args);

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_OPTIONS_OPTIONVALUES_H
