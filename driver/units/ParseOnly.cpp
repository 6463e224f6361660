//===- ParseOnly.cpp - Restricts Clang to parsing -------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ParseOnly.h"
#include "versions/ClangVersions.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Lex/HeaderSearch.h"
#include "clang/Lex/HeaderSearchOptions.h"
#include "clang/Lex/Pragma.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/VirtualFileSystem.h"

using namespace llvm;

namespace cudagraph::driver {
namespace {

class NoFile : public std::error_category {
public:
  const char *name() const noexcept override { return "cudagraph-tidy"; }
  std::string message(int) const override {
    return "it is a pipe or a device, not a regular file";
  }
};

/// Replaces the handler of `#pragma clang NAME`.
void ignoreClangPragma(clang::Preprocessor &PP, StringRef Name) {
  clang::EmptyPragmaHandler Known(Name); // its name is the key
  PP.RemovePragmaHandler("clang", &Known);
  PP.AddPragmaHandler("clang", new clang::EmptyPragmaHandler(Name));
}

} // namespace

void parseOnly(clang::CompilerInvocation &Invocation,
               const std::vector<std::string> &Args) {
  Invocation.getDependencyOutputOpts() = {};

  clang::DiagnosticOptions &Diagnostics = Invocation.getDiagnosticOpts();
  Diagnostics.DiagnosticLogFile.clear();
  Diagnostics.DiagnosticSerializationFile.clear();
  // It would suppress errors.
  Diagnostics.VerifyDiagnostics = false;

  clang::FrontendOptions &Frontend = Invocation.getFrontendOpts();
  Frontend.Plugins.clear();
  Frontend.AddPluginActions.clear();
  Frontend.OutputFile.clear();
  Frontend.StatsFile.clear();
  Frontend.TimeTracePath.clear();
  clearMinimizationHints(Frontend);
  Frontend.ASTMergeFiles.clear();
  Frontend.ShowStats = false;
  Invocation.getCodeGenOpts().TimePasses = false;
  Invocation.getHeaderSearchOpts().Verbose = false;

  clang::PreprocessorOptions &Preprocessor = Invocation.getPreprocessorOpts();
  Preprocessor.DumpDeserializedPCHDecls = false;
  // With `-include a.h`, Clang uses an a.h.pch or a.h.gch next to it.
  StringRef Found = Preprocessor.ImplicitPCHInclude;
  if (!Found.empty() && !is_contained(Args, "-include-pch")) {
    if (!Found.consume_back(".pch"))
      Found.consume_back(".gch");
    Preprocessor.Includes.insert(Preprocessor.Includes.begin(), Found.str());
    Preprocessor.ImplicitPCHInclude.clear();
  }
}

bool readsCompiled(ArrayRef<std::string> Args) {
  return any_of(Args, [](StringRef A) {
    return A.starts_with("-include-pch") || A.starts_with("-fmodule") ||
           A.starts_with("-fcxx-modules") || A.starts_with("-fprebuilt");
  });
}

void ignoreDebugPragmas(clang::Preprocessor &PP) {
  // `#pragma clang __debug crash`, `overflow_stack`, and `macro`.
  ignoreClangPragma(PP, "__debug");
  // `#pragma clang module build` creates a file. Only users who request modules
  // need these pragmas.
  const clang::HeaderSearchOptions &Search =
      PP.getHeaderSearchInfo().getHeaderSearchOpts();
  if (!PP.getLangOpts().Modules || !PP.getLangOpts().ImplicitModules ||
      Search.ModuleCachePath.empty())
    ignoreClangPragma(PP, "module");
}

std::error_code unreadable(const vfs::Status &Status) {
  static NoFile Category;
  switch (Status.getType()) {
  case sys::fs::file_type::block_file:
  case sys::fs::file_type::character_file:
  case sys::fs::file_type::fifo_file:
  case sys::fs::file_type::socket_file:
    return std::error_code(1, Category);
  default:
    return {};
  }
}

} // namespace cudagraph::driver
