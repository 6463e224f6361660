//===- OutputFile.h - Writes files completely or not at all -----*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The only way to write a file. The bytes go to a temporary file next to the
// target, which is renamed to the target at the end, so the old contents are
// unchanged after any failure. A signal removes the temporary file. This file
// includes LLVM's headers, but not Clang's.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_SUPPORT_OUTPUTFILE_H
#define CUDAGRAPH_SUPPORT_OUTPUTFILE_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <utility>

namespace llvm {
class raw_fd_stream;
class raw_ostream;
} // namespace llvm

namespace cudagraph::support {

/// Returns the reason why \p Path cannot be written, as far as that can be
/// determined without writing it, or success. The error does not name the path.
llvm::Error checkOutput(const std::string &Path);

/// Lets \p Print write the file \p Path. A symbolic link is kept, an existing
/// file keeps its permissions, and a device, a pipe, or a descriptor
/// (/dev/stdout, /dev/fd/3) is written to directly. The error does not name the
/// path; a full disk is an error.
llvm::Error writeOutput(const std::string &Path,
                        llvm::function_ref<void(llvm::raw_ostream &)> Print);
llvm::Error writeOutput(const std::string &Path, llvm::StringRef Bytes);
/// Lets \p Print write the regular file \p Path, which it may also read. If it
/// returns false, there is no new file. If the system requires a second
/// attempt, \p Print is called again.
llvm::Error
writeOutputIf(const std::string &Path,
              llvm::function_ref<bool(llvm::raw_fd_stream &)> Print);

/// The file to which a path leads, through any links.
struct FileIdentity {
  /// Device and inode; std::nullopt if there is no such file.
  std::optional<std::pair<uint64_t, uint64_t>> Inode;
  std::string Place;    ///< the absolute path
  bool Replaced = true; ///< not written to directly
  bool IsNull = false;  ///< /dev/null, where nothing can be lost

  bool operator==(const FileIdentity &Other) const {
    return Inode || Other.Inode ? Inode == Other.Inode : Place == Other.Place;
  }
};

/// Finds the file that writeOutput(\p Path) would write; an empty path is
/// standard output.
FileIdentity identityOf(const std::string &Path);

} // namespace cudagraph::support

#endif // CUDAGRAPH_SUPPORT_OUTPUTFILE_H
