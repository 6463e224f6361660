//===- Vetting.h - Elements that exclude a capture --------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program that executes a list of operations often searches the list before
// it begins a capture: if an operation cannot be captured, it runs the list
// without one. Code that is executed only for such operations is not captured.
// This file finds the tests of these searches, and the code that depends on
// them.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_PROGRAM_VETTING_H
#define CUDAGRAPH_ANALYSIS_PROGRAM_VETTING_H

#include "Relevance.h"
#include "TestedGraph.h"
#include <map>

namespace cudagraph {

class Vetting {
public:
  Vetting(Program &Table, const Relevance &Rel) : Table(Table), Rel(Rel) {}

  /// Returns lists of tests: if all tests of one list hold for some element,
  /// no path leads to block \p Block of \p F.
  const std::vector<TestSet> &excludedBefore(FunctionId F, unsigned Block);

  /// Calls \p Visit with the tests that hold wherever block \p Block of \p F is
  /// executed: each time with a list of alternatives.
  void eachAt(FunctionId F, unsigned Block,
              llvm::function_ref<void(const Cases &)> Visit);

  /// Returns the results of constant predicates of the class of \p F, an
  /// overriding method, for the virtual predicates among the tests in
  /// \p Excluded.
  TestSet holdsInClassOf(FunctionId F, llvm::ArrayRef<TestSet> Excluded);

private:
  /// Values of a variable, or of the result, that show that an element meets
  /// all tests of a list.
  using Signs = std::map<int64_t, std::vector<TestSet>>;
  static constexpr int64_t OfReturn = -1;
  /// Signs that are some number other than zero, and some number above zero,
  /// such as a count.
  static constexpr int64_t NotZero = INT64_MAX, Positive = INT64_MAX - 1;
  /// Returns numbers that represent \p Sign.
  static llvm::ArrayRef<int64_t> examplesOf(const int64_t &Sign);
  /// Returns the number that \p E, a value of \p G, has if \p Key has the value
  /// \p Sign; the result may also be NotZero or Positive.
  static std::optional<int64_t> foldSign(const FlowGraph &G, ExprId E,
                                         int64_t Key, int64_t Sign);
  /// By the number of a variable, OfReturn, or memberKey().
  using SignsOf = std::map<int64_t, Signs>;
  /// Bound on the nesting of calls that signs pass. It is part of the key, so a
  /// result does not depend on earlier queries.
  static constexpr unsigned MaxLevels = 5;
  const SignsOf &signsIn(FunctionId F, unsigned Levels);

  void addSigns(const TestedGraph &S, unsigned At, const Op &O, SignsOf &To,
                unsigned Levels);
  void addTo(Signs &To, int64_t Value, const Cases &All) const;
  static bool mayReset(const FlowGraph &G, unsigned At, size_t Index,
                       int64_t Value);
  Signs signsOfMember(const std::string &Name, unsigned Levels);
  int64_t memberKey(const std::string &Name);
  Signs signsOfSearch(const ElementTests &E, const Op &O, unsigned Levels);
  Signs signsOfCall(const ElementTests &E, const Op &O, unsigned Levels);
  Cases casesBefore(const TestedGraph &S, unsigned At,
                    const std::set<unsigned> &Alike, unsigned Levels,
                    ExprId Flag = None);
  Cases casesOn(const TestedGraph &S, unsigned From, const Edge &E,
                unsigned Levels);

  Program &Table;
  const Relevance &Rel;
  std::map<std::pair<FunctionId, unsigned>, SignsOf> Found;
  std::map<std::string, int64_t> Members;
  std::map<std::pair<FunctionId, unsigned>, std::vector<TestSet>> Excluded;
  /// The tests that hold in the blocks of a function, below those above them.
  struct Held {
    std::vector<unsigned> Above; ///< see TestedGraph::above()
    std::map<unsigned, Cases> At;
  };
  std::map<FunctionId, Held> Holding;
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_PROGRAM_VETTING_H
