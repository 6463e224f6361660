//===- PythonFindings.h - Findings from Python's records --------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The records of the companion, joined with the captures of the trace: separate
// findings, and additions to CUDA's findings.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_PROBE_PYTHONFINDINGS_H
#define CUDAGRAPH_PROBE_PYTHONFINDINGS_H

#include "Trace.h"
#include "llvm/ADT/ArrayRef.h"

namespace cudagraph::probe {

/// The name of the code in the capture that \p Begin has begun; empty if Python
/// did not begin it.
std::string nameOf(const ProcessTrace &P, const TraceEvent &Begin);

/// The stack that consists of \p Python alone, at the innermost frame of the
/// program.
Stack stackOf(std::vector<PythonFrame> Python);

class PythonFindings {
public:
  /// The captures of \p P are in \p R, from \p First on.
  PythonFindings(const ProcessTrace &P, Report &R, size_t First);

  void add();

private:
  const ProcessTrace &P;
  Report &R;
  std::map<uint64_t, std::vector<unsigned>> Captures; ///< by block
  std::map<uint64_t, std::vector<uint64_t>> Traced; ///< their IDs in the trace

  Finding &addPython(const char *Kind, std::vector<PythonFrame> Python,
                     uint64_t Tid, std::string Message,
                     llvm::ArrayRef<unsigned> During);
  void raised(const PythonBlock &B, llvm::ArrayRef<unsigned> Own);
  void madeElsewhere(const PythonBlock &B, Finding &F);
  void warmUp(const PythonBlock &B, llvm::ArrayRef<unsigned> Own);
  void note(const PythonNote &N, llvm::ArrayRef<unsigned> Own);
  void destroyed(const PythonNote &N);
  void gone(const PythonNote &N, llvm::ArrayRef<unsigned> Own);
  void collected(const PythonNote &N, llvm::ArrayRef<unsigned> Own);
  /// The first use of some memory by a graph; Text is empty if there is none.
  struct Use {
    std::string Text;
    std::vector<PythonFrame> Recorded;
  };
  Use useOf(const PythonMemory &M, uint64_t Block) const;
  const PythonMemory *memoryOf(const PythonNote &Rebound) const;
};

} // namespace cudagraph::probe

#endif // CUDAGRAPH_PROBE_PYTHONFINDINGS_H
