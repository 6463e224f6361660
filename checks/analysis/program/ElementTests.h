//===- ElementTests.h - Tests in a form that can be compared ----*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two functions may test the same property of an object: one before a capture,
// and one in it. This file writes conditions as texts that are equal for equal
// tests, regardless of the variables that contain the object, and of accessors
// and predicates that a function calls.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_PROGRAM_ELEMENTTESTS_H
#define CUDAGRAPH_ANALYSIS_PROGRAM_ELEMENTTESTS_H

#include "Program.h"
#include "llvm/ADT/DenseMap.h"
#include <set>

namespace cudagraph {

/// The text of a condition, and its result. An object is `*` if it is an
/// element or a local object, `this`, or `arg` and the number of a parameter.
using Test = std::pair<std::string, bool>;
/// Tests that all hold.
using TestSet = std::set<Test>;
/// Alternatives, at least one of which holds.
struct Cases {
  std::vector<TestSet> Any;
  bool Complete = true; ///< no alternative was dropped

  static Cases of(TestSet T) { return {{std::move(T)}, true}; }
  static Cases unknown() { return {{}, false}; }
  /// True if one alternative requires nothing.
  bool hasNothing() const;
  /// Adds the alternatives of \p Other.
  void add(const Cases &Other);
  /// Requires one of \p Other in addition.
  void restrict(const Cases &Other);
};

/// Describes the conditions of one function.
class ElementTests {
public:
  ElementTests(Program &Table, FunctionId F, unsigned Depth = 0);

  const FlowGraph &G;

  /// Returns what holds if \p E, a value, is \p Truth.
  Cases casesOf(ExprId E, bool Truth) const;

  /// Returns what holds on \p E, an edge from block \p From.
  Cases casesOn(unsigned From, const Edge &E) const;

  /// Returns the call with the result number \p Index; null if there is none.
  const Op *call(int64_t Index) const { return Calls.lookup(Index); }

  /// Replaces the objects in \p T, from a function that \p O calls, by those of
  /// the caller.
  TestSet inCaller(const TestSet &T, const Op &O) const;

  /// Returns the value to which variable \p Var is set, if only one operation
  /// sets it and nothing else can; otherwise None.
  ExprId onlyValueOf(int64_t Var) const;

  /// Returns \p T with all objects replaced by `*`; with \p KeepThis, only
  /// those that are parameters. Omits tests of objects as such.
  static TestSet ofAnyObject(const TestSet &T, bool KeepThis = false);

private:
  /// As above; considers at most \p Steps expressions, and reduces \p Steps by
  /// their number. The value of a variable may depend on the variable itself.
  Cases casesOf(ExprId E, bool Truth, unsigned &Steps) const;
  std::string textOf(ExprId Value, unsigned Nesting) const;
  std::string placeOf(ExprId Place, unsigned Nesting) const;
  std::string callText(const Op &O, unsigned Nesting) const;
  std::string inCaller(llvm::StringRef Text, const Op &O) const;
  ExprId singleReturn() const;
  /// The function whose body replaces the call \p O, or None.
  FunctionId bodyFor(const Op &O) const;

  Program &Table;
  unsigned Depth;
  llvm::DenseMap<int64_t, const Op *> Calls;
  llvm::DenseMap<int64_t, ExprId> Values; ///< of variables; None: several
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_PROGRAM_ELEMENTTESTS_H
