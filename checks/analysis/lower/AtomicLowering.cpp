//===- AtomicLowering.cpp - Values of atomic objects ----------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See AtomicLowering.h.
//
//===----------------------------------------------------------------------===//

#include "AtomicLowering.h"
#include "clang/AST/DeclCXX.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace cudagraph {

bool AtomicLowering::isOne(const CXXRecordDecl *Class) const {
  return L.Names.of(Class).has(catalogue::Role::Atomic);
}

void AtomicLowering::created(ExprId Object, llvm::ArrayRef<CallArg> Args,
                             Span Where) const {
  L.Out.assign(Object, Args.empty() ? L.Exprs.integer(0) : Args.front().Value,
               Where);
}

/// The operator that \p Method applies to the value; empty if there is none.
static StringRef operatorOf(const CXXMethodDecl *Method) {
  switch (Method->getOverloadedOperator()) {
  case OO_PlusPlus:
  case OO_PlusEqual:
    return "+";
  case OO_MinusMinus:
  case OO_MinusEqual:
    return "-";
  case OO_AmpEqual:
    return "&";
  case OO_PipeEqual:
    return "|";
  case OO_CaretEqual:
    return "^";
  case OO_None:
    break;
  default:
    return "";
  }
  return Method->getDeclName().isIdentifier()
             ? llvm::StringSwitch<StringRef>(Method->getName())
                   .Case("fetch_add", "+")
                   .Case("fetch_sub", "-")
                   .Case("fetch_and", "&")
                   .Case("fetch_or", "|")
                   .Case("fetch_xor", "^")
                   .Default("")
             : "";
}

void AtomicLowering::called(const CXXMethodDecl *Method, ExprId Object,
                            llvm::ArrayRef<CallArg> Args, Span Where) const {
  StringRef Name =
      Method->getDeclName().isIdentifier() ? Method->getName() : StringRef();
  ExprId First = Args.empty() ? None : Args.front().Value;
  OverloadedOperatorKind Kind = Method->getOverloadedOperator();
  if (First != None &&
      (Kind == OO_Equal || Name == "store" || Name == "exchange"))
    return L.Out.add([&] {
      Op O;
      O.Place = Object;
      O.Value = First;
      O.Range = Where;
      O.ConstValue = L.Exprs.isConstant(First);
      return O;
    }());
  if (StringRef Operator = operatorOf(Method); !Operator.empty()) {
    // The argument of a postfix operator only marks it as postfix.
    bool One = Kind == OO_PlusPlus || Kind == OO_MinusMinus || First == None;
    return changed(Object,
                   L.Exprs.binary(Operator.str(), L.Exprs.load(Object),
                                  One ? L.Exprs.integer(1) : First),
                   Where);
  }
  if (Name.starts_with("compare_exchange") || Name == "fetch_max" ||
      Name == "fetch_min")
    changed(Object, L.Exprs.unknown(), Where);
}

/// Records that \p Object has the new value \p Value, which depends on the old
/// one.
void AtomicLowering::changed(ExprId Object, ExprId Value, Span Where) const {
  Op O;
  O.Kind = OpKind::Modify;
  O.Place = Object;
  O.Value = Value;
  O.Range = Where;
  L.Out.add(std::move(O));
}

} // namespace cudagraph
