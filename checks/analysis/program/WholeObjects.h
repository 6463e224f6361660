//===- WholeObjects.h - Objects that kernels receive ------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel that receives an object by value reads all of its members, though
// the code on the host mentions none of them.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_PROGRAM_WHOLEOBJECTS_H
#define CUDAGRAPH_ANALYSIS_PROGRAM_WHOLEOBJECTS_H

#include "Program.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace cudagraph {

/// The types of the parameters in \p Signature, "f(int, bool)".
llvm::SmallVector<llvm::StringRef, 8> paramTypes(llvm::StringRef Signature);

/// Mentioned by functions that pass an object to a kernel, or the address of
/// one to a library function that reads it.
inline constexpr llvm::StringLiteral AnyWholeObject = "whole object";

/// Mentioned by functions that pass an object of the class of the member \p
/// Name in such a way.
std::string wholeObjectOf(llvm::StringRef Name);

/// Calls \p Visit with these names, for the launches and calls in \p G.
void eachWholeObject(Program &Table, const FlowGraph &G,
                     llvm::function_ref<void(llvm::StringRef)> Visit);

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_PROGRAM_WHOLEOBJECTS_H
