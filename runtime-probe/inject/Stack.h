//===- Stack.h - The call stack in C++ and in Python ------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// This records only addresses: functions and lines are resolved after the
// program has ended.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_PROBE_STACK_H
#define CUDAGRAPH_PROBE_STACK_H

#include <cstdint>
#include <string>
#include <vector>

namespace cudagraph::probe {

/// A loaded file.
struct Module {
  std::string Path, BuildId; ///< BuildId: hexadecimal, or empty
  uint64_t Bias = 0;         ///< add to the file's addresses
  std::vector<std::pair<uint64_t, uint64_t>> Segments; ///< begin, end
  bool Hidden = false; ///< belongs to the probe, or CUPTI: not part of a stack
  bool Loaded = true;  ///< false once another file may have its addresses
};

/// The loaded files, read again after files have been loaded or unloaded.
class Modules {
public:
  /// The index of the module that contains \p Address, or -1. Not thread-safe.
  int find(uint64_t Address);
  const Module &operator[](int Index) const { return All[Index]; }
  size_t size() const { return All.size(); }

private:
  void refresh();
  std::vector<Module> All;
  unsigned long long Loads = 0, Unloads = 0; ///< at the last refresh
};

/// Return addresses of the calling thread, innermost first; at most 64.
std::vector<uint64_t> nativeStack();

struct PythonFrame {
  std::string File, Function;
  unsigned Line = 0;
};

/// The Python frames of the calling thread, innermost first; empty if it does
/// not run Python. Does not need the GIL, because the thread itself is stopped.
std::vector<PythonFrame> pythonStack();

/// True if \p Address is on the calling thread's stack.
bool isOnStack(uint64_t Address);

/// One activation of a function: where its part of the stack begins, and its
/// code. Both are 0 if unknown.
struct Activation {
  uint64_t Frame = 0, Code = 0;
};

/// The activation that contains the variable at \p Address of the calling
/// thread's stack.
Activation ownerOf(uint64_t Address);

/// True if \p A belongs to the calling thread and has not returned.
bool isActive(const Activation &A);

} // namespace cudagraph::probe

#endif // CUDAGRAPH_PROBE_STACK_H
