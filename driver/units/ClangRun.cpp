//===- ClangRun.cpp - Runs Clang once in this process ---------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ClangRun.h"
#include "versions/ClangVersions.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "clang/Tooling/Tooling.h"

using namespace llvm;

namespace cudagraph::driver {
namespace {

class Factory : public clang::tooling::FrontendActionFactory {
public:
  Factory(function_ref<std::unique_ptr<clang::FrontendAction>()> Create,
          function_ref<void(clang::CompilerInvocation &)> Adjust)
      : Create(Create), Adjust(Adjust) {}

  std::unique_ptr<clang::FrontendAction> create() override { return Create(); }

  bool
  runInvocation(std::shared_ptr<clang::CompilerInvocation> Invocation,
                clang::FileManager *Files,
                std::shared_ptr<clang::PCHContainerOperations> PCHContainerOps,
                clang::DiagnosticConsumer *DiagConsumer) override {
    // clang-tidy defines __clang_analyzer__, and all hosts must see the same
    // code.
    Invocation->getPreprocessorOpts().SetUpStaticAnalyzer = true;
    // Destroying the AST is unnecessary, because the process ends next.
    Invocation->getFrontendOpts().DisableFree = true;
    Adjust(*Invocation);
    return FrontendActionFactory::runInvocation(Invocation, Files,
                                                PCHContainerOps, DiagConsumer);
  }

private:
  function_ref<std::unique_ptr<clang::FrontendAction>()> Create;
  function_ref<void(clang::CompilerInvocation &)> Adjust;
};

} // namespace

std::error_code
runClang(const std::vector<std::string> &Args, StringRef Directory,
         IntrusiveRefCntPtr<RecordingDisk> Disk,
         clang::DiagnosticConsumer &Errors,
         function_ref<std::unique_ptr<clang::FrontendAction>()> Create,
         function_ref<void(clang::CompilerInvocation &)> Adjust) {
  // This file system has its own working directory; that of the process does
  // not change.
  if (std::error_code EC = Disk->setCurrentWorkingDirectory(Directory))
    return EC;
  auto Files =
      makeIntrusiveRefCnt<clang::FileManager>(clang::FileSystemOptions(), Disk);
  Factory Actions(Create, Adjust);
  clang::tooling::ToolInvocation Invocation(
      Args, &Actions, Files.get(),
      std::make_shared<clang::PCHContainerOperations>());
  Invocation.setDiagnosticConsumer(&Errors);
  // Otherwise, these options are taken from the command, with the files that
  // they name.
  clang::DiagnosticOptions Diagnostics;
  retainOptions(Diagnostics);
  Invocation.setDiagnosticOptions(&Diagnostics);
  Invocation.run();
  return {};
}

} // namespace cudagraph::driver
