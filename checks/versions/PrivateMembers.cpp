//===- PrivateMembers.cpp - Private members of LLVM and Clang -------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An explicit instantiation of a template may name private members. See
// PrivateMembers.h.
//
//===----------------------------------------------------------------------===//

#include "PrivateMembers.h"
#include "clang/AST/ASTContext.h"
#include <type_traits>

namespace cudagraph {
namespace {

template <auto Buffer, auto Flush> struct WriterMembers {
  friend size_t sizeOf(llvm::BitstreamWriter &W) { return (W.*Buffer).size(); }
  friend void flush(llvm::BitstreamWriter &W) { (W.*Flush)(); }
};
size_t sizeOf(llvm::BitstreamWriter &W);
void flush(llvm::BitstreamWriter &W);
template struct WriterMembers<&llvm::BitstreamWriter::OwnBuffer,
                              &llvm::BitstreamWriter::flushAndClear>;

/// The number of types of each kind in a source with PyTorch's headers.
using Many = std::integral_constant<unsigned, 1 << 16>;
using MostOfAll = std::integral_constant<unsigned, 1 << 17>;

template <typename Expected, auto... Sets> struct TypeSets {
  friend void reserve(clang::ASTContext &Context, Expected Count) {
    ((Context.*Sets).reserve(Count), ...);
  }
};
void reserve(clang::ASTContext &Context, Many);
void reserve(clang::ASTContext &Context, MostOfAll);
template struct TypeSets<Many, &clang::ASTContext::LValueReferenceTypes,
                         &clang::ASTContext::PointerTypes,
                         &clang::ASTContext::RValueReferenceTypes,
                         &clang::ASTContext::TemplateSpecializationTypes,
                         &clang::ASTContext::TemplateTypeParmTypes>;
template struct TypeSets<MostOfAll, &clang::ASTContext::FunctionProtoTypes,
                         &clang::ASTContext::SubstTemplateTypeParmTypes>;

} // namespace

size_t sizeOfBuffer(llvm::BitstreamWriter &Writer) { return sizeOf(Writer); }

void flushBuffer(llvm::BitstreamWriter &Writer) { flush(Writer); }

void reserveTypes(clang::ASTContext &Context) {
  reserve(Context, Many());
  reserve(Context, MostOfAll());
}

} // namespace cudagraph
