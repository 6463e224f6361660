//===- ResponseFile.h - Arguments in response files -------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A build has more summaries than fit on a command line, so they are passed in
// @FILE; nvcc's --options-file is similar. Such a file may name others, and a
// few lines could name more files than a machine can read. One set of limits
// applies to both.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_SUPPORT_RESPONSEFILE_H
#define CUDAGRAPH_DRIVER_SUPPORT_RESPONSEFILE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace cudagraph::driver {

/// Returns the contents of a file, or an error.
using FileReader =
    llvm::function_ref<llvm::Expected<std::string>(llvm::StringRef Path)>;

/// Reads a response file, relative to \p Directory or the working directory.
llvm::Expected<std::string> readResponseFile(llvm::StringRef Path,
                                             llvm::StringRef Directory = "");

/// The response files of one command line, including nested ones.
class ResponseFiles {
public:
  explicit ResponseFiles(FileReader ReadFile) : ReadFile(ReadFile) {}

  /// Calls \p Each with the words of the file \p Path. The error states the
  /// reason, without the path.
  llvm::Error
  expand(llvm::StringRef Path,
         llvm::function_ref<llvm::Error(std::vector<std::string>)> Each);

private:
  FileReader ReadFile;
  std::vector<std::string> Open; ///< the files that are being expanded
  unsigned Count = 0;
  size_t Bytes = 0;
};

/// Replaces each @FILE in \p Args, even inside such files, and adds the files
/// to \p Read. An error means that the command line is invalid.
llvm::Expected<std::vector<std::string>>
expandResponseFiles(llvm::ArrayRef<const char *> Args,
                    std::vector<std::string> &Read);

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_SUPPORT_RESPONSEFILE_H
