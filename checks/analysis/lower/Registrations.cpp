//===- Registrations.cpp - Functions handed to another runtime ------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registrations stand in functions that macros make: they take the library or
// the module, or have a name that only the macro gives. Only those are read.
// The library's name and dispatch key are in the global object that the macro
// makes beside the function.
//
//===----------------------------------------------------------------------===//

#include "Registrations.h"
#include "FunctionTable.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace cudagraph {
namespace {

/// Finds what one argument of a registration names.
class ArgumentReader : public RecursiveASTVisitor<ArgumentReader> {
public:
  const FunctionDecl *Function = nullptr;
  std::optional<StringRef> Text;
  std::string DispatchKey;

  bool TraverseLambdaExpr(LambdaExpr *E) {
    if (!Function)
      Function = E->getCallOperator();
    return true;
  }
  bool TraverseCallExpr(CallExpr *E) {
    // The callee is a helper around what is registered.
    for (clang::Expr *A : E->arguments())
      TraverseStmt(A);
    return true;
  }
  bool TraverseCXXMemberCallExpr(CXXMemberCallExpr *E) {
    return TraverseCallExpr(E);
  }
  bool VisitStringLiteral(StringLiteral *S) {
    if (!Text && S->getCharByteWidth() == 1)
      Text = S->getString();
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr *E) {
    const ValueDecl *D = E->getDecl();
    if (const auto *M = dyn_cast<CXXMethodDecl>(D); M && templated(M))
      return true;
    if (const auto *FD = dyn_cast<FunctionDecl>(D)) {
      if (!Function)
        Function = FD;
    } else if (const auto *Key = dyn_cast<EnumConstantDecl>(D)) {
      if (isEnum(Key->getType(), "DispatchKey") ||
          isEnum(Key->getType(), "DeviceType"))
        DispatchKey = Key->getName().str();
    } else if (isEnum(D->getType(), "DeviceType") &&
               D->getName().starts_with("k")) {
      DispatchKey = D->getName().drop_front().str(); // torch::kCUDA
    }
    return true;
  }
  bool VisitExpr(clang::Expr *E) {
    // TORCH_FN: the function is a template argument of the type.
    if (const CXXRecordDecl *RD = E->getType()->getAsCXXRecordDecl();
        RD && RD->getName() == "CompileTimeFunctionPointer")
      takeArgument(RD);
    return true;
  }

private:
  static bool isEnum(QualType T, StringRef Name) {
    const auto *E = T->getAs<EnumType>();
    return E && E->getDecl()->getDeclName().isIdentifier() &&
           E->getDecl()->getName() == Name;
  }
  /// TORCH_BOX: a member of a template that has the function as argument.
  bool templated(const CXXMethodDecl *M) {
    return M->getParent()->getName() == "boxer" && takeArgument(M->getParent());
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

ArgumentReader readArgument(const clang::Expr *E) {
  ArgumentReader R;
  R.TraverseStmt(const_cast<clang::Expr *>(E));
  return R;
}

/// Where the operators of a registering function go.
struct Target {
  std::string Library, DispatchKey;
};

class RegistrationReader : public RecursiveASTVisitor<RegistrationReader> {
public:
  RegistrationReader(FunctionTable &Table, std::vector<Registration> &Result)
      : Table(Table), Result(Result) {}

  void read(const FunctionDecl *FD, const Target &To);
  bool VisitCallExpr(CallExpr *E);

private:
  void add(Registration::Kind How, const clang::Expr *At, StringRef Name,
           const FunctionDecl *FD, StringRef Class = {});
  void addCall(const CXXMemberCallExpr *E, Registration::Kind How,
               StringRef Class);
  FunctionTable &Table;
  std::vector<Registration> &Result;
  Target Current;
  const FunctionDecl *Within = nullptr;
};

bool mentionsTensor(QualType T) {
  return T.getCanonicalType().getAsString().find("Tensor") != std::string::npos;
}

void RegistrationReader::add(Registration::Kind How, const clang::Expr *At,
                             StringRef Name, const FunctionDecl *FD,
                             StringRef Class) {
  Registration R;
  R.How = How;
  R.Library = Current.Library;
  R.DispatchKey = Current.DispatchKey;
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
    R.HasTensors = mentionsTensor(FD->getReturnType());
    for (const ParmVarDecl *P : FD->parameters())
      R.HasTensors |= mentionsTensor(P->getType());
  }
  R.Where = {At->getBeginLoc().getRawEncoding(),
             At->getEndLoc().getRawEncoding()};
  Result.push_back(std::move(R));
}

/// `m.def("name(...)", &function)` and its relatives.
void RegistrationReader::addCall(const CXXMemberCallExpr *E,
                                 Registration::Kind How, StringRef Class) {
  ArgumentReader Name = readArgument(E->getArg(0));
  if (!Name.Text)
    return;
  const FunctionDecl *FD = nullptr;
  Target Before = Current;
  for (unsigned I = 1; I < E->getNumArgs() && !FD; ++I) {
    if (isa<CXXDefaultArgExpr>(E->getArg(I)))
      continue;
    ArgumentReader Arg = readArgument(E->getArg(I));
    FD = Arg.Function;
    if (!Arg.DispatchKey.empty())
      Current.DispatchKey = Arg.DispatchKey;
  }
  bool IsTorch = How == Registration::Torch && Class.empty();
  if (FD || (IsTorch && Name.Text->contains('(')))
    add(How, E, *Name.Text, FD, Class);
  Current = Before;
}

bool RegistrationReader::VisitCallExpr(CallExpr *E) {
  const FunctionDecl *Callee = E->getDirectCallee();
  if (!Callee || !Callee->getDeclName().isIdentifier())
    return true;
  if (Callee->getName() == "unpack_call" && Within->isExternC()) {
    // TVM_FFI_DLL_EXPORT_TYPED_FUNC(name, function)
    StringRef Name = Within->getName();
    if (!Name.consume_front("__tvm_ffi_"))
      return true;
    for (const clang::Expr *A : E->arguments())
      if (ArgumentReader Arg = readArgument(A); Arg.Function) {
        add(Registration::TvmFfi, E, Name, Arg.Function);
        break;
      }
    return true;
  }
  const auto *MC = dyn_cast<CXXMemberCallExpr>(E);
  if (!MC || !MC->getMethodDecl() || !MC->getNumArgs())
    return true;
  const CXXRecordDecl *RD = MC->getMethodDecl()->getParent();
  std::string Of = canonicalQualifiedName(RD);
  StringRef Method = Callee->getName();
  bool Defines = Method == "def" || Method == "impl" ||
                 Method == "def_static" || Method == "def_packed";
  if (Of == "torch::Library" || Of == "torch::stable::detail::StableLibrary") {
    if (Defines && Method != "def_static")
      addCall(MC, Registration::Torch, "");
  } else if (Of == "pybind11::module_" || Of == "pybind11::module") {
    if (Method == "def")
      addCall(MC, Registration::Python, "");
  } else if (Of == "pybind11::class_" || Of == "torch::class_") {
    std::string Class;
    if (const auto *Spec = dyn_cast<ClassTemplateSpecializationDecl>(RD))
      if (const CXXRecordDecl *Arg =
              Spec->getTemplateArgs()[0].getKind() == TemplateArgument::Type
                  ? Spec->getTemplateArgs()[0].getAsType()->getAsCXXRecordDecl()
                  : nullptr)
        Class = Arg->getName().str();
    if (Defines && !Class.empty())
      addCall(MC,
              Of == "torch::class_" ? Registration::Torch
                                    : Registration::Python,
              Class);
  } else if (Of == "tvm::ffi::reflection::GlobalDef") {
    if (Defines)
      addCall(MC, Registration::TvmFfi, "");
  } else if (Method == "To" && StringRef(Of).starts_with("xla::ffi::")) {
    if (ArgumentReader Arg = readArgument(MC->getArg(0)); Arg.Function)
      add(Registration::XlaFfi, E, Within->getName(), Arg.Function);
  }
  return true;
}

void RegistrationReader::read(const FunctionDecl *FD, const Target &To) {
  Within = FD;
  Current = To;
  TraverseStmt(FD->getBody());
}

/// True for functions that registering macros make, and for helpers that are
/// given the library or the module.
bool mayRegister(const FunctionDecl *FD) {
  if (!FD->getDeclName().isIdentifier())
    return false;
  StringRef Name = FD->getName();
  if (Name.starts_with("__tvm_ffi_") || Name.contains("TVMFFIStaticInit"))
    return true;
  for (const ParmVarDecl *P : FD->parameters()) {
    QualType T = P->getType();
    if (!T->isReferenceType() && !T->isPointerType())
      continue;
    const CXXRecordDecl *RD = T->getPointeeType()->getAsCXXRecordDecl();
    if (RD && RD->getDeclName().isIdentifier() &&
        llvm::StringSwitch<bool>(RD->getName())
            .Cases({"Library", "StableLibrary", "module_", "module"}, true)
            .Cases({"class_", "XLA_FFI_CallFrame"}, true)
            .Default(false))
      return true;
  }
  return false;
}

/// What the global objects of the macros say, by registering function.
llvm::DenseMap<const FunctionDecl *, Target> targets(FunctionTable &Table) {
  llvm::DenseMap<const FunctionDecl *, Target> Result;
  for (const VarDecl *VD : Table.globals()) {
    const CXXRecordDecl *RD = VD->getType()->getAsCXXRecordDecl();
    if (!RD || !(RD->getName() == "TorchLibraryInit" ||
                 RD->getName() == "StableTorchLibraryInit"))
      continue;
    const auto *Make =
        dyn_cast<CXXConstructExpr>(VD->getInit()->IgnoreImplicit());
    if (!Make)
      continue;
    Target To;
    const FunctionDecl *Of = nullptr;
    bool Stable = RD->getName() == "StableTorchLibraryInit";
    for (unsigned I = 1; I < Make->getNumArgs() && I < 4; ++I) {
      ArgumentReader Arg = readArgument(Make->getArg(I));
      if (I == 1)
        Of = Arg.Function;
      else if (I == 2 && Arg.Text)
        To.Library = Arg.Text->str();
      else if (I == 3 && !Arg.DispatchKey.empty())
        To.DispatchKey = Arg.DispatchKey;
      else if (I == 3 && Stable && Arg.Text)
        To.DispatchKey = Arg.Text->str();
    }
    if (Of)
      Result[Of->getCanonicalDecl()] = To;
  }
  return Result;
}

} // namespace

std::vector<Registration>
collectRegistrations(FunctionTable &Table,
                     const std::vector<FunctionId> &Collected) {
  std::vector<Registration> Result;
  RegistrationReader Reader(Table, Result);
  llvm::DenseMap<const FunctionDecl *, Target> To = targets(Table);
  for (FunctionId F : Collected) {
    const FunctionDecl *FD = Table.decl(F)->getDefinition();
    if (!FD || !FD->hasBody() || FD->isDependentContext())
      continue;
    if (mayRegister(FD)) {
      Target Where = To.lookup(FD->getCanonicalDecl());
      StringRef Name = FD->getName();
      if (Name.consume_front("pybind11_init_"))
        Where.Library = Name.str();
      Reader.read(FD, Where);
      continue;
    }
    // What another language calls.
    if (FD->isExternC() && FD->isExternallyVisible() &&
        llvm::any_of(FD->parameters(), [](const ParmVarDecl *P) {
          return isStreamType(P->getType());
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
