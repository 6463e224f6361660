//===- EntryCommand.h - A database entry as a Clang command -----*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// NvccArgs translates options. This file handles their context: the location of
// option files and Clang's limit of exactly one input.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_DATABASE_ENTRYCOMMAND_H
#define CUDAGRAPH_DRIVER_DATABASE_ENTRYCOMMAND_H

#include "DbFile.h"
#include "driver/translation/NvccArgs.h"
#include "clang/Tooling/CompilationDatabase.h"

namespace cudagraph::driver {

/// Returns \p Entry's command as a Clang command, with only the options that
/// may reach the parser (ForeignArgs.h). If there are several inputs (`nvcc
/// a.cu b.o`), only the file of the entry remains; \p Header, if any, replaces
/// it. Precompiled headers, which belong to another compiler, are replaced with
/// their sources.
Translation translateEntry(const DbEntry &Entry, llvm::StringRef Header = "");

/// Returns \p Command, which was inferred for \p File from a similar file, with
/// only the options that may reach the parser.
Translation translateInferred(llvm::ArrayRef<std::string> Command,
                              llvm::StringRef File);

/// Returns the language of a Clang command that compiles \p File: c, c++, or
/// cuda.
llvm::StringRef languageOfCommand(llvm::ArrayRef<std::string> Args,
                                  llvm::StringRef File);

/// Returns Clang commands for \p File, which is not in \p Entries, inferred
/// from the most similar entries.
std::vector<clang::tooling::CompileCommand>
inferCommands(llvm::ArrayRef<DbEntry> Entries, llvm::StringRef File);

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_DATABASE_ENTRYCOMMAND_H
