//===- ClangVersions.h - Differences between Clang versions -----*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The code is written for the newest supported version of LLVM. This folder
// declares names that an older version lacks or spells differently, and no file
// elsewhere compares version numbers. docs/contributing/recipes/llvm.md lists
// the versions that were tested.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_VERSIONS_CLANGVERSIONS_H
#define CUDAGRAPH_VERSIONS_CLANGVERSIONS_H

#include "LLVMVersions.h"
#include "clang-tidy/ClangTidyModule.h"
#include "clang/AST/ASTContext.h"
#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/DiagnosticIDs.h"
#include "clang/Basic/FileEntry.h"
#include "clang/Basic/Version.h"
#include "clang/Lex/DependencyDirectivesScanner.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Option/OptTable.h"
#include <memory>
#include <optional>

// Since version 22, ClangTidyModule.h declares the registry.
#if CLANG_VERSION_MAJOR < 22
#include "clang-tidy/ClangTidyModuleRegistry.h"
#endif

// The table of options that TableGen generates: since version 20, strings are
// offsets into one table.
#if CLANG_VERSION_MAJOR >= 20
#define CUDAGRAPH_OPTION_PREFIX(NAME, ...)
#define CUDAGRAPH_OPTION_TABLE(ROWS) OptionStrTable, OptionPrefixesTable, ROWS
#else
#define CUDAGRAPH_OPTION_PREFIX(NAME, ...)                                     \
  constexpr llvm::StringLiteral NAME##_values[] = __VA_ARGS__;                 \
  constexpr llvm::ArrayRef<llvm::StringLiteral> NAME(                          \
      NAME##_values, std::size(NAME##_values) - 1);
#define CUDAGRAPH_OPTION_TABLE(ROWS) ROWS
#endif

// Clang's own options.
#if __has_include("clang/Options/Options.h")
#include "clang/Options/Options.h"
#else
#define CUDAGRAPH_OLDER_CLANG
#include "clang/Driver/Options.h"
namespace clang {
namespace options = driver::options;
using driver::getDriverOptTable;
} // namespace clang
#endif

namespace clang {
class FileManager;
class Preprocessor;
#if CLANG_VERSION_MAJOR < 22
/// Clang's interface of the same name.
class DependencyDirectivesGetter {
public:
  virtual ~DependencyDirectivesGetter() = default;
  virtual std::unique_ptr<DependencyDirectivesGetter>
  cloneFor(FileManager &Files) = 0;
  virtual std::optional<ArrayRef<dependency_directives_scan::Directive>>
  operator()(FileEntryRef File) = 0;
};
#endif
} // namespace clang

#if __has_include("clang/Basic/OffloadArch.h")
#include "clang/Basic/OffloadArch.h"
#else
#include "clang/Basic/Cuda.h"
#endif

#if __has_include("clang/AST/DynamicRecursiveASTVisitor.h")
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#else
#define CUDAGRAPH_OWN_VISITOR
#include "clang/AST/Decl.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclFriend.h"
#include "clang/AST/DeclObjC.h"
#include "clang/AST/DeclOpenMP.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/Expr.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/ExprConcepts.h"
#include "clang/AST/ExprObjC.h"
#include "clang/AST/ExprOpenMP.h"
#include "clang/AST/Stmt.h"
#include "clang/AST/StmtCXX.h"
#include "clang/AST/StmtObjC.h"
#include "clang/AST/StmtOpenACC.h"
#include "clang/AST/StmtOpenMP.h"

namespace clang {

/// Clang's visitor of the same name, for the statements and declarations that
/// it visits; version 20 introduced it. Types are traversed, but not visited.
class DynamicRecursiveASTVisitor {
public:
  bool ShouldVisitTemplateInstantiations = false;
  bool ShouldWalkTypesOfTypeLocs = true;
  bool ShouldVisitImplicitCode = false;
  bool ShouldVisitLambdaBody = true;

  virtual ~DynamicRecursiveASTVisitor();

  virtual bool TraverseAST(ASTContext &Context);
  virtual bool TraverseDecl(Decl *D);
  virtual bool TraverseStmt(Stmt *S);
  virtual bool VisitDecl(Decl *) { return true; }
  virtual bool VisitStmt(Stmt *) { return true; }

#define ABSTRACT_STMT(STMT)
#define STMT(CLASS, PARENT) virtual bool Traverse##CLASS(CLASS *S);
#include "clang/AST/StmtNodes.inc"
#define STMT(CLASS, PARENT)                                                    \
  virtual bool Visit##CLASS(CLASS *) { return true; }
#include "clang/AST/StmtNodes.inc"

#define ABSTRACT_DECL(DECL)
#define DECL(CLASS, BASE) virtual bool Traverse##CLASS##Decl(CLASS##Decl *D);
#include "clang/AST/DeclNodes.inc"
#define DECL(CLASS, BASE)                                                      \
  virtual bool Visit##CLASS##Decl(CLASS##Decl *) { return true; }
#include "clang/AST/DeclNodes.inc"
};

} // namespace clang
#endif

namespace cudagraph {

/// The canonical type of \p D.
inline clang::QualType tagType(const clang::TagDecl *D) {
#if CLANG_VERSION_MAJOR >= 22
  return clang::QualType(D->getASTContext().getCanonicalTagType(D));
#else
  return D->getASTContext().getTagDeclType(D).getCanonicalType();
#endif
}

/// Creates warnings for functions of Clang that take a warning, without
/// reporting them.
class UnreportedWarnings {
public:
  UnreportedWarnings();
  clang::DiagnosticsEngine &engine() { return Engine; }
  /// Calls \p Use with a warning at \p Loc and returns the result.
  bool at(clang::SourceLocation Loc, llvm::StringRef Text,
          llvm::function_ref<bool(const clang::Diagnostic &)> Use);

private:
#if CLANG_VERSION_MAJOR >= 22
  clang::DiagnosticOptions Options;
#endif
  llvm::IntrusiveRefCntPtr<clang::DiagnosticIDs> Ids;
  clang::DiagnosticsEngine Engine;
  unsigned Id;
};

/// Makes \p PP read only the directives that \p Get finds in each file. \p Get
/// must outlive it.
void useDirectives(clang::Preprocessor &PP,
                   clang::DependencyDirectivesGetter &Get);

/// Clears the path of a file that version 22 can write and version 19 cannot.
template <typename T> void clearMinimizationHints(T &Options) {
  if constexpr (requires { Options.DumpMinimizationHintsPath; })
    Options.DumpMinimizationHintsPath.clear();
}

/// Keeps version 19, which counts the references to options, from deleting \p
/// Options.
template <typename T> void retainOptions(T &Options) {
  if constexpr (requires { Options.Retain(); })
    Options.Retain();
}

} // namespace cudagraph

#endif // CUDAGRAPH_VERSIONS_CLANGVERSIONS_H
