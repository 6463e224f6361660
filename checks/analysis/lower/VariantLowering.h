//===- VariantLowering.h - std::variant -------------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lowers objects that contain one of several alternatives. Variants.h describes
// their parts.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_LOWER_VARIANTLOWERING_H
#define CUDAGRAPH_ANALYSIS_LOWER_VARIANTLOWERING_H

#include "ExprLowering.h"

namespace cudagraph {

using AlternativeTypes = llvm::SmallVector<clang::QualType, 8>;

/// The types of the alternatives of \p RD, which may be null; empty if it is
/// not a variant.
AlternativeTypes alternativesOf(LibraryNames &Names,
                                const clang::CXXRecordDecl *RD);

/// The same for the class \p T, its target if it is a pointer or a reference,
/// or its base class.
AlternativeTypes alternativesIn(LibraryNames &Names, clang::QualType T);

/// \p T without a reference, names, and qualifiers.
clang::QualType plainType(clang::QualType T);

class VariantLowering {
public:
  explicit VariantLowering(ExprLowering &L) : L(L), Exprs(L.Exprs) {}

  /// The place of alternative \p Index of the variant at \p Place, and of the
  /// number of its current alternative.
  ExprId alternative(ExprId Place, unsigned Index);
  ExprId number(ExprId Place);

  /// Constructs the variant \p Place of class \p RD as \p C does with \p Args.
  /// Returns false, without an effect, if the alternative is unknown, or if \p
  /// C copies a variant.
  bool construct(const clang::CXXRecordDecl *RD, ExprId Place,
                 const clang::CXXConstructorDecl *C,
                 llvm::ArrayRef<const clang::Expr *> Args, Span Where);

  /// Sets the variant \p Place of class \p RD to \p Source, one of its
  /// alternatives. The lifetime of the old value ends at \p Replaced. Returns
  /// false, without an effect, if the alternative is unknown, or if \p Source
  /// is itself a variant.
  bool fill(const clang::CXXRecordDecl *RD, ExprId Place,
            const clang::Expr *Source, Span Where,
            const clang::FunctionDecl *By = nullptr,
            std::optional<Span> Replaced = std::nullopt);

  /// Does the same for \p Element of \p Container, to which \p E adds it, if
  /// its elements are variants.
  bool fillElement(const clang::CallExpr *E,
                   const clang::CXXRecordDecl *Container, ExprId Element,
                   const clang::Expr *Source);

  /// Lowers a call to \p M, a member function of a variant at \p Place: an
  /// assignment, emplace(), or index(). Returns nothing for other calls.
  std::optional<ExprId> method(const clang::CallExpr *E,
                               const clang::CXXMethodDecl *M, ExprId Place,
                               llvm::ArrayRef<const clang::Expr *> Args);

  /// Lowers \p E, a call to a function of the standard library: get_if(),
  /// holds_alternative(), or visit(). Returns nothing for other calls.
  std::optional<ExprId> function(const clang::CallExpr *E);

  /// The place to which \p E, a call to std::get, refers; None if its argument
  /// is not a variant.
  ExprId element(const clang::CallExpr *E);

private:
  void set(ExprId Place, clang::QualType Held, unsigned Index,
           llvm::ArrayRef<const clang::Expr *> Args, Span Where);
  std::optional<ExprId> visit(const clang::CallExpr *E);

  ExprLowering &L;
  ExprBuilder &Exprs;
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_LOWER_VARIANTLOWERING_H
