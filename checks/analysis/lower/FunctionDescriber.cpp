//===- FunctionDescriber.cpp - Properties of a declaration ----------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FunctionDescriber.h"
#include "LibraryCode.h"
#include "QualifiedName.h"
#include "clang/AST/Attr.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace cudagraph {

using catalogue::Role;

/// True if \p T is an integer type for addresses in device memory.
static bool isDeviceAddress(const catalogue::Catalogue &Known, QualType T) {
  for (const auto *D = T->getAs<TypedefType>(); D;
       D = D->desugar()->getAs<TypedefType>())
    if (Known.is(Role::AddressNumber, D->getDecl()->getName()))
      return true;
  return false;
}

static std::string signatureOf(const FunctionDecl *FD, const std::string &Name,
                               const ASTContext &Ctx) {
  PrintingPolicy Policy(Ctx.getLangOpts());
  Policy.SuppressTagKeyword = true;
  std::string Result = Name + "(";
  for (const ParmVarDecl *P : FD->parameters()) {
    if (P != *FD->param_begin())
      Result += ", ";
    std::string T = P->getType().getCanonicalType().getAsString(Policy);
    for (const char *Space : {" *", " &"})
      for (size_t At = T.find(Space); At != std::string::npos;
           At = T.find(Space))
        T.erase(At, 1);
    Result += T;
  }
  return Result + ")";
}

/// The version that the header of \p FD defines as a macro with a numeric
/// value; 0 if it defines none.
unsigned FunctionDescriber::headerVersion(const FunctionDecl *FD) {
  if (!FD->getDeclName().isIdentifier() ||
      !Names.is(FD, Role::VersionedFunction))
    return 0;
  StringRef Macro =
      Names.catalogue().as(Role::VersionedFunction, canonicalQualifiedName(FD));
  const SourceManager &SM = Ctx.getSourceManager();
  FileID File = SM.getFileID(SM.getExpansionLoc(FD->getLocation()));
  auto [It, New] = HeaderVersions.try_emplace(File, 0);
  if (!New)
    return It->second;
  StringRef Rest = SM.getBufferDataOrNone(File).value_or("");
  while (!Rest.empty()) {
    StringRef Line;
    std::tie(Line, Rest) = Rest.split('\n');
    Line = Line.ltrim();
    if (!Line.consume_front("#"))
      continue;
    Line = Line.ltrim();
    if (!Line.consume_front("define"))
      continue;
    Line = Line.ltrim();
    if (Line.consume_front(Macro) &&
        !Line.ltrim().consumeInteger(10, It->second))
      break;
  }
  return It->second;
}

void FunctionDescriber::describeMethod(const CXXMethodDecl *M,
                                       FunctionInfo &Info) {
  Info.Class = canonicalQualifiedName(M->getParent());
  // The effect of a shared base depends on the derived class.
  if (std::string Alias = Names.aliasOf(M->getParent()); !Alias.empty()) {
    bool Reads =
        isa<CXXConversionDecl>(M) && Names.isDeviceReference(M->getParent());
    Info.Name =
        Alias + "::" + (Reads ? "operator value_type" : canonicalName(M));
    Info.Class = std::move(Alias);
  }
  Info.IsConstructor = isa<CXXConstructorDecl>(M);
  Info.IsDestructor = isa<CXXDestructorDecl>(M);
  Info.IsLambda = M->getParent()->isLambda();
  if (M->isVirtual() && M->getParent()->hasDefinition())
    M->getParent()->forallBases([&](const CXXRecordDecl *Base) {
      Info.Bases.push_back(canonicalQualifiedName(Base));
      return true;
    });
  for (const auto *A : M->getParent()->specific_attrs<AnnotateAttr>())
    Info.RegionScope |= A->getAnnotation() == "cudagraph::capture_region_scope";
}

/// Reads the annotations that the macros in cudagraph/annotations.h add.
static void readAnnotations(const FunctionDecl *FD, FunctionInfo &Info) {
  for (const FunctionDecl *Redecl : FD->redecls())
    for (const auto *A : Redecl->specific_attrs<AnnotateAttr>()) {
      StringRef Text = A->getAnnotation();
      if (Text == "cudagraph::capture_region")
        Info.CaptureRegion = true;
      else if (Text == "cudagraph::capture_safe")
        Info.CaptureSafe = true;
      else if (Text == "cudagraph::allow")
        Info.Allowed = true;
      else if (Text.consume_front("cudagraph::capture_unsafe")) {
        Info.Unsafe = true;
        Text.consume_front(":");
        Info.UnsafeReason = Text.str();
        if (A->args_size())
          if (const auto *L = dyn_cast<clang::StringLiteral>(
                  (*A->args_begin())->IgnoreParenImpCasts()))
            Info.UnsafeReason = L->getString().str();
      }
    }
}

FunctionInfo FunctionDescriber::describe(const FunctionDecl *FD) {
  const SourceManager &SM = Ctx.getSourceManager();
  FunctionInfo Info;
  Info.Name = canonicalQualifiedName(FD);
  Info.Signature = signatureOf(FD, Info.Name, Ctx);
  const FunctionDecl *Def = nullptr;
  Info.HasBody = FD->hasBody(Def) && Def;
  const FunctionDecl *Shown = Def ? Def : FD;
  Info.Where = {Shown->getLocation().getRawEncoding(),
                Shown->getLocation().getRawEncoding()};
  // Compiler-generated functions have no relevant effect.
  Info.IsSystem = isLibraryCode(Shown, SM, Own, Names.catalogue()) ||
                  (!Info.HasBody && FD->isDefaulted());
  Info.IsKernel = FD->hasAttr<CUDAGlobalAttr>();
  if (Info.IsKernel && Def && Def->hasBody() && !Def->isDependentContext())
    Info.SeedsGenerator = Seeds.seedsGenerator(Def);
  // A host may skip the bodies of kernels, which exist nevertheless.
  if (Info.IsKernel)
    Info.HasBody |= llvm::any_of(FD->redecls(), [](const FunctionDecl *Each) {
      return Each->hasSkippedBody();
    });
  Info.IsDevice = Info.IsKernel || (FD->hasAttr<CUDADeviceAttr>() &&
                                    !FD->hasAttr<CUDAHostAttr>());
  Info.IsStatic =
      FD->getFormalLinkage() == Linkage::Internal || !FD->isExternallyVisible();
  Info.HeaderVersion = headerVersion(FD);
  Info.NoReturn = FD->isNoReturn();
  Info.IsConstexpr = FD->isConstexpr();
  if (FD->getNumParams())
    if (const CXXRecordDecl *RD = FD->getParamDecl(FD->getNumParams() - 1)
                                      ->getType()
                                      .getNonReferenceType()
                                      ->getAsCXXRecordDecl())
      Info.LastParam = canonicalQualifiedName(RD);
  if (const auto *M = dyn_cast<CXXMethodDecl>(FD))
    describeMethod(M, Info);
  QualType R = FD->getReturnType().getNonReferenceType().getCanonicalType();
  Info.ReturnsFlag = R->isBooleanType() || R->isEnumeralType();
  Info.ReturnsHandle = R->isPointerType() || R->isRecordType() ||
                       FD->getReturnType()->isReferenceType() ||
                       isDeviceAddress(Names.catalogue(), FD->getReturnType());
  readAnnotations(FD, Info);
  return Info;
}

} // namespace cudagraph
