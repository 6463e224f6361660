//===- Owners.h - Owners of the targets of smart pointers -------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The lifetime of an object with several smart pointer owners ends with the
// last of them. The owners are the variables, members, and elements that
// contain its address; State::Owned records those that the current function
// does not see.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_INTERPRETER_OWNERS_H
#define CUDAGRAPH_ANALYSIS_INTERPRETER_OWNERS_H

#include "analysis/domain/State.h"
#include "analysis/facts/Frame.h"
#include "analysis/facts/Walk.h"

namespace cudagraph {

/// True for the address of an object that was created in visible code.
bool isMadeObject(const Domain &D, ValueId V);

/// True if the program has created a smart pointer with a callable for the
/// object with the address \p V.
bool hasDeleter(Domain &D, const State &S, ValueId V);

class Owners : Part {
public:
  enum class Last : uint8_t { No, Perhaps, Yes };

  explicit Owners(Walk &W) : Part(W) {}

  /// True if the contents of \p L may be a smart pointer. The types of members
  /// and elements are unknown.
  bool mayOwn(LocId L) const;

  /// True if \p V is the address of \p Object, or may be.
  bool mayBe(ValueId V, ValueId Object) const {
    return V == Object || llvm::is_contained(D.candidates(V), Object) ||
           llvm::is_contained(D.candidates(Object), V);
  }

  /// True if \p V is or contains the address of \p Object, or may do so.
  bool holds(ValueId V, ValueId Object) const;

  /// Returns whether the smart pointer at \p Owner, which contains \p Pointer,
  /// is the last such owner during the activation \p F.
  Last isLast(const Frame &F, const State &S, ValueId Pointer,
              LocId Owner) const;

  /// Records that \p O passes \p Args to a function without source, or to a
  /// library, which may keep copies of smart pointers.
  void escape(State &S, const Op &O, llvm::ArrayRef<ValueId> Args) const;

private:
  void escape(State &S, const CallArg *Arg, ValueId V) const;
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_INTERPRETER_OWNERS_H
