//===- LowerCall.cpp - Calls and their arguments --------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Also of the standard library, as far as LibraryShape.h models it.
//
//===----------------------------------------------------------------------===//

#include "LibraryShape.h"
#include "Lowering.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclTemplate.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace cudagraph {

using catalogue::Role;

void Lowerer::emitAssign(ExprId Place, ExprId Value, Span Where) {
  Op A;
  A.Place = Place;
  A.Value = Value;
  A.Range = Where;
  A.Implicit = true;
  Cur->Ops.push_back(std::move(A));
}

/// True for `<<` that writes to a string stream or to whatever stream the
/// function was given: formatting, not input or output.
bool Lowerer::isFormatting(const CallExpr *E) const {
  const auto *OC = dyn_cast<CXXOperatorCallExpr>(E);
  if (!OC || OC->getOperator() != OO_LessLess)
    return false;
  const clang::Expr *Left = OC;
  while (true) {
    Left = Left->IgnoreParenImpCasts();
    const auto *Inner = dyn_cast<CXXOperatorCallExpr>(Left);
    if (!Inner || Inner->getOperator() != OO_LessLess)
      break;
    Left = Inner->getArg(0);
  }
  catalogue::RoleSet Roles = Names.of(Left->getType()->getAsCXXRecordDecl());
  if (Roles.has(Role::TextStream))
    return true;
  const auto *DRE = dyn_cast<DeclRefExpr>(Left);
  const auto *VD = DRE ? dyn_cast<VarDecl>(DRE->getDecl()) : nullptr;
  return Roles.has(Role::OutputStream) && !(VD && VD->hasGlobalStorage());
}

Op Lowerer::callOp(SourceRange Range) {
  Op O;
  O.Kind = OpKind::Call;
  O.Range = spanOf(Range);
  return O;
}

ExprId Lowerer::emitCall(Op O) {
  O.ResultIndex = G.NumCalls++;
  Cur->Ops.push_back(std::move(O));
  return make({ExprKind::Result,
               None,
               None,
               None,
               static_cast<int64_t>(G.NumCalls - 1),
               {}});
}

ExprId Lowerer::argValue(const clang::Expr *Arg, const ParmVarDecl *P) {
  if (P && P->getType()->isReferenceType())
    return addrOf(place(Arg));
  if (Arg->isGLValue())
    return load(place(Arg));
  return value(Arg);
}

