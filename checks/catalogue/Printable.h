//===- Printable.h - Makes foreign text printable ---------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// File names, messages, and options come from the author of a program.
// Terminals and CI services interpret parts of the printed text: escape
// sequences, line breaks, bidirectional controls, and `::add-mask::`. All
// foreign text passes through printable() before it is shown or logged. This
// file does not use LLVM, because the probe also needs it.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_CATALOGUE_PRINTABLE_H
#define CUDAGRAPH_CATALOGUE_PRINTABLE_H

#include <string>
#include <string_view>

namespace cudagraph {

/// Returns \p Text on one line, in UTF-8, with an escape for every invisible
/// character: `\n`, `\x1b`, `\u202e`, and `\xff` for a byte that is not valid
/// UTF-8. Text that a CI service would interpret as a command at the start of a
/// line (`::`) or anywhere (`##[`, `##vso[`) is broken up in the same way.
std::string printable(std::string_view Text);

/// True if '[' after \p Before begins a command of a CI service.
bool opensCommand(std::string_view Before);

} // namespace cudagraph

#endif // CUDAGRAPH_CATALOGUE_PRINTABLE_H
