//===- Preamble.cpp - Parses function bodies in headers that matter -------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// clangd compiles the headers of a file once and skips the bodies of nearly all
// functions in them. The effects of the project's headers on streams would then
// be unknown, so the bodies that the driver parses are also parsed here.
//
//===----------------------------------------------------------------------===//

#include "Clangd.h"
#include "driver/units/NeedlessBody.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Frontend/PrecompiledPreamble.h"
#include "clang/Lex/PPCallbacks.h"

using namespace clang;

namespace cudagraph::driver {

CUDAGRAPH_WRAP(
    llvm::ErrorOr<PrecompiledPreamble>, BuildPreamble,
    "_ZN5clang19PrecompiledPreamble5BuildERKNS_18CompilerInvocationEPKN4llvm12M"
    "emoryBufferENS_14PreambleBoundsENS4_18IntrusiveRefCntPtrINS_17DiagnosticsE"
    "ngineEEENS9_INS4_3vfs10FileSystemEEESt10shared_ptrINS_22PCHContainerOperat"
    "ionsEEbNS4_9StringRefERNS_17PreambleCallbacksE",
    (const CompilerInvocation &Invocation, const llvm::MemoryBuffer *Main,
     PreambleBounds Bounds, llvm::IntrusiveRefCntPtr<DiagnosticsEngine> Diags,
     llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> Files,
     std::shared_ptr<PCHContainerOperations> Containers, bool InMemory,
     llvm::StringRef StoragePath, PreambleCallbacks &Callbacks))

namespace {

/// Forwards to clangd's own callbacks, except for one function.
class Callbacks : public PreambleCallbacks {
public:
  explicit Callbacks(PreambleCallbacks &Own) : Own(Own) {}

  void BeforeExecute(CompilerInstance &CI) override {
    SM = &CI.getSourceManager();
    Own.BeforeExecute(CI);
  }
  void AfterExecute(CompilerInstance &CI) override { Own.AfterExecute(CI); }
  void AfterPCHEmitted(ASTWriter &Writer) override {
    Own.AfterPCHEmitted(Writer);
  }
  void HandleTopLevelDecl(DeclGroupRef DG) override {
    Own.HandleTopLevelDecl(DG);
  }
  std::unique_ptr<PPCallbacks> createPPCallbacks() override {
    return Own.createPPCallbacks();
  }
  CommentHandler *getCommentHandler() override {
    return Own.getCommentHandler();
  }
  bool shouldSkipFunctionBody(Decl *D) override {
    if (SM && !Needless) { // the main file is known at this point
      Project.emplace(*SM);
      Needless.emplace(*SM, *Project);
    }
    return Own.shouldSkipFunctionBody(D) &&
           (!Needless || Needless->contains(D));
  }

private:
  PreambleCallbacks &Own;
  const SourceManager *SM = nullptr;
  std::optional<ProjectCode> Project;
  std::optional<NeedlessBodies> Needless;
};

} // namespace

llvm::ErrorOr<PrecompiledPreamble> wrapBuildPreamble(
    const CompilerInvocation &Invocation, const llvm::MemoryBuffer *Main,
    PreambleBounds Bounds, llvm::IntrusiveRefCntPtr<DiagnosticsEngine> Diags,
    llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> Files,
    std::shared_ptr<PCHContainerOperations> Containers, bool InMemory,
    llvm::StringRef StoragePath, PreambleCallbacks &Own) {
  Callbacks Ours(Own);
  // Instantiates templates once here, not after each edit.
  CompilerInvocation Changed(Invocation);
  Changed.getLangOpts().PCHInstantiateTemplates = true;
  return realBuildPreamble(Changed, Main, Bounds, std::move(Diags),
                           std::move(Files), std::move(Containers), InMemory,
                           StoragePath, Ours);
}

} // namespace cudagraph::driver
