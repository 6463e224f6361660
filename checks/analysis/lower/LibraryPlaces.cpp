//===- LibraryPlaces.cpp - Storage in library objects ---------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LibraryPlaces.h"
#include "HandleLists.h"
#include "QualifiedName.h"
#include "TableMarking.h"
#include "TupleLowering.h"
#include "VariantLowering.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace cudagraph {

using catalogue::Role;

ExprId LibraryPlaces::ofCall(const CallExpr *E) {
  if (ExprId P = ofAccessor(E); P != None)
    return P;
  return Exprs.deref(L.call(E));
}

/// The static variable in the function that \p E calls, if it does nothing but
/// return a reference to that variable, which is a number or a pointer.
static const clang::Expr *returnedStatic(const CallExpr *E) {
  const FunctionDecl *FD = E->getDirectCallee();
  if (!FD || FD->getNumParams() || !FD->getReturnType()->isReferenceType() ||
      !FD->getReturnType().getNonReferenceType()->isScalarType())
    return nullptr;
  const auto *Body = dyn_cast_or_null<CompoundStmt>(FD->getBody());
  if (!Body || Body->size() != 2)
    return nullptr;
  const auto *Declared = dyn_cast<DeclStmt>(Body->body_front());
  const auto *Return = dyn_cast<ReturnStmt>(Body->body_back());
  const auto *Var = Declared && Declared->isSingleDecl()
                        ? dyn_cast<VarDecl>(Declared->getSingleDecl())
                        : nullptr;
  const clang::Expr *Result = Return ? Return->getRetValue() : nullptr;
  const auto *Named =
      Result ? dyn_cast<DeclRefExpr>(Result->IgnoreParens()) : nullptr;
  bool Ready =
      Var && Var->isStaticLocal() &&
      (!Var->getInit() || Var->getInit()->isEvaluatable(Var->getASTContext()));
  return Ready && Named && Named->getDecl() == Var ? Named : nullptr;
}

ExprId LibraryPlaces::ofAccessor(const CallExpr *E) {
  if (const clang::Expr *Static = returnedStatic(E))
    return L.place(Static);
  ExprId P = find(E);
  return E->isGLValue() || E->getType()->isPointerType() ||
                 E->getType()->isRecordType()
             ? P
             : None;
}

ExprId LibraryPlaces::find(const CallExpr *E) {
  const FunctionDecl *FD = E->getDirectCallee();
  if (ExprId P = deviceElements(E); P != None)
    return P;
  const auto *M = dyn_cast_or_null<CXXMethodDecl>(FD);
  if ((!FD || !FD->isInStdNamespace()) &&
      (!M || L.Names.shapeOf(M->getParent()) == LibraryShape::NotLibrary))
    return None;
  return M && !M->isStatic() ? ofMethod(E, M) : ofForwarding(E);
}

/// The device memory that a library object owns, if \p E requests its address.
/// A tensor refers to its memory, which may have other references.
ExprId LibraryPlaces::deviceElements(const CallExpr *E) {
  const auto *MC = dyn_cast<CXXMemberCallExpr>(E);
  const clang::Expr *Object = MC ? MC->getImplicitObjectArgument() : nullptr;
  const CXXMethodDecl *M = MC ? MC->getMethodDecl() : nullptr;
  if (!Object || !M || !L.Names.is(M, Role::DeviceAddress))
    return None;
  const clang::Expr *Owner = Object->IgnoreParenImpCasts();
  QualType T = Owner->getType();
  if (T->isPointerType())
    T = T->getPointeeType();
  const CXXRecordDecl *RD = T->getAsCXXRecordDecl();
  if (!L.Names.ownsDeviceMemory(RD))
    return None;
  ExprId P = L.object(Owner);
  if (L.Names.isTensor(RD))
    return Exprs.field(Exprs.deref(Exprs.load(P)), "device elements");
  return Exprs.element(P, Exprs.integer(0));
}

