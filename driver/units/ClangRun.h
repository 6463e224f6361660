//===- ClangRun.h - Clang, in this process, once ----------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the parse of a unit (Frontend.h) and the scan of its includes
// (IncludeScan.h) have in common: both must see the same branches of the same
// files.
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

/// Runs the action that \p Create makes as \p Args say, program first, and as
/// if in \p Directory. \p Adjust has the last word about the invocation, and
/// \p Disk sees what is read. Returns why \p Directory cannot be entered.
std::error_code
runClang(const std::vector<std::string> &Args, llvm::StringRef Directory,
         llvm::IntrusiveRefCntPtr<RecordingDisk> Disk,
         clang::DiagnosticConsumer &Errors,
         llvm::function_ref<std::unique_ptr<clang::FrontendAction>()> Create,
         llvm::function_ref<void(clang::CompilerInvocation &)> Adjust);

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_UNITS_CLANGRUN_H