/// What the type of an argument of an algorithm says: an execution policy and
/// its properties, or an iterator over device memory.
uint8_t Lowerer::policyTraits(QualType T) const {
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

bool Lowerer::isTensor(QualType T) const {
  return Names.isTensor(T.getNonReferenceType()->getAsCXXRecordDecl());
}

/// "device type" or "scalar type" for an enumeration whose numbers mean nothing
/// without their type; else null.
const char *Lowerer::tensorEnum(QualType T) const {
  const auto *E = T.getNonReferenceType()->getAs<EnumType>();
  if (!E)
    return nullptr;
  catalogue::RoleSet Roles = Names.of(E->getDecl());
  return Roles.has(Role::DeviceTypeEnum)   ? "device type"
         : Roles.has(Role::ScalarTypeEnum) ? "scalar type"
                                           : nullptr;
}

/// The number of an enumerator that \p E names, also by reference.
ExprId Lowerer::enumerator(const clang::Expr *E) {
  clang::Expr::EvalResult R;
  if (!E->isValueDependent() && E->EvaluateAsRValue(R, Ctx) && R.Val.isInt())
    return integer(R.Val.getInt().getExtValue());
  return E->isGLValue() ? load(place(E)) : value(E);
}

/// Adds the tensors in \p E, which is made of braces, to \p O.
void Lowerer::addTensors(Op &O, const clang::Expr *E) {
  E = E->IgnoreParenImpCasts();
  if (isTensor(E->getType())) {
    CallArg Arg;
    Arg.Value = argValue(E, nullptr);
    Arg.Sort = CallArg::Tensor;
    O.Config.push_back(Arg);
    return;
  }
  for (const Stmt *Child : E->children())
    if (const auto *Each = dyn_cast_or_null<clang::Expr>(Child))
      addTensors(O, Each);
}

/// True if \p E is, or converts, an initialiser list.
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

void Lowerer::addArgs(Op &O, llvm::ArrayRef<const clang::Expr *> Args,
                      const FunctionDecl *Callee) {
  catalogue::RoleSet Roles = Names.of(Callee);
  unsigned I = 0;
  for (const clang::Expr *A : Args) {
    const ParmVarDecl *P = Callee && I < Callee->getNumParams()
                               ? Callee->getParamDecl(I)
                               : nullptr;
    CallArg Arg;
    Arg.Value = argValue(A, P);
    Arg.IsStream = Names.isStream(A->getType());
    if (P && (P->getType()->isPointerType() || P->getType()->isReferenceType()))
      Arg.Written = !P->getType()->getPointeeType().isConstQualified();
    if (Roles.has(Role::TakesPolicy))
      Arg.Thrust = policyTraits(A->getType());
    QualType T = P ? P->getType() : A->getType();
    const CXXRecordDecl *RD = A->getType()->getAsCXXRecordDecl();
    bool IsTensor = isTensor(A->getType());
    bool IsOptions = Names.of(RD).has(Role::TensorOptions);
    if (const char *Kind = tensorEnum(A->getType());
        Kind && Callee && !isa<CXXDefaultArgExpr>(A))
      Arg.Value = binary(Kind, enumerator(A), None);
    bool IsMade =
        Roles.has(Role::TensorLists) && RD && !IsTensor && hasBraces(A);
    if (IsMade)
      addTensors(O, A);
    Arg.Sort = IsOptions ? CallArg::TensorOptions
               : IsMade  ? CallArg::Braces
               : T->isArithmeticType() || T->isEnumeralType() ? CallArg::Scalar
               : T->isPointerType()                           ? CallArg::Pointer
               : IsTensor                                     ? CallArg::Tensor
               : T->isRecordType()                            ? CallArg::Class
                                                              : CallArg::Other;
    if (!isa<CXXDefaultArgExpr>(A))
      Arg.Range = spanOf(A->getSourceRange());
    O.Args.push_back(Arg);
    ++I;
  }
}

/// Library members that denote storage: elements, pointees, the argument of a
/// forwarding function. Returns None where \p E is none of these.
ExprId Lowerer::modelledPlace(const CallExpr *E) {
  const FunctionDecl *FD = E->getDirectCallee();
  if (ExprId P = deviceElements(E); P != None)
    return P;
  if (!FD || !FD->isInStdNamespace()) {
    const auto *M = dyn_cast_or_null<CXXMethodDecl>(FD);
    if (!M || Names.shapeOf(M->getParent()) == LibraryShape::NotLibrary)
      return None;
  }
  const auto *M = dyn_cast<CXXMethodDecl>(FD);
  if (!M || M->isStatic()) {
    if (!FD->getDeclName().isIdentifier() || E->getNumArgs() == 0)
      return None;
    bool Transparent = llvm::StringSwitch<bool>(FD->getName())
                           .Cases({"move", "forward", "as_const"}, true)
                           .Cases({"forward_like", "get", "launder"}, true)
                           .Default(false);
    return Transparent ? place(E->getArg(0)) : None;
  }
  const clang::Expr *Object = nullptr;
  const clang::Expr *Index = nullptr;
  if (const auto *MC = dyn_cast<CXXMemberCallExpr>(E)) {
    Object = MC->getImplicitObjectArgument();
    Index = MC->getNumArgs() ? MC->getArg(0) : nullptr;
  } else if (const auto *OC = dyn_cast<CXXOperatorCallExpr>(E)) {
    Object = OC->getArg(0);
    Index = OC->getNumArgs() > 1 ? OC->getArg(1) : nullptr;
  }
  if (!Object)
    return None;
  LibraryShape Shape = Names.shapeOf(M->getParent());
  auto ObjectPlace = [&] {
    return Object->getType()->isPointerType() ? deref(value(Object))
                                              : place(Object);
  };
  OverloadedOperatorKind Kind = M->getOverloadedOperator();
  StringRef Name = M->getDeclName().isIdentifier() ? M->getName() : StringRef();
  bool Deref = Kind == OO_Star || Kind == OO_Arrow || Name == "get";
  if ((Shape == LibraryShape::Pointer || Shape == LibraryShape::Iterator) &&
      Deref)
    return deref(load(ObjectPlace()));
  if (Shape == LibraryShape::Iterator &&
      (Kind == OO_PlusPlus || Kind == OO_MinusMinus))
    return ObjectPlace();
  if (Shape == LibraryShape::View) {
    // Only the elements are elsewhere; the rest is the view's own.
    if (Name == "end" ||
        !(Kind == OO_Subscript || Name == "at" || Name == "data" ||
          Name == "begin" || Name == "front" || Name == "back"))
      return None;
    ExprId Elements = load(ObjectPlace());
    ExprId I = Name == "data" || Name == "begin" ? integer(0) : unknown();
    return make({ExprKind::PtrElem, Elements, I, None, 0, {}});
  }
  if (Kind == OO_Subscript || Name == "at") {
    ExprId I = Index ? argValue(Index, nullptr) : unknown();
    ExprId P = ObjectPlace();
    return make({ExprKind::Elem, P, I, None, 0, {}});
  }
  bool Element = Deref || llvm::StringSwitch<bool>(Name)
                              .Cases({"front", "back", "value"}, true)
                              .Cases({"data", "begin", "end", "c_str"}, true)
                              .Cases({"top", "emplace_back"}, true)
                              .Default(false);
  if (Shape == LibraryShape::Container && Element && Name != "emplace_back") {
    ExprId P = ObjectPlace();
    // The end is nowhere in particular, so that it differs from the begin.
    if (Name == "end")
      return None;
    ExprId I = Deref || Name == "value" || Name == "data" || Name == "c_str"
                   ? integer(0)
                   : unknown();
    return make({ExprKind::Elem, P, I, None, 0, {}});
  }
  return None;
}

/// The device memory that an object of a library owns, where \p E asks for its
/// address. A tensor refers to its memory, and others may, too.
ExprId Lowerer::deviceElements(const CallExpr *E) {
  const auto *MC = dyn_cast<CXXMemberCallExpr>(E);
  const clang::Expr *Object = MC ? MC->getImplicitObjectArgument() : nullptr;
  const CXXMethodDecl *M = MC ? MC->getMethodDecl() : nullptr;
  if (!Object || !M || !Names.is(M, Role::DeviceAddress))
    return None;
  const clang::Expr *Owner = Object->IgnoreParenImpCasts();
  QualType T = Owner->getType();
  if (T->isPointerType())
    T = T->getPointeeType();
  const CXXRecordDecl *RD = T->getAsCXXRecordDecl();
  if (!Names.ownsDeviceMemory(RD))
    return None;
  ExprId P =
      Owner->getType()->isPointerType() ? deref(value(Owner)) : place(Owner);
  if (Names.isTensor(RD))
    return field(deref(load(P)), "device elements");
  return make({ExprKind::Elem, P, integer(0), None, 0, {}});
}

/// The static method of the class `Class` that \p FD, if it is one of a
/// library's template `Function<Class>` that does so, calls.
const FunctionDecl *Lowerer::forwardOf(const FunctionDecl *FD) const {
  const auto *M = dyn_cast_or_null<CXXMethodDecl>(FD);
  if (!M || !M->isStatic() || !Names.is(M, Role::CallsForward))
    return nullptr;
  StringRef Forward =
      Names.catalogue().as(Role::CallsForward, canonicalQualifiedName(M));
  const auto *Spec = dyn_cast<ClassTemplateSpecializationDecl>(M->getParent());
  if (!Spec || Spec->getTemplateArgs()[0].getKind() != TemplateArgument::Type)
    return nullptr;
  const CXXRecordDecl *RD =
      Spec->getTemplateArgs()[0].getAsType()->getAsCXXRecordDecl();
  if (!RD || !RD->hasDefinition())
    return nullptr;
  for (const CXXMethodDecl *Each : RD->getDefinition()->methods())
    if (Each->isStatic() && Each->getDeclName().isIdentifier() &&
        Each->getName() == Forward && Each->getNumParams())
      return Each;
  return nullptr;
}

ExprId Lowerer::placeOfCall(const CallExpr *E) {
  if (ExprId P = modelledPlace(E); P != None) {
    if (E->isGLValue() || E->getType()->isPointerType() ||
        E->getType()->isRecordType())
      return P;
  }
  return deref(lowerCall(E));
}

} // namespace cudagraph
