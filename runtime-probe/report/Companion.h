//===- Companion.h - The records of the Python companion --------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The records of PID.python.jsonl as values: docs/probe-format.md.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_PROBE_COMPANION_H
#define CUDAGRAPH_PROBE_COMPANION_H

#include "format/Report.h"
#include "llvm/ADT/StringRef.h"

namespace cudagraph::probe {

/// An object that keeps alive nodes of the autograd graph that were created on
/// a stream other than the capturing one.
struct PythonMade {
  std::string What; ///< "variable", or a function or type that creates them
  std::string Name; ///< of the variable
  std::string Stream;
  std::vector<PythonFrame> Python;
};

struct PythonError {
  std::string Type, Message;
  std::vector<PythonFrame> Python; ///< innermost first
  std::vector<PythonMade> Made;
};

/// A function that the block has called.
struct PythonRun {
  std::string Function;
  PythonFrame At;
  std::optional<unsigned> Before; ///< runs before; unknown before Python 3.12
  std::vector<std::string> Streams;
  bool Parallel = false; ///< DistributedDataParallel is among its variables
};

/// Collectives of one process group.
struct Collectives {
  uint64_t Block = 0;
  std::string Group;
  std::vector<unsigned> Ranks;
  uint64_t Count = 0;
};

/// One capture that Python code has begun.
struct PythonBlock {
  uint64_t Id = 0, Tid = 0, Begin = 0;
  std::optional<uint64_t> End;
  std::string Kind, Name, Stream;
  std::vector<PythonFrame> Python;
  std::optional<PythonError> Error;
  std::vector<PythonRun> Runs;
  std::vector<Collectives> Groups;
  uint64_t Replays = 0;
};

/// Memory that one of PyTorch's allocators has reclaimed.
struct PythonMemory {
  uint64_t Address = 0, Bytes = 0;
  bool Pinned = false; ///< host memory: the line that created it is not known
  std::vector<PythonFrame> Made;
  /// Where the tensor that has the memory now was created, if there is one.
  std::optional<std::vector<PythonFrame>> Taken;
  bool holds(uint64_t Word) const { return Word - Address < Bytes; }
};

/// An event that concerns one block, or no block.
struct PythonNote {
  enum Kind {
    Autocast,
    Rebound,
    Gone,
    Collected,
    Hook,
    Destroy,
    Thrown
  } Is = Autocast;
  uint64_t Block = 0, Tid = 0;
  std::vector<PythonFrame> Python;
  std::string Name;   ///< of a variable, a module, or a PyTorch function
  std::string Detail; ///< of a hook: its function; of a name: the message
  std::string Type;   ///< of a hook: which; of an exception
  bool Freed = false;
  unsigned Store = 0; ///< the line that rebinds the name
  uint64_t Replays = 0, Since = 0;
  uint64_t Count = 0;   ///< of references
  uint64_t Address = 0; ///< of the tensor to which a name referred
  std::vector<Collectives> Held;
  std::vector<PythonMemory> Memory;
};

struct CompanionTrace {
  std::string Python, Torch;
  std::optional<unsigned> Rank;
  unsigned World = 0;
  std::vector<PythonBlock> Blocks;
  std::vector<PythonNote> Notes;
  std::vector<std::string> Problems;
};

/// Adds the records in \p Text, the contents of \p File, to \p Result.
void readCompanion(llvm::StringRef File, llvm::StringRef Text,
                   CompanionTrace &Result);

/// Returns the location as "'step' (train.py:40)", or as "train.py:40" for code
/// outside functions.
std::string placeOf(const PythonFrame &F);

} // namespace cudagraph::probe

#endif // CUDAGRAPH_PROBE_COMPANION_H
