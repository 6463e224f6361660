//===- Z3.cpp - No solver -------------------------------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Clang's static analyzer can query Z3 about paths. No program of this project
// runs that analyzer, and these definitions keep the linker from adding LLVM's
// own file, which needs Z3's library.
//
//===----------------------------------------------------------------------===//

#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/SMTAPI.h"

using namespace llvm;

SMTSolverRef llvm::CreateZ3Solver() {
  report_fatal_error("this program was built without Z3");
}
void SMTSort::dump() const {}
void SMTExpr::dump() const {}
void SMTSolver::dump() const {}
void SMTSolverStatistics::dump() const {}
