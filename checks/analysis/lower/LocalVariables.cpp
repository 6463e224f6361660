//===- LocalVariables.cpp - The variables of a function -------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LocalVariables.h"
#include "GlobalVariables.h"
#include "SpanOf.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/Expr.h"

using namespace clang;

namespace cudagraph {

LocalVar LocalVariables::describe(const VarDecl *VD) {
  LocalVar Result;
  Result.Name = VD->getNameAsString();
  Result.IsStream = Names.isStream(VD->getType());
  const CXXRecordDecl *RD = VD->getType()->getAsCXXRecordDecl();
  Result.OwnsDevice = Names.ownsDeviceMemory(RD);
  Result.OwnsElements = RD && RD->hasDefinition() &&
                        Names.shapeOf(RD) == LibraryShape::Container &&
                        !RD->isAggregate() && !RD->hasTrivialDestructor();
  Result.SharesObject = RD && Names.of(RD).has(catalogue::Role::SharedPointer);
  Result.IsNumber = VD->getType()->isArithmeticType() ||
                    VD->getType()->isEnumeralType() || Names.isOptional(RD);
  // The only variable of its declaration, in case an edit changes it.
  if (VD->isLocalVarDecl() && !VD->isInvalidDecl() && !VD->isStaticLocal() &&
      VD->hasInit() && VD->getType().isConstQualified() &&
      !VD->getType()->isDependentType() && !VD->getInit()->isValueDependent() &&
      VD->getInit()->isConstantInitializer(VD->getASTContext(), false))
    Result.Constant = spanOf(VD->getSourceRange());
  QualType Pointee = VD->getType()->getPointeeType();
  Result.ReadOnly = !Pointee.isNull() && Pointee.isConstQualified() &&
                    Pointee->isRecordType();
  return Result;
}

const VarDecl *LocalVariables::named(llvm::StringRef Name) const {
  const VarDecl *Last = nullptr;
  for (const auto &[VD, Index] : Number)
    if (VD->getName() == Name && (!Last || Index > Number.lookup(Last)))
      Last = VD;
  return Last;
}

unsigned LocalVariables::number(const VarDecl *VD) {
  auto [It, New] = Number.try_emplace(VD, Vars.size());
  if (New)
    Vars.push_back(describe(VD));
  return It->second;
}

ExprId LocalVariables::storageOf(const VarDecl *VD) {
  return Exprs.variable(number(VD));
}

ExprId LocalVariables::placeOf(const VarDecl *VD) {
  if (VD->hasGlobalStorage() || VD->isStaticLocal())
    return Exprs.global(globalName(VD));
  ExprId Place = storageOf(VD);
  if (VD->getType()->isReferenceType())
    return Exprs.deref(Exprs.load(Place));
  return Place;
}

} // namespace cudagraph
