//===- SourceText.h - Lines of source files for reports ---------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_REPORTS_SOURCETEXT_H
#define CUDAGRAPH_DRIVER_REPORTS_SOURCETEXT_H

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cudagraph::reports {

/// Reads each file once. Returned references live as long as the object.
class SourceText {
public:
  /// Sets the contents of \p File to \p Text, for an editor with unsaved
  /// changes; must be called before the file is read.
  void provide(llvm::StringRef File, llvm::StringRef Text);

  /// Returns the number of lines in \p File; 0 if it cannot be read.
  unsigned count(llvm::StringRef File);

  /// Returns line \p Number, 1-based, without its line break; empty if there is
  /// no such line or file.
  llvm::StringRef line(llvm::StringRef File, unsigned Number);

  /// Returns the whole of \p File, or nothing if it cannot be read.
  std::optional<llvm::StringRef> text(llvm::StringRef File);

private:
  struct Lines {
    std::unique_ptr<llvm::MemoryBuffer> Buffer;
    std::vector<size_t> Starts;
  };
  static void fill(Lines &L, llvm::StringRef Bytes, llvm::StringRef File);
  const Lines &read(llvm::StringRef File);
  llvm::StringMap<Lines> Files;
};

/// A source line for a terminal, with a mark under a range of it.
struct Snippet {
  std::string Text; ///< tabs expanded, control characters spelled out
  std::string Mark; ///< "  ^~~~"
};

/// Cuts a snippet of \p Line with a mark under the bytes [Begin, End), 0-based.
/// A long line is cut around the mark. \p Line may contain anything.
Snippet makeSnippet(llvm::StringRef Line, size_t Begin, size_t End);

} // namespace cudagraph::reports

#endif // CUDAGRAPH_DRIVER_REPORTS_SOURCETEXT_H
