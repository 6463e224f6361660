//===- GlobalVariables.cpp - Global and static variables ------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GlobalVariables.h"
#include "ApiPointers.h"
#include "CallableTypes.h"
#include "ExprLowering.h"
#include "FunctionTable.h"
#include "QualifiedName.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace cudagraph {

std::string globalName(const VarDecl *VD) {
  std::string Name = canonicalQualifiedName(VD);
  if (VD->isExternallyVisible())
    return Name;
  const SourceManager &SM = VD->getASTContext().getSourceManager();
  PresumedLoc P = SM.getPresumedLoc(SM.getFileLoc(VD->getLocation()),
                                    /*UseLineDirectives=*/false);
  std::string File = P.isValid() ? P.getFilename() : "";
  std::replace(File.begin(), File.end(), ' ', '_'); // see isSynthetic()
  return File + "::" + Name;
}

/// A table with more rows is assumed not to contain functions to call.
static constexpr unsigned MaxRows = 64;

/// The lambda without captures that \p E creates or copies; otherwise null.
static const LambdaExpr *lambdaIn(const clang::Expr *E) {
  const auto *Lambda = dyn_cast<LambdaExpr>(sourceOf(E));
  return Lambda && Lambda->capture_size() == 0 && !Lambda->isGenericLambda()
             ? Lambda
             : nullptr;
}

static void addStored(const clang::Expr *Init, ExprId Place,
                      FunctionTable &Table, FlowGraph &G, bool OfTable);

/// Stores the functions in the list \p Braces as elements of the container
/// \p Place, or as members of its elements; the elements of a table are the
/// values of its keys.
static void addElements(const CXXStdInitializerListExpr *Braces, ExprId Place,
                        FunctionTable &Table, FlowGraph &G) {
  const auto *List =
      dyn_cast<InitListExpr>(stripped(Braces->getSubExpr())->IgnoreImplicit());
  if (!List || List->getNumInits() > MaxRows)
    return;
  auto Make = [&](Expr E) {
    G.Exprs.push_back(std::move(E));
    return static_cast<ExprId>(G.Exprs.size() - 1);
  };
  unsigned Index = 0;
  for (const clang::Expr *Each : List->inits()) {
    const clang::Expr *Item = stripped(Each)->IgnoreImplicit();
    const auto *Pair = dyn_cast<CXXConstructExpr>(Item);
    if (Pair && Pair->getNumArgs() == 2 &&
        Pair->getConstructor()->getParent()->isInStdNamespace())
      Item = Pair->getArg(1);
    ExprId At = Make({ExprKind::Int, None, None, None, Index++, {}});
    ExprId Part = Make({ExprKind::Elem, Place, At, None, 0, {}});
    addStored(Item, Part, Table, G, /*OfTable=*/false);
  }
}

/// Returns the place of \p E, a global or a member of a global; None if it is
/// neither.
static ExprId globalPlace(const clang::Expr *E, FlowGraph &G) {
  E = E->IgnoreParenCasts();
  Expr Place{ExprKind::Global, None, None, None, 0, {}};
  if (const auto *Member = dyn_cast<MemberExpr>(E)) {
    Place.Kind = ExprKind::Field;
    Place.A = Member->isArrow() ? None : globalPlace(Member->getBase(), G);
    if (Place.A == None)
      return None;
    Place.S = canonicalQualifiedName(Member->getMemberDecl());
  } else {
    const auto *Ref = dyn_cast<DeclRefExpr>(E);
    const auto *VD = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
    if (!VD || !VD->hasGlobalStorage())
      return None;
    Place.S = globalName(VD);
  }
  G.Exprs.push_back(std::move(Place));
  return G.Exprs.size() - 1;
}

/// Stores the function named in \p List, a row of a table for lookups, in the
/// pointer that the row also contains.
static void addLookup(const InitListExpr *List, FunctionTable &Table,
                      FlowGraph &G) {
  LookupRow Row = lookupRow(List, Table);
  Op O;
  O.Place = Row.Pointer ? globalPlace(Row.Pointer, G) : None;
  if (O.Place == None)
    return;
  G.Exprs.push_back(
      {ExprKind::Function, None, None, None, Table.idOf(Row.Api), {}});
  O.Value = G.Exprs.size() - 1;
  G.Blocks.front().Ops.push_back(std::move(O));
}

