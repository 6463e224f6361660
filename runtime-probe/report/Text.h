//===- Text.h - The text report ---------------------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_PROBE_TEXT_H
#define CUDAGRAPH_PROBE_TEXT_H

#include "format/Report.h"
#include "llvm/Support/raw_ostream.h"

namespace cudagraph::probe {

/// Writes findings and problems as Clang writes diagnostics, and a closing line
/// unless \p Quiet is set. Unless \p Verbose is set, a remark is one line, and
/// names of templates are short.
void writeText(llvm::raw_ostream &Out, const Report &R, bool Quiet,
               bool Verbose);

/// \p Text with long template arguments and parameters as "...".
std::string shortened(llvm::StringRef Text);

} // namespace cudagraph::probe

#endif // CUDAGRAPH_PROBE_TEXT_H
