//===- ClangVersions.cpp - Names that older versions of Clang lack --------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The visitor for older versions works like Clang's own: a visitor template,
// instantiated once, calls the virtual functions.
//
//===----------------------------------------------------------------------===//

#include "ClangVersions.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Lex/PreprocessorOptions.h"

using namespace clang;

namespace cudagraph {

#if CLANG_VERSION_MAJOR >= 22
UnreportedWarnings::UnreportedWarnings()
    : Ids(DiagnosticIDs::create()), Engine(Ids, Options) {
  Id = Ids->getCustomDiagID(
      DiagnosticIDs::CustomDiagDesc(diag::Severity::Warning, "%0"));
}

bool UnreportedWarnings::at(SourceLocation Loc, llvm::StringRef Text,
                            llvm::function_ref<bool(const Diagnostic &)> Use) {
  DiagnosticStorage Storage;
  return Use(Diagnostic(&Engine, Loc, Id, Storage, Text));
}
#else
UnreportedWarnings::UnreportedWarnings()
    : Ids(new DiagnosticIDs), Engine(Ids, new DiagnosticOptions) {
  Id = Ids->getCustomDiagID(DiagnosticIDs::Warning, "%0");
}

bool UnreportedWarnings::at(SourceLocation Loc, llvm::StringRef Text,
                            llvm::function_ref<bool(const Diagnostic &)> Use) {
  // Only the engine can create a diagnostic.
  struct Consumer : DiagnosticConsumer {
    llvm::function_ref<bool(const Diagnostic &)> Use;
    bool Result = false;
    explicit Consumer(decltype(Use) Use) : Use(Use) {}
    void HandleDiagnostic(DiagnosticsEngine::Level,
                          const Diagnostic &Info) override {
      Result = Use(Info);
    }
  } To(Use);
  Engine.setClient(&To, /*ShouldOwnClient=*/false);
  Engine.Report(Loc, Id) << Text;
  Engine.setClient(nullptr);
  return To.Result;
}
#endif

void useDirectives(Preprocessor &PP, DependencyDirectivesGetter &Get) {
#if CLANG_VERSION_MAJOR >= 22
  PP.setDependencyDirectivesGetter(Get);
#else
  PP.getPreprocessorOpts().DependencyDirectivesForFile =
      [&Get](FileEntryRef File) { return Get(File); };
#endif
}

} // namespace cudagraph

#ifdef CUDAGRAPH_OWN_VISITOR
#include "clang/AST/RecursiveASTVisitor.h"

namespace {

struct Forwarder : RecursiveASTVisitor<Forwarder> {
  using Base = RecursiveASTVisitor<Forwarder>;
  DynamicRecursiveASTVisitor &To;

  explicit Forwarder(DynamicRecursiveASTVisitor &To) : To(To) {}

  bool shouldVisitTemplateInstantiations() const {
    return To.ShouldVisitTemplateInstantiations;
  }
  bool shouldWalkTypesOfTypeLocs() const {
    return To.ShouldWalkTypesOfTypeLocs;
  }
  bool shouldVisitImplicitCode() const { return To.ShouldVisitImplicitCode; }
  bool shouldVisitLambdaBody() const { return To.ShouldVisitLambdaBody; }

  // These overrides lack the second parameter of the base, so statements are
  // not queued, and each override runs inside that of the parent statement.
  bool TraverseAST(ASTContext &Context) { return To.TraverseAST(Context); }
  bool TraverseDecl(Decl *D) { return To.TraverseDecl(D); }
  bool TraverseStmt(Stmt *S) { return To.TraverseStmt(S); }
  bool VisitDecl(Decl *D) { return To.VisitDecl(D); }
  bool VisitStmt(Stmt *S) { return To.VisitStmt(S); }

#define ABSTRACT_STMT(STMT)
#define STMT(CLASS, PARENT)                                                    \
  bool Traverse##CLASS(CLASS *S) { return To.Traverse##CLASS(S); }
#include "clang/AST/StmtNodes.inc"
#define STMT(CLASS, PARENT)                                                    \
  bool Visit##CLASS(CLASS *S) { return To.Visit##CLASS(S); }
#include "clang/AST/StmtNodes.inc"

#define ABSTRACT_DECL(DECL)
#define DECL(CLASS, BASE)                                                      \
  bool Traverse##CLASS##Decl(CLASS##Decl *D) {                                 \
    return To.Traverse##CLASS##Decl(D);                                        \
  }
#include "clang/AST/DeclNodes.inc"
#define DECL(CLASS, BASE)                                                      \
  bool Visit##CLASS##Decl(CLASS##Decl *D) { return To.Visit##CLASS##Decl(D); }
#include "clang/AST/DeclNodes.inc"
};

} // namespace

DynamicRecursiveASTVisitor::~DynamicRecursiveASTVisitor() = default;

bool DynamicRecursiveASTVisitor::TraverseAST(ASTContext &Context) {
  return Forwarder(*this).Forwarder::Base::TraverseAST(Context);
}
bool DynamicRecursiveASTVisitor::TraverseDecl(Decl *D) {
  return Forwarder(*this).Forwarder::Base::TraverseDecl(D);
}
bool DynamicRecursiveASTVisitor::TraverseStmt(Stmt *S) {
  return Forwarder(*this).Forwarder::Base::TraverseStmt(S);
}

#define ABSTRACT_STMT(STMT)
#define STMT(CLASS, PARENT)                                                    \
  bool DynamicRecursiveASTVisitor::Traverse##CLASS(CLASS *S) {                 \
    return Forwarder(*this).Forwarder::Base::Traverse##CLASS(S);               \
  }
#include "clang/AST/StmtNodes.inc"

#define ABSTRACT_DECL(DECL)
#define DECL(CLASS, BASE)                                                      \
  bool DynamicRecursiveASTVisitor::Traverse##CLASS##Decl(CLASS##Decl *D) {     \
    return Forwarder(*this).Forwarder::Base::Traverse##CLASS##Decl(D);         \
  }
#include "clang/AST/DeclNodes.inc"

#endif
