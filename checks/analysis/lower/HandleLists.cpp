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

using namespace clang;

namespace cudagraph {

bool HandleLists::isOne(const CXXRecordDecl *Class) const {
  return L.Names.isHandleList(Class);
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
    lost(List);
}

void HandleLists::lost(ExprId List) const {
  L.Out.assign(size(List), L.Exprs.unknown(), {});
}

} // namespace cudagraph
