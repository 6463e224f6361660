//===- ConstructLowering.h - Object construction ----------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Constructors, new, and the functions that create objects for owners of the
// standard library.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_LOWER_CONSTRUCTLOWERING_H
#define CUDAGRAPH_ANALYSIS_LOWER_CONSTRUCTLOWERING_H

#include "ExprLowering.h"
#include "analysis/ir/OptionalFlag.h"

namespace cudagraph {

/// Returns true if \p E is an object of the class \p Name of a library, such as
/// nullopt_t.
bool isTag(const clang::Expr *E, llvm::StringRef Name);

class ConstructLowering {
public:
  explicit ConstructLowering(ExprLowering &L) : L(L), Exprs(L.Exprs) {}

  ExprId construct(const clang::CXXConstructExpr *E);
  ExprId allocate(const clang::CXXNewExpr *E);

  /// std::make_unique<T>(args) and std::make_shared<T>(args) construct a T.
  /// Returns None if \p E, a call to a function with one of these names, does
  /// not do so.
  ExprId makeOwner(const clang::CallExpr *E);

  /// std::make_pair(a, b). Returns None if \p E, a call to a function with that
  /// name, does something else.
  ExprId makePair(const clang::CallExpr *E);

  /// Calls the constructor of \p RD that takes as many arguments as \p Args
  /// has, for a library function that constructs an object in place. Returns
  /// false, without an effect, if there is none.
  bool constructAt(const clang::CXXRecordDecl *RD, ExprId Object, Span Where,
                   llvm::ArrayRef<const clang::Expr *> Args);

  /// Creates \p Element of \p Container from \p Args, as \p E, a call to
  /// emplace_back() or a similar method, does. Returns false, without an
  /// effect, if no constructor of the program or of a thread does so, or if the
  /// object has a destructor.
  bool emplace(const clang::CallExpr *E, const clang::CXXRecordDecl *Container,
               ExprId Element, llvm::ArrayRef<const clang::Expr *> Args);

  /// Sets \p Place, an optional of class \p RD, to \p Source, or empties it if
  /// that is null; the lifetime of its old value ends at \p Replaced. Returns
  /// false, without an effect, if the new value cannot be determined from \p
  /// Source.
  bool fillOptional(const clang::CXXRecordDecl *RD, ExprId Place,
                    const clang::Expr *Source,
                    std::optional<Span> Replaced = std::nullopt);

  /// Constructs the contents of \p Place, an optional of class \p RD, from
  /// \p Args. Returns false, without an effect, if it does not contain an
  /// object of a class.
  bool emplaceOptional(const clang::CXXRecordDecl *RD, ExprId Place, Span Where,
                       llvm::ArrayRef<const clang::Expr *> Args);

  /// Returns the object that \p E, a call to make_optional, creates; None if it
  /// does not contain an object of a class.
  ExprId makeOptional(const clang::CallExpr *E);

  /// Fills the container \p Object of class \p RD if the first of \p Args is a
  /// braced list: its elements are the program's objects, pointers, handles,
  /// and callables in that list. The elements of a table are the values of its
  /// keys.
  void fillContainer(const clang::CXXRecordDecl *RD, ExprId Object,
                     llvm::ArrayRef<const clang::Expr *> Args);

private:
  bool startThread(const clang::CXXRecordDecl *RD, ExprId Element, Span Where,
                   llvm::ArrayRef<const clang::Expr *> Args);
  void fillElements(ExprId Object, llvm::ArrayRef<const clang::Expr *> Args);
  bool fillMembers(const clang::CXXRecordDecl *RD, ExprId Object,
                   llvm::ArrayRef<const clang::Expr *> Args);
  ExprId copy(const clang::CXXConstructExpr *E, bool Moves);
  ExprId valueOf(const clang::Expr *E, ExprId V);
  void callConstructor(const clang::CXXConstructExpr *E,
                       const clang::CXXConstructorDecl *C, ExprId Target);

  ExprLowering &L;
  ExprBuilder &Exprs;
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_LOWER_CONSTRUCTLOWERING_H
