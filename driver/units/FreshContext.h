//===- FreshContext.h - Prepares the AST for a parse ------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Settings that make a parse cheaper without changing its result.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_UNITS_FRESHCONTEXT_H
#define CUDAGRAPH_DRIVER_UNITS_FRESHCONTEXT_H

namespace clang {
class ASTContext;
}

namespace cudagraph::driver {

/// Prepares \p Context, which is empty, for a parse that loads nothing that was
/// compiled before.
void prepareFreshContext(clang::ASTContext &Context);

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_UNITS_FRESHCONTEXT_H
