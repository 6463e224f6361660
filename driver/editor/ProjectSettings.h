//===- ProjectSettings.h - .cudagraph-tidy.yaml in the editor ---*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A project file has the same meaning in the editor as in the driver, as far as
// it concerns one source: its compile command, and the findings that are
// reported in it. The file is read each time clangd builds a syntax tree, so a
// change takes effect immediately.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_EDITOR_PROJECTSETTINGS_H
#define CUDAGRAPH_DRIVER_EDITOR_PROJECTSETTINGS_H

#include "clang-tidy/ClangTidyOptions.h"
#include "driver/options/Options.h"
#include <optional>

namespace cudagraph::driver {

/// Returns the settings in the project files for \p File; nothing if there are
/// none, or if one has an error, which is shown to the user.
std::optional<Options> projectOptions(llvm::StringRef File);

/// Changes the options of the checks in \p Tidy, which come from .clang-tidy
/// and .clangd, as the project files for \p File specify.
void applyProjectSettings(llvm::StringRef File,
                          clang::tidy::ClangTidyOptions &Tidy);

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_EDITOR_PROJECTSETTINGS_H
