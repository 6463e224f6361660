//===- Causes.h - Remedies for findings of a run ----------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_PROBE_CAUSES_H
#define CUDAGRAPH_PROBE_CAUSES_H

#include "format/Report.h"
#include "llvm/ADT/StringRef.h"

namespace cudagraph::probe {

/// Sets the remedy of \p F, a finding of \p R, if its cause is known.
/// \p StreamKind is the kind of the call's stream, such as "legacy"; empty if
/// unknown.
void addRemedy(Finding &F, const Report &R, llvm::StringRef StreamKind);

} // namespace cudagraph::probe

#endif // CUDAGRAPH_PROBE_CAUSES_H