/// The member that std::get<N>(pair) returns, if \p E is such a call.
ExprId LibraryPlaces::pairMember(const CallExpr *E) {
  const auto *RD = E->getArg(0)->getType()->getAsCXXRecordDecl();
  std::optional<uint64_t> Index = TupleLowering::indexOf(E);
  if (!isPair(RD) || !Index)
    return None;
  ExprId P = L.place(E->getArg(0));
  if (*Index == 1 && isTableEntry(RD))
    return P;
  for (const FieldDecl *Field : RD->fields())
    if (Field->getName() == (*Index ? "second" : "first"))
      return Exprs.field(P, canonicalQualifiedName(Field));
  return None;
}

/// The argument of a function that returns it, such as std::move.
ExprId LibraryPlaces::ofForwarding(const CallExpr *E) {
  const FunctionDecl *FD = E->getDirectCallee();
  if (!FD->getDeclName().isIdentifier() || E->getNumArgs() == 0)
    return None;
  if (FD->getName() == "get")
    for (ExprId P : {TupleLowering(L).element(E), pairMember(E),
                     VariantLowering(L).element(E)})
      if (P != None)
        return P;
  if (ExprId P = ofRangeAccess(E, FD->getName()); P != None)
    return P;
  bool Transparent = llvm::is_contained(
      {"move", "forward", "as_const", "forward_like", "get", "launder"},
      FD->getName());
  return Transparent ? L.place(E->getArg(0)) : None;
}

/// The name of the member function without the letters for constant or reverse
/// iterators: all of these visit the same elements.
static StringRef iteratorName(StringRef Name) {
  StringRef Rest = Name;
  Rest.consume_front("c");
  Rest.consume_front("r");
  return Rest == "begin" || Rest == "end" ? Rest : Name;
}

/// The elements of a container or an array, as std::begin(), std::end(), and
/// std::data() return them.
ExprId LibraryPlaces::ofRangeAccess(const CallExpr *E, StringRef Name) {
  StringRef Plain = iteratorName(Name);
  if (E->getNumArgs() != 1 ||
      !llvm::is_contained({"begin", "end", "data"}, Plain))
    return None;
  const clang::Expr *Range = E->getArg(0);
  if (const CXXRecordDecl *Class = Range->getType()->getAsCXXRecordDecl())
    return ofElements(E, Range, Class, Name);
  const auto *Array =
      dyn_cast<ConstantArrayType>(Range->getType().getCanonicalType());
  if (!Array || !E->getType()->isPointerType())
    return None;
  uint64_t Size = Array->getSize().getLimitedValue();
  return Exprs.element(L.place(Range),
                       Exprs.integer(Plain == "end" ? Size : 0));
}

/// The number of elements of \p Object, the range of a loop, if it is a braced
/// list.
static std::optional<uint64_t> sizeOfList(const clang::Expr *Object) {
  const auto *Ref = dyn_cast<DeclRefExpr>(Object->IgnoreParenImpCasts());
  const auto *Range = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
  if (!Range || !Range->isImplicit() || !Range->getInit())
    return std::nullopt;
  const clang::Expr *Init = Range->getInit();
  if (const auto *Full = dyn_cast<FullExpr>(Init))
    Init = Full->getSubExpr();
  if (const auto *Made = dyn_cast<MaterializeTemporaryExpr>(Init))
    Init = Made->getSubExpr();
  const auto *List = dyn_cast<CXXStdInitializerListExpr>(Init);
  const auto *Array =
      List ? dyn_cast<ConstantArrayType>(
                 List->getSubExpr()->getType().getCanonicalType())
           : nullptr;
  if (!Array)
    return std::nullopt;
  return Array->getSize().getLimitedValue();
}

/// The number of elements of \p Class, if that is part of its type and its
/// iterators are pointers.
static std::optional<uint64_t> sizeOfArray(const CXXRecordDecl *Class) {
  const auto *Spec = dyn_cast<ClassTemplateSpecializationDecl>(Class);
  if (!Spec || !Class->isInStdNamespace() || !Class->getIdentifier() ||
      Class->getName() != "array" || Spec->getTemplateArgs().size() != 2 ||
      Spec->getTemplateArgs()[1].getKind() != TemplateArgument::Integral)
    return std::nullopt;
  return Spec->getTemplateArgs()[1].getAsIntegral().getLimitedValue();
}

