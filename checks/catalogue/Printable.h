//===- Printable.h - Foreign text made fit to be shown ----------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// File names, messages and options come from whoever wrote the program, and
// terminals and CI services act on what is printed: escape sequences, line
// breaks, bidirectional controls, `::add-mask::`. All that is foreign goes
// through this one function before a person or a log sees it. It is here, and
// without LLVM, because the probe needs it too.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_CATALOGUE_PRINTABLE_H
#define CUDAGRAPH_CATALOGUE_PRINTABLE_H

#include <string>
#include <string_view>

namespace cudagraph {

/// Returns \p Text on one line, in UTF-8, with an escape for everything that
/// does not show: `\n`, `\x1b`, `\u202e`, and `\xff` for a byte that is no
/// UTF-8. What a CI service would take for a command at the start of a line
/// (`::`) or anywhere (`##[`, `##vso[`) is broken up in the same way.
std::string printable(std::string_view Text);

/// True if '[' after \p Before begins a command of a CI service.
bool opensCommand(std::string_view Before);

} // namespace cudagraph

#endif // CUDAGRAPH_CATALOGUE_PRINTABLE_H
