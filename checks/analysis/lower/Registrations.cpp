//===- Registrations.cpp - Functions registered with another runtime ------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Macros create the functions that contain registrations. Such a function has
// the library or the module as an argument, or a name that only the macro
// produces. The name of the library and the dispatch key are in the global
// object that the macro creates next to the function. Older extensions register
// operators in the initializer of their own global object. Only this code is
// read.
//
//===----------------------------------------------------------------------===//

#include "Registrations.h"
#include "FunctionTable.h"
#include "UnitContents.h"
#include "versions/ClangVersions.h"
#include "clang/AST/DeclTemplate.h"
#include "llvm/ADT/DenseMap.h"

using namespace clang;

namespace cudagraph {

using catalogue::Role;

namespace {

/// Finds the function that one argument of a registration names.
class ArgumentReader : public DynamicRecursiveASTVisitor {
public:
  const FunctionDecl *Function = nullptr;
  std::optional<StringRef> Text;
  std::string DispatchKey;

  explicit ArgumentReader(LibraryNames &Names) : Names(Names) {}

  bool TraverseLambdaExpr(LambdaExpr *E) override {
    if (!Function)
      Function = E->getCallOperator();
    return true;
  }
  bool TraverseCallExpr(CallExpr *E) override {
    // The callee is a helper that returns the registered function.
    for (clang::Expr *A : E->arguments())
      TraverseStmt(A);
    return true;
  }
  bool TraverseCXXMemberCallExpr(CXXMemberCallExpr *E) override {
    return TraverseCallExpr(E);
  }
  bool VisitStringLiteral(StringLiteral *S) override {
    if (!Text && S->getCharByteWidth() == 1)
      Text = S->getString();
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr *E) override {
    const ValueDecl *D = E->getDecl();
    if (const auto *M = dyn_cast<CXXMethodDecl>(D); M && templated(M))
      return true;
    if (const auto *FD = dyn_cast<FunctionDecl>(D)) {
      if (!Function)
        Function = FD;
    } else if (const auto *Key = dyn_cast<EnumConstantDecl>(D)) {
      if (isEnum(Key->getType(), Role::DispatchKeyEnum) ||
          isEnum(Key->getType(), Role::DeviceTypeEnum))
        DispatchKey = Key->getName().str();
    } else if (isEnum(D->getType(), Role::DeviceTypeEnum) &&
               D->getDeclName().isIdentifier()) {
      if (auto Part =
              Names.catalogue().part(Role::DeviceTypeConstant, D->getName()))
        DispatchKey = std::string(*Part);
    }
    return true;
  }
  bool VisitExpr(clang::Expr *E) override {
    // The function is a template argument of the type.
    if (const CXXRecordDecl *RD = E->getType()->getAsCXXRecordDecl();
        Names.of(RD).has(Role::FunctionBox))
      takeArgument(RD);
    return true;
  }

private:
  LibraryNames &Names;

  bool isEnum(QualType T, Role R) {
    const auto *E = T->getAs<EnumType>();
    return E && Names.of(E->getDecl()).has(R);
  }
  /// True for a member of a template that has the function as an argument.
  bool templated(const CXXMethodDecl *M) {
    return Names.of(M->getParent()).has(Role::FunctionBox) &&
           takeArgument(M->getParent());
  }
  bool takeArgument(const CXXRecordDecl *RD) {
    const auto *Spec = dyn_cast<ClassTemplateSpecializationDecl>(RD);
    if (!Spec || Function)
      return Spec;
    for (const TemplateArgument &A : Spec->getTemplateArgs().asArray())
      if (A.getKind() == TemplateArgument::Declaration)
        Function = dyn_cast<FunctionDecl>(A.getAsDecl());
    return true;
  }
};

ArgumentReader readArgument(const clang::Expr *E, LibraryNames &Names) {
  ArgumentReader R(Names);
  R.TraverseStmt(const_cast<clang::Expr *>(E));
  return R;
}

/// The library or module to which a registering function adds operators.
struct Target {
  std::string Library, DispatchKey;
};

/// Reads the registrations of one function, or of one initializer.
class RegistrationReader : public DynamicRecursiveASTVisitor {
public:
  /// \p To is the destination of the operators of \p Within, unless they
  /// specify another. \p Within is null in an initializer.
  RegistrationReader(const FunctionDecl *Within, const Target &To,
                     FunctionTable &Table, std::vector<Registration> &Result)
      : Within(Within), To(To), Table(Table), Names(Table.names()),
        Result(Result) {}

  bool VisitCallExpr(CallExpr *E) override;
  bool VisitCXXConstructExpr(CXXConstructExpr *E) override;

private:
  void add(Registration::Kind How, const Target &Where, const clang::Expr *At,
           StringRef Name, const FunctionDecl *FD, StringRef Class = {});
  void addCall(const clang::Expr *E, llvm::ArrayRef<const clang::Expr *> Args,
               Registration::Kind How, StringRef Class);

