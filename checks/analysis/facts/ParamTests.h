//===- ParamTests.h - Conditions on parameters ------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The author of an operator must distinguish effects that occur for all
// arguments from those that occur only for some value of a parameter. For
// example, a flag that requests checks is off when a graph is captured.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_FACTS_PARAMTESTS_H
#define CUDAGRAPH_ANALYSIS_FACTS_PARAMTESTS_H

#include "Frame.h"
#include "analysis/program/Program.h"
#include <map>

namespace cudagraph {

class ParamTests {
public:
  explicit ParamTests(Program &Table) : Table(Table) {}

  /// The value of a parameter of the outermost function of \p F for which the
  /// current block of \p F is not reached, such as "checkErrors is false";
  /// empty if none is known.
  std::string unless(const Frame &F);

private:
  /// A condition that holds on each path to a block.
  struct Test {
    ExprId Cond = None;
    bool Holds = false; ///< else its opposite does
  };
  const std::vector<Test> &testsOf(const FlowGraph &G, unsigned Block);
  std::string nameIn(const Frame &F, const Frame &Root, ExprId E,
                     bool &IsBool) const;
  std::string opposite(const Frame &F, const Frame &Root, const Test &T) const;

  Program &Table;
  std::map<std::pair<const FlowGraph *, unsigned>, std::vector<Test>> Known;
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_FACTS_PARAMTESTS_H