/// Adds an assignment for each function in \p Init, for each null pointer to a
/// function, and for each number in the rows of a constant table, if \p
/// OfTable.
static void addStored(const clang::Expr *Init, ExprId Place,
                      FunctionTable &Table, FlowGraph &G, bool OfTable) {
  const clang::Expr *Whole = Init;
  Init = Init->IgnoreImplicit()->IgnoreParenCasts()->IgnoreImplicit();
  auto Make = [&](Expr E) {
    G.Exprs.push_back(std::move(E));
    return static_cast<ExprId>(G.Exprs.size() - 1);
  };
  if (const auto *List = dyn_cast<InitListExpr>(Init)) {
    if (const InitListExpr *Semantic = List->getSemanticForm())
      List = Semantic;
    const RecordDecl *RD = List->getType()->getAsRecordDecl();
    if (!RD && !List->getType()->isArrayType())
      return;
    if (RD)
      addLookup(List, Table, G);
    // The elements of a std::array belong to it, not to a member.
    if (RD && RD->isInStdNamespace() && RD->getIdentifier() &&
        RD->getName() == "array" && List->getNumInits() == 1)
      return addStored(List->getInit(0), Place, Table, G, OfTable);
    auto Field = RD ? RD->field_begin() : RecordDecl::field_iterator();
    // Base classes come first in the list and are not followed.
    const auto *Class = dyn_cast_or_null<CXXRecordDecl>(RD);
    if (Class && Class->getNumBases())
      return;
    unsigned Index = 0;
    for (const clang::Expr *Each : List->inits()) {
      ExprId Part = Place;
      if (!RD) {
        ExprId At = Make({ExprKind::Int, None, None, None, Index++, {}});
        Part = Make({ExprKind::Elem, Place, At, None, 0, {}});
      } else {
        if (Field == RD->field_end())
          return;
        Part = Make({ExprKind::Field, Place, None, None, 0,
                     canonicalQualifiedName(*Field++)});
      }
      addStored(Each, Part, Table, G, OfTable);
    }
    return;
  }
  if (const CXXStdInitializerListExpr *Braces = listOf(Init))
    return addElements(Braces, Place, Table, G);
  QualType T = Whole->getType();
  auto AddNumber = [&](int64_t N) {
    Op O;
    O.Place = Place;
    O.Value = Make({ExprKind::Int, None, None, None, N, {}});
    O.ConstValue = OfTable;
    G.Blocks.front().Ops.push_back(std::move(O));
  };
  if ((OfTable ? T->isPointerType() : T->isFunctionPointerType()) &&
      !Whole->isValueDependent() &&
      (isa<ImplicitValueInitExpr>(Whole) ||
       Whole->isNullPointerConstant(Table.context(),
                                    clang::Expr::NPC_NeverValueDependent)))
    return AddNumber(0);
  if (clang::Expr::EvalResult Number;
      OfTable && T->isIntegralOrEnumerationType() &&
      !Whole->isValueDependent() &&
      Whole->EvaluateAsInt(Number, Table.context()))
    if (std::optional<int64_t> N = Number.Val.getInt().tryExtValue())
      return AddNumber(*N);
  if (const auto *UO = dyn_cast<UnaryOperator>(Init);
      UO && UO->getOpcode() == UO_AddrOf)
    Init = UO->getSubExpr()->IgnoreParenImpCasts();
  const auto *DRE = dyn_cast<DeclRefExpr>(Init);
  const FunctionDecl *FD =
      DRE ? dyn_cast<FunctionDecl>(DRE->getDecl()) : nullptr;
  if (const LambdaExpr *Lambda = lambdaIn(Init))
    FD = Lambda->getCallOperator();
  if (!FD || FD->isDependentContext())
    return;
  Op O;
  O.Place = Place;
  O.Value = Make({ExprKind::Function, None, None, None, Table.idOf(FD), {}});
  O.ConstValue = OfTable;
  G.Blocks.front().Ops.push_back(std::move(O));
}

/// True if \p VD is a constant structure, or an array of a few of them.
static bool isTable(const VarDecl *VD) {
  QualType Row = VD->getType().getCanonicalType();
  bool Constant = Row.isConstQualified(); // for an array, its elements are
  if (const auto *Array = dyn_cast<ConstantArrayType>(Row)) {
    if (Array->getSize().ugt(MaxRows))
      return false;
    Row = Array->getElementType();
  }
  const auto *Class = Row->getAsCXXRecordDecl();
  return Constant && Row->isRecordType() &&
         !(Class && Class->hasMutableFields());
}

FlowGraph lowerInitializers(llvm::ArrayRef<const VarDecl *> Globals,
                            FunctionTable &Table) {
  FlowGraph G;
  G.Blocks.resize(1);
  for (const VarDecl *VD : Globals) {
    size_t Before = G.Exprs.size();
    size_t Ops = G.Blocks.front().Ops.size();
    G.Exprs.push_back({ExprKind::Global, None, None, None, 0, globalName(VD)});
    addStored(VD->getInit(), Before, Table, G, isTable(VD));
    eachConverted(VD->getInit(), Table,
                  [&](std::string Type, const FunctionDecl *FD) {
                    unsigned Function = Table.idOf(FD);
                    Op O;
                    O.Place = G.Exprs.size();
                    O.Value = O.Place + 1;
                    G.Exprs.push_back({ExprKind::Global, None, None, None, 0,
                                       std::move(Type)});
                    G.Exprs.push_back(
                        {ExprKind::Function, None, None, None, Function, {}});
                    G.Blocks.front().Ops.push_back(std::move(O));
                  });
    if (G.Blocks.front().Ops.size() == Ops)
      G.Exprs.resize(Before);
  }
  return G;
}

} // namespace cudagraph
