//===- HandleLists.cpp - Lists of streams and events ----------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See HandleLists.h.
//
//===----------------------------------------------------------------------===//

#include "HandleLists.h"
#include "analysis/ir/ListSize.h"
#include "clang/AST/DeclTemplate.h"

using namespace clang;

namespace cudagraph {

bool HandleLists::isOne(const CXXRecordDecl *Class) {
  const auto *Spec = dyn_cast_or_null<ClassTemplateSpecializationDecl>(Class);
  if (!Spec || !Spec->isInStdNamespace() || !Spec->getIdentifier() ||
      Spec->getName() != "vector" || !Spec->getTemplateArgs().size() ||
      Spec->getTemplateArgs()[0].getKind() != TemplateArgument::Type)
    return false;
  QualType Element = Spec->getTemplateArgs()[0].getAsType();
  const RecordDecl *Handle = Element->isPointerType()
                                 ? Element->getPointeeType()->getAsRecordDecl()
                                 : nullptr;
  return Handle && Handle->getIdentifier() &&
         (Handle->getName() == "CUstream_st" ||
          Handle->getName() == "CUevent_st");
}

ExprId HandleLists::size(ExprId List) const {
  return L.Exprs.field(List, ListSize);
}

ExprId HandleLists::next(ExprId List) const {
  return L.Exprs.element(List, L.Exprs.load(size(List)));
}

ExprId HandleLists::last(ExprId List) const {
  return L.Exprs.element(
      List, L.Exprs.binary("-", L.Exprs.load(size(List)), L.Exprs.integer(1)));
}

void HandleLists::clear(ExprId List) const {
  L.Out.assign(size(List), L.Exprs.integer(0), {});
}

void HandleLists::added(ExprId List) const {
  L.Out.assign(
      size(List),
      L.Exprs.binary("+", L.Exprs.load(size(List)), L.Exprs.integer(1)), {});
}

void HandleLists::changed(ExprId List, StringRef Name) const {
  if (Name == "clear")
    clear(List);
  else if (!llvm::is_contained({"push_back", "emplace_back", "reserve", "at",
                                "front", "back", "begin", "end", "rbegin",
                                "rend", "data", "shrink_to_fit"},
                               Name))
    L.Out.assign(size(List), L.Exprs.unknown(), {});
}

} // namespace cudagraph
