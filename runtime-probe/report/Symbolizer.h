//===- Symbolizer.h - Functions and lines of addresses ----------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_PROBE_SYMBOLIZER_H
#define CUDAGRAPH_PROBE_SYMBOLIZER_H

#include "Trace.h"
#include "format/Report.h"
#include <memory>

namespace cudagraph::probe {

class Symbolizer {
public:
  virtual ~Symbolizer();

  /// The frames at the return address \p Offset of \p Module, innermost first:
  /// one frame, and those of the calls inlined there. Never empty.
  virtual std::vector<Frame> frames(const TraceModule &Module,
                                    uint64_t Offset) = 0;

  /// Messages about files that could not be used.
  std::vector<std::string> Problems;
};

/// Reads the DWARF and the symbol tables of the files that the trace names.
std::unique_ptr<Symbolizer> createSymbolizer();

/// Reads frames from a table instead of files: `{"/b/engine": {"0x10":
/// [{"function": "f()", "file": "/s/f.cu", "line": 3, "column": 1}]}}`.
llvm::Expected<std::unique_ptr<Symbolizer>>
createTableSymbolizer(llvm::StringRef Table);

/// "scale(float*, int)" for "_Z5scalePfi"; other names are unchanged.
std::string demangled(llvm::StringRef Name);

} // namespace cudagraph::probe

#endif // CUDAGRAPH_PROBE_SYMBOLIZER_H
