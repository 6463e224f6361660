//===- LibraryShape.cpp - What classes of the standard library are for ----===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LibraryShape.h"
#include "clang/AST/DeclTemplate.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace cudagraph {

LibraryShape shapeOf(const CXXRecordDecl *RD) {
  if (!RD || !RD->getDeclName().isIdentifier())
    return LibraryShape::NotLibrary;
  const auto *NS = dyn_cast<NamespaceDecl>(
      RD->getDeclContext()->getEnclosingNamespaceContext());
  if (!RD->isInStdNamespace() && !(NS && NS->getName() == "__gnu_cxx"))
    return LibraryShape::NotLibrary;
  StringRef Name = RD->getName();
  if (Name == "span" || Name == "basic_string_view" ||
      Name == "initializer_list")
    return LibraryShape::View;
  if (Name.contains("iterator"))
    return LibraryShape::Iterator;
  return llvm::StringSwitch<LibraryShape>(Name)
      .Cases({"unique_ptr", "shared_ptr", "__shared_ptr"},
             LibraryShape::Pointer)
      .Cases({"__shared_ptr_access", "reference_wrapper", "weak_ptr"},
             LibraryShape::Pointer)
      .Cases({"function", "move_only_function", "copyable_function"},
             LibraryShape::Holder)
      .Default(LibraryShape::Container);
}

/// The name of the outermost namespace; empty outside of all.
static StringRef libraryOf(const CXXRecordDecl *RD) {
  const DeclContext *Outer = nullptr;
  for (const DeclContext *DC = RD->getDeclContext(); DC; DC = DC->getParent())
    if (isa<NamespaceDecl>(DC))
      Outer = DC;
  const auto *NS = dyn_cast_or_null<NamespaceDecl>(Outer);
  return NS ? NS->getName() : "";
}

bool isDeviceReference(const CXXRecordDecl *RD) {
  if (!RD || !RD->getDeclName().isIdentifier() ||
      !llvm::StringSwitch<bool>(RD->getName())
           .Cases({"reference", "tagged_reference", "device_reference"}, true)
           .Default(false) ||
      libraryOf(RD) != "thrust")
    return false;
  // Other systems have references, too.
  std::string Type =
      QualType(RD->getASTContext().getCanonicalTagType(RD)).getAsString();
  return StringRef(Type).contains("device_") ||
         StringRef(Type).contains("cuda_cub");
}

bool ownsDeviceMemory(const CXXRecordDecl *RD) {
  if (!RD || !RD->getDeclName().isIdentifier())
    return false;
  StringRef Name = RD->getName(), Of = libraryOf(RD);
  if (Of == "thrust")
    return Name == "device_vector" || Name == "universal_vector";
  if (Of == "rmm")
    return Name == "device_uvector" || Name == "device_buffer" ||
           Name == "device_scalar" || Name == "device_vector";
  return (Of == "at" || Of == "torch") &&
         (Name == "Tensor" || Name == "TensorBase");
}

const CXXRecordDecl *optionalOf(const CXXRecordDecl *RD) {
  const auto *Spec = dyn_cast_or_null<ClassTemplateSpecializationDecl>(RD);
  if (!Spec || !RD->isInStdNamespace() || RD->getName() != "optional")
    return nullptr;
  const TemplateArgument &A = Spec->getTemplateArgs().get(0);
  return A.getKind() == TemplateArgument::Type
             ? A.getAsType()->getAsCXXRecordDecl()
             : nullptr;
}

} // namespace cudagraph
