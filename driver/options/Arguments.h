//===- Arguments.h - The words of the command line --------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What happens to the words of the command line before they are parsed:
// response files are expanded, and names that a script passes on stay names.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_OPTIONS_ARGUMENTS_H
#define CUDAGRAPH_DRIVER_OPTIONS_ARGUMENTS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace cudagraph::driver {

/// Returns \p Words with each `@FILE` replaced by the words in FILE, and adds
/// the files to \p Read. What follows `--` is the compiler's and stays as it
/// is. With --literal-names, a word that begins with '@' or '-' and is the name
/// of an existing file stands for that file: neither for a response file nor
/// for an option.
llvm::Expected<std::vector<std::string>>
expandArguments(llvm::ArrayRef<const char *> Words,
                std::vector<std::string> &Read);

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_OPTIONS_ARGUMENTS_H
