//===- Contact.h - How other code can affect captures -----------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Most units of a large program cannot affect any capture. The names that such
// a unit would have to contain are known from the units that can affect one.
// They are functions that begin or end a capture, state that captured code
// reads and the functions that set it, and functions that captured code calls
// but that no known unit defines. A unit without any of these names cannot
// change a finding.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_PROGRAM_CONTACT_H
#define CUDAGRAPH_ANALYSIS_PROGRAM_CONTACT_H

#include "analysis/findings/Options.h"
#include "catalogue/Catalogue.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <set>
#include <string>
#include <utility>

namespace cudagraph {

class Program;

/// Names without qualification.
struct ContactNames {
  /// Functions and variables that other code uses.
  std::set<std::string> Uses;
  /// Class and member: matters to code that uses the class and names the
  /// member. Without a member, it matters to all code that uses the class.
  std::set<std::pair<std::string, std::string>> Members;
  /// Functions that other code may define; with a class if they have one.
  std::set<std::pair<std::string, std::string>> Definitions;

  void add(const ContactNames &Other);
};

/// Returns the names by which code outside \p Linked can affect captures in it.
/// \p OptionsOf returns the options with which the unit of a function is
/// analyzed.
ContactNames
contactNames(Program &Linked, const catalogue::Catalogue &Known,
             llvm::function_ref<const AnalysisOptions &(unsigned)> OptionsOf);

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_PROGRAM_CONTACT_H
