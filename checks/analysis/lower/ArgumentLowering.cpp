//===- ArgumentLowering.cpp - The arguments of calls ----------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArgumentLowering.h"
#include "Instances.h"
#include "KernelStores.h"
#include "QualifiedName.h"
#include "SpanOf.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace cudagraph {

using catalogue::Role;

/// Information in the type of an algorithm's argument: an execution policy and
/// its properties, or an iterator over device memory.
uint8_t ArgumentLowering::policyTraits(QualType T) const {
  if (!T.getNonReferenceType()->getAsCXXRecordDecl())
    return 0;
  catalogue::RoleSet Roles = Names.ofSpelling(T);
  uint8_t Traits = 0;
  for (auto [R, Bit] :
       {std::pair(Role::ExecutionPolicy, CallArg::Policy),
        std::pair(Role::OwnAllocatorPolicy, CallArg::OwnAllocator),
        std::pair(Role::NoSyncPolicy, CallArg::NoSync),
        std::pair(Role::DeviceIterator, CallArg::OnDevice)})
    if (Roles.has(R))
      Traits |= Bit;
  return Traits;
}

bool ArgumentLowering::isTensor(QualType T) const {
  return Names.isTensor(T.getNonReferenceType()->getAsCXXRecordDecl());
}

/// "device type" or "scalar type" for an enumeration whose numbers have no
/// meaning without their type; else null.
const char *ArgumentLowering::tensorEnum(QualType T) const {
  const auto *E = T.getNonReferenceType()->getAs<EnumType>();
  if (!E)
    return nullptr;
  catalogue::RoleSet Roles = Names.of(E->getDecl());
  return Roles.has(Role::DeviceTypeEnum)   ? "device type"
         : Roles.has(Role::ScalarTypeEnum) ? "scalar type"
                                           : nullptr;
}

/// The number of an enumerator that \p E names, possibly by reference.
ExprId ArgumentLowering::enumerator(const clang::Expr *E) {
  clang::Expr::EvalResult R;
  if (!E->isValueDependent() && E->EvaluateAsRValue(R, L.Body.Ctx) &&
      R.Val.isInt())
    return L.Exprs.number(R.Val.getInt());
  return L.argument(E);
}

/// Adds the tensors in \p E, which is a braced list, to \p O.
void ArgumentLowering::addTensors(Op &O, const clang::Expr *E) {
  E = E->IgnoreParenImpCasts();
  if (isTensor(E->getType())) {
    CallArg Arg;
    Arg.Value = L.argument(E);
    Arg.Sort = CallArg::Tensor;
    O.Config.push_back(Arg);
    return;
  }
  for (const Stmt *Child : E->children())
    if (const auto *Each = dyn_cast_or_null<clang::Expr>(Child))
      addTensors(O, Each);
}

/// True if \p E is, or converts, an initializer list.
static bool hasBraces(const clang::Expr *E, unsigned Depth = 0) {
  if (isa<InitListExpr, CXXStdInitializerListExpr>(E))
    return true;
  if (Depth > 8 || isa<CallExpr, LambdaExpr>(E))
    return false;
  return llvm::any_of(E->children(), [&](const Stmt *Child) {
    const auto *Each = dyn_cast_or_null<clang::Expr>(Child);
    return Each && hasBraces(Each, Depth + 1);
  });
}

/// The properties of any argument; \p Param: the type of the parameter, or
/// null.
CallArg ArgumentLowering::lower(const clang::Expr *E, QualType Param) {
  CallArg Arg;
  Arg.Value = L.argument(E, Param);
  Arg.IsStream = Names.isStream(E->getType()->isVoidPointerType()
                                    ? E->IgnoreParenCasts()->getType()
                                    : E->getType());
  QualType T = Param.isNull() ? E->getType() : Param;
  if (T->isPointerType() || T->isReferenceType())
    Arg.Written = !T->getPointeeType().isConstQualified();
  if (!isa<CXXDefaultArgExpr>(E))
    Arg.Range = spanOf(E->getSourceRange());
  Arg.Sort = T->isArithmeticType() || T->isEnumeralType() ? CallArg::Scalar
             : T->isPointerType()                         ? CallArg::Pointer
             : isTensor(E->getType())                     ? CallArg::Tensor
             : T->isRecordType()                          ? CallArg::Class
                                                          : CallArg::Other;
  return Arg;
}

