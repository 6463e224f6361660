//===- Html.h - A run as a page ---------------------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_PROBE_HTML_H
#define CUDAGRAPH_PROBE_HTML_H

#include "format/Report.h"
#include "llvm/Support/raw_ostream.h"

namespace cudagraph::probe {

/// Writes one page that loads no other files: the findings, and each capture
/// with its streams as lanes.
void writeHtml(llvm::raw_ostream &Out, const Report &R);

} // namespace cudagraph::probe

#endif // CUDAGRAPH_PROBE_HTML_H
