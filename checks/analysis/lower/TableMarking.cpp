//===- TableMarking.cpp - The known keys of a table -----------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See TableMarking.h.
//
//===----------------------------------------------------------------------===//

#include "TableMarking.h"
#include "analysis/ir/TableMarks.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace cudagraph {

/// Returns the type of the elements of \p Class if it is a table with at most
/// one element for each key, and they are pointers or objects; else null.
QualType TableMarking::mappedType(const ExprLowering &L,
                                  const CXXRecordDecl *Class) {
  if (L.Names.shapeOf(Class) != LibraryShape::Container ||
      llvm::none_of(Class->methods(), [](const CXXMethodDecl *M) {
        return M->getOverloadedOperator() == OO_Subscript;
      }))
    return QualType();
  for (const Decl *D : Class->decls()) {
    const auto *T = dyn_cast<TypedefNameDecl>(D);
    if (!T || !T->getIdentifier() || T->getName() != "mapped_type")
      continue;
    QualType Type = T->getUnderlyingType().getCanonicalType();
    return Type->isPointerType() || Type->isRecordType() ? Type : QualType();
  }
  return QualType();
}

void TableMarking::mark(ExprId Of, const char *Member, int64_t Value) const {
  L.Out.assign(L.Exprs.field(Of, Member), L.Exprs.integer(Value), {});
}

void TableMarking::created(ExprId Table) const { mark(Table, KnownKeys, 1); }

void TableMarking::lost(ExprId Table) const { mark(Table, KnownKeys, 0); }

void TableMarking::added(ExprId Element, bool Null) const {
  mark(Element, HasKey,
       static_cast<int64_t>(Null ? KeyMark::AddedNull : KeyMark::Added));
}

void TableMarking::changed(ExprId Table, StringRef Name,
                           llvm::ArrayRef<const clang::Expr *> Args) const {
  if (Name == "clear")
    return created(Table);
  bool ByKey = Name == "erase" && Args.size() == 1 &&
               L.Names.shapeOf(Args[0]->getType()->getAsCXXRecordDecl()) !=
                   LibraryShape::Iterator;
  if (ByKey)
    return mark(L.Exprs.element(Table, L.argument(Args[0])), HasKey,
                static_cast<int64_t>(KeyMark::Erased));
  if (!llvm::is_contained({"at", "begin", "end", "find", "lower_bound",
                           "upper_bound", "equal_range", "reserve", "rehash",
                           "rbegin", "rend", "max_load_factor"},
                          Name))
    lost(Table);
}

} // namespace cudagraph
