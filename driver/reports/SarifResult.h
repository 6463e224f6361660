//===- SarifResult.h - A finding as a SARIF result --------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The call is the location, and the chain is a code flow that ends with it.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_REPORTS_SARIFRESULT_H
#define CUDAGRAPH_DRIVER_REPORTS_SARIFRESULT_H

#include "Entries.h"
#include "SarifRules.h"
#include "Utf16.h"
#include "llvm/Support/JSON.h"

namespace cudagraph::reports {

class SarifResults {
public:
  SarifResults(llvm::json::OStream &J, const Report &R, SourceText &Sources,
               const std::vector<SarifRule> &Rules)
      : J(J), R(R), Sources(Sources), Rules(Rules), Hashes(Sources) {}

  /// Writes \p E, which has a location, as an element of an array.
  void write(const Entry &E);

  /// Writes "artifactLocation" of \p File.
  void artifact(llvm::StringRef File);

private:
  /// A location to which the message links.
  struct Linked {
    const Location *At;
    std::string Message;
  };

  llvm::json::OStream &J;
  const Report &R;
  SourceText &Sources;
  const std::vector<SarifRule> &Rules;
  LineHashes Hashes;

  void text(llvm::StringRef Name, llvm::StringRef Text);
  void physical(const Location &L, bool Primary);
  void logical(llvm::StringRef Function);
  std::string message(const Entry &E, std::vector<Linked> &Links);
  void codeFlow(const Finding &F);
  void fix(const Finding &F);
  void stack(const std::vector<confirm::Frame> &Frames);
  void properties(const Entry &E);
  void outcome(const Outcome &O);
  void region(const Region &G);
};

} // namespace cudagraph::reports

#endif // CUDAGRAPH_DRIVER_REPORTS_SARIFRESULT_H
