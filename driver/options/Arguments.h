//===- Arguments.h - The arguments of the command line ----------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Processes the arguments before they are parsed: expands response files and
// protects file names that look like options.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_OPTIONS_ARGUMENTS_H
#define CUDAGRAPH_DRIVER_OPTIONS_ARGUMENTS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace cudagraph::driver {

/// Returns \p Words with each `@FILE` replaced by the words in FILE and adds
/// the files to \p Read. Arguments after `--` belong to the compiler and do not
/// change. With --literal-names, a word that begins with '@' or '-' and names
/// an existing file stands for that file, and not for a response file or an
/// option.
llvm::Expected<std::vector<std::string>>
expandArguments(llvm::ArrayRef<const char *> Words,
                std::vector<std::string> &Read);

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_OPTIONS_ARGUMENTS_H
