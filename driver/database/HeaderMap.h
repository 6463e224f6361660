//===- HeaderMap.h - The source that includes a header ----------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A compile database does not contain headers. A header is compiled like a
// source that includes it. HeaderMap finds such a source: it scans #include
// lines, follows quoted names and -I directories, and does not evaluate
// conditions. It prefers a source with the name of the header, then a source
// that includes it directly, then one that includes it indirectly.
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

/// A source and its include paths.
struct IncludingSource {
  std::string File;                ///< absolute
  std::vector<std::string> Dirs;   ///< absolute, from -iquote and -I, in order
  std::vector<std::string> Forced; ///< absolute, from -include
  bool Cuda = false;
};

/// The source whose command is used for a header.
struct HeaderUser {
  size_t Source = 0;
  std::string Through; ///< the intermediate header, or empty
};

/// Reads the include directories and -include files of a Clang command that
/// runs in \p Directory.
void readIncludeOptions(llvm::ArrayRef<std::string> Args,
                        llvm::StringRef Directory, IncludingSource &Source);

class HeaderMap {
public:
  explicit HeaderMap(std::vector<IncludingSource> Sources);

  /// Returns the source to use for \p Header, an absolute path.
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