  const FunctionDecl *Within;
  const Target &To;
  FunctionTable &Table;
  LibraryNames &Names;
  std::vector<Registration> &Result;
};

void RegistrationReader::add(Registration::Kind How, const Target &Where,
                             const clang::Expr *At, StringRef Name,
                             const FunctionDecl *FD, StringRef Class) {
  Registration R;
  R.How = How;
  R.Library = Where.Library;
  R.DispatchKey = Where.DispatchKey;
  R.ReachesDevice =
      R.DispatchKey.empty() ||
      Names.catalogue().is(Role::DeviceDispatchKey, R.DispatchKey);
  Name = Name.trim();
  if (size_t Open = Name.find('('); Open != StringRef::npos) {
    R.Schema = Name.str();
    Name = Name.take_front(Open).rtrim();
  }
  if (size_t Colons = Name.rfind("::");
      How == Registration::Torch && Colons != StringRef::npos) {
    R.Library = Name.take_front(Colons).str();
    Name = Name.drop_front(Colons + 2);
  }
  R.Name = Class.empty() ? Name.str() : (Class + "." + Name).str();
  if (FD) {
    if (const FunctionDecl *Def = FD->getDefinition())
      FD = Def;
    R.Function = Table.idOf(FD);
    R.HasTensors = Names.ofSpelling(FD->getReturnType()).has(Role::OfTensors);
    for (const ParmVarDecl *P : FD->parameters())
      R.HasTensors |= Names.ofSpelling(P->getType()).has(Role::OfTensors);
  }
  R.Where = {At->getBeginLoc().getRawEncoding(),
             At->getEndLoc().getRawEncoding()};
  Result.push_back(std::move(R));
}

/// Handles `m.def("name(...)", &function)` and similar calls.
void RegistrationReader::addCall(const clang::Expr *E,
                                 llvm::ArrayRef<const clang::Expr *> Args,
                                 Registration::Kind How, StringRef Class) {
  ArgumentReader Name = readArgument(Args.front(), Names);
  if (!Name.Text)
    return;
  const FunctionDecl *FD = nullptr;
  Target Where = To;
  for (const clang::Expr *A : Args.drop_front()) {
    if (FD || isa<CXXDefaultArgExpr>(A))
      continue;
    ArgumentReader Arg = readArgument(A, Names);
    FD = Arg.Function;
    if (!Arg.DispatchKey.empty())
      Where.DispatchKey = Arg.DispatchKey;
  }
  bool IsTorch = How == Registration::Torch && Class.empty();
  if (FD || (IsTorch && Name.Text->contains('(')))
    add(How, Where, E, *Name.Text, FD, Class);
}

bool RegistrationReader::VisitCallExpr(CallExpr *E) {
  const FunctionDecl *Callee = E->getDirectCallee();
  if (!Callee || !Callee->getDeclName().isIdentifier())
    return true;
  catalogue::RoleSet Roles = Names.of(Callee);
  if (Roles.has(Role::UnpacksCall) && Within && Within->isExternC()) {
    // An exported function that stands for another.
    auto Name = Names.catalogue().part(Role::ExportedToTvm, Within->getName());
    if (!Name)
      return true;
    for (const clang::Expr *A : E->arguments())
      if (ArgumentReader Arg = readArgument(A, Names); Arg.Function) {
        add(Registration::TvmFfi, To, E, *Name, Arg.Function);
        break;
      }
    return true;
  }
  const auto *MC = dyn_cast<CXXMemberCallExpr>(E);
  if (!MC || !MC->getMethodDecl() || !MC->getNumArgs())
    return true;
  llvm::ArrayRef<const clang::Expr *> Args(MC->getArgs(), MC->getNumArgs());
  if (Roles.has(Role::RegistersOperator)) {
    addCall(MC, Args, Registration::Torch, "");
  } else if (Roles.has(Role::RegistersPython)) {
    addCall(MC, Args, Registration::Python, "");
  } else if (Roles.has(Role::RegistersTorchMethod) ||
             Roles.has(Role::RegistersPythonMethod)) {
    std::string Class;
    if (const auto *Spec = dyn_cast<ClassTemplateSpecializationDecl>(
            MC->getMethodDecl()->getParent()))
      if (const CXXRecordDecl *Arg =
              Spec->getTemplateArgs()[0].getKind() == TemplateArgument::Type
                  ? Spec->getTemplateArgs()[0].getAsType()->getAsCXXRecordDecl()
                  : nullptr)
        Class = Arg->getName().str();
    if (!Class.empty())
      addCall(MC, Args,
              Roles.has(Role::RegistersTorchMethod) ? Registration::Torch
                                                    : Registration::Python,
              Class);
  } else if (Roles.has(Role::RegistersTvm)) {
    addCall(MC, Args, Registration::TvmFfi, "");
  } else if (Within && Roles.has(Role::RegistersXla)) {
    if (ArgumentReader Arg = readArgument(MC->getArg(0), Names); Arg.Function)
      add(Registration::XlaFfi, To, E, Within->getName(), Arg.Function);
  }
  return true;
}

/// `RegisterOperators("lib::name", &function)`.
bool RegistrationReader::VisitCXXConstructExpr(CXXConstructExpr *E) {
  if (E->getNumArgs() > 1 &&
      Names.of(E->getConstructor()->getParent()).has(Role::OperatorRegistry))
    addCall(E, {E->getArgs(), E->getNumArgs()}, Registration::Torch, "");
  return true;
}

/// True for functions that registering macros create, and for helpers with the
/// library or the module as an argument.
bool mayRegister(const FunctionDecl *FD, LibraryNames &Names) {
  if (!FD->getDeclName().isIdentifier())
    return false;
  catalogue::RoleSet Roles = Names.of(FD);
  if (Roles.has(Role::ExportedToTvm) || Roles.has(Role::RegistersAtStart))
    return true;
  for (const ParmVarDecl *P : FD->parameters()) {
    QualType T = P->getType();
    if ((T->isReferenceType() || T->isPointerType()) &&
        Names.of(T->getPointeeType()->getAsCXXRecordDecl())
            .has(Role::OperatorRegistry))
      return true;
  }
  return false;
}

/// True for the functions of a differentiable operator that a framework runs:
/// forward() and backward(), which no registration names.
bool isAutograd(const FunctionDecl *FD, LibraryNames &Names) {
  const auto *M = dyn_cast<CXXMethodDecl>(FD);
  return M && M->isStatic() && M->getDeclName().isIdentifier() &&
         Names.catalogue().is(Role::AutogradMethod, M->getName()) &&
         llvm::any_of(M->getParent()->bases(), [&](const CXXBaseSpecifier &B) {
           const CXXRecordDecl *Base = B.getType()->getAsCXXRecordDecl();
           return Base && Names.of(Base).has(Role::AutogradFunction);
         });
}

/// The contents of the global objects that the macros create, by registering
/// function.
llvm::DenseMap<const FunctionDecl *, Target>
targets(llvm::ArrayRef<const VarDecl *> Globals, LibraryNames &Names) {
  llvm::DenseMap<const FunctionDecl *, Target> Result;
  for (const VarDecl *VD : Globals) {
    catalogue::RoleSet Roles = Names.of(VD->getType()->getAsCXXRecordDecl());
    bool ByText = Roles.has(Role::OperatorFragmentByText);
    if (!ByText && !Roles.has(Role::OperatorFragment))
      continue;
    const auto *Make =
        dyn_cast<CXXConstructExpr>(VD->getInit()->IgnoreImplicit());
    if (!Make)
      continue;
    Target To;
    const FunctionDecl *Of = nullptr;
    for (unsigned I = 1; I < Make->getNumArgs() && I < 4; ++I) {
      ArgumentReader Arg = readArgument(Make->getArg(I), Names);
      if (I == 1)
        Of = Arg.Function;
      else if (I == 2 && Arg.Text)
        To.Library = Arg.Text->str();
      else if (I == 3 && !Arg.DispatchKey.empty())
        To.DispatchKey = Arg.DispatchKey;
      else if (I == 3 && ByText && Arg.Text)
        To.DispatchKey = Arg.Text->str();
    }
    if (Of)
      Result[Of->getCanonicalDecl()] = To;
  }
  return Result;
}

} // namespace

std::vector<Registration> collectRegistrations(FunctionTable &Table,
                                               const UnitContents &Contents) {
  std::vector<Registration> Result;
  llvm::DenseMap<const FunctionDecl *, Target> To =
      targets(Contents.Globals, Table.names());
  for (const VarDecl *VD : Contents.Globals)
    if (Table.names()
            .of(VD->getType()->getAsCXXRecordDecl())
            .has(Role::OperatorRegistry))
      RegistrationReader(nullptr, {}, Table, Result)
          .TraverseStmt(const_cast<clang::Expr *>(VD->getInit()));
  for (FunctionId F : Contents.Functions) {
    const FunctionDecl *FD = Table.decl(F)->getDefinition();
    if (!FD || !FD->hasBody() || FD->isDependentContext())
      continue;
    if (mayRegister(FD, Table.names())) {
      Target Where = To.lookup(FD->getCanonicalDecl());
      if (auto Name =
              Table.names().catalogue().part(Role::PythonModule, FD->getName()))
        Where.Library = std::string(*Name);
      RegistrationReader(FD, Where, Table, Result).TraverseStmt(FD->getBody());
      continue;
    }
    if (isAutograd(FD, Table.names())) {
      Registration R;
      R.Name = cast<CXXMethodDecl>(FD)->getParent()->getName().str() + "." +
               FD->getName().str();
      R.Function = F;
      R.HasTensors = true;
      R.Where = {FD->getLocation().getRawEncoding(),
                 FD->getLocation().getRawEncoding()};
      Result.push_back(std::move(R));
    }
    // Functions that another language calls.
    if (FD->isExternC() && FD->isExternallyVisible() &&
        llvm::any_of(FD->parameters(), [&](const ParmVarDecl *P) {
          return Table.names().isStream(P->getType());
        })) {
      Registration R;
      R.How = Registration::ExternC;
      R.Name = FD->getName().str();
      R.Function = F;
      R.Where = {FD->getLocation().getRawEncoding(),
                 FD->getLocation().getRawEncoding()};
      Result.push_back(std::move(R));
    }
  }
  return Result;
}

} // namespace cudagraph
