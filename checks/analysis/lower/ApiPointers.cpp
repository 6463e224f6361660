//===- ApiPointers.cpp - Pointers to functions of libraries ---------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ApiPointers.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;

namespace cudagraph {

using catalogue::Role;

/// \p Name without the version at its end: "_v2000", "_ptsz".
static StringRef withoutVersion(StringRef Name) {
  for (StringRef Suffix : {"_ptsz", "_ptds"})
    Name.consume_back(Suffix);
  StringRef Digits = Name;
  while (!Digits.empty() && llvm::isDigit(Digits.back()))
    Digits = Digits.drop_back();
  return Digits.size() < Name.size() && Digits.consume_back("_v") ? Digits
                                                                  : Name;
}

/// The function \p Name of the unit; null if it declares none.
static const FunctionDecl *declared(StringRef Name, ASTContext &Ctx) {
  for (StringRef Version : {"", "_v2", "_v3", "_v4"})
    for (const NamedDecl *D : Ctx.getTranslationUnitDecl()->lookup(
             &Ctx.Idents.get((Name + Version).str())))
      if (const auto *FD = dyn_cast<FunctionDecl>(D))
        return FD;
  return nullptr;
}

/// The catalogued function \p Name, with the parameters of \p Type if the unit
/// does not declare it; null if there is none.
static const FunctionDecl *apiCalled(StringRef Name, QualType Type,
                                     FunctionTable &Table) {
  Name = withoutVersion(Name);
  if (Name.empty() || !Table.names().catalogue().lookup(Name.str()))
    return nullptr;
  if (const FunctionDecl *FD = declared(Name, Table.context()))
    return FD;
  return Type.isNull() ? nullptr : Table.undeclared(Name, Type);
}

/// The function that \p E, in decltype(), names.
static const FunctionDecl *functionNamed(const clang::Expr *E) {
  E = E->IgnoreParenImpCasts();
  if (const auto *U = dyn_cast<UnaryOperator>(E);
      U && U->getOpcode() == UO_AddrOf)
    E = U->getSubExpr()->IgnoreParenImpCasts();
  const auto *Ref = dyn_cast<DeclRefExpr>(E);
  return Ref ? dyn_cast<FunctionDecl>(Ref->getDecl()) : nullptr;
}

static QualType functionTypeOf(QualType Pointer) {
  if (Pointer->isPointerType())
    Pointer = Pointer->getPointeeType();
  return Pointer->isFunctionType() ? Pointer : QualType();
}

/// The function after which the type \p T, as spelled, is named.
static const FunctionDecl *apiOfType(QualType T, QualType Called,
                                     FunctionTable &Table) {
  const catalogue::Catalogue &Known = Table.names().catalogue();
  for (unsigned Guard = 0; Guard < 16; ++Guard) {
    if (const auto *D = dyn_cast<DecltypeType>(T))
      if (const FunctionDecl *FD = functionNamed(D->getUnderlyingExpr()))
        return Known.lookup(FD->getNameAsString()) ? FD : nullptr;
    if (const auto *D = dyn_cast<TypedefType>(T))
      if (auto Name = Known.part(Role::ApiPointer, D->getDecl()->getName()))
        return apiCalled(StringRef(Name->data(), Name->size()), Called, Table);
    if (const auto *P = dyn_cast<clang::PointerType>(T)) {
      T = P->getPointeeType();
      continue;
    }
    QualType Next = T.getSingleStepDesugaredType(Table.context());
    if (Next == T)
      return nullptr;
    T = Next;
  }
  return nullptr;
}

/// A function, and the text around its name in another name.
struct NamedApi {
  const FunctionDecl *Function = nullptr;
  StringRef Before, After;
};

/// The function whose name is part of \p Name, such as "pfn_cuModuleUnload" or
/// "cuModuleUnload_", if the variable or function has its parameters.
static NamedApi apiOfName(StringRef Name, QualType Called,
                          FunctionTable &Table) {
  for (size_t Start = 0; Start < Name.size(); ++Start) {
    bool Begins =
        !Start || Name[Start - 1] == '_' || Name.take_front(Start) == "p" ||
        (llvm::isLower(Name[Start - 1]) && llvm::isUpper(Name[Start]));
    if (!Begins)
      continue;
    StringRef Rest = Name.substr(Start);
    for (size_t End = Rest.size(); End != StringRef::npos;
         End = Rest.take_front(End).rfind('_')) {
      std::string Part = Rest.take_front(End).str();
      if (Part.empty())
        break;
      for (bool Lower : {false, true}) {
        if (Lower)
          Part.front() = llvm::toLower(Part.front());
        const FunctionDecl *FD =
            Table.names().catalogue().lookup(Part)
                ? declared(withoutVersion(Part), Table.context())
                : nullptr;
        if (FD &&
            Table.context().hasSameFunctionTypeIgnoringExceptionSpec(
                FD->getType().getCanonicalType(), Called.getCanonicalType()))
          return {FD, Name.take_front(Start), Rest.substr(End)};
      }
    }
  }
  return {};
}

const FunctionDecl *apiOfWrapper(const FunctionDecl *FD, FunctionTable &Table) {
  if (isa<CXXMethodDecl>(FD) || !FD->getDeclName().isIdentifier() ||
      !FD->getName().contains_insensitive("cu") || FD->isDefined() ||
      Table.names().catalogue().lookup(FD->getName().str()) ||
      Table.own().isForeign(FD->getLocation()))
    return nullptr;
  NamedApi Api = apiOfName(FD->getName(), FD->getType(), Table);
  auto IsMark = [](StringRef Text) {
    static constexpr StringRef Marks[] = {"",   "dl",  "dyn", "f",  "fn",
                                          "fp", "pfn", "ptr", "sym"};
    return llvm::is_contained(Marks, Text.trim('_').lower());
  };
  return IsMark(Api.Before) && IsMark(Api.After) ? Api.Function : nullptr;
}

const FunctionDecl *apiOfPointer(const clang::Expr *Callee,
                                 FunctionTable &Table) {
  Callee = Callee->IgnoreParenImpCasts();
  if (const auto *U = dyn_cast<UnaryOperator>(Callee);
      U && U->getOpcode() == UO_Deref)
    Callee = U->getSubExpr()->IgnoreParenImpCasts();
  QualType Called = functionTypeOf(Callee->getType());
  if (Called.isNull())
    return nullptr;
  if (const FunctionDecl *FD = apiOfType(Callee->getType(), Called, Table))
    return FD;
  const ValueDecl *D = nullptr;
  if (const auto *Ref = dyn_cast<DeclRefExpr>(Callee))
    D = Ref->getDecl();
  else if (const auto *Member = dyn_cast<MemberExpr>(Callee))
    D = Member->getMemberDecl();
  if (!D || !D->getDeclName().isIdentifier() || isa<ParmVarDecl>(D))
    return nullptr;
  return apiOfName(D->getName(), Called, Table).Function;
}

/// \p E without casts.
static const clang::Expr *withoutCasts(const clang::Expr *E) {
  for (;;) {
    const clang::Expr *Inner = E->IgnoreParenCasts();
    if (const auto *T = dyn_cast<MaterializeTemporaryExpr>(Inner))
      Inner = T->getSubExpr();
    if (Inner == E)
      return E;
    E = Inner;
  }
}

const clang::Expr *takerOfApi(const clang::CallExpr *Call,
                              FunctionTable &Table) {
  const FunctionDecl *Callee = Call->getDirectCallee();
  bool Known = Callee && Callee->getDeclName().isIdentifier() &&
               Table.names().catalogue().lookup(Callee->getName().str());
  for (const clang::Expr *A : Call->arguments()) {
    const clang::Expr *Taker = withoutCasts(A);
    const auto *U = dyn_cast<UnaryOperator>(Taker);
    bool ByAddress = U && U->getOpcode() == UO_AddrOf;
    if (ByAddress)
      Taker = withoutCasts(U->getSubExpr());
    else if (!A->isLValue())
      continue;
    if (Taker->isLValue() &&
        (Taker->getType()->isFunctionPointerType() ||
         (Known && ByAddress && Taker->getType()->isVoidPointerType())))
      return Taker;
  }
  return nullptr;
}

/// The text of the string literal \p E; empty if \p E is not one.
static StringRef textOf(const clang::Expr *E) {
  const auto *Text = dyn_cast<clang::StringLiteral>(withoutCasts(E));
  return Text && Text->getCharByteWidth() == 1 ? Text->getString()
                                               : StringRef();
}

LookupRow lookupRow(const InitListExpr *List, FunctionTable &Table) {
  LookupRow Row;
  StringRef Name;
  for (const clang::Expr *Each : List->inits()) {
    if (StringRef Text = textOf(Each); !Text.empty())
      Name = Text;
    const auto *U = dyn_cast<UnaryOperator>(withoutCasts(Each));
    if (!U || U->getOpcode() != UO_AddrOf)
      continue;
    const clang::Expr *Pointer = withoutCasts(U->getSubExpr());
    if (Pointer->getType()->isFunctionPointerType())
      Row.Pointer = Pointer;
  }
  if (Row.Pointer && !Name.empty())
    Row.Api = apiCalled(Name, functionTypeOf(Row.Pointer->getType()), Table);
  return Row.Api ? Row : LookupRow();
}

const FunctionDecl *apiLookedUp(const CallExpr *Call, FunctionTable &Table,
                                QualType As) {
  const clang::Expr *Taker = nullptr;
  for (const clang::Expr *A : Call->arguments()) {
    StringRef Text = textOf(A);
    if (Text.empty())
      continue;
    if (!Taker)
      Taker = takerOfApi(Call, Table);
    QualType Pointer = Taker ? Taker->getType() : As;
    if (const FunctionDecl *FD = apiCalled(
            Text, Pointer.isNull() ? Pointer : functionTypeOf(Pointer), Table))
      return FD;
  }
  return nullptr;
}

} // namespace cudagraph
