//===- SummaryCheck.h - Validates summaries ---------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A summary comes from a file, and a correct checksum shows only that the file
// has not changed since it was written. The linker and the engine rely on much
// more: IDs are in range, expressions refer only to earlier ones, and sizes are
// bounded. All of that is checked here, once, when a summary is loaded, so that
// later code need not check again.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_IR_SUMMARYCHECK_H
#define CUDAGRAPH_ANALYSIS_IR_SUMMARYCHECK_H

#include "Summary.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>
#include <vector>

namespace cudagraph {

/// Returns the defect of \p Graph, or an empty string. The output of lowering
/// has no defects. Functions and sites are not checked: reading ensures that
/// they are in range.
std::string faultIn(const FlowGraph &Graph);

/// Returns the defect of the parts of \p Unit other than its functions, or an
/// empty string.
std::string faultInOutline(const UnitSummary &Unit);

/// Valid functions. Functions that are identical in many units, byte for byte,
/// are read and stored once.
class CheckedFunctions {
public:
  struct Function {
    bool HasGraph = false;
    size_t TextLength = 0;
    std::vector<FunctionKey> Mentioned;
    llvm::StringRef Bytes; ///< in the storage
  };

  /// Returns null if the bytes of \p E are not known.
  const Function *find(const SummaryEntry &E) const {
    const auto &Of = Known[E.Initializers];
    auto It = Of.find(E.Bytes);
    return It == Of.end() ? nullptr : &It->second;
  }
  /// Copies the bytes of \p E.
  const Function *add(const SummaryEntry &E, Function F) {
    F.Bytes = E.Bytes.copy(*Copies);
    return &Known[E.Initializers].try_emplace(F.Bytes, F).first->second;
  }
  /// The owner of the bytes of all functions.
  std::shared_ptr<const void> storage() const { return Copies; }

private:
  using Memory = llvm::BumpPtrAllocatorImpl<llvm::MallocAllocator, 1 << 18>;
  std::shared_ptr<Memory> Copies = std::make_shared<Memory>();
  /// By their bytes: functions, and initializers of global variables.
  llvm::DenseMap<llvm::StringRef, Function> Known[2];
};

/// Checks \p Unit in full. The error describes the defect and its location,
/// without the name of the file. \p Checked, if it is not null, contains
/// functions of other units, and receives those of this one; a valid unit then
/// refers to the bytes in \p Checked.
llvm::Error validate(UnitSummary &Unit, CheckedFunctions *Checked = nullptr);

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_IR_SUMMARYCHECK_H