/// Adds the call operators of \p RD, whose object is at \p Place, and of its
/// bases: a library that receives the object may call each.
static void addOperators(ExprLowering &L, const CXXRecordDecl *RD, ExprId Place,
                         llvm::SmallVectorImpl<ExprId> &Found) {
  if (!RD || !RD->hasDefinition() || Found.size() > 8)
    return;
  auto Add = [&](const FunctionDecl *FD) {
    if (FD->hasBody() && !FD->isDependentContext())
      Found.push_back(L.Exprs.closure(Place, L.Table.idOf(FD)));
  };
  for (const Decl *D : RD->getDefinition()->decls()) {
    if (const auto *M = dyn_cast<CXXMethodDecl>(D);
        M && M->getOverloadedOperator() == OO_Call)
      Add(M);
    if (const auto *T = dyn_cast<FunctionTemplateDecl>(D);
        T && T->getTemplatedDecl()->getOverloadedOperator() == OO_Call)
      for (const FunctionDecl *Spec : instancesOf(T))
        Add(Spec);
  }
  unsigned Index = 0;
  for (const CXXBaseSpecifier &Base : RD->getDefinition()->bases()) {
    const CXXRecordDecl *Class = Base.getType()->getAsCXXRecordDecl();
    std::string Name = baseName(Index++);
    if (Class && Class->isLambda())
      Found.push_back(L.Exprs.load(L.Exprs.field(Place, Name)));
    else
      addOperators(L, Class, Place, Found);
  }
}

/// The callables in the object \p E that a library may call; None if there are
/// none, or if \p E is itself a callable.
ExprId ArgumentLowering::callablesOf(const clang::Expr *E) {
  const CXXRecordDecl *RD = E->getType()->getAsCXXRecordDecl();
  if (!RD || RD->isLambda() || Names.shapeOf(RD) != LibraryShape::NotLibrary ||
      !RD->hasDefinition() || L.Body.Table.own().isForeign(RD->getLocation()))
    return None;
  bool Calls = RD->getNumBases() != 0;
  for (const Decl *D : RD->getDefinition()->decls()) {
    const auto *T = dyn_cast<FunctionTemplateDecl>(D);
    const auto *FD = dyn_cast<FunctionDecl>(T ? T->getTemplatedDecl() : D);
    Calls |= FD && FD->getOverloadedOperator() == OO_Call;
  }
  llvm::SmallVector<ExprId, 4> Found;
  if (Calls)
    addOperators(L, RD, L.place(E), Found);
  ExprId Any = None;
  for (ExprId V : Found)
    Any = Any == None ? V : L.Exprs.select(L.Exprs.unknown(), V, Any);
  return Any;
}

/// True for a constructor parameter that is a forwarding reference to the
/// source that the constructor copies or moves.
static bool isForwarded(const ParmVarDecl *P) {
  const auto *C = dyn_cast<CXXConstructorDecl>(P->getDeclContext());
  const FunctionTemplateDecl *T = C ? C->getPrimaryTemplate() : nullptr;
  if (!T)
    return false;
  const FunctionDecl *Pattern = T->getTemplatedDecl();
  unsigned Last = Pattern->getNumParams() - 1;
  QualType Type =
      Pattern->getParamDecl(std::min(P->getFunctionScopeIndex(), Last))
          ->getType();
  if (const auto *Pack = Type->getAs<PackExpansionType>())
    Type = Pack->getPattern();
  const auto *Reference = Type->getAs<RValueReferenceType>();
  return Reference && isa<TemplateTypeParmType>(Reference->getPointeeType());
}

