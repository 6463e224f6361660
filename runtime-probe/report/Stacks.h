//===- Stacks.h - Stacks of a trace, and whose code is on them --*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_PROBE_STACKS_H
#define CUDAGRAPH_PROBE_STACKS_H

#include "Symbolizer.h"
#include "format/Report.h"

namespace cudagraph::probe {

/// True if the file \p Module belongs to CUDA, the C and C++ libraries,
/// PyTorch, the Python interpreter or the probe.
bool isLibrary(llvm::StringRef Module);

/// True if \p F is code of the user: in a file of theirs, and not inlined from
/// a system header, CUDA's runtime or a launch stub.
bool isUserFrame(const Frame &F);

/// True if \p F is in the part of a Python stack that PyTorch has put there.
bool isLibraryFrame(const PythonFrame &F);

/// The stacks of one process with functions and lines, each made once.
/// The PyTorch operator that \p S is in, as "aten::add"; innermost; or empty.
std::string operatorOf(const Stack &S);

/// True if \p Begin is a capture that PyTorch makes for itself: it stands
/// between torch.cuda.graph and the user.
bool isOfPyTorch(const Stack &Begin);

class Stacks {
public:
  Stacks(const ProcessTrace &Process, Symbolizer &Symbols);

  const Stack &resolve(std::optional<int64_t> Id);

  /// True if \p Outer is the stack of a call within which \p Inner was taken:
  /// both come from the same place in the user's code.
  bool sameCall(std::optional<int64_t> Inner, std::optional<int64_t> Outer);

  /// The frame that is at \p Address, which is no return address.
  Frame function(const TraceFrame &Address);

private:
  struct Entry {
    Stack Value;
    size_t User = 0; ///< index of the first user frame in the trace's stack
  };
  const ProcessTrace &Process;
  Symbolizer &Symbols;
  std::map<int64_t, Entry> Known;
  std::map<int64_t, std::string> Kernels; ///< that a stack launches: base names

  const Entry &entry(int64_t Id);
  std::vector<Frame> frames(const TraceFrame &F);
};

} // namespace cudagraph::probe

#endif // CUDAGRAPH_PROBE_STACKS_H
