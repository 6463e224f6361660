//===- EntryCommand.h - A database entry in Clang's words -------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// NvccArgs knows options; this knows the entry they stand in: where its options
// files are, and that Clang is to compile one file.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_DATABASE_ENTRYCOMMAND_H
#define CUDAGRAPH_DRIVER_DATABASE_ENTRYCOMMAND_H

#include "DbFile.h"
#include "driver/translation/NvccArgs.h"
#include "clang/Tooling/CompilationDatabase.h"

namespace cudagraph::driver {

/// Returns \p Entry's command in Clang's words, with the options that may reach
/// the parser (ForeignArgs.h). Of several inputs (`nvcc a.cu b.o`) only the
/// entry's own stays; \p Header, if any, takes its place. Precompiled headers
/// are replaced by their sources: they are another compiler's.
Translation translateEntry(const DbEntry &Entry, llvm::StringRef Header = "");

/// Returns \p Command, which somebody else made from a neighbor's for \p File,
/// with the options that may reach the parser.
Translation translateInferred(llvm::ArrayRef<std::string> Command,
                              llvm::StringRef File);

/// Returns the language of a command in Clang's words that compiles \p File:
/// c, c++ or cuda.
llvm::StringRef languageOfCommand(llvm::ArrayRef<std::string> Args,
                                  llvm::StringRef File);

/// Returns commands in Clang's words for \p File, which \p Entries lack, made
/// from those of its nearest neighbour.
std::vector<clang::tooling::CompileCommand>
inferCommands(llvm::ArrayRef<DbEntry> Entries, llvm::StringRef File);

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_DATABASE_ENTRYCOMMAND_H
