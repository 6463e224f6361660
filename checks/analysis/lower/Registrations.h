//===- Registrations.h - Finds the registrations of a unit ------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the registrations of a unit from its syntax tree.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_LOWER_REGISTRATIONS_H
#define CUDAGRAPH_ANALYSIS_LOWER_REGISTRATIONS_H

#include "analysis/ir/Registration.h"
#include <vector>

namespace cudagraph {

class FunctionTable;
struct UnitContents;

/// The registrations in the functions and global variables of \p Contents.
/// Functions are identified by their numbers in \p Table.
std::vector<Registration> collectRegistrations(FunctionTable &Table,
                                               const UnitContents &Contents);

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_LOWER_REGISTRATIONS_H
