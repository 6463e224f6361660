//===- LowerExpr.cpp - Places and values ----------------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expressions follow C++'s own distinction: place() lowers glvalues, value()
// prvalues, and an lvalue-to-rvalue conversion is a Load. What cannot be
// expressed becomes Unknown, unique at its site, so that two unknowns are never
// taken for the same thing.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "clang/AST/StmtCXX.h"

using namespace clang;

namespace cudagraph {

ExprId Lowerer::make(Expr E) {
  // Generated code has sums of thousands of terms, and tables as large.
  ExprSize Own{1, 1};
  for (ExprId Part : {E.A, E.B, E.C})
    if (Part != None) {
      Own.Depth = std::max(Own.Depth, Sizes[Part].Depth + 1);
      Own.Nodes += Sizes[Part].Nodes;
    }
  if (Own.Depth > MaxExprDepth || Own.Nodes > MaxExprSize)
    return unknown();
  auto [It, New] = Interned.try_emplace(
      std::tuple(static_cast<unsigned>(E.Kind), E.A, E.B, E.C, E.N, E.S),
      G.Exprs.size());
  if (New) {
    G.Exprs.push_back(std::move(E));
    Sizes.push_back(Own);
  }
  return It->second;
}

ExprId Lowerer::unknown() {
  return make({ExprKind::Unknown, None, None, None, NumUnknown++, {}});
}

ExprId Lowerer::integer(int64_t N) {
  return make({ExprKind::Int, None, None, None, N, {}});
}

ExprId Lowerer::load(ExprId Place) {
  if (G.Exprs[Place].Kind == ExprKind::Deref &&
      G.Exprs[G.Exprs[Place].A].Kind == ExprKind::Unknown)
    return G.Exprs[Place].A;
  return make({ExprKind::Load, Place, None, None, 0, {}});
}

ExprId Lowerer::addrOf(ExprId Place) {
  if (G.Exprs[Place].Kind == ExprKind::Deref)
    return G.Exprs[Place].A;
  return make({ExprKind::AddrOf, Place, None, None, 0, {}});
}

ExprId Lowerer::deref(ExprId Value) {
  if (G.Exprs[Value].Kind == ExprKind::AddrOf)
    return G.Exprs[Value].A;
  return make({ExprKind::Deref, Value, None, None, 0, {}});
}

ExprId Lowerer::field(ExprId Place, std::string Name) {
  return make({ExprKind::Field, Place, None, None, 0, std::move(Name)});
}

ExprId Lowerer::binary(std::string Op, ExprId A, ExprId B) {
  return make({ExprKind::Op, A, B, None, 0, std::move(Op)});
}

ExprId Lowerer::temp(const void *Site, bool OnHeap) {
  unsigned N = TempIndex.try_emplace(Site, TempIndex.size()).first->second;
  return make({ExprKind::Temp, None, None, None, N, OnHeap ? "heap" : ""});
}

bool Lowerer::isConstant(ExprId V) const {
  const Expr &E = G.Exprs[V];
  switch (E.Kind) {
  case ExprKind::Int:
  case ExprKind::Function:
    return true;
  case ExprKind::Op:
    return isConstant(E.A) && (E.B == None || isConstant(E.B));
  case ExprKind::Select:
    return isConstant(E.B) && isConstant(E.C);
  default:
    return false;
  }
}

/// True if arithmetic \p Whole is computed from \p Part.
bool Lowerer::contains(ExprId Whole, ExprId Part) const {
  if (Whole == None)
    return false;
  const Expr &E = G.Exprs[Whole];
  return E.Kind == ExprKind::Op && (E.A == Part || E.B == Part ||
                                    contains(E.A, Part) || contains(E.B, Part));
}

ExprId Lowerer::varPlace(const VarDecl *VD) {
  if (VD->hasGlobalStorage() || VD->isStaticLocal()) {
    return make({ExprKind::Global, None, None, None, 0, globalName(VD)});
  }
  auto [It, New] = VarIndex.try_emplace(VD, G.Vars.size());
  if (New)
    G.Vars.push_back(localOf(VD));
  ExprId P = make({ExprKind::Var, None, None, None, It->second, {}});
  if (VD->getType()->isReferenceType())
    return deref(load(P));
  return P;
}

ExprId Lowerer::placeOfDecl(const ValueDecl *D, bool Captured) {
  if (Captured)
    if (auto It = CaptureIndex.find(D); It != CaptureIndex.end()) {
      // The low bit says "by reference".
      ExprId F = field(deref(make({ExprKind::This, None, None, None, 0, {}})),
                       "capture " + std::to_string(It->second >> 1));
      bool ByRef = It->second & 1;
      return ByRef || D->getType()->isReferenceType() ? deref(load(F)) : F;
    }
  if (const auto *BD = dyn_cast<BindingDecl>(D)) {
    if (const VarDecl *Holding = BD->getHoldingVar())
      return varPlace(Holding);
    if (BD->getBinding())
      return place(BD->getBinding());
    return deref(unknown());
  }
  if (const auto *VD = dyn_cast<VarDecl>(D))
    return varPlace(VD);
  return deref(unknown());
}

static const clang::Expr *stripPlace(const clang::Expr *E) {
  while (true) {
    E = E->IgnoreParens();
    if (const auto *X = dyn_cast<FullExpr>(E))
      E = X->getSubExpr();
    else if (const auto *X = dyn_cast<SubstNonTypeTemplateParmExpr>(E))
      E = X->getReplacement();
    else if (const auto *X = dyn_cast<CXXBindTemporaryExpr>(E))
      E = X->getSubExpr();
    else if (const auto *X = dyn_cast<OpaqueValueExpr>(E);
             X && X->getSourceExpr())
      E = X->getSourceExpr();
    else if (const auto *X = dyn_cast<CXXDefaultArgExpr>(E))
      E = X->getExpr();
    else if (const auto *X = dyn_cast<CXXDefaultInitExpr>(E))
      E = X->getExpr();
    else
      return E;
  }
}

ExprId Lowerer::place(const clang::Expr *E) {
  E = stripPlace(E);
  if (const auto *Cast = dyn_cast<CastExpr>(E)) {
    switch (Cast->getCastKind()) {
    case CK_NoOp:
    case CK_DerivedToBase:
    case CK_UncheckedDerivedToBase:
    case CK_BaseToDerived:
    case CK_Dynamic:
    case CK_LValueBitCast:
    case CK_UserDefinedConversion:
    case CK_ConstructorConversion:
      return place(Cast->getSubExpr());
    default: {
      if (Cast->isGLValue())
        return place(Cast->getSubExpr());
      ExprId T = temp(E);
      initInto(T, E);
      return T;
    }
    }
  }
  if (const auto *DRE = dyn_cast<DeclRefExpr>(E)) {
    if (const auto *FD = dyn_cast<FunctionDecl>(DRE->getDecl()))
      return deref(
          make({ExprKind::Function, None, None, None, Table.idOf(FD), {}}));
    return placeOfDecl(DRE->getDecl(),
                       DRE->refersToEnclosingVariableOrCapture());
  }
  if (const auto *ME = dyn_cast<MemberExpr>(E)) {
    if (const auto *VD = dyn_cast<VarDecl>(ME->getMemberDecl()))
      return varPlace(VD);
    const auto *FD = dyn_cast<FieldDecl>(ME->getMemberDecl());
    if (!FD)
      return deref(unknown());
    ExprId Base =
        ME->isArrow() ? deref(value(ME->getBase())) : place(ME->getBase());
    if (FD->isAnonymousStructOrUnion())
      return Base;
    ExprId F = field(Base, canonicalQualifiedName(FD));
    return FD->getType()->isReferenceType() ? deref(load(F)) : F;
  }
  if (const auto *UO = dyn_cast<UnaryOperator>(E)) {
    if (UO->getOpcode() == UO_Deref)
      return deref(value(UO->getSubExpr()));
    if (UO->isIncrementDecrementOp() || UO->getOpcode() == UO_Extension)
      return place(UO->getSubExpr());
    return deref(unknown());
  }
  if (const auto *AS = dyn_cast<ArraySubscriptExpr>(E)) {
    ExprId Index = value(AS->getIdx());
    const clang::Expr *Base = AS->getBase()->IgnoreParens();
    if (const auto *C = dyn_cast<CastExpr>(Base);
        C && C->getCastKind() == CK_ArrayToPointerDecay) {
      ExprId Array = place(C->getSubExpr());
      return make({ExprKind::Elem, Array, Index, None, 0, {}});
    }
    return make({ExprKind::PtrElem, value(Base), Index, None, 0, {}});
  }
  if (const auto *BO = dyn_cast<BinaryOperator>(E)) {
    if (BO->isAssignmentOp())
      return place(BO->getLHS());
    if (BO->getOpcode() == BO_Comma)
      return place(BO->getRHS());
    return deref(unknown());
  }
  if (const auto *CO = dyn_cast<AbstractConditionalOperator>(E)) {
    if (CO->isGLValue())
      return deref(make({ExprKind::Select,
                         value(CO->getCond()),
                         addrOf(place(CO->getTrueExpr())),
                         addrOf(place(CO->getFalseExpr())),
                         0,
                         {}}));
  }
  if (const auto *CE = dyn_cast<CallExpr>(E))
    return placeOfCall(CE);
  if (isa<CXXThisExpr>(E))
    return deref(value(E));
  if (const auto *MTE = dyn_cast<MaterializeTemporaryExpr>(E)) {
    const clang::Expr *Sub = stripPlace(MTE->getSubExpr());
    if (auto It = Targets.find(Sub); It != Targets.end())
      return It->second;
    if (isa<CXXConstructExpr, CXXTemporaryObjectExpr>(Sub))
      return place(Sub);
    ExprId T = temp(E);
    initInto(T, Sub);
    return T;
  }
  if (const auto *CE = dyn_cast<CXXConstructExpr>(E)) {
    ExprId V = lowerConstruct(CE);
    const Expr &X = G.Exprs[V];
    return X.Kind == ExprKind::Load ? X.A : deref(V);
  }
  if (E->isPRValue()) {
    ExprId T = temp(E);
    initInto(T, E);
    return T;
  }
  return deref(unknown());
}

/// Initialises the object at \p Place from the prvalue or conversion \p Init.
void Lowerer::initInto(ExprId Place, const clang::Expr *Init) {
  Init = stripPlace(Init);
  if (const auto *List = dyn_cast<InitListExpr>(Init);
      List && Init->getType()->isRecordType()) {
    const auto *RD = Init->getType()->getAsRecordDecl();
    auto Field = RD->field_begin();
    for (const clang::Expr *Sub : List->inits()) {
      if (Field == RD->field_end())
        break;
      initInto(this->field(Place, canonicalQualifiedName(*Field)), Sub);
      ++Field;
    }
    return;
  }
  if (const auto *List = dyn_cast<InitListExpr>(Init);
      List && Init->getType()->isArrayType()) {
    unsigned I = 0;
    for (const clang::Expr *Sub : List->inits())
      initInto(make({ExprKind::Elem, Place, integer(I++), None, 0, {}}), Sub);
    return;
  }
  if (isa<CXXConstructExpr>(Init)) {
    Targets.try_emplace(Init, Place);
    const auto *CE = cast<CXXConstructExpr>(Init);
    ExprId V = lowerConstruct(CE);
    // Copies and moves are values; other constructors have filled the place.
    if (G.Exprs[V].Kind == ExprKind::Load && G.Exprs[V].A == Place)
      return;
    Op O;
    O.Place = Place;
    O.Value = V;
    O.Range = spanOf(Init->getSourceRange());
    Cur->Ops.push_back(std::move(O));
    return;
  }
  Op O;
  O.Place = Place;
  O.Value = value(Init);
  O.ConstValue = isConstant(O.Value);
  O.Range = spanOf(Init->getSourceRange());
  Cur->Ops.push_back(std::move(O));
}

ExprId Lowerer::value(const clang::Expr *E) {
  E = stripPlace(E);
  if (const auto *Cast = dyn_cast<CastExpr>(E))
    return valueOfCast(Cast);
  if (const auto *L = dyn_cast<IntegerLiteral>(E))
    return integer(L->getValue().getLimitedValue());
  if (const auto *L = dyn_cast<CXXBoolLiteralExpr>(E))
    return integer(L->getValue());
  if (const auto *L = dyn_cast<CharacterLiteral>(E))
    return integer(L->getValue());
  if (isa<CXXNullPtrLiteralExpr, GNUNullExpr, ImplicitValueInitExpr,
          CXXScalarValueInitExpr>(E))
    return integer(0);
  if (const auto *L = dyn_cast<FloatingLiteral>(E))
    return binary(
        "float",
        integer(L->getValue().bitcastToAPInt().extractBitsAsZExtValue(
            std::min(64u, L->getValue().bitcastToAPInt().getBitWidth()), 0)),
        None);
  if (const auto *L = dyn_cast<UnaryExprOrTypeTraitExpr>(E)) {
    clang::Expr::EvalResult R;
    if (!L->isValueDependent() && L->EvaluateAsInt(R, Ctx))
      return integer(R.Val.getInt().getExtValue());
    return unknown();
  }
  if (const auto *DRE = dyn_cast<DeclRefExpr>(E)) {
    if (const auto *EC = dyn_cast<EnumConstantDecl>(DRE->getDecl()))
      return integer(EC->getInitVal().getExtValue());
    if (const auto *FD = dyn_cast<FunctionDecl>(DRE->getDecl()))
      return make({ExprKind::Function, None, None, None, Table.idOf(FD), {}});
    return load(place(E));
  }
  if (isa<CXXThisExpr>(E)) {
    if (HasThisCapture) {
      ExprId Self = make({ExprKind::This, None, None, None, 0, {}});
      return load(field(deref(Self), "capture this"));
    }
    return make({ExprKind::This, None, None, None, 0, {}});
  }
  if (const auto *UO = dyn_cast<UnaryOperator>(E)) {
    switch (UO->getOpcode()) {
    case UO_AddrOf: {
      if (const auto *DRE =
              dyn_cast<DeclRefExpr>(UO->getSubExpr()->IgnoreParens()))
        if (const auto *FD = dyn_cast<FunctionDecl>(DRE->getDecl()))
          return make(
              {ExprKind::Function, None, None, None, Table.idOf(FD), {}});
      return addrOf(place(UO->getSubExpr()));
    }
    case UO_Plus:
    case UO_Extension:
      return value(UO->getSubExpr());
    case UO_Minus:
      return binary("neg", value(UO->getSubExpr()), None);
    case UO_Not:
      return binary("~", value(UO->getSubExpr()), None);
    case UO_LNot:
      return binary("!", value(UO->getSubExpr()), None);
    case UO_PreInc:
    case UO_PreDec:
    case UO_PostInc:
    case UO_PostDec:
      return load(place(UO->getSubExpr()));
    default:
      return unknown();
    }
  }
  if (const auto *BO = dyn_cast<BinaryOperator>(E)) {
    if (BO->getOpcode() == BO_Comma)
      return value(BO->getRHS());
    if (BO->isAssignmentOp())
      return load(place(BO->getLHS()));
    ExprId L = value(BO->getLHS()), R = value(BO->getRHS());
    if (BO->getType()->isPointerType() && BO->getOpcode() == BO_Add) {
      if (!BO->getLHS()->getType()->isPointerType())
        std::swap(L, R);
      return addrOf(make({ExprKind::PtrElem, L, R, None, 0, {}}));
    }
    return binary(BO->getOpcodeStr().str(), L, R);
  }
  if (const auto *CO = dyn_cast<AbstractConditionalOperator>(E))
    return make({ExprKind::Select,
                 value(CO->getCond()),
                 value(CO->getTrueExpr()),
                 value(CO->getFalseExpr()),
                 0,
                 {}});
  if (const auto *CE = dyn_cast<CallExpr>(E)) {
    if (CE->isGLValue())
      return load(placeOfCall(CE));
    return lowerCall(CE);
  }
  if (const auto *CE = dyn_cast<CXXConstructExpr>(E))
    return lowerConstruct(CE);
  if (const auto *LE = dyn_cast<LambdaExpr>(E))
    return valueOfLambda(LE);
  if (const auto *NE = dyn_cast<CXXNewExpr>(E))
    return lowerNew(NE);
  if (const auto *IL = dyn_cast<InitListExpr>(E))
    return valueOfInitList(IL);
  if (const auto *IL = dyn_cast<CXXStdInitializerListExpr>(E))
    return addrOf(make(
        {ExprKind::Elem, place(IL->getSubExpr()), integer(0), None, 0, {}}));
  if (const auto *SE = dyn_cast<StmtExpr>(E)) {
    if (const auto *Last = dyn_cast_or_null<clang::Expr>(
            SE->getSubStmt()->body_empty() ? nullptr
                                           : SE->getSubStmt()->body_back()))
      return value(Last);
    return unknown();
  }
  if (const auto *PO = dyn_cast<PseudoObjectExpr>(E))
    if (PO->getResultExpr())
      return value(PO->getResultExpr());
  if (isa<MaterializeTemporaryExpr>(E) || E->isGLValue())
    return load(place(E));
  return unknown();
}

/// A function pointer in a constant table or structure: what its initialiser
/// says; for an element that is not known, any of them. None if it is not one.
ExprId Lowerer::constantCallable(const clang::Expr *E) {
  if (!E->getType()->isFunctionPointerType())
    return None;
  E = E->IgnoreParens();
  const FieldDecl *Member = nullptr;
  if (const auto *ME = dyn_cast<MemberExpr>(E); ME && !ME->isArrow()) {
    Member = dyn_cast<FieldDecl>(ME->getMemberDecl());
    E = ME->getBase()->IgnoreParenImpCasts();
  }
  bool Element = false;
  if (const auto *AS = dyn_cast<ArraySubscriptExpr>(E)) {
    Element = true;
    E = AS->getBase()->IgnoreParenImpCasts();
  }
  const auto *DRE = dyn_cast<DeclRefExpr>(E);
  const auto *VD = DRE ? dyn_cast<VarDecl>(DRE->getDecl()) : nullptr;
  if (!VD || !VD->hasGlobalStorage() || !VD->getAnyInitializer())
    return None;
  QualType T = VD->getType();
  if (!T.isConstQualified() &&
      !(T->isArrayType() && Ctx.getBaseElementType(T).isConstQualified()))
    return None;
  llvm::SmallVector<const clang::Expr *, 4> Inits{VD->getAnyInitializer()};
  auto Open = [&](auto Pick) {
    llvm::SmallVector<const clang::Expr *, 4> Inner;
    for (const clang::Expr *I : Inits)
      if (const auto *List = dyn_cast<InitListExpr>(stripPlace(I)))
        Pick(List, Inner);
    Inits = std::move(Inner);
  };
  if (Element)
    Open([](const InitListExpr *L, auto &Inner) {
      for (const clang::Expr *E : L->inits())
        Inner.push_back(E);
    });
  if (Member)
    Open([&](const InitListExpr *L, auto &Inner) {
      if (Member->getFieldIndex() < L->getNumInits())
        Inner.push_back(L->getInit(Member->getFieldIndex()));
    });
  ExprId Any = None;
  for (const clang::Expr *I : Inits) {
    const auto *Ref =
        dyn_cast<DeclRefExpr>(stripPlace(I)->IgnoreParenImpCasts());
    if (const auto *UO =
            dyn_cast<UnaryOperator>(stripPlace(I)->IgnoreParenImpCasts());
        UO && UO->getOpcode() == UO_AddrOf)
      Ref = dyn_cast<DeclRefExpr>(UO->getSubExpr()->IgnoreParens());
    const auto *FD = Ref ? dyn_cast<FunctionDecl>(Ref->getDecl()) : nullptr;
    if (!FD)
      continue;
    ExprId V = make({ExprKind::Function, None, None, None, Table.idOf(FD), {}});
    Any = Any == None ? V : make({ExprKind::Select, unknown(), V, Any, 0, {}});
  }
  return Any;
}

ExprId Lowerer::valueOfCast(const CastExpr *E) {
  const clang::Expr *Sub = E->getSubExpr();
  switch (E->getCastKind()) {
  case CK_LValueToRValue: {
    // Constants fold here, where Clang knows their initialisers.
    if (const auto *DRE = dyn_cast<DeclRefExpr>(Sub->IgnoreParens()))
      if (const auto *VD = dyn_cast<VarDecl>(DRE->getDecl());
          VD && VD->getType()->isIntegralOrEnumerationType() &&
          VD->mightBeUsableInConstantExpressions(Ctx) &&
          !VD->getType()->isReferenceType() && VD->getAnyInitializer() &&
          !VD->getAnyInitializer()->isValueDependent()) {
        clang::Expr::EvalResult R;
        if (DRE->EvaluateAsInt(R, Ctx))
          return integer(R.Val.getInt().getExtValue());
      }
    if (ExprId V = constantCallable(Sub); V != None)
      return V;
    return load(place(Sub));
  }
  case CK_ArrayToPointerDecay: {
    if (isa<clang::StringLiteral>(Sub->IgnoreParens()))
      return integer(1); // a constant address
    return addrOf(make({ExprKind::Elem, place(Sub), integer(0), None, 0, {}}));
  }
  case CK_FunctionToPointerDecay:
    if (const auto *DRE = dyn_cast<DeclRefExpr>(Sub->IgnoreParens()))
      if (const auto *FD = dyn_cast<FunctionDecl>(DRE->getDecl()))
        return make({ExprKind::Function, None, None, None, Table.idOf(FD), {}});
    return addrOf(place(Sub));
  case CK_NullToPointer:
  case CK_NullToMemberPointer:
    return integer(0);
  case CK_IntegralToBoolean:
  case CK_PointerToBoolean:
    return binary("bool", value(Sub), None);
  default:
    return Sub->isGLValue() ? load(place(Sub)) : value(Sub);
  }
}

ExprId Lowerer::valueOfInitList(const InitListExpr *E) {
  if (E->getType()->isRecordType() || E->getType()->isArrayType()) {
    auto It = Targets.find(E);
    ExprId T = It != Targets.end() ? It->second : temp(E);
    initInto(T, E);
    return load(T);
  }
  if (E->getNumInits() == 1)
    return value(E->getInit(0));
  return integer(0);
}

ExprId Lowerer::valueOfLambda(const LambdaExpr *E) {
  if (auto It = Calls.find(E); It != Calls.end())
    return It->second;
  ExprId T = temp(E);
  unsigned Index = 0;
  auto Init = E->capture_init_begin();
  for (const LambdaCapture &C : E->captures()) {
    const clang::Expr *InitExpr = *Init++;
    std::string Name = "capture " + std::to_string(Index++);
    if (C.capturesThis())
      Name = "capture this";
    Op O;
    O.Place = field(T, Name);
    if (C.capturesThis())
      O.Value = C.getCaptureKind() == LCK_StarThis
                    ? unknown()
                    : make({ExprKind::This, None, None, None, 0, {}});
    else if (C.getCaptureKind() == LCK_ByRef && InitExpr)
      O.Value = addrOf(place(InitExpr));
    else
      O.Value = InitExpr ? value(InitExpr) : unknown();
    if (C.capturesThis() && HasThisCapture)
      O.Value =
          load(field(deref(make({ExprKind::This, None, None, None, 0, {}})),
                     "capture this"));
    Cur->Ops.push_back(std::move(O));
  }
  FunctionId Callee = None;
  if (const CXXMethodDecl *M = E->getCallOperator(); M && !E->isGenericLambda())
    Callee = Table.idOf(M);
  ExprId V = make(
      {ExprKind::Closure, T, None, None, static_cast<int64_t>(Callee), {}});
  Calls[E] = V;
  return V;
}

} // namespace cudagraph
