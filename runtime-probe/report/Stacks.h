//===- Stacks.h - The call stacks of a trace --------------------*- C++ -*-===//
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
/// PyTorch, the Python interpreter, or the probe.
bool isLibrary(llvm::StringRef Module);

/// True if \p F is user code: in a user file, and not inlined from a system
/// header, CUDA's runtime, or a launch stub.
bool isUserFrame(const Frame &F);

/// True if \p F is in the part of a Python stack that belongs to PyTorch.
bool isLibraryFrame(const PythonFrame &F);

/// The innermost PyTorch operator that contains \p S, such as "aten::add";
/// empty if there is none.
std::string operatorOf(const Stack &S);

/// True if \p Begin is a capture by PyTorch's own code: it is between
/// torch.cuda.graph and the user.
bool isOfPyTorch(const Stack &Begin);

/// The stacks of one process with functions and lines, each created once.
class Stacks {
public:
  Stacks(const ProcessTrace &Process, Symbolizer &Symbols);

  const Stack &resolve(std::optional<int64_t> Id);

  /// True if \p Outer is the stack of a call that contains \p Inner: both come
  /// from the same location in the user's code.
  bool sameCall(std::optional<int64_t> Inner, std::optional<int64_t> Outer);

  /// The frame at \p Address, which is not a return address.
  Frame function(const TraceFrame &Address);

private:
  struct Entry {
    Stack Value;
    size_t User = 0; ///< index of the first user frame in the trace's stack
  };
  const ProcessTrace &Process;
  Symbolizer &Symbols;
  std::map<int64_t, Entry> Known;
  std::map<int64_t, std::string> Kernels; ///< launched by a stack: base names

  const Entry &entry(int64_t Id);
  std::vector<Frame> frames(const TraceFrame &F);
};

} // namespace cudagraph::probe

#endif // CUDAGRAPH_PROBE_STACKS_H
