//===- ClangRun.h - Runs Clang once in this process -------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The common part of parsing a unit (Frontend.h) and scanning its includes
// (IncludeScan.h): both must see the same branches of the same files.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_UNITS_CLANGRUN_H
#define CUDAGRAPH_DRIVER_UNITS_CLANGRUN_H

#include "RecordingDisk.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <memory>
#include <string>
#include <system_error>
#include <vector>

namespace clang {
class CompilerInvocation;
class DiagnosticConsumer;
class FrontendAction;
} // namespace clang

namespace cudagraph::driver {

/// Runs the action that \p Create returns with \p Args, program first, as if in
/// \p Directory. \p Adjust makes the final changes to the invocation, and \p
/// Disk observes the files read. Returns an error if \p Directory cannot be
/// entered.
std::error_code
runClang(const std::vector<std::string> &Args, llvm::StringRef Directory,
         llvm::IntrusiveRefCntPtr<RecordingDisk> Disk,
         clang::DiagnosticConsumer &Errors,
         llvm::function_ref<std::unique_ptr<clang::FrontendAction>()> Create,
         llvm::function_ref<void(clang::CompilerInvocation &)> Adjust);

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_UNITS_CLANGRUN_H
