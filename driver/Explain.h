//===- Explain.h - The output of `cudagraph-tidy explain` -------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Describes the subjects that a finding mentions: a check, an error code, or a
// function and its effect on a capture.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_EXPLAIN_H
#define CUDAGRAPH_DRIVER_EXPLAIN_H

#include "catalogue/Catalogue.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace llvm {
class raw_ostream;
}

namespace cudagraph::driver {

/// Explains \p Subject: a check ID, an error code or its name, or a function.
/// The error suggests similar names.
llvm::Error explain(llvm::StringRef Subject, const catalogue::Catalogue &Known,
                    llvm::raw_ostream &Out);

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_EXPLAIN_H