/// Notes in \p Arg the elements that a kernel writes through it.
static void note(CallArg &Arg, const KernelStore &Store) {
  Arg.Stored = Store.Exists;
  Arg.Whole = Store.Whole;
  Arg.Edges = Store.Edges;
}

/// Adds the pointers in the object \p E, the next argument of \p O, which is a
/// launch of \p Kernel. \p Whole is that argument.
void ArgumentLowering::addPointers(Op &O, const clang::Expr *E,
                                   const CallArg &Whole,
                                   const FunctionDecl *Kernel) {
  constexpr unsigned MaxPointers = 8;
  const CXXRecordDecl *RD = E->getType()->getAsCXXRecordDecl();
  if (!RD || !RD->hasDefinition() || RD->isLambda() || RD->isUnion())
    return;
  llvm::SmallVector<const FieldDecl *, 4> Found;
  for (const FieldDecl *FD : RD->getDefinition()->fields())
    if (FD->getIdentifier() && FD->getType()->isObjectPointerType())
      Found.push_back(FD);
  if (Found.empty() || Found.size() > MaxPointers)
    return;
  ExprId Object = L.place(E);
  for (const FieldDecl *FD : Found) {
    CallArg Arg = Whole;
    Arg.Value = L.Exprs.load(L.Exprs.field(Object, canonicalQualifiedName(FD)));
    Arg.Sort = CallArg::Pointer;
    Arg.Written = !FD->getType()->getPointeeType().isConstQualified();
    if (Arg.Written)
      note(Arg, storeThrough(Kernel, O.Args.size(), FD->getName(),
                             /*Only=*/Found.size() == 1));
    O.Pointers.push_back(Arg);
  }
}

void ArgumentLowering::add(Op &O, llvm::ArrayRef<const clang::Expr *> Args,
                           const FunctionDecl *Callee, QualType Type) {
  catalogue::RoleSet Roles = Names.of(Callee);
  const auto *Proto =
      Type.isNull() ? nullptr : Type->getAs<FunctionProtoType>();
  unsigned I = 0;
  for (const clang::Expr *E : Args) {
    const ParmVarDecl *P = Callee && I < Callee->getNumParams()
                               ? Callee->getParamDecl(I)
                               : nullptr;
    QualType Param;
    if (P)
      Param = P->getType();
    else if (Proto && I < Proto->getNumParams())
      Param = Proto->getParamType(I);
    CallArg Arg = lower(E, Param);
    if (Callee && L.Table.info(L.Table.idOf(Callee)).IsSystem) {
      if (ExprId V = callablesOf(E); V != None)
        Arg.Value = V;
      if (P && isForwarded(P))
        Arg.Written = false;
    }
    if (Callee && Callee->hasAttr<CUDAGlobalAttr>()) {
      if (Arg.Sort == CallArg::Class)
        addPointers(O, E, Arg, Callee);
      else if (Arg.Written && Arg.Sort == CallArg::Pointer)
        note(Arg, storeThrough(Callee, I));
    }
    if (Roles.has(Role::TakesPolicy))
      Arg.Thrust = policyTraits(E->getType());
    if (const char *Kind = tensorEnum(E->getType());
        Kind && Callee && !isa<CXXDefaultArgExpr>(E))
      Arg.Value = L.Exprs.unary(Kind, enumerator(E));
    const CXXRecordDecl *RD = E->getType()->getAsCXXRecordDecl();
    if (Roles.has(Role::TensorLists) && RD && !isTensor(E->getType()) &&
        hasBraces(E)) {
      addTensors(O, E);
      Arg.Sort = CallArg::Braces;
    }
    if (Names.of(RD).has(Role::TensorOptions))
      Arg.Sort = CallArg::TensorOptions;
    O.Args.push_back(Arg);
    ++I;
  }
}

} // namespace cudagraph
