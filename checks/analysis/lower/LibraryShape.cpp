//===- LibraryShape.cpp - Library classes and functions -------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LibraryShape.h"
#include "QualifiedName.h"
#include "versions/ClangVersions.h"
#include "clang/AST/DeclTemplate.h"

using namespace clang;

namespace cudagraph {

using catalogue::NameKind;
using catalogue::Role;
using catalogue::RoleSet;

static std::string spellingOf(const TagDecl *D) {
  return tagType(D).getAsString();
}

/// True if \p RD is in a namespace whose classes always count as containers.
static bool isOfStandard(const CXXRecordDecl *RD,
                         const catalogue::Catalogue &Known) {
  const DeclContext *DC = RD->getDeclContext()->getNonTransparentContext();
  while (DC->isInlineNamespace())
    DC = DC->getParent();
  const auto *NS = dyn_cast<NamespaceDecl>(DC);
  return NS && !NS->isAnonymousNamespace() &&
         Known.is(Role::StandardNamespace, canonicalQualifiedName(NS));
}

RoleSet LibraryNames::of(const TagDecl *D) {
  if (!D || !D->getDeclName().isIdentifier() || !D->getIdentifier())
    return {};
  D = D->getCanonicalDecl();
  auto [It, New] = Types.try_emplace(D);
  if (!New)
    return It->second;
  RoleSet Roles = Known.roles(NameKind::Type, canonicalQualifiedName(D),
                              [&] { return spellingOf(D); });
  if (const auto *RD = dyn_cast<CXXRecordDecl>(D);
      RD && isOfStandard(RD, Known))
    Roles.add(Role::Container);
  return Types[D] = Roles;
}

RoleSet LibraryNames::of(const FunctionDecl *FD) {
  if (!FD)
    return {};
  FD = FD->getCanonicalDecl();
  auto [It, New] = Functions.try_emplace(FD);
  if (!New)
    return It->second;
  It->second = Known.roles(NameKind::Function, canonicalQualifiedName(FD));
  if (FD->getDeclName().isIdentifier())
    It->second |=
        Known.roles(NameKind::OwnName, std::string_view(FD->getName().data(),
                                                        FD->getName().size()));
  return It->second;
}

RoleSet LibraryNames::ofSpelling(QualType T) const {
  return Known.roles(NameKind::Spelling,
                     T.getNonReferenceType().getCanonicalType().getAsString());
}

LibraryShape LibraryNames::shapeOf(const CXXRecordDecl *RD) {
  RoleSet Roles = of(RD);
  if (Roles.has(Role::View))
    return LibraryShape::View;
  if (Roles.has(Role::Iterator))
    return LibraryShape::Iterator;
  if (Roles.has(Role::Pointer) || Roles.has(Role::UniquePointer) ||
      Roles.has(Role::SharedPointer))
    return LibraryShape::Pointer;
  if (Roles.has(Role::Holder))
    return LibraryShape::Holder;
  return Roles.has(Role::Container) || Roles.has(Role::Optional) ||
                 Roles.has(Role::Variant)
             ? LibraryShape::Container
             : LibraryShape::NotLibrary;
}

bool LibraryNames::isTensor(const CXXRecordDecl *RD) {
  RoleSet Roles = of(RD);
  return Roles.has(Role::Tensor) || Roles.has(Role::TensorBase) ||
         Roles.has(Role::ForeignTensor);
}

bool LibraryNames::ownsDeviceMemory(const CXXRecordDecl *RD) {
  return of(RD).has(Role::DeviceOwner) || isTensor(RD);
}

bool LibraryNames::isDeviceReference(const CXXRecordDecl *RD) {
  return of(RD).has(Role::DeviceReference);
}

bool LibraryNames::isOptional(const CXXRecordDecl *RD) {
  return of(RD).has(Role::Optional);
}

const CXXRecordDecl *LibraryNames::optionalOf(const CXXRecordDecl *RD) {
  const auto *Spec = dyn_cast_or_null<ClassTemplateSpecializationDecl>(RD);
  if (!Spec || !isOptional(RD) || Spec->getTemplateArgs().size() == 0)
    return nullptr;
  const TemplateArgument &A = Spec->getTemplateArgs().get(0);
  return A.getKind() == TemplateArgument::Type
             ? A.getAsType()->getAsCXXRecordDecl()
             : nullptr;
}

bool LibraryNames::isStream(QualType T) {
  T = T.getNonReferenceType().getCanonicalType();
  if (const auto *PT = T->getAs<PointerType>())
    if (const auto *RT = PT->getPointeeType()->getAs<RecordType>())
      return of(RT->getDecl()).has(Role::StreamHandle);
  return of(T->getAsCXXRecordDecl()).has(Role::StreamObject);
}

bool LibraryNames::isHandleList(const CXXRecordDecl *RD) {
  const auto *Spec = dyn_cast_or_null<ClassTemplateSpecializationDecl>(RD);
  if (!Spec || !Spec->isInStdNamespace() || !Spec->getIdentifier() ||
      Spec->getName() != "vector" || Spec->getTemplateArgs().size() == 0 ||
      Spec->getTemplateArgs()[0].getKind() != TemplateArgument::Type)
    return false;
  QualType Element = Spec->getTemplateArgs()[0].getAsType();
  const auto *Class = Element->isPointerType()
                          ? Element->getPointeeType()->getAsRecordDecl()
                          : nullptr;
  return Class && (of(Class).has(Role::StreamHandle) ||
                   of(Class).has(Role::EventHandle));
}

std::string LibraryNames::aliasOf(const CXXRecordDecl *RD) {
  if (!of(RD).has(Role::Alias))
    return "";
  return std::string(
      Known.as(Role::Alias, canonicalQualifiedName(RD), spellingOf(RD)));
}

bool mapsKeys(const CXXRecordDecl *RD) {
  return llvm::any_of(RD->decls(), [](const Decl *D) {
    const auto *T = dyn_cast<TypedefNameDecl>(D);
    return T && T->getIdentifier() && T->getName() == "mapped_type";
  });
}

bool isPair(const CXXRecordDecl *RD) {
  return RD && RD->hasDefinition() && RD->isInStdNamespace() &&
         RD->getIdentifier() && RD->getName() == "pair" &&
         isa<ClassTemplateSpecializationDecl>(RD);
}

bool isTableEntry(const CXXRecordDecl *RD) {
  if (!isPair(RD))
    return false;
  const TemplateArgument &Key =
      cast<ClassTemplateSpecializationDecl>(RD)->getTemplateArgs()[0];
  return Key.getKind() == TemplateArgument::Type &&
         Key.getAsType().isConstQualified();
}

} // namespace cudagraph