/// The element that is returned by, or that is at the position returned by, the
/// member function \p Name of \p Object or the function of the standard library
/// with this name.
ExprId LibraryPlaces::ofElements(const CallExpr *E, const clang::Expr *Object,
                                 const CXXRecordDecl *Class, StringRef Name) {
  StringRef Plain = iteratorName(Name);
  const bool First = Name == "begin" || Name == "cbegin" || Name == "data";
  LibraryShape Shape = L.Names.shapeOf(Class);
  if (Shape == LibraryShape::View) {
    if (std::optional<uint64_t> Size =
            Name == "end" ? sizeOfList(Object) : std::nullopt)
      return Exprs.pointerElement(Exprs.load(L.object(Object)),
                                  Exprs.integer(*Size));
    // Only the elements are elsewhere; everything else belongs to the view.
    if (!llvm::is_contained({"begin", "data", "front", "back"}, Plain))
      return None;
    return Exprs.pointerElement(Exprs.load(L.object(Object)),
                                First ? Exprs.integer(0) : Exprs.unknown());
  }
  if (Shape != LibraryShape::Container ||
      !llvm::is_contained(
          {"front", "back", "value", "data", "begin", "end", "c_str", "top"},
          Plain))
    return None;
  ExprId P = L.object(Object);
  std::optional<uint64_t> Size = sizeOfArray(Class);
  if (Size && E->getType()->isPointerType() &&
      (Plain == "begin" || Plain == "end"))
    return Exprs.element(P, Exprs.integer(Plain == "end" ? *Size : 0));
  // The end has no particular place, so it differs from the beginning.
  if (Plain == "end")
    return None;
  if (Name == "back" && HandleLists(L).isOne(Class))
    return HandleLists(L).last(P);
  // The front of a queue changes; in a vector it has the index 0.
  bool Indexed = llvm::any_of(Class->methods(), [](auto *Each) {
    return Each->getDeclName().isIdentifier() && Each->getName() == "data";
  });
  bool Known = (Name == "front" && Indexed) || Name == "value" ||
               Name == "data" || Name == "c_str";
  return Exprs.element(P, Known ? Exprs.integer(0) : Exprs.unknown(),
                       Class->isAggregate());
}

ExprId LibraryPlaces::ofMethod(const CallExpr *E, const CXXMethodDecl *M) {
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
  LibraryShape Shape = L.Names.shapeOf(M->getParent());
  OverloadedOperatorKind Kind = M->getOverloadedOperator();
  StringRef Name = M->getDeclName().isIdentifier() ? M->getName() : StringRef();
  bool Deref = Kind == OO_Star || Kind == OO_Arrow || Name == "get";
  if ((Shape == LibraryShape::Pointer || Shape == LibraryShape::Iterator) &&
      Deref)
    return Exprs.deref(Exprs.load(L.object(Object)));
  if (Shape == LibraryShape::Iterator &&
      (Kind == OO_PlusPlus || Kind == OO_MinusMinus))
    return L.object(Object);
  if (Shape == LibraryShape::View && (Kind == OO_Subscript || Name == "at"))
    return Exprs.pointerElement(Exprs.load(L.object(Object)), Exprs.unknown());
  if (Shape == LibraryShape::View)
    return ofElements(E, Object, M->getParent(), Name);
  if (Kind == OO_Subscript || Name == "at") {
    ExprId I = Index ? L.argument(Index) : Exprs.unknown();
    ExprId Element =
        Exprs.element(L.object(Object), I, M->getParent()->isAggregate());
    if (TableMarking Keys(L, M->getParent());
        Kind == OO_Subscript && Keys.isOne())
      Keys.added(Element, Keys.startsNull());
    return Element;
  }
  if (Shape == LibraryShape::Container && Name == "find" && Index &&
      mapsKeys(M->getParent()))
    return Exprs.element(L.object(Object), L.argument(Index));
  if (Shape == LibraryShape::Container && mapsKeys(M->getParent()) &&
      (Name == "lower_bound" || Name == "upper_bound"))
    return Exprs.element(L.object(Object), Exprs.unknown());
  // A future is not a container: get() waits.
  if (Shape == LibraryShape::Container && Deref && Name != "get")
    return Exprs.element(L.object(Object), Exprs.integer(0),
                         M->getParent()->isAggregate());
  return ofElements(E, Object, M->getParent(), Name);
}

} // namespace cudagraph
