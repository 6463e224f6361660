//===- Instances.h - The instances of a template ----------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Clang lists the instances of a template in the order of their creation, or in
// a different order if the template comes from a precompiled header. Results
// must not depend on that.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_LOWER_INSTANCES_H
#define CUDAGRAPH_ANALYSIS_LOWER_INSTANCES_H

#include "clang/AST/DeclTemplate.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <string>
#include <tuple>
#include <vector>

namespace cudagraph {

/// The template arguments of \p D and of the classes around it, as text.
std::string instanceArguments(const clang::Decl *D);

/// Sorts \p Instances by their arguments. Those with the same arguments are
/// members of one class and keep their order.
template <typename T>
void sortInstances(llvm::MutableArrayRef<T> Instances,
                   llvm::function_ref<const clang::Decl *(T)> DeclOf) {
  if (Instances.size() < 2)
    return;
  std::vector<std::tuple<std::string, size_t, T>> Keyed;
  for (T Each : Instances)
    Keyed.emplace_back(instanceArguments(DeclOf(Each)), Keyed.size(), Each);
  llvm::sort(Keyed, [](const auto &A, const auto &B) {
    return std::tie(std::get<0>(A), std::get<1>(A)) <
           std::tie(std::get<0>(B), std::get<1>(B));
  });
  for (size_t I = 0; I < Keyed.size(); ++I)
    Instances[I] = std::get<2>(Keyed[I]);
}

/// The instances of \p Template, sorted.
llvm::SmallVector<const clang::FunctionDecl *, 4>
instancesOf(const clang::FunctionTemplateDecl *Template);

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_LOWER_INSTANCES_H
