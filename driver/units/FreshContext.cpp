//===- FreshContext.cpp - Prepares the AST for a parse --------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FreshContext.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/ExternalASTSource.h"
#include <type_traits>

namespace cudagraph::driver {
namespace {

/// A source with PyTorch's headers has about this many types of a kind.
/// Untouched memory has no cost.
using Many = std::integral_constant<unsigned, 1 << 16>;
using MostOfAll = std::integral_constant<unsigned, 1 << 17>;

/// The private sets of types in Clang's AST. An explicit instantiation may name
/// them.
template <typename Expected, auto... Sets> struct TypeSets {
  friend void reserveTypes(clang::ASTContext &Context, Expected Count) {
    ((Context.*Sets).reserve(Count), ...);
  }
};
void reserveTypes(clang::ASTContext &Context, Many);
void reserveTypes(clang::ASTContext &Context, MostOfAll);
template struct TypeSets<Many, &clang::ASTContext::LValueReferenceTypes,
                         &clang::ASTContext::PointerTypes,
                         &clang::ASTContext::RValueReferenceTypes,
                         &clang::ASTContext::TemplateSpecializationTypes,
                         &clang::ASTContext::TemplateTypeParmTypes>;
template struct TypeSets<MostOfAll, &clang::ASTContext::FunctionProtoTypes,
                         &clang::ASTContext::SubstTemplateTypeParmTypes>;

} // namespace

void prepareFreshContext(clang::ASTContext &Context) {
  // When such a set grows, the keys of all of its types are computed again.
  reserveTypes(Context, Many());
  reserveTypes(Context, MostOfAll());
  // Clang always creates a reader of compiled files, and each chain of
  // declarations keeps memory for it.
  Context.setExternalSource(nullptr);
}

} // namespace cudagraph::driver
