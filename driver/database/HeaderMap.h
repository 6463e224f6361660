//===- HeaderMap.h - Which source includes a header -------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A compile database lacks headers. A header is compiled as the sources that
// include it are, so this looks for one: a scan of #include lines, through
// quotes and -I, that evaluates no condition. A source of the header's own name
// is preferred, then one that includes it directly, then any that reaches it.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_DATABASE_HEADERMAP_H
#define CUDAGRAPH_DRIVER_DATABASE_HEADERMAP_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>
#include <vector>

namespace cudagraph::driver {

/// A source and how it finds what it includes.
struct IncludingSource {
  std::string File;                ///< absolute
  std::vector<std::string> Dirs;   ///< absolute, of -iquote and -I, in order
  std::vector<std::string> Forced; ///< absolute, of -include
  bool Cuda = false;
};

/// Which source serves a header.
struct HeaderUser {
  size_t Source = 0;
  std::string Through; ///< the header between them, or empty
};

/// Reads the include directories and -include files of a command in Clang's
/// words that runs in \p Directory.
void readIncludeOptions(llvm::ArrayRef<std::string> Args,
                        llvm::StringRef Directory, IncludingSource &Source);

class HeaderMap {
public:
  explicit HeaderMap(std::vector<IncludingSource> Sources);

  /// Returns the source that serves \p Header, an absolute path.
  std::optional<HeaderUser> find(llvm::StringRef Header);

private:
  struct Include {
    std::string Name;
    bool Quoted;
  };
  std::vector<IncludingSource> Sources;
  llvm::StringMap<std::vector<Include>> Scanned; ///< by file
  llvm::StringMap<bool> Exists;

  llvm::ArrayRef<Include> includesOf(llvm::StringRef File);
  std::vector<std::string> included(llvm::StringRef File,
                                    const IncludingSource &Source, bool IsMain);
  bool exists(llvm::StringRef Path);
};

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_DATABASE_HEADERMAP_H
