//===- ConstantCallables.cpp - Functions in constant tables ---------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConstantCallables.h"

using namespace clang;

namespace cudagraph {
namespace {

/// An element, a member, or a member of an element, of a constant variable.
struct TablePart {
  const VarDecl *Table = nullptr;
  const clang::Expr *Index = nullptr; ///< of the element
  bool InArray = false;               ///< std::array: a list within a list
  const FieldDecl *Member = nullptr;
};

using Inits = llvm::SmallVector<const clang::Expr *, 4>;

} // namespace

/// The part that \p E names; without a table if it names none.
static TablePart tablePart(const clang::Expr *E, const ASTContext &Ctx) {
  TablePart Part;
  E = E->IgnoreParens();
  if (const auto *ME = dyn_cast<MemberExpr>(E); ME && !ME->isArrow()) {
    Part.Member = dyn_cast<FieldDecl>(ME->getMemberDecl());
    E = ME->getBase()->IgnoreParenImpCasts();
  }
  if (const auto *AS = dyn_cast<ArraySubscriptExpr>(E)) {
    Part.Index = AS->getIdx();
    E = AS->getBase()->IgnoreParenImpCasts();
  } else if (const auto *Call = dyn_cast<CXXOperatorCallExpr>(E);
             Call && Call->getOperator() == OO_Subscript &&
             Call->getNumArgs() == 2) {
    Part.Index = Call->getArg(1);
    Part.InArray = true;
    E = Call->getArg(0)->IgnoreParenImpCasts();
  }
  const auto *DRE = dyn_cast<DeclRefExpr>(E);
  const auto *VD = DRE ? dyn_cast<VarDecl>(DRE->getDecl()) : nullptr;
  if (!VD || !VD->hasGlobalStorage() || !VD->getAnyInitializer())
    return Part;
  QualType T = VD->getType();
  if (T.isConstQualified() ||
      (T->isArrayType() && Ctx.getBaseElementType(T).isConstQualified()))
    Part.Table = VD;
  return Part;
}

/// The initializer of \p Part, or of each of its elements.
static Inits initializersOf(const TablePart &Part) {
  Inits Result{Part.Table->getAnyInitializer()};
  auto Open = [&](auto Pick) {
    Inits Inner;
    for (const clang::Expr *I : Result)
      if (const auto *List = dyn_cast<InitListExpr>(stripped(I)))
        Pick(List, Inner);
    Result = std::move(Inner);
  };
  auto All = [](const InitListExpr *List, Inits &Inner) {
    llvm::append_range(Inner, List->inits());
  };
  if (Part.InArray)
    Open(All);
  if (Part.Index)
    Open(All);
  if (const FieldDecl *Member = Part.Member)
    Open([&](const InitListExpr *List, Inits &Inner) {
      if (Member->getFieldIndex() < List->getNumInits())
        Inner.push_back(List->getInit(Member->getFieldIndex()));
    });
  return Result;
}

/// The function that the initializer \p Init names, or null.
static const FunctionDecl *functionIn(const clang::Expr *Init) {
  Init = stripped(Init)->IgnoreParenImpCasts();
  const auto *Ref = dyn_cast<DeclRefExpr>(Init);
  if (const auto *UO = dyn_cast<UnaryOperator>(Init);
      UO && UO->getOpcode() == UO_AddrOf)
    Ref = dyn_cast<DeclRefExpr>(UO->getSubExpr()->IgnoreParens());
  return Ref ? dyn_cast<FunctionDecl>(Ref->getDecl()) : nullptr;
}

ExprId constantCallable(ExprLowering &L, const clang::Expr *E) {
  if (!E->getType()->isFunctionPointerType() &&
      !E->getType()->isMemberFunctionPointerType())
    return None;
  TablePart Part = tablePart(E, L.Body.Ctx);
  if (!Part.Table)
    return None;
  // The index selects an element; the last one remains if no other is selected.
  const Inits All = initializersOf(Part);
  if (llvm::none_of(All, functionIn))
    return None;
  ExprId Index = Part.Index ? L.value(Part.Index) : None;
  ExprId Any = None;
  for (size_t I = All.size(); I-- > 0;) {
    const FunctionDecl *FD = functionIn(All[I]);
    if (!FD)
      continue;
    ExprId V = L.Exprs.function(L.Table.idOf(FD));
    Any = Any == None
              ? V
              : L.Exprs.select(L.Exprs.binary("==", Index, L.Exprs.integer(I)),
                               V, Any);
  }
  return Any;
}

} // namespace cudagraph
